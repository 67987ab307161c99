"""Lesson 03: numbers that describe weights and scores."""

import math

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def entropy(weights):
    logs = np.log(np.where(weights > 0, weights, 1))  # mask: log 1 = 0, so a weight of 0 adds nothing
    spread = weights * logs  # (..., n_q, n_k), at most 0
    return 0 - spread.sum(axis=-1)  # (..., n_q) in nats; 0 - x, so that no row gives -0.0


def effective_keys(weights):
    logs = np.log(np.where(weights > 0, weights, 1))  # log 1 = 0, so a weight of 0 adds nothing
    entropy = 0 - (weights * logs).sum(axis=-1)  # (..., n_q) in nats
    visible = weights.any(axis=-1)  # (..., n_q): False where a row sees no key
    return np.where(visible, np.exp(entropy), 0)  # mask: an empty row counts no key


def similarity_summary(query, key):
    scores = query @ np.swapaxes(key, -2, -1)  # score: (..., n_q, n_k)
    scores = scores / math.sqrt(query.shape[-1])  # scale
    return scores.mean(), scores.max(), scores.min()


# entropy ---------------------------------------------------------------------------------------------------


@diagnosed(
    lambda got, args: (
        f"The small number inside the logarithm makes a certain row negative: yours gives {np.min(got):.0e} where 0 is "
        "exact. Replace the zeros by 1 before `np.log` in place of adding to every weight."
    )
)
def faulty_entropy_eps(weights):
    return -(weights * np.log(weights + 1e-10)).sum(axis=-1)


@diagnosed(
    "A weight of 0 gives 0 · log 0 = 0 · (−inf), which is NaN; its share should be 0. "
    "Replace the zeros by 1 before `np.log`: `np.where(weights > 0, weights, 1)`."
)
def faulty_entropy_log_of_zero(weights):
    return -(weights * np.log(weights)).sum(axis=-1)


@diagnosed(
    "You use the logarithm to base 2, so the result is in bits: 1.44 times too large. "
    "Nats need the natural logarithm, `np.log`."
)
def faulty_entropy_bits(weights):
    logs = np.log2(np.where(weights > 0, weights, 1))
    return 0 - (weights * logs).sum(axis=-1)


@diagnosed(
    "You sum over the queries, so the result tells of columns. "
    "Each query has its own entropy: sum over its keys, the last axis, `axis=-1`."
)
def faulty_entropy_over_queries(weights):
    logs = np.log(np.where(weights > 0, weights, 1))
    return 0 - (weights * logs).sum(axis=-2)


@diagnosed(
    "You apply softmax to weights that are normalised already, which makes every row nearly uniform. "
    "Leave the softmax out: weights come in, not scores."
)
def faulty_entropy_softmax_again(weights):
    weights = softmax(weights)
    return 0 - (weights * np.log(weights)).sum(axis=-1)


@diagnosed("The sign is missing: a logarithm of a weight is at most 0, so the sum is negative. Put a minus before it.")
def faulty_entropy_sign(weights):
    logs = np.log(np.where(weights > 0, weights, 1))
    spread = weights * logs
    return spread.sum(axis=-1)  # (..., n_q) in nats


@diagnosed(
    "You take the mean over the keys, which divides by their number once more. "
    "The weights are the probabilities already: sum, do not average."
)
def faulty_entropy_mean(weights):
    logs = np.log(np.where(weights > 0, weights, 1))
    return 0 - (weights * logs).mean(axis=-1)


# effective_keys --------------------------------------------------------------------------------------------


@diagnosed(
    "A row that sees no key counts 1: its entropy is 0, and exp(0) is 1. "
    "It attends to nothing, so set it to 0 where no weight is above 0."
)
def faulty_effective_keys_empty_row(weights):
    logs = np.log(np.where(weights > 0, weights, 1))
    entropy = 0 - (weights * logs).sum(axis=-1)
    return np.exp(entropy)


@diagnosed(
    "You raise 2 to an entropy in nats; the bases do not match. "
    "The inverse of the natural logarithm is `np.exp`: uniform weights over n keys must give n."
)
def faulty_effective_keys_base_two(weights):
    logs = np.log(np.where(weights > 0, weights, 1))
    entropy = 0 - (weights * logs).sum(axis=-1)
    visible = weights.any(axis=-1)
    return np.where(visible, 2**entropy, 0)  # mask


@diagnosed(
    "You count the keys with any weight at all, so a share of 0.001 counts as a whole key. "
    "Take the exponential of the entropy, which weighs them."
)
def faulty_effective_keys_counts(weights):
    return (weights > 0).sum(axis=-1)


@diagnosed(
    "You return the entropy itself. Uniform weights over n keys give log n there, and should give n here: "
    "take `np.exp` of it."
)
def faulty_effective_keys_entropy(weights):
    logs = np.log(np.where(weights > 0, weights, 1))
    return 0 - (weights * logs).sum(axis=-1)


@diagnosed(
    "You divide 1 by the largest weight, which looks at a single key. "
    "The number asked for uses all weights: the exponential of the entropy."
)
def faulty_effective_keys_largest(weights):
    largest = weights.max(axis=-1)
    return np.where(largest > 0, 1 / np.where(largest > 0, largest, 1), 0)


# similarity_summary ----------------------------------------------------------------------------------------


@diagnosed("The scores are not scaled: divide them by the square root of d_k, `math.sqrt(query.shape[-1])`, first.")
def faulty_similarity_summary_no_scale(query, key):
    scores = query @ np.swapaxes(key, -2, -1)
    return scores.mean(), scores.max(), scores.min()


@diagnosed(
    "You divide by d_k and not by its square root, so all three numbers are too small. "
    "Use `math.sqrt(query.shape[-1])`."
)
def faulty_similarity_summary_divide_by_d(query, key):
    scores = query @ np.swapaxes(key, -2, -1)
    scores = scores / query.shape[-1]  # scale
    return scores.mean(), scores.max(), scores.min()


@diagnosed("You return the smallest before the largest. The order is mean, largest, smallest: swap the last two.")
def faulty_similarity_summary_order(query, key):
    scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1])
    return scores.mean(), scores.min(), scores.max()


@diagnosed(
    "You drop the sign: a score of −3 is the opposite of similar, not very similar. "
    "Take the three numbers from the scores themselves, without `np.abs`."
)
def faulty_similarity_summary_absolute(query, key):
    scores = np.abs(query @ np.swapaxes(key, -2, -1)) / math.sqrt(query.shape[-1])
    return scores.mean(), scores.max(), scores.min()


@diagnosed(
    "You summarise the weights, which lie between 0 and 1 and have a mean of 1/n whatever the scores are. "
    "Leave the softmax out and summarise the scaled scores."
)
def faulty_similarity_summary_of_weights(query, key):
    weights = softmax(query @ np.swapaxes(key, -2, -1) / math.sqrt(query.shape[-1]))
    return weights.mean(), weights.max(), weights.min()


@diagnosed(
    "`np.dot` pairs every item of a batch with every other, so scores between different sentences are counted too. "
    "Use `@`, which works on one matrix of the stack at a time."
)
def faulty_similarity_summary_dot_on_stacks(query, key):
    scores = np.dot(query, np.swapaxes(key, -2, -1)) / math.sqrt(query.shape[-1])
    return scores.mean(), scores.max(), scores.min()


def _never_negative(result, weights):
    """Also where a difference is too small for a comparison: a certain row has entropy 0, exactly."""
    if np.min(result) >= -1e-12:
        return None
    return (
        f"An entropy is {np.min(result):.1g}, and none can be below 0. "
        "Look at a row with a single weight of 1: log 1 = 0 must be exact, so add nothing inside the logarithm."
    )


def _weights():
    rng = np.random.default_rng(4)
    hidden = softmax(rng.normal(size=(3, 7)) + np.where(np.tri(3, 7, 2, dtype=bool), 0, -np.inf))
    return [
        (softmax(rng.normal(size=(5, 7))),),
        (softmax(3 * rng.normal(size=(2, 3, 5))),),
        (softmax(rng.normal(size=(3, 11)).astype(np.float32)),),
        (hidden,),
        (np.full((3, 5), 0.2),),
        (np.eye(5, 7),),
        (np.concatenate([hidden, np.zeros((2, 7))]),),
    ]


def _pairs():
    rng = np.random.default_rng(5)
    return [
        (rng.normal(size=(3, 5)), rng.normal(size=(7, 5))),
        (rng.normal(size=(2, 3, 7)), rng.normal(size=(2, 5, 7))),
        (rng.normal(size=(5, 3)).astype(np.float32), rng.normal(size=(2, 3)).astype(np.float32)),
        (100.0 * rng.normal(size=(3, 2)), 100.0 * rng.normal(size=(5, 2))),
    ]


# As the gallery calls them: by the source's row, since the name tells what is wrong.
faulty_d3 = faulty_entropy_eps

EXERCISES = [
    Exercise(
        task="Write entropy(weights): one number a row, in nats; a weight of 0 adds 0, a single key gives exactly 0.",
        reference=entropy,
        cases=_weights(),
        faults=[
            faulty_entropy_eps,
            faulty_entropy_log_of_zero,
            faulty_entropy_bits,
            faulty_entropy_over_queries,
            faulty_entropy_softmax_again,
            faulty_entropy_sign,
            faulty_entropy_mean,
        ],
        hints=(
            "Entropy is −Σ w · log w over the keys. What should a weight of 0 add, and what does `np.log(0)` do?",
            "A weight of 0 adds 0. Put 1 in its place before the logarithm: log 1 = 0, and no small number is needed.",
            "`np.log(np.where(weights > 0, weights, 1))` times the weights, summed over `axis=-1`, with a minus.",
        ),
        key="# mask",
        distractor=faulty_entropy_sign,
        learned="a row with one key has entropy 0 exactly, uniform rows have log n, and no row is negative.",
        properties=_never_negative,
    ),
    Exercise(
        task="Write effective_keys(weights): the exponential of each row's entropy; a row that sees no key gives 0.",
        reference=effective_keys,
        cases=_weights(),
        faults=[
            faulty_effective_keys_empty_row,
            faulty_effective_keys_base_two,
            faulty_effective_keys_counts,
            faulty_effective_keys_entropy,
            faulty_effective_keys_largest,
        ],
        hints=(
            "Uniform weights over n keys have entropy log n and should give n. Which function turns log n into n?",
            "Take the entropy of each row in nats, then `np.exp`. What comes out for a row of zeros?",
            "exp(0) is 1, but such a row sees nothing: `np.where(weights.any(axis=-1), np.exp(entropy), 0)`.",
        ),
        key="# mask",
        distractor=faulty_effective_keys_base_two,
        learned="uniform weights over n keys count n, a single key counts 1, an empty row 0.",
    ),
    Exercise(
        task="Write similarity_summary(query, key) -> (mean, largest, smallest) of all scaled scores: three numbers.",
        reference=similarity_summary,
        cases=_pairs(),
        faults=[
            faulty_similarity_summary_no_scale,
            faulty_similarity_summary_divide_by_d,
            faulty_similarity_summary_order,
            faulty_similarity_summary_absolute,
            faulty_similarity_summary_of_weights,
            faulty_similarity_summary_dot_on_stacks,
        ],
        hints=(
            "The scores come first: every query with every key, scaled as in attention. No softmax here.",
            "`query @ np.swapaxes(key, -2, -1)`, divided by the square root of d_k. Then three numbers over all.",
            "`scores.mean(), scores.max(), scores.min()`, returned in this order.",
        ),
        key="# scale",
        distractor=faulty_similarity_summary_divide_by_d,
        learned="the scale keeps these numbers comparable between models of different d_k.",
        returns=("mean", "largest", "smallest"),
    ),
]
