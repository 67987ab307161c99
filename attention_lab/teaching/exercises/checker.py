"""Checks a learner's function: not attempted yet, correct, or what is wrong and what to do next."""

import inspect
import sys
from copy import deepcopy
from functools import cache

import numpy as np

from attention_lab.teaching.exercises import runner
from attention_lab.teaching.exercises.attempt import plain, untouched, unused
from attention_lab.teaching.exercises.display import Said
from attention_lab.teaching.exercises.next_step import next_step
from attention_lab.teaching.exercises.results import (
    as_results,
    compare,
    describe,
    error_text,
    refusal,
    same,
    unchanged,
    written,
)


def assess(exercise, function):
    """Try a function on the cases of an exercise.

    Parameters
    ----------
    exercise : Exercise
    function : callable
        The learner's. It gets copies, has a few seconds, and may do anything: nothing it does is raised here.

    Returns
    -------
    Said
        ``.status`` is ``"not attempted"``, ``"correct"``, ``"wrong"`` or ``"error"``.
    """
    if function is None or function is ...:
        return _not_attempted(exercise, f"Not attempted yet: write `my_{exercise.name}`, then {_call(exercise)}.")
    unfit = _unfit(exercise, function)
    if unfit:
        return Said(unfit, "wrong")
    given = [copies(case) for case in exercise.cases]
    outcomes = runner.run_all(function, given, exercise.limit)
    sys.stdout.write(outcomes[0].printed)  # what the learner prints appears once, not once a case
    problems = [_problem(exercise, function, *pair) for pair in zip(exercise.cases, outcomes)]
    first = next((i for i, problem in enumerate(problems) if problem), None)
    if first is None:
        return _right(exercise, given, outcomes)
    waiting = untouched(function, outcomes[first])
    if waiting:
        return _not_attempted(exercise, waiting)
    return _wrong(exercise, function, outcomes, first, problems[first])


def _not_attempted(exercise, what):
    """What to do, and what the function is to give: the reader has seen no more of the task than a gap or a name."""
    return Said(f"{what} {exercise.task}", "not attempted")


def find_fault(exercise, outcomes, first):
    """The known fault that gives what the learner got, or None.

    It must agree on the first case that went wrong, and must not show in a case that went right; among several, the
    one that agrees on most of the cases in which the fault shows, and then the one that shows in most cases.
    """
    best, best_score = None, (0, 0)
    wrong = _problematic(exercise, outcomes)
    right = set(range(len(outcomes))).difference(wrong)
    for fault in exercise.faults:
        agreeing, shows = _agreement(exercise, fault, outcomes, wrong)
        fits = first in agreeing and right.isdisjoint(shows)
        score = (len(agreeing) / len(shows), len(shows)) if fits else (0, 0)
        if score > best_score:
            best, best_score = fault, score
    return best


def _agreement(exercise, fault, outcomes, wrong):
    """The numbers of the cases in which the outcomes are such as the fault gives, and of those in which it shows."""
    if fault.when:
        alike = [i for i in wrong if _shown(fault, outcomes[i], exercise.cases[i])]
        return alike, alike
    theirs, shows = _known(exercise, fault)
    return [i for i in shows if i < len(outcomes) and same(exercise, outcomes[i], theirs[i])], shows


def _shown(fault, outcome, args):
    """Whether a result shows the fault; None, or what cannot be read, does not."""
    try:
        return bool(fault.when(outcome.value, args))
    except Exception:
        return False


@cache
def _known(exercise, fault):
    """What a known fault gives on every case, and the numbers of the cases in which that is wrong."""
    outcomes = [runner.run(fault, copies(case), seconds=60) for case in exercise.cases]
    return outcomes, _problematic(exercise, outcomes)


def _problematic(exercise, outcomes):
    """The numbers of the cases whose outcome is not right."""
    pairs = enumerate(zip(exercise.cases, outcomes))
    return [i for i, pair in pairs if _problem(exercise, exercise.reference, *pair)]


def _unfit(exercise, function):
    """A sentence if this is not a function of the right number of parameters."""
    if not callable(function):
        kind = type(function).__name__
        return f"Hand over the function itself, without calling it: {_call(exercise)}. This was of type {kind}."
    own = plain(function)
    if inspect.iscoroutinefunction(own) or inspect.isasyncgenfunction(own):
        return "Your function begins with `async def`, so a call of it gives no result. Write `def` alone."
    if inspect.isgeneratorfunction(own):
        return "Your function holds a `yield`, so a call of it gives no result. Collect all of it and `return` that."
    return _unfit_parameters(exercise, function)


def _unfit_parameters(exercise, function):
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # built-in functions may not tell
        return None
    found, wanted = list(signature.parameters), exercise.parameters
    yours = f"yours has {signature}."
    if found != wanted and sorted(found) == sorted(wanted):
        return f"The arguments come in the order ({', '.join(wanted)}); {yours} Write the first line in that order."
    try:
        signature.bind(*wanted)
    except TypeError:
        many = "argument" if len(wanted) == 1 else "arguments"
        return f"Your function must take {len(wanted)} {many}, ({', '.join(wanted)}); {yours} Mend its first line."
    return None


def _problem(exercise, function, args, outcome):
    """A sentence on what is wrong with one outcome, or None."""
    case = describe(exercise, args)
    if outcome.late:
        limit = f"the limit is {exercise.limit or runner.LIMIT:g} s"
        return (
            f"Your function was not done in time, so it was stopped ({limit}; given {case}). "
            "Look for a slow step, or a loop without end: the condition of a `while`, a function that calls itself."
        )
    expected = _expected(exercise, args)
    if expected.error:
        return refusal(outcome, expected.error, case)
    if outcome.error:
        return _raised(function, outcome.error, case)
    try:
        got, sentence = as_results(exercise, outcome.value, expected.value, case)
        if sentence:
            return sentence
        if exercise.properties:
            sentence = exercise.properties(*got, *copies(args))
            sentence = sentence and f"{sentence} This was with {case}."
        sentence = sentence or (compare(exercise, got, expected.value, case) if exercise.compares else None)
        sentence = sentence or written(exercise, outcome.args, expected.args, case)
        if sentence and np.ma.is_masked(outcome.value):
            return f"Some cells of your masked array hold no number, given {case}. Fill them, as `.filled(0)` does."
        return sentence
    except Exception as error:  # an object that refuses to be read is the learner's, not ours
        return f"What your function returned cannot be read as numbers ({error}). Return NumPy arrays."


def _expected(exercise, args):
    """What the reference makes of a case: an outcome, with an error where the exercise asks for a refusal."""
    given = copies(args)
    try:
        with np.errstate(all="ignore"):
            return runner.Outcome((exercise.answer or exercise.reference)(*given), args=given)
    except ValueError as error:
        if not exercise.refuses:
            raise
        return runner.Outcome(error=error, args=given)


def _raised(function, error, case):
    kind, text = type(error).__name__, error_text(error)
    if isinstance(error, (SystemExit, KeyboardInterrupt)):
        return f"Your function ends the program ({kind}). Take that call out and `return` the result instead."
    if isinstance(error, RecursionError):
        return f"Your function calls itself without end ({kind}). Check its name in the body and where it stops."
    line = runner.line_of(error, plain(function))
    where = f" in the line `{line}`" if line else ""
    return f"Your function stops with {kind}: {text}{where}, given {case}."


def _right(exercise, given, outcomes):
    for args, case in zip(given, exercise.cases):
        for name, arg, original in zip(exercise.parameters, args, case):
            if name not in exercise.writes and not unchanged(arg, original):
                own = f"`{name} = {name} - 1` instead of `{name} -= 1`"
                own = "`row = row + [0]` instead of `row.append(0)`" if isinstance(original, list) else own
                return Said(
                    f"The numbers are right, but your function changes its input `{name}`: whoever calls it loses "
                    f"what was there. Work on a new one ({own}).",
                    "wrong",
                )
    if _draws_elsewhere(exercise, given):
        return Said(
            "The numbers are such as they should be, but your function draws none from `rng`: then nobody can repeat a "
            "run. Draw from the generator that is handed in, as in `rng.random(x.shape)`.",
            "wrong",
        )
    return Said(f"Correct: {exercise.learned}{_widened(exercise, given, outcomes)}", "correct")


def _draws_elsewhere(exercise, given):
    """Whether generators were handed over, and all of them stand as they stood."""
    pairs = [pair for args, case in zip(given, exercise.cases) for pair in zip(args, case)]
    states = [[one.bit_generator.state for one in pair] for pair in pairs if isinstance(pair[0], np.random.Generator)]
    return bool(states) and all(now == before for now, before in states)


def _widened(exercise, given, outcomes):
    """A remark, not a fault: float32 went in and float64 came out."""
    for args, outcome in zip(given, outcomes):
        kinds = {arg.dtype for arg in args if isinstance(arg, np.ndarray) and arg.dtype.kind == "f"}
        values = outcome.value if len(exercise.returns) > 1 else [outcome.value]
        if kinds == {np.dtype(np.float32)} and any(getattr(value, "dtype", None) == np.float64 for value in values):
            return (
                " One thing more: float32 went in and float64 came out, which takes twice the memory. "
                "`math.sqrt` and `np.zeros(..., dtype=x.dtype)` keep float32 where `np.sqrt` and `np.zeros` do not."
            )
    return ""


def _wrong(exercise, function, outcomes, first, problem):
    outcome = outcomes[first]
    fault = None if outcome.late else find_fault(exercise, outcomes, first)
    status = "error" if outcome.error or outcome.late else "wrong"
    if fault is None or (outcome.error and callable(fault.diagnosis)):  # there are no numbers to quote
        line = outcome.error and runner.line_of(outcome.error, plain(function))
        refused = _expected(exercise, exercise.cases[first]).error  # then the problem says what to do
        step = "" if refused else next_step(exercise, outcome.error, line)
        return Said(f"{problem}{step}{_remark(exercise, function, outcomes, first)}", status)
    text = fault.diagnosis
    text = text(outcome.value, exercise.cases[first]) if callable(text) else text
    return Said(f"{problem} A known cause: {text}" if outcome.error else text, status)


def _remark(exercise, function, outcomes, first):
    """What may be behind numbers or shapes that no known fault explains."""
    outcome = outcomes[first]
    if outcome.late or not isinstance(outcome.error, (type(None), ValueError, IndexError)):
        return ""
    names = [f"`{name}`" for name in unused(function)]
    if names:
        whose = "its" if len(names) == 1 else "their"
        return f" Your function never uses {' and '.join(names)}: does another name stand in {whose} place?"
    if not exercise.limit and _wavers(exercise, function, outcome, first):
        if any(isinstance(arg, np.random.Generator) for arg in exercise.cases[first]):
            return " Called again with the same generator, it gives other numbers: draw from that one alone."
        return " Called again, it gives other numbers: take out what is random, or what it keeps from call to call."
    if _right_one_by_one(exercise, function, exercise.cases[first]):
        return " A single matrix comes out right: count axes from the last one, -1 and -2, and stacks will too."
    return ""


def _wavers(exercise, function, outcome, first):
    """Whether the same arguments give other numbers the next time."""
    if outcome.error or not same(exercise, outcome, outcome):
        return False
    again = runner.run(function, copies(exercise.cases[first]), seconds=1)
    return not again.late and not again.error and not same(exercise, outcome, again)


def _right_one_by_one(exercise, function, args):
    """Whether a function that is wrong on a stack of matrices is right on each of them; what is no stack stays."""
    leads = {arg.shape[:-2] for arg in args if isinstance(arg, np.ndarray)} - {()}
    if len(leads) != 1:
        return False
    for at in np.ndindex(*leads.pop()):
        matrices = tuple(arg[at] if isinstance(arg, np.ndarray) and arg.ndim > 2 else arg for arg in args)
        try:
            if _problem(exercise, function, matrices, runner.run(function, copies(matrices), seconds=1)):
                return False
        except Exception:  # the reference itself takes no single matrix
            return False
    return True


def _call(exercise):
    return f"`check.{exercise.name}(my_{exercise.name})`"


def copies(args):
    """The arguments anew: what a function writes, or draws, leaves the case as it was."""
    return tuple(deepcopy(arg) if isinstance(arg, (np.ndarray, list, np.random.Generator)) else arg for arg in args)
