"""Differently written right answers pass: loops, einsum, in place, float32, -inf or a large negative number."""

import functools
import math

import numpy as np
import pytest

import attention_lab
from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.exercises.checker import assess

RIGHT = {}


def right(name):
    """Note a function as a right answer to an exercise."""

    def note(function):
        RIGHT.setdefault(name, []).append(function)
        return function

    return note


@right("similarity")
def by_norm(x):
    unit = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return unit @ unit.swapaxes(-1, -2)


@right("similarity")
def by_einsum(x):
    products = np.einsum("...id,...jd->...ij", x, x)
    norms = np.linalg.norm(x, axis=-1)
    return products / (norms[..., :, None] * norms[..., None, :])


@right("similarity")
def by_loops(x):
    out = np.zeros((*x.shape[:-1], x.shape[-2]))
    for lead in np.ndindex(*x.shape[:-2]):
        for i, a in enumerate(x[lead]):
            for j, b in enumerate(x[lead]):
                out[(*lead, i, j)] = np.dot(a, b) / math.sqrt(np.dot(a, a) * np.dot(b, b))
    return out


@right("similarity")
def with_a_small_number(x):
    unit = x / (np.linalg.norm(x, axis=-1)[..., None] + 1e-8)
    return np.matmul(unit, np.moveaxis(unit, -1, -2))


@right("similarity")
def in_float32(x):
    x = x.astype(np.float32)
    x /= np.sqrt(np.square(x).sum(-1, keepdims=True))
    return x @ np.swapaxes(x, -1, -2)


@right("similarity")
def by_distances(x):
    unit = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return 1 - ((unit[..., :, None, :] - unit[..., None, :, :]) ** 2).sum(-1) / 2


@right("softmax")
def in_pairs(scores):
    return 1 / np.exp(scores[..., None, :] - scores[..., :, None]).sum(axis=-1)


@right("softmax")
def as_it_comes(scores):
    largest, total = np.full(scores.shape[:-1], -np.inf), np.zeros(scores.shape[:-1])
    for j in range(scores.shape[-1]):
        before, largest = largest, np.maximum(largest, scores[..., j])
        total = total * np.exp(before - largest) + np.exp(scores[..., j] - largest)
    return np.exp(scores - largest[..., None]) / total[..., None]


@right("softmax")
def in_one_line(scores):
    return np.exp(scores - np.max(scores, -1, keepdims=True)) / np.sum(
        np.exp(scores - np.max(scores, -1, keepdims=True)), -1, keepdims=True
    )


@right("softmax")
def in_place_on_a_copy(scores):
    scores = np.array(scores, dtype=float)
    scores -= scores.max(axis=-1)[..., None]
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1)[..., None]
    return scores


@right("softmax")
def by_log(scores):
    shifted = scores - scores.max(-1, keepdims=True)
    return np.exp(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))


@right("softmax")
def row_by_row(scores):
    rows = [[math.exp(s - max(row)) for s in row] for row in scores.reshape(-1, scores.shape[-1]).tolist()]
    return np.array([[e / sum(row) for e in row] for row in rows]).reshape(scores.shape)


@right("softmax")
def as_lists(scores):
    return attention_lab.softmax(scores).tolist()


@right("softmax")
def as_float32(scores):
    e = np.exp((scores - scores.max(-1, keepdims=True)).astype(np.float32))
    return e / e.sum(-1, keepdims=True)


@right("softmax")
def filled_into_float64(scores):
    out = np.zeros(scores.shape)
    for lead in np.ndindex(*scores.shape[:-1]):
        e = np.exp(scores[lead] - scores[lead].max())
        out[lead] = e / e.sum()
    return out


@right("softmax")
def with_an_ellipsis_index(scores, axis=-1):
    shifted = scores - scores.max(axis)[..., None]
    return np.exp(shifted) / np.exp(shifted).sum(axis)[..., np.newaxis]


@right("log_softmax")
def by_logaddexp(scores):
    return scores - np.logaddexp.reduce(scores.astype(float), axis=-1, keepdims=True)


@right("log_softmax")
def by_largest(scores):
    top = np.amax(scores, axis=-1, keepdims=True)
    return scores - (top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))


@right("log_softmax")
def log_by_loops(scores):
    out = np.empty(scores.shape)
    for lead in np.ndindex(*scores.shape[:-1]):
        row = scores[lead] - scores[lead].max()
        out[lead] = row - math.log(sum(math.exp(value) for value in row))
    return out


@right("log_softmax")
def log_in_place(x):
    x = x.copy()
    x -= x.max(-1, keepdims=True)
    x -= np.log(np.exp(x).sum(-1, keepdims=True))
    return x


@right("log_softmax")
def log_of_the_package(scores):
    return attention_lab.log_softmax(scores).astype(np.float32)


@right("attention")
def attention_by_einsum(query, key, value):
    weights = attention_lab.softmax(np.einsum("...qd,...kd->...qk", query, key) / np.sqrt(key.shape[-1]))
    return np.einsum("...qk,...kv->...qv", weights, value), weights


@right("attention")
def attention_by_loops(query, key, value):
    weights = np.zeros((*query.shape[:-1], key.shape[-2]))
    output = np.zeros((*query.shape[:-1], value.shape[-1]))
    for at in np.ndindex(*query.shape[:-1]):
        scores = [float(np.dot(query[at], k)) / query.shape[-1] ** 0.5 for k in key[at[:-1]]]
        e = [math.exp(s - max(scores)) for s in scores]
        weights[at] = [x / sum(e) for x in e]
        output[at] = sum(w * v for w, v in zip(weights[at], value[at[:-1]]))
    return output, weights


@right("attention")
def attention_scales_the_query(Q, K, V):
    S = (Q / math.sqrt(Q.shape[-1])) @ np.moveaxis(K, -1, -2)
    S -= S.max(-1, keepdims=True)
    np.exp(S, out=S)
    S /= S.sum(-1, keepdims=True)
    return [S @ V, S]


@right("attention")
def attention_by_matmul(query, key, value, scale=None):
    axes = [*range(key.ndim - 2), key.ndim - 1, key.ndim - 2]
    scores = np.matmul(query, key.transpose(axes)) * query.shape[-1] ** -0.5
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    return np.matmul(weights, value), weights


@right("attention")
def attention_divides_last(query, key, value):
    scores = query @ key.swapaxes(-1, -2) / math.sqrt(query.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    total = e.sum(axis=-1, keepdims=True)
    return (e @ value) / total, e / total


@right("attention")
def attention_of_the_package(query, key, value):
    output, weights = attention_lab.scaled_dot_product_attention(query, key, value)
    return output.astype(np.float32), weights.astype(np.float32)


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


ANSWERS = [(name, function) for name, functions in RIGHT.items() for function in functions]


@pytest.mark.parametrize(("name", "function"), ANSWERS, ids=[function.__name__ for _, function in ANSWERS])
def test_right_answer_passes(name, function):
    said = assess(EXERCISES[name], function)
    assert said.passed, said
    assert said.message.startswith(f"Correct: {EXERCISES[name].learned}")


@pytest.mark.parametrize("name", EXERCISES)
def test_every_exercise_has_four_of_them(name):
    assert len(RIGHT[name]) >= 4


class Callable:
    def __call__(self, scores):
        return attention_lab.softmax(scores)

    def method(self, scores):
        return attention_lab.softmax(scores)


class Labelled(np.ndarray):
    """A subclass, such as other libraries return."""


@pytest.mark.parametrize(
    "function",
    [
        lambda scores: attention_lab.softmax(scores),
        functools.partial(attention_lab.softmax, axis=-1),
        Callable(),
        Callable().method,
        attention_lab.softmax,
        lambda *args: attention_lab.softmax(*args),
        lambda scores, **options: attention_lab.softmax(scores).view(Labelled),
    ],
    ids=["lambda", "partial", "object", "method", "package", "star", "subclass"],
)
def test_any_callable_will_do(function):
    assert assess(EXERCISES["softmax"], function).passed


def test_a_wider_dtype_is_a_remark_and_no_fault():
    said = assess(EXERCISES["softmax"], filled_into_float64)
    assert said.passed
    assert "float32 went in and float64 came out" in said.message
    assert "float64" not in assess(EXERCISES["softmax"], in_one_line).message
