"""Decoding with a cache is reading the whole: for every way to cut a text, and a sliding cache is a window."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from attention_lab import (
    Encoder,
    KVCache,
    MultiHeadAttention,
    alibi_bias,
    causal_mask,
    parameters,
    sliding_window_mask,
)

N, D, HEADS = 6, 12, 6
TOLERANCE = {np.float16: 4e-3, np.float32: 1e-5, np.float64: 1e-13}


def normal(*shape, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def compositions(n):
    """Every way to cut n tokens into chunks, in order: 2 to the power of n - 1."""
    if n == 0:
        return [[]]
    return [[first, *rest] for first in range(1, n + 1) for rest in compositions(n - first)]


WAYS = compositions(N)


def layer_of(kv_heads=HEADS, heads=HEADS, **about):
    about = {"d_head": 4, "rng": np.random.default_rng(1), "dtype": np.float64} | about
    return MultiHeadAttention(D, heads, num_kv_heads=kv_heads, **about)


def read(layer, cache, x, chunks, *, mask=None, turned=False):
    """What each chunk gives: its outputs, its weights, the first query and the number of keys."""
    for n in chunks:
        start, n_k = cache.seen, cache.num_keys(n)
        stop = start + n
        part = None if mask is None else mask[..., start:stop, stop - n_k : stop]
        positions = np.arange(start, stop) if turned else None
        output, weights = layer(x[..., start:stop, :], mask=part, cache=cache, positions=positions)
        assert weights.shape[-2:] == (n, n_k)
        yield output, weights, start, n_k


def assert_close(ours, theirs, tolerance=1e-12):
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    assert np.abs(ours - theirs).max(initial=0) <= tolerance


def assert_cached_is_uncached(layer, cache, x, ways, *, mask=None, window=None, turned=False, tolerance=1e-12):
    n = x.shape[-2]
    whole = causal_mask(n) if window is None else sliding_window_mask(n, window=window)
    if mask is not None:
        whole = np.where(whole, mask, False if mask.dtype == bool else -np.inf)
    wanted, wanted_weights = layer(x, mask=whole, positions=np.arange(n) if turned else None)
    for chunks in ways:
        cache.reset()
        for output, weights, start, n_k in read(layer, cache, x, chunks, mask=mask, turned=turned):
            stop = start + output.shape[-2]
            assert_close(output, wanted[..., start:stop, :], tolerance)
            assert_close(weights, wanted_weights[..., start:stop, stop - n_k : stop], tolerance)
        assert cache.seen == n
        assert len(cache) == min(n, cache.max_len)


@pytest.mark.parametrize(("leading", "kv_heads"), [((), 6), ((2,), 6), ((2,), 3), ((2,), 1), ((2, 3), 2)], ids=str)
def test_cached_is_uncached_for_every_way_to_cut_a_text(leading, kv_heads):
    assert len(WAYS) == 32
    assert_cached_is_uncached(layer_of(kv_heads, bias=True), KVCache(N), normal(*leading, N, D), WAYS)


@pytest.mark.parametrize("kv_heads", [6, 2])
@pytest.mark.parametrize("interleaved", [False, True])
def test_with_rotated_queries_and_keys(interleaved, kv_heads):
    layer = layer_of(kv_heads, interleaved=interleaved, base=50.0)
    assert_cached_is_uncached(layer, KVCache(N + 3), normal(2, N, D), WAYS, turned=True)


MASKS = {
    "ALiBi": alibi_bias(HEADS, N),
    "padding on the left": (np.arange(N) >= np.array([[0], [2]]))[:, None, None] & np.ones((N, 1), bool),
    "one a head": np.random.default_rng(5).random((HEADS, N, N)) < 0.6,
    "bias": normal(2, HEADS, N, N, seed=6),
}


@pytest.mark.parametrize("name", MASKS)
def test_with_a_mask_over_kept_and_new_keys(name):
    layer, x, mask = layer_of(2), normal(2, N, D), MASKS[name]
    assert_cached_is_uncached(layer, KVCache(N), x, WAYS, mask=mask)
    assert_cached_is_uncached(layer, KVCache(2, on_full="slide"), x, WAYS, mask=mask, window=2)


def test_a_mask_of_integers_counts_as_booleans():
    layer, x, mask = layer_of(), normal(2, N, D), MASKS["padding on the left"].astype(int)
    for cache in (lambda: KVCache(N), lambda: KVCache(2, on_full="slide")):
        for ours, theirs in zip(*(read(layer, cache(), x, [4, 2], mask=m) for m in (mask, mask.astype(bool)))):
            assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize(("kv_heads", "turned"), [(6, False), (2, True)])
@pytest.mark.parametrize("window", [1, 2, 3, 5, 6, 9])
def test_a_sliding_cache_is_a_sliding_window(window, kv_heads, turned):
    cache = KVCache(window, on_full="slide")
    assert_cached_is_uncached(layer_of(kv_heads), cache, normal(2, N, D), WAYS, window=window, turned=turned)


@pytest.mark.parametrize("on_full", ["raise", "slide"])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_dtypes(dtype, on_full):
    layer, x = layer_of(2, dtype=dtype), normal(2, N, D, dtype=dtype)
    window = {"raise": None, "slide": 3}[on_full]
    cache = KVCache(window or N, on_full=on_full)
    assert_cached_is_uncached(layer, cache, x, WAYS[::3], window=window, turned=True, tolerance=TOLERANCE[dtype])


@st.composite
def cut_texts(draw):
    n = draw(st.integers(1, 12))
    cuts = sorted(draw(st.sets(st.integers(1, n - 1)))) if n > 1 else []
    heads = draw(st.sampled_from([(1, 1), (3, 3), (4, 2), (6, 3), (5, 1)]))
    window = draw(st.none() | st.integers(1, 13))
    leading = draw(st.sampled_from([(), (1,), (3,), (2, 1, 2)]))
    chunks = np.diff([0, *cuts, n]).tolist()
    return n, chunks, heads, window, leading, draw(st.booleans()), draw(st.booleans()), draw(st.integers(0, 99))


@settings(deadline=None, max_examples=60)
@given(cut_texts())
def test_cached_is_uncached(case):
    n, chunks, (heads, kv_heads), window, leading, masked, turned, seed = case
    layer, x = layer_of(kv_heads, heads), normal(*leading, n, D, seed=seed)
    mask = np.random.default_rng(seed).random((*leading, heads, n, n)) < 0.7 if masked else None
    cache = KVCache(n) if window is None else KVCache(window, on_full="slide")
    assert_cached_is_uncached(layer, cache, x, [chunks], mask=mask, window=window, turned=turned)


def test_a_long_text_slides_in_the_same_memory():
    layer, x = layer_of(2), normal(100, D)
    wanted = layer(x, mask=sliding_window_mask(100, window=7))[0]
    for chunks in ([1] * 100, [3] * 33 + [1], [40, *[1] * 20, 40]):
        cache, sizes = KVCache(7, on_full="slide"), set()
        for output, _, start, _ in read(layer, cache, x, chunks):
            assert_close(output, wanted[start : start + len(output)])
            sizes.add(cache.nbytes)
        assert max(sizes) <= 2 * 2 * 4 * 8 * (2 * 7 + max(chunks))


def test_a_call_with_a_cache_is_causal_said_or_not():
    layer, x = layer_of(), normal(N, D)
    for ours, theirs in zip(layer(x, cache=KVCache(N)), layer(x, is_causal=True, cache=KVCache(N))):
        assert_array_equal(ours, theirs)


def test_one_cache_serves_one_text_after_the_other():
    cache = KVCache(N)
    for leading, dtype in (((2,), np.float64), ((), np.float32), ((3, 1), np.float64), ((0,), np.float64)):
        layer, x = layer_of(2, dtype=dtype), normal(*leading, N, D, dtype=dtype)
        assert_cached_is_uncached(layer, cache, x, [[2, 1, 3]], turned=True, tolerance=TOLERANCE[dtype])


# ---- a stack of blocks ------------------------------------------------------------------------------------------


def stack_of(norm="pre", kv_heads=2):
    encoder = Encoder(2, D, 6, 17, num_kv_heads=kv_heads, norm=norm, rng=np.random.default_rng(0), dtype=np.float64)
    for array in parameters(encoder).values():
        array += 0.1 * normal(*array.shape, seed=3)
    return encoder


@pytest.mark.parametrize("norm", ["pre", "post", None])
@pytest.mark.parametrize("window", [None, 3])
def test_blocks_with_a_cache_each(window, norm):
    encoder, x = stack_of(norm), normal(2, N, 12)
    mask = causal_mask(N) if window is None else sliding_window_mask(N, window=window)
    wanted, wanted_weights = encoder(x, mask)
    for chunks in WAYS[::2]:
        caches = [KVCache(window or N, on_full="slide" if window else "raise") for _ in range(2)]
        for n in chunks:
            start, n_k = caches[0].seen, caches[0].num_keys(n)
            stop = start + n
            got, weights = encoder(x[:, start:stop], caches=caches)
            assert_close(got, wanted[:, start:stop], 1e-11)
            for ours, theirs in zip(weights, wanted_weights, strict=True):
                assert_close(ours, theirs[..., start:stop, stop - n_k : stop], 1e-11)


def test_a_block_hands_its_cache_on():
    block, x, cache = stack_of().blocks[0], normal(2, N, 12), KVCache(N)
    wanted, _ = block(x, is_causal=True, positions=np.arange(N))
    assert block.attention.W_k.shape == block.attention.W_v.shape == (12, 2 * 2)  # two key heads of six
    for i in range(N):
        got, weights = block(x[:, i : i + 1], cache=cache, positions=[i])
        assert_close(got, wanted[:, i : i + 1])
        assert weights.shape == (2, 6, 1, i + 1)


@pytest.mark.parametrize("caches", ["one", "short", "long", "twice", "numbers", "half", "generator", "empty", "method"])
def test_caches_that_are_not_one_a_block(caches):
    one, other = KVCache(9), KVCache(9)
    given_ = {
        "one": one,
        "short": [one],
        "long": [one, other, KVCache(9)],
        "twice": [one, one],
        "numbers": [1, 2],
        "half": [one, None],
        "generator": (c for c in (one, other)),
        "empty": [],
        "method": one.reset,
    }[caches]
    with pytest.raises(ValueError, match="caches must be a list of 2 different KVCaches, one a block, got "):
        stack_of()(normal(2, N, 12), caches=given_)
    assert (one.seen, other.seen) == (0, 0)


def test_caches_that_lost_their_step():
    encoder, x, caches = stack_of(), normal(2, N, 12), [KVCache(9), KVCache(9)]
    encoder(x[:, :2], caches=caches)
    encoder.blocks[0](x[:, 2:3], cache=caches[0])  # as a call that was interrupted
    with pytest.raises(ValueError, match=r"caches have seen \[3, 2\] tokens, but must hold the same text: reset each"):
        encoder(x[:, 3:4], caches=caches)
    assert [cache.seen for cache in caches] == [3, 2]
    for cache in caches:
        cache.reset()
    assert_close(encoder(x, caches=tuple(caches))[0], encoder(x, is_causal=True)[0])
