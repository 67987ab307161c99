"""Blockwise attention is attention: equal to the dense one, for every mask, shape and dtype; in linear memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab import blockwise_attention, scaled_dot_product_attention, sliding_window_mask
from attention_lab import efficient as module
from tests.differences import normal
from tests.oracle import random_inputs

BATCH, HEADS, N_Q, N_K = 2, 3, 11, 17
SIZES = {"batch": BATCH, "heads": HEADS, "n_q": N_Q, "n_k": N_K, "d_k": 7, "d_v": 5}
TOLERANCE = {np.float16: 2e-3, np.float32: 3e-6, np.float64: 1e-12}
TRIES = settings(max_examples=150, deadline=None, derandomize=True)


def dense(query, key, value, mask=None, *, window=None, is_causal=False, **options):
    """What blockwise attention must equal; a window becomes a mask."""
    if window is not None:
        near = sliding_window_mask(np.shape(query)[-2], np.shape(key)[-2], window=window, is_causal=is_causal)
        additive = mask is not None and np.asarray(mask).dtype.kind == "f"
        mask = near if mask is None else np.where(near, mask, -np.inf) if additive else near & np.asarray(mask, bool)
    return scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal, **options)[0]


def assert_equal_to_dense(inputs, block_size=4, logit=0, **about):
    """Equal to rounding. Of logits up to `logit`, the rounding of the logits themselves may show in both."""
    got = blockwise_attention(*inputs, block_size=block_size, **about)
    want = dense(*inputs, **about)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    largest = max(1, np.abs(inputs[2]).max(initial=0))
    rounding = max(TOLERANCE[want.dtype.type], np.finfo(want.dtype).eps * logit)
    assert_allclose(got, want, rtol=0, atol=rounding * largest)
    return got


def visible(*shape, share=0.5, seed=3):
    return np.random.default_rng(seed).random(shape) < share


# ---- equal to the dense one ---------------------------------------------------------------------------------------

MASKS = {
    "none": None,
    "boolean": visible(BATCH, HEADS, N_Q, N_K),
    "of integers": visible(N_Q, N_K).astype(int),
    "of heads": visible(HEADS, N_Q, N_K, share=0.1),
    "padding": lab.padding_mask([1, N_K]),
    "of queries": visible(BATCH, 1, N_Q, 1),
    "one row": visible(N_K),
    "everything": np.ones((N_Q, N_K), bool),
    "nothing": np.zeros((N_Q, N_K), bool),
    "nothing, additive": np.full((1, N_K), -np.inf),
    "additive": normal(BATCH, 1, N_Q, N_K),
    "additive with gaps": np.where(visible(HEADS, N_Q, N_K), 50 * normal(HEADS, N_Q, N_K), -np.inf),
    "slopes": lab.alibi_bias(HEADS, N_Q, N_K),
    "the first tiles are hidden": np.arange(N_K) >= 16,
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "about",
    [{}, {"is_causal": True}, {"window": 3}, {"is_causal": True, "window": 1}, {"is_causal": True, "window": 6}],
    ids=str,
)
@pytest.mark.parametrize("name", MASKS)
def test_masks(name, about, dtype):
    inputs = random_inputs(**SIZES, dtype=dtype)
    for block_size in (1, 2, 64):
        assert_equal_to_dense(inputs, block_size, mask=MASKS[name], **about)


@pytest.mark.parametrize(("n_q", "n_k"), [(1, 1), (1, 13), (13, 1), (7, 13), (13, 7), (37, 37)])
@pytest.mark.parametrize("window", [None, 1, 2, 5, 100])
@pytest.mark.parametrize("is_causal", [False, True])
def test_lengths(n_q, n_k, window, is_causal):
    inputs = random_inputs(**SIZES | {"n_q": n_q, "n_k": n_k})
    for block_size in (1, 3, 128):
        got = assert_equal_to_dense(inputs, block_size, is_causal=is_causal, window=window)
    if is_causal:
        assert not got[..., : max(0, n_q - n_k), :].any()


@TRIES
@given(st.data())
def test_any_shape_mask_and_scale(data):
    n_q, n_k, d_k, d_v = (data.draw(st.integers(1, n)) for n in (40, 40, 9, 9))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    leading = data.draw(st.sampled_from([(), (3,), (2, 3)]))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    shapes = (n_q, d_k), (n_k, d_k), (n_k, d_v)
    inputs = [rng.standard_normal((*leading, *shape)).astype(dtype) for shape in shapes]
    about = {"is_causal": data.draw(st.booleans()), "window": data.draw(st.none() | st.integers(1, 50))}
    about["scale"] = data.draw(st.none() | st.sampled_from([0.0, -0.5, 3.0, 30.0]))
    axes = data.draw(st.integers(0, len(leading) + 2))
    if axes:
        shape = [n if data.draw(st.booleans()) else 1 for n in (*leading, n_q, n_k)[-axes:]]
        hidden = rng.random(shape) < data.draw(st.sampled_from([0.0, 0.1, 0.5, 0.97]))
        bias = np.where(hidden, -np.inf, 5 * rng.standard_normal(shape))
        about["mask"] = bias if data.draw(st.booleans()) else ~hidden
    query, key, _ = inputs
    logit = np.abs(query @ key.swapaxes(-1, -2)).max() * abs(about["scale"] or 0)
    assert_equal_to_dense(inputs, data.draw(st.integers(1, 20)), logit, **about)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1e-4, 1.0, 1e2, 1e4])
def test_large_logits(size, dtype):
    """The largest logit lies near ±size, whichever tile it is in."""
    query, key, value = random_inputs(**SIZES, dtype=dtype)
    size = size / np.abs(query @ key.swapaxes(-1, -2)).max()
    for mask in (None, MASKS["additive with gaps"], MASKS["the first tiles are hidden"]):
        for order in (slice(None), slice(None, None, -1)):
            assert_equal_to_dense((query, key[..., order, :], value), mask=mask, scale=float(size))


def test_maximum_is_skipped_only_where_nothing_can_overflow_or_vanish(monkeypatch):
    shifted = []
    join = module.join_tile
    monkeypatch.setattr(module, "join_tile", lambda *x: (shifted.append(x[2] is not None), join(*x))[1])
    inputs = random_inputs(**SIZES, dtype=np.float32)
    for scale, wanted in ((0.1, False), (0.5, False), (20.0, True)):
        shifted.clear()
        assert_equal_to_dense(inputs, scale=scale)
        assert set(shifted) == {wanted}
    shifted.clear()
    assert_equal_to_dense(inputs, scale=0.1, mask=-1000.0 * np.arange(N_K))
    assert all(shifted)
    ones = [np.full((9, 7), 3, np.float32)] * 3  # each score is 9 · 7 · scale = 1e4, and equal to the bound
    assert_array_equal(blockwise_attention(*ones, scale=1e4 / 63), ones[2])


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_heads(kv_heads):
    inputs = random_inputs(**SIZES | {"heads": 6}, kv_heads=kv_heads)
    for mask in (None, visible(6, N_Q, N_K), visible(BATCH, 1, N_Q, N_K), normal(BATCH, 6, 1, N_K)):
        assert_equal_to_dense(inputs, enable_gqa=True, mask=mask, is_causal=True)
    query, key, value = normal(2, 6, 3, 7), normal(3, 5, 7, seed=1), normal(2, 3, 5, 2, seed=2)
    assert_equal_to_dense((query, key, value), enable_gqa=True, mask=visible(6, 3, 5))


@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 7), (5, 7), (5, 2)),
        ((2, 3, 7), (5, 7), (5, 2)),
        ((3, 7), (2, 5, 7), (5, 2)),
        ((3, 7), (5, 7), (2, 5, 2)),
        ((2, 1, 3, 7), (3, 5, 7), (1, 5, 2)),
        ((0, 3, 7), (5, 7), (5, 2)),
        ((2, 0, 3, 7), (5, 7), (5, 2)),
    ],
    ids=str,
)
def test_leading_axes_broadcast(shapes):
    """Both where a head has many tiles and where several heads share one."""
    inputs = [normal(*shape, seed=i) for i, shape in enumerate(shapes)]
    for mask in (None, visible(3, 5), normal(5)):
        for block_size in (2, 128):
            assert_equal_to_dense(inputs, block_size, is_causal=True, mask=mask)


def test_lists_integers_and_strided_arrays():
    assert_equal_to_dense(([[1, 2]], [[3, 4], [1, 0]], [[5], [6]]))
    inputs = [normal(BATCH, n, HEADS, d, seed=d).swapaxes(1, 2) for n, d in ((N_Q, 7), (N_K, 7), (N_K, 5))]
    assert_equal_to_dense(inputs, is_causal=True)
    before = [array.copy() for array in inputs]
    blockwise_attention(*inputs, window=2)
    for array, was in zip(inputs, before):
        assert_array_equal(array, was)


# ---- errors -------------------------------------------------------------------------------------------------------


def error_of(function, *args, **options):
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*args, **options)
    return type(caught.value), str(caught.value)


Q, K, V = random_inputs(**SIZES, dtype=np.float32)


def with_one(array, value):
    array = array.copy()
    array[0, 0, 0, 0] = value
    return array


@pytest.mark.parametrize(
    ("inputs", "about"),
    [
        ((Q[..., :6], K, V), {}),
        ((Q, K, V[..., :4, :]), {}),
        ((Q[..., :0, :], K, V), {}),
        ((Q, K[..., :0, :], V[..., :0, :]), {}),
        ((Q[:, :2], K, V), {}),
        ((Q[:, :2], K, V), {"enable_gqa": True}),
        ((with_one(Q, np.nan), K, V), {}),
        ((Q, with_one(K, np.inf), V), {}),
        ((Q, K, with_one(V, np.nan)), {}),
        ((Q, K, with_one(V, -np.inf)), {"is_causal": True}),
        ((1e25 * Q, 1e25 * K, V), {}),
        ((Q, K, V), {"scale": 1e38}),
        ((Q, K, V), {"scale": "1"}),
        ((Q, K, V), {"is_causal": 1}),
        ((Q, K, V), {"enable_gqa": 1}),
        ((Q, K, V), {"mask": np.ones((N_Q, N_K + 1), bool)}),
        ((Q, K, V), {"mask": visible(N_Q, N_K).astype(float)}),
        ((Q, K, V), {"mask": np.full((N_Q, N_K), np.nan)}),
        ((Q, K, V), {"mask": np.full((N_Q, N_K), 1e300)}),
        ((Q, K, V), {"mask": np.ones((1, BATCH, HEADS, N_Q, N_K), bool)}),
        ((np.array("a"), K, V), {}),
    ],
)
def test_errors_are_those_of_the_dense_one(inputs, about):
    got, want = (error_of(f, *inputs, **about) for f in (blockwise_attention, scaled_dot_product_attention))
    assert got == want


@pytest.mark.parametrize("name", ["block_size", "window", "threads"])
def test_sizes_that_make_no_sense(name):
    for value in (0, -1):
        assert error_of(blockwise_attention, Q, K, V, **{name: value}) == (
            ValueError,
            f"{name} must be at least 1, got {value}",
        )
    for value in (2.0, True, "2"):
        assert error_of(blockwise_attention, Q, K, V, **{name: value}) == (
            TypeError,
            f"{name} must be a whole number, got {value!r}",
        )


def test_values_too_large_to_add_up():
    large = np.full_like(V, 3e38)
    assert "weights @ value overflows float32" in error_of(blockwise_attention, Q, K, large)[1]
    assert_allclose(blockwise_attention(Q, K, large.astype(np.float64)), 3e38, rtol=1e-6)
    tiny = np.full_like(V, 1e-30)
    assert_allclose(blockwise_attention(Q, K, tiny), 1e-30, rtol=1e-5)
