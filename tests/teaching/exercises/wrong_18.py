"""Mistakes that learners make in the exercises of lesson 18, beside those of the bank."""

import math

import numpy as np

from attention_lab import softmax
from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("neighbour_attention", "an `exp` that overflows", never="A known cause")
def without_the_largest(query, key, value, neighbours):
    rows = []
    for i, near in enumerate(neighbours):
        with np.errstate(all="ignore"):
            weights = np.exp(key[near] @ query[i] / math.sqrt(query.shape[-1]))
            rows.append(weights @ value[near] / weights.sum())
    return np.stack(rows)


@wrong("neighbour_attention", "Your rows are sums")
def without_a_sum(query, key, value, neighbours):
    rows = []
    for i, near in enumerate(neighbours):
        scores = key[near] @ query[i] / math.sqrt(query.shape[-1])
        rows.append(np.exp(scores - max(scores)) @ value[near])
    return np.array(rows)


@wrong("neighbour_attention", "You divide by the sum over all nodes")
def over_all_nodes(query, key, value, neighbours):
    weights = softmax(query @ key.T / math.sqrt(query.shape[-1]))
    return np.stack([weights[i, near] @ value[near] for i, near in enumerate(neighbours)])


@wrong("neighbour_attention", "`output`[", never="A known cause")
def without_itself(query, key, value, neighbours):
    others = [near[near != i] if len(near) > 1 else near for i, near in enumerate(neighbours)]
    return REFERENCE["neighbour_attention"](query, key, value, others)


@wrong("offset_weights", "Your map is turned round")
def query_minus_key(scores, n):
    radius = len(scores) // 2
    offset = np.arange(n)[:, None] - np.arange(n)
    shown = np.where(abs(offset) <= radius, scores[np.clip(offset + radius, 0, 2 * radius)], -np.inf)
    return softmax(shown)


@wrong("offset_weights", "rows at the border sum to less than one")
def softmax_first(scores, n):
    radius = len(scores) // 2
    return sum(p * np.eye(n, k=at - radius) for at, p in enumerate(softmax(scores)) if abs(at - radius) < n)


@wrong("offset_weights", "`weights`[", never="A known cause")
def one_to_the_side(scores, n):
    return np.roll(REFERENCE["offset_weights"](scores, n), 1, axis=-1)


@wrong("offset_weights", "should have (7, 7)", "never uses `n`")
def the_kernel_alone(scores, n):
    return softmax(scores)


@wrong("offset_weights", "You subtract no maximum")
def without_a_maximum(scores, n):
    radius = len(scores) // 2
    offset = np.arange(n) - np.arange(n)[:, None]
    with np.errstate(all="ignore"):
        powers = np.exp(scores)[np.clip(offset + radius, 0, 2 * radius)]
        weights = np.where(abs(offset) <= radius, powers, 0)
        return weights / weights.sum(-1, keepdims=True)


@wrong("offset_weights", "You subtract the largest of all scores")
def divided_twice(scores, n):
    """Normalised first, and again where the border has cut something off."""
    kernel, radius = softmax(scores), len(scores) // 2
    offset = np.arange(n) - np.arange(n)[:, None]
    weights = np.zeros((n, n))
    inside = abs(offset) <= radius
    weights[inside] = kernel[offset[inside] + radius]
    with np.errstate(all="ignore"):
        return weights / weights.sum(axis=1, keepdims=True)
