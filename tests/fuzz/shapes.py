"""The language of shapes in docstrings: ``(..., n_q, d_v)``, ``(len(names), longest + 1)``, ``()``."""

import re

import numpy as np

UNKNOWN = object()


def shapes_in(text):
    """The shapes that stand in a text, in its order, each as it is written."""
    found, start, depth = [], 0, 0
    for place, letter in enumerate(text):
        if letter == "(":
            start = place if depth == 0 else start
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
            if depth == 0 and _is_shape(text[start : place + 1]):
                found.append(text[start : place + 1])
    return found


TERM = r"(?:\d+|len\(\w+\)|[a-z]\w*)"
AXIS = rf"(?:\.\.\.|{TERM}(?: ?[·+*-] ?{TERM})*)"


def _is_shape(text):
    inner = text[1:-1].strip()
    return inner in ("", "...") or ("," in inner and bool(re.fullmatch(rf"{AXIS}(, {AXIS})*,?", inner)))


def axes(pattern):
    """The axes of a written shape: "(..., n + 1)" gives ["...", "n + 1"]."""
    return [axis for axis in (part.strip() for part in pattern[1:-1].split(",")) if axis]


def size(axis, sizes):
    """The number that an axis stands for, or UNKNOWN where one of its names is."""
    try:
        return int(eval(axis.replace("·", "*"), {"__builtins__": {"len": len}}, sizes))
    except (NameError, TypeError, ValueError):
        return UNKNOWN


def bind(pattern, shape, sizes):
    """Learn from an actual shape what the pattern's names stand for; a sentence where the two do not fit, else None.

    What stands for ``...`` is collected in ``sizes["..."]``, a list: these axes broadcast.
    """
    written = axes(pattern)
    if "..." in written:
        place, free = written.index("..."), len(shape) - len(written) + 1
        if free < 0:
            return f"{shape} is not {pattern}: it has too few axes"
        sizes.setdefault("...", []).append(tuple(shape[place : place + free]))
        written[place : place + 1] = shape[place : place + free]
    if len(written) != len(shape):
        return f"{shape} is not {pattern}: it has {len(shape)} axes"
    for axis, length in zip(written, shape):
        expected = axis if isinstance(axis, int) else size(axis, sizes)
        if expected is UNKNOWN:
            if axis.isidentifier():
                sizes[axis] = length
        elif expected != length:
            return f"{shape} is not {pattern}: {axis} is {expected}, not {length}"
    return None


def broadcasts(pattern, shape, sizes):
    """Whether an array of that shape broadcasts to the pattern: axes may be 1, or missing in front."""
    written = [axis for axis in axes(pattern) if axis != "..."]
    lengths = [UNKNOWN if axis == "..." else size(axis, sizes) for axis in written][-len(shape) :] if shape else []
    for axis, expected, length in zip(written[::-1], lengths[::-1], shape[::-1]):
        if expected is UNKNOWN and axis.isidentifier() and length != 1:
            sizes[axis] = length
        elif expected is not UNKNOWN and length not in (1, expected):
            return False
    return True


def expected(pattern, shape, sizes):
    """Like `bind` for what came back: ``...`` is the leading axes of the arguments, broadcast, or some of them."""
    given, got = sizes.get("...", []), {name: value for name, value in sizes.items() if name != "..."}
    fault = bind(pattern, shape, got)
    leading, common = got.pop("...", [()])[0], broadcast(given)
    if fault is None and given and common is not None and broadcast([leading, common]) != common:
        return f"{shape} is not {pattern}: ... is {common}, not {leading}"
    sizes.update(got)
    return fault


def broadcast(shapes):
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def draw(pattern, sizes, rng, low=1, high=5):
    """A shape of that pattern. Names that have no size yet get one, ``...`` no more than two axes."""
    shape = []
    for axis in axes(pattern):
        if axis == "...":
            leading = sizes.setdefault("lead", tuple(rng.integers(1, 4, size=rng.integers(0, 3)).tolist()))
            shape += leading if rng.random() < 0.9 else leading[1:]
            continue
        for name in re.findall(r"[a-z]\w*", axis):
            if name not in sizes and name != "len":
                sizes[name] = int(rng.integers(low, high + 1))
        number = size(axis, sizes)
        shape.append(1 if number is UNKNOWN else max(number, 0))
    return tuple(shape)
