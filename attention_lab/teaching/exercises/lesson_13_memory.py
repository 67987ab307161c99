"""Lesson 13: a question reads a memory, one slot a sentence."""

import math

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def read_memory(question, keys, values, real):
    scores = (keys @ question[..., None])[..., 0]  # score: (batch, n), one a sentence
    scores = np.where(real, scores, -np.inf)  # mask: an empty slot is no sentence
    weights = softmax(scores, axis=-1)  # normalise
    read = (weights[..., None] * values).sum(axis=-2)  # mix: (batch, d)
    return question + read, weights


@diagnosed(
    "You score the values. A key decides whether a sentence is read, a value what is read of it: take the scores from "
    "`keys`."
)
def faulty_read_memory_scores_values(question, keys, values, real):
    return read_memory(question, values, values, real)


@diagnosed(
    "You mix the keys. The weights come from the keys, and what is read is a mixture of the values: "
    "`(weights[..., None] * values).sum(axis=-2)`."
)
def faulty_read_memory_mixes_keys(question, keys, values, real):
    return read_memory(question, keys, keys, real)


@diagnosed(
    "The question is lost: you return what was read alone. This task asks for the question plus what was read, as in a "
    "residual: `question + read`."
)
def faulty_read_memory_forgets_question(question, keys, values, real):
    state, weights = read_memory(question, keys, values, real)
    return state - question, weights


@diagnosed(
    "Empty slots take weight: whatever stands in them has a score, too. Hide them before the softmax: "
    "`np.where(real, scores, -np.inf)`."
)
def faulty_read_memory_no_mask(question, keys, values, real):
    return read_memory(question, keys, values, np.ones_like(real))


@diagnosed(
    "You hide a slot by a score of 0, which is a score like any other: softmax gives it a share. "
    "Hide with -inf: `np.where(real, scores, -np.inf)`."
)
def faulty_read_memory_mask_zero(question, keys, values, real):
    weights = softmax(np.where(real, (keys @ question[..., None])[..., 0], 0))
    return question + (weights[..., None] * values).sum(axis=-2), weights


@diagnosed(
    "You set weights to 0 after the softmax, so they sum to less than 1. Hide before it, by a score of -inf, and the "
    "others share everything."
)
def faulty_read_memory_mask_after(question, keys, values, real):
    weights = softmax((keys @ question[..., None])[..., 0]) * real
    return question + (weights[..., None] * values).sum(axis=-2), weights


@diagnosed(
    "The mask is turned round: you read the empty slots. True marks a real sentence: keep the score where `real` is "
    "True, else -inf."
)
def faulty_read_memory_inverted(question, keys, values, real):
    return read_memory(question, keys, values, ~real)


@diagnosed(
    "Your softmax runs over the batch: each column sums to 1. One question spreads 1 over the sentences of its own "
    "story, the last axis: `softmax(scores, axis=-1)`."
)
def faulty_read_memory_over_batch(question, keys, values, real):
    scores = (keys @ question[..., None])[..., 0]
    weights = softmax(np.where(real, scores, -np.inf), axis=0)  # normalise
    return question + (weights[..., None] * values).sum(axis=-2), weights


@diagnosed(
    "You divide the scores by √d. The block of lesson 06 does, but this task asks for the plain dot product, as in the "
    "memory network: leave the division out."
)
def faulty_read_memory_scaled(question, keys, values, real):
    return read_memory(question, keys / math.sqrt(keys.shape[-1]), values, real)


@diagnosed(
    "You read one sentence alone, the one with the largest score. The memory is read softly, as a mixture: weights "
    "from `softmax`, which gradients can pass."
)
def faulty_read_memory_hard(question, keys, values, real):
    _, soft = read_memory(question, keys, values, real)
    weights = (np.arange(soft.shape[-1]) == soft.argmax(axis=-1)[:, None]).astype(values.dtype)
    return question + (weights[..., None] * values).sum(axis=-2), weights


@diagnosed(
    "You take a mean over the sentences: dividing by n once more, though the weights already sum to 1. "
    "Sum the weighted values: `.sum(axis=-2)`."
)
def faulty_read_memory_mean(question, keys, values, real):
    _, weights = read_memory(question, keys, values, real)
    return question + (weights[..., None] * values).mean(axis=-2), weights


def _cases():
    rng = np.random.default_rng(32)

    def draw(batch, n, d, dtype=float):
        """Stories of one sentence to n; what stands in an empty slot would be seen."""
        real = np.arange(n) < rng.integers(1, n, size=(batch, 1))
        question, keys, values = (rng.normal(size=size) for size in ((batch, d), (batch, n, d), (batch, n, d)))
        values = np.where(real[..., None], values, 9)
        return *(array.astype(dtype) for array in (question, keys, values)), real

    question, keys, values, real = draw(3, 7, 5)
    return [
        draw(2, 5, 3),
        (question, keys, values, real),
        (question, keys[:, ::-1].copy(), values[:, ::-1].copy(), real[:, ::-1].copy()),  # empty slots in front
        draw(5, 11, 2, np.float32),
        (10 * question, keys, values, np.ones_like(real)),
    ]


EXERCISES = [
    Exercise(
        task="Write read_memory(question, keys, values, real) -> question + read, weights: question (batch, d) reads "
        "keys and values (batch, n, d) by plain dot products; slots with real (batch, n) False are empty.",
        reference=read_memory,
        cases=_cases(),
        faults=[
            faulty_read_memory_scores_values,
            faulty_read_memory_mixes_keys,
            faulty_read_memory_forgets_question,
            faulty_read_memory_no_mask,
            faulty_read_memory_mask_zero,
            faulty_read_memory_mask_after,
            faulty_read_memory_inverted,
            faulty_read_memory_over_batch,
            faulty_read_memory_scaled,
            faulty_read_memory_hard,
            faulty_read_memory_mean,
        ],
        hints=(
            "It is attention with one query a story. Which of the four arguments is the query, and which axis sums to "
            "one?",
            "A dot product of the question with each key, -inf where there is no sentence, a softmax over sentences, "
            "and a mixture of the values.",
            "`scores = (keys @ question[..., None])[..., 0]` is (batch, n); after the softmax `(weights[..., None] * "
            "values).sum(axis=-2)` is (batch, d).",
        ),
        key="# score",
        distractor=faulty_read_memory_over_batch,
        learned="a memory is read as every attention is: score, mask, normalise, mix.",
        returns=("state", "weights"),
    ),
]
