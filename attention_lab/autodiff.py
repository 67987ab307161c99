"""The tape: which operation made which array, so that a gradient can be pulled back to where the arrays came from.

An operation is a pair of functions: a forward that gives ``result, saved``, and a backward that takes
``(grad, saved)`` and gives one gradient for each array argument. The tape remembers the pairs, and nothing else.
"""

import heapq
import sys
from functools import wraps
from inspect import signature
from itertools import count
from pathlib import Path

import numpy as np

from attention_lab.checks import floating

HOUSE = str(Path(__file__).parent)
_numbers = count()


class Tensor:
    """An array that remembers how it was made; after `backward`, ``.grad`` says how the result changes with it.

    Parameters
    ----------
    data : array_like
        Floating; integers become float64.

    Raises
    ------
    TypeError
        If `data` does not hold real numbers.

    Examples
    --------
    >>> x = Tensor([1.0, 2.0, 3.0])
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0, 6.0]
    """

    of_ufunc = {}  # noqa: RUF012  what ``array + tensor`` and its like mean: see operations.py

    def __init__(self, data):
        _, dtype = floating(data=data)
        self._hold(np.asarray(data, dtype))

    def _hold(self, data, made_by=None):
        self.data, self.grad, self._made_by, self._number = data, None, made_by, next(_numbers)
        return self

    def backward(self, seed=None):
        """Add to ``.grad``, here and in everything this was made from, the gradient of the sum of seed · data.

        Parameters
        ----------
        seed : array_like, optional
            With the shape of `data`; 1 for a single number. A second call adds its gradients to the first one's.
        """
        if seed is None and self.data.size != 1:
            raise ValueError(f"backward of shape {self.shape} needs a seed: sum to one number first, or give seed=")
        seed = np.ones(self.shape) if seed is None else np.asarray(seed)
        if seed.shape != self.shape:
            raise ValueError(f"seed has shape {seed.shape}: expected {self.shape}, as the data")
        for tensor, grad in pull(self, seed.astype(self.dtype)):
            tensor.grad = grad if tensor.grad is None else tensor.grad + grad

    shape = property(lambda self: self.data.shape)
    dtype = property(lambda self: self.data.dtype)
    ndim = property(lambda self: self.data.ndim)
    size = property(lambda self: self.data.size)
    T = property(lambda self: self.transpose())

    def __repr__(self):
        return f"Tensor({self.data!r})"

    def __len__(self):
        return len(self.data)

    def __float__(self):
        return float(self.data)

    def __array__(self, *args, **kwargs):
        raise TypeError("a Tensor is not an array: use its .data, or a function that has a gradient")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        operation = self.of_ufunc.get(ufunc) if method == "__call__" and not kwargs else None
        if operation is None:
            _refuse(f"np.{ufunc.__name__}")
        return operation(*inputs)

    def __array_function__(self, function, *_):
        _refuse(f"np.{function.__name__}")


def differentiable(backward):
    """Make a pair of functions one public function, which the tape can follow.

    Plain arrays in, the plain result out. With a `Tensor` among the arguments the result is a `Tensor`; of a tuple
    only its first entry, the others stay plain arrays and have no gradient.

    Parameters
    ----------
    backward : callable
        ``backward(grad, saved) -> gradients``: one for each argument in order, None (or left out at the end) where
        there is none. A gradient may have the shape that its argument was broadcast to.

    Returns
    -------
    callable
        A decorator for the forward: ``forward(*arguments) -> (result, saved)``.

    Raises
    ------
    TypeError
        If `backward` is no function.

    Examples
    --------
    >>> @differentiable(lambda grad, x: (grad * 2 * x,))
    ... def square(x):
    ...     return x * x, x
    >>> x = Tensor(3.0)
    >>> square(x).backward()
    >>> square(3.0), float(x.grad)
    (9.0, 6.0)
    """
    if not callable(backward):
        raise TypeError("differentiable needs the backward function: write @differentiable(backward)")

    def decorate(forward):
        parameters_of = signature(forward)

        @wraps(forward)
        def function(*args, **options):
            if any(isinstance(option, Tensor) for option in options.values()):
                args, options = (bound := parameters_of.bind(*args, **options)).args, bound.kwargs
            tensors = [(i, arg) for i, arg in enumerate(args) if isinstance(arg, Tensor)]
            result, saved = forward(*(arg.data if isinstance(arg, Tensor) else arg for arg in args), **options)
            if not tensors:
                return result
            first, *others = result if isinstance(result, tuple) else (result,)
            made_by = function.__name__, backward, saved, tensors, _call_site()
            tensor = Tensor.__new__(Tensor)._hold(np.asarray(first), made_by)
            return (tensor, *others) if isinstance(result, tuple) else tensor

        return function

    return decorate


def _call_site():
    """File and line of the nearest caller outside this package."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_code.co_filename.startswith(HOUSE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def pull(root, seed, *, free=False):
    """Each tensor that `root` was made from, with its gradient: the last made first, so that each comes complete."""
    pending, queue = {root: seed}, [(-root._number, root)]
    while queue:
        _, tensor = heapq.heappop(queue)
        grad = pending.pop(tensor)
        yield tensor, grad
        for parent, part in _parts(tensor, grad):
            if parent in pending:
                pending[parent] = pending[parent] + part  # never +=: another branch may hold the same array
            else:
                pending[parent] = part
                heapq.heappush(queue, (-parent._number, parent))
        if free:
            tensor._made_by = None


def _parts(tensor, grad):
    """What one operation sends back: (argument, gradient) pairs."""
    if tensor._made_by is None:
        return []
    name, backward, saved, tensors, where = tensor._made_by
    try:
        gradients = backward(grad, saved)
        return [(arg, _fit(gradients[i], arg)) for i, arg in tensors if gradients[i] is not None]
    except Exception as error:
        message = f"the backward of {name}, called at {where}, failed: {type(error).__name__}: {error}"
        raise RuntimeError(message) from error


def _fit(grad, tensor):
    """A gradient in the shape and dtype of its argument: summed where the argument was broadcast."""
    grad, shape = np.asarray(grad), tensor.shape
    if grad.ndim > len(shape):
        grad = grad.sum(tuple(range(grad.ndim - len(shape))))
    stretched = tuple(i for i, n in enumerate(shape) if n == 1 and grad.shape[i : i + 1] != (1,))
    if stretched and grad.ndim == len(shape):
        grad = grad.sum(stretched, keepdims=True)
    if grad.shape != shape:
        raise ValueError(f"its gradient has shape {grad.shape}, but the argument has {shape}")
    return grad.astype(tensor.dtype, copy=False)


def _refuse(name):
    ours = f"attention_lab.operations.{name[3:]}" if name[3:] in ("exp", "log", "where") else "@differentiable"
    raise TypeError(f"{name} has no gradient for a Tensor: use {ours}, or .data for the plain array")
