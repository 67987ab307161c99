"""What an exercise consists of: right answers, faults, hints, a key line, cases that can tell axes apart."""

import math

import numpy as np
import pytest

from attention_lab.teaching import exercises
from attention_lab.teaching.exercises import EXERCISES
from tests.teaching.exercises.right import right_answers
from tests.teaching.folders import modules_that_name

RIGHT = right_answers()
LABELS = ("# score", "# scale", "# mask", "# normalise", "# mix", "# project")
by_name = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)


def test_every_module_is_named_in_the_order():
    missing = modules_that_name(exercises, "EXERCISES = [") - set(exercises._ORDER.split())
    assert not missing, f"name {', '.join(sorted(missing))} in _ORDER of teaching/exercises/__init__.py"


@by_name
def test_an_exercise_has_four_right_answers(exercise):
    wanting = 4 - len(RIGHT.get(exercise.name, ()))
    assert wanting <= 0, f"write {wanting} more right answers to {exercise.name} in tests/teaching/exercises/right_*.py"


@by_name
def test_an_exercise_has_four_faults_that_bear_its_name(exercise):
    assert len(exercise.faults) >= 4, f"{exercise.name} has {len(exercise.faults)} faults: write at least 4"
    for fault in exercise.faults:
        begin = f"faulty_{exercise.name}_"
        assert fault.__name__.startswith(begin), f"{fault.__name__}: begin its name with {begin}"


@by_name
def test_hints_are_a_ladder_of_three(exercise):
    assert len(exercise.hints) == 3, f"{exercise.name} has {len(exercise.hints)} hints: give three"
    assert len(set(exercise.hints)) == 3
    assert exercise.name in exercise.task, f"the task names {exercise.name}, as its reader will write it"


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


@by_name
def test_every_axis_of_a_case_is_a_different_prime(exercise):
    """An axis of parts (heads of a width, pairs of features) counts by the size that is left without them."""
    for case in exercise.cases:
        parts = 2 if exercise.name == "rotary" else dict(zip(exercise.parameters, case)).get("num_heads", 1)
        for array in (arg for arg in case if isinstance(arg, np.ndarray)):
            shape = array.shape[:-1] if exercise.name == "rollout" else array.shape  # queries are keys
            sizes = [n if is_prime(n) or n % parts else n // parts for n in shape if n != 1]
            told = f"a case has an array {array.shape}: give every axis a prime of its own, as in (2, 3, 5)"
            assert all(map(is_prime, sizes)), told
            assert len(set(sizes)) == len(sizes), told


@by_name
def test_the_gap_is_the_reference_without_its_key_line(exercise):
    gap, right = exercise.gap(), exercise.lines
    assert exercise.key in LABELS, f"{exercise.name}: let the key be one of {', '.join(LABELS)}"
    assert gap.startswith(f"def my_{exercise.name}(")
    changed = [a for a, b in zip(gap.splitlines()[1:], right) if a.removeprefix("    ") != b]
    assert len(changed) == 1
    assert "..." in changed[0].split("  # ")[0]
    assert exercise.key in changed[0]
    assert max(map(len, gap.splitlines())) <= 120


@by_name
def test_shuffled_lines_are_few_and_out_of_order(exercise):
    assert 3 <= len(exercise.lines) <= 8, f"write {exercise.name} in 3 to 8 lines, it has {len(exercise.lines)}"
    assert len(set(exercise.lines)) == len(exercise.lines)
    assert exercise.odd_line not in exercise.lines
    assert sorted(exercise.shuffled) == sorted([*exercise.lines, exercise.odd_line])
    assert [line for line in exercise.shuffled if line != exercise.odd_line] != exercise.lines
    assert exercise.distractor in exercise.faults
