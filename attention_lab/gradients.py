"""What a model learns, and how its loss changes with it."""

import types
from contextlib import contextmanager
from functools import wraps

import numpy as np

from attention_lab.autodiff import Tensor, differentiable, pull


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
        of_array = {id(tensor.data): tensor for tensor in tensors.values()}
        with _holding((part, key, of_array[id(array)]) for part, key, array in _places(model)):
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


def checkpoint(layer, *args, **options):
    """Call a layer and keep nothing but its arguments: what its backward needs is computed anew when it is due.

    A model of many layers holds what one of them keeps, and the inputs of all. It pays with a second forward.

    Parameters
    ----------
    layer : callable
        A layer, or a function that makes use of its arguments alone.
    *args, options :
        What it is called with; Tensors by position. A generator among them draws the same numbers both times.

    Returns
    -------
    object
        What ``layer(*args, **options)`` gives, for the tape too. The gradients are the same bit for bit, if only this
        layer uses its input and its parameters; else they are summed in another order.

    Raises
    ------
    TypeError
        If the layer uses Tensors that stand neither among its parameters nor among `args`.

    Notes
    -----
    Source: Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost", section 4.

    Examples
    --------
    >>> from attention_lab import FeedForward
    >>> model, x = [FeedForward(4, 16, rng=np.random.default_rng(i)) for i in range(3)], np.ones((2, 4))
    >>> def loss(model, x, call):
    ...     for layer in model:
    ...         x = call(layer, x)
    ...     return x.sum()
    >>> _, plain = value_and_grad(loss)(model, x, lambda layer, x: layer(x))
    >>> _, anew = value_and_grad(loss)(model, x, checkpoint)
    >>> all(np.array_equal(plain[name], anew[name]) for name in plain)
    True
    """
    if not callable(layer):
        raise TypeError(f"layer must be a function, got {layer!r}")
    places = [place for place in _places(layer) if isinstance(place[-1], Tensor)]
    learned = [tensor for *_, tensor in places]
    lots = [(g := x.bit_generator, "state", g.state) for x in (*args, *options.values()) if hasattr(x, "bit_generator")]

    def call(given):
        stands_for = dict(zip(learned, given))
        with _holding((part, key, stands_for[tensor]) for part, key, tensor in places):
            return layer(*given[len(learned) :], **options)

    def backward(grad, saved):
        arguments = [Tensor(x) if isinstance(x_was, Tensor) else x for x, x_was in zip(saved, (*learned, *args))]
        with _holding(lots):
            result = _first(call(arguments))
        wanted = set(map(id, arguments))
        pulled = pull(result, grad, free=True) if isinstance(result, Tensor) else ()  # made from none of them
        gradients = {id(tensor): grad for tensor, grad in pulled if id(tensor) in wanted}
        return [gradients.get(id(argument)) for argument in arguments]

    @differentiable(backward)
    def checkpointed(*arrays):
        result = call(arrays)
        if isinstance(_first(result), Tensor):
            raise TypeError("layer uses Tensors that checkpoint cannot see: give the layer itself, Tensors by position")
        return result, arrays

    return checkpointed(*learned, *args)


def _first(result):
    return result[0] if isinstance(result, tuple) else result


def _places(model):
    """Where each parameter stands, and what stands there now."""
    return [(part, key, getattr(part, key)) for _, part, key in _walk(model, "", set())]


@contextmanager
def _holding(places):
    """Attributes with other values until the block ends; each place is (object, name, value)."""
    places = list(places)
    before = [(part, key, getattr(part, key)) for part, key, _ in places]
    try:
        for place in places:
            setattr(*place)
        yield
    finally:
        for place in before:
            setattr(*place)


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
