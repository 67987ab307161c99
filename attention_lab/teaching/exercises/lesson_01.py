"""Lesson 01: scaled dot-product attention."""

import math

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import uneven_rows, worst_sum


def attention(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1)  # score: (..., n_q, n_k)
    scores = scores / math.sqrt(query.shape[-1])  # scale
    weights = softmax(scores)  # normalise: (..., n_q, n_k)
    output = weights @ value  # mix: (..., n_q, d_v)
    return output, weights


def _top(got):
    return f"{np.asarray(got[1], float).max():.2f}"


@diagnosed(
    "`.T` turns all axes round, the batch axis too, so a stack of sentences no longer fits. "
    "Swap the last two axes only: `np.swapaxes(key, -2, -1)`."
)
def faulty_attention_transpose_all(query, key, value):
    scores = query @ key.T  # score: (..., n_q, n_k)
    weights = softmax(scores / math.sqrt(query.shape[-1]))
    return weights @ value, weights


@diagnosed(
    "Nothing is transposed: query is (n_q, d_k) and key (n_k, d_k), and `@` pairs the last axis of the first with the "
    "last but one of the second. Swap the last two axes of the key: `np.swapaxes(key, -2, -1)`."
)
def faulty_attention_no_transpose(query, key, value):
    scores = query @ key  # score: (..., n_q, n_k)
    weights = softmax(scores / math.sqrt(query.shape[-1]))
    return weights @ value, weights


@diagnosed("NumPy has no softmax of its own. Write it with `np.exp` and a sum, or use the one from `attention_lab`.")
def faulty_attention_missing_softmax(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])
    weights = np.softmax(scores, axis=-1)
    return weights @ value, weights


@diagnosed(
    lambda got, args: (
        "`np.dot` pairs every item of a batch with every other: the weights have shape "
        f"{np.shape(got[1])}, so sentences read each other. Use `@`, which works on one matrix of the stack at a time."
    )
)
def faulty_attention_dot_on_stacks(query, key, value):
    scores = np.dot(query, np.swapaxes(key, -2, -1)) / math.sqrt(query.shape[-1])
    weights = softmax(scores)
    return np.dot(weights, value), weights


@diagnosed(
    "`array.transpose(-2, -1)` swaps two axes in another library; in NumPy it must list every axis. "
    "Write `np.swapaxes(key, -2, -1)`."
)
def faulty_attention_torch_transpose(query, key, value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = softmax(scores)
    return weights @ value, weights


@diagnosed(
    lambda got, args: (
        f"Something is added to the denominator, so rows sum to {worst_sum(got[1])} in place of 1. "
        "Leave it out: after the shift the sum is at least 1 and cannot be 0."
    )
)
def faulty_attention_eps(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-9)
    return weights @ value, weights


@diagnosed(
    "`exp` overflows at these large scores, and inf / inf is NaN. "
    "Subtract the row's largest score before `np.exp`; a constant cancels, so no weight changes."
)
def faulty_attention_no_shift(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])
    exponentials = np.exp(scores)
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ value, weights


@diagnosed(
    lambda got, args: (
        f"You divide by d_k = {args[0].shape[-1]}: the scores become too small and the weights too even "
        f"(your largest is {_top(got)}). Their spread is √d_k, so divide by `math.sqrt(query.shape[-1])`."
    )
)
def faulty_attention_divide_by_d(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1)
    scores = scores / query.shape[-1]  # scale
    weights = softmax(scores)
    output = weights @ value
    return output, weights


@diagnosed(
    lambda got, args: (
        f"The scores are not scaled: they spread as √d_k grows, and the weights become too sharp (your largest is "
        f"{_top(got)}). Divide the scores by `math.sqrt(query.shape[-1])` before softmax."
    )
)
def faulty_attention_no_scale(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1)
    weights = softmax(scores)
    return weights @ value, weights


@diagnosed(
    "You divide by the square root of the number of keys, but a score is a sum over the features. "
    "Take the size of the last axis of the query: `math.sqrt(query.shape[-1])`."
)
def faulty_attention_scale_by_keys(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1)
    weights = softmax(scores / math.sqrt(scores.shape[-1]))
    return weights @ value, weights


@diagnosed(
    lambda got, args: (
        f"You scale after softmax, so rows sum to {worst_sum(got[1])} in place of 1. "
        "Divide the scores, not the weights, by `math.sqrt(query.shape[-1])`."
    )
)
def faulty_attention_scale_weights(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1)
    weights = softmax(scores) / math.sqrt(query.shape[-1])
    return weights @ value, weights


@diagnosed(
    lambda got, args: (
        f"You normalise over queries: rows should sum to 1, yours sum to {worst_sum(got[1])}. "
        "Take softmax over the keys, the last axis: `axis=-1`."
    )
)
def faulty_attention_over_queries(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])
    weights = softmax(scores, axis=-2)
    return weights @ value, weights


@diagnosed(
    "You mix with the scores, not with the weights, so the output is no average of the values. "
    "Multiply what softmax returned by `value`."
)
def faulty_attention_mixes_scores(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])
    weights = softmax(scores)
    return scores @ value, weights


@diagnosed("You return the weights first. The order is `return output, weights`: swap the two.")
def faulty_attention_swapped(query, key, value):
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])
    weights = softmax(scores)
    return weights, weights @ value


def _uneven_weights(output, weights, query, key, value):
    return uneven_rows(weights, np.concatenate([query.ravel(), key.ravel()]))


def _draw(rng, *lead, n_q, n_k, d_k, d_v):
    return tuple(rng.normal(size=(*lead, *shape)) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))


def _cases():
    rng = np.random.default_rng(2)
    query, key, value = _draw(rng, n_q=3, n_k=7, d_k=5, d_v=2)
    # Whole numbers times 100: scores near 10,000 that are far apart or equal, so that rounding decides nothing.
    large = (100.0 * rng.integers(-3, 4, size=(3, 5)), 100.0 * rng.integers(-3, 4, size=(7, 5)), value)
    return [
        (2 * query, key, value),
        _draw(rng, 2, n_q=3, n_k=5, d_k=7, d_v=11),
        _draw(rng, 2, 3, n_q=5, n_k=7, d_k=11, d_v=13),
        tuple(array.astype(np.float32) for array in _draw(rng, n_q=5, n_k=3, d_k=2, d_v=7)),
        large,
    ]


# As the gallery calls them: by the source's row, since the name tells what is wrong.
faulty_d1 = faulty_attention_no_shift
faulty_b1 = faulty_attention_dot_on_stacks
faulty_b6 = faulty_attention_torch_transpose
faulty_c2 = faulty_attention_eps

EXERCISES = [
    Exercise(
        task="Write attention(query, key, value) -> (output, weights): scaled dot-product attention, any leading axes.",
        reference=attention,
        cases=_cases(),
        faults=[
            faulty_attention_no_scale,
            faulty_attention_divide_by_d,
            faulty_attention_scale_by_keys,
            faulty_attention_scale_weights,
            faulty_attention_over_queries,
            faulty_attention_mixes_scores,
            faulty_attention_no_shift,
            faulty_attention_eps,
            faulty_attention_dot_on_stacks,
            faulty_attention_no_transpose,
            faulty_attention_transpose_all,
            faulty_attention_torch_transpose,
            faulty_attention_missing_softmax,
            faulty_attention_swapped,
        ],
        hints=(
            "Four steps, in this order: score every query with every key, scale, normalise each row, mix the values.",
            "Scores are `query @ keyᵀ`, where only the last two axes of the key are swapped. A score is a sum of d_k "
            "terms: how fast does its spread grow with d_k?",
            "Divide the scores by `math.sqrt(query.shape[-1])`, take softmax over the last axis, and multiply the "
            "weights by `value`. Return both: `output, weights`.",
        ),
        key="# scale",
        distractor=faulty_attention_divide_by_d,
        learned="each query reads a mean of the values by weights that sum to 1, and the scale keeps d_k out of it.",
        returns=("output", "weights"),
        properties=_uneven_weights,
    )
]
