"""The tape: which operation made which array, so that a gradient can be pulled back to where the arrays came from.

An operation is a pair of functions: a forward that gives ``result, saved``, and a backward that takes
``(grad, saved)`` and gives one gradient for each array argument. The tape remembers the pairs, and nothing else.
"""

import contextlib
import heapq
import os
import sys
from functools import wraps
from inspect import signature
from itertools import count
from pathlib import Path

import numpy as np

from attention_lab.checks import floating, numeric

# Where a call passes through on its way here: this package, and what stands between a decorator and its function.
INSIDE = (*(str(Path(file).parent) + os.sep for file in (__file__, np.__file__)), contextlib.__file__)
_numbers = count()


class Tensor:
    """An array that remembers how it was made; after `backward`, ``.grad`` says how the result changes with it.

    Parameters
    ----------
    data : array_like
        Floating, of any shape; integers become float64.

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
        seed = np.ones(self.shape) if seed is None else numeric("seed", seed)
        if seed.shape != self.shape:
            raise ValueError(f"seed has shape {seed.shape}: expected {self.shape}, as the data")
        with np.errstate(under="ignore"):
            for tensor, grad in pull(self, seed.astype(self.dtype)):
                tensor.grad = np.array(grad if tensor.grad is None else tensor.grad + grad)

    shape = property(lambda self: self.data.shape)
    dtype = property(lambda self: self.data.dtype)
    ndim = property(lambda self: self.data.ndim)
    size = property(lambda self: self.data.size)
    T = property(lambda self: self.transpose())

    def __repr__(self):
        return f"Tensor({self.data!r})"

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return map(self.__getitem__, range(len(self)))

    def __bool__(self):
        return bool(self.data)

    def __float__(self):
        return float(self.data.item())

    def __reduce__(self):
        return Tensor, (self.data,)  # a copy does not remember how it was made

    def __array__(self, *args, **kwargs):
        raise TypeError("a Tensor is not an array: use its .data, or a function that has a gradient")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        operation = self.of_ufunc.get(ufunc) if method == "__call__" and not kwargs else None
        if operation is None:
            _refuse(ufunc, "in place" if "out" in kwargs else "")
        return operation(*inputs)

    def __array_function__(self, function, *_):
        _refuse(function)


def differentiable(backward):
    """Make a pair of functions one public function, which the tape can follow.

    Plain arrays in, the plain result out. With a `Tensor` among the arguments the result is a `Tensor`; of a tuple
    only its first entry, the others stay plain arrays and have no gradient.

    Parameters
    ----------
    backward : callable
        ``backward(grad, saved) -> gradients``: one for each argument in order, None where there is none; what is
        never a Tensor may be left out at the end. A gradient may have the shape that its argument was broadcast to.
        `grad` is read-only: another branch may hold it too. That of a float16 comes as float32.

    Returns
    -------
    callable
        A decorator for the forward: ``forward(*arguments) -> (result, saved)``.

    Raises
    ------
    TypeError
        If `backward` is no function; at the call, if `forward` gives no pair, or no floats from a Tensor.

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
                bound = parameters_of.bind(*args, **options)
                bound.apply_defaults()  # what stands before it, so that it has its place
                args, options = bound.args, bound.kwargs
            tensors = [(i, arg) for i, arg in enumerate(args) if isinstance(arg, Tensor)]
            pair = forward(*(arg.data if isinstance(arg, Tensor) else arg for arg in args), **options)
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise TypeError(f"{function.__name__} must give two things, result and saved, got {pair!r}")
            result, saved = pair
            made_by = function.__name__, backward, saved, tensors, _call_site() if tensors else None
            return _record(result, made_by) if tensors else result

        return function

    return decorate


def _record(result, made_by):
    """The Tensor of a result, or of its first entry. Nothing in it can be written to: the backward needs it."""
    first, *others = map(_read_only, result if isinstance(result, tuple) else (result,))
    first = np.asarray(first)
    if first.dtype.kind != "f":
        raise TypeError(f"{made_by[0]} gives {first.dtype}, and only floats have a gradient: use .data before it")
    tensor = Tensor.__new__(Tensor)._hold(first, made_by)
    return (tensor, *others) if isinstance(result, tuple) else tensor


def _read_only(array):
    if isinstance(array, np.ndarray):
        array = array.view()
        array.flags.writeable = False
    return array


def _call_site():
    """File and line of the nearest caller outside this package."""
    frame = sys._getframe(2)
    while frame.f_back and frame.f_code.co_filename.startswith(INSIDE):
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
    working = np.float32 if grad.dtype.itemsize < 4 else grad.dtype  # float16 has too few digits to sum in
    grad = _read_only(np.asarray(grad, working))
    try:
        gradients = backward(grad, saved)
        if not isinstance(gradients, tuple | list) or len(gradients) <= tensors[-1][0]:
            got = len(gradients) if isinstance(gradients, tuple | list) else type(gradients).__name__
            raise TypeError(f"it must give a tuple, one gradient for each of {tensors[-1][0] + 1} arguments, got {got}")
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


def _refuse(function, how=""):
    name = function.__name__
    use = f"attention_lab.operations.{name}" if name in ("exp", "log", "where") else "a @differentiable function"
    use = f"the Tensor's own .{name}" if hasattr(Tensor, name) else use
    name = f"np.{name} {how}".strip()
    raise TypeError(f"{name} has no gradient for a Tensor: use {use}, or .data for the plain array")
