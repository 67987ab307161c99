"""The backward of blockwise attention against central differences, and against the dense one's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import Tensor, blockwise_attention, scaled_dot_product_attention, sliding_window_mask
from tests.differences import LEADING, assert_gradients, by_the_tape, normal
from tests.oracle import random_inputs

N_Q, N_K = 3, 5
SMALL = {"heads": 2, "n_q": N_Q, "n_k": N_K, "d_k": 7, "d_v": 2}
HIDDEN = np.random.default_rng(3).random((N_Q, N_K)) < 0.6
EMPTY = HIDDEN & (np.arange(N_Q) != 1)[:, None]  # query 1 sees no key
BIAS = np.where(HIDDEN, normal(N_Q, N_K), -np.inf)
TRIES = settings(max_examples=60, deadline=None, derandomize=True)


def blockwise(block_size=1, **about):
    return lambda *inputs: blockwise_attention(*inputs, block_size=block_size, **about)


def assert_same_gradients(inputs, about, dense_about=None, block_size=2, rtol=1e-12):
    """As the dense one's; the tolerance is a share of the largest."""
    theirs = about if dense_about is None else dense_about
    seed = normal(*scaled_dot_product_attention(*inputs, **theirs)[0].shape, seed=99)
    wanted = by_the_tape(lambda *x: scaled_dot_product_attention(*x, **theirs), inputs, seed)
    for got, want in zip(by_the_tape(blockwise(block_size, **about), inputs, seed), wanted, strict=True):
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        assert_allclose(got, want, rtol=0, atol=rtol * max(1, np.abs(want).max(initial=0)))


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"is_causal": True},
        {"window": 2},
        {"is_causal": True, "window": 2},
        {"mask": HIDDEN},
        {"mask": EMPTY.astype(int)},
        {"mask": BIAS},
        {"mask": HIDDEN[:, :1], "is_causal": True},
        {"scale": 0.3},
        {"scale": -2},
        {"scale": 0.0},
    ],
    ids=str,
)
def test_against_central_differences(about):
    for block_size in (1, 2, 128):
        assert_gradients(blockwise(block_size, **about), *random_inputs(**SMALL))


@pytest.mark.parametrize("shape", [(2, 2, N_Q, N_K), (2, N_Q, N_K), (N_Q, N_K), (N_K,), (2, 1, 1, N_K), (2, 1, N_Q, 1)])
@pytest.mark.parametrize("about", [{}, {"is_causal": True}, {"threads": 2}], ids=str)
def test_a_mask_that_is_learned(shape, about):
    q, k, v = random_inputs(**SMALL)
    assert_gradients(lambda mask: blockwise_attention(q, k, v, mask, block_size=1, **about), normal(*shape, seed=5))
    assert_gradients(lambda mask, q: blockwise_attention(q, k, v, mask=mask, **about), normal(*shape), q)


def test_minus_infinity_in_a_learned_mask_stays_where_it_is():
    q, k, v = random_inputs(**SMALL)
    mask = Tensor(BIAS)
    blockwise_attention(q, k, v, mask).sum().backward()
    assert not mask.grad[~HIDDEN].any()
    assert mask.grad[HIDDEN].all()


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("about", [{}, {"mask": EMPTY, "is_causal": True}], ids=str)
def test_grouped_heads(kv_heads, about):
    inputs = random_inputs(**SMALL | {"heads": 6, "batch": 1}, kv_heads=kv_heads)
    assert_gradients(blockwise(enable_gqa=True, **about), *inputs)
    query, key, value = normal(2, 6, 3, 7), normal(3, 5, 7, seed=1), normal(2, 3, 5, 2, seed=2)
    assert_gradients(blockwise(enable_gqa=True), query, key, value)


@pytest.mark.parametrize("shapes", LEADING, ids=str)
def test_leading_axes_broadcast(shapes):
    for block_size in (2, 128):
        inputs = [normal(*shape, seed=i) for i, shape in enumerate(shapes)]
        assert_gradients(blockwise(block_size, is_causal=True), *inputs)


@TRIES
@given(st.data())
def test_any_shape_mask_and_scale(data):
    n_q, n_k = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 30))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    inputs = [rng.standard_normal((2, 3, *shape)) for shape in ((n_q, 7), (n_k, 7), (n_k, 5))]
    about = {"is_causal": data.draw(st.booleans()), "scale": data.draw(st.sampled_from([None, 0.0, -0.5, 5.0]))}
    window, additive = data.draw(st.none() | st.integers(1, 40)), data.draw(st.booleans())
    visible = rng.random((n_q, n_k)) < data.draw(st.sampled_from([0.03, 0.5, 1.0]))
    mask = np.where(visible, 5 * rng.standard_normal(visible.shape), -np.inf) if additive else visible
    dense = mask
    if window is not None:
        near = sliding_window_mask(n_q, n_k, window=window, is_causal=about["is_causal"])
        dense = np.where(near, mask, -np.inf) if additive else mask & near
    block_size = data.draw(st.integers(1, 20))
    assert_same_gradients(inputs, about | {"mask": mask, "window": window}, about | {"mask": dense}, block_size)


@pytest.mark.parametrize("size", [1.0, 1e2, 1e4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_logits(size, dtype):
    """A score of size s is rounded to eps · s, so that is how well any gradient is known, the dense one's too."""
    rtol = 8 * np.finfo(dtype).eps * max(1, size)
    query, key, value = random_inputs(n_q=11, n_k=17, dtype=dtype)
    scale = float(size / np.abs(query @ key.swapaxes(-1, -2)).max())
    for mask in (None, np.arange(17) >= 9):
        assert_same_gradients((query, key, value), {"scale": scale, "mask": mask}, rtol=rtol)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_query_without_a_visible_key_has_finite_zero_gradients(dtype):
    inputs = random_inputs(**SMALL, dtype=dtype)
    for mask in (np.zeros((N_Q, N_K), bool), np.full((N_Q, N_K), -np.inf, dtype)):
        for grad in by_the_tape(blockwise(mask=mask), inputs, normal(2, 2, N_Q, 2)):
            assert grad.dtype == dtype
            assert not grad.any()
    for scale in (0.1, 300.0):  # without and with a maximum
        to_q, *others = by_the_tape(blockwise(mask=EMPTY, scale=scale), inputs, normal(2, 2, N_Q, 2))
        assert not to_q[..., 1, :].any()
        assert all(np.isfinite(other).all() for other in others)


def test_threads_change_no_gradient():
    inputs = random_inputs(heads=5, n_q=150, n_k=200, dtype=np.float32)
    seed = normal(2, 5, 150, 13)
    for about in ({"is_causal": True}, {"scale": 40.0}):
        alone, shared = (by_the_tape(blockwise(64, threads=n, **about), inputs, seed) for n in (1, 3))
        for got, want in zip(shared, alone, strict=True):
            assert_array_equal(got, want)


def test_one_tensor_as_query_key_and_value():
    assert_gradients(lambda x: blockwise_attention(x, x, x, is_causal=True, block_size=2), normal(2, 5, 3))
