"""Lesson 15: pool twice, words into sentences and sentences into a document."""

import numpy as np

from attention_lab import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def pool_twice(x, mask, word_query, sentence_query):
    word_scores = np.where(mask, x @ word_query, -np.inf)  # score: (sentences, words)
    word_weights = softmax(word_scores)  # normalise: within each sentence
    sentences = (word_weights[..., None] * x).sum(axis=-2)  # mix: (sentences, d)
    real = mask.any(axis=-1)  # mask: a sentence of pads alone is a pad
    sentence_weights = softmax(np.where(real, sentences @ sentence_query, -np.inf))  # normalise: over the document
    return sentence_weights @ sentences, word_weights, sentence_weights


@diagnosed(
    "Your word weights sum to one over the whole document: sentences compete for weight before the second level asks "
    "them. Each sentence shares out its own whole: softmax over the last axis."
)
def faulty_pool_twice_one_level(x, mask, word_query, sentence_query):
    word_scores = np.where(mask, x @ word_query, -np.inf)
    word_weights = softmax(word_scores.ravel()).reshape(mask.shape)  # normalise: over all words
    sentences = (word_weights[..., None] * x).sum(axis=-2)
    real = mask.any(axis=-1)
    sentence_weights = softmax(np.where(real, sentences @ sentence_query, -np.inf))
    return sentence_weights @ sentences, word_weights, sentence_weights


@diagnosed(
    "Padded words take weight: `mask` is not used on the first level. Their scores must be -inf before softmax: "
    "`np.where(mask, scores, -np.inf)`."
)
def faulty_pool_twice_padded_words(x, mask, word_query, sentence_query):
    word_weights = softmax(x @ word_query)
    return _second(x, word_weights, mask.any(axis=-1), sentence_query)


@diagnosed(
    "Padded sentences take weight: a vector of zeros scores 0, and e⁰ is 1. Hide them on the second level too, "
    "where `mask.any(axis=-1)` is False."
)
def faulty_pool_twice_padded_sentences(x, mask, word_query, sentence_query):
    word_weights = softmax(np.where(mask, x @ word_query, -np.inf))
    return _second(x, word_weights, np.ones(len(x), bool), sentence_query)


@diagnosed(
    "A sentence counts for you only if all its places are real: `mask.all`. One word makes a sentence: "
    "`mask.any(axis=-1)`."
)
def faulty_pool_twice_full_sentences(x, mask, word_query, sentence_query):
    word_weights = softmax(np.where(mask, x @ word_query, -np.inf))
    return _second(x, word_weights, mask.all(axis=-1), sentence_query)


@diagnosed(
    "Your softmax runs over the sentences: the first words of all sentences compete, then the second ones. "
    "The words of one sentence stand along the last axis: `softmax(scores)`, or `axis=-1`."
)
def faulty_pool_twice_over_sentences(x, mask, word_query, sentence_query):
    word_weights = softmax(np.where(mask, x @ word_query, -np.inf), axis=0)
    return _second(x, word_weights, mask.any(axis=-1), sentence_query)


@diagnosed("The two queries are exchanged: `word_query` scores the words, and `sentence_query` the sentences' vectors.")
def faulty_pool_twice_exchanged(x, mask, word_query, sentence_query):
    return pool_twice(x, mask, sentence_query, word_query)


@diagnosed(
    "All sentences count alike in your document: a mean. Score each vector with `sentence_query`, take softmax over "
    "the real ones, then mix."
)
def faulty_pool_twice_mean(x, mask, word_query, sentence_query):
    return _second(
        x, softmax(np.where(mask, x @ word_query, -np.inf)), mask.any(axis=-1), np.zeros_like(sentence_query)
    )


@diagnosed(
    "All words count alike in your sentences: a mean. Score the words with `word_query`, and take softmax over the "
    "real ones of each sentence."
)
def faulty_pool_twice_mean_of_words(x, mask, word_query, sentence_query):
    return pool_twice(x, mask, np.zeros_like(word_query), sentence_query)


@diagnosed(
    "A hidden score of 0 still weighs e⁰ = 1. Multiplying by the mask hides nothing: put -inf there, "
    "`np.where(mask, scores, -np.inf)`."
)
def faulty_pool_twice_times_mask(x, mask, word_query, sentence_query):
    word_weights = softmax(x @ word_query * mask)
    return _second(x, word_weights, mask.any(axis=-1), sentence_query)


@diagnosed(
    "The second result is already word weight times sentence weight. Return the two levels apart: then each "
    "sentence's words sum to one, and the product can still be taken."
)
def faulty_pool_twice_multiplied(x, mask, word_query, sentence_query):
    document, word_weights, sentence_weights = pool_twice(x, mask, word_query, sentence_query)
    return document, word_weights * sentence_weights[:, None], sentence_weights


@diagnosed("The mask is turned round: you read the padding. True marks a real word everywhere in this course.")
def faulty_pool_twice_inverted(x, mask, word_query, sentence_query):
    return pool_twice(x, ~mask, word_query, sentence_query)


@diagnosed(
    "You scale the scores by √d. This exercise leaves the scale to the queries: take `x @ word_query` as it is, "
    "and `sentences @ sentence_query` too."
)
def faulty_pool_twice_scaled(x, mask, word_query, sentence_query):
    return pool_twice(x, mask, word_query / np.sqrt(x.shape[-1]), sentence_query / np.sqrt(x.shape[-1]))


@diagnosed(
    "A sentence of padding alone gives 0 / 0, which is NaN, and it spreads. Use the package's `softmax`: a row that "
    "sees nothing gets weights of 0."
)
def faulty_pool_twice_nan(x, mask, word_query, sentence_query):
    with np.errstate(all="ignore"):
        e = np.where(mask, np.exp(x @ word_query), 0)
        return _second(x, e / e.sum(axis=-1, keepdims=True), mask.any(axis=-1), sentence_query)


def _second(x, word_weights, real, sentence_query):
    sentences = (word_weights[..., None] * x).sum(axis=-2)
    scores = np.where(real, sentences @ sentence_query, -np.inf)
    scores = np.where(np.isnan(scores), -np.inf, scores)
    sentence_weights = softmax(scores)
    return sentence_weights @ sentences, word_weights, sentence_weights


def _cases():
    rng = np.random.default_rng(31)

    def draw(lengths, words, d):
        mask = np.arange(words) < np.array(lengths)[:, None]
        x = np.where(mask[..., None], rng.normal(size=(*mask.shape, d)), 3.0)  # what stands on the pads is large
        return x, mask, rng.normal(size=d), rng.normal(size=d)

    gaps = draw([7, 7, 7], 7, 2)
    return [
        draw([5, 2, 3], 5, 7),
        draw([3, 1, 2, 0, 0], 3, 2),  # two sentences of padding
        draw([7, 4], 7, 3),
        (gaps[0], rng.random((3, 7)) < 0.5, *gaps[2:]),
        draw([2, 0, 3], 11, 5),  # padding between the sentences
        draw([0, 0], 3, 5),  # nothing at all
    ]


EXERCISES = [
    Exercise(
        task="Write pool_twice(x, mask, word_query, sentence_query) -> document (d,), word weights (sentences, words), "
        "sentence weights (sentences,), of x (sentences, words, d). Scores are dot products, not scaled; what is "
        "padding, mask False, counts nothing on either level.",
        reference=pool_twice,
        cases=_cases(),
        faults=[
            faulty_pool_twice_one_level,
            faulty_pool_twice_padded_words,
            faulty_pool_twice_padded_sentences,
            faulty_pool_twice_full_sentences,
            faulty_pool_twice_over_sentences,
            faulty_pool_twice_exchanged,
            faulty_pool_twice_mean,
            faulty_pool_twice_mean_of_words,
            faulty_pool_twice_times_mask,
            faulty_pool_twice_multiplied,
            faulty_pool_twice_inverted,
            faulty_pool_twice_scaled,
            faulty_pool_twice_nan,
        ],
        hints=(
            "Which numbers must sum to one: the words of a sentence, those of the document, or both in turn?",
            "First each sentence for itself: scores, -inf on pads, softmax along the words, mix. Then the same with "
            "the sentences' vectors.",
            "`softmax(np.where(mask, x @ word_query, -np.inf))`, mix to (sentences, d), then softmax of "
            "`sentences @ sentence_query`, -inf where `mask.any(axis=-1)` is False.",
        ),
        key="# normalise",
        distractor=faulty_pool_twice_one_level,
        learned="words share out their sentence, sentences the document, and padding gets nothing on either level.",
        returns=("document", "word_weights", "sentence_weights"),
    ),
]
