"""Differently written right answers pass: loops, einsum, in place, float32, -inf or a large negative number."""

import functools

import numpy as np
import pytest

import attention_lab
from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.exercises.checker import assess
from tests.teaching.exercises import right_00_01
from tests.teaching.exercises.right import right_answers

pytestmark = pytest.mark.slow  # the whole bank: `make test` runs it

ANSWERS = [
    pytest.param(name, function, id=function.__name__, marks=pytest.mark.slow if EXERCISES[name].limit else ())
    for name, functions in right_answers().items()
    for function in functions
]


@pytest.mark.parametrize(("name", "function"), ANSWERS)
def test_right_answer_passes(name, function):
    said = assess(EXERCISES[name], function)
    assert said.passed, said
    assert said.message.startswith(f"Correct: {EXERCISES[name].learned}")


class Callable:
    def __call__(self, scores):
        return attention_lab.softmax(scores)

    def method(self, scores):
        return attention_lab.softmax(scores)


class Labelled(np.ndarray):
    """A subclass, such as other libraries return."""


@pytest.mark.parametrize(
    "function",
    [
        lambda scores: attention_lab.softmax(scores),
        functools.partial(attention_lab.softmax, axis=-1),
        Callable(),
        Callable().method,
        attention_lab.softmax,
        lambda *args: attention_lab.softmax(*args),
        lambda scores, **options: attention_lab.softmax(scores).view(Labelled),
    ],
    ids=["lambda", "partial", "object", "method", "package", "star", "subclass"],
)
def test_any_callable_will_do(function):
    assert assess(EXERCISES["softmax"], function).passed


def test_a_wider_dtype_is_a_remark_and_no_fault():
    said = assess(EXERCISES["softmax"], right_00_01.filled_into_float64)
    assert said.passed
    assert "float32 went in and float64 came out" in said.message
    assert "float64" not in assess(EXERCISES["softmax"], right_00_01.in_one_line).message
