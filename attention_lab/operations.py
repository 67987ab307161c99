"""What can be done with a `Tensor`: each operation's backward stands beside its forward. Its operators are these."""

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


@differentiable(lambda grad, saved: (grad / saved[1], -grad * saved[0] / saved[1] ** 2))
def divide(a, b):
    return a / b, (a, b)


@differentiable(lambda grad, saved: (grad * saved[1] * saved[0] ** (saved[1] - 1),))
def power(a, exponent):
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
    return x.sum(axis, keepdims=keepdims), (x.shape, axis, keepdims)


def mean(x, axis=None, keepdims=False):
    summed = total(x, axis, keepdims)
    return summed * (summed.size / x.size)


@differentiable(lambda grad, shape: (grad.reshape(shape),))
def reshape(x, *shape):
    return x.reshape(*shape), x.shape


@differentiable(lambda grad, axes: (grad.swapaxes(*axes),))
def swapaxes(x, first, second):
    return x.swapaxes(first, second), (first, second)


@differentiable(lambda grad, axes: (grad.transpose(np.argsort(axes)),))
def transpose(x, *axes):
    axes = [axis % x.ndim for axis in axes or range(x.ndim)[::-1]]
    return x.transpose(axes), axes


@differentiable(lambda grad, _: (grad,))
def astype(x, dtype):
    return x.astype(dtype), None


def _getitem_backward(grad, saved):
    shape, index = saved
    whole = np.zeros(shape, grad.dtype)
    np.add.at(whole, index, grad)  # an index may name an entry twice
    return (whole,)


@differentiable(_getitem_backward)
def getitem(x, index):
    return x[index], (x.shape, index)


Tensor.of_ufunc = {
    np.add: add,
    np.subtract: subtract,
    np.multiply: multiply,
    np.divide: divide,
    np.power: power,
    np.matmul: matmul,
}
for _name, _operation in (("add", add), ("sub", subtract), ("mul", multiply), ("truediv", divide), ("matmul", matmul)):
    setattr(Tensor, f"__{_name}__", lambda self, other, f=_operation: f(self, other))
    setattr(Tensor, f"__r{_name}__", lambda self, other, f=_operation: f(other, self))
Tensor.__pow__, Tensor.__neg__, Tensor.__getitem__ = power, lambda self: multiply(self, -1), getitem
Tensor.sum, Tensor.mean, Tensor.reshape, Tensor.swapaxes = total, mean, reshape, swapaxes
Tensor.transpose, Tensor.astype = transpose, astype
