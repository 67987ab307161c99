"""The answers of lesson 15, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

from attention_lab import AttentionPooling, Encoder
from attention_lab.data.documents import documents
from attention_lab.tasks.documents import HierarchicalClassifier
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class Averaging(AttentionPooling):
    """Its query stays at zero, whatever is written there."""

    def __call__(self, x, mask=None):
        return AttentionPooling(len(self.query), dtype=np.float64)(x, mask)


class Leaking(AttentionPooling):
    """It gives half of the weights, as if something were missing."""

    def __call__(self, x, mask=None):
        pooled, weights = super().__call__(x, mask)
        return pooled, weights / 2


class Ordered(HierarchicalClassifier):
    """What comes first counts."""

    def __call__(self, ids):
        logits, words, sentences = super().__call__(ids)
        return logits + ids[0].sum(), words, sentences


class Blind:
    """An encoder in which a word scores itself alone."""

    def __init__(self, *sizes, rng):
        self.encoder = Encoder(*sizes, rng=rng)

    def __call__(self, x):
        x, (weights,) = self.encoder(x)
        return x, (weights[..., :1],)


def one_version_a_bag(split):
    return documents(split)[::3]


class Calm:
    """NumPy, but its values are drawn with half the spread: another variance, another error."""

    def __init__(self, spread):
        self.random, self.spread = self, spread

    def default_rng(self, seed):
        return self

    def normal(self, scale, size):
        return np.random.default_rng(0).normal(scale=self.spread, size=size)


ANSWERS = [
    ("three-on-noise", "8.0 and 6.0", "np", Calm(1.0), None),
    ("same-words-three-answers", "a third of the time", "documents", one_version_a_bag, "nearly always"),
    ("weight-in-the-document", "0.18", "AttentionPooling", Averaging, None),
    ("short-beside-long", "a quarter as much", "masked_mean", lambda x: x.sum(0), "as much"),
    ("sentences-shuffled", "they stay", "HierarchicalClassifier", Ordered, "they change"),
    ("empty-sentences", "about half to the pads", "AttentionPooling", Averaging, "nearly all to the pads"),
    (
        "because-pool_twice",
        "each sentence is then read in full",
        "softmax",
        lambda scores: np.exp(scores),
        "word and sentence weights would differ",
    ),
    ("scores-of-two-levels", "40 times", "Encoder", Blind, None),
    ("one-of-sixty", "a quarter", "masked_mean", lambda x: x.sum(0), "as much"),
    ("score-for-half", "by ln 8, about 2", "AttentionPooling", Averaging, "8 times the lead"),
    ("beyond-the-cut", "36 %, and nothing", "AttentionPooling", Leaking, "36 %, its weights turn flat"),
    (
        "because-pad_documents",
        "it follows from the words",
        "pad_documents",
        lambda texts, pad: (None, np.ones((3, 3, 3), bool)),
        "padded sentences need none",
    ),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    earlier = {"three-on-noise"}
    later = {"thirty-by-thirty"}  # a recall of lesson 16
    assert {row[0] for row in ANSWERS} | later == {id for id, item in BANK.items() if item.lesson == "15"} | earlier
