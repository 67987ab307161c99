"""Mistakes that learners make in the exercises of lesson 15, beside those of the bank."""

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("pool_twice", "Padded sentences take weight", never="Padded words")
def masks_the_words_alone(x, mask, word_query, sentence_query):
    e = np.exp(np.where(mask, x @ word_query, -np.inf))
    of_words = e / np.maximum(e.sum(-1, keepdims=True), 1e-30)
    vectors = (of_words[..., None] * x).sum(-2)
    e = np.exp(vectors @ sentence_query)
    return e / e.sum() @ vectors, of_words, e / e.sum()


@wrong("pool_twice", "our function returns 2 results; 3 are expected", never="A known cause")
def forgets_the_sentences(x, mask, word_query, sentence_query):
    return REFERENCE["pool_twice"](x, mask, word_query, sentence_query)[:2]


@wrong("pad_documents", "You join the sentences of a document into one row")
def one_row_a_document(documents, pad):
    rows = [[word for sentence in document for word in sentence] for document in documents]
    longest = max(map(len, rows))
    ids = np.array([row + [pad] * (longest - len(row)) for row in rows])
    return ids, np.arange(longest) < np.array([[len(row)] for row in rows])


@wrong("pad_documents", "Your mask marks whole sentences as real")
def appends_to_what_it_is_handed(documents, pad):
    width = max(len(sentence) for document in documents for sentence in document)
    for document in documents:
        for sentence in document:
            sentence += [pad] * (width - len(sentence))
    return REFERENCE["pad_documents"](documents, pad)
