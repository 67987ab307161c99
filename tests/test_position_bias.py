"""What distance adds to the scores: ALiBi's slopes for every number of heads, T5's buckets for every distance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import (
    RelativePositionBias,
    alibi_bias,
    alibi_slopes,
    relative_position_bucket,
    scaled_dot_product_attention,
)
from tests.oracle import bucket_by_integers

# ---- ALiBi ------------------------------------------------------------------------------------------------------


def slopes_by_loops(num_heads):
    powers = [2**i for i in range(7) if 2**i <= num_heads]
    lower = max(powers)
    slopes = [2.0 ** (-8 * i / lower) for i in range(1, lower + 1)]
    finer = [2.0 ** (-8 * i / (2 * lower)) for i in range(1, 2 * lower + 1)]
    return slopes + [finer[2 * i] for i in range(num_heads - lower)]


@pytest.mark.parametrize("num_heads", range(1, 65))
def test_slopes_for_every_number_of_heads(num_heads):
    slopes = alibi_slopes(num_heads)
    assert_allclose(slopes, slopes_by_loops(num_heads), rtol=1e-14)
    assert slopes.shape == (num_heads,)
    assert len(set(slopes)) == num_heads
    assert ((slopes >= 2**-8) & (slopes < 1)).all()


def test_slopes_of_powers_of_two_are_geometric_and_end_at_one_256th():
    for num_heads in (1, 2, 4, 8, 16, 32, 64):
        slopes = alibi_slopes(num_heads)
        assert_allclose(slopes[1:] / slopes[:-1], 2 ** (-8 / num_heads), rtol=1e-13)
        assert slopes[-1] == 2**-8


def test_slopes_of_twelve_heads():
    eight = [2.0**-i for i in range(1, 9)]
    assert_allclose(alibi_slopes(12), [*eight, 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5], rtol=1e-14)


@pytest.mark.parametrize(("n_q", "n_k"), [(5, 5), (3, 7), (1, 7), (7, 3), (0, 0)])
def test_bias_is_minus_slope_times_distance_aligned_to_the_end(n_q, n_k):
    bias = alibi_bias(6, n_q, n_k)
    assert bias.shape == (6, n_q, n_k)
    for h, i, j in np.ndindex(bias.shape):
        assert bias[h, i, j] == pytest.approx(-alibi_slopes(6)[h] * abs(i + n_k - n_q - j), abs=1e-15)
    assert_array_equal(alibi_bias(6, 5), alibi_bias(6, 5, 5))


def test_equal_scores_fade_geometrically_with_distance():
    weights = scaled_dot_product_attention(*[np.zeros((2, 6, 3))] * 3, alibi_bias(2, 6), is_causal=True)[1]
    for h, slope in enumerate(alibi_slopes(2)):
        assert_allclose(weights[h, -1, 1:] / weights[h, -1, :-1], np.exp(slope), rtol=1e-12)


# ---- T5's buckets -----------------------------------------------------------------------------------------------

EVERY = np.arange(-10_000, 10_001)
SETTINGS = [
    *((32, 128, True), (32, 128, False), (64, 256, True), (16, 20, False)),
    *((4, 2, True), (5, 3, True), (2, 2, False), (7, 1000, False), (32, 10**6, True), (33, 17, False)),
]


@pytest.mark.parametrize(("num_buckets", "max_distance", "bidirectional"), SETTINGS)
def test_every_distance_has_a_bucket_in_range_and_farther_is_never_nearer(num_buckets, max_distance, bidirectional):
    about = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
    buckets = relative_position_bucket(EVERY, **about)
    assert buckets.min() == 0
    assert buckets.max() <= num_buckets - 1
    past, future = buckets[EVERY <= 0][::-1], buckets[EVERY > 0]
    assert (np.diff(past) >= 0).all()
    assert (np.diff(past) <= 1).all() or max_distance < num_buckets
    if bidirectional:
        half = num_buckets // 2
        assert_array_equal(future, past[1:] + half)
        assert past.max() <= half - 1
    else:
        assert (future == 0).all()
    wanted = [bucket_by_integers(int(r), num_buckets, max_distance, bidirectional) for r in EVERY[::7]]
    assert_array_equal(buckets[::7], wanted)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_every_distance_equals_the_loop(bidirectional):
    wanted = [bucket_by_integers(int(r), 32, 128, bidirectional) for r in EVERY]
    assert_array_equal(relative_position_bucket(EVERY, bidirectional=bidirectional), wanted)
    assert set(wanted) == set(range(32)) - ({16} if bidirectional else set())  # distance 0 has no direction


def test_near_distances_have_a_bucket_each_and_the_last_begins_before_the_largest_distance():
    assert relative_position_bucket(-np.arange(8)).tolist() == list(range(8))
    assert relative_position_bucket(-np.arange(16), bidirectional=False).tolist() == list(range(16))
    assert relative_position_bucket([-90, -91, -127, -128, -129, -(10**9)]).tolist() == [14, 15, 15, 15, 15, 15]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint8, np.uint64])
def test_the_largest_number_of_a_dtype_lands_in_the_last_bucket(dtype):
    limits = np.iinfo(dtype)
    past = [15] if limits.min < 0 else [0]
    for number, wanted in ((limits.min, past), (limits.max, [31])):
        assert relative_position_bucket(np.array([number], dtype)).tolist() == wanted


def test_any_shape_is_kept():
    assert relative_position_bucket(3).shape == ()
    assert relative_position_bucket(np.zeros((2, 0, 3), int)).shape == (2, 0, 3)


# ---- learned bias -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("n_q", "n_k"), [(5, 5), (3, 7), (1, 7), (7, 3), (0, 0)])
def test_bias_is_the_number_of_the_bucket_of_key_minus_query(n_q, n_k, bidirectional):
    about = {"num_buckets": 12, "max_distance": 9, "bidirectional": bidirectional}
    layer = RelativePositionBias(3, **about, rng=np.random.default_rng(0))
    bias = layer(n_q, n_k)
    assert bias.shape == (3, n_q, n_k)
    assert bias.dtype == np.float32
    for h, i, j in np.ndindex(bias.shape):
        assert bias[h, i, j] == layer.table[bucket_by_integers(j - (i + n_k - n_q), **about), h]
    assert_array_equal(layer(5), layer(5, 5))
    assert layer.table.shape == (12, 3)


def test_the_bias_starts_small_and_differs_by_direction():
    layer = RelativePositionBias(64, rng=np.random.default_rng(0))
    assert layer.table.std() == pytest.approx(0.02, rel=0.05)
    bias = layer(9)
    assert (bias != bias.swapaxes(-1, -2))[:, 0, 1:].all()
    for k in range(-8, 9):
        diagonal = np.diagonal(bias, k, -2, -1)
        assert (diagonal == diagonal[:, :1]).all()
