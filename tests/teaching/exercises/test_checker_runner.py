"""A function that never ends, that prints, warns or writes into its input does no harm."""

import threading
import time
import warnings

import numpy as np
import pytest

from attention_lab.teaching.exercises import EXERCISES, check, runner
from attention_lab.teaching.exercises.checker import assess

SOFTMAX = EXERCISES["softmax"]


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(runner, "LIMIT", 0.3)


def endless(scores):
    while True:
        scores = scores + 1


def endless_and_deaf(scores):
    for _ in range(3):
        try:
            while True:
                pass
        except BaseException:
            pass
    return scores


def endless_and_loud(scores):
    while True:
        print("round and round")


def sleeps(scores):
    time.sleep(0.7)
    return scores


@pytest.mark.parametrize("function", [endless, endless_and_deaf, endless_and_loud, sleeps])
def test_a_loop_without_end_is_stopped(function, quick, capsys):
    start = time.monotonic()
    said = assess(SOFTMAX, function)
    assert time.monotonic() - start < 10
    assert said.status == "error"
    assert "was not done in time, so it was stopped (the limit is 0.3 s; given scores (5, 7))" in said.message
    assert "A single matrix" not in said.message
    assert len(capsys.readouterr().out) <= 2000


def test_the_limit_is_for_all_cases_together(quick):
    start = time.monotonic()

    def slow(scores):
        time.sleep(0.1)  # well below the limit for one case, above it for all seven
        return SOFTMAX.reference(scores)

    said = assess(SOFTMAX, slow)
    assert "was not done in time" in said.message
    assert "A single matrix" not in said.message
    assert time.monotonic() - start < 10


def test_the_thread_is_gone_afterwards(quick):
    def threads():
        return sum("_call" in thread.name for thread in threading.enumerate())

    assess(SOFTMAX, endless)
    assert threads() == 0


# Noise -----------------------------------------------------------------------------------------------------


def test_prints_appear_once(capsys):
    def loud(scores):
        print("shape", scores.shape)
        return SOFTMAX.reference(scores)

    assert assess(SOFTMAX, loud).passed
    assert capsys.readouterr().out == "shape (5, 7)\n"


def test_warnings_are_kept_quiet(capsys):
    def warns(scores):
        warnings.warn("look out", stacklevel=1)  # an error in these tests, unless it is kept quiet
        return SOFTMAX.reference(scores)

    assert assess(SOFTMAX, warns).passed
    assert "`exp` overflows" in assess(SOFTMAX, SOFTMAX.faults[0]).message
    assert capsys.readouterr().err == ""


def test_cases_are_untouched_by_a_function_that_writes_into_them():
    before = [case[0].copy() for case in SOFTMAX.cases]

    def wipes(scores):
        scores[...] = 0
        return scores

    assert not check.softmax(wipes).passed
    for old, (now,) in zip(before, SOFTMAX.cases):
        np.testing.assert_array_equal(old, now)
