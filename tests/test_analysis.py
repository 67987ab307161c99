"""Entropy, effective keys, sparsity, similarity, head summaries and rollout, by closed form and by property."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from attention_lab import (
    attention_entropy,
    attention_rollout,
    attention_sparsity,
    causal_mask,
    effective_keys,
    head_summary,
    query_key_similarity,
    scaled_dot_product_attention,
    softmax,
)
from tests.oracle import random_inputs

TRIES = settings(max_examples=60, deadline=None, derandomize=True)
FLOATS = (np.float16, np.float32, np.float64)
PER_ROW = (attention_entropy, effective_keys, attention_sparsity)
rows_of_weights = st.tuples(st.integers(1, 5), st.integers(1, 8)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(-60, 60) | st.just(-np.inf)).map(softmax)
)

# ---- entropy and effective keys -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_uniform_rows(n):
    weights = np.full((3, n), 1 / n)
    assert_allclose(attention_entropy(weights), math.log(n), rtol=1e-12)
    assert_allclose(effective_keys(weights), n, rtol=1e-12)


def test_closed_forms():
    weights = [[0.5, 0.25, 0.25, 0], [0.5, 0.5, 0, 0]]
    assert_allclose(attention_entropy(weights), [1.5 * math.log(2), math.log(2)], rtol=1e-15)
    assert_allclose(effective_keys(weights), [2**1.5, 2], rtol=1e-15)


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_hot_rows_are_exactly_zero_and_one_and_empty_rows_zero(dtype):
    weights = np.array([[0, 1, 0], [0, 0, 0]], dtype)
    assert attention_entropy(weights).tolist() == [0, 0]
    assert not np.signbit(attention_entropy(weights)).any()
    assert effective_keys(weights).tolist() == [1, 0]


def test_source_lab_d3():
    weights = np.random.default_rng(0).dirichlet(np.ones(20), 10)
    entropy = attention_entropy(weights)
    assert entropy.shape == (10,)
    assert (entropy >= 0).all()
    assert_allclose(entropy, [-sum(w * math.log(w) for w in row) for row in weights], rtol=1e-13)


@TRIES
@given(rows_of_weights)
def test_bounds(weights):
    n, seeing = weights.shape[-1], weights.any(-1)
    entropy, keys = attention_entropy(weights), effective_keys(weights)
    assert ((entropy >= 0) & (entropy <= math.log(n) + 1e-12)).all()
    assert ((keys >= seeing) & (keys <= n * seeing * (1 + 1e-12))).all()
    assert_allclose(keys[seeing], np.exp(entropy[seeing]), rtol=1e-12)


@TRIES
@given(rows_of_weights, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(weights, random):
    order = random.sample(range(weights.shape[-1]), weights.shape[-1])
    for function in PER_ROW:
        assert_allclose(function(weights[:, order]), function(weights), rtol=1e-12, atol=1e-12)


# ---- sparsity -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
def test_sparsity_counts_keys(dtype):
    weights = np.array([[0.5, 0.4, 0.1, 0], [0.1, 0.2, 0.3, 0.4], [1, 0, 0, 0], [0, 0, 0, 0]], dtype)
    assert attention_sparsity(weights).tolist() == [0.5, 0.25, 0.75, 1]
    assert attention_sparsity(weights, share=0.5).tolist() == [0.75, 0.5, 0.75, 1]


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_share_that_is_met_but_for_rounding_is_met(dtype):
    assert attention_sparsity(np.array([0.4, 0.3, 0.3], dtype), share=0.7) == pytest.approx(1 / 3, abs=1e-3)
    assert attention_sparsity(np.array([0.55, 0.4, 0.05], dtype), share=0.95) == pytest.approx(1 / 3, abs=1e-3)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [10, 100, 1000])
def test_sparsity_of_uniform_rows_is_the_rest_of_the_share(dtype, n):
    assert attention_sparsity(np.full(n, 1 / n, dtype)) == pytest.approx(0.1, abs=4e-3 if dtype == np.float16 else 1e-6)


@TRIES
@given(rows_of_weights, st.floats(0.05, 0.95))
def test_sparsity_against_its_definition(weights, share):
    n = weights.shape[-1]
    for row, sparsity in zip(weights, attention_sparsity(weights, share=share)):
        needed = round((1 - sparsity) * n)
        largest = sorted(row, reverse=True)
        assert sum(largest[:needed]) >= share * sum(row) - 1e-9
        assert needed == 0 or sum(largest[: needed - 1]) < share * sum(row)


# ---- axes, dtypes, input --------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", PER_ROW)
def test_rows_are_independent_on_any_leading_axes(function):
    weights = np.random.default_rng(0).dirichlet(np.ones(7), (2, 3, 5))
    result = function(weights)
    assert result.shape == (2, 3, 5)
    for index in np.ndindex(2, 3, 5):
        assert result[index] == pytest.approx(float(function(weights[index])))


@pytest.mark.parametrize("function", [attention_entropy, effective_keys])
@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_axis(function, axis):
    weights = np.random.default_rng(0).random((3, 5, 7))
    assert_allclose(function(weights, axis), function(np.moveaxis(weights, axis, -1)), rtol=1e-13)


@pytest.mark.parametrize("function", PER_ROW)
def test_dtype_is_kept_and_input_left_alone(function):
    for dtype in FLOATS:
        weights = np.array([[0.25, 0.75], [1, 0]], dtype)
        weights.flags.writeable = False
        assert function(weights).dtype == dtype
        assert_allclose(function(weights), function(weights.astype(float)), rtol=1e-3)
    assert function([[1, 0], [0, 0]]).dtype == np.float64


@pytest.mark.parametrize("function", PER_ROW)
def test_no_keys_at_all(function):
    assert function(np.ones((3, 0))).tolist() == [float(function is attention_sparsity)] * 3


# ---- similarity -----------------------------------------------------------------------------------------------


def test_similarity_closed_form():
    query, key = np.diag([2.0, 4.0, 0.0, 0.0])[:2], np.array([[3.0, 0, 0, 0], [0, -1, 0, 0], [1, 1, 5, 5]])
    assert query_key_similarity(query, key) == {"mean": (6 + 2 - 4 + 4) / 2 / 6, "max": 3.0, "min": -2.0}


@pytest.mark.parametrize("dtype", FLOATS)
def test_source_lab_d4(dtype):
    query, key = np.random.default_rng(42).standard_normal((2, 10, 64)).astype(dtype)
    found = query_key_similarity(query, key)
    scores = [sum(a * b for a, b in zip(q, k)) / 8 for q in query.tolist() for k in key.tolist()]
    assert found["min"] < found["mean"] < found["max"]
    assert all(type(number) is float for number in found.values())
    expected = {"mean": sum(scores) / len(scores), "max": max(scores), "min": min(scores)}
    assert found == pytest.approx(expected, abs=1e-6)


def test_similarity_is_over_all_pairs_of_a_batch():
    query, key, _ = random_inputs()
    items = [query_key_similarity(query[index], key[index]) for index in np.ndindex(2, 3)]
    assert query_key_similarity(query, key) == pytest.approx(
        {
            "mean": np.mean([item["mean"] for item in items]),
            "max": max(item["max"] for item in items),
            "min": min(item["min"] for item in items),
        }
    )


# ---- heads ----------------------------------------------------------------------------------------------------


def test_head_summary_knows_the_named_heads():
    n = 7
    previous = np.eye(n, k=-1)
    previous[0, 0] = 1
    uniform = causal_mask(n) / np.arange(1, n + 1)[:, None]
    first = np.eye(n)[np.zeros(n, int)]
    summary = head_summary(np.stack([np.eye(n), previous, first, uniform]))
    assert list(summary) == ["entropy", "effective_keys", "sparsity", "largest", "itself", "previous", "first"]
    assert_allclose(summary["itself"], [1, 1 / n, 1 / n, np.mean(1 / np.arange(1, n + 1))])
    assert_allclose(summary["previous"], [0, (n - 1) / n, 1 / n, np.sum(1 / np.arange(2, n + 1)) / n])
    assert_allclose(summary["first"], [1 / n, 2 / n, 1, np.mean(1 / np.arange(1, n + 1))])
    assert_allclose(summary["largest"], [1, 1, 1, np.mean(1 / np.arange(1, n + 1))])
    assert_allclose(summary["effective_keys"], [1, 1, 1, (n + 1) / 2])
    assert_allclose(summary["entropy"], [0, 0, 0, np.log(np.arange(1, n + 1)).mean()], atol=1e-15)
    assert_allclose(summary["sparsity"][:3], 1 - 1 / n)


@pytest.mark.parametrize(("n_q", "n_k"), [(5, 7), (7, 5)])
def test_head_summary_aligns_queries_to_the_last_keys(n_q, n_k):
    weights = scaled_dot_product_attention(*random_inputs(n_q=n_q, n_k=n_k), is_causal=True)[1]
    rows = range(max(0, n_q - n_k), n_q)
    itself = [[[weights[b, h, i, i + n_k - n_q] for i in rows] for b in range(2)] for h in range(3)]
    assert_allclose(head_summary(weights)["itself"], np.mean(itself, axis=(1, 2)))
    assert_allclose(head_summary(weights)["first"], weights[:, :, rows, 0].mean((0, 2)))


def test_head_summary_leaves_out_queries_that_see_nothing():
    weights = np.zeros((2, 3, 5, 7))
    weights[0, :, 2, :2] = 0.5
    weights[:, 2] = 0
    summary = head_summary(weights)
    assert_allclose(summary["effective_keys"], [2, 2, 0])
    assert_allclose(summary["largest"], [0.5, 0.5, 0])
    assert_allclose(summary["sparsity"], [1 - 2 / 7, 1 - 2 / 7, 0])


@pytest.mark.parametrize("dtype", FLOATS)
def test_head_summary_keeps_the_dtype_and_averages_items(dtype):
    weights = scaled_dot_product_attention(*random_inputs(dtype=dtype))[1]
    together, items = head_summary(weights), [head_summary(item) for item in weights]
    for name, values in together.items():
        assert values.dtype == dtype
        assert values.shape == (3,)
        assert_allclose(values, np.mean([item[name] for item in items], axis=0), rtol=2e-3)


# ---- rollout --------------------------------------------------------------------------------------------------


def test_rollout_of_a_chain():
    first, second = np.eye(3), np.eye(3)
    first[1], second[2] = [1, 0, 0], [0, 1, 0]  # token 1 reads token 0; then token 2 reads token 1
    expected = [[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]]
    assert_allclose(attention_rollout([first[None], second[None]]), expected, rtol=1e-15)


def test_rollout_of_one_layer_is_half_its_mean_map_and_half_itself():
    weights = np.random.default_rng(0).dirichlet(np.ones(5), (3, 5))
    assert_allclose(attention_rollout(weights[None]), weights.mean(0) / 2 + np.eye(5) / 2, rtol=1e-15)


def brought(layers, i, k):
    """What token k has brought to token i through these layers: over all paths, the product of their steps."""
    if not layers:
        return float(i == k)
    *below, last = layers  # (heads, n, n)
    return sum((last[:, i, j].mean() + (i == j)) / 2 * brought(below, j, k) for j in range(last.shape[-1]))


@TRIES
@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 4), st.integers(0, 99))
def test_rollout_counts_paths(layers, heads, n, seed):
    weights = list(np.random.default_rng(seed).dirichlet(np.ones(n), (layers, heads, n)))
    rollout = attention_rollout(weights)
    assert_allclose(rollout, [[brought(weights, i, k) for k in range(n)] for i in range(n)], rtol=1e-12)
    assert_allclose(rollout.sum(-1), 1, rtol=1e-12)


def test_rollout_of_causal_layers_is_causal_and_batches_do_not_mix():
    x = np.random.default_rng(0).normal(size=(4, 2, 3, 6, 5))  # layers, batch, heads, n, d
    _, weights = scaled_dot_product_attention(x, x, x, is_causal=True)
    rollout = attention_rollout(weights)
    assert rollout.shape == (2, 6, 6)
    assert not np.triu(rollout, 1).any()
    assert_allclose(rollout[1], attention_rollout(weights[:, 1]), rtol=1e-15)


@pytest.mark.parametrize("dtype", FLOATS)
def test_rollout_keeps_the_dtype(dtype):
    weights = np.full((3, 2, 4, 4), 0.25, dtype)
    assert attention_rollout(weights).dtype == dtype
    assert attention_rollout(list(weights)).dtype == dtype


@pytest.mark.parametrize("shape", [(2, 3, 3), (2, 1, 3, 4), (0, 2, 3, 3), (2, 0, 3, 3), (2, 1, 0, 0)])
def test_rollout_refuses_what_are_no_layers_of_self_attention(shape):
    with pytest.raises(ValueError, match=r"weights must be \(layers, ..., heads, n, n\) and not empty, got shape"):
        attention_rollout(np.zeros(shape))


@pytest.mark.parametrize("dtype", FLOATS)
def test_rollout_refuses_what_grows_beyond_its_dtype(dtype):
    layers = np.ones((20, 1, 4, 4), dtype) * (np.finfo(dtype).max / 1e3 if dtype != np.float16 else 1)
    with pytest.raises(ValueError, match="weights grow too large for "):
        attention_rollout(layers)


def test_rollout_refuses_scores():
    with pytest.raises(ValueError, match="weights must be finite and not negative"):
        attention_rollout(-np.ones((1, 1, 2, 2)))
