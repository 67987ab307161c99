"""What a case came to, held against the function's own docstring: a right result, or an error in words."""

import builtins
import contextlib
import inspect
import io
import os
import re
import warnings

import numpy as np

from attention_lab import Tensor, parameters
from tests.fuzz.cases import stated_sizes
from tests.fuzz.shapes import bind, broadcasts, expected


def judge(case):
    """(whether the call returned, what is wrong or None)."""
    before = {name: _digest(value) for name, value in case.given.items()}
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("error")
            result = case()
            if inspect.isgenerator(result):
                result = list(result)
    except Exception as error:
        case.error = error
        return False, _fault_of_error(case, error)
    changed = [name for name, value in case.given.items() if _digest(value) != before[name]]
    if changed and "in place" not in case.subject.contract.text:
        return True, f"it changed its argument {', '.join(changed)}"
    return True, _fault_of_shapes(case, result) or _fault_of_numbers(case, result)


def _fault_of_error(case, error):
    allowed = (ValueError, TypeError, *_stated_errors(case.subject))
    if not isinstance(error, allowed) or isinstance(error, Warning):
        return f"{type(error).__name__}: {error}"
    said = "\n".join([str(error), *getattr(error, "__notes__", ())])
    if "overflow" in said:  # what overflows deep inside has the name that it has there
        return None
    if not (isinstance(error, OSError) or any(re.search(rf"(?<!\w){name}(?!\w)", said) for name in _names(case))):
        return f"the message names no argument: {type(error).__name__}: {error}"
    return None


def _names(case):
    """What a message may call an argument: its name, the word that was given, or the argument of a function given."""
    yield from case.subject.signature.parameters
    if case.subject.owner:
        yield from inspect.signature(case.subject.owner).parameters
    for value in case.given.values():
        if isinstance(value, dict):
            yield from map(re.escape, map(str, value))
        elif isinstance(value, (list, tuple, str, os.PathLike)):
            words = [str(value), *(value if isinstance(value, (list, tuple)) else ())]
            yield from (re.escape(repr(word)[1:-1]) for word in words if isinstance(word, str) and word)
        elif callable(value) and not inspect.isbuiltin(value):
            with contextlib.suppress(ValueError, TypeError):
                yield from inspect.signature(value).parameters


def _stated_errors(subject):
    """Exceptions that the docstring promises beside the two; of a file also those of `open`."""
    text = (subject.contract.text + (subject.owner.__doc__ or "" if subject.owner else "")).partition("Raises\n")[2]
    stated = [getattr(builtins, name, None) for name in re.findall(r"\b\w+Error\b", text)]
    return (*(error for error in stated if error), *((OSError,) if "path" in subject.signature.parameters else ()))


def _fault_of_shapes(case, result):
    contract, sizes, shapes = case.subject.contract, {**case.sizes, **stated_sizes(case.subject, case.given)}, {}
    for name, value in case.given.items():
        entry = contract.parameters[name]
        if "array" not in entry.type or value is None:
            continue
        for array in (
            value if case.subject.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL else [value]
        ):
            shapes[name] = _shape(array)
            if fault := _misfit(entry, shapes[name], sizes):
                return f"it took {name}, though {fault}"
    returned = [entry for entry in contract.returns if entry.type or entry.shape]
    results = result if isinstance(result, tuple) and (len(returned) > 1 or contract.is_brief) else (result,)
    if len(results) != len(returned) > 1 and not contract.is_brief:
        return f"{len(results)} results, but the docstring lists {len(returned)}"
    most = {name: sizes.pop(name) for name, entry in contract.parameters.items() if entry.may_be_less and name in sizes}
    for entry, value in zip(returned, results):
        for part in _parts(value):
            if fault := _fault_of_result(case, entry, part.shape, shapes, sizes):
                return f"result {entry.name} {fault}"
            if more := [name for name in most if sizes.get(name, 0) > most[name]]:
                return f"result {entry.name} {part.shape} holds more than {more[0]}={most[more[0]]}"
    return None


def looked_at(case):
    """Names of the arguments and results of a call that returned whose shapes its judge compared."""
    given = {name for name, value in case.given.items() if value is not None}
    return given | {entry.name or "result" for entry in case.subject.contract.returns}


def _shape(value):
    try:
        return value.shape if isinstance(value, Tensor) else np.shape(value)
    except ValueError:  # rows of different lengths
        return ()


def _misfit(entry, shape, sizes):
    """A mask need not have the whole shape: it broadcasts."""
    if not entry.shape:
        return None
    if "broadcast" in entry.type or "of bool" in entry.type or entry.name == "mask":
        return None if broadcasts(entry.shape, shape, sizes) else f"{shape} does not broadcast to {entry.shape}"
    return bind(entry.shape, shape, sizes)


def _fault_of_result(case, entry, shape, shapes, sizes):
    if entry.same_shape_as in shapes:
        stated = entry.without(shapes[entry.same_shape_as], case.argument("axis"))
        return None if shape == stated else f"{shape} is not the shape of {entry.same_shape_as}, {stated}"
    return entry.shape and expected(entry.shape, shape, sizes)


def _fault_of_numbers(case, result):
    if isinstance(case.subject.function, type):
        result = parameters(result) if hasattr(result, "parameters") else ()
    for part in _parts(result):
        found = set(map(str, part[~np.isfinite(part)].astype(float).tolist())) if part.dtype.kind == "f" else set()
        if silent := sorted(found - case.subject.contract.spoken_of):
            return f"a result holds {silent[0]}, of which the docstring does not speak"
    return None


def _parts(value):
    """The arrays and numbers of a result, through lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        value = value.data
    if isinstance(value, (np.ndarray, np.generic, int, float)):
        yield np.asarray(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _parts(item)


def _digest(value):
    """What must be the same after the call: the bytes of arrays."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.tobytes()
    if isinstance(value, (list, tuple)):
        return tuple(map(_digest, value))
    return None
