"""`online_softmax`: however a row is cut into tiles, and whatever is hidden, it gives what the whole row gives."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import online_softmax, scaled_dot_product_attention, softmax
from tests.differences import normal

EPS = {np.float16: 2e-3, np.float32: 1e-6, np.float64: 1e-12}


def read(scores, value, cuts, state=None):
    """The output after the tiles between these places; a row that saw no key gives zeros."""
    cuts = sorted({0, *cuts, scores.shape[-1]})
    for start, stop in pairwise(cuts):
        state = online_softmax(scores[..., start:stop], value[..., start:stop, :], state)
    maximum, total, mixed = state
    return mixed / np.where(total == 0, 1, total), maximum, total


@given(
    n_k=st.integers(1, 17),
    cuts=st.lists(st.integers(1, 16)),
    level=st.sampled_from([1.0, 30.0, 1e5]),
    dtype=st.sampled_from([np.float32, np.float64]),
    hidden=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_equals_softmax_for_every_way_to_cut(n_k, cuts, level, dtype, hidden, seed):
    rng = np.random.default_rng(seed)
    scores, value = level * rng.normal(size=(2, 3, n_k)), rng.normal(size=(2, n_k, 5)).astype(dtype)
    scores = np.where(rng.random(scores.shape) < hidden, -np.inf, scores).astype(dtype)
    output, maximum, total = read(scores, value, [cut for cut in cuts if cut < n_k])
    assert output.dtype == total.dtype == dtype
    assert_allclose(output, softmax(scores) @ value, atol=10 * EPS[dtype])
    assert_array_equal(maximum, scores.max(-1, keepdims=True))
    exact = np.exp(scores - np.where(maximum == -np.inf, 0, maximum)).sum(-1, keepdims=True)
    assert_allclose(total, exact, rtol=20 * EPS[dtype])


def test_by_hand():
    scores, value = np.log([[2.0, 1, 4, 1]]), np.array([[8.0], [0], [4], [4]])
    maximum, total, mixed = online_softmax(scores[:, :2], value[:2])
    assert_allclose([np.exp(maximum.item()), total.item(), mixed.item()], [2, 1.5, 8])
    maximum, total, mixed = online_softmax(scores[:, 2:], value[2:], (maximum, total, mixed))
    assert_allclose([np.exp(maximum.item()), total.item(), mixed.item()], [4, 2, 9])


@pytest.mark.parametrize("far", [-1e5, 1e5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_far_from_zero(far, dtype):
    scores, value = (far + normal(3, 8)).astype(dtype), normal(8, 2, dtype=dtype)
    output, *_ = read(scores, value, [3, 4])
    assert_allclose(output, softmax(scores) @ value, rtol=1e-5)


def test_a_first_tile_that_is_all_masked():
    scores, value = normal(3, 8), normal(8, 2)
    scores[:2, :4] = -np.inf
    scores[0] = -np.inf
    state = online_softmax(scores[:, :4], value[:4])
    assert_array_equal(state[0][:2, 0], [-np.inf, -np.inf])
    assert_array_equal(state[1][:2], 0)
    assert_array_equal(state[2][:2], 0)
    output, *_ = read(scores, value, [4])
    assert_allclose(output, softmax(scores) @ value, atol=1e-14)
    assert_array_equal(output[0], 0)


def test_float16_keeps_its_sums_in_float32():
    scores, value = normal(3, 5000, dtype=np.float16), normal(5000, 2, dtype=np.float16)
    output, _, total = read(scores, value, range(0, 5000, 100))
    assert total.dtype == np.float32
    assert_allclose(output, softmax(scores.astype(float)) @ value.astype(float), atol=EPS[np.float16])


def test_whole_numbers_are_read_as_float64():
    maximum, total, mixed = online_softmax([[0, 0]], [[1], [3]])
    assert (maximum.item(), total.item(), mixed.item()) == (0, 2, 4)
    assert total.dtype == np.float64


def test_nothing_that_is_handed_over_changes():
    scores, value = normal(3, 8), normal(8, 2)
    state = online_softmax(scores[:, :4], value[:4])
    held = [x.copy() for x in (scores, value, *state)]
    online_softmax(scores[:, 4:], value[4:], state)
    for now, before in zip((scores, value, *state), held):
        assert_array_equal(now, before)


def test_leading_axes_broadcast():
    scores, value = normal(5, 1, 3, 8), normal(2, 8, 4)
    output, *_ = read(scores, value, [3])
    assert output.shape == (5, 2, 3, 4)
    assert_allclose(output, softmax(scores) @ value)


def test_causal_attention_of_which_hidden_tiles_are_left_out():
    query, key, value = normal(3, 12, 4)
    for start in range(0, 12, 3):
        rows, state = slice(start, start + 3), None
        for first in range(0, start + 3, 3):
            keys = slice(first, first + 3)
            scores = query[rows] @ key[keys].T / 2
            visible = np.arange(12)[keys] <= np.arange(12)[rows, None]
            state = online_softmax(np.where(visible, scores, -np.inf), value[keys], state)
        dense, _ = scaled_dot_product_attention(query, key, value, is_causal=True)
        assert_allclose(state[2] / state[1], dense[rows])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, 2.0], [[1.0], [2.0]]), "at least 2 axes"),
        ((np.ones((3, 0)), np.ones((0, 2))), "empty"),
        ((np.ones((3, 4)), np.ones((5, 2))), "value has 5 rows but scores have 4 keys"),
        ((np.ones((2, 3, 4)), np.ones((5, 4, 2))), "must broadcast"),
        ((np.ones((3, 4)), np.ones((4, 2)), (0.0, 0.0)), r"state must be three arrays of shapes \[\(3, 1\)"),
        ((np.ones((3, 4)), np.ones((4, 2)), [np.zeros((3, 1))] * 3), r"\(3, 2\)\], got"),
        ((np.array([[np.nan, 1]]), np.ones((2, 2))), "scores"),
        ((np.array([[np.inf, 1]]), np.ones((2, 2))), "scores"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        online_softmax(*arguments)
