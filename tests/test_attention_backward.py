"""The backward of attention against central differences, and against a composition of small operations."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab import Tensor, scaled_dot_product_attention
from attention_lab import operations as op
from tests.differences import LEADING, assert_gradients, by_the_tape, normal
from tests.oracle import random_inputs

N_Q, N_K = 3, 5
SMALL = {"heads": 2, "n_q": N_Q, "n_k": N_K, "d_k": 7, "d_v": 2}
HIDDEN = np.random.default_rng(3).random((N_Q, N_K)) < 0.6
EMPTY = HIDDEN & (np.arange(N_Q) != 1)[:, None]  # query 1 sees no key
BIAS = np.where(HIDDEN, normal(N_Q, N_K), -np.inf)


def attention(**about):
    return lambda q, k, v: scaled_dot_product_attention(q, k, v, **about)


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"is_causal": True},
        {"mask": HIDDEN},
        {"mask": EMPTY.astype(int)},
        {"mask": BIAS},
        {"mask": normal(2, 1, 1, N_K)},
        {"mask": normal(2, N_Q, N_K), "is_causal": True},
        {"mask": HIDDEN[None, None, :, :1]},
        {"scale": 0.3},
        {"scale": -2},
        {"scale": 0.0},
        {"softcap": 0.7},
        {"softcap": 3, "scale": 1.7, "mask": EMPTY, "is_causal": True},
    ],
    ids=str,
)
def test_attention(about):
    assert_gradients(attention(**about), *random_inputs(**SMALL))


@pytest.mark.parametrize(("n_q", "n_k"), [(5, 3), (3, 5), (1, 7), (7, 1)])
def test_causal_with_other_keys_than_queries(n_q, n_k):
    inputs = random_inputs(**SMALL | {"n_q": n_q, "n_k": n_k})
    to_q, _, to_v = assert_gradients(attention(is_causal=True), *inputs)
    blind = max(0, n_q - n_k)
    assert not to_q[:, :, :blind].any()
    assert to_v.all()


@pytest.mark.parametrize("about", [{}, {"mask": EMPTY}, {"softcap": 2.0}, {"is_causal": True}], ids=str)
@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_heads(kv_heads, about):
    inputs = random_inputs(**SMALL | {"heads": 6, "batch": 1}, kv_heads=kv_heads)
    assert_gradients(attention(enable_gqa=True, **about), *inputs)


@pytest.mark.parametrize("shapes", LEADING, ids=str)
def test_leading_axes_broadcast(shapes):
    inputs = [normal(*shape, seed=i) for i, shape in enumerate(shapes)]
    for about in ({}, {"is_causal": True, "softcap": 2.0}):
        assert_gradients(attention(**about), *inputs)


def test_grouped_heads_broadcast():
    query, key, value = normal(2, 6, 3, 7), normal(3, 5, 7, seed=1), normal(2, 3, 5, 2, seed=2)
    assert_gradients(attention(enable_gqa=True), query, key, value)
    query, key, value = normal(4, 3, 7), normal(2, 2, 5, 7, seed=1), normal(2, 5, 2, seed=2)
    assert_gradients(attention(enable_gqa=True), query, key, value)


@pytest.mark.parametrize("shape", [(2, 2, N_Q, N_K), (2, N_Q, N_K), (N_Q, N_K), (N_K,), (2, 1, 1, N_K), (2, 1, N_Q, 1)])
@pytest.mark.parametrize("about", [{}, {"softcap": 0.8, "scale": 1.3}, {"is_causal": True}], ids=str)
def test_a_mask_that_is_learned(shape, about):
    """A floating mask that is a Tensor, as a relative bias."""
    q, k, v = random_inputs(**SMALL)
    assert_gradients(lambda mask: scaled_dot_product_attention(q, k, v, mask, **about), normal(*shape, seed=5))
    assert_gradients(lambda mask, q: scaled_dot_product_attention(q, k, v, mask=mask, **about), normal(*shape), q)


def test_minus_infinity_in_a_learned_mask_stays_where_it_is():
    q, k, v = random_inputs(**SMALL)
    mask = Tensor(BIAS)
    scaled_dot_product_attention(q, k, v, mask)[0].sum().backward()
    assert np.isfinite(mask.grad).all()
    assert not mask.grad[~HIDDEN].any()
    assert mask.grad[HIDDEN].all()


def test_dropout_by_the_same_rng():
    inputs = random_inputs(**SMALL)
    for about in ({}, {"mask": EMPTY, "softcap": 1.5}, {"is_causal": True}):
        assert_gradients(lambda *x, a=about: attention(dropout=0.4, rng=np.random.default_rng(7), **a)(*x), *inputs)
    q, k, v = random_inputs(**SMALL | {"heads": 4}, kv_heads=2)
    grouped = {"dropout": 0.4, "enable_gqa": True}
    assert_gradients(lambda *x: attention(**grouped, rng=np.random.default_rng(7))(*x), q, k, v)
    seed = normal(2, 2, N_Q, 2)
    evaluated, plain = (by_the_tape(attention(**a), inputs, seed) for a in ({"dropout": 0.4}, {}))
    for got, want in zip(evaluated, plain):
        assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_query_without_a_visible_key_has_finite_zero_gradients(dtype):
    inputs = random_inputs(**SMALL, dtype=dtype)
    nothing = np.zeros((N_Q, N_K), bool)
    for mask in (nothing, np.full((N_Q, N_K), -np.inf, dtype)):
        for grad in by_the_tape(attention(mask=mask), inputs, normal(2, 2, N_Q, 2)):
            assert grad.dtype == dtype
            assert not grad.any()
    to_q, *others = by_the_tape(attention(mask=EMPTY), inputs, normal(2, 2, N_Q, 2))
    assert not to_q[..., 1, :].any()
    assert to_q[..., 0, :].all()
    assert all(np.isfinite(other).all() for other in others)


def test_one_tensor_as_query_key_and_value():
    assert_gradients(lambda x: scaled_dot_product_attention(x, x, x, is_causal=True), normal(2, 5, 3))


def composed(q, k, v, mask=None, softcap=None):
    """Attention of small operations, which share no backward with the fused one."""
    scores = (q * (1 / math.sqrt(q.shape[-1]))) @ k.swapaxes(-1, -2)
    if softcap is not None:  # tanh(s) = 2 / (1 + exp(-2 s)) - 1
        scores = softcap * (2 / (1 + op.exp(scores * (-2 / softcap))) - 1)
    if mask is not None:
        scores = op.where(mask, scores, -1e30)
    raised = op.exp(scores - scores.data.max(-1, keepdims=True))
    return (raised / raised.sum(-1, keepdims=True)) @ v


@pytest.mark.parametrize("softcap", [None, 0.9])
@pytest.mark.parametrize("mask", [None, lab.causal_mask(5, 7), lab.sliding_window_mask(5, 7, window=2)])
def test_gradients_equal_those_of_the_composition(mask, softcap):
    inputs = random_inputs()
    seed = normal(2, 3, 5, 13)
    fused = by_the_tape(attention(mask=mask, softcap=softcap), inputs, seed)
    for got, want in zip(fused, by_the_tape(lambda *x: composed(*x, mask, softcap), inputs, seed)):
        assert_allclose(got, want, rtol=1e-10, atol=1e-13)


def test_returned_weights_are_plain_and_cannot_be_written_to():
    """The backward needs them: to write there would change the gradients unseen."""
    inputs = random_inputs(**SMALL)
    output, weights = scaled_dot_product_attention(*map(Tensor, inputs))
    assert type(weights) is np.ndarray
    assert isinstance(output, Tensor)
    for array in (weights, output.data):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    scaled_dot_product_attention(*inputs)[1][:] = 0  # without a tape they are the caller's


def test_numbers_of_other_kinds_keep_float32():
    inputs = random_inputs(**SMALL, dtype=np.float32)
    tensors = [Tensor(array) for array in inputs]
    output, _ = scaled_dot_product_attention(*tensors, scale=np.float64(0.5), softcap=np.float64(2))
    output.sum().backward()
    assert [tensor.grad.dtype for tensor in tensors] == [np.float32] * 3
    saved = output._made_by[2]
    assert all(array.dtype == np.float32 for array in saved if isinstance(array, np.ndarray))
    assert not any(isinstance(number, np.float64) for number in saved)  # it would make float64 of them
