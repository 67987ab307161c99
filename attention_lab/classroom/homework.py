"""What the cells of a homework notebook call: the answers are put away, a first look is given, the work is marked."""

import os
import sys
import threading
from pathlib import Path

import attention_lab
from attention_lab.teaching import exercises
from attention_lab.teaching.exercises import EXERCISES, runner
from attention_lab.teaching.exercises.attempt import untouched
from attention_lab.teaching.exercises.checker import assess, copies
from attention_lab.teaching.exercises.results import as_results, describe, error_text

HOUSE = str(Path(attention_lab.__file__).parent)
ANSWERS = str(Path(exercises.__file__).parent)
HIDDEN = object()  # stands for what a function enters after it has ended the noting of it


class NotYet(Exception):
    """What is still to be done, in one line: no traceback leads away from it."""

    def _render_traceback_(self):
        return [f"Not yet. {self}"]


def begin(*names):
    """Close check, hint, solution and order for these exercises, as long as this kernel runs.

    ``ATTENTION_LAB_HOMEWORK``, a list of names, does the same for every kernel that is started with it.

    Parameters
    ----------
    *names : str
        Exercises, as ``"rotary"``.

    Raises
    ------
    ValueError
        If there is no such exercise.
    """
    unknown = [name for name in names if name not in EXERCISES]
    if unknown:
        raise ValueError(f"names must be those of exercises, got {unknown[0]!r}: there are {', '.join(EXERCISES)}")
    before = os.environ.get("ATTENTION_LAB_HOMEWORK", "").split()
    os.environ["ATTENTION_LAB_HOMEWORK"] = " ".join(dict.fromkeys([*before, *names]))


def first_look(name, function):
    """Call a function once: it must run, by its own steps, and give what has the right shape. Its numbers may be wrong.

    Raises
    ------
    NotYet
        If it does not.
    """
    exercise = EXERCISES[name]
    args = exercise.cases[0]
    [outcome], borrowed = _borrows(exercise, function, [args])
    if outcome.late:  # to note what is called takes time, which is not the learner's
        outcome = runner.run(function, copies(args), exercise.limit or runner.LIMIT)
    said = untouched(function, outcome)
    if not said and outcome.late:
        said = "Your function was not done in time, so it was stopped."
    if not said and outcome.error:
        said = f"Your function stops with {type(outcome.error).__name__}: {error_text(outcome.error)}."
    expected = (exercise.answer or exercise.reference)(*copies(args))
    _must_not(said or as_results(exercise, outcome.value, expected, describe(exercise, args))[1])
    _must_not(borrowed)
    print(f"So far so good: {name} runs, and its result has the right shape. The numbers are looked at later.")


def mark(name, function):
    """Look at everything: all cases of the exercise, and whether the steps are the learner's own.

    Raises
    ------
    NotYet
        If something is wrong. The sentence is the one that `check` would give, with the cause where it is a known one.
    """
    exercise = EXERCISES[name]
    _, borrowed = _borrows(exercise, function, exercise.cases)  # first: a function may keep what it once borrowed
    said = assess(exercise, function)
    _must_not(None if said.passed else said.message)
    _must_not(borrowed)


def _must_not(sentence):
    if sentence:
        raise NotYet(sentence)


def _borrows(exercise, function, cases):
    """What comes of each case, and a sentence if the function enters what the reference does not enter of the package,
    or the reference itself, or looks away from what notes that.

    Where the reference is built of layers, as a model is, all may be called but what stands among the exercises.
    """
    outcomes, entered = _entered(exercise, function, cases)
    if exercise.parts:
        entered = {code for code in entered if code is HIDDEN or code.co_filename.startswith(ANSWERS)}
    else:
        entered -= _entered(exercise, exercise.reference, cases)[1] - {exercise.reference.__code__}
    return outcomes, entered and "Your function leaves its work to attention_lab: write the steps yourself."


def _entered(exercise, function, cases):
    """What comes of each case, and the code of the package that is entered; HIDDEN where the noting is ended."""
    entered = set()

    def note(frame, event, arg):
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(HOUSE) and file != runner.__file__:
            entered.add(frame.f_code)
        elif event == "c_call" and arg is sys.setprofile:
            entered.add(HIDDEN)

    before = threading.getprofile()
    threading.setprofile(note)  # the runner's thread is a new one
    try:
        return runner.run_all(function, [copies(case) for case in cases], exercise.limit), entered
    finally:
        threading.setprofile(before)
