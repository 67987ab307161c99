"""Attention written with loops over single numbers: slow, plain, and sharing no line with the package."""

import math
from itertools import product

import numpy as np

SIZES = {"batch": 2, "heads": 3, "n_q": 5, "n_k": 7, "d_k": 11, "d_v": 13}  # all different, all prime


def random_inputs(seed=0, dtype=np.float64, *, kv_heads=None, **sizes):
    """query, key and value of shape (batch, heads, length, features), unit normal."""
    rng = np.random.default_rng(seed)
    batch, heads, n_q, n_k, d_k, d_v = (SIZES | sizes).values()
    kv_heads = kv_heads or heads
    shapes = (batch, heads, n_q, d_k), (batch, kv_heads, n_k, d_k), (batch, kv_heads, n_k, d_v)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def attention_by_loops(query, key, value, mask=None, *, is_causal=False, scale=None, softcap=None):
    """Output and weights of 4-D arrays. Of `mask`, (batch, heads, n_q, n_k), booleans show and floats are added."""
    batch, heads, n_q, d_k = query.shape
    kv_heads, n_k, d_v = value.shape[1:]
    output, weights = np.zeros((batch, heads, n_q, d_v)), np.zeros((batch, heads, n_q, n_k))
    for b, h, i in product(range(batch), range(heads), range(n_q)):
        shared = h // (heads // kv_heads)
        powers = {}
        for j in range(n_k):
            score = sum(float(query[b, h, i, f]) * float(key[b, shared, j, f]) for f in range(d_k))
            score *= 1 / d_k**0.5 if scale is None else scale
            score = score if softcap is None else softcap * math.tanh(score / softcap)
            allowed = True if mask is None else mask[b, h, i, j]
            if is_causal and j > i + n_k - n_q:
                continue
            if isinstance(allowed, (bool, np.bool_)):
                allowed = 0.0 if allowed else -math.inf
            powers[j] = math.exp(score + float(allowed))
        for j, power in powers.items():
            weights[b, h, i, j] = power / (sum(powers.values()) or 1)
            for f in range(d_v):
                output[b, h, i, f] += weights[b, h, i, j] * float(value[b, shared, j, f])
    return output, weights
