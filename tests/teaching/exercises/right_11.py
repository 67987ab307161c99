"""Differently written right answers to the exercises of lesson 11."""

import numpy as np

from attention_lab import KVCache, causal_mask
from tests.teaching.exercises.right import right


@right("cache_append")
def append_with_ellipsis(keys, values, length, key, value):
    end = length + key.shape[-2]
    if end > keys.shape[-2]:
        raise ValueError
    keys[..., length:end, :], values[..., length:end, :] = key, value
    return [keys[..., :end, :], values[..., :end, :], np.int64(end)]


@right("cache_append")
def append_row_by_row(keys, values, length, key, value):
    if length + key.shape[2] > keys.shape[2]:
        raise ValueError("full")
    for i in range(key.shape[2]):
        keys[:, :, length] = key[:, :, i]
        values[:, :, length] = value[:, :, i]
        length += 1
    return keys[:, :, :length], values[:, :, :length], length


@right("cache_append")
def append_by_indices(keys, values, length, key, value):
    rows = length + np.arange(key.shape[-2])
    if rows[-1] >= keys.shape[-2]:
        raise ValueError(f"no row {rows[-1]}")
    keys[:, :, rows], values[:, :, rows] = key, value
    return keys[:, :, : rows[-1] + 1].copy(), values[:, :, : rows[-1] + 1].copy(), rows[-1] + 1


@right("cache_append")
def append_and_let_the_package_refuse(keys, values, length, key, value):
    cache = KVCache(keys.shape[2])
    for new in ((keys[:, :, :length], values[:, :, :length]), (key, value)):
        if new[0].size:
            kept = cache.append(*new)
    for buffer, array in zip((keys, values), kept):
        np.copyto(buffer[:, :, : len(cache)], array)
    return *kept, len(cache)


@right("bytes_per_token")
def bytes_in_one_line(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 2 * num_layers * num_kv_heads * d_model // num_heads * bytes_per_number


@right("bytes_per_token")
def bytes_by_shares(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return num_kv_heads / num_heads * (2 * num_layers * d_model * bytes_per_number)


@right("bytes_per_token")
def bytes_by_counting(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    size = 0
    for _layer in range(num_layers):
        for _head in range(num_kv_heads):
            size += (d_model // num_heads) * bytes_per_number  # a key
            size += (d_model // num_heads) * bytes_per_number  # a value
    return size


@right("bytes_per_token")
def bytes_of_arrays(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    kept = np.zeros((num_layers, 2, num_kv_heads, d_model // num_heads), dtype=f"i{bytes_per_number}")
    return np.array(kept.nbytes)


@right("cached_mask")
def mask_of_the_package(n_new, n_kept):
    return causal_mask(n_new, n_kept + n_new)


@right("cached_mask")
def mask_of_the_last_rows(n_new, n_kept):
    return np.tri(n_kept + n_new, dtype=int)[n_kept:]


@right("cached_mask")
def mask_in_two_parts(n_new, n_kept):
    return np.hstack([np.ones((n_new, n_kept), bool), np.tril(np.ones((n_new, n_new), bool))])


@right("cached_mask")
def mask_by_tril(n_new, n_kept):
    return np.tril(np.ones((n_new, n_kept + n_new), dtype=bool), k=n_kept)


@right("cached_mask")
def mask_by_loops(n_new, n_kept):
    return [[key <= n_kept + query for key in range(n_kept + n_new)] for query in range(n_new)]


@right("left_pad_positions")
def positions_times_mask(mask):
    return (mask.cumsum(-1) - 1) * mask


@right("left_pad_positions")
def positions_where_real(mask):
    return np.where(mask, np.cumsum(mask, axis=-1) - 1, 0)


@right("left_pad_positions")
def positions_from_the_first_real_one(mask):
    return np.clip(np.arange(mask.shape[-1]) - mask.argmax(axis=-1, keepdims=True), 0, None)


@right("left_pad_positions")
def positions_less_the_pads(mask):
    pads = mask.shape[-1] - mask.sum(axis=-1, keepdims=True)
    positions = np.broadcast_to(np.arange(mask.shape[-1]), mask.shape) - pads
    positions[positions < 0] = 0
    return positions


@right("left_pad_positions")
def positions_by_loops(mask):
    positions = np.zeros(mask.shape)
    for at in np.ndindex(mask.shape[:-1]):
        n = 0
        for column, real in enumerate(mask[at]):
            if real:
                positions[(*at, column)] = n
                n += 1
    return positions
