"""Differently written right answers to the exercises of lesson 16."""

import math

import numpy as np

import attention_lab
from tests.teaching.exercises.right import right


@right("online_softmax")
def by_loops(scores, value, maximum, total, mixed):
    maximum, total, mixed = (np.array(x) for x in (maximum, total, mixed))
    for place in np.ndindex(scores.shape[:-1]):
        for j, score in enumerate(scores[place]):
            if score == -np.inf:
                continue
            new = max(score, maximum[place][0])
            shrink = 0.0 if maximum[place][0] == -np.inf else math.exp(maximum[place][0] - new)
            weight = math.exp(score - new)
            total[place] = shrink * total[place] + weight
            mixed[place] = shrink * mixed[place] + weight * value[(*place[:-1], j)]
            maximum[place] = new
    return maximum, total, mixed


@right("online_softmax")
def by_the_package(scores, value, maximum, total, mixed):
    return attention_lab.online_softmax(scores, value, (maximum, total, mixed))


@right("online_softmax")
def by_two_states(scores, value, maximum, total, mixed):
    own = np.max(scores, axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isneginf(own), 0, own))
    both = np.maximum(maximum, own)
    shift = np.nan_to_num(both, neginf=0)
    old, new = np.exp(maximum - shift), np.exp(own - shift)
    return both, old * total + new * powers.sum(-1, keepdims=True), old * mixed + new * (powers @ value)


@right("online_softmax")
def with_a_large_negative_number(scores, value, maximum, total, mixed):
    floor = np.maximum(np.concatenate([maximum, scores], axis=-1), -1e30).max(axis=-1, keepdims=True)
    powers, shrink = np.exp(scores - floor), np.exp(maximum - floor)
    total = total * shrink + np.einsum("...j->...", powers)[..., None]
    mixed = mixed * shrink + np.einsum("...ij,...jd->...id", powers, value)
    return np.where(floor == -1e30, -np.inf, floor), total, mixed


@right("online_softmax")
def key_after_key(scores, value, maximum, total, mixed):
    for j in range(scores.shape[-1]):
        one, largest = scores[..., j : j + 1], np.maximum(maximum, scores[..., j : j + 1])
        shift = np.where(np.isfinite(largest), largest, 0)
        total = np.exp(maximum - shift) * total + np.exp(one - shift)
        mixed = np.exp(maximum - shift) * mixed + np.exp(one - shift) * value[..., j : j + 1, :]
        maximum = largest
    return maximum, total, mixed


@right("block_cost")
def by_the_block(n, d_model, d_ff):
    d = d_model
    shapes = {"attention": [(d, d)] * 4, "feed_forward": [(d, d_ff), (d_ff, d)]}
    attention, feed_forward = (sum(n * a * b for a, b in of_part) for of_part in shapes.values())
    return attention, feed_forward, n * n * d + n * n * d


@right("block_cost")
def by_heads(n, d_model, d_ff):
    return 4 * n * d_model * d_model, n * (d_model * d_ff) * 2, sum(2 * n * n for _ in range(d_model))


@right("block_cost")
def token_by_token(n, d_model, d_ff):
    projections = feed_forward = core = 0
    for _ in range(n):
        projections += 4 * d_model * d_model
        feed_forward += d_model * d_ff + d_ff * d_model
        core += n * d_model + n * d_model
    return [projections, feed_forward, core]


@right("block_cost")
def as_floats(n, d_model, d_ff):
    return 4.0 * n * d_model**2, 2.0 * n * d_model * d_ff, 2.0 * n**2 * d_model
