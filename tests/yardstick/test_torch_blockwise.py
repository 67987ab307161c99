"""Blockwise attention, forward and backward, is PyTorch's attention."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch.nn import functional as F

from attention_lab import Tensor, blockwise_attention, sliding_window_mask

BATCH, HEADS, N, N_K, D = 2, 6, 131, 149, 17
TOLERANCE = {np.float32: 1e-5, np.float64: 1e-12}


def normal(*shape, dtype, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def assert_same(arrays, about, theirs):
    tensors, twins = [Tensor(x) for x in arrays], [torch.tensor(x, requires_grad=True) for x in arrays]
    result, twin = blockwise_attention(*tensors, **about), F.scaled_dot_product_attention(*twins, **theirs)
    seed = normal(*result.shape, dtype=arrays[0].dtype, seed=99)
    result.backward(seed)
    twin.backward(torch.tensor(seed))
    pairs = [(result.data, twin.detach()), *((ours.grad, its.grad) for ours, its in zip(tensors, twins))]
    for got, want in pairs:
        want = want.numpy()
        assert got.dtype == want.dtype
        assert_allclose(got, want, rtol=0, atol=TOLERANCE[got.dtype.type] * max(1, np.abs(want).max()))


VISIBLE = np.random.default_rng(3).random((BATCH, 1, N, N_K)) < 0.6
VISIBLE[..., 0] = True  # of a row that sees nothing PyTorch makes NaN
BIAS = np.where(VISIBLE, normal(BATCH, 1, N, N_K, dtype=float), -np.inf)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("block_size", [16, 128])
@pytest.mark.parametrize("scale", [None, 3.0])
@pytest.mark.parametrize("mask", [None, VISIBLE, BIAS], ids=["full", "boolean", "additive"])
def test_masks(mask, scale, block_size, dtype):
    arrays = [normal(BATCH, HEADS, n, D, dtype=dtype, seed=n + i) for i, n in enumerate((N, N_K, N_K))]
    mask = mask if mask is None or mask.dtype == bool else mask.astype(dtype)
    their_mask = None if mask is None else torch.tensor(mask)
    ours = {"mask": mask, "scale": scale, "block_size": block_size}
    assert_same(arrays, ours, {"attn_mask": their_mask, "scale": scale})


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("kv_heads", [1, 2, 6])
def test_grouped_and_causal(kv_heads, dtype):
    arrays = [normal(BATCH, heads, N, D, dtype=dtype, seed=i) for i, heads in enumerate((HEADS, kv_heads, kv_heads))]
    about = {"is_causal": True, "enable_gqa": True}
    assert_same(arrays, about | {"block_size": 32}, about)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("is_causal", [False, True])
def test_window(is_causal, dtype):
    arrays = [normal(BATCH, HEADS, N, D, dtype=dtype, seed=i) for i in range(3)]
    near = torch.tensor(sliding_window_mask(N, window=20, is_causal=is_causal))
    assert_same(arrays, {"window": 20, "is_causal": is_causal, "block_size": 16}, {"attn_mask": near})
