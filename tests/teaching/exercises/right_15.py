"""Differently written right answers to the exercises of lesson 15."""

import math

import numpy as np

from attention_lab import AttentionPooling, scaled_dot_product_attention
from tests.teaching.exercises.right import right


@right("pool_twice")
def by_loops(x, mask, word_query, sentence_query):
    d, word_weights, vectors = x.shape[-1], np.zeros(mask.shape), []
    for i, sentence in enumerate(x):
        weights = {j: math.exp(float(sentence[j] @ word_query)) for j in np.flatnonzero(mask[i])}
        for j, weight in weights.items():
            word_weights[i, j] = weight / sum(weights.values())
        vectors.append(sum((word_weights[i, j] * sentence[j] for j in weights), np.zeros(d)))
    scores = {i: math.exp(float(vectors[i] @ sentence_query)) for i in range(len(x)) if mask[i].any()}
    sentence_weights = np.array([scores.get(i, 0) / sum(scores.values()) if scores else 0.0 for i in range(len(x))])
    return sum((w * v for w, v in zip(sentence_weights, vectors)), np.zeros(d)), word_weights, sentence_weights


@right("pool_twice")
def by_the_package(x, mask, word_query, sentence_query):
    words, sentences = (AttentionPooling(x.shape[-1], dtype=np.float64) for _ in range(2))
    words.query[:], sentences.query[:] = (q * math.sqrt(x.shape[-1]) for q in (word_query, sentence_query))
    vectors, of_words = words(x, mask)
    document, of_sentences = sentences(vectors, mask.any(-1))
    return document, of_words, of_sentences


@right("pool_twice")
def by_attention(x, mask, word_query, sentence_query):
    vectors, of_words = scaled_dot_product_attention(word_query[None, None], x, x, mask[:, None], scale=1.0)
    vectors = vectors[:, 0]
    document, of_sentences = scaled_dot_product_attention(
        sentence_query[None], vectors, vectors, mask.any(-1)[None], scale=1.0
    )
    return document[0], of_words[:, 0], of_sentences[0]


@right("pool_twice")
def by_a_large_negative_number(x, mask, word_query, sentence_query):
    def weights(scores, real):
        scores = np.where(real, scores, -1e9)
        e = np.exp(scores - scores.max(-1, keepdims=True)) * real
        return e / np.maximum(e.sum(-1, keepdims=True), 1e-30)

    of_words = weights(np.einsum("swd,d->sw", x, word_query), mask)
    vectors = np.einsum("sw,swd->sd", of_words, x)
    of_sentences = weights(vectors @ sentence_query, mask.any(-1))
    return np.einsum("s,sd->d", of_sentences, vectors), of_words, of_sentences


@right("pad_documents")
def by_comprehension(documents, pad):
    height = max(map(len, documents))
    width = max(len(sentence) for document in documents for sentence in document)
    full = [[list(s) + [pad] * (width - len(s)) for s in d] + [[pad] * width] * (height - len(d)) for d in documents]
    lengths = np.array([[len(s) for s in d] + [0] * (height - len(d)) for d in documents])
    return np.array(full), np.arange(width) < lengths[..., None]


@right("pad_documents")
def word_by_word(documents, pad):
    places = [(i, j, k) for i, d in enumerate(documents) for j, s in enumerate(d) for k in range(len(s))]
    shape = len(documents), *(1 + np.array(places).max(0)[1:])
    ids, mask = np.zeros(shape, int) + pad, np.zeros(shape, dtype=bool)
    for i, j, k in places:
        ids[i, j, k], mask[i, j, k] = documents[i][j][k], True
    return ids, mask


@right("pad_documents")
def as_lists_with_ones(documents, pad):
    ids, mask = by_comprehension(documents, pad)
    return ids.tolist(), mask.tolist()


@right("pad_documents")
def row_by_row(documents, pad):
    rows = [row for document in documents for row in document]
    high, wide = max(len(d) for d in documents), max(len(row) for row in rows)
    ids = np.full((len(documents) * high, wide), pad, dtype=np.int32)
    mask = np.zeros_like(ids, dtype=np.uint8)
    starts = [i * high + j for i, document in enumerate(documents) for j in range(len(document))]
    for at, row in zip(starts, rows):
        ids[at, : len(row)], mask[at, : len(row)] = row, 1
    return ids.reshape(-1, high, wide), mask.reshape(-1, high, wide) == 1
