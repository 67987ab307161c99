"""What a model learns, and how its loss changes with it."""

import types
from contextlib import contextmanager
from functools import wraps

import numpy as np

from attention_lab.autodiff import Tensor, pull


def value_and_grad(loss):
    """Turn a loss into a function that gives its value and its gradient by every parameter of a model.

    Parameters
    ----------
    loss : callable
        ``loss(model, *data)`` gives one number, made from the model's parameters.

    Returns
    -------
    callable
        ``(model, *data) -> (float, {"blocks.0.attention.W_q": array, ...})``, with the names of `parameters`. A
        parameter that the loss does not use has a gradient of zeros. Nothing is kept between two calls.

    Raises
    ------
    TypeError
        If the loss is not one number, or was not made from the parameters.
    RuntimeError
        If a backward fails. The message names the operation and where it was called.

    Examples
    --------
    >>> from attention_lab import Linear
    >>> layer = Linear(2, 1, bias=False)
    >>> value, gradients = value_and_grad(lambda model, x: model(x).sum())(layer, np.ones((3, 2)))
    >>> gradients["weight"].tolist()
    [[3.0], [3.0]]
    """

    @wraps(loss)
    def function(model, *data, **options):
        tensors = {name: Tensor(array) for name, array in parameters(model).items()}
        with _standing_in(model, tensors.values()):
            value = loss(model, *data, **options)
        if not isinstance(value, Tensor) or value.size != 1:
            got = f"a Tensor of shape {value.shape}" if isinstance(value, Tensor) else f"{value!r}"
            raise TypeError(f"loss must give one number made from the model's parameters, got {got}")
        of_parameter = {tensor: np.zeros_like(tensor.data) for tensor in tensors.values()}
        with np.errstate(under="ignore"):
            for tensor, grad in pull(value, np.ones_like(value.data), free=True):
                if tensor in of_parameter:
                    of_parameter[tensor] = np.array(grad)  # its own: two may have come as one array
        return float(value), {name: of_parameter[tensor] for name, tensor in tensors.items()}

    return function


def parameters(model):
    """List the arrays that a model learns, by name.

    A layer's class names them in its tuple ``parameters``. Sub-layers are found in attributes, lists and tuples.
    An array under two names (tied weights) counts once, under the first.

    Parameters
    ----------
    model : object
        A layer, or an object that holds layers.

    Returns
    -------
    dict of str to ndarray
        The arrays themselves, not copies: ``{"blocks.0.attention.W_q": ...}``.

    Raises
    ------
    TypeError
        If a class names something else than an array of floats, or None for one that is not there.

    Examples
    --------
    >>> from attention_lab import EncoderBlock
    >>> block = EncoderBlock(64, 4, 256)
    >>> list(parameters(block))[:4]
    ['attention.W_q', 'attention.W_k', 'attention.W_v', 'attention.W_o']
    >>> sum(array.size for array in parameters(block).values())
    49728
    """
    found, seen = {}, set()
    for name, part, key in _walk(model, "", set()):
        array = getattr(part, key)
        if not (isinstance(array, np.ndarray) and array.dtype.kind == "f"):
            raise TypeError(f"parameter {name} must be an array of floats, got {array!r}")
        if id(array) not in seen:
            seen.add(id(array))
            found[name] = array
    return found


@contextmanager
def _standing_in(model, tensors):
    """Tensors in the places of the parameters, wherever an array stands, until the block ends."""
    of_array = {id(tensor.data): tensor for tensor in tensors}
    places = [(part, key, getattr(part, key)) for _, part, key in _walk(model, "", set())]
    try:
        for part, key, array in places:
            setattr(part, key, of_array[id(array)])
        yield
    finally:
        for part, key, array in places:
            setattr(part, key, array)


def _walk(part, name, seen):
    """Every place of a parameter below one part, with its path; each object once, so that a circle ends."""
    if part is None or id(part) in seen:
        return
    if isinstance(part, list | tuple):
        seen.add(id(part))
        for i, item in enumerate(part):
            yield from _walk(item, f"{name}{i}.", seen)
    elif hasattr(part, "__dict__") and not isinstance(part, type | types.ModuleType | types.FunctionType):
        seen.add(id(part))
        own = getattr(type(part), "parameters", ())
        if not isinstance(own, tuple):
            raise TypeError(f'{type(part).__name__}.parameters must be a tuple of names such as ("W_q",), got {own!r}')
        for key in own:
            if getattr(part, key) is not None:
                yield name + key, part, key
        for key, value in vars(part).items():
            if key not in own:
                yield from _walk(value, f"{name}{key}.", seen)
