"""The cells of a homework notebook, with what nbgrader needs to know of each."""

import ast
from textwrap import indent

import nbformat

import attention_lab
from attention_lab.teaching.exercises.display import source_of
from attention_lab.teaching.exercises.exercise import body
from attention_lab.teaching.questions import BANK

POINTS = {"look": 1, "mark": 3, "words": 2}  # for each exercise
OPENING = """\
# Homework: {title}

The exercises of lesson {number}, to hand in. Each gives {total} points: {look} for a function that runs, {mark} for \
what it computes, {words} for your words.

- Run the next cell first. Then write each function where it says so.
- Write its steps yourself, in Python and NumPy. A function that leaves them to `attention_lab` does not count, except \
for what its task allows.
- Below each function a first look tells whether it runs, and gives the right shape. The numbers are looked at when \
your work is marked.
- In this notebook `al.check`, `al.hint`, `al.solution` and `al.order` are closed for these exercises."""
BEGIN = """\
import math

import numpy as np

import attention_lab as al
from attention_lab.classroom import homework

homework.begin({names})"""
TASK = "## {i}. `my_{name}`\n\n{task}{allowed}"
WRITE = "def my_{signature}:\n{docstring}    ### BEGIN SOLUTION\n{solution}\n    ### END SOLUTION"
LOOK = 'homework.first_look("{name}", my_{name})'
MARK = """\
# This cell is run when your work is marked.
### BEGIN HIDDEN TESTS
from attention_lab.classroom import homework  # the name may be taken by now

homework.mark("{name}", my_{name})
### END HIDDEN TESTS"""
ASK = """\
**In words.** Which step of `my_{name}` is most easily got wrong? Say what comes out then, and by what you would \
notice it."""


def cells(lesson, exercises):
    """All cells, with the answers."""
    (_, title), *_ = lesson.cells[0].headings
    text = OPENING.format(title=title, number=lesson.number, total=sum(POINTS.values()), **POINTS)
    names = ", ".join(f'"{exercise.name}"' for exercise in exercises)
    made = [_prose("opening", text), _code("begin", BEGIN.format(names=names))]
    for i, exercise in enumerate(exercises, start=1):
        made += _cells_of(exercise, i, _docstring(lesson, exercise))
    return made


def _cells_of(exercise, i, docstring):
    name = exercise.name
    task = TASK.format(i=i, name=name, task=exercise.task, allowed=_allowed(exercise))
    write = WRITE.format(
        signature=exercise.signature, docstring=docstring, solution=indent(_solution(exercise), " " * 4)
    )
    return [
        _prose(f"{name}-task", task),
        _code(f"{name}-write", write, locked=False, solution=True),
        _code(f"{name}-look", LOOK.format(name=name), points=POINTS["look"]),
        _code(f"{name}-mark", MARK.format(name=name), points=POINTS["mark"]),
        _prose(f"{name}-ask", ASK.format(name=name)),
        _prose(f"{name}-words", _guide(exercise), locked=False, solution=True, points=POINTS["words"]),
    ]


def answers(exercise):
    """Every line that a release must not hold: long enough to tell something, and without the comment beside it."""
    lines = [line for line in _solution(exercise).splitlines() if not line.startswith(("def ", "class "))]
    texts = [*exercise.hints, *_guide(exercise).splitlines()]
    lines = [line.partition("  # ")[0].strip() for line in lines] + [text.removeprefix("- ") for text in texts]
    return [line for line in lines if len(line) > 12]


def _solution(exercise):
    """The body of the reference, after the imports and the parts that it needs."""
    imports = [line for name in _names(exercise) if (line := _import(name, exercise.reference.__globals__[name]))]
    parts = [source_of(part) for part in exercise.parts]
    return "\n".join([*imports, *parts, *body(exercise.reference)])


def _allowed(exercise):
    """What the reference itself takes from the package; where it is a model, anything."""
    if exercise.parts:
        return "\n\nYou may call whatever `attention_lab` has."
    names = [f"`al.{name}`" for name in _names(exercise) if name in attention_lab.__all__]
    return f"\n\nYou may call {' and '.join(names)}." if names else ""


def _names(exercise):
    """The names that a reference and its parts take from their module."""
    text = "\n".join(map(source_of, (exercise.reference, *exercise.parts)))
    read = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    parts = {part.__name__ for part in exercise.parts}
    return sorted(name for name in read - parts - {"np", "math"} if name in exercise.reference.__globals__)


def _import(name, value):
    return f"from {value.__module__} import {name}" if callable(value) else None


def _docstring(lesson, exercise):
    """What the lesson writes below the first line of the function, where it asks for all of it: mostly the shapes."""
    tagged = [cell for cell in lesson.code if exercise.name in cell.tagged("exercise")]
    for node in (node for cell in tagged for node in cell.tree.body if isinstance(node, ast.FunctionDef)):
        if said := ast.get_docstring(node):
            return f'    """{said}"""\n'
    return ""


def _guide(exercise):
    """What whoever reads the words may look for: the right reason, and what is known to go wrong."""
    lines = ["One of these is enough, in whatever words:", ""]
    reason = BANK.get(f"because-{exercise.name}")
    if reason:
        right = reason.answer()
        lines.append(f"- {reason.text} {right}. {reason.options[right]}")
    return "\n".join(lines + [f"- {fault.diagnosis}" for fault in exercise.faults if isinstance(fault.diagnosis, str)])


def _prose(id, text, **nbgrader):
    return nbformat.v4.new_markdown_cell(text, metadata={"nbgrader": _told(id, "markdown", **nbgrader)})


def _code(id, text, **nbgrader):
    return nbformat.v4.new_code_cell(text, metadata={"nbgrader": _told(id, "code", **nbgrader)})


def _told(id, kind, *, locked=True, solution=False, points=None):
    """nbgrader's own note on a cell: graded where there are points, read-only where it is locked."""
    told = {"grade": points is not None, "grade_id": id, "locked": locked, "solution": solution, "task": False}
    return told | {"schema_version": 3, "cell_type": kind} | ({} if points is None else {"points": points})
