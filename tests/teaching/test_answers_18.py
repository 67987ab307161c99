"""The answers of lesson 18, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

from attention_lab import GRU, GraphAttention, KVCache, sliding_window_mask, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.exercises.lesson_18 import neighbour_attention, offset_weights
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class WithPositions(GraphAttention):
    """A node's number is among what it says."""

    def __call__(self, x, adjacency):
        return super().__call__(x + 3 * np.arange(len(x))[:, None], adjacency)


class WholeGraph(GraphAttention):
    """Every node reads every other."""

    def __call__(self, x, adjacency):
        return super().__call__(x, np.ones_like(adjacency))


class OverNothing(GraphAttention):
    """A softmax written down without care."""

    def __call__(self, x, adjacency):
        output, weights = super().__call__(x, adjacency)
        return output if output.any() else output * np.nan, weights


class Sparse(GraphAttention):
    """Holds no more scores than there are edges."""

    def __call__(self, x, adjacency):
        output, weights = super().__call__(x, adjacency)
        return output, weights[weights > 0]


class Uneven:
    """NumPy, but the noise of neighbours grows from one to the next."""

    def __getattr__(self, name):
        return getattr(np, name)

    def full(self, size, value):
        return value * np.arange(1, size + 1)


class Multiplied(Uneven):
    """NumPy, but where a bend is chosen, scores get a product that belongs to each pair."""

    def where(self, condition, a, b):
        return a * np.random.default_rng(3).normal(size=a.shape)


class Growing(GRU):
    """Keeps all its states."""

    def __call__(self, x):
        return np.repeat(super().__call__(x), 10**7, axis=0)


class Forgetful(KVCache):
    """Keeps nothing."""

    nbytes = 0


def sees_all(n, *, window):
    return np.tri(n, dtype=bool)


def quiet_marks(scores):
    """As if no noise were added."""
    return softmax(np.repeat([[2.0, -2.0]], len(scores), axis=0).repeat((3, 6), axis=-1))


def by_content(query, key, value, bias):
    """Scores that ask what the tokens hold."""
    return attention(value, value, value, bias)


def with_signs(query, key, value, bias):
    """An edge detector."""
    weights = np.eye(len(value), k=1) - np.eye(len(value), k=-1)
    return weights @ value, weights


def last_alone(query, key, value):
    """Reads what was turned, whole."""
    return value[7:8], None


def one_for_all(scores, n):
    """Every row is the mean."""
    return np.full((n, n), 1 / n)


def bent(query, key, value, near):
    return neighbour_attention(query, key, value, near) ** 2


def uncut(scores, n):
    """As if the tokens stood in a ring: every row has as many keys."""
    return offset_weights(scores, 3 * n)[n : 2 * n, n : 2 * n]


def renormalised(scores):
    """What is deleted afterwards had no weight to begin with."""
    return np.array([0.5, 0.5, 0, 0, 0])


ANSWERS = [
    ("reach-of-four-layers", "21", "sliding_window_mask", sees_all, "all 50"),
    ("hidden-after-the-softmax", "0.40, and 0.4 times as long", "softmax", renormalised, "1.00, and as long"),
    ("nodes-renumbered", "the same rows, shuffled alike", "GraphAttention", WithPositions, "other rows"),
    ("even-neighbours", "the best there is", "np", Uneven(), "a bug: nothing was learned"),
    ("marks-in-noise", "about 0.5", "softmax", quiet_marks, "about 0.96"),
    ("one-favourite", "1", "np", Multiplied(), "about 18"),
    ("news-of-two-hops", "5", "GraphAttention", WholeGraph, "7"),
    ("without-a-neighbour", "zeros, and its own value", "GraphAttention", OverNothing, "NaN, and its own value"),
    (
        "because-neighbour_attention",
        "hidden scores are never computed",
        "neighbour_attention",
        bent,
        "the result is more exact",
    ),
    (
        "distance-alone",
        "a convolution whose kernel is positive and sums to 1",
        "attention",
        by_content,
        "no convolution: a softmax is not linear",
    ),
    ("edge-by-two-heads", "2", "offset_weights", one_for_all, "none can"),
    ("one-switch-of-a-hundred", "by 1/100 of what the token changed", "attention", last_alone, "by all of it"),
    ("a-day-of-a-meter", "the GRU alone", "KVCache", Forgetful, "both"),
    ("because-offset_weights", "there are fewer keys", "offset_weights", uncut, "tokens at the border matter less"),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


@pytest.mark.parametrize(
    ("id", "name", "broken", "then"),
    [
        ("distance-alone", "attention", with_signs, "a convolution with any kernel"),
        ("a-day-of-a-meter", "GRU", Growing, None),
        ("because-neighbour_attention", "GraphAttention", Sparse, "a loop is faster"),
    ],
)
def test_another_way_to_break_them(monkeypatch, id, name, broken, then):
    check_answer(monkeypatch, id, BANK[id].answer(), name, broken, then)


def test_no_question_is_left_out():
    earlier, later = {"reach-of-four-layers", "hidden-after-the-softmax"}, {"kernel-with-signs"}  # in lesson 19
    assert {row[0] for row in ANSWERS} | later == {id for id, item in BANK.items() if item.lesson == "18"} | earlier


def test_the_numbers_that_the_feedback_quotes():
    """0.96 of the weight, 512 bytes a token, full after half a second, 44 GB a day, 10 layers for 50 tokens."""
    assert abs(softmax(2 * np.repeat([1.0, -1.0], (3, 6)))[:3].sum() - 0.96) < 0.01
    cache = KVCache(1)
    cache.append(*np.zeros((2, 1, 64), np.float32))
    assert cache.nbytes == 512
    assert 256 * 1024 / 512 == 512  # milliseconds
    assert round(512 * 24 * 3600 * 1000 / 1e9) == 44
    mask = sliding_window_mask(50, window=6).astype(int)
    assert [(np.linalg.matrix_power(mask, layers)[-1] > 0).all() for layers in (9, 10)] == [False, True]
