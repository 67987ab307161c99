"""What can be learned: the parameters of a model, by name."""

import types

import numpy as np


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
        If a class names something else than an array of floats, or None for one that is not there, or not in a tuple.

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
    for name, array in _walk(model, "", seen):
        if not (isinstance(array, np.ndarray) and array.dtype.kind == "f"):
            raise TypeError(f"parameter {name} must be an array of floats, got {array!r}")
        found[name] = array
    return found


def _walk(part, name, seen):
    """Every parameter below one part, with its path; each object once, so that a circle ends."""
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
            array = getattr(part, key)
            if array is not None and id(array) not in seen:
                seen.add(id(array))
                yield name + key, array
        for key, value in vars(part).items():
            if key not in own:
                yield from _walk(value, f"{name}{key}.", seen)
