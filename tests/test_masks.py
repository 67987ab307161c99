"""Masks against their definition, cell by cell, and how they combine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from attention_lab import causal_mask, combine_masks, padding_mask, prefix_mask, sliding_window_mask
from attention_lab.masks import over_keys

TRIES = settings(max_examples=60, deadline=None, derandomize=True)
LENGTHS = st.integers(0, 9)
LENGTH_PAIRS = [(5, 5), (3, 7), (7, 3), (1, 5), (5, 1), (0, 0), (0, 3), (3, 0)]


def by_definition(n_q, n_k, visible):
    """A mask filled cell by cell; queries are counted so that the last one stands at the last key."""
    cells = [[visible(i + n_k - n_q, j) for j in range(n_k)] for i in range(n_q)]
    return np.array(cells, bool).reshape(n_q, n_k)


def check(mask, expected):
    assert mask.dtype == bool
    assert mask.shape == expected.shape
    assert_array_equal(mask, expected)


def test_source_lab_d2():
    mask = causal_mask(10)
    assert mask.shape == (10, 10)
    assert mask[0].tolist() == [True] + [False] * 9
    check(mask, np.tril(np.ones((10, 10), bool)))


@pytest.mark.parametrize(("n_q", "n_k"), LENGTH_PAIRS)
def test_causal(n_q, n_k):
    check(causal_mask(n_q, n_k), by_definition(n_q, n_k, lambda i, j: j <= i))


@pytest.mark.parametrize(("n_q", "n_k"), LENGTH_PAIRS)
@pytest.mark.parametrize("window", [1, 2, 3, 20])
def test_sliding_window(n_q, n_k, window):
    check(sliding_window_mask(n_q, n_k, window=window), by_definition(n_q, n_k, lambda i, j: 0 <= i - j < window))
    both_sides = sliding_window_mask(n_q, n_k, window=window, is_causal=False)
    check(both_sides, by_definition(n_q, n_k, lambda i, j: abs(i - j) < window))


@pytest.mark.parametrize(("n_q", "n_k"), LENGTH_PAIRS)
@pytest.mark.parametrize("prefix", [0, 1, 4, 20])
def test_prefix(n_q, n_k, prefix):
    check(prefix_mask(n_q, n_k, prefix=prefix), by_definition(n_q, n_k, lambda i, j: j < prefix or j <= i))


def test_one_number_means_as_many_keys_as_queries():
    check(causal_mask(5), causal_mask(5, 5))
    check(sliding_window_mask(5, window=2), sliding_window_mask(5, 5, window=2))
    check(prefix_mask(5, prefix=2), prefix_mask(5, 5, prefix=2))


def test_numpy_integers_are_sizes():
    check(sliding_window_mask(np.int64(5), np.uint8(7), window=np.int32(3)), sliding_window_mask(5, 7, window=3))


@pytest.mark.parametrize("n_keys", [None, 4, 7])
@pytest.mark.parametrize("kind", [list, tuple, np.array, np.uint8])
def test_padding(n_keys, kind):
    lengths = [2, 0, 4]
    mask = padding_mask(np.array(lengths, np.uint8) if kind is np.uint8 else kind(lengths), n_keys)
    expected = np.array([[j < length for j in range(n_keys or 4)] for length in lengths])
    check(mask, expected[:, None, None, :])


def test_padding_of_empty_sequences_has_no_keys():
    assert padding_mask([0, 0]).shape == (2, 1, 1, 0)
    assert not padding_mask([0, 0], 3).any()


# ---- combined -------------------------------------------------------------------------------------------------


def test_combined_causal_and_padding_cell_by_cell():
    lengths = [2, 5, 0]
    mask = combine_masks(causal_mask(5), padding_mask(lengths, 5))
    cells = [by_definition(5, 5, lambda i, j, length=length: j <= i and j < length) for length in lengths]
    check(mask, np.stack(cells)[:, None])


def test_integers_lists_and_none_combine():
    expected = np.array([[True, False], [False, False]])
    check(combine_masks([[1, 0], [1, 1]], None, np.array([[True, True], [False, False]])), expected)


@pytest.mark.parametrize("dtype", [bool, int])
def test_combined_mask_is_an_array_of_its_own(dtype):
    mask = np.ones((3, 3), dtype)
    combine_masks(mask)[0, 0] = False
    combine_masks(mask, mask)[0, 0] = False
    assert mask.all()


# ---- what holds for every size --------------------------------------------------------------------------------


@TRIES
@given(LENGTHS, st.integers(1, 12))
def test_a_causal_window_shows_min_of_position_and_window(n, window):
    counts = sliding_window_mask(n, window=window).sum(-1)
    assert counts.tolist() == [min(i + 1, window) for i in range(n)]


@TRIES
@given(LENGTHS, st.integers(1, 12))
def test_a_two_sided_window_is_symmetric_and_holds_the_causal_one(n, window):
    wide, causal = sliding_window_mask(n, window=window, is_causal=False), sliding_window_mask(n, window=window)
    assert_array_equal(wide, wide.T)
    assert_array_equal(wide & causal_mask(n), causal)
    assert_array_equal(causal | causal.T, wide)


@TRIES
@given(LENGTHS, LENGTHS, st.integers(0, 12))
def test_a_window_as_wide_as_the_keys_is_causal_and_so_is_no_prefix(n_q, n_k, extra):
    assert_array_equal(sliding_window_mask(n_q, n_k, window=max(1, n_k + extra)), causal_mask(n_q, n_k))
    assert_array_equal(prefix_mask(n_q, n_k, prefix=0), causal_mask(n_q, n_k))
    assert prefix_mask(n_q, n_k, prefix=n_k + extra).all()


@TRIES
@given(st.integers(1, 9), st.integers(0, 9))
def test_new_queries_are_the_last_rows_of_the_square_mask(n, new):
    new = min(new, n)
    assert_array_equal(causal_mask(new, n), causal_mask(n)[n - new :])
    assert_array_equal(sliding_window_mask(new, n, window=3), sliding_window_mask(n, window=3)[n - new :])
    assert_array_equal(prefix_mask(new, n, prefix=2), prefix_mask(n, prefix=2)[n - new :])


@TRIES
@given(*[arrays(bool, (3, 5))] * 3)
def test_combining_is_commutative_associative_and_idempotent(a, b, c):
    both = combine_masks(a, b)
    assert_array_equal(both, combine_masks(b, a))
    assert_array_equal(combine_masks(both, c), combine_masks(a, combine_masks(b, c)))
    assert_array_equal(combine_masks(a, b, c), a & b & c)
    assert_array_equal(combine_masks(a, a), a)


def test_a_mask_over_tokens_is_the_same_for_every_head_and_query():
    real = np.array([[1, 1, 0], [1, 0, 0]])
    assert_array_equal(over_keys(real, (2, 3)), padding_mask([2, 1], 3))
    assert_array_equal(over_keys(real[0], (2, 3)), padding_mask([2], 3)[0])  # one for all
    assert over_keys(None, (2, 3)) is None
