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


def multi_head_by_loops(layer, query, key, value, mask=None, *, is_causal=False):
    """Output and weights of a MultiHeadAttention and 3-D arrays, one head after the other.

    No head is split off or merged: each has its own columns, and what W_o makes of the heads is summed.
    """
    b_q, b_k, b_v, b_o = (0 if layer.b_o is None else b for b in (layer.b_q, layer.b_k, layer.b_v, layer.b_o))
    q, k, v = query @ layer.W_q + b_q, key @ layer.W_k + b_k, value @ layer.W_v + b_v
    output, weights = np.zeros(query.shape) + b_o, []
    for h in range(layer.num_heads):
        own = [h * layer.d_head + f for f in range(layer.d_head)]
        shared = [f - own[0] + h // (layer.num_heads // layer.num_kv_heads) * layer.d_head for f in own]
        one = (array[:, None, :, columns] for array, columns in ((q, own), (k, shared), (v, shared)))
        mixed, of_head = attention_by_loops(*one, None if mask is None else mask[:, h : h + 1], is_causal=is_causal)
        output += mixed[:, 0] @ layer.W_o[own]
        weights.append(of_head[:, 0])
    return output, np.stack(weights, 1)


def bucket_by_integers(relative, num_buckets, max_distance, bidirectional):
    """T5's bucket of one distance, in whole numbers alone: no logarithm is taken, powers are compared."""
    first = 0
    if bidirectional:
        num_buckets //= 2
        first = num_buckets if relative > 0 else 0
    distance = abs(relative) if bidirectional else max(-relative, 0)
    exact = num_buckets // 2
    if distance < exact:
        return first + distance
    wide = num_buckets - exact
    bucket = exact
    while bucket < num_buckets - 1:
        step = bucket + 1 - exact  # is distance / exact >= (max_distance / exact) ** (step / wide)?
        if distance**wide * exact**step < max_distance**step * exact**wide:
            break
        bucket += 1
    return first + bucket
