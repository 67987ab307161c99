"""Lesson 02: softmax over the keys that may be seen."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import uneven_rows, worst_sum


def masked_softmax(scores, mask):
    scores = np.where(mask, scores, -np.inf)  # mask: a hidden score is -inf, and exp(-inf) is 0
    largest = scores.max(axis=-1, keepdims=True)  # (..., n_q, 1)
    largest = np.where(largest == -np.inf, 0, largest)  # a row without a visible key has no largest score
    exponentials = np.exp(scores - largest)  # (..., n_q, n_k)
    total = exponentials.sum(axis=-1, keepdims=True)  # (..., n_q, 1)
    return exponentials / np.where(total == 0, 1, total)  # normalise: a row of zeros stays zero


def _hidden_share(got, args):
    """The largest share of a row that goes to hidden keys."""
    got = np.asarray(got, float)
    return f"{(got * ~np.broadcast_to(args[1], got.shape)).sum(axis=-1).max():.2f}"


@diagnosed(
    lambda got, args: (
        f"The mask is turned round: hidden keys take {_hidden_share(got, args)} of a row. Here True = may attend, so "
        "the large negative number belongs where the mask is False: `np.where(mask, scores, -np.inf)`."
    )
)
def faulty_masked_softmax_hides_the_visible(scores, mask):
    scores = scores + mask * -1e9  # mask
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    "Hidden is coded as -1 and multiplied by -1e9, so the hidden keys get +1e9 and `exp` overflows to NaN. "
    "Fill, do not compute: `np.where(mask, scores, -np.inf)`, then subtract the largest."
)
def faulty_masked_softmax_plus_a_billion(scores, mask):
    hidden = np.where(mask, 0, -1)
    exponentials = np.exp(scores + hidden * -1e9)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    lambda got, args: (
        f"A hidden score became 0, and exp(0) is 1: hidden keys still take {_hidden_share(got, args)} of a row. "
        "Use -inf in place of 0: `np.where(mask, scores, -np.inf)`."
    )
)
def faulty_masked_softmax_times_zero(scores, mask):
    scores = scores * mask
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    lambda got, args: (
        f"You mask after softmax, so what the hidden keys had is lost and rows sum to {worst_sum(got)}. "
        "Mask the scores first, then normalise what can be seen."
    )
)
def faulty_masked_softmax_after(scores, mask):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights * mask


@diagnosed(
    "You mask after softmax and divide again: where a hidden score is huge, every visible weight has underflowed and "
    "0/0 is NaN. Mask the scores before `np.exp`."
)
def faulty_masked_softmax_renormalised(scores, mask):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    "The largest score of a row is taken over its hidden keys too: where a hidden one is huge, every visible weight "
    "underflows to 0. Mask the scores first, then take the largest and the sum."
)
def faulty_masked_softmax_largest_of_all(scores, mask):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True)) * mask
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


@diagnosed(
    "In a row without a visible key every score sinks by the same number, which cancels: its hidden keys share 1. "
    "Such a row should be all zeros: set it so, for instance with `np.where(mask, weights, 0)`."
)
def faulty_masked_softmax_adds_a_billion(scores, mask):
    scores = scores + np.where(mask, 0, -1e9)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    lambda got, args: (
        f"Nothing is hidden: hidden keys take {_hidden_share(got, args)} of a row, as if there were no mask. Either "
        "-1e-9 stands where -1e9 was meant, or the masked scores are not used. "
        "Write `scores = np.where(mask, scores, -np.inf)`."
    )
)
def faulty_masked_softmax_tiny(scores, mask):
    scores = scores + np.where(mask, 0, -1e-9)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    "A row without a visible key came out uniform: all its scores are equally low, so softmax makes equal weights. "
    "It should be all zeros: set it so, for instance with `np.where(mask, weights, 0)`."
)
def faulty_masked_softmax_uniform_empty(scores, mask):
    scores = np.where(mask, scores, -1e9)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    "A row without a visible key came out as NaN: its largest score is -inf, and -inf − (−inf) is not a number. "
    "Use 0 for the largest of such a row, and 1 for its sum."
)
def faulty_masked_softmax_nan_empty(scores, mask):
    scores = np.where(mask, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    lambda got, args: (
        f"You add the mask as 1 and 0, which only nudges the scores: hidden keys get {_hidden_share(got, args)}. "
        "A boolean mask chooses: `np.where(mask, scores, -np.inf)`."
    )
)
def faulty_masked_softmax_adds_mask(scores, mask):
    scores = scores + mask
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    "Two axes are put into every mask. One of shape (n_k,) has no place for them, and (batch, n_k) becomes "
    "(batch, 1, 1, n_k), which pairs every sentence with every other. Leave the mask as it is: broadcasting fits it."
)
def faulty_masked_softmax_padding_axes(scores, mask):
    scores = np.where(mask[:, None, None, :], scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@diagnosed(
    lambda got, args: (
        f"You normalise over queries: rows should sum to 1, yours sum to {worst_sum(got)}. "
        "Take the largest and the sum over the keys, the last axis: `axis=-1`."
    )
)
def faulty_masked_softmax_over_queries(scores, mask):
    scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-2, keepdims=True)
    largest = np.where(largest == -np.inf, 0, largest)
    exponentials = np.exp(scores - largest)
    total = exponentials.sum(axis=-2, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


def _leaks(weights, scores, mask):
    """Hidden keys must get exactly nothing, and the visible ones of a row 1."""
    mask = np.broadcast_to(mask, weights.shape)
    leak = (weights * ~mask).sum(axis=-1).max()
    if leak == 0:
        return uneven_rows(weights[mask.any(axis=-1)], scores)
    return (
        f"Hidden keys take {leak:.2g} of a row; they must get exactly 0. "
        "Set their scores to -inf before softmax, with `np.where(mask, scores, -np.inf)`."
    )


def _cases():
    rng = np.random.default_rng(3)
    huge = rng.normal(size=(3, 5))
    huge[:, 4] = 1e4  # a hidden score far above the visible ones
    visible = rng.random((2, 5, 7)) < 0.6
    visible[..., 0] = True
    empty = np.tri(5, 3, -2, dtype=bool)  # the first two rows see nothing
    return [
        (rng.normal(size=(5, 7)), np.tri(5, 7, 2, dtype=bool)),
        (rng.normal(size=(2, 5, 7)), visible),
        (rng.normal(size=(2, 3, 5)), np.array([[[1, 1, 1, 1, 0]], [[1, 1, 0, 0, 0]]], bool)),
        (rng.normal(size=(3, 7)).astype(np.float32), np.arange(7) < 5),
        (huge, np.arange(5) < 4),
        (1e4 * rng.integers(-2, 3, size=(2, 3, 5)), np.arange(5) > 1),
        (rng.normal(size=(5, 3)), empty),
    ]


# As the gallery calls them: by the source's row, since the name tells what is wrong.
faulty_b9 = faulty_masked_softmax_padding_axes
faulty_d2_softmax = faulty_masked_softmax_plus_a_billion
faulty_c2 = faulty_masked_softmax_uniform_empty
faulty_a1 = faulty_masked_softmax_hides_the_visible

EXERCISES = [
    Exercise(
        task="Write masked_softmax(scores, mask) -> weights: True = may attend; a row that sees no key is all zeros.",
        reference=masked_softmax,
        cases=_cases(),
        faults=[
            faulty_masked_softmax_hides_the_visible,
            faulty_masked_softmax_plus_a_billion,
            faulty_masked_softmax_times_zero,
            faulty_masked_softmax_after,
            faulty_masked_softmax_renormalised,
            faulty_masked_softmax_largest_of_all,
            faulty_masked_softmax_tiny,
            faulty_masked_softmax_uniform_empty,
            faulty_masked_softmax_adds_a_billion,
            faulty_masked_softmax_nan_empty,
            faulty_masked_softmax_adds_mask,
            faulty_masked_softmax_padding_axes,
            faulty_masked_softmax_over_queries,
        ],
        hints=(
            "Which score gets weight 0 from softmax? Not 0: exp(0) is 1.",
            "Put -inf where the mask is False, before `np.exp`: `np.where(mask, scores, -np.inf)`. Then think of a row "
            "that sees no key: its largest score is -inf and its sum is 0.",
            "For such a row use 0 as the largest and 1 as the sum: `np.where(largest == -np.inf, 0, largest)` and "
            "`np.where(total == 0, 1, total)`. Its exponentials are all 0 and stay so.",
        ),
        key="# mask",
        distractor=faulty_masked_softmax_hides_the_visible,
        learned="hidden keys get exactly 0, visible ones share 1, and a row that sees nothing is empty.",
        properties=_leaks,
    )
]
