"""Where wrong answers enter themselves, by the name of their exercise: a module of them is read when it is imported."""

import pytest

from attention_lab.teaching.exercises import EXERCISES

WRONG = []
REFERENCE = {name: exercise.reference for name, exercise in EXERCISES.items()}


def wrong(name, *words, never=""):
    """Note a function as a wrong answer, what is to be said about it, and what is not."""

    def note(function):
        WRONG.append(pytest.param(name, function, words, never, id=function.__name__))
        return function

    return note
