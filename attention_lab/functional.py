"""The formulas that layers are made of: each a function of its input and its parameters, over the last axis.

A result has the floating dtype of `x`, whatever dtype the parameters have. float16 is worked in float32 inside.
"""

import math

import numpy as np

from attention_lab.autodiff import differentiable
from attention_lab.checks import (
    check_dtype,
    check_features,
    check_generator,
    check_ids,
    check_number,
    finite,
    floating,
    numeric,
)

UNDRAWN = object()  # given as rng: see `initial`


def _linear_backward(grad, saved):
    x, weight, has_bias = saved
    rows, of_rows = _rows(x), _rows(grad)
    return (of_rows @ weight.T).reshape(x.shape), rows.T @ of_rows, of_rows.sum(0) if has_bias else None


@differentiable(_linear_backward)
@finite
def linear(x, weight, bias=None):
    """Send every position through one matrix.

    linear(x) = x W + b

    Parameters
    ----------
    x : array_like, (..., d_in)
    weight : array_like, (d_in, d_out)
    bias : array_like, (d_out,), optional

    Returns
    -------
    ndarray, (..., d_out)

    Raises
    ------
    TypeError, ValueError
        If the widths do not match, or an argument does not hold real numbers.

    Examples
    --------
    >>> linear([[1.0, 2.0]], [[1.0, 0.0, 3.0], [0.0, 1.0, 0.0]], bias=[10.0, 0.0, 0.0]).tolist()
    [[11.0, 2.0, 3.0]]
    """
    x, dtype = floating(x=x)
    weight = _parameter("weight", weight, x)
    if weight.ndim != 2:
        raise ValueError(f"weight must have shape (d_in, d_out), got {weight.shape}")
    check_features("x", x.shape, weight.shape[0])
    result = (_rows(x) @ weight).reshape(*x.shape[:-1], weight.shape[1])
    if bias is not None:
        result += _parameter("bias", bias, x, weight.shape[1])
    return result.astype(dtype, copy=False), (x, weight, bias is not None)


def _embedding_backward(grad, saved):
    """The gradients of each id's places, summed: sorted by id, they stand in runs."""
    ids, shape = saved
    to_table = np.zeros(shape, grad.dtype)
    if ids.size:
        order = np.argsort(ids, axis=None, kind="stable")
        found, starts = np.unique(ids.ravel()[order], return_index=True)
        to_table[found] = np.add.reduceat(grad.reshape(-1, shape[-1])[order], starts)
    return None, to_table


@differentiable(_embedding_backward)
@finite
def embedding(ids, table):
    """Look up the vector of every token.

    embedding(ids)_i = table[ids_i]

    Parameters
    ----------
    ids : array_like of int, (...)
        Token ids from 0 to vocab_size - 1.
    table : array_like, (vocab_size, d_model)

    Returns
    -------
    ndarray, (..., d_model)
        With the dtype of `table`.

    Raises
    ------
    TypeError, ValueError
        If an id is not a whole number or has no row.

    Examples
    --------
    >>> embedding([2, 0], [[0.0, 0.1], [1.0, 1.1], [2.0, 2.1]]).tolist()
    [[2.0, 2.1], [0.0, 0.1]]
    """
    table = numeric("table", table)
    if table.ndim != 2:
        raise ValueError(f"table must have shape (vocab_size, d_model), got {table.shape}")
    ids = check_ids("ids", ids, len(table))
    return table[ids], (ids, table.shape)


def _layer_norm_backward(grad, saved):
    normed, root, gain = saved
    pull = grad * gain
    along = _row_dot(pull, normed) / len(gain)  # a longer x is shortened again, a shifted one shifted back
    pull -= pull.mean(-1, keepdims=True)
    pull -= normed * along
    pull /= root
    of_rows = _rows(grad)
    return pull, np.einsum("ni,ni->i", of_rows, _rows(normed)), of_rows.sum(0)


@differentiable(_layer_norm_backward)
@finite
def layer_norm(x, gain, bias, eps=1e-5):
    """Give the features of every position mean 0 and variance 1, then a gain and a bias a feature.

    layer_norm(x) = (x - mean(x)) / √(var(x) + eps) · gain + bias

    Mean and variance are those of one position's features, never of several positions: one token's norm cannot
    tell it of another. The variance is the population's (divided by d), and eps stands inside the root.

    Parameters
    ----------
    x : array_like, (..., d)
    gain, bias : array_like, (d,)
    eps : float
        Keeps the root above 0 where all features are equal.

    Returns
    -------
    ndarray, (..., d)

    Raises
    ------
    TypeError, ValueError
        If the widths do not match, or `eps` is negative.

    Notes
    -----
    Source: Ba et al. 2016, "Layer Normalization", section 3.

    Examples
    --------
    >>> layer_norm([1.0, 3.0], gain=[1.0, 1.0], bias=[0.0, 5.0], eps=0.0).tolist()
    [-1.0, 6.0]
    """
    x, dtype = floating(x=x)
    gain = _gain(gain, x)
    bias = _parameter("bias", bias, x, len(gain))
    centred = x - x.mean(-1, keepdims=True)
    variance = _row_dot(centred, centred) / x.shape[-1]
    root = np.sqrt(variance + check_number("eps", eps, low=0))
    normed = np.divide(centred, root, out=centred)
    result = normed * gain
    result += bias
    return result.astype(dtype, copy=False), (normed, root, gain)


def _rms_norm_backward(grad, saved):
    normed, root, gain = saved
    pull = grad * gain
    return (pull - normed * (pull * normed).mean(-1, keepdims=True)) / root, grad * normed


@differentiable(_rms_norm_backward)
@finite
def rms_norm(x, gain, eps=1e-6):
    """Give the features of every position a mean square of 1, then a gain a feature. The mean is not removed.

    rms_norm(x) = x / √(mean(x²) + eps) · gain

    Parameters
    ----------
    x : array_like, (..., d)
    gain : array_like, (d,)
    eps : float
        Keeps the root above 0 where all features are 0.

    Returns
    -------
    ndarray, (..., d)

    Raises
    ------
    TypeError, ValueError
        If the widths do not match, or `eps` is negative.

    Notes
    -----
    Source: Zhang & Sennrich 2019, "Root Mean Square Layer Normalization", equation 4.

    Examples
    --------
    >>> rms_norm([3.0, 4.0, 0.0, 0.0], gain=[1.0, 1.0, 1.0, 1.0], eps=0.0).round(3).tolist()
    [1.2, 1.6, 0.0, 0.0]
    """
    x, dtype = floating(x=x)
    gain = _gain(gain, x)
    root = np.sqrt((x * x).mean(-1, keepdims=True) + check_number("eps", eps, low=0))
    normed = x / root
    return (normed * gain).astype(dtype, copy=False), (normed, root, gain)


@differentiable(lambda grad, factor: (grad * factor if np.ndim(factor) else grad,))
@finite
def dropout(x, rate, rng=None):
    """Set a random share of the numbers to 0 in training; the others grow, so that the expected value stays.

    dropout(x) = x · kept / (1 - rate), kept = 1 with probability 1 - rate, else 0

    Parameters
    ----------
    x : array_like
    rate : float
        The share, at least 0 and below 1.
    rng : numpy.random.Generator, optional
        Draws what is dropped. Without it `x` comes back as it is: the call is an evaluation.

    Returns
    -------
    ndarray
        With the shape of `x`.

    Raises
    ------
    TypeError, ValueError
        If `rate` or `rng` is not what it must be.

    Notes
    -----
    Source: Srivastava et al. 2014, "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", section 10.

    Examples
    --------
    >>> dropout(np.ones(5), 0.5, np.random.default_rng(0)).tolist()
    [2.0, 2.0, 2.0, 0.0, 0.0]
    """
    x, dtype = floating(x=x)
    factor = dropout_factor(x, check_number("rate of dropout", rate, low=0, below=1), rng)
    return (x * factor if np.ndim(factor) else x).astype(dtype, copy=False), factor


def dropout_factor(x, rate, rng):
    """What dropout multiplies `x` by: 0, or 1 / (1 - rate); in an evaluation the one number 1."""
    rate = check_number("dropout", rate, low=0, below=1)
    if rng is None or not check_generator(rng) or rate == 0:
        return x.dtype.type(1)
    return (rng.random(x.shape, dtype=np.float32) >= rate) * x.dtype.type(1 / (1 - rate))


def initial(rng, shape, std, dtype):
    """A parameter at the start: normal numbers of that standard deviation. Of one that is about to be loaded
    (``rng=UNDRAWN``) nothing but its shape: memory that nobody has touched costs nothing.
    """
    if rng is UNDRAWN:
        return np.empty(shape, check_dtype(dtype))
    rng = np.random.default_rng() if rng is None else check_generator(rng)
    return rng.normal(0, std, shape).astype(check_dtype(dtype))


def _parameter(name, array, x, width=None):
    """A parameter in the dtype that `x` is worked in; with `width`, one number a feature."""
    array = numeric(name, array).astype(x.dtype, copy=False)
    if width is not None and array.shape != (width,):
        raise ValueError(f"{name} must have shape ({width},), one number a feature, got {array.shape}")
    return array


def _gain(gain, x):
    """One number for each feature of `x`."""
    gain = _parameter("gain", gain, x)
    if gain.ndim != 1 or gain.size == 0:
        raise ValueError(f"gain must have shape (d,), one number a feature, got {gain.shape}")
    check_features("x", x.shape, gain.size, "d")
    return gain


def _rows(x):
    """Every position of every sequence, one below the other: (..., d) -> (positions, d)."""
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def _row_dot(a, b):
    """The dot product of each row with its own, (..., 1)."""
    return np.einsum("...i,...i->...", a, b)[..., None]
