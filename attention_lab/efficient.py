"""Attention for long sequences: exact, tile by tile, in memory that grows with the length and not with its square.

Each head is an attention of its own: query (n_q, d_k), key (n_k, d_k), value (n_k, d_v). Its scores are computed for
one tile of queries and keys at a time, and computed anew for the gradient: that is cheaper than to keep them.
"""

import math
from functools import partial

import numpy as np

from attention_lab.attention import quietly, read_scale, row_maximum, scaled_scores
from attention_lab.autodiff import differentiable
from attention_lab.checks import check_attention_shapes, check_finite, check_flag, check_mask, check_size, floating
from attention_lab.online import join_tile
from attention_lab.tiles import Tiles, by_head, places, share

CALM = 30.0  # exp of a score between -30 and 30 neither overflows nor vanishes: no maximum is needed


def _blockwise_backward(grad, saved):
    """Gradients of query, key, value and a floating mask; the scores are computed anew."""
    query, key, value, mask, output, maximum, total, group, options = saved
    leading = output.shape[:-2]
    to_query, to_key, to_value = (np.zeros((*leading, *x.shape[-2:]), x.dtype) for x in (query, key, value))
    to_mask = None if mask is None or mask.dtype == bool else np.zeros(mask.shape, grad.dtype)
    query = np.broadcast_to(query, to_query.shape)
    own = query, mask, output, maximum, total, grad, to_query, to_key, to_value, to_mask
    if to_mask is not None:
        options = options | {"threads": 1}  # several heads may add to one mask
    _each_head(_pull_back, own, (key, value), leading, group, **options)
    if group > 1:
        to_key, to_value = (x.reshape(*leading[:-1], -1, group, *x.shape[-2:]).sum(-3) for x in (to_key, to_value))
    return to_query, to_key, to_value, to_mask


@differentiable(_blockwise_backward)
@quietly
def blockwise_attention(
    query,
    key,
    value,
    mask=None,
    *,
    is_causal=False,
    window=None,
    scale=None,
    enable_gqa=False,
    block_size=128,
    threads=None,
):
    """Attention without its weights: the same output, in memory that grows with the length and not with its square.

    output_i = Σ_j exp(s_ij) v_j / Σ_j exp(s_ij),    s = Q Kᵀ / √d_k + mask

    Both sums run over the keys tile by tile (`online_softmax`). A tile that no query may see is not computed.

    Parameters
    ----------
    query, key, value, mask, is_causal : as in `scaled_dot_product_attention`
        What no query of a tile may see costs nothing, be it hidden by a mask, by the future or by the window.
    window : int, optional
        Hide the keys that are `window` places or more away from the query, as `sliding_window_mask` does, but without
        an array. With `is_causal` the last `window` keys are seen, the query's own among them.
    scale, enable_gqa : as in `scaled_dot_product_attention`
    block_size : int
        Queries in a tile; it has about four times as many keys.
    threads : int, optional
        Threads over the heads. If not given: as many as BLAS may use, where the work is large, the cores are there
        and threadpoolctl is installed. BLAS is held at one thread meanwhile.

    Returns
    -------
    ndarray, (..., n_q, d_v)
        A query that may see no key gets zeros.

    Raises
    ------
    TypeError, ValueError
        As `scaled_dot_product_attention`, or if a size is not a whole number of at least 1.

    Notes
    -----
    Sources: Milakov & Gimelshein 2018, "Online normalizer calculation for softmax"; Dao et al. 2022,
    "FlashAttention", algorithms 1 and 4.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((1000, 8))
    >>> from attention_lab import scaled_dot_product_attention
    >>> dense, weights = scaled_dot_product_attention(x, x, x, is_causal=True)
    >>> bool(np.allclose(blockwise_attention(x, x, x, is_causal=True), dense))
    True
    """
    query, key, value, dtype = floating(query=query, key=key, value=value)
    check_attention_shapes(query, key, value, check_flag("enable_gqa", enable_gqa))
    sizes = query.shape[-2], key.shape[-2]
    leading, group, mask = _leading(query, key, value, mask, enable_gqa)
    about = {"is_causal": is_causal, "window": window, "block_size": block_size}
    tiles = Tiles(*sizes, query.dtype, **about, heads=leading[-1] if leading and group == 1 else 1)
    threads = None if threads is None else check_size("threads", threads, low=1)
    options = {"tiles": tiles, "scale": read_scale(scale, query), "threads": threads}
    read = _read(query, key, value, mask, leading, group, options)
    return read[0].astype(dtype, copy=False), (query, key, value, mask, *read, group, options)


def _read(query, key, value, mask, leading, group, options):
    """The output, and of each query the maximum (None where it was not needed) and the total."""
    largest, of_value = _largest_score(query, key, value, options["scale"])
    calm = largest < CALM and of_value < 1e18 and (mask is None or mask.dtype == bool)
    output, total = (np.zeros((*leading, query.shape[-2], d), query.dtype) for d in (value.shape[-1], 1))
    maximum = None if calm else np.full(total.shape, -np.inf, query.dtype)
    query = np.broadcast_to(query, (*leading, *query.shape[-2:]))
    own, careful = (query, mask, output, maximum, total), not largest < np.finfo(query.dtype).max
    _each_head(_attend, own, (key, value), leading, group, **options, careful=careful)
    maximum = None if calm else row_maximum(maximum, -1, "scores + mask")
    if not (calm or np.isfinite(output).all()):
        raise ValueError(f"weights @ value overflows {output.dtype}: make value smaller, or give float64")
    return output, maximum, total


@quietly
def _attend(heads, tiles, scale, careful):
    """Fill the output of each head, and the maximum and the total of each query."""
    room = tiles.room()
    for query, mask, output, maximum, total, key, value in heads:
        for rows, seen in tiles.blocks(mask):
            block = ..., rows, slice(None)
            asked, state = query[block] * scale, [None if x is None else x[block] for x in (maximum, total, output)]
            if careful:
                scaled_scores(query[block], key, scale)  # an error where one overflows
            is_first = True
            for keys, hidden in seen:
                scores = _scores(asked, key[..., keys, :], hidden, room)
                join_tile(scores, value[..., keys, :], *state, is_first)
                is_first = False
            _, of_block, mixed = state
            np.copyto(of_block, 1, where=of_block == 0)  # no key was seen
            mixed /= of_block  # normalise


@quietly
def _pull_back(heads, tiles, scale):
    """Add to the gradients of each head. What is divided by the total is a query's gradient, not its weights."""
    room, second = tiles.room(), tiles.room()
    for query, mask, output, maximum, total, grad, to_query, to_key, to_value, to_mask, key, value in heads:
        for rows, seen in tiles.blocks(mask):
            block = ..., rows, slice(None)
            asked, pull = query[block] * scale, grad[block] / total[block]
            mean = (pull * output[block]).sum(-1, keepdims=True)
            for keys, hidden in seen:
                powers = _scores(asked, key[..., keys, :], hidden, room)
                if maximum is not None:
                    powers -= maximum[block]
                np.exp(powers, out=powers)
                to_value[..., keys, :] += powers.swapaxes(-1, -2) @ pull  # mix
                to_scores = _scores(pull, value[..., keys, :], (), second)
                to_scores -= mean  # normalise
                to_scores *= powers
                if to_mask is not None:
                    _add_to_mask(to_mask, rows, keys, to_scores)  # mask
                to_query[block] += to_scores @ key[..., keys, :]  # score
                to_key[..., keys, :] += to_scores.swapaxes(-1, -2) @ asked
        to_query *= scale  # scale


def _scores(query, key, hidden, room):
    """The scores of one tile, in memory that the next one uses again."""
    shape = *query.shape[:-1], key.shape[-2]
    scores = np.matmul(query, key.swapaxes(-1, -2), out=room[: math.prod(shape)].reshape(shape))  # score
    for columns, bias in hidden:
        scores[..., columns] += bias  # mask
    return scores


def _add_to_mask(to_mask, rows, keys, to_scores):
    """What a mask gets from one tile; an axis of 1 gets the sum."""
    ones = tuple(axis for axis, n in enumerate(to_mask.shape) if n == 1)
    to_mask[..., *places((rows, keys), to_mask.shape[-2:])] += to_scores.sum(ones, keepdims=True)


def _leading(query, key, value, mask, enable_gqa):
    """The output's axes before (queries, features), how many heads share a key head, and the mask, checked."""
    of_query, of_key, of_value = (x.shape[: -3 if enable_gqa else -2] for x in (query, key, value))
    heads, group = (query.shape[-3:-2], query.shape[-3] // key.shape[-3]) if enable_gqa else ((), 1)
    if mask is not None:
        mask = check_mask(mask, (*np.broadcast_shapes(of_query, of_key), *heads, query.shape[-2], key.shape[-2]))
    return (*np.broadcast_shapes(of_query, of_key, of_value), *heads), group, mask


def _each_head(work, own, shared, leading, group, *, tiles, scale, threads, **options):
    """Let `work` go through the heads, each with arrays of its own and some that serve a group of heads."""
    together = tiles.together
    parts = [by_head(x, leading, together) for x in own] + [by_head(x, leading, together, group) for x in shared]
    multiplications = math.prod(leading) * tiles.n_q * tiles.n_k * sum(x.shape[-1] for x in shared)
    share(partial(work, tiles=tiles, scale=scale, **options), list(zip(*parts)), threads, multiplications)


def _largest_score(query, key, value, scale):
    """No score is larger than this, as |q · k| is at most |q| |k|; and no value than the second number."""
    of_query, of_key = (math.sqrt(np.einsum("...d,...d->...", x, x).max(initial=0)) for x in (query, key))
    of_value = math.sqrt(np.vdot(value, value))
    largest = of_query * abs(scale) * max(of_key, 1)
    if not largest + of_value < math.inf:
        check_finite(query=query, key=key, value=value)
    return largest, of_value
