"""Sparse masks against their definition, cell by cell, and how many cells they show."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import attention_lab as lab
from tests.test_masks import LENGTH_PAIRS, LENGTHS, by_definition, check

TRIES = settings(max_examples=60, deadline=None, derandomize=True)
SIZES = st.integers(1, 5)


def rng(seed=0):
    return np.random.default_rng(seed)


# ---- cell by cell ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_q", "n_k"), LENGTH_PAIRS)
@pytest.mark.parametrize(("window", "dilation"), [(1, 1), (2, 1), (2, 3), (3, 2), (5, 20)])
def test_dilated(n_q, n_k, window, dilation):
    seen = [step * dilation for step in range(window)]
    causal = lab.dilated_mask(n_q, n_k, window=window, dilation=dilation)
    check(causal, by_definition(n_q, n_k, lambda i, j: i - j in seen))
    both_sides = lab.dilated_mask(n_q, n_k, window=window, dilation=dilation, is_causal=False)
    check(both_sides, by_definition(n_q, n_k, lambda i, j: abs(i - j) in seen))


@pytest.mark.parametrize(("n_q", "n_k"), LENGTH_PAIRS)
@pytest.mark.parametrize("block_size", [1, 2, 3, 20])
def test_blocks(n_q, n_k, block_size):
    mask = lab.block_mask(n_q, n_k, block_size=block_size)
    check(mask, by_definition(n_q, n_k, lambda i, j: i // block_size == j // block_size))


@pytest.mark.parametrize(("n_q", "n_k"), [pair for pair in LENGTH_PAIRS if pair[1] > 2])
@pytest.mark.parametrize("positions", [[], [0], [2, 0], np.array([1, 1]), range(3), (np.uint8(2),)])
def test_global(n_q, n_k, positions):
    mask = lab.global_mask(n_q, n_k, positions=positions)
    check(mask, by_definition(n_q, n_k, lambda i, j: i in set(positions) or j in set(positions)))


@pytest.mark.parametrize(("n_q", "n_k"), [*LENGTH_PAIRS, (40, 11)])
def test_random_rows_hold_as_many_keys_as_asked_for(n_q, n_k):
    for num_keys in range(n_k + 1):
        mask = lab.random_mask(n_q, n_k, num_keys=num_keys, rng=rng())
        assert mask.dtype == bool
        assert mask.shape == (n_q, n_k)
        assert mask.sum(-1).tolist() == [num_keys] * n_q


def test_every_key_is_as_likely_to_be_drawn_and_rows_differ():
    mask = lab.random_mask(20_000, 7, num_keys=2, rng=rng())
    assert np.abs(mask.mean(0) - 2 / 7).max() < 0.015  # 4.7 standard errors
    pairs = mask.T.astype(int) @ mask / len(mask)
    assert np.abs(pairs[~np.eye(7, dtype=bool)] - 2 / 42).max() < 0.008  # each pair of keys, too


def test_a_longformer_mask_is_a_window_and_global_positions():
    mask = lab.longformer_mask(9, window=2, global_positions=[0, 4])
    check(mask, by_definition(9, 9, lambda i, j: abs(i - j) < 2 or {i, j} & {0, 4}))


# ---- BigBird --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_global", [0, 1, 2])
@pytest.mark.parametrize("num_random", [0, 1, 3])
@pytest.mark.parametrize(("n", "block_size"), [(24, 3), (23, 3), (11, 1)])
def test_big_bird_block_by_block(n, block_size, num_random, num_global):
    about = {"block_size": block_size, "num_random": num_random, "num_global": num_global}
    mask = lab.big_bird_mask(n, rng=rng(1), **about)
    assert mask.shape == (n, n)
    blocks = mask[::block_size, ::block_size]
    stretched = np.kron(blocks, np.ones((block_size, block_size), bool))[:n, :n]
    assert_array_equal(mask, stretched)  # whole blocks alone
    fixed = by_definition(len(blocks), len(blocks), lambda i, j: abs(i - j) <= 1 or min(i, j) < num_global)
    assert blocks[fixed].all()
    drawn = (blocks & ~fixed).sum(-1)
    assert drawn.tolist() == [0] * num_global + [num_random] * (len(blocks) - num_global)


def test_big_bird_without_random_blocks_is_a_longformer_of_blocks():
    mask = lab.big_bird_mask(20, block_size=4, num_random=0, num_global=1, rng=rng())
    of_blocks = lab.longformer_mask(5, window=2, global_positions=[0])
    assert_array_equal(mask[::4, ::4], of_blocks)


def test_every_other_block_is_as_likely_to_be_drawn():
    drawn = [lab.big_bird_mask(9, block_size=1, num_random=1, num_global=0, rng=rng(seed))[0] for seed in range(3000)]
    share = np.mean(drawn, axis=0)
    assert share[:2].tolist() == [1, 1]
    assert np.abs(share[2:] - 1 / 7).max() < 0.03


def test_all_blocks_global_shows_all():
    assert lab.big_bird_mask(7, block_size=3, num_random=0, num_global=3, rng=rng()).all()
    assert lab.big_bird_mask(0, block_size=3, num_random=0, num_global=0, rng=rng()).shape == (0, 0)


# ---- what holds for every size --------------------------------------------------------------------------------


@TRIES
@given(LENGTHS, SIZES, SIZES)
def test_counts_in_closed_form(n, size, step):
    dilated = lab.dilated_mask(n, window=size, dilation=step)
    assert dilated.sum(-1).tolist() == [min(i // step + 1, size) for i in range(n)]
    whole, rest = divmod(n, size)
    assert lab.block_mask(n, block_size=size).sum() == whole * size**2 + rest**2
    few = range(min(n, size))
    assert lab.global_mask(n, positions=few).sum() == n**2 - (n - len(few)) ** 2


@TRIES
@given(LENGTHS, SIZES, SIZES)
def test_without_a_future_to_hide_patterns_are_symmetric(n, size, step):
    wide = lab.dilated_mask(n, window=size, dilation=step, is_causal=False)
    masks = [wide, lab.block_mask(n, block_size=size), lab.global_mask(n, positions=range(min(n, step)))]
    masks += [lab.longformer_mask(n, window=size, global_positions=range(min(n, step)))]
    for mask in masks:
        assert_array_equal(mask, mask.T)
    assert_array_equal(wide & lab.causal_mask(n), lab.dilated_mask(n, window=size, dilation=step))


@TRIES
@given(LENGTHS, LENGTHS, SIZES)
def test_a_dilation_of_one_is_a_window(n_q, n_k, window):
    for is_causal in (True, False):
        plain = lab.sliding_window_mask(n_q, n_k, window=window, is_causal=is_causal)
        assert_array_equal(lab.dilated_mask(n_q, n_k, window=window, dilation=1, is_causal=is_causal), plain)


@TRIES
@given(st.integers(1, 9), st.integers(0, 9), SIZES)
def test_new_queries_are_the_last_rows_of_the_square_mask(n, new, size):
    new = min(new, n)
    for make in (
        lambda *sizes: lab.dilated_mask(*sizes, window=size, dilation=2),
        lambda *sizes: lab.block_mask(*sizes, block_size=size),
        lambda *sizes: lab.global_mask(*sizes, positions=[n - 1, 0]),
    ):
        assert_array_equal(make(new, n), make(n)[n - new :])


# ---- refused in words -----------------------------------------------------------------------------------------

BIG_BIRD = {"block_size": 2, "num_random": 1, "num_global": 1, "rng": rng()}
REFUSED = {
    "no window": (lambda: lab.dilated_mask(5, window=0, dilation=1), "window must be at least 1, got 0"),
    "no dilation": (lambda: lab.dilated_mask(5, window=1, dilation=0), "dilation must be at least 1, got 0"),
    "no block": (lambda: lab.block_mask(5, block_size=0), "block_size must be at least 1, got 0"),
    "a negative length": (lambda: lab.block_mask(-1, block_size=2), "n_queries must be at least 0"),
    "no such position": (lambda: lab.global_mask(5, positions=[5]), "positions must lie between 0 and 4, got 5 to 5"),
    "a position from the end": (lambda: lab.global_mask(5, positions=[-1]), "positions must lie between 0 and 4"),
    "a position for no query": (lambda: lab.longformer_mask(3, window=1, global_positions=[7]), "between 0 and 2"),
    "more keys than there are": (lambda: lab.random_mask(5, 3, num_keys=4, rng=rng()), "num_keys=4.* there are 3"),
    "fewer than none": (lambda: lab.random_mask(5, num_keys=-1, rng=rng()), "num_keys must be at least 0"),
    "no longformer window": (lambda: lab.longformer_mask(5, window=0, global_positions=[]), "window must be at least"),
    "no big bird block": (lambda: lab.big_bird_mask(8, **BIG_BIRD | {"block_size": 0}), "block_size must be at least"),
    "random blocks": (
        lambda: lab.big_bird_mask(12, **BIG_BIRD | {"num_random": 3}),
        "num_random=3 blocks cannot be drawn.*only 2 others",
    ),
    "global blocks": (lambda: lab.big_bird_mask(8, **BIG_BIRD | {"num_global": 5}), "num_global=5.*n=8 has 4 of 2"),
    "negative random": (lambda: lab.big_bird_mask(8, **BIG_BIRD | {"num_random": -1}), "num_random must be at least 0"),
}
MISTAKEN = {
    "half a window": (lambda: lab.dilated_mask(5, window=1.5, dilation=1), "window must be a whole number"),
    "half a position": (lambda: lab.global_mask(5, positions=[0.5]), "positions must be whole numbers"),
    "a mask as positions": (lambda: lab.global_mask(2, positions=[True, False]), "positions must be whole numbers"),
    "a causal number": (lambda: lab.dilated_mask(5, window=1, dilation=1, is_causal=1), "is_causal must be True or"),
    "a seed": (lambda: lab.random_mask(5, num_keys=1, rng=0), "numpy.random.Generator"),
    "a seed for big bird": (lambda: lab.big_bird_mask(12, **BIG_BIRD | {"rng": 0}), "numpy.random.Generator"),
    "half a block": (lambda: lab.big_bird_mask(12, **BIG_BIRD | {"block_size": 1.5}), "block_size must be a whole"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_sizes_that_make_no_sense(name):
    call, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("name", MISTAKEN)
def test_kinds_that_make_no_sense(name):
    call, words = MISTAKEN[name]
    with pytest.raises(TypeError, match=words):
        call()
