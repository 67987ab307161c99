"""Mistakes that learners make in the exercises of lesson 11, beside those of the bank."""

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("cache_append", "That line of yours refuses a case that is legal", "length 16, key (2, 3, 1, 5)")
def refuses_the_last_row(keys, values, length, key, value):
    if length + key.shape[2] >= keys.shape[2]:
        raise ValueError("full")
    return REFERENCE["cache_append"](keys, values, length, key, value)


@wrong("cache_append", "your function stops with RuntimeError: full", "refuse in words", never="a case that is legal")
def refuses_by_another_error(keys, values, length, key, value):
    if length + key.shape[2] > keys.shape[2]:
        raise RuntimeError("full")
    return REFERENCE["cache_append"](keys, values, length, key, value)


@wrong("cache_append", "your function returns None, given", "length 17", "raise ValueError", never="end it with")
def gives_none_when_full(keys, values, length, key, value):
    if length + key.shape[2] > keys.shape[2]:
        return None
    return REFERENCE["cache_append"](keys, values, length, key, value)


@wrong("cache_append", "your function returns a result, given", "length 17", never="A known cause")
def begins_anew_when_full(keys, values, length, key, value):
    length = 0 if length + key.shape[2] > keys.shape[2] else length
    return REFERENCE["cache_append"](keys, values, length, key, value)


@wrong("cache_append", "The buffers stay as they were: you join arrays, or write into copies")
def writes_into_copies(keys, values, length, key, value):
    return REFERENCE["cache_append"](keys.copy(), values.copy(), length, key, value)


@wrong("cache_append", "The buffers stay as they were", never="loses")
def joins_and_lets_them_grow(keys, values, length, key, value):
    kept_keys = np.concatenate([keys[:, :, :length], key], axis=-2)
    kept_values = np.concatenate([values[:, :, :length], value], axis=-2)
    return kept_keys, kept_values, kept_keys.shape[-2]


@wrong("cache_append", "You write at the start, over the oldest tokens")
def starts_over_without_looking(keys, values, length, key, value):
    n = key.shape[2]
    keys[:, :, :n], values[:, :, :n] = key, value
    return keys[:, :, : length + n], values[:, :, : length + n], length + n


@wrong("cache_append", "changes its input `key`")
def wipes_what_it_was_given(keys, values, length, key, value):
    kept = REFERENCE["cache_append"](keys, values, length, key, value)
    key[...] = 0
    return kept


@wrong("cache_append", "Your function returns 2 results; 3 are expected")
def forgets_the_length(keys, values, length, key, value):
    return REFERENCE["cache_append"](keys, values, length, key, value)[:2]


@wrong("cache_append", "`kept_keys` and `new_length` are right. `kept_values`[", never="A known cause")
def keeps_half_a_value(keys, values, length, key, value):
    return REFERENCE["cache_append"](keys, values, length, key, value / 2)


@wrong("bytes_per_token", "`size` is", "given num_layers 30, d_model 576", never="A known cause")
def adds_where_it_should_multiply(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 2 * num_layers * (num_kv_heads + d_model // num_heads) * bytes_per_number


@wrong("bytes_per_token", "You count query heads, or d_model")
def cuts_by_key_heads(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 2 * num_layers * num_kv_heads * (d_model / num_kv_heads) * bytes_per_number


@wrong("cached_mask", "Every cell of `mask` is turned round")
def marks_what_is_hidden(n_new, n_kept):
    return ~REFERENCE["cached_mask"](n_new, n_kept)


@wrong("cached_mask", "holds floats (float64)", "`.astype(bool)`")
def gives_a_mask_of_floats(n_new, n_kept):
    return np.tri(n_new, n_kept + n_new, k=n_kept)


@wrong("cached_mask", "`mask` has shape (3,) and should have (3, 8)", never="square")
def compares_rows_with_rows(n_new, n_kept):
    return np.arange(n_new) <= n_kept + np.arange(n_new)


@wrong("left_pad_positions", "`positions`[", "should be", never="You number the columns")
def counts_backwards(mask):
    return (mask.sum(axis=-1, keepdims=True) - np.cumsum(mask, axis=-1)) * mask * 2


@wrong("left_pad_positions", "changes its input `mask`")
def writes_into_the_mask(mask):
    positions = np.maximum(np.cumsum(mask, axis=-1) - 1, 0)
    mask[...] = 0
    return positions
