"""What may be handed to functions of texts: strings, lists, functions. Each message names the argument."""

from collections.abc import Iterable


def is_iterable(value, kind=Iterable):
    """Whether there are items to go through: not in a single number, though NumPy may call it an array of no axes."""
    return isinstance(value, kind) and getattr(value, "ndim", 1) > 0


def check_text(name, value):
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {value!r:.60}")
    return value


def check_list(name, value, of=object):
    """The items of a sequence as a list, all of one type. One string is no list of strings."""
    if isinstance(value, str | bytes | dict) or not is_iterable(value):
        raise TypeError(f"{name} must be a list, got {value!r:.60}")
    items = list(value)
    for item in items:
        if not isinstance(item, of):
            raise TypeError(f"{name} must hold {of.__name__} alone, got {item!r:.60}")
    return items


def check_words(name, value):
    """A text letter by letter, or a list of words as it is."""
    return value if isinstance(value, str) else check_list(name, value, str)


def check_function(name, value):
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {value!r:.60}")
    return value
