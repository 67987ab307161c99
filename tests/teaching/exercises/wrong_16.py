"""Mistakes that learners make in the exercises of lesson 16, beside those of the bank."""

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("online_softmax", "You take the maximum of this tile alone")
def own_maximum_by_hand(scores, value, maximum, total, mixed):
    new = np.amax(scores, axis=-1, keepdims=True)
    safe = np.where(np.isneginf(new), 0, new)
    e, factor = np.exp(scores - safe), np.exp(maximum - safe)
    return new, factor * total + np.sum(e, axis=-1, keepdims=True), factor * mixed + e @ value


@wrong("online_softmax", "A row that has seen no key yet becomes NaN")
def without_a_guard(scores, value, maximum, total, mixed):
    new = np.maximum(maximum, scores.max(-1, keepdims=True))
    e = np.exp(scores - new)
    return new, np.exp(maximum - new) * total + e.sum(-1)[..., None], np.exp(maximum - new) * mixed + e @ value


@wrong("online_softmax", "our function returns 2 results; 3 are expected", never="A known cause")
def keeps_no_maximum(scores, value, maximum, total, mixed):
    return REFERENCE["online_softmax"](scores, value, maximum, total, mixed)[1:]


@wrong("online_softmax", "mixed")
def changes_what_it_is_handed(scores, value, maximum, total, mixed):
    largest, new_total, new_mixed = REFERENCE["online_softmax"](scores, value, maximum, total, mixed)
    mixed[...] = new_mixed
    return largest, new_total, mixed


@wrong("block_cost", "You count scores or mixing, not both")
def scores_alone(n, d_model, d_ff):
    return 4 * n * d_model**2, 2 * n * d_model * d_ff, n * n * d_model


@wrong("block_cost", "You count additions too")
def floating_point_operations(n, d_model, d_ff):
    return tuple(2 * count for count in REFERENCE["block_cost"](n, d_model, d_ff))
