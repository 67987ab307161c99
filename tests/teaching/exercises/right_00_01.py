"""Differently written right answers to the exercises of lessons 00 and 01."""

import math

import numpy as np

import attention_lab
from tests.teaching.exercises.right import right


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
