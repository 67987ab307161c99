"""The faults of lesson 11's gallery do what the lesson says of them; its references agree with the package."""

import numpy as np
import pytest

from attention_lab import KVCache, LanguageModel, scaled_dot_product_attention
from attention_lab.teaching.exercises import EXERCISES, lesson_04_heads, lesson_11, lesson_11_gallery, lesson_11_mask
from tests.teaching.exercises.shown import assert_stands_alone

SHOWN = [
    lesson_11_gallery.faulty_b13,
    lesson_11_gallery.faulty_heads,
    lesson_11.faulty_append,
    lesson_11_mask.faulty_chunk,
]


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault, width=112)


def empty(max_len, d_k=3, d_v=5):
    return {"keys": np.zeros((max_len, d_k)), "values": np.zeros((max_len, d_v)), "length": 0}


def test_a_cache_of_one_text_is_right_until_it_is_full():
    rng = np.random.default_rng(0)
    query, key, value = (rng.normal(size=(7, d)) for d in (3, 3, 5))
    cache = empty(max_len=7)
    rows = [lesson_11_gallery.faulty_b13(*step, cache) for step in zip(query, key, value)]
    np.testing.assert_allclose(rows, scaled_dot_product_attention(query, key, value, is_causal=True)[0])
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 7"):
        lesson_11_gallery.faulty_b13(query[0], key[0], value[0], cache)


@pytest.mark.parametrize("leading", [(2,), (2, 3)])
def test_it_has_no_place_for_a_batch_or_heads(leading):
    query, key, value = (np.ones((*leading, d)) for d in (3, 3, 5))
    with pytest.raises(ValueError, match="could not broadcast"):
        lesson_11_gallery.faulty_b13(query, key, value, empty(max_len=7))


def by_chunks(mask_of, sizes):
    """Rows of attention where the tokens come in chunks, with a mask for each."""
    rng = np.random.default_rng(1)
    query, key, value = (rng.normal(size=(sum(sizes), d)) for d in (3, 3, 5))
    rows, kept = [], 0
    for n in sizes:
        end = kept + n
        rows.append(scaled_dot_product_attention(query[kept:end], key[:end], value[:end], mask_of(n, kept))[0])
        kept = end
    return np.concatenate(rows), scaled_dot_product_attention(query, key, value, is_causal=True)[0]


@pytest.mark.parametrize("sizes", [(7,), (3, 4), (1, 1, 5), (5, 1, 1)])
def test_the_mask_in_chunks_is_that_of_the_whole_text(sizes):
    np.testing.assert_allclose(*by_chunks(lesson_11_mask.cached_mask, sizes))


def test_a_mask_from_the_start_serves_the_first_chunk_alone():
    np.testing.assert_allclose(*by_chunks(lesson_11_mask.faulty_chunk, (7,)))
    got, wanted = by_chunks(lesson_11_mask.faulty_chunk, (3, 4))
    np.testing.assert_allclose(got[:3], wanted[:3])
    assert (np.abs(got[3:-1] - wanted[3:-1]).max(axis=-1) > 1e-3).all()
    assert lesson_11_mask.faulty_chunk(1, 5).sum() == 1  # a single new token sees the oldest key only


def test_seeing_all_is_right_for_single_tokens_and_leaks_in_a_chunk():
    np.testing.assert_allclose(*by_chunks(lesson_11_mask.faulty_cached_mask_all, (1,) * 7))
    got, wanted = by_chunks(lesson_11_mask.faulty_cached_mask_all, (1, 1, 5))
    assert not np.allclose(got[2], wanted[2])


def test_tiled_heads_are_those_of_lesson_04():
    assert lesson_11_gallery.faulty_heads is lesson_04_heads.faulty_repeat_heads_tile


def test_appending_equals_the_cache_of_the_package():
    rng = np.random.default_rng(2)
    keys, values, length, cache = np.empty((2, 3, 11, 5)), np.empty((2, 3, 11, 7)), 0, KVCache(11)
    for n in (4, 1, 5, 1):
        key, value = rng.normal(size=(2, 3, n, 5)), rng.normal(size=(2, 3, n, 7))
        kept_keys, kept_values, length = lesson_11.cache_append(keys, values, length, key, value)
        for ours, theirs in zip((kept_keys, kept_values), cache.append(key, value)):
            np.testing.assert_array_equal(ours, theirs)
        assert np.shares_memory(kept_keys, keys)
        assert np.shares_memory(kept_values, values)
        assert length == len(cache)
    for refuses in (cache.append, lambda *new: lesson_11.cache_append(keys, values, length, *new)):
        with pytest.raises(ValueError, match="the cache is full"):
            refuses(key, value)


def test_a_token_that_is_written_at_the_start_replaces_the_oldest():
    keys, values = np.zeros((1, 1, 3, 1)), np.zeros((1, 1, 3, 1))
    length = 0
    for number in (1.0, 2.0, 3.0):
        new = np.full((1, 1, 1, 1), number)
        kept, _, length = lesson_11.faulty_append(keys, values, length, new, new)
    assert kept.ravel().tolist() == [3, 0, 0]


@pytest.mark.parametrize("num_kv_heads", [1, 2, 3, 6])
def test_bytes_per_token_are_those_of_a_models_caches(num_kv_heads):
    sizes = {"num_layers": 3, "max_len": 5, "num_kv_heads": num_kv_heads, "positions": None}
    model = LanguageModel(7, 12, 6, 8, **sizes, rng=np.random.default_rng(0))
    caches = model.caches(5)
    model(np.zeros(2, int), caches=caches)
    assert sum(cache.nbytes for cache in caches) == 5 * EXERCISES["bytes_per_token"].reference(
        3, 12, 6, num_kv_heads, 4
    )


def test_a_model_of_this_size_takes_23_kilobytes_a_token():
    assert EXERCISES["bytes_per_token"].reference(30, 576, 9, 3, 2) == 23_040


def test_positions_by_hand_and_of_a_text_alone():
    mask = np.array([[0, 0, 0, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1]], bool)
    positions = lesson_11_mask.left_pad_positions(mask)
    assert positions.tolist() == [[0, 0, 0, 0, 1], [0, 1, 2, 3, 4], [0, 0, 0, 0, 0]]
