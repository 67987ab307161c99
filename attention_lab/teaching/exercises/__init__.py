"""The exercises: put lines in order, fill a gap, write a function; be told what is wrong and what to do next.

``check.softmax(my_softmax)`` checks a function, ``hint.softmax()`` gives the next hint, ``solution.softmax()`` shows a
right answer after an attempt, ``order.softmax()`` shows shuffled lines. ``order("softmax")`` is the same.
"""

from difflib import get_close_matches
from functools import partial
from importlib import import_module

from attention_lab.runs.record import note
from attention_lab.teaching.exercises.checker import assess
from attention_lab.teaching.exercises.display import Said, Source, show_source, source_of
from attention_lab.teaching.exercises.order import Puzzle

__all__ = ["EXERCISES", "check", "hint", "order", "show_source", "solution"]

_ORDER = """
    lesson_00
    lesson_01_softmax lesson_01
    lesson_02 lesson_02_patterns
    lesson_03
    lesson_04 lesson_04_heads
    lesson_05 lesson_05_rotary lesson_05_bias
    lesson_06 lesson_06_block
    lesson_07 lesson_07_attention lesson_07_norm lesson_07_numeric
    lesson_08 lesson_08_adam lesson_08_dropout lesson_08_schedule lesson_08_make
    lesson_09 lesson_09_batch lesson_09_matthews
    lesson_10 lesson_10_perplexity lesson_10_top_p
    lesson_11 lesson_11_bytes lesson_11_mask
    lesson_12 lesson_12_masks lesson_12_bleu
    lesson_13 lesson_13_memory lesson_13_f1
    lesson_14 lesson_14_errors lesson_14_naive
    lesson_15 lesson_15_arrays
    lesson_16 lesson_16_cost
    lesson_17 lesson_17_masks
    lesson_18
    lesson_19 lesson_19_search
    lesson_20 lesson_20_lens
"""
_LESSONS = [import_module(f"{__name__}.{module}") for module in _ORDER.split()]
EXERCISES = {exercise.name: exercise for lesson in _LESSONS for exercise in lesson.EXERCISES}


class _Menu:
    """One action for every exercise, under its name: ``check.softmax(f)``, or ``check("softmax", f)``."""

    def __init__(self, verb, action):
        self._verb = verb
        self._action = action

    def __getattr__(self, name):
        if name.startswith("_"):  # Python and Jupyter ask for many of those
            raise AttributeError(name)
        if name not in EXERCISES:
            raise AttributeError(self._unknown(name))
        action = partial(self._act, EXERCISES[name])
        action.__doc__ = EXERCISES[name].task  # what `check.softmax?` shows
        return action

    def __call__(self, name=None, *args):
        if not isinstance(name, str) or name not in EXERCISES:
            raise ValueError(self._unknown(name))
        return self._act(EXERCISES[name], *args)

    def _act(self, exercise, *args):
        if exercise.is_homework:
            return Said(f"`{exercise.name}` is homework here: `{self._verb}` is closed for it in this notebook.")
        return self._action(exercise, *args)

    def __dir__(self):
        return list(EXERCISES)

    def __repr__(self):
        return "\n".join(f"{self._verb}.{exercise.name}: {exercise.task}" for exercise in EXERCISES.values())

    def _unknown(self, name):
        own = getattr(name, "__name__", str(name)).removeprefix("my_")
        near = get_close_matches(own, EXERCISES, n=3, cutoff=0.5)
        if not isinstance(name, str):
            return f"name must be that of an exercise: write {self._verb}.{near[0] if near else 'softmax'}(...)"
        meant = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(EXERCISES)}."
        return f"no exercise is called {name!r}: {meant}"


def _check(exercise, function=None):
    said = assess(exercise, function)
    if said.status != "not attempted":
        exercise.attempts += 1
        note("exercises", exercise.name, said.passed)
    return said


def _hint(exercise, *_):
    total = len(exercise.hints)
    exercise.hints_given = min(exercise.hints_given + 1, total)
    last = f" (The last one: after an attempt, `solution.{exercise.name}()` shows an answer.)"
    number = exercise.hints_given
    return Said(f"Hint {number} of {total}: {exercise.hints[number - 1]}{last if number == total else ''}")


def _solution(exercise, *_):
    if exercise.attempts:
        return Source("\n\n\n".join(map(source_of, (*exercise.parts, exercise.reference))))
    name = exercise.name
    return Said(f"First an attempt: `check.{name}(my_{name})`. `hint.{name}()` helps; the solution opens afterwards.")


check = _Menu("check", _check)
hint = _Menu("hint", _hint)
solution = _Menu("solution", _solution)
order = _Menu("order", Puzzle)
