"""Differently written right answers to the exercises of lessons 02 and 03."""

import math

import numpy as np

import attention_lab
from tests.teaching.exercises.right import right


@right("masked_softmax")
def by_large_negative(scores, mask):
    scores = np.where(mask, scores, -1e9)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return np.where(mask, e / e.sum(-1, keepdims=True), 0)


@right("masked_softmax")
def by_adding(scores, mask):
    scores = scores + np.where(mask, 0.0, -np.inf)
    e = np.exp(scores - np.nan_to_num(scores.max(-1, keepdims=True), neginf=0))
    return np.nan_to_num(e / e.sum(-1, keepdims=True))


@right("masked_softmax")
def by_loop_over_visible(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    out = np.zeros(scores.shape)
    for lead in np.ndindex(*scores.shape[:-1]):
        seen = mask[lead]
        if seen.any():
            e = np.exp(scores[lead][seen] - scores[lead][seen].max())
            out[lead][seen] = e / e.sum()
    return out


@right("masked_softmax")
def by_smallest_float(scores, mask):
    low = np.finfo(scores.dtype).min
    scores = np.where(mask, scores, low)
    e = np.exp(scores - scores.max(-1, keepdims=True)) * mask
    return np.divide(e, e.sum(-1, keepdims=True), out=np.zeros_like(e), where=e.sum(-1, keepdims=True) > 0)


@right("masked_softmax")
def on_a_copy(scores, mask):
    own = scores.copy()
    own[~np.broadcast_to(mask, own.shape)] = -np.inf
    return attention_lab.softmax(own)


@right("masked_softmax")
def by_masked_array(scores, mask):
    hidden = np.ma.masked_array(scores, ~np.broadcast_to(mask, scores.shape))
    e = np.ma.exp(hidden - hidden.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).filled(0)


@right("causal_mask")
def by_tri(n_queries, n_keys):
    return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)


@right("causal_mask")
def by_tril(n_queries, n_keys=None):
    return np.tril(np.ones((n_queries, n_keys)), k=n_keys - n_queries).astype(bool)


@right("causal_mask")
def by_lists(n_queries, n_keys):
    return [[j - n_keys <= i - n_queries for j in range(n_keys)] for i in range(n_queries)]


@right("causal_mask")
def by_integers(n_queries, n_keys):
    return np.tril(np.ones((n_queries, n_keys), dtype=int), k=n_keys - n_queries)


@right("causal_mask")
def by_negation(n_queries, n_keys):
    return ~np.triu(np.ones((n_queries, n_keys), dtype=bool), k=1 + n_keys - n_queries)


@right("sliding_window_mask")
def window_by_two_triangles(n_queries, n_keys, window):
    shift = n_keys - n_queries
    return np.tri(n_queries, n_keys, shift, dtype=bool) & ~np.tri(n_queries, n_keys, shift - window, dtype=bool)


@right("sliding_window_mask")
def window_by_loop(n_queries, n_keys, window):
    mask = np.zeros((n_queries, n_keys), dtype=bool)
    for i in range(n_queries):
        at = i + n_keys - n_queries
        mask[i, max(0, at - window + 1) : max(0, at + 1)] = True
    return mask


@right("sliding_window_mask")
def window_by_logical_and(n_queries, n_keys, window):
    query, key = np.ogrid[n_keys - n_queries : n_keys, :n_keys]
    return np.logical_and(key <= query, key > query - window)


@right("sliding_window_mask")
def window_of_the_package(n_queries, n_keys, window):
    return attention_lab.sliding_window_mask(n_queries, n_keys, window=window).astype(np.int8)


@right("own_sentence_mask")
def sentence_by_outer(sentence_ids):
    return np.equal.outer(sentence_ids, sentence_ids)


@right("own_sentence_mask")
def sentence_by_loop(ids):
    return np.array([[a == b for b in ids] for a in ids])


@right("own_sentence_mask")
def sentence_by_difference(ids):
    return ids[:, np.newaxis] - ids == 0


@right("own_sentence_mask")
def sentence_by_one_hot(ids):
    one_hot = (ids[:, None] == np.unique(ids)).astype(int)
    return one_hot @ one_hot.T


@right("own_sentence_mask")
def sentence_by_comparisons(ids):
    return (ids[:, None] <= ids) & (ids[:, None] >= ids)


@right("entropy")
def entropy_by_nansum(weights):
    return -np.nansum(weights * np.log(weights), axis=-1)


@right("entropy")
def entropy_where(weights):
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return -np.einsum("...k,...k->...", weights, logs)


@right("entropy")
def entropy_by_loop(weights):
    out = np.zeros(weights.shape[:-1])
    for lead in np.ndindex(*out.shape):
        out[lead] = -sum(w * math.log(w) for w in weights[lead] if w > 0)
    return out


@right("entropy")
def entropy_masked(weights):
    terms = np.where(weights > 0, weights * np.log(np.where(weights > 0, weights, 1)), 0)
    return np.abs(terms.sum(-1)).astype(np.float32)


@right("entropy")
def entropy_clipped(weights):
    return np.maximum(0, -(weights * np.log(weights + 1e-12)).sum(axis=-1))


@right("effective_keys")
def effective_by_powers(weights):
    return np.prod(np.where(weights > 0, weights, 1) ** -weights, axis=-1) * weights.any(-1)


@right("effective_keys")
def effective_by_package(weights):
    return np.exp(attention_lab.attention_entropy(weights)) * (weights.sum(axis=-1) > 0)


@right("effective_keys")
def effective_by_base_two(weights):
    bits = -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(-1)
    return np.where(weights.sum(-1) == 0, 0, 2**bits)


@right("effective_keys")
def effective_by_assignment(weights):
    spread = np.exp(-np.nansum(weights * np.log(weights), axis=-1))
    spread[~weights.any(axis=-1)] = 0
    return spread


@right("similarity_summary")
def summary_as_list(query, key):
    scores = (query @ key.swapaxes(-1, -2)) / np.sqrt(key.shape[-1])
    return [float(scores.mean()), float(scores.max()), float(scores.min())]


@right("similarity_summary")
def summary_as_array(query, key):
    scores = np.einsum("...qd,...kd->...qk", query, key) * query.shape[-1] ** -0.5
    return np.array([np.mean(scores), np.max(scores), np.min(scores)])


@right("similarity_summary")
def summary_by_loop(query, key):
    d = query.shape[-1]
    pairs = [(q, k) for lead in np.ndindex(*query.shape[:-2]) for q in query[lead] for k in key[lead]]
    scores = [float(q @ k) / math.sqrt(d) for q, k in pairs]
    return sum(scores) / len(scores), max(scores), min(scores)


@right("similarity_summary")
def summary_of_the_package(query, key):
    found = attention_lab.query_key_similarity(query, key)
    return found["mean"], found["max"], found["min"]
