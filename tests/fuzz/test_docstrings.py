"""What docstrings promise is true: each has an example and states its shapes, which are those of valid calls."""

import inspect
import re

import pytest

from tests.fuzz.cases import draw_case
from tests.fuzz.judge import judge, looked_at
from tests.fuzz.public import subjects

SUBJECTS = subjects()


@pytest.mark.parametrize("name", [name for name, subject in SUBJECTS.items() if not subject.owner])
def test_every_public_name_shows_an_example(name):
    assert ">>> " in SUBJECTS[name].function.__doc__


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_argument_is_described(name):
    subject = SUBJECTS[name]
    text = inspect.getdoc(subject.function)
    assert not [
        name
        for name, entry in subject.contract.parameters.items()
        if not (entry.type or re.search(rf"\b{name}\b", text))
    ]


@pytest.mark.parametrize("name", SUBJECTS)
def test_every_array_has_a_stated_shape(name):
    contract = SUBJECTS[name].contract
    entries = [*contract.parameters.values(), *contract.returns]
    shaped = {entry.same_shape_as for entry in contract.returns}
    arrays = [entry for entry in entries if "array" in entry.type and "dict of str" not in entry.type]
    assert not [entry for entry in arrays if not entry.is_stated and entry.name not in shaped]


@pytest.mark.parametrize("name", [name for name, subject in SUBJECTS.items() if subject.contract.shapes])
def test_every_stated_shape_is_that_of_a_valid_call(name, nowhere):
    subject, seen = SUBJECTS[name], set()
    for number in range(100):
        case = draw_case(subject, number, seed=1, odd=0)
        returned, fault = judge(case)
        assert not fault, fault
        seen |= looked_at(case) if returned else set()
        if seen >= subject.contract.shapes:
            return
    pytest.fail(f"no valid call shows the shapes of {subject.contract.shapes - seen}")
