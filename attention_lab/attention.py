"""Scaled dot-product attention, and the softmax inside it.

Axes are (..., queries, features) for a query, (..., keys, features) for a key and a value,
(..., queries, keys) for scores, weights and masks. Any leading axes are allowed and broadcast.
"""

import math

import numpy as np

from attention_lab.autodiff import differentiable
from attention_lab.checks import (
    check_attention_shapes,
    check_axis,
    check_finite,
    check_flag,
    check_mask,
    check_number,
    floating,
)
from attention_lab.functional import dropout_factor

# What underflows to 0 is meant to. What overflows is refused in words, by `scaled_scores` and `row_maximum`.
quietly = np.errstate(all="ignore")


def _softmax_backward(grad, saved):
    weights, axis = saved
    return (weights * (grad - (weights * grad).sum(axis, keepdims=True)),)


@differentiable(_softmax_backward)
@quietly
def softmax(x, axis=-1):
    """Turn scores into weights that are positive and sum to one.

    softmax(x)_i = exp(x_i) / Σ_j exp(x_j)

    The largest score is subtracted first. That changes nothing (a constant cancels) and keeps ``exp`` finite.
    A score of -inf is a hidden position: its weight is 0. Where every score is -inf, every weight is 0.

    Parameters
    ----------
    x : array_like
        Scores, of any shape. float16 is worked in float32 inside; integers become float64.
    axis : int
        The axis that sums to one.

    Returns
    -------
    ndarray
        Weights, with the shape and the floating dtype of `x`.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers.
    ValueError
        If `x` holds NaN or +inf, or has no such axis.

    Examples
    --------
    >>> softmax([0.0, 1.0]).round(3).tolist()
    [0.269, 0.731]
    >>> softmax([[1000.0, 1000.0], [-np.inf, -np.inf]]).tolist()
    [[0.5, 0.5], [0.0, 0.0]]
    """
    x, dtype = floating(x=x)
    weights = _normalise(x.copy(), check_axis("x", x, axis), "x")
    return weights.astype(dtype, copy=False), (weights, axis)


def _log_softmax_backward(grad, saved):
    logs, axis = saved
    return (grad - np.exp(logs) * grad.sum(axis, keepdims=True),)


@differentiable(_log_softmax_backward)
@quietly
def log_softmax(x, axis=-1):
    """Logarithm of the softmax, without a detour through numbers that underflow.

    log_softmax(x)_i = x_i - max(x) - log Σ_j exp(x_j - max(x))

    ``np.log(softmax(x))`` gives -inf where a weight underflows to 0; this gives the exact value.
    Parameters, dtypes and errors are those of `softmax`.

    Returns
    -------
    ndarray
        With the shape of `x`; -inf where `x` is -inf.

    Examples
    --------
    >>> log_softmax([0.0, -1000.0]).tolist()
    [0.0, -1000.0]
    """
    x, dtype = floating(x=x)
    axis = check_axis("x", x, axis)
    shifted = x - row_maximum(x, axis, "x")
    total = np.exp(shifted).sum(axis, keepdims=True)
    logs = shifted - np.log(np.where(total == 0, 1, total))
    return logs.astype(dtype, copy=False), (logs, axis)


def _attention_backward(grad, saved):
    """Gradients of query, key, value and a floating mask, from the weights that the forward kept."""
    query, key, value, output, weights, mixed, factor, cap_slope, scale, kv_heads = saved
    to_value = _group(mixed, kv_heads).swapaxes(-1, -2) @ _group(grad, kv_heads)  # mix
    to_scores = _ungroup(_group(grad, kv_heads) @ value.swapaxes(-1, -2), kv_heads)
    if np.ndim(factor):
        to_scores *= factor
    to_scores -= (grad * output).sum(-1, keepdims=True)  # normalise: the same as Σ weights · to_scores
    to_scores *= weights
    to_mask, to_scores = to_scores, to_scores * cap_slope if np.ndim(cap_slope) else to_scores
    to_scores = _group(to_scores, kv_heads)
    to_key = to_scores.swapaxes(-1, -2) @ _group(query * scale, kv_heads)  # score, scale
    to_query = _ungroup(to_scores @ (key * scale), kv_heads)
    if kv_heads is not None:
        to_key, to_value = to_key.sum(-3), to_value.sum(-3)
    return to_query, to_key, to_value, to_mask


@differentiable(_attention_backward)
@quietly
def scaled_dot_product_attention(
    query, key, value, mask=None, *, is_causal=False, scale=None, softcap=None, enable_gqa=False, dropout=0.0, rng=None
):
    """Attention: every query reads a weighted mean of the values.

    Attention(Q, K, V) = softmax(Q Kᵀ / √d_k + mask) V

    Parameters
    ----------
    query : array_like, (..., n_q, d_k)
        What each position asks for.
    key : array_like, (..., n_k, d_k)
        What each position offers to be found by.
    value : array_like, (..., n_k, d_v)
        What each position hands over when it is read.
    mask : array_like, broadcast to (..., n_q, n_k), optional
        Boolean, or integers 0 and 1: True = may attend. Floating: added to the scores, -inf hides.
    is_causal : bool
        Hide the future too. Aligned to the end: the last query sees every key, as with a cache of keys
        (PyTorch aligns to the start; the two agree where n_q = n_k).
    scale : float, optional
        Factor of the scores; 1/√d_k if not given.
    softcap : float, optional
        Bound of the scores: softcap · tanh(scores / softcap), after the scale and before the mask.
    enable_gqa : bool
        Grouped heads: axis -3 of `query` holds a multiple of the heads of `key` and `value`, and
        consecutive query heads share one key head.
    dropout : float
        Share of the weights set to 0 in training; the others grow by 1 / (1 - dropout).
    rng : numpy.random.Generator, optional
        Draws the dropout. Without it nothing is dropped: the call is an evaluation.

    Returns
    -------
    output : ndarray, (..., n_q, d_v)
        ``weights @ value``. A query that may see no key gets zeros.
    weights : ndarray, (..., n_q, n_k)
        The weights that were mixed, after dropout. Rows sum to one, or are zero where no key is visible.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind, shape or value. The message names it and says what to do.

    Notes
    -----
    Floating input keeps its dtype (float16 is worked in float32 inside); integers become float64. For a gradient the
    weights are kept, not computed anew.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1.

    Examples
    --------
    >>> key = np.eye(2)
    >>> value = np.array([[10.0, 0.0], [0.0, 10.0]])
    >>> output, weights = scaled_dot_product_attention([[0.0, math.sqrt(2)]], key, value)
    >>> weights.round(3).tolist()                                       # [1, e] / (1 + e)
    [[0.269, 0.731]]
    >>> output.round(2).tolist()
    [[2.69, 7.31]]
    """
    query, key, value, dtype = floating(query=query, key=key, value=value)
    check_attention_shapes(query, key, value, check_flag("enable_gqa", enable_gqa))
    kv_heads = key.shape[-3] if enable_gqa else None
    if enable_gqa:
        key, value = key[..., None, :, :], value[..., None, :, :]  # one for all query heads of its group

    scale = read_scale(scale, query)
    scores = scaled_scores(_group(query, kv_heads), key, scale, softcap)  # score, scale
    scores = _ungroup(scores, kv_heads)  # (..., n_q, n_k)
    cap_slope = 1 if softcap is None else 1 - (scores / float(softcap)) ** 2
    for hidden in _biases(mask, is_causal, scores):  # mask
        scores += hidden
    weights = _normalise(scores, -1, "scores + mask")  # normalise
    factor = dropout_factor(weights, dropout, rng)
    mixed = weights * factor if np.ndim(factor) else weights
    output = _ungroup(_group(mixed, kv_heads) @ value, kv_heads)  # mix: (..., n_q, d_v)
    if not np.isfinite(output).all():  # what is wrong with a value shows here, where a step of decoding has fewer rows
        check_finite(value=value)
    saved = query, key, value, output, weights, mixed, factor, cap_slope, scale, kv_heads
    return (output.astype(dtype, copy=False), mixed.astype(dtype, copy=False)), saved


@quietly
def scaled_scores(query, key, scale=None, softcap=None):
    """How well each query fits each key, (..., n_q, n_k), of arrays whose shapes were checked: finite or an error."""
    scale = read_scale(scale, query)
    scores = (query * scale) @ key.swapaxes(-1, -2)
    finite = not (scores.size < key.size or _may_overflow(query, key, scale)) or np.isfinite(scores).all()
    if not finite:
        check_finite(query=query, key=key)
    if softcap is not None:
        softcap = check_number("softcap", softcap, above=0)
        scores = softcap * np.tanh(scores / softcap)
    if not (finite or np.isfinite(scores).all()):
        raise ValueError(
            f"query @ keyᵀ overflows {scores.dtype} with scale={scale:.3g} and softcap={softcap}: "
            "make query, key or scale smaller, or give float64"
        )
    return scores


def read_scale(scale, query):
    return 1 / math.sqrt(query.shape[-1]) if scale is None else check_number("scale", scale)


def _may_overflow(query, key, scale):
    """Whether a score could leave the range of its dtype: a bound from the inputs spares a look at every score.

    Of NaN and inf in the inputs the bound is NaN or inf, too.
    """
    largest_query, largest_key = (float(np.abs(x).max(initial=0)) for x in (query, key))
    bound = largest_query * abs(scale) * max(query.shape[-1] * largest_key, 1)  # in this order: max(1, NaN) is 1
    return not bound < np.finfo(query.dtype).max


def _normalise(scores, axis, name):
    """Softmax of an array of our own, in place: one buffer from scores to weights."""
    scores -= row_maximum(scores, axis, name)
    np.exp(scores, out=scores)
    total = scores.sum(axis, keepdims=True)
    scores /= np.where(total == 0, 1, total)
    return scores


def row_maximum(scores, axis, name):
    """The largest score of each row; 0 where all are -inf, so that the row stays -inf and its weights become 0."""
    largest = scores.max(axis, keepdims=True, initial=-np.inf)
    if not (largest < np.inf).all():
        raise ValueError(f"{name} must be below +inf and not NaN: look for NaN, inf or numbers that overflow")
    return np.where(largest == -np.inf, 0, largest)


def _biases(mask, is_causal, scores):
    """What a mask adds to the scores: 0 where a query may attend, -inf where it may not."""
    if mask is not None:
        yield _as_bias(mask, scores)
    n_q, n_k = scores.shape[-2:]
    if check_flag("is_causal", is_causal) and n_q > 1:  # one query, the last, sees all
        yield _as_bias(np.tri(n_q, n_k, n_k - n_q, dtype=bool), scores)


def _as_bias(mask, scores):
    mask = check_mask(mask, scores.shape)
    if mask.dtype == bool:
        return np.where(mask, scores.dtype.type(0), scores.dtype.type(-np.inf))
    return mask.astype(scores.dtype, copy=False)  # below the smallest number of that dtype: -inf, as meant


def _group(x, kv_heads):
    """Query heads by the key head that they share: (..., heads, n, d) -> (..., kv_heads, group, n, d)."""
    if kv_heads is None:
        return x
    *leading, heads, n, d = x.shape
    return x.reshape(*leading, kv_heads, heads // kv_heads, n, d)


def _ungroup(x, kv_heads):
    if kv_heads is None:
        return x
    *leading, kv_heads, group, n, d = x.shape
    return x.reshape(*leading, kv_heads * group, n, d)
