"""Lesson 10: which tokens may be drawn, the fewest that together reach p."""

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def top_p(probabilities, p):
    order = np.argsort(-probabilities, axis=-1)  # the most probable first
    falling = np.take_along_axis(probabilities, order, axis=-1)
    before = falling.cumsum(axis=-1) - falling  # score: the sum of all that stand before a token
    kept = np.where(before < p, falling, 0)  # mask: while p is not reached, so the token that crosses it stays
    kept[..., 0] = falling[..., 0]  # p = 0: the first one stays
    places = np.argsort(order, axis=-1)
    kept = np.take_along_axis(kept, places, axis=-1)  # each token back in its own place
    return kept / kept.sum(axis=-1, keepdims=True)  # normalise


def _falling(probabilities):
    order = np.argsort(-probabilities, axis=-1)
    return np.take_along_axis(probabilities, order, axis=-1), np.argsort(order, axis=-1)


def _shares(kept, places):
    kept = np.take_along_axis(kept, places, axis=-1)
    return kept / kept.sum(axis=-1, keepdims=True)


@diagnosed(
    "The token that crosses p is dropped, so what you keep sums to less than p. It stays: keep a token while the sum "
    "of those before it is below p."
)
def faulty_top_p_drops_crossing(probabilities, p):
    order = np.argsort(-probabilities, axis=-1)
    falling = np.take_along_axis(probabilities, order, axis=-1)
    before = falling.cumsum(axis=-1)  # score: the sum of all that stand before a token
    kept = np.where(before < p, falling, 0)
    kept[..., 0] = falling[..., 0]
    places = np.argsort(order, axis=-1)
    kept = np.take_along_axis(kept, places, axis=-1)
    return kept / kept.sum(axis=-1, keepdims=True)


@diagnosed(
    "The token that crosses p is dropped, and where the first one crosses it nothing is left: 0 / 0. "
    "Keep a token while the sum of those before it is below p, itself not counted."
)
def faulty_top_p_drops_all(probabilities, p):
    falling, places = _falling(probabilities)
    return _shares(np.where(falling.cumsum(axis=-1) < p, falling, 0), places)


@diagnosed(
    "You keep one token more than it takes: p is reached before it. Keep a token while the sum of those before it is "
    "below p."
)
def faulty_top_p_one_more(probabilities, p):
    falling, places = _falling(probabilities)
    before = falling.cumsum(axis=-1) - falling
    count = (before < p).sum(axis=-1, keepdims=True) + 1
    return _shares(np.where(np.arange(falling.shape[-1]) < count, falling, 0), places)


@diagnosed(
    "You compare each probability with p, not their sum: where none reaches it, nothing is left. "
    "Sort, add up, and keep tokens until the sum reaches p."
)
def faulty_top_p_each(probabilities, p):
    kept = np.where(probabilities >= p, probabilities, 0)
    return kept / kept.sum(axis=-1, keepdims=True)


@diagnosed(
    "What you keep sums to less than 1, and nothing can be drawn from that. "
    "Divide by the sum of what is left: `kept / kept.sum(axis=-1, keepdims=True)`."
)
def faulty_top_p_no_normalise(probabilities, p):
    return np.where(top_p(probabilities, p) > 0, probabilities, 0)


@diagnosed(
    "You add up in the order of the vocabulary, so it is the number of a token that decides. "
    "Sort first, the most probable in front: `np.argsort(-probabilities, axis=-1)`."
)
def faulty_top_p_unsorted(probabilities, p):
    before = probabilities.cumsum(axis=-1) - probabilities
    kept = np.where((before < p) | (np.arange(probabilities.shape[-1]) == 0), probabilities, 0)
    return kept / kept.sum(axis=-1, keepdims=True)


@diagnosed(
    "The result stands in falling order: the first number is no longer that of token 0. "
    "Bring each back to its place: `np.take_along_axis(kept, np.argsort(order), axis=-1)`."
)
def faulty_top_p_sorted(probabilities, p):
    return -np.sort(-top_p(probabilities, p), axis=-1)


@diagnosed(
    "You sort back by `order` itself, which shuffles once more. The way back is its inverse, `np.argsort(order, "
    "axis=-1)`, or `np.put_along_axis(result, order, kept, axis=-1)`."
)
def faulty_top_p_order_again(probabilities, p):
    order = np.argsort(-probabilities, axis=-1)
    return np.take_along_axis(faulty_top_p_sorted(probabilities, p), order, axis=-1)


@diagnosed(
    "For p = 0 you keep nothing, and 0 / 0 is NaN. One token always stays, the most probable: "
    "`kept[..., 0] = falling[..., 0]`."
)
def faulty_top_p_none_for_zero(probabilities, p):
    falling, places = _falling(probabilities)
    return _shares(np.where(falling.cumsum(axis=-1) - falling < p, falling, 0), places)


@diagnosed(
    "You sort the least probable in front and keep those. `np.argsort` goes upwards: turn it round, "
    "`np.argsort(-probabilities, axis=-1)`."
)
def faulty_top_p_rising(probabilities, p):
    order = np.argsort(probabilities, axis=-1)
    rising = np.take_along_axis(probabilities, order, axis=-1)
    keep = rising.cumsum(axis=-1) - rising < p
    keep[..., 0] = True
    return _shares(np.where(keep, rising, 0), np.argsort(order, axis=-1))


@diagnosed(
    "You add up over another axis than the vocabulary's: one row is right, a batch of rows is not. "
    "Each row is a distribution of its own: `cumsum(axis=-1)`."
)
def faulty_top_p_over_rows(probabilities, p):
    falling, places = _falling(probabilities)
    before = falling.cumsum(axis=0) - falling
    return _shares(np.where((before < p) | (np.arange(falling.shape[-1]) == 0), falling, 0), places)


@diagnosed(
    "You keep a share p of the tokens. p is a share of the probability: add it up, and stop once the sum reaches p, "
    "after one token or after many."
)
def faulty_top_p_share_of_tokens(probabilities, p):
    falling, places = _falling(probabilities)
    n = falling.shape[-1]
    return _shares(np.where(np.arange(n) < max(1, np.ceil(p * n)), falling, 0), places)


@diagnosed(
    "For p = 1 you keep one token: rounding leaves the whole sum a little below 1, no place reaches p, and `argmax` of "
    "no True is 0. Count those below p instead: a token stays while the sum before it is below p."
)
def faulty_top_p_never_reached(probabilities, p):
    falling, places = _falling(probabilities)
    last = (falling.cumsum(axis=-1) >= p).argmax(axis=-1)
    return _shares(np.where(np.arange(falling.shape[-1]) <= last[..., None], falling, 0), places)


@diagnosed(
    "You take a softmax of what is left, in which a 0 still gets a share. These are probabilities already: divide by "
    "their sum."
)
def faulty_top_p_softmax(probabilities, p):
    return softmax(np.where(top_p(probabilities, p) > 0, probabilities, 0))


def _cases():
    rng = np.random.default_rng(25)

    def draw(*shape):
        return softmax(1.5 * rng.normal(size=shape))

    return [
        (np.array([0.15, 0.4, 0.05, 0.3, 0.1]), 0.6),
        (draw(3, 7), 0.75),
        (np.array([0.03, 0.02, 0.95]), 0.5),  # the first one crosses p
        (draw(2, 3, 5).astype(np.float32), 0.9),
        (draw(5, 3), 0),
        (np.array([0.2, 0.7, 0.1]), 1),  # 0.7 + 0.2 + 0.1 is a little below 1
        (draw(2, 5, 13), 0.3),
    ]


EXERCISES = [
    Exercise(
        task="Write top_p(probabilities, p): in each row (last axis) keep the fewest most probable tokens whose sum "
        "reaches p, at least one; all others become 0, each stays in its place, and rows sum to 1 again.",
        reference=top_p,
        cases=_cases(),
        faults=[
            faulty_top_p_drops_crossing,
            faulty_top_p_drops_all,
            faulty_top_p_one_more,
            faulty_top_p_each,
            faulty_top_p_no_normalise,
            faulty_top_p_unsorted,
            faulty_top_p_sorted,
            faulty_top_p_order_again,
            faulty_top_p_none_for_zero,
            faulty_top_p_rising,
            faulty_top_p_over_rows,
            faulty_top_p_share_of_tokens,
            faulty_top_p_never_reached,
            faulty_top_p_softmax,
        ],
        hints=(
            "Sort .15, .4, .05, .3, .1 and add up. After which token is 0.6 reached, and is it among those that stay?",
            "A token stays while the sum of those before it is below p. Sort by `np.argsort(-probabilities, axis=-1)`, "
            "and remember the order: each token goes back to its place.",
            "`before = falling.cumsum(axis=-1) - falling`, keep where `before < p`, and the first one always. The way "
            "back is `np.argsort(order, axis=-1)`; then divide by the sum.",
        ),
        key="# score",
        distractor=faulty_top_p_drops_crossing,
        learned="the token that crosses p stays, p = 0 keeps one and p = 1 all, each in its own place.",
        returns=("kept",),
    ),
]
