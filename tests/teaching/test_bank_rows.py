"""What the bank covers: every row of questions and misconceptions, what an interviewer asks, and how it is settled."""

import ast
import inspect

import numpy as np
import pytest

from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.questions import BANK
from attention_lab.teaching.questions.interview import INTERVIEW, WRITTEN

QUESTIONS = [f"Q{i}" for i in range(1, 141)]
MISCONCEPTIONS = [f"M{i}" for i in range(1, 26)]


def items_of(row):
    return [item for item in BANK.values() if row in item.source.split()]


def root(node):
    """The name that a call begins with: ``np`` of ``np.ones(3).sum()``, ``attention`` of ``attention(q, k, v)[0]``."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        else:
            return None
    return node.id


def computes(function, seen=()):
    """Whether a function calls NumPy or the package's mathematics, itself or through a helper beside it."""
    space, calls = function.__globals__, set()
    for node in ast.walk(ast.parse(inspect.getsource(function))):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return True
        if isinstance(node, ast.Call):
            calls.add(root(node.func))
    for found in (space[name] for name in calls if name in space):
        module = getattr(found, "__module__", None) or getattr(found, "__name__", "")
        if found is np or module.startswith("numpy"):
            return True
        beside = module.startswith("attention_lab.teaching.questions")
        if module.startswith("attention_lab") and not beside:
            return True
        if beside and inspect.isfunction(found) and found not in seen and computes(found, (*seen, function)):
            return True
    return False


def returns_a_constant(function):
    """Whether all that a function can return is one string that is written down."""
    returns = [node.value for node in ast.walk(ast.parse(inspect.getsource(function))) if isinstance(node, ast.Return)]
    return len(returns) == 1 and isinstance(returns[0], ast.Constant)


@pytest.mark.parametrize("row", [*QUESTIONS, *MISCONCEPTIONS])
def test_every_row_is_asked(row):
    assert items_of(row), f"no question of the bank has {row} in its source"


def test_nearly_all_rows_are_settled_by_a_computation():
    settled = [row for row in QUESTIONS if any(computes(item.settle) for item in items_of(row))]
    assert len(settled) >= 110
    rest = [item for row in QUESTIONS if row not in settled for item in items_of(row)]
    assert all(item.working and item.source for item in rest)  # a worked definition, and where it comes from


def test_no_answer_is_written_down():
    assert [id for id, item in BANK.items() if returns_a_constant(item.settle)] == []


def test_what_counts_as_a_computation():
    space = {"np": np, "__name__": "attention_lab.teaching.questions.toy"}

    def made(source):
        import linecache

        linecache.cache["<toy>"] = (len(source), None, source.splitlines(True), "<toy>")
        exec(compile(source, "<toy>", "exec"), space)
        return space["f"]

    assert not computes(made("def f():\n    return 'no'\n"))
    assert returns_a_constant(made("def f():\n    np.ones(3)\n    return 'no'\n"))
    assert not computes(made("def f():\n    return str(len('no'))\n"))
    assert computes(made("def f():\n    return str(np.ones(3).sum())\n"))
    assert computes(made("def g():\n    return np.ones(3)\ndef f():\n    return str(g()[0])\n"))


@pytest.mark.parametrize("asked", INTERVIEW)
def test_an_interviewers_question_is_answered(asked):
    ids = INTERVIEW[asked]
    assert ids
    assert set(ids) <= set(BANK)
    assert len(set(ids)) == len(ids)
    assert asked.startswith("Write ") == (asked in WRITTEN)
    assert set(WRITTEN.get(asked, ())) <= set(EXERCISES)


def test_no_question_needs_the_weights_of_a_real_model():
    loaders = {"load_minilm", "load_smollm2"}
    assert [id for id, item in BANK.items() if loaders & set(item.settle.__globals__)] == []
