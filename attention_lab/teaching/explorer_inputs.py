"""What a live demo is given: controls, names, a goal and values, or what is wrong with them, in words."""

from numbers import Real

import numpy as np

from attention_lab.data.given import is_iterable


def read_controls(controls):
    if not isinstance(controls, dict):
        raise TypeError(f"controls must be a dict of names and widgets, got a {type(controls).__name__}")
    for name, control in controls.items():
        if not isinstance(name, str) or not hasattr(control, "value"):
            raise TypeError(f"controls must hold a text and a widget with a value each, got {name!r}: {control!r}")
    return dict(controls)


def read_show(show, names):
    """The names of the controls that are visible at first, each once."""
    if isinstance(show, str) or not (show is None or is_iterable(show)):
        raise TypeError(f"show must be a sequence of names, such as ('query', 'mask'), got {show!r}")
    shown = list(names) if show is None else list(show)
    unknown = [str(name) for name in shown if not isinstance(name, str) or name not in names]
    if unknown:
        raise ValueError(f"show names no control: {', '.join(unknown)}. There are {', '.join(names)}")
    return list(dict.fromkeys(shown))


def read_goal(goal):
    if goal is None:
        return None
    if not (isinstance(goal, tuple | list) and len(goal) == 2 and callable(goal[1])):
        raise TypeError(f"goal must be a text and a function of (state, view), got {goal!r}")
    return str(goal[0]), goal[1]


def complaint(name, control, value):
    """What is wrong with a value that a control did not take as it is (a slider pulls it into its range), or None."""
    is_slider, got = hasattr(control, "min"), f"got {value!r}"
    if is_slider and (not isinstance(value, Real) or isinstance(value, bool)):
        return TypeError(f"{name} must be a number, {got}")
    choices = [option[1] if isinstance(option, tuple) else option for option in getattr(control, "options", ())]
    if not isinstance(value, np.ndarray) and control.value == value and (value in choices or not choices):
        return None
    if choices:
        return ValueError(f"{name} cannot be {value!r}: choose one of {_listed(choices)}")
    if not is_slider:
        return TypeError(f"{name} must be a {type(control.value).__name__}, such as {control.value!r}, {got}")
    if isinstance(control.value, int) and value % 1:
        return ValueError(f"{name} must be a whole number, {got}")
    base = getattr(control, "base", None)
    low, high = (base**control.min, base**control.max) if base else (control.min, control.max)
    return ValueError(f"{name} must lie between {low:g} and {high:g} here, {got}")


def in_words(error):
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _listed(choices):
    named = [repr(choice) for choice in choices]
    return ", ".join(named if len(named) < 9 else [*named[:3], "...", named[-1]])
