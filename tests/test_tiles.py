"""The tiles of blockwise attention: which are computed, what is kept of them, and how threads share the heads."""

import tracemalloc
from contextlib import nullcontext

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import attention_lab as lab
from attention_lab import blockwise_attention
from attention_lab import efficient as module
from attention_lab import tiles as tiles_module
from attention_lab.tiles import Tiles, by_head, share
from tests.differences import normal
from tests.oracle import random_inputs

Q, K, V = random_inputs(batch=2, heads=3, n_q=11, n_k=17, d_k=7, d_v=5, dtype=np.float32)


# ---- what is not computed, and what is not kept -------------------------------------------------------------------


def scores_computed(monkeypatch, *inputs, **options):
    """How many numbers the tiles of scores hold in all."""
    sizes = []
    original = module._scores
    with monkeypatch.context() as patch:
        patch.setattr(module, "_scores", lambda q, k, *rest: (sizes.append(len(q) * len(k)), original(q, k, *rest))[1])
        blockwise_attention(*inputs, **options)
    return sum(sizes)


def test_hidden_tiles_are_never_computed(monkeypatch):
    n, size = 256, 16
    x = [normal(n, 4)] * 3
    blocks = n // size
    assert scores_computed(monkeypatch, *x, block_size=size) == n * n
    assert scores_computed(monkeypatch, *x, block_size=size, is_causal=True) == size**2 * blocks * (blocks + 1) // 2
    window = scores_computed(monkeypatch, *x, block_size=size, is_causal=True, window=32)
    assert window <= n * (32 + size)
    for mask, count in (
        (np.zeros((n, n), bool), 0),
        (lab.padding_mask([48], n)[0, 0], n * 48),
        (np.arange(n) % 5 == 0, n * 52),
        (lab.block_mask(n, block_size=size), n * size),
        (np.where(lab.block_mask(n, block_size=size), 0.3, -np.inf), n * size),
        (lab.causal_mask(n), size**2 * blocks * (blocks + 1) // 2),
    ):
        assert scores_computed(monkeypatch, *x, mask=mask, block_size=size) == count
    assert (
        scores_computed(monkeypatch, *x, mask=lab.padding_mask([48], n)[0, 0], is_causal=True, block_size=size) < n * 48
    )


def peak(function):
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_with_the_length_and_not_with_its_square():
    def of_length(n, **options):
        x = normal(n, 16, dtype=np.float32)
        return peak(lambda: blockwise_attention(x, x, x, **options))

    for options in ({"is_causal": True}, {"window": 64}, {"scale": 100.0}):
        small, large = of_length(1024, **options), of_length(4096, **options)
        assert large < 4 * small
        assert large < 4096 * 4096  # a quarter of the scores
    x = normal(4096, 16, dtype=np.float32)
    tensors = [lab.Tensor(x) for _ in range(3)]
    assert peak(lambda: blockwise_attention(*tensors, is_causal=True).sum().backward()) < 4096 * 4096


def test_a_block_reads_no_key_outside_its_windows():
    x = normal(64, 4)
    tiles = Tiles(64, 64, x.dtype, is_causal=True, window=4, block_size=8, heads=1)
    for rows, seen in tiles.blocks():
        for keys, _ in seen:
            assert rows.start - 3 <= keys.start
            assert keys.stop <= rows.stop


# ---- threads ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_change_nothing(threads):
    inputs = random_inputs(batch=2, heads=5, n_q=200, n_k=300, d_k=7, d_v=5, dtype=np.float32)
    for about in ({"is_causal": True}, {"scale": 40.0}):
        alone = blockwise_attention(*inputs, threads=1, **about)
        assert_array_equal(blockwise_attention(*inputs, threads=threads, **about), alone)


def test_every_head_is_done_once_and_an_error_comes_back():
    done = []
    share(done.extend, list(range(100)), 3, 0)
    assert sorted(done) == list(range(100))
    with pytest.raises(ZeroDivisionError):
        share(lambda heads: [1 / head for head in heads], [1, 0, 2], 2, 0)
    with pytest.raises(ValueError, match="overflows"):
        blockwise_attention(1e25 * Q, 1e25 * K, V, threads=2)


def test_a_thread_is_as_quiet_as_the_caller():
    """What underflows to 0 is meant to, also where the caller asks NumPy to raise: threads do not inherit that."""
    with np.errstate(all="raise"):
        for threads in (1, 2):
            blockwise_attention(Q, K, V, scale=3000.0, threads=threads)
    for threads in (1, 2):
        with pytest.raises(ValueError, match="overflows"):
            blockwise_attention(Q, K, np.full_like(V, 3e38), threads=threads)


def test_the_gradient_of_one_mask_is_summed_by_one_thread(monkeypatch):
    asked = []
    monkeypatch.setattr(module, "share", lambda work, heads, threads, n: (asked.append(threads), work(heads))[1])
    for mask, counts in (None, [2, 2]), (lab.Tensor(np.zeros((11, 17), np.float32)), [2, 1]):
        query = lab.Tensor(Q)
        blockwise_attention(query, K, V, mask, threads=2).sum().backward()
        assert asked == counts
        asked.clear()


def test_heads_are_views():
    array = np.arange(24.0).reshape(2, 1, 3, 4)
    heads = by_head(array, (2, 5))
    assert len(heads) == 10
    assert all(np.shares_memory(head, array) for head in heads)
    assert_array_equal(heads[5], array[1:])
    grouped = by_head(array.reshape(1, 2, 3, 4), (2, 4), group=2)
    assert [head[0, 0, 0, 0] for head in grouped] == [0, 0, 12, 12, 0, 0, 12, 12]


@pytest.mark.parametrize("together", [1, 2, 3, 7])
def test_several_heads_in_one_view(together):
    """Together they are the array, each head once; an axis of 1 is not cut."""
    array = np.arange(2 * 7 * 3 * 4.0).reshape(2, 7, 3, 4)
    parts = by_head(array, (2, 7), together)
    assert {part.shape[1] for part in parts} <= {together, 7 % together}
    assert_array_equal(np.concatenate([part.reshape(-1, 3, 4) for part in parts]), array.reshape(-1, 3, 4))
    assert [part.shape for part in by_head(array[:, :1], (2, 7), together)] == [(1, 1, 3, 4)] * len(parts)
    assert [part.shape for part in by_head(array[0, 0], (), together)] == [(3, 4)]


def test_small_heads_share_a_tile():
    """As many as it has room for, and no more: 128 queries and 512 keys."""
    for n_q, n_k, together in (128, 128, 4), (128, 512, 1), (300, 512, 1), (1, 100, 655), (16, 16, 256):
        tiles = Tiles(n_q, n_k, np.dtype("f4"), is_causal=False, window=None, block_size=128, heads=1000)
        assert tiles.together == together
        assert tiles.room().size <= 1.5 * 128 * 512 + 128


@pytest.mark.parametrize("block_size", [1, 1000, 10**18])
@pytest.mark.parametrize("enable_gqa", [False, True])
def test_memory_hangs_on_the_heads_and_not_on_the_block_size(block_size, enable_gqa):
    x = normal(2, 4, 8)
    tracemalloc.start()
    try:
        for array in [x] if enable_gqa else [x, x[0], x[:0]]:
            blockwise_attention(array, array, array, block_size=block_size, enable_gqa=enable_gqa)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


class FakeBlas:
    """What threadpoolctl says of BLAS, and what it is told."""

    def __init__(self, threads):
        self.threads, self.limits = threads, []

    def info(self):
        return [{"num_threads": self.threads}]

    def limit(self, limits):
        self.limits.append(limits)
        return nullcontext()


def workers(monkeypatch, blas, asked, multiplications):
    """How many threads begin the work of eight heads, where four cores are there."""
    began = []
    monkeypatch.setattr(tiles_module, "_blas", lambda: blas)
    monkeypatch.setattr(tiles_module.os, "sched_getaffinity", lambda _: range(4), raising=False)
    share(lambda heads: began.append(list(heads)), list(range(8)), asked, multiplications)
    return len(began)


def test_as_many_threads_as_blas_has_where_the_work_is_large(monkeypatch):
    large, small = 2 * tiles_module.SMALL, 10
    for of_blas, asked, work, count in (
        (3, None, large, 3),
        (16, None, large, 4),
        (1, None, large, 1),
        (3, None, small, 1),
        (3, 1, large, 1),
        (3, 2, small, 2),
        (3, 50, small, 8),
    ):
        blas = FakeBlas(of_blas)
        assert workers(monkeypatch, blas, asked, work) == count
        assert blas.limits == ([1] if count > 1 else [])
    assert workers(monkeypatch, None, None, large) == 1
