"""Multi-head attention: equal to a loop over heads, grouped heads, order, masks, rotation."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import (
    LearnedPositions,
    MultiHeadAttention,
    alibi_bias,
    causal_mask,
    padding_mask,
    positional_encoding,
    rotary_embedding,
    scaled_dot_product_attention,
)
from attention_lab.multi_head import merge_heads, split_heads
from tests.oracle import multi_head_by_loops

D_MODEL, D_MEMORY, D_HEAD, N_Q, N_K = 13, 17, 5, 11, 19  # primes, and none is a number of heads


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def layer_of(*sizes, seed=0, **about):
    """A layer in float64 whose biases, if it has them, are not 0."""
    rng = np.random.default_rng(seed)
    layer = MultiHeadAttention(*sizes, rng=rng, dtype=np.float64, **about)
    for name in ("b_q", "b_k", "b_v", "b_o"):
        if getattr(layer, name) is not None:
            getattr(layer, name)[:] = rng.standard_normal(len(getattr(layer, name)))
    return layer


def assert_same(got, wanted):
    for ours, theirs in zip(got, wanted):
        assert ours.shape == theirs.shape
        assert_allclose(ours, theirs, rtol=1e-10, atol=1e-13)


# ---- equal to a loop --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("heads", [1, 2, 3, 7])
def test_self_attention_equals_a_loop_over_heads(heads, bias):
    layer, x = layer_of(D_MODEL, heads, d_head=D_HEAD, bias=bias), normal(2, N_Q, D_MODEL)
    assert_same(layer(x), multi_head_by_loops(layer, x, x, x))
    assert_same(layer(x, is_causal=True), multi_head_by_loops(layer, x, x, x, is_causal=True))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("heads", [1, 2, 3, 7])
def test_cross_attention_equals_a_loop_over_heads(heads, bias):
    layer = layer_of(D_MODEL, heads, d_head=D_HEAD, d_memory=D_MEMORY, bias=bias)
    x, key, value = normal(2, N_Q, D_MODEL), normal(2, N_K, D_MEMORY, seed=1), normal(2, N_K, D_MEMORY, seed=2)
    mask = np.random.default_rng(3).random((2, heads, N_Q, N_K)) < 0.7
    assert_same(layer(x, key, value), multi_head_by_loops(layer, x, key, value))
    assert_same(layer(x, key), multi_head_by_loops(layer, x, key, key))
    assert_same(layer(x, key, value, mask), multi_head_by_loops(layer, x, key, value, mask))
    score_bias = normal(2, heads, N_Q, N_K, seed=4)
    assert_same(layer(x, key, value, score_bias), multi_head_by_loops(layer, x, key, value, score_bias))


@pytest.mark.parametrize(("heads", "kv_heads"), [(6, 1), (6, 2), (6, 3), (6, 6), (7, 1)])
def test_grouped_heads_equal_a_loop_and_full_heads_with_copied_weights(heads, kv_heads):
    grouped = layer_of(D_MODEL, heads, num_kv_heads=kv_heads, d_head=D_HEAD, bias=True)
    full = layer_of(D_MODEL, heads, d_head=D_HEAD, bias=True, seed=1)
    for name in ("W_q", "W_o", "b_q", "b_o"):
        setattr(full, name, getattr(grouped, name))
    for name in ("W_k", "W_v", "b_k", "b_v"):
        own = np.split(getattr(grouped, name), kv_heads, axis=-1)
        setattr(full, name, np.concatenate([own[h * kv_heads // heads] for h in range(heads)], axis=-1))
    x = normal(2, N_Q, D_MODEL)
    assert_same(grouped(x), full(x))
    assert_same(grouped(x), multi_head_by_loops(grouped, x, x, x))
    assert grouped.W_k.shape == grouped.W_v.shape == (D_MODEL, kv_heads * D_HEAD)


def test_one_head_is_attention_between_projections():
    layer, x = layer_of(D_MODEL, 1), normal(N_Q, D_MODEL)
    mixed, weights = scaled_dot_product_attention(x @ layer.W_q, x @ layer.W_k, x @ layer.W_v)
    assert_same(layer(x), (mixed @ layer.W_o, weights[None]))


def test_the_shape_of_the_source_lab():
    x = normal(2, 10, 64)
    output, weights = MultiHeadAttention(d_model=64, num_heads=4)(x, x, x)
    assert (output.shape, weights.shape) == ((2, 10, 64), (2, 4, 10, 10))
    assert_allclose(weights.sum(-1), 1, rtol=1e-12)


def test_splitting_cuts_neighbouring_features_and_merging_undoes_it():
    x = normal(2, 3, 5, 21)
    heads = split_heads(x, 7)
    assert heads.shape == (2, 3, 7, 5, 3)
    for h in range(7):
        assert_array_equal(heads[..., h, :, :], x[..., 3 * h : 3 * h + 3])
    assert_array_equal(merge_heads(heads), x)


# ---- order ------------------------------------------------------------------------------------------------------

X = normal(N_Q, 12)
ORDER = np.random.default_rng(9).permutation(N_Q)
ATTEND = layer_of(12, 3)


def test_a_changed_order_of_tokens_changes_the_order_of_the_outputs_alone():
    output, weights = ATTEND(X)
    assert_same(ATTEND(X[ORDER]), (output[ORDER], weights[:, ORDER][:, :, ORDER]))
    memory = normal(N_K, 12, seed=1)
    other_order = np.random.default_rng(8).permutation(N_K)
    assert_allclose(ATTEND(X, memory[other_order])[0], ATTEND(X, memory)[0], rtol=1e-10, atol=1e-13)


POSITIONED = {
    "sinusoidal": lambda x: ATTEND(x + positional_encoding(N_Q, 12))[0],
    "learned": lambda x: ATTEND(LearnedPositions(N_Q, 12, rng=np.random.default_rng(0))(x))[0],
    "rotary": lambda x: ATTEND(x, positions=np.arange(N_Q))[0],
    "ALiBi": lambda x: ATTEND(x, mask=alibi_bias(3, N_Q))[0],
    "causal": lambda x: ATTEND(x, is_causal=True)[0],
}


@pytest.mark.parametrize("kind", POSITIONED)
def test_with_positions_the_order_matters(kind):
    output = POSITIONED[kind]
    assert np.abs(output(X[ORDER]) - output(X)[ORDER]).max() > 0.01


# ---- masks ------------------------------------------------------------------------------------------------------


def test_a_mask_for_each_sequence():
    x = normal(2, N_Q, 12)
    padding = padding_mask([4, 11])
    output, weights = ATTEND(x, mask=padding)
    assert (weights[0, ..., 4:] == 0).all()
    assert (weights[1] > 0).all()
    for b, length in enumerate((4, 11)):
        assert_allclose(output[b], ATTEND(x[b], x[b, :length])[0], rtol=1e-10, atol=1e-13)
    square = np.random.default_rng(0).random((2, N_Q, N_Q)) < 0.5
    assert_same(
        ATTEND(x, mask=square[:, None]), multi_head_by_loops(ATTEND, x, x, x, np.repeat(square[:, None], 3, axis=1))
    )


def test_a_mask_for_each_head():
    x = normal(2, N_Q, 12)
    masks = np.stack([np.ones((N_Q, N_Q), bool), causal_mask(N_Q), np.eye(N_Q, dtype=bool)])
    weights = ATTEND(x, mask=masks)[1]
    assert_array_equal(weights > 0, np.broadcast_to(masks, weights.shape))


def test_a_changed_padded_memory_token_changes_nothing():
    x, memory = normal(2, N_Q, 12), normal(2, N_K, 12, seed=1)
    mask = padding_mask([7, N_K])
    other = memory.copy()
    other[0, 7:] = 1e6
    for ours, theirs in zip(ATTEND(x, other, mask=mask), ATTEND(x, memory, mask=mask)):
        assert_array_equal(ours, theirs)


def test_a_changed_future_token_changes_no_earlier_output():
    other = X.copy()
    other[7:] += 3
    for ours, theirs in zip(ATTEND(other, is_causal=True), ATTEND(X, is_causal=True)):
        assert_array_equal(ours[..., :7, :], theirs[..., :7, :])


def test_a_query_that_sees_nothing_adds_the_last_bias_alone():
    layer = layer_of(12, 3, bias=True)
    mask = np.ones((N_Q, N_Q), bool)
    mask[4] = False
    output, weights = layer(X, mask=mask)
    assert_array_equal(output[4], layer.b_o)
    assert (weights[:, 4] == 0).all()


# ---- dropout ----------------------------------------------------------------------------------------------------


def test_dropout_needs_a_generator_and_the_returned_weights_are_those_that_were_mixed():
    layer, x = layer_of(12, 3, dropout=0.4), normal(2, N_Q, 12)
    assert_same(layer(x), ATTEND(x))
    output, weights = layer(x, rng=np.random.default_rng(0))
    assert (weights == 0).mean() == pytest.approx(0.4, abs=0.05)
    mixed = merge_heads(weights @ split_heads(x @ layer.W_v, 3))
    assert_allclose(output, mixed @ layer.W_o, rtol=1e-12, atol=1e-14)
    assert_array_equal(layer(x, rng=np.random.default_rng(0))[1], weights)


# ---- rotation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("about", [{}, {"base": 100.0}, {"interleaved": True}])
@pytest.mark.parametrize("kv_heads", [3, 1])
def test_positions_turn_queries_and_keys_of_every_head_and_no_value(about, kv_heads):
    layer, x = layer_of(12, 3, num_kv_heads=kv_heads, **about), normal(2, N_Q, 12)
    positions = np.array([5, 3, 3, 0, -2, 7, 100, 1, 2, 4, 0.5])
    q, k, v = (split_heads(x @ w, h) for w, h in ((layer.W_q, 3), (layer.W_k, kv_heads), (layer.W_v, kv_heads)))
    q, k = (rotary_embedding(a, positions, **about) for a in (q, k))
    mixed, weights = scaled_dot_product_attention(q, k, v, enable_gqa=True)
    assert_same(layer(x, positions=positions), (merge_heads(mixed) @ layer.W_o, weights))


def test_each_sequence_may_have_its_own_positions():
    x = normal(2, N_Q, 12)
    positions = np.random.default_rng(0).integers(0, 50, (2, N_Q))
    together = ATTEND(x, positions=positions)[0]
    for b in range(2):
        assert_allclose(together[b], ATTEND(x[b], positions=positions[b])[0], rtol=1e-10, atol=1e-13)
    assert_same(ATTEND(x, positions=7), ATTEND(x))  # one position for all turns nothing against anything


@pytest.mark.parametrize("shift", [0, 64, 5000])
def test_positions_that_are_shifted_together_change_nothing(shift):
    assert_allclose(ATTEND(X, positions=np.arange(N_Q) + shift)[1], ATTEND(X, positions=np.arange(N_Q))[1], rtol=1e-9)


# ---- at the start -----------------------------------------------------------------------------------------------


def test_scores_have_unit_variance_for_every_number_of_heads():
    x = normal(256, 512)
    for seed in range(3):
        for heads in (1, 4, 16):
            layer = MultiHeadAttention(512, heads, rng=np.random.default_rng(seed))
            q, k = (split_heads(x @ w, heads) for w in (layer.W_q, layer.W_k))
            scores = q @ k.swapaxes(-1, -2) / math.sqrt(512 // heads)
            assert scores.var() == pytest.approx(1, rel=0.15)


def test_values_and_output_keep_unit_variance():
    x = normal(256, 512)
    for seed in range(3):
        layer = MultiHeadAttention(512, 8, d_head=32, rng=np.random.default_rng(seed))
        values = x @ layer.W_v
        assert values.var() == pytest.approx(1, rel=0.1)
        assert (values @ layer.W_o).var() == pytest.approx(1, rel=0.1)
        alone = layer(x, mask=np.eye(256, dtype=bool))[0]  # where nothing is averaged
        assert alone.var() == pytest.approx(1, rel=0.1)
