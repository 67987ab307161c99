"""Lesson 01: scores into weights."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import uneven_rows, worst_sum


def softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)  # the largest becomes 0: exp cannot overflow
    exponentials = np.exp(shifted)  # positive
    return exponentials / exponentials.sum(axis=-1, keepdims=True)  # normalise


def log_softmax(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)  # the largest becomes 0: exp cannot overflow
    total = np.exp(shifted).sum(axis=-1, keepdims=True)  # (..., 1)
    return shifted - np.log(total)  # normalise


# softmax ---------------------------------------------------------------------------------------------------


@diagnosed(
    lambda got, args: (
        f"`exp` overflows: exp of {args[0].max():.3g} is too large for {args[0].dtype}, and inf / inf is NaN. "
        "Subtract the row's largest score first; a constant cancels, so no weight changes."
    )
)
def faulty_softmax_no_shift(scores):
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    "You subtract the largest score of the whole array, so a row far below it underflows to 0/0. "
    "Subtract each row's own largest: `scores.max(axis=-1, keepdims=True)`."
)
def faulty_softmax_one_maximum(scores):
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    lambda got, args: (
        f"You normalise over queries: rows should sum to 1, yours sum to {worst_sum(got)}. "
        "Sum over the keys, the last axis: `axis=-1`."
    )
)
def faulty_softmax_first_axis(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=0, keepdims=True)  # normalise


@diagnosed(
    lambda got, args: (
        "You divide by the sum of the whole array, so all its weights together sum to 1 and "
        f"a row only to {worst_sum(got)}. Give every row its own sum: `axis=-1, keepdims=True`."
    )
)
def faulty_softmax_one_sum(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum()


@diagnosed(
    "The sums have lost their axis: (n_q,) stands below the keys, not below the rows. "
    "Keep it with `keepdims=True`, so that (n_q, 1) divides row by row."
)
def faulty_softmax_lost_axis(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1)


@diagnosed(
    lambda got, args: (
        f"Something is added to the denominator, so rows sum to {worst_sum(got)} in place of 1. "
        "Leave it out: after the shift the sum is at least 1 and cannot be 0."
    )
)
def faulty_softmax_eps(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-9)


@diagnosed(
    "You divide the scores by their sum without `exp`: negative scores give negative weights, and a sum near 0 "
    "blows up. Take `np.exp` of the scores first, then divide."
)
def faulty_softmax_no_exp(scores):
    return scores / scores.sum(axis=-1, keepdims=True)


@diagnosed(
    "Whole numbers went in and your array of weights holds whole numbers too, so every fraction was cut to 0. "
    "Make it of floats: `np.zeros(scores.shape)`."
)
def faulty_softmax_into_integers(scores):
    weights = np.zeros_like(scores)
    shifted = scores - scores.max(axis=-1, keepdims=True)
    weights[...] = np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True)
    return weights


# log_softmax -----------------------------------------------------------------------------------------------


@diagnosed(
    "You take the logarithm of a weight that has underflowed to 0, which is -inf. "
    "Stay with logarithms: `shifted - np.log(sum of np.exp(shifted))` never computes the tiny weight."
)
def faulty_log_softmax_of_weights(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.log(exponentials / exponentials.sum(axis=-1, keepdims=True))


@diagnosed(
    lambda got, args: (
        f"The small number inside the logarithm puts a floor below it: nothing is under {np.min(got):.3g}. "
        "Leave it out and subtract the logarithm of the sum from the shifted scores instead."
    )
)
def faulty_log_softmax_floor(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.log(exponentials / exponentials.sum(axis=-1, keepdims=True) + 1e-9)


@diagnosed(
    lambda got, args: (
        f"`exp` overflows: exp of {args[0].max():.3g} is inf, and so is its logarithm. "
        "Subtract the row's largest score before `np.exp`, and from the scores as well."
    )
)
def faulty_log_softmax_no_shift(scores):
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


@diagnosed(
    "You subtract the sum itself, not its logarithm: log(a / b) is log a − log b. "
    "Write `np.log(...)` round the sum of the exponentials."
)
def faulty_log_softmax_no_log(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    total = np.exp(shifted).sum(axis=-1, keepdims=True)
    return shifted - total  # normalise


@diagnosed(
    "You normalise over queries: the exponentials of a column sum to 1, those of a row do not. "
    "Sum over the keys, the last axis: `axis=-1`."
)
def faulty_log_softmax_first_axis(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=0, keepdims=True))


@diagnosed(
    "The sign is turned round: the logarithm of a weight is at most 0, because a weight is at most 1. "
    "Subtract the logarithm of the sum from the shifted scores, not the other way."
)
def faulty_log_softmax_sign(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.log(np.exp(shifted).sum(axis=-1, keepdims=True)) - shifted


@diagnosed(
    "You use the logarithm to base 2, which does not undo `np.exp`. "
    "Use the natural logarithm, `np.log`, so that `np.exp` of the result gives the weights back."
)
def faulty_log_softmax_base_two(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log2(np.exp(shifted).sum(axis=-1, keepdims=True))


def _cases():
    rng = np.random.default_rng(1)
    levels = np.array([1e4, 0.0, -1e4])[:, None] + rng.integers(-3, 4, size=(3, 5))
    return [
        (rng.normal(size=(5, 7)),),
        (rng.normal(size=(2, 3, 5)),),
        (rng.normal(size=(7,)),),
        (rng.normal(size=(3, 5)).astype(np.float32),),
        (np.array([[1, 2, 4], [0, -1, 3]]),),
        (levels,),
        (np.array([[120.0, 0.0, 119.0, 118.0, -120.0]], np.float32),),
        (np.array([[1e4, 9999.0, 0.0, -1e4, 9998.0]]),),  # only the row's largest, taken away, keeps `exp` finite
    ]


EXERCISES = [
    Exercise(
        task="Write softmax(scores): positive weights, each row (last axis) sums to 1, also for scores of 10,000.",
        reference=softmax,
        cases=_cases(),
        faults=[
            faulty_softmax_no_shift,
            faulty_softmax_one_maximum,
            faulty_softmax_first_axis,
            faulty_softmax_one_sum,
            faulty_softmax_lost_axis,
            faulty_softmax_eps,
            faulty_softmax_no_exp,
            faulty_softmax_into_integers,
        ],
        hints=(
            "No weight may be negative, and each row must sum to 1. Which function makes any number positive?",
            "Take `np.exp`, then divide by the sum over the last axis, with `keepdims=True`. What is exp(10000)?",
            "Subtract each row's largest score before `np.exp`: the factor cancels in the division, and the largest "
            "exponential is exp(0) = 1.",
        ),
        key="# normalise",
        distractor=faulty_softmax_first_axis,
        learned="every row sums to 1, and scores of 10,000 do no harm, because the largest becomes 0.",
        properties=uneven_rows,
    ),
    Exercise(
        task="Write log_softmax(scores): the logarithm of softmax over the last axis, exact where a weight is 0 too.",
        reference=log_softmax,
        cases=[(case.astype(float),) if case.dtype == int else (case,) for (case,) in _cases()]
        + [(np.array([0.0, -1000.0]),)],
        faults=[
            faulty_log_softmax_of_weights,
            faulty_log_softmax_floor,
            faulty_log_softmax_no_shift,
            faulty_log_softmax_no_log,
            faulty_log_softmax_first_axis,
            faulty_log_softmax_sign,
            faulty_log_softmax_base_two,
        ],
        hints=(
            "The logarithm of a fraction is a difference: log(a / b) = log a − log b. What are a and b here?",
            "a is exp(score), so log a is the score itself; b is the sum of the exponentials of the row.",
            "Shift the scores by their row's largest; subtract `np.log(np.exp(shifted).sum(axis=-1, keepdims=True))`.",
        ),
        key="# normalise",
        distractor=faulty_log_softmax_no_log,
        learned="a weight that underflows to 0 still has an exact logarithm: -1000, not -inf.",
    ),
]
