"""Sinusoidal encoding, rotation and learned positions: loops, closed forms, distances."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import LearnedPositions, positional_encoding, rotary_embedding

FLOATS = (np.float16, np.float32, np.float64)
BASES = (1e-3, 1, 2, 100.0, 10000, 500000.0)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


# ---- sinusoidal -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("seq_len", "d_model"), [(7, 10), (7, 11), (1, 1), (3, 1), (5, 2), (0, 6), (5, 0), (0, 0)])
def test_encoding_number_by_number(seq_len, d_model, base):
    encoding = positional_encoding(seq_len, d_model, base=base)
    assert encoding.shape == (seq_len, d_model)
    for p, f in np.ndindex(seq_len, d_model):
        angle = p / base ** ((f - f % 2) / d_model)
        assert encoding[p, f] == pytest.approx((math.sin, math.cos)[f % 2](angle), abs=1e-9)


def test_the_shape_of_the_source_labs():
    assert positional_encoding(10, 64).shape == (10, 64)
    assert np.abs(positional_encoding(10, 512)).max() <= 1
    assert_array_equal(positional_encoding(10, 64)[:7], positional_encoding(7, 64))  # computed once, then cut


@pytest.mark.parametrize("d_model", [2, 6, 64, 128])
def test_the_product_of_two_encodings_depends_on_their_distance_alone(d_model):
    encoding = positional_encoding(300, d_model)
    for k in (0, 1, 2, 5, 31, 64, 150):
        products = (encoding[: 300 - k] * encoding[k:]).sum(-1)
        wanted = sum(math.cos(k / 10000 ** (2 * i / d_model)) for i in range(d_model // 2))
        assert_allclose(products, wanted, atol=1e-10)


def test_all_encodings_are_equally_long_and_differ():
    encoding = positional_encoding(500, 64)
    assert_allclose((encoding**2).sum(-1), 32, rtol=1e-12)
    products = encoding @ encoding.T - 1e-6
    np.fill_diagonal(products, 0)
    assert products.max() < 31.9


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_encoding_has_the_dtype_asked_for(dtype):
    encoding = positional_encoding(600, 12, dtype=dtype)
    assert encoding.dtype == dtype
    assert_array_equal(encoding, positional_encoding(600, 12).astype(dtype))


# ---- rotary -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("interleaved", [False, True])
def test_rotation_number_by_number(interleaved, base):
    x, positions = normal(2, 3, 5, 6), [0, 1, -4, 2.5, 30]
    got = rotary_embedding(x, positions, base=base, interleaved=interleaved)
    for (row, p), i in ((r, i) for r in zip(range(5), positions) for i in range(3)):
        first, second = (2 * i, 2 * i + 1) if interleaved else (i, i + 3)
        angle = p * base ** (-2 * i / 6)
        a, b = x[..., row, first], x[..., row, second]
        assert_allclose(got[..., row, first], a * math.cos(angle) - b * math.sin(angle), atol=1e-9)
        assert_allclose(got[..., row, second], a * math.sin(angle) + b * math.cos(angle), atol=1e-9)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rotation_keeps_every_length_and_position_zero(interleaved):
    x = normal(2, 9, 8)
    turned = rotary_embedding(x, interleaved=interleaved)
    assert_allclose((turned**2).sum(-1), (x**2).sum(-1), rtol=1e-12)
    assert_array_equal(turned[:, 0], x[:, 0])
    assert_allclose(rotary_embedding(turned, -np.arange(9), interleaved=interleaved), x, atol=1e-14)


# Angles are computed in float64. What is left is the rounding of cosine and sine to the dtype of x: not more at 5,000
# than at 0. A score here is about 5 in size.
SHIFT_TOLERANCE = {np.float16: 5e-2, np.float32: 5e-6, np.float64: 1e-11}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("start", [0, 64, 5000])
def test_scores_depend_on_the_distance_alone(start, interleaved, dtype):
    query, key = normal(7, 64).astype(dtype), normal(7, 64, seed=1).astype(dtype)

    def scores(first):
        q, k = (rotary_embedding(x, first + np.arange(7), interleaved=interleaved) for x in (query, key))
        assert q.dtype == dtype
        return q.astype(np.float64) @ k.astype(np.float64).T

    exact = query.astype(np.float64) @ key.astype(np.float64).T
    assert_allclose(scores(start), scores(0), atol=SHIFT_TOLERANCE[dtype])
    assert_allclose(np.diag(scores(start)), np.diag(exact), atol=SHIFT_TOLERANCE[dtype])
    assert np.abs(scores(start) - exact).max() > 1  # but of the distance they do depend


def test_the_two_pairings_are_one_rotation_of_features_in_another_order():
    x = normal(5, 8)
    order = [0, 4, 1, 5, 2, 6, 3, 7]  # pair i: features i and i + 4
    assert_allclose(rotary_embedding(x)[:, order], rotary_embedding(x[:, order], interleaved=True), rtol=1e-14)
    assert not np.allclose(rotary_embedding(x), rotary_embedding(x, interleaved=True))


def test_positions_continue_where_a_cache_ends():
    x = normal(2, 9, 8)
    assert_array_equal(rotary_embedding(x[:, 6:], np.arange(6, 9)), rotary_embedding(x)[:, 6:])
    assert_array_equal(rotary_embedding(x[:, 6:7], 6), rotary_embedding(x)[:, 6:7])


@pytest.mark.parametrize("positions", [np.arange(10).reshape(2, 5), [[3], [4]], 7, np.uint8([1, 2, 3, 4, 5])])
def test_positions_broadcast_to_the_rows(positions):
    x = normal(2, 5, 6)
    full = np.broadcast_to(positions, (2, 5))
    got = rotary_embedding(x, positions)
    for b in range(2):
        assert_array_equal(got[b], rotary_embedding(x[b], full[b]))


def test_no_rows_and_no_features_stay_none():
    assert rotary_embedding(np.ones((2, 0, 4))).shape == (2, 0, 4)
    assert rotary_embedding(np.ones((2, 3, 0))).shape == (2, 3, 0)


def test_input_is_left_alone_and_whole_numbers_become_float64():
    x = np.arange(12).reshape(3, 4)
    got = rotary_embedding(x)
    assert got.dtype == np.float64
    assert_array_equal(x, np.arange(12).reshape(3, 4))
    assert_array_equal(rotary_embedding(x.astype(float)[:, ::-1])[:, ::-1].shape, got.shape)
    floats = x.astype(float)
    floats.flags.writeable = False
    for interleaved in (False, True):
        assert not np.shares_memory(rotary_embedding(floats, interleaved=interleaved), floats)


# ---- learned ----------------------------------------------------------------------------------------------------


def test_learned_positions_add_their_rows():
    learned, x = LearnedPositions(9, 6, rng=np.random.default_rng(0)), normal(2, 5, 6)
    assert_array_equal(learned(x), x + learned.table[:5])
    assert_array_equal(learned(x, [8, 0, 0, 3, 1]), x + learned.table[[8, 0, 0, 3, 1]])
    rows = np.random.default_rng(0).integers(0, 9, (2, 5))
    assert_array_equal(learned(x, rows), x + learned.table[rows])
    assert_array_equal(learned(x[0, :1], 4), x[0, :1] + learned.table[4])
    assert learned(np.ones((9, 6))).shape == (9, 6)
    assert learned(np.ones((0, 6))).shape == (0, 6)
