"""What the judge sees: results and errors that a docstring does not speak of."""

import numpy as np
import pytest

from tests.fuzz.cases import Case
from tests.fuzz.judge import judge
from tests.fuzz.public import Subject
from tests.fuzz.values import _as


def lost(x):
    """Give x back.

    Parameters
    ----------
    x : array_like, (n,)

    Returns
    -------
    ndarray, (n,)
        -inf where there is none.
    """
    return np.asarray(x)


def few(x, beams):
    """Keep a few.

    Parameters
    ----------
    x : array_like, (n,)
    beams : int
        How many, fewer where there are no more.

    Returns
    -------
    kept : ndarray, (beams,)
    scores : ndarray, (beams,)
    """
    return np.asarray(x), np.zeros(min(2, len(x)))


def refuse(x, loss):
    """x (n,), loss, a function -> y (n,)."""
    error = TypeError("'set' object is not callable")
    if x:
        error.add_note("This happened where loss was called.")
    raise error


@pytest.mark.parametrize(
    ("function", "given", "fault"),
    [
        (lost, {"x": [1.0, -np.inf]}, None),
        (lost, {"x": [-np.inf, np.inf]}, "a result holds inf,"),
        (lost, {"x": np.array([np.nan], np.longdouble)}, "a result holds nan,"),
        (few, {"x": [1.0], "beams": 2}, None),
        (few, {"x": [1.0, 2.0, 3.0], "beams": 2}, "result kept (3,) holds more than beams=2"),
        (few, {"x": [1.0, 2.0, 3.0], "beams": 4}, "result scores (2,) is not (beams,): beams is 3, not 2"),
        (refuse, {"x": [1.0], "loss": 3}, None),
        (refuse, {"x": [], "loss": 3}, "the message names no argument"),
    ],
)
def test_what_the_docstring_does_not_speak_of_is_a_fault(function, given, fault):
    _, found = judge(Case(Subject(function.__name__, function), given, {}))
    assert found is None if fault is None else found.startswith(fault)


def test_a_date_that_fits_no_text_is_drawn_as_an_empty_one():
    assert _as(np.array(["1970-01-01"], "M8[D]"), "U3").tolist() == [""]
