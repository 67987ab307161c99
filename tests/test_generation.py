"""From logits to the next token: closed forms of the cuts, and draws with the chances that stand there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import Tensor, next_probabilities, sample, softmax
from tests.test_checks import refused_with

HALF = np.log([0.5, 0.3, 0.2])
FLOATS = (np.float16, np.float32, np.float64)


def rng(seed=0):
    return np.random.default_rng(seed)


# ---- chances ----------------------------------------------------------------------------------------------------

CLOSED = [
    ({}, [0.5, 0.3, 0.2]),
    ({"temperature": 2}, np.sqrt([0.5, 0.3, 0.2]) / np.sqrt([0.5, 0.3, 0.2]).sum()),
    ({"temperature": 0.5}, np.array([25, 9, 4]) / 38),
    ({"temperature": 0}, [1, 0, 0]),
    ({"temperature": 0.0, "top_k": 3, "top_p": 1}, [1, 0, 0]),
    ({"top_k": 1}, [1, 0, 0]),
    ({"top_k": 2}, [5 / 8, 3 / 8, 0]),
    ({"top_k": 3}, [0.5, 0.3, 0.2]),
    ({"top_k": 99}, [0.5, 0.3, 0.2]),
    ({"top_p": 0}, [1, 0, 0]),
    ({"top_p": 0.4}, [1, 0, 0]),
    ({"top_p": 0.6}, [5 / 8, 3 / 8, 0]),
    ({"top_p": 0.79}, [5 / 8, 3 / 8, 0]),
    ({"top_p": 0.81}, [0.5, 0.3, 0.2]),
    ({"top_p": 1}, [0.5, 0.3, 0.2]),
    ({"top_p": 1.0}, [0.5, 0.3, 0.2]),
    ({"top_k": 2, "top_p": 0.6}, [1, 0, 0]),  # of the two that are left the first one has 0.625
    ({"temperature": 0.5, "top_p": 0.6}, [1, 0, 0]),  # sharpened first: 25 / 38 is enough
    ({"temperature": 0.5, "top_k": 2}, [25 / 34, 9 / 34, 0]),
]


@pytest.mark.parametrize(("options", "wanted"), CLOSED, ids=str)
def test_closed_forms(options, wanted):
    assert_allclose(next_probabilities(HALF, **options), wanted, rtol=1e-12)
    for order in ([2, 0, 1], [1, 2, 0], [0, 2, 1]):
        assert_allclose(next_probabilities(HALF[order], **options), np.array(wanted)[order], rtol=1e-12)
    shifted = next_probabilities(np.stack([HALF, HALF[::-1] + 1000]), **options)
    assert_allclose(shifted, [wanted, wanted[::-1]], rtol=1e-9)


TIED = [
    ({}, [0.2] * 5),
    ({"temperature": 0}, [1, 0, 0, 0, 0]),
    ({"temperature": 1e-300}, [0.2] * 5),
    ({"top_k": 2}, [0.5, 0.5, 0, 0, 0]),
    ({"top_p": 0}, [1, 0, 0, 0, 0]),
    ({"top_p": 0.5}, [1 / 3, 1 / 3, 1 / 3, 0, 0]),  # two reach 0.4, the third one crosses
    ({"top_p": 1}, [0.2] * 5),
]


@pytest.mark.parametrize(("options", "wanted"), TIED, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_of_equals_the_lower_id_stays(dtype, options, wanted):
    assert_allclose(next_probabilities(np.ones(5, dtype), **options), wanted, rtol=1e-3)


def test_of_many_equals_the_lower_ids_stay():
    logits = np.repeat([0.0, 1.0, 0.0], 100)
    assert np.flatnonzero(next_probabilities(logits, top_k=3)).tolist() == [100, 101, 102]
    assert np.flatnonzero(next_probabilities(logits, top_p=1e-3)).tolist() == [100]
    assert next_probabilities(logits, temperature=0).argmax() == 100


def test_a_nucleus_of_1_leaves_nothing_out():
    unlikely = next_probabilities([0.0, -50.0], top_p=1)[1]
    assert_allclose(unlikely, np.exp(-50), rtol=1e-12)
    assert next_probabilities([0.0, -50.0], top_p=1 - 1e-9)[1] == 0


def test_a_sum_that_is_reached_exactly_needs_no_further_token():
    quarters = np.log([0.5, 0.25, 0.25])
    assert next_probabilities(quarters, top_p=0.5).tolist() == [1, 0, 0]
    assert_allclose(next_probabilities(quarters, top_p=0.75), [2 / 3, 1 / 3, 0], rtol=1e-12)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("temperature", [1e-320, 1e-300, 1e-50, 1e-4, 1.0, 1e50, 1e300])
def test_temperatures_at_the_ends_neither_warn_nor_break(temperature, dtype):
    logits = np.array([[900, 1, 900, -np.inf], [0, -60000, -1, -2]], dtype)
    with np.errstate(all="raise"):
        chances = next_probabilities(logits, temperature=temperature)
    assert_allclose(chances.sum(-1), 1, rtol=1e-3)
    assert chances[0, 3] == 0
    if temperature < 1e-3:
        assert chances.tolist() == [[0.5, 0, 0.5, 0], [1, 0, 0, 0]]
    if temperature > 1e5:
        assert_allclose(chances[0, :3], 1 / 3, rtol=1e-3)


@pytest.mark.parametrize("dtype", FLOATS)
def test_dtype_and_shape_are_kept(dtype):
    logits = rng().standard_normal((2, 3, 7)).astype(dtype)
    for options in ({}, {"temperature": 0}, {"top_k": 2}, {"top_p": 0.7}, {"temperature": np.float64(0.3)}):
        chances = next_probabilities(logits, **options)
        assert (chances.shape, chances.dtype) == (logits.shape, dtype)
        assert_allclose(chances.sum(-1, dtype=float), 1, atol=2e-3)
        for place in np.ndindex(2, 3):
            assert_array_equal(chances[place], next_probabilities(logits[place], **options))
    assert next_probabilities([[0, 1]]).dtype == np.float64
    assert next_probabilities(np.ones((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("largest", [np.finfo(np.float32).max, 1e38])
def test_the_largest_logits_of_a_dtype(largest):
    with np.errstate(all="raise"):
        assert next_probabilities(np.float32([largest, -largest, 0])).tolist() == [1, 0, 0]


def test_what_was_impossible_stays_so():
    logits = np.array([-np.inf, 0, -np.inf, 1])
    for options in (
        {},
        {"temperature": 5},
        {"top_k": 4},
        {"top_p": 1},
        {"temperature": 0},
        {"top_k": 3, "top_p": 0.99},
    ):
        assert (next_probabilities(logits, **options)[[0, 2]] == 0).all()


def test_the_logits_are_left_alone():
    logits = HALF.copy()
    next_probabilities(logits, temperature=0.5, top_k=2, top_p=0.5)
    assert_array_equal(logits, HALF)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.integers(0, 9999), st.floats(0, 1), st.integers(1, 10), st.floats(0.1, 5))
def test_the_cuts_by_their_definition(size, seed, top_p, top_k, temperature):
    logits = rng(seed).integers(-3, 3, size) * 0.7  # with ties
    whole = softmax(logits / temperature)
    order = sorted(range(size), key=lambda i: (-whole[i], i))[:top_k]
    part, kept = whole[order] / whole[order].sum(), []
    for i in order:
        if kept and sum(part[: len(kept)]) >= top_p - 1e-12:
            break
        kept.append(i)
    got = next_probabilities(logits, temperature=temperature, top_k=top_k, top_p=top_p)
    found = np.flatnonzero(got).tolist()
    close = abs(np.cumsum(part) - top_p).min() < 1e-9  # a sum that is reached by a rounding, or missed by one
    assert close or found == sorted(kept)
    assert_allclose(got[found], whole[found] / whole[found].sum(), rtol=1e-9)


# ---- draws ------------------------------------------------------------------------------------------------------


def test_a_chance_of_0_is_never_drawn_and_the_others_as_often_as_they_say():
    chances = np.array([0, 0.5, 0, 0.3, 0.2, 0])
    drawn = sample(np.broadcast_to(chances, (40_000, 6)), rng())
    frequencies = np.bincount(drawn, minlength=6) / len(drawn)
    assert (frequencies[chances == 0] == 0).all()
    assert_allclose(frequencies, chances, atol=0.01)


class Scripted(np.random.Generator):
    """Draws the same number every time."""

    def __init__(self, number):
        super().__init__(np.random.PCG64(0))
        self.number = number

    def random(self, size=None):
        return np.full(size, self.number)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_ends_of_what_is_drawn_hit_no_impossible_token(dtype):
    rows = np.array([[0, 0.25, 0.75, 0], [0.1] * 4 + [0] * 6, [1, 0, 0, 0]][0], dtype)
    assert sample(rows, Scripted(0.0)) == 1
    assert sample(rows, Scripted(np.nextafter(1, 0))) == 2
    tenth = np.array([0.1] * 10 + [0], dtype)  # ten of them are not quite 1
    assert sample(tenth, Scripted(np.nextafter(1, 0))) == 9
    assert sample(np.array([0, 1, 0], dtype), Scripted(np.nextafter(1, 0))) == 1
    assert sample(np.float32([1, 1e-8]), Scripted(np.nextafter(1, 0))) == 1  # rare, and not lost in the sum


def test_each_row_is_drawn_from_its_own_chances():
    assert sample(np.eye(4)[[2, 0, 3]], rng()).tolist() == [2, 0, 3]
    assert sample(np.ones((2, 3, 1)), rng()).tolist() == [[0] * 3] * 2
    assert sample([0, 1, 0], rng()) == 1
    assert sample(np.ones((0, 3)) / 3, rng()).shape == (0,)
    drawn = sample(np.full((200, 5), 0.2), rng())
    assert len(set(drawn.tolist())) == 5
    assert_array_equal(drawn, sample(np.full((200, 5), 0.2), rng()))
    assert (drawn != sample(np.full((200, 5), 0.2), rng(1))).any()


# ---- what is refused --------------------------------------------------------------------------------------------

VALUES = {
    "one number": (lambda: next_probabilities(3.0), "logits must be (..., vocab_size)", "got shape ()"),
    "no token": (lambda: next_probabilities([]), "at least one token", "(0,)"),
    "NaN": (lambda: next_probabilities([np.nan, 1]), "each row of logits must have a finite largest number"),
    "inf": (lambda: next_probabilities([np.inf, 1]), "each row of logits must have a finite largest number"),
    "nothing is possible": (lambda: next_probabilities([[0, 1], [-np.inf, -np.inf]]), "look for NaN and inf"),
    **{
        f"{name} {value}": (lambda name=name, value=value: next_probabilities(HALF, **{name: value}), words)
        for name, value, words in (
            ("temperature", -1, "temperature must be at least 0, got -1"),
            ("temperature", np.nan, "temperature must be at least 0, got nan"),
            ("temperature", np.inf, "temperature must be at least 0, got inf"),
            ("top_k", 0, "top_k must be at least 1, got 0"),
            ("top_p", -0.1, "top_p must be at least 0 and at most 1, got -0.1"),
            ("top_p", 90, "top_p must be at least 0 and at most 1, got 90"),
            ("top_p", np.nan, "top_p must be at least 0 and at most 1, got nan"),
        )
    },
    "top_k of a greedy draw": (lambda: next_probabilities(HALF, temperature=0, top_k=0), "top_k must be at least 1"),
    "top_p of a greedy draw": (lambda: next_probabilities(HALF, temperature=0, top_p=2), "top_p must be at least 0"),
    "logits to draw from": (lambda: sample([2.0, -1.0], rng()), "at least 0 and sum to 1: see next_probabilities"),
    "too little": (lambda: sample([[0.5, 0.5], [0.2, 0.2]], rng()), "sum to 1: see next_probabilities"),
    "chances of NaN": (lambda: sample([np.nan, 1], rng()), "at least 0 and sum to 1"),
    "one chance": (lambda: sample(1.0, rng()), "probabilities must be (..., vocab_size), got shape ()"),
    "no chance": (lambda: sample([], rng()), "probabilities must be (..., vocab_size), got shape (0,)"),
}
KINDS = {
    "words": (lambda: next_probabilities("abc"), "logits must hold real numbers"),
    "temperature in words": (lambda: next_probabilities(HALF, temperature="hot"), "must be a number, got 'hot'"),
    "no temperature": (lambda: next_probabilities(HALF, temperature=None), "temperature must be a number, got None"),
    "half a token": (lambda: next_probabilities(HALF, top_k=1.5), "top_k must be a whole number, got 1.5"),
    "top_k of a greedy draw": (lambda: next_probabilities(HALF, temperature=0, top_k="2"), "top_k must be a whole"),
    "top_p as a flag": (lambda: next_probabilities(HALF, top_p=True), "top_p must be a number, got True"),
    "a seed": (lambda: sample([1.0], 3), "rng must be a numpy.random.Generator, got 3"),
    "no generator": (lambda: sample([1.0], None), "write np.random.default_rng(seed)"),
    "a Tensor": (lambda: next_probabilities(Tensor(HALF)), "use its .data"),
}


@pytest.mark.parametrize("case", VALUES)
def test_a_bad_value_is_a_value_error_in_words(case):
    call, *words = VALUES[case]
    refused_with(ValueError, call, words)


@pytest.mark.parametrize("case", KINDS)
def test_the_wrong_kind_is_a_type_error_in_words(case):
    call, *words = KINDS[case]
    refused_with(TypeError, call, words)
