"""The answers of lesson 19, and that each turns when what it rests on is broken."""

from contextlib import contextmanager

import numpy as np
import pytest

import attention_lab
from attention_lab import EncoderBlock, MultiHeadAttention, attention_rollout, masked_mean, softmax
from attention_lab.teaching.exercises.lesson_19_search import faulty_top_matches_dot, top_matches
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class Numpy:
    """NumPy, with some functions of one's own."""

    def __init__(self, **own):
        vars(self).update(own)

    def __getattr__(self, name):
        return getattr(np, name)


class Without(EncoderBlock):
    """Its attention adds nothing: each token stays alone."""

    def __init__(self, *sizes, **about):
        super().__init__(*sizes, **about)
        self.attention.W_o[:] = 0


class Even(EncoderBlock):
    """All of its weights are even, whatever the keys are."""

    def __call__(self, x):
        x, weights = super().__call__(x)
        return x, np.full_like(weights, 1 / weights.shape[-1])


class Wide(MultiHeadAttention):
    """Its output is three times the sum of what its heads bring."""

    def __call__(self, x):
        output, weights = super().__call__(x)
        return output * (3 if self.W_o.all() else 1), weights


def by_signs(scores):
    weights = softmax(np.abs(scores)) * np.sign(scores)
    return weights / weights.sum(-1, keepdims=True)


def by_word(query, key, value):
    """Scores from the first four features, the word's."""
    return None, softmax(value @ value.T, axis=-1)


def of_words(query, key, value):
    return None, softmax(np.tile(value[:, 0], (len(value), 1)), axis=-1)


def even(query, key, value, scale):
    return attention_lab.scaled_dot_product_attention(0 * query, key, value, scale=scale)


def near_ones(weights):
    return attention_rollout(weights) + 0.01 * np.eye(weights.shape[-1], k=-1)


def flows_off(weights):
    return np.eye(weights.shape[-1])[[0] * weights.shape[-1]]


@contextmanager
def switched_off(attend, head):
    """Nothing is switched off."""
    yield attend


def with_query_length(query, documents, k):
    best, cosines = top_matches(query, documents, k)
    return (best if np.linalg.norm(query) < 4 else best[::-1]), cosines


def by_letters(query, documents, k):
    best, scores = top_matches(query, documents, k)
    return best, scores + 0.01


def right_page_first(query, documents, k):
    return np.array([0, 1]), np.array([0.9, 0.2])


def itself(weights):
    return np.zeros(weights.shape[-2:])


ANSWERS = [
    ("kernel-with-signs", "no, not with a softmax", "softmax", by_signs, "yes, if two scores are negative"),
    (
        "sixty-percent-of-little",
        "the one with weight 0.3",
        "np",
        Numpy(diag=lambda lengths: np.eye(len(lengths))),
        "the one with weight 0.6",
    ),
    (
        "dot-or-cosine",
        "nothing",
        "np",
        Numpy(argsort=lambda x: np.argsort(x if x.min() < 0 else x[::-1])),
        "the distance alone",
    ),
    (
        "cls-each-time",
        "its vector before the block",
        "EncoderBlock",
        Without,
        "its vector after the block, too",
    ),
    ("same-word-two-sentences", "what is looked up", "EncoderBlock", Without, "its vector all the way up"),
    ("same-word-two-sentences", "what is looked up", "EncoderBlock", Even, "that, and its first weights"),
    (
        "same-weights-other-numbers",
        "the mask of the padding",
        "masked_mean",
        lambda x, mask: masked_mean(x, np.ones_like(mask)) + np.arange(len(x))[::-1, None],
        None,
    ),
    ("rank-and-recall", "0.46 and 0.75", "np", Numpy(array=lambda ranks: np.array([1, 2, 10, 10])), None),
    ("no-word-in-common", "0, below the other page", "top_matches", right_page_first, "more than the other page"),
    ("no-word-in-common", "0, below the other page", "top_matches", by_letters, "a little, for “tan” in “tangent”"),
    ("because-top_matches", "else long vectors win", "top_matches", faulty_top_matches_dot, "scores must be positive"),
    (
        "because-top_matches",
        "else long vectors win",
        "top_matches",
        with_query_length,
        "else the query's length counts",
    ),
    ("shuffled-neighbours", "it stays as it is", "attention", of_words, "its columns are shuffled, too"),
    ("shuffled-neighbours", "it stays as it is", "attention", by_word, "it fades to even weights"),
    ("nothing-to-find", "0.02, and about 0.2", "attention", even, "0.91, and about 4"),
    ("twelve-heads-added", "the whole output", "without_head", switched_off, "less: heads stand in for each other"),
    ("twelve-heads-added", "the whole output", "MultiHeadAttention", Wide, "nothing that can be told before"),
    ("rollout-of-a-sink", "the same of each, about 0.04", "attention_rollout", near_ones, "the near ones more"),
    (
        "rollout-of-a-sink",
        "the same of each, about 0.04",
        "attention_rollout",
        flows_off,
        "0, since all flows to token 0",
    ),
    (
        "sharp-head-off",
        "the vectors with each switched off",
        "without_head",
        switched_off,
        "their entropies",
    ),
    (
        "because-rollout",
        "the stream carries a token past the layer",
        "rollout",
        itself,
        "a product needs an inverse",
    ),
]


IDS = [f"{row[0]}, {row[2]}" for row in ANSWERS]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=IDS)
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    earlier, again = {"kernel-with-signs", "sixty-percent-of-little"}, {"three-times-as-long-a-query"}
    assert {row[0] for row in ANSWERS} == {id for id, item in BANK.items() if item.lesson == "19"} - again | earlier


def test_the_numbers_that_the_feedback_quotes():
    """Token 0's share of the rollout, and the rows of a pure product of six layers."""
    row = np.array([0.6] + [0.4 / 11] * 11)
    assert abs(attention_rollout(np.tile(row, (6, 1, 12, 1)))[-1, 0] - 0.59) < 0.005
    assert abs(np.exp(-6) - 1 / 400) < 1e-4
