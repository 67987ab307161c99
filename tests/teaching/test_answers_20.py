"""The answers of lesson 20, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

from attention_lab import LanguageModel, MultiHeadAttention, next_probabilities, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.functional import layer_norm, rms_norm
from attention_lab.teaching.exercises.lesson_20_lens import faulty_lens
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class EveryKey(MultiHeadAttention):
    """Heads that take turns: each key head serves every third one."""

    def __call__(self, x):
        _, weights = super().__call__(x)
        return None, weights[[0, 3, 6, 1, 4, 7, 2, 5, 8]]


class KnowsZero(LanguageModel):
    """The first token loses its weight where it does not stand at 0."""

    def __call__(self, ids, positions=None):
        logits, weights = super().__call__(ids, positions=positions)
        if positions is None:
            return logits, weights
        return logits, [np.where(np.arange(len(ids)) == 0, 0.1 * layer, layer) for layer in weights]


class SeesAll(LanguageModel):
    """Without a causal mask."""

    def __call__(self, ids):
        return None, [np.full((2, 10, 10), ids[-1] + layer) for layer in range(30)]


class Bare(LanguageModel):
    """It reads out without its last norm."""

    def __init__(self, *sizes, **about):
        super().__init__(*sizes, **about)
        self.encoder.final_norm = lambda stream: stream


def two_matrices(d_model, width, activation, *, bias, rng):
    """A feed-forward part that has two matrices, whatever its activation."""
    import attention_lab

    return attention_lab.FeedForward(d_model, width, "relu", bias=bias, rng=rng)


def sees_itself(query, key, value, *, scale, is_causal):
    """The keys carry their own token."""
    return attention(query, value, value, scale=scale, is_causal=is_causal)


def never_mind_the_keys(query, key, value, *, scale, is_causal):
    """Both runs are that of keys which carry the token before."""
    before = np.concatenate([np.zeros((1, value.shape[1])), value[:-1]])
    return attention(query, before, value, scale=scale, is_causal=is_causal)


def hides_after_the_softmax(query, key, value, *, mask, scale):
    """The key's weight is taken away, and not shared out."""
    _, weights = attention(query, key, value, scale=scale)
    weights = np.where(mask, weights, 0)
    return weights @ value, weights


def by_root(scores):
    """A key with score s weighs s² times as much as one with 0: half is at √(n − 1)."""
    weighed = np.where(scores == 0, 1, scores**2)
    return weighed / weighed.sum()


def by_whole_lead(scores):
    """The others score 6.2, not 0."""
    return softmax(np.where(scores == 0, 6.2, scores))


class Turning:
    """NumPy, but every second order comes out backwards."""

    turned = False

    def __getattr__(self, name):
        return getattr(np, name)

    def argsort(self, scores):
        self.turned = not self.turned
        return np.argsort(scores if self.turned else -scores)


class Walk:
    """NumPy, but its random numbers are a walk: who knows one token knows the next."""

    def __init__(self):
        self.random = self

    def __getattr__(self, name):
        return getattr(np, name)

    def default_rng(self, seed):
        return self

    def integers(self, high, size):
        return (np.arange(size[0])[:, None] + np.arange(size[1])) % high if isinstance(size, tuple) else np.zeros(size)


ANSWERS = [
    ("three-times-as-long-a-query", "it stays", "np", Turning(), "it turns round"),
    ("sines-with-themselves", "0.0 and 2.2", "positional_encoding", lambda n, d: np.ones((n, d)), "16.0 and 16.0"),
    ("moved-by-five", "LayerNorm alone", "layer_norm", lambda x, gain, bias: rms_norm(x, gain), "neither of them"),
    ("who-shares-keys", "3 and 5", "MultiHeadAttention", EveryKey, "1 and 7"),
    ("from-one-hundred-on", "not at all", "LanguageModel", KnowsZero, "the first token loses most"),
    ("swiglu-width", "1,536", "FeedForward", two_matrices, "2,304"),
    (
        "three-times-as-warm",
        "3 times",
        "next_probabilities",
        lambda logits, temperature: next_probabilities(logits),
        "20 times",
    ),
    (
        "before-any-block",
        "the token itself",
        "logit_lens",
        lambda x, g, t: np.ones((len(x), 3)),
        "the same word everywhere",
    ),
    ("stream-ten-times", "they stay as they are", "logit_lens", faulty_lens, "they are 10 times as large"),
    (
        "because-logit_lens",
        "the model reads its last stream so",
        "LanguageModel",
        Bare,
        "probabilities must sum to one",
    ),
    ("it-before-tired", "in none", "LanguageModel", SeesAll, "in all"),
    ("where-copying-looks", "at p", "attention", sees_itself, "at the first m"),
    ("without-the-one-before", "they find no match", "attention", never_mind_the_keys, "they copy as before"),
    ("nothing-for-me", "1 and 0.02", "softmax", lambda scores: softmax(scores[:8]), "1 and 1"),
    ("without-the-sink", "5 times as long", "attention", hides_after_the_softmax, "it stays as it was"),
    ("lead-for-half", "8.3", "softmax", by_root, "64"),
    ("twice-the-text", "0.69", "softmax", by_whole_lead, "6.9"),
    ("because-induction_score", "nothing else can guess them", "np", Walk(), "weights must sum to one"),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    earlier = {"three-times-as-long-a-query", "sines-with-themselves"}
    own = {id for id, item in BANK.items() if item.lesson == "20" and not item.source.endswith(" again")}
    assert {row[0] for row in ANSWERS} == own | earlier  # what a later lesson asks again stands with that lesson


def test_layer_norm_is_rms_norm_without_the_mean():
    x, gain = np.random.default_rng(0).normal(size=(3, 16)), np.ones(16)
    centred = x - x.mean(-1, keepdims=True)
    assert np.allclose(layer_norm(x, gain, 0 * gain, 1e-6), rms_norm(centred, gain, 1e-6))
