"""The answers of lesson 17, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

from attention_lab import EncoderBlock, FeedForward, linear_attention, performer_attention, scaled_dot_product_attention
from attention_lab.teaching.exercises.lesson_17 import causal_linear_attention
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


def only_visible(query, key, value, mask):
    """Scores of visible cells alone."""
    return None, np.ones(np.count_nonzero(mask))


def whole_past(n, *, window, **_):
    return np.tri(n, dtype=bool)


def every_step(n, *, window, dilation):
    return np.tri(n, dtype=bool)


def growing_state(*rows):
    output, state, total = causal_linear_attention(*rows)
    return output, np.repeat(state[None], len(rows[0]), 0), np.repeat(total[None], len(rows[0]), 0)


def undivided(phi_q, phi_k, value):
    output, state, total = causal_linear_attention(phi_q, phi_k, value)
    return output * (phi_q @ total)[:, None], state, total


def by_count(query, key, value):
    """Each query reads itself alone."""
    return value


def few_asked(query, key, value):
    """Its weights are those of as many queries as there are mixtures."""
    output, weights = scaled_dot_product_attention(query, key, value)
    return output, weights[: len(key)]


def at_most_64(*arrays, num_features, rng):
    """More features do not help."""
    return performer_attention(*arrays, num_features=64, rng=np.random.default_rng(0))


class Thin(EncoderBlock):
    """Its weights are for 36 times as many tokens."""

    def __call__(self, x):
        x, weights = super().__call__(x)
        return x, np.repeat(weights, 36, axis=-1)


class Quiet(FeedForward):
    def __call__(self, x):
        return super().__call__(x) / 10


class Positive:
    """NumPy, but its normal numbers are positive."""

    def __init__(self):
        self.random = self

    def __getattr__(self, name):
        return getattr(np, name)

    def default_rng(self, seed):
        self.rng = np.random.default_rng(seed)
        return self

    def normal(self, size):
        return np.abs(self.rng.normal(size=size))


class Small(Positive):
    """NumPy, but its normal numbers are tiny: there is nothing to subtract."""

    def normal(self, size):
        return self.rng.normal(size=size) / 100


def no_rows(n, *, positions):
    return np.broadcast_to(np.isin(np.arange(n), positions), (n, n))


ANSWERS = [
    ("core-of-a-small-model", "6 times as many", "EncoderBlock", Thin, "a sixth"),
    ("twice-as-deep", "about 10", "FeedForward", Quiet, "about 5"),
    ("window-as-a-mask", "all of them", "attention", only_visible, "about 10,000"),
    ("reach-of-windows", "10", "sliding_window_mask", whole_past, None),
    ("causal-global", "40 and 8", "causal_mask", lambda n: np.ones((n, n), bool), "40 and 40"),
    ("one-way-or-both", "11, then 64", "global_mask", no_rows, None),
    ("scores-of-mixed-keys", "16,384", "attention", few_asked, "1,024"),
    (
        "mixed-with-the-future",
        "no, a mixture holds later tokens",
        "linformer_attention",
        lambda query, key, value, *_: value[:1],
        "yes, a mask on the 8 is enough",
    ),
    ("dilated-alone", "10", "dilated_mask", every_step, "all 40"),
    (
        "because-longformer_mask",
        "news must come in and go out",
        "global_mask",
        no_rows,
        "attention weights are symmetric",
    ),
    ("without-positive-features", "in about half", "np", Positive(), "in none"),
    ("break-even", "above 64", "range", lambda low, high: [n for n in range(low, high) if n > 4096], "above 4,096"),
    ("four-times-as-sharp", "0.89 and 0.03", "linear_attention", lambda q, k, v: 0.89 * v[None], "0.89 and 0.89"),
    (
        "what-a-state-keeps",
        "10 times, and no larger",
        "causal_linear_attention",
        growing_state,
        "10 times, and 10 times",
    ),
    ("rank-of-the-weights", "8", "linear_attention", by_count, "100"),
    ("four-times-the-features", "about half", "performer_attention", at_most_64, "the same"),
    (
        "because-causal_linear_attention",
        "rows must sum to one",
        "causal_linear_attention",
        undivided,
        "the state could overflow",
    ),
    ("because-random_features", "else the mean is too large", "np", Small(), "it only keeps numbers small"),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    earlier, later = {"core-of-a-small-model", "twice-as-deep"}, {"reach-of-four-layers"}  # a recall of lesson 18
    assert {row[0] for row in ANSWERS} | later == {id for id, item in BANK.items() if item.lesson == "17"} | earlier


def test_the_numbers_that_the_feedback_quotes():
    """Before: 0.10 and 0.02; and what is near the even 1/64."""
    query, key = np.random.default_rng(0).normal(size=(2, 8, 64, 64))
    assert abs(linear_attention(query, key, np.eye(64)).max(-1).mean() - 0.02) < 0.005
