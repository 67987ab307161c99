"""What can be done with a `Tensor`: each operation's backward stands beside its forward. Its operators are these."""

import math

import numpy as np

from attention_lab.autodiff import Tensor, differentiable


@differentiable(lambda grad, _: (grad, grad))
def add(a, b):
    return a + b, None


@differentiable(lambda grad, _: (grad, -grad))
def subtract(a, b):
    return a - b, None


@differentiable(lambda grad, saved: (grad * saved[1], grad * saved[0]))
def multiply(a, b):
    return a * b, (a, b)


@differentiable(lambda grad, saved: (grad / saved[1], -grad * saved[0] / saved[1]))
def divide(a, b):
    result = a / b
    return result, (result, b)


@np.errstate(divide="ignore", invalid="ignore")
def _power_backward(grad, saved):
    a, exponent = saved
    return (np.where(exponent == 0, 0, grad * exponent * a ** (exponent - 1)),)  # a⁰ is flat, at a = 0 too


@differentiable(_power_backward)
def power(a, exponent):
    exponent = np.asarray(exponent) if isinstance(exponent, list | tuple) else exponent
    return a**exponent, (a, exponent)


@differentiable(lambda grad, result: (grad * result,))
def exp(x):
    result = np.exp(x)
    return result, result


@differentiable(lambda grad, x: (grad / x,))
def log(x):
    return np.log(x), x


@differentiable(lambda grad, condition: (None, np.where(condition, grad, 0), np.where(condition, 0, grad)))
def where(condition, a, b):
    return np.where(condition, a, b), condition


def _matmul_backward(grad, saved):
    a, b = saved
    grad = grad[..., None] if b.ndim == 1 else grad  # a vector on the right is a column, on the left a row
    grad = grad[..., None, :] if a.ndim == 1 else grad
    columns = b[:, None] if b.ndim == 1 else b
    to_b = np.atleast_2d(a).swapaxes(-1, -2) @ grad
    return grad @ columns.swapaxes(-1, -2), to_b[..., 0] if b.ndim == 1 else to_b


@differentiable(_matmul_backward)
def matmul(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a @ b, (a, b)


def _sum_backward(grad, saved):
    shape, axis, keepdims = saved
    if axis is not None and not keepdims:
        grad = np.expand_dims(grad, axis)
    return (np.broadcast_to(grad, shape),)


@differentiable(_sum_backward)
def total(x, axis=None, keepdims=False):
    return np.sum(x, axis=axis, keepdims=keepdims), (np.shape(x), axis, keepdims)


@differentiable(lambda grad, saved: _sum_backward(grad * (grad.size / max(1, math.prod(saved[0]))), saved))
def mean(x, axis=None, keepdims=False):
    if np.size(x) == 0 and np.sum(x, axis).size:
        raise ValueError(f"x of shape {np.shape(x)} holds no number that a mean could be taken of")
    return np.mean(x, axis=axis, keepdims=keepdims), (np.shape(x), axis, keepdims)


@differentiable(lambda grad, shape: (grad.reshape(shape),))
def reshape(x, *shape):
    return x.reshape(*shape), x.shape


@differentiable(lambda grad, axes: (grad.swapaxes(*axes),))
def swapaxes(x, first, second):
    return x.swapaxes(first, second), (first, second)


@differentiable(lambda grad, axes: (grad.transpose(np.argsort(axes)),))
def transpose(x, *axes):
    axes = axes[0] if len(axes) == 1 and isinstance(axes[0], list | tuple) else axes
    return x.transpose(*axes), [axis % x.ndim for axis in axes or range(x.ndim)[::-1]]


@differentiable(lambda grad, _: (grad,))
def astype(x, dtype):
    return x.astype(dtype), None


def _getitem_backward(grad, saved):
    shape, index, is_view = saved
    whole = np.zeros(shape, grad.dtype)
    if is_view:
        whole[index] = grad
    else:
        np.add.at(whole, index, grad)  # a list may name an entry twice, a slice cannot
    return (whole,)


@differentiable(_getitem_backward)
def getitem(x, index):
    result = x[index]
    return result, (x.shape, index, np.may_share_memory(x, result))


@differentiable(lambda grad, axis: tuple(np.moveaxis(grad, axis, 0)))
def stack(*arrays, axis=0):
    return np.stack(arrays, axis), axis


def _raise(base, exponent):
    if isinstance(exponent, Tensor):
        raise TypeError("power has no gradient for its exponent: write exp(exponent * np.log(base))")
    return power(base, exponent)


def _compare(ufunc):
    """A comparison gives plain booleans: it has no gradient, and its result chooses, as in `where`."""
    return lambda *pair: ufunc(*(side.data if isinstance(side, Tensor) else side for side in pair))


COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
Tensor.of_ufunc = {
    np.add: add,
    np.subtract: subtract,
    np.multiply: multiply,
    np.divide: divide,
    np.power: _raise,
    np.matmul: matmul,
    **{ufunc: _compare(ufunc) for ufunc in COMPARISONS.values()},
}
for _name, _operation in (("add", add), ("sub", subtract), ("mul", multiply), ("truediv", divide), ("matmul", matmul)):
    setattr(Tensor, f"__{_name}__", lambda self, other, f=_operation: f(self, other))
    setattr(Tensor, f"__r{_name}__", lambda self, other, f=_operation: f(other, self))
for _name, _ufunc in COMPARISONS.items():
    setattr(Tensor, f"__{_name}__", lambda self, other, f=Tensor.of_ufunc[_ufunc]: f(self, other))
Tensor.__pow__, Tensor.__rpow__ = _raise, lambda self, base: _raise(base, self)
Tensor.__neg__, Tensor.__getitem__ = lambda self: multiply(self, -1), getitem
Tensor.sum, Tensor.mean, Tensor.reshape, Tensor.swapaxes = total, mean, reshape, swapaxes
Tensor.transpose, Tensor.astype = transpose, astype
