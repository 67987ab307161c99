"""What decoding asks of attention: grouped heads without copies, one query for many keys, bad numbers found at once."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import causal_mask, query_key_similarity, scaled_dot_product_attention
from attention_lab.checks import check_number
from tests.differences import assert_gradients
from tests.oracle import attention_by_loops, random_inputs
from tests.test_checks import refused_with

# ---- grouped heads ----------------------------------------------------------------------------------------------


def copied(array, heads):
    """Each key head once for every query head that shares it."""
    kv_heads = array.shape[-3]
    return np.stack([array[..., h * kv_heads // heads, :, :] for h in range(heads)], axis=-3)


def grouped(query, key, value, mask=None, **about):
    return scaled_dot_product_attention(query, key, value, mask, enable_gqa=True, **about)


MASKS = {
    "none": None,
    "a text": np.random.default_rng(1).random((2, 1, 5, 7)) < 0.6,
    "a head": np.random.default_rng(2).random((6, 5, 7)) < 0.6,
    "bias": np.random.default_rng(3).standard_normal((2, 6, 5, 7)),
    "one row": np.random.default_rng(4).random(7) < 0.6,
}


@pytest.mark.parametrize("about", [{}, {"is_causal": True}, {"scale": 0.3}, {"softcap": 1.5}], ids=str)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_heads_are_full_heads_with_copies(kv_heads, mask, about):
    query, key, value = random_inputs(heads=6, kv_heads=kv_heads)
    wanted = scaled_dot_product_attention(query, copied(key, 6), copied(value, 6), MASKS[mask], **about)
    for ours, theirs in zip(grouped(query, key, value, MASKS[mask], **about), wanted):
        assert ours.shape == theirs.shape
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("of_query", "of_key", "of_value"), [((), (), ()), ((2,), (), ()), ((), (2,), ()), ((3, 1), (2,), (3, 2))], ids=str
)
def test_axes_before_grouped_heads_broadcast(of_query, of_key, of_value):
    shapes = ((*of_query, 6, 5, 11), (*of_key, 2, 7, 11), (*of_value, 2, 7, 13))
    query, key, value = (np.random.default_rng(i).standard_normal(shape) for i, shape in enumerate(shapes))
    wanted = scaled_dot_product_attention(query, copied(key, 6), copied(value, 6))
    for ours, theirs in zip(grouped(query, key, value), wanted):
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("about", [{}, {"is_causal": True}, {"softcap": 2.0}], ids=str)
@pytest.mark.parametrize("kv_heads", [1, 2, 6])
def test_gradients_of_grouped_heads_where_axes_broadcast(kv_heads, about):
    sizes = {"heads": 6, "kv_heads": kv_heads, "n_q": 2, "n_k": 3, "d_k": 5, "d_v": 2}
    query, key, value = random_inputs(**sizes)
    assert_gradients(lambda q, k, v: grouped(q, k, v, **about), query, key[:1], value)
    assert_gradients(lambda q, k, v: grouped(q, k, v, **about), query[0], key, value[:1])


def test_dropout_of_grouped_heads_mixes_what_it_returns():
    query, key, value = random_inputs(heads=6, kv_heads=2)
    output, weights = grouped(query, key, value, dropout=0.4, rng=np.random.default_rng(0))
    assert_allclose(output, weights @ copied(value, 6), rtol=1e-12)


def test_keys_of_grouped_heads_are_not_copied():
    key = np.ones((1, 1, 4096, 64), np.float32)
    query = np.ones((1, 8, 1, 64), np.float32)
    grouped(query, key, key, is_causal=True)
    tracemalloc.start()
    grouped(query, key, key, is_causal=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < key.nbytes  # eight scores a key are an eighth of a key


# ---- one query --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_q", [1, 2])
@pytest.mark.parametrize("kv_heads", [1, 3])
def test_few_queries_equal_the_oracle(kv_heads, n_q):
    query, key, value = random_inputs(n_q=n_q, n_k=23, kv_heads=kv_heads)
    wanted = attention_by_loops(query, key, value, causal_mask(n_q, 23)[None, None].repeat(2, 0).repeat(3, 1))
    for ours, theirs in zip(grouped(query, key, value, is_causal=True), wanted):
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


def test_the_last_query_alone_sees_what_it_sees_among_all():
    query, key, value = random_inputs(n_q=7)
    wanted = scaled_dot_product_attention(query, key, value, is_causal=True)
    got = scaled_dot_product_attention(query[:, :, -1:], key, value, is_causal=True)
    for ours, theirs in zip(got, wanted):
        assert_allclose(ours, theirs[:, :, -1:], rtol=1e-12, atol=1e-15)


# ---- bad numbers: looked for in what is smaller, the keys or their scores ----------------------------------------


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("about", [{}, {"softcap": 2.0}, {"scale": 0.0}, {"is_causal": True}], ids=str)
@pytest.mark.parametrize("n_q", [1, 5, 40])
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", ["query", "key", "value"])
def test_a_bad_number_is_found_wherever_it_stands(place, number, n_q, about, hidden):
    arrays = dict(zip(("query", "key", "value"), random_inputs(n_q=n_q, n_k=7)))
    arrays[place][1, 2, 0, 3] = number
    mask = np.arange(7) != 0 if hidden else None  # hides the key that is bad
    refused_with(
        ValueError,
        lambda: scaled_dot_product_attention(*arrays.values(), mask, **about),
        [f"{place} holds NaN or inf: np.argwhere(~np.isfinite({place})) finds them"],
    )
    if place != "value":
        refused_with(ValueError, lambda: query_key_similarity(arrays["query"], arrays["key"]), [f"{place} holds NaN"])


@pytest.mark.parametrize("n_q", [1, 40])
def test_scores_that_overflow_are_told_from_bad_numbers(n_q):
    query, key, value = (a.astype(np.float32) for a in random_inputs(n_q=n_q))
    refused_with(
        ValueError, lambda: scaled_dot_product_attention(query * 1e25, key * 1e25, value), ["overflows float32"]
    )


def test_a_softcap_bounds_scores_that_would_overflow():
    query, key = np.float32([[1e25]]), np.float32([[1e25], [-1e25]])
    _, weights = scaled_dot_product_attention(query, key, key, softcap=3.0)
    assert_allclose(weights, [[1, np.exp(-6)] / (1 + np.exp(-6))], rtol=1e-5)


def test_large_values_are_mixed():
    output, _ = scaled_dot_product_attention([[0.0]], [[0.0], [0.0]], [[1e308], [-1e308]])
    assert output.tolist() == [[0]]


def test_the_arrays_are_left_alone():
    arrays = random_inputs(n_q=1, heads=6, kv_heads=2)
    before = [a.copy() for a in arrays]
    grouped(*arrays, is_causal=True, softcap=2.0)
    for now, then in zip(arrays, before):
        assert_array_equal(now, then)


# ---- limits of a number -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "limits", "message"),
    [
        (1.1, {"low": 0, "high": 1}, "p must be at least 0 and at most 1, got 1.1"),
        (-0.1, {"low": 0, "high": 1}, "p must be at least 0 and at most 1, got -0.1"),
        (0, {"above": 0, "high": 1}, "p must be above 0 and at most 1, got 0"),
        (2, {"high": 1}, "p must be at most 1, got 2"),
        (np.nan, {"low": 0, "high": 1}, "p must be at least 0 and at most 1, got nan"),
        (np.inf, {"low": 0}, "p must be at least 0, got inf"),
        (np.inf, {}, "p must be finite, got inf"),
        (-np.inf, {"high": 1}, "p must be at most 1, got -inf"),
    ],
)
def test_numbers_beyond_their_limits(value, limits, message):
    refused_with(ValueError, lambda: check_number("p", value, **limits), [message])


def test_limits_that_belong_to_the_range():
    assert [check_number("p", value, low=0, high=1) for value in (0, 1, 0.5)] == [0, 1, 0.5]
    assert check_number("p", 1, above=0, high=1) == 1
