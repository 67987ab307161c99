"""The formulas that layers are made of: each a function of its input and its parameters, over the last axis.

A result has the floating dtype of `x`, whatever dtype the parameters have. float16 is worked in float32 inside.
"""

import math

import numpy as np

from attention_lab.checks import (
    check_dtype,
    check_features,
    check_flag,
    check_generator,
    check_ids,
    check_number,
    floating,
    numeric,
)

_erf = np.frompyfunc(math.erf, 1, 1)  # NumPy has none


@np.errstate(under="ignore")
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
    result = x @ weight
    if bias is not None:
        result += _parameter("bias", bias, x, weight.shape[1])
    return result.astype(dtype, copy=False)


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
    return table[check_ids("ids", ids, len(table))]


@np.errstate(under="ignore")
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
    variance = (centred * centred).mean(-1, keepdims=True)
    return (centred / np.sqrt(variance + check_number("eps", eps, low=0)) * gain + bias).astype(dtype, copy=False)


@np.errstate(under="ignore")
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
    mean_square = (x * x).mean(-1, keepdims=True)
    return (x / np.sqrt(mean_square + check_number("eps", eps, low=0)) * gain).astype(dtype, copy=False)


def relu(x):
    """Keep what is positive.

    relu(x) = max(x, 0)

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        With the shape of `x`.

    Raises
    ------
    TypeError
        If `x` does not hold real numbers.

    Examples
    --------
    >>> relu([-1.0, 2.0]).tolist()
    [0.0, 2.0]
    """
    x, dtype = floating(x=x)
    return np.maximum(x, 0).astype(dtype, copy=False)


@np.errstate(over="ignore", under="ignore")
def gelu(x, approximate=False):
    """A smooth ReLU: each number times the probability that a standard normal one lies below it.

    gelu(x) = x Φ(x) = x (1 + erf(x / √2)) / 2

    With ``approximate=True`` x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2: off by 0.0005 at most, and quicker.
    The other parameters and errors are those of `relu`. Source: Hendrycks & Gimpel 2016, "Gaussian Error Linear
    Units (GELUs)", section 2.

    Examples
    --------
    >>> gelu([-1.0, 0.0, 1.0]).round(4).tolist()
    [-0.1587, 0.0, 0.8413]
    """
    x, dtype = floating(x=x)
    if check_flag("approximate", approximate):
        twice_below = 1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
    else:
        twice_below = 1 + np.asarray(_erf(x / math.sqrt(2)), x.dtype)
    return (x * (twice_below / 2)).astype(dtype, copy=False)


@np.errstate(over="ignore", under="ignore")
def silu(x):
    """Each number times its logistic function.

    silu(x) = x / (1 + exp(-x))

    Parameters and errors are those of `relu`. Source: as in `gelu`.

    Examples
    --------
    >>> silu([0.0, 1.0]).round(4).tolist()
    [0.0, 0.7311]
    """
    x, dtype = floating(x=x)
    return (x / (1 + np.exp(-x))).astype(dtype, copy=False)


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
    rate = check_number("dropout", rate, low=0, below=1)
    if rng is not None and check_generator(rng) and rate > 0:
        x = x * (rng.random(x.shape, dtype=np.float32) >= rate) / (1 - rate)
    return x.astype(dtype, copy=False)


def initial(rng, shape, std, dtype):
    """A parameter at the start: normal numbers of that standard deviation."""
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
