"""What a cache keeps and hands out, and that a refused call changes nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import KVCache, Tensor
from tests.test_cached_decoding import D, layer_of, normal


def pair(n, *leading, seed=0, dtype=np.float64):
    return normal(*leading, n, 5, seed=seed, dtype=dtype), normal(*leading, n, 7, seed=seed + 1, dtype=dtype)


@pytest.mark.parametrize("on_full", ["raise", "slide"])
def test_append_gives_what_is_kept_and_the_new_ones(on_full):
    key, value = pair(9, 2, 3)
    for chunks in ([1] * 9, [4, 5], [2, 1, 6], [9]):
        cache = KVCache(9 if on_full == "raise" else 4, on_full=on_full)
        for n in chunks:
            start = cache.seen
            n_k = cache.num_keys(n)
            assert n_k == n + (start if on_full == "raise" else min(start, 3))
            got = cache.append(key[..., start : start + n, :], value[..., start : start + n, :])
            for ours, given_ in zip(got, (key, value)):
                assert_array_equal(ours, given_[..., start + n - n_k : start + n, :])
            assert cache.seen == start + n
            assert len(cache) == min(cache.seen, cache.max_len)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_bytes_are_those_of_all_tokens_from_the_first_append_on(dtype):
    cache = KVCache(11)
    assert (cache.nbytes, len(cache), cache.seen) == (0, 0, 0)
    for _ in range(11):
        cache.append(*pair(1, 2, 3, dtype=dtype))
        assert cache.nbytes == 2 * 3 * 11 * (5 + 7) * np.dtype(dtype).itemsize
    cache.reset()
    assert (cache.nbytes, len(cache), cache.seen) == (0, 0, 0)


def test_grouped_heads_keep_fewer_bytes():
    sizes = []
    for kv_heads in (6, 3, 1):
        cache = KVCache(8)
        layer_of(kv_heads)(normal(2, 3, D), cache=cache)
        sizes.append(cache.nbytes)
    assert sizes == [2 * 2 * h * 8 * 4 * 8 for h in (6, 3, 1)]


def test_a_step_copies_nothing_that_is_kept():
    cache = KVCache(9)
    before = cache.append(*pair(4, 2))
    for ours, theirs in zip(cache.append(*pair(1, 2)), before):
        assert np.shares_memory(ours, theirs)


@pytest.mark.parametrize("on_full", ["raise", "slide"])
def test_what_was_handed_out_is_read_only_and_stays_as_it_was(on_full):
    cache, handed = KVCache(12 if on_full == "raise" else 3, on_full=on_full), []
    for seed, n in enumerate([1, 2, 1, 1, 4, 1, 2]):
        handed += [(array, array.copy()) for array in cache.append(*pair(n, 2, seed=seed))]
    cache.reset()
    cache.append(*pair(3, 2, seed=50))
    for now, then in handed:
        assert_array_equal(now, then)
        with pytest.raises(ValueError, match="read-only"):
            now[...] = 0


def test_what_is_appended_is_copied():
    key, value = pair(2)
    cache, wanted = KVCache(3), key.copy()
    cache.append(key, value)
    key[:] = 9
    assert_array_equal(cache.append(*pair(1))[0][:2], wanted)


def test_integers_become_floats_as_everywhere():
    cache = KVCache(2)
    cache.append([[1, 2]], [[True]])
    key, value = cache.append([[0.5, 2]], [[0.25]])
    assert key.tolist() == [[1, 2], [0.5, 2]]
    assert value.tolist() == [[1], [0.25]]


# ---- a refused call changes nothing -----------------------------------------------------------------------------

NEW = pair(1, 2, 3)
REFUSED = {
    "full": (pair(4, 2, 3), "the cache is full: it holds 2 of max_len=5 tokens and 4 more came", 'on_full="slide"'),
    "batch": (pair(1, 3, 3), "key is float64 (3, 3, 1, 5) but the cache holds float64 (2, 3, 1, 5)", "reset it"),
    "no batch": (pair(1, 3), "key is float64 (3, 1, 5) but the cache holds float64 (2, 3, 1, 5)"),
    "heads": (pair(1, 2, 1), "(2, 1, 1, 5) but the cache holds float64 (2, 3, 1, 5)"),
    "dtype": (pair(1, 2, 3, dtype=np.float32), "key is float32", "the cache holds float64"),
    "key width": ((NEW[0][..., :3], NEW[1]), "key is float64 (2, 3, 1, 3)", "(2, 3, 1, 5)"),
    "value width": ((NEW[0], NEW[0]), "value is float64 (2, 3, 1, 5)", "(2, 3, 1, 7)"),
    "value dtype": ((NEW[0], NEW[1].astype(np.float32)), "value is float32"),
    "lengths": ((NEW[0], pair(2, 2, 3)[1]), "alike but for d, got (2, 3, 1, 5) and (2, 3, 2, 7)"),
    "no tokens": (pair(0, 2, 3), "key is empty", "(2, 3, 0, 5)"),
    "no features": ((NEW[0], NEW[1][..., :0]), "value is empty"),
    "one vector": ((NEW[0][0, 0, 0], NEW[1]), "key must have at least 2 axes", "(5,)"),
    "NaN": ((NEW[0], NEW[1] * np.nan), "value holds NaN or inf"),
    "inf": ((NEW[0] * np.inf, NEW[1]), "key holds NaN or inf"),
}
KINDS = {
    "a Tensor": ((Tensor(NEW[0]), NEW[1]), "a cache keeps plain arrays: it serves generation, not training"),
    "words": (("key", NEW[1]), "key must hold real numbers"),
    "nothing": ((NEW[0], None), "value must hold real numbers"),
}


@pytest.mark.parametrize("case", [*REFUSED, *KINDS])
def test_what_does_not_fit_is_refused_in_words_and_changes_nothing(case):
    given_, *words = (REFUSED | KINDS)[case]
    cache, twin = KVCache(5), KVCache(5)
    for one in (cache, twin):
        one.append(*pair(2, 2, 3, seed=7))
    with pytest.raises(TypeError if case in KINDS else ValueError) as caught:
        cache.append(*given_)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert (cache.seen, len(cache), cache.nbytes) == (twin.seen, len(twin), twin.nbytes)
    for ours, theirs in zip(cache.append(*pair(3, 2, 3, seed=8)), twin.append(*pair(3, 2, 3, seed=8))):
        assert_array_equal(ours, theirs)


def test_a_first_append_that_is_refused_leaves_the_cache_empty():
    cache = KVCache(3)
    with pytest.raises(ValueError, match="holds 0 of max_len=3 tokens and 4 more came"):
        cache.append(*pair(4))
    assert (cache.seen, cache.nbytes) == (0, 0)


CALLS = {
    "mask of the new keys alone": lambda layer, x, cache: layer(x, mask=np.ones((2, 2), bool), cache=cache),
    "mask of floats 0 and 1": lambda layer, x, cache: layer(x, mask=np.eye(2, 5), cache=cache),
    "mask of words": lambda layer, x, cache: layer(x, mask="causal", cache=cache),
    "positions of all": lambda layer, x, cache: layer(x, positions=np.arange(5), cache=cache),
    "another batch": lambda layer, x, cache: layer(x[[0, 1, 1]], cache=cache),
    "another dtype": lambda layer, x, cache: layer(x.astype(np.float32), cache=cache),
    "another width": lambda layer, x, cache: layer(x[..., :5], cache=cache),
    "a NaN": lambda layer, x, cache: layer(x * np.nan, cache=cache),
    "no tokens": lambda layer, x, cache: layer(x[:, :0], cache=cache),
    "keys of another text": lambda layer, x, cache: layer(x, x, x + 1, cache=cache),
    "a Tensor": lambda layer, x, cache: layer(Tensor(x), cache=cache),
    "too many": lambda layer, x, cache: layer(np.repeat(x, 3, 1), cache=cache),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_refused_call_of_a_layer_changes_nothing(case):
    layer, x, cache = layer_of(2), normal(2, 8, D), KVCache(8)
    layer(x[:, :3], cache=cache)
    before = cache.nbytes
    with pytest.raises((ValueError, TypeError)):
        CALLS[case](layer, x[:, 3:5], cache)
    assert (cache.seen, cache.nbytes) == (3, before)
    assert_allclose(layer(x[:, 3:], cache=cache)[0], layer(x, is_causal=True)[0][:, 3:], atol=1e-12)


@pytest.mark.parametrize("cache", [True, [KVCache(9)], KVCache, 3])
def test_what_is_no_cache_is_refused_in_words(cache):
    with pytest.raises(TypeError, match="cache must be a KVCache, got .*: a list, one a block, goes to caches="):
        layer_of()(normal(2, D), cache=cache)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"max_len": 0}, ValueError, "max_len must be at least 1, got 0"),
        ({"max_len": 3.0}, TypeError, "max_len must be a whole number, got 3.0"),
        ({"max_len": None}, TypeError, "max_len must be a whole number, got None"),
        ({"max_len": 3, "on_full": "wrap"}, ValueError, "on_full must be one of 'raise', 'slide', got 'wrap'"),
        ({"max_len": 3, "on_full": True}, ValueError, "on_full must be one of 'raise', 'slide', got True"),
    ],
)
def test_impossible_caches(arguments, error, words):
    with pytest.raises(error) as caught:
        KVCache(**arguments)
    assert words in str(caught.value)
