"""The bends between two linear maps: each a function of one number at a time, its backward beside it."""

import math

import numpy as np

from attention_lab.autodiff import differentiable
from attention_lab.checks import check_flag, finite, floating

_erf = np.frompyfunc(math.erf, 1, 1)  # NumPy has none
# Φ(x) = (1 + tanh(x · c(x²))) / 2: the coefficients of c, fitted so that the error of erf is 6e-8 at most. In float32
# that is exact, and 20 times as quick.
_CURVE = 7.9788494e-1, 3.6333084e-2, -3.2594747e-5, -5.5306316e-5, 3.9647729e-6, -1.3226626e-7, 1.7562769e-9


@differentiable(lambda grad, positive: (grad * positive,))
@finite
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
    return np.maximum(x, 0).astype(dtype, copy=False), x > 0


@np.errstate(all="ignore")
def _gelu_backward(grad, saved):
    x, below, approximate = saved
    if approximate:
        density, steep = below * (1 - below), math.sqrt(8 / math.pi) * (1 + 3 * 0.044715 * x * x)
    else:
        density, steep = np.exp(-x * x / 2), 1 / math.sqrt(2 * math.pi)  # together Φ'(x), the normal density
    return (grad * (below + np.where(density == 0, 0, x * density * steep)),)  # far out x² may overflow


@differentiable(_gelu_backward)
@finite
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
        below = (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))) / 2
    elif x.dtype == np.float32:
        below = _normal_share(x)
    else:
        below = (1 + np.asarray(_erf(x / math.sqrt(2)), x.dtype)) / 2  # Φ(x)
    return (x * below).astype(dtype, copy=False), (x, below, approximate)


def _normal_share(x):
    square, curve = x * x, np.full_like(x, _CURVE[-1])
    for coefficient in _CURVE[-2::-1]:
        curve *= square
        curve += coefficient
    curve *= x
    np.tanh(curve, out=curve)
    curve += 1
    curve /= 2
    return curve


def _silu_backward(grad, saved):
    x, share = saved
    return (grad * share * (1 + x * (1 - share)),)


@differentiable(_silu_backward)
@finite
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
    share = 1 / (1 + np.exp(-x))  # the logistic function
    return (x * share).astype(dtype, copy=False), (x, share)


@differentiable(lambda grad, result: (grad * result * (1 - result),))
@finite
def sigmoid(x):
    """The logistic function: a gate between 0 and 1.

    σ(x) = 1 / (1 + exp(-x))

    Parameters and errors are those of `relu`.

    Examples
    --------
    >>> sigmoid([0.0, 1000.0]).tolist()
    [0.5, 1.0]
    """
    x, dtype = floating(x=x)
    result = 1 / (1 + np.exp(-x))
    return result.astype(dtype, copy=False), result


@differentiable(lambda grad, result: (grad * (1 - result * result),))
@finite
def tanh(x):
    """The hyperbolic tangent: between -1 and 1.

    Parameters and errors are those of `relu`.

    Examples
    --------
    >>> tanh([0.0, 1000.0]).tolist()
    [0.0, 1.0]
    """
    x, dtype = floating(x=x)
    result = np.tanh(x)
    return result.astype(dtype, copy=False), result
