"""One case: a call drawn from a seed, from what the docstring says of the arguments and what its example hands over."""

import os
import traceback
import zlib
from dataclasses import dataclass

import numpy as np

from tests.fuzz.public import record
from tests.fuzz.values import choice, fitting, wild

OURS = f"{os.sep}attention_lab{os.sep}"


@dataclass
class Case:
    """A call with its arguments by name, and for a method its object and how that was made."""

    subject: object
    given: dict
    sizes: dict
    host: object = None
    is_plain: bool = False
    error: Exception | None = None

    def argument(self, name):
        """The value that an argument has in this call; None where there is no such argument."""
        parameter = self.subject.signature.parameters.get(name)
        return self.given.get(name, parameter.default) if parameter else None

    def raised_at(self):
        """The line of the package that the error came from."""
        frames = traceback.extract_tb(self.error.__traceback__) if self.error else ()
        return next((f"{frame.filename}:{frame.lineno}" for frame in reversed(frames) if OURS in frame.filename), None)

    def __call__(self):
        args, kwargs, is_open = [], {}, True
        for name, parameter in self.subject.signature.parameters.items():
            if name not in self.given:
                is_open = False
            elif parameter.kind is parameter.VAR_POSITIONAL:
                args += self.given[name]
            elif parameter.kind is parameter.VAR_KEYWORD:
                kwargs |= self.given[name]
            elif is_open and parameter.kind is not parameter.KEYWORD_ONLY:
                args.append(self.given[name])
            else:
                kwargs[name] = self.given[name]
        head = () if self.host is None else (self.host,)
        return self.subject.function(*head, *args, **kwargs)


def draw_case(subject, number, seed=0, odd=None):
    """Case `number` of a subject: an example's call, or one drawn from the docstring, with some odd arguments."""
    record(subject)
    rng = np.random.default_rng([seed, zlib.crc32(subject.name.encode()), number])
    host, sizes = None, {}
    if subject.owner:
        host, sizes = _host(subject, rng)
    given = _fitting(subject, dict(sizes), rng)
    odd = int(choice(rng, (0, 1, 1, 1, 2, 3))) if odd is None else odd
    for name in rng.permutation(list(subject.signature.parameters))[:odd]:
        given[name] = _spoil(subject.signature.parameters[name], given, name, rng)
    return Case(subject, given, sizes, host, odd == 0)


def _spoil(parameter, given, name, rng):
    before = given.get(name, parameter.default)
    if parameter.kind is parameter.VAR_POSITIONAL:
        before = (None,) if before is parameter.empty else before
        return tuple(wild(value, rng) if rng.random() < 0.5 else value for value in before)
    if parameter.kind is parameter.VAR_KEYWORD:
        return {key: wild(value, rng) for key, value in before.items()} if isinstance(before, dict) else {}
    return wild(before, rng)


def _host(subject, rng):
    """The object of a method: built as an example builds it, or from drawn arguments, if these fit."""
    building = subject.construction
    record(building)
    for _ in range(2 if rng.random() < 0.5 else 0):
        try:
            case = Case(building, _fitting(building, {}, rng), {})
            return case(), stated_sizes(building, case.given)
        except (TypeError, ValueError):
            continue
    call = choice(rng, building.calls).copied()
    return building.function(*call.args, **call.kwargs), stated_sizes(building, call.bound(building.signature))


def stated_sizes(subject, given):
    """The sizes among the arguments, those that were not given by what the docstring says of them."""
    sizes = {name: value for name, value in given.items() if type(value) is int}
    for name, parameter in subject.signature.parameters.items():
        stands_for = subject.contract.parameters[name].if_not_given
        if name not in sizes and stands_for in sizes and given.get(name) is None:
            sizes[name] = sizes[stands_for]
        elif name not in given and type(parameter.default) is int:
            sizes[name] = parameter.default
    return sizes


def _fitting(subject, sizes, rng):
    example = choice(rng, subject.calls).copied().bound(subject.signature) if subject.calls else {}
    if example and rng.random() < 0.3:
        return dict(example)
    given = {}
    for name, parameter in subject.signature.parameters.items():
        is_free = parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        )
        if is_free and rng.random() < (0.5 if name in example else 0.7):
            continue
        entry = subject.contract.parameters[name]
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            if name in example:
                given[name] = example[name]
            continue
        value = fitting(entry, parameter, example.get(name, parameter.empty), sizes, rng)
        if value is not parameter.empty:
            given[name] = value
    return given


def describe(case):
    """The call as it could be typed."""
    with np.printoptions(threshold=30, edgeitems=2, precision=4):
        given = ", ".join(f"{name}={_shown(value)}" for name, value in case.given.items())
    return f"{case.subject.name}({given})" + (f"   of {vars(case.host)}"[:300] if case.host is not None else "")


def _shown(value):
    text = " ".join(repr(value).split())
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)} {text}"[:160]
    return text[:120]
