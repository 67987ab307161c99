"""Softmax read in tiles: what has to be kept of the keys that were read, and how one more tile joins it."""

from functools import cache

import numpy as np

from attention_lab.attention import quietly, row_maximum
from attention_lab.checks import check_finite, check_leading, check_sequences, floating


@quietly
def online_softmax(scores, value, state=None):
    """Read one more tile of a softmax: after the last one, mixed / total is what `softmax(scores) @ value` gives.

    m' = max(m, max s_j),   l' = exp(m − m') l + Σ_j exp(s_j − m'),   o' = exp(m − m') o + Σ_j exp(s_j − m') v_j

    Parameters
    ----------
    scores : array_like, (..., n_q, tile)
        The scores of this tile's keys; -inf hides one.
    value : array_like, (..., tile, d_v)
    state : (maximum, total, mixed), optional
        What came back for the tiles before. None for the first.

    Returns
    -------
    maximum, total : ndarray, (..., n_q, 1)
        The largest score m so far, and the sum l of exp(score - m). A row that has seen no key: -inf and 0.
    mixed : ndarray, (..., n_q, d_v)
        The sum o of exp(score - m) · value. All three are new arrays, float32 at least.

    Raises
    ------
    TypeError, ValueError
        If the arrays do not fit together, a score or a value is NaN or inf, or a sum overflows.

    Notes
    -----
    Source: Milakov & Gimelshein 2018, "Online normalizer calculation for softmax", algorithm 3.

    Examples
    --------
    >>> state = online_softmax([[0.0, 1.0]], [[8.0], [0.0]])
    >>> maximum, total, mixed = online_softmax([[2.0]], [[4.0]], state)
    >>> from attention_lab import softmax
    >>> bool(np.allclose(mixed / total, softmax([[0.0, 1.0, 2.0]]) @ [[8.0], [0.0], [4.0]]))
    True
    """
    scores, value, _ = floating(scores=scores, value=value)
    check_sequences(scores=scores, value=value)
    if scores.shape[-1] != value.shape[-2]:
        raise ValueError(f"value has {value.shape[-2]} rows but scores have {scores.shape[-1]} keys: one row a key")
    check_leading(scores=scores, value=value)
    rows = *np.broadcast_shapes(scores.shape[:-2], value.shape[:-2]), scores.shape[-2]
    shapes = [(*rows, size) for size in (1, 1, value.shape[-1])]
    if state is None:
        state = [np.full(shape, start) for shape, start in zip(shapes, (-np.inf, 0.0, 0.0))]
    got = list(map(np.shape, state)) if isinstance(state, list | tuple) else type(state)
    if got != shapes:
        raise ValueError(f"state must be three arrays of shapes {shapes}, got {got!r}")
    maximum, total, mixed = (np.array(part, scores.dtype) for part in state)
    join_tile(np.array(np.broadcast_to(scores, (*rows, scores.shape[-1]))), value, maximum, total, mixed)
    row_maximum(maximum, -1, "scores")
    if not np.isfinite(total + mixed).all():
        check_finite(value=value)
        raise ValueError(f"state holds NaN or inf, or with value it is too large: a sum overflows {mixed.dtype}")
    return maximum, total, mixed


def join_tile(scores, value, maximum, total, mixed, is_first=False):
    """Read one more tile, in place. Where it raises a row's maximum, what was read before shrinks accordingly.

    Without a maximum, 0 is subtracted. Before the first tile total and mixed are 0, and need not be read.
    """
    if maximum is not None:
        before = maximum.copy()
        np.maximum(maximum, scores.max(-1, keepdims=True), out=maximum)
        largest = np.where(maximum == -np.inf, 0, maximum)  # nothing was seen yet
        shrink = np.exp(before - largest)
        total *= shrink
        mixed *= shrink
        scores -= largest
    np.exp(scores, out=scores)
    ones = _ones(scores.shape[-1], scores.dtype)
    if is_first:
        np.matmul(scores, ones, out=total)
        np.matmul(scores, value, out=mixed)  # mix
    else:
        total += scores @ ones
        mixed += scores @ value


@cache
def _ones(n, dtype):
    """A product with ones is a sum, and quicker."""
    return np.ones((n, 1), dtype)
