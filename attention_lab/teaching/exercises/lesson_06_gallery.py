"""Lesson 06: whole blocks, and weights to start from, for its gallery: faults that no exercise asks for."""

import math

import numpy as np

from attention_lab.attention import softmax
from attention_lab.functional import layer_norm


def faulty_block_no_norm(x, W_q, W_k, W_v, W_1, b_1, W_2, b_2, num_heads):
    d_model = x.shape[-1]
    query, key, value = x @ W_q, x @ W_k, x @ W_v  # project: (..., n, d_model)
    scores = query @ np.swapaxes(key, -2, -1)  # score: (..., n, n)
    weights = softmax(scores / math.sqrt(d_model))  # scale, normalise
    x = x + weights @ value  # mix: (..., n, d_model)
    hidden = np.maximum(x @ W_1 + b_1, 0)  # (..., n, d_ff)
    return x + hidden @ W_2 + b_2


def faulty_feed_forward_start(rng, d_model, d_ff):
    W_1, b_1 = rng.normal(size=(d_model, d_ff)), np.zeros(d_ff)
    W_2, b_2 = rng.normal(size=(d_ff, d_model)), np.zeros(d_model)
    return W_1, b_1, W_2, b_2


def faulty_encoder_block_splits_first(x, W_q, W_k, W_v, W_o, W_1, W_2, gain, bias):
    weights, heads = [], []
    for h, part in enumerate(np.split(x, len(W_q), axis=-1)):  # (..., n, d_head), one a head
        query, key, value = (np.dot(part, W[h]) for W in (W_q, W_k, W_v))  # project
        scores = np.dot(query, np.swapaxes(key, -2, -1)) / math.sqrt(query.shape[-1])  # score, scale
        weights.append(softmax(scores))  # normalise
        heads.append(np.dot(weights[h], value))  # mix
    x = layer_norm(x + np.concatenate(heads, axis=-1) @ W_o, gain, bias)
    x = layer_norm(x + np.maximum(x @ W_1, 0) @ W_2, gain, bias)
    return x, np.stack(weights)  # (..., n, d_model) and (heads, ..., n, n)


# As the gallery calls them: by the source's row, since the name tells what is wrong.
faulty_a4 = faulty_block_no_norm
faulty_b4 = faulty_feed_forward_start
faulty_b8 = faulty_encoder_block_splits_first
