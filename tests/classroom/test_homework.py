"""What the cells of a homework call: help is closed, a first look gives nothing away, only own work counts."""

import linecache

import numpy as np
import pytest

import attention_lab as al
from attention_lab.classroom import homework
from attention_lab.classroom.homework import NotYet, first_look, mark
from attention_lab.classroom.homework_cells import MARK, WRITE, _solution, indent
from attention_lab.teaching.exercises import EXERCISES

by_name = pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)


@pytest.fixture(autouse=True)
def no_homework_yet(monkeypatch):
    monkeypatch.setenv("ATTENTION_LAB_HOMEWORK", "")


def written(exercise, text):
    """A learner's function, as a cell of a notebook makes it."""
    name = f"<cell of {exercise.name}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {"np": np, "al": al, "math": __import__("math")}
    exec(compile(text, name, "exec"), space)
    return space[f"my_{exercise.name}"]


def by_the_solution(exercise):
    solution = indent(_solution(exercise), " " * 4)
    return written(exercise, WRITE.format(signature=exercise.signature, docstring="", solution=solution))


@by_name
def test_the_solution_passes_both(exercise, capsys):
    function = by_the_solution(exercise)
    first_look(exercise.name, function)
    assert "So far so good" in capsys.readouterr().out
    mark(exercise.name, function)


@by_name
def test_what_is_not_written_passes_neither(exercise):
    function = written(exercise, f"def my_{exercise.signature}:\n    # YOUR CODE HERE\n    raise NotImplementedError()")
    for look in (first_look, mark):
        with pytest.raises(NotYet, match="Not attempted yet"):
            look(exercise.name, function)


@by_name
def test_no_known_fault_is_marked_as_right(exercise):
    for fault in exercise.faults:
        with pytest.raises(NotYet) as said:
            mark(exercise.name, fault)
        assert "leaves its work" not in str(said.value), fault.__name__


BORROWED = {
    "the package's function": ("softmax", "return al.softmax(scores)"),
    "the same in a lambda": ("rotary", "return (lambda y: al.rotary_embedding(y, positions))(x)"),
    "the same, kept for later": (
        "softmax",
        "kept = al.__dict__.setdefault('_kept', {})\n"
        "    if scores.tobytes() not in kept:\n"
        "        kept[scores.tobytes()] = al.softmax(scores)\n"
        "    return kept[scores.tobytes()].copy()",
    ),
    "the same, unseen": ("softmax", "__import__('sys').setprofile(None)\n    return al.softmax(scores)"),
    "the reference": (
        "entropy",
        "from attention_lab.teaching.exercises import EXERCISES\n    return EXERCISES['entropy'].reference(weights)",
    ),
    "a class that the reference is made of": (
        "train_reverse",
        "from attention_lab.teaching.exercises import lesson_08_make\n"
        "    return lesson_08_make.train_reverse(inputs, targets, unseen)",
    ),
}


@pytest.mark.parametrize("look", [first_look, mark])
@pytest.mark.parametrize(("name", "line"), BORROWED.values(), ids=BORROWED)
def test_work_that_is_left_to_the_package_does_not_count(name, line, look, monkeypatch):
    monkeypatch.setattr(al, "_kept", {}, raising=False)
    exercise = EXERCISES[name]
    with pytest.raises(NotYet, match="write the steps yourself"):
        look(name, written(exercise, f"def my_{exercise.signature}:\n    {line}\n"))


def test_what_the_task_allows_may_be_called_and_a_print_is_no_fault():
    exercise = EXERCISES["attention"]
    lines = "weights = al.softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(query.shape[-1])); print('here')"
    function = written(exercise, f"def my_{exercise.signature}:\n    {lines}\n    return weights @ value, weights\n")
    first_look("attention", function)
    mark("attention", function)


def test_a_first_look_sees_shapes_and_not_numbers():
    wrong_numbers = written(EXERCISES["rotary"], "def my_rotary(x, positions):\n    return x + 1")
    first_look("rotary", wrong_numbers)
    with pytest.raises(NotYet, match=r"shape \(1, 5, 6\)"):
        first_look("rotary", lambda x, positions: x[None])
    with pytest.raises(NotYet, match="stops with ZeroDivisionError"):
        first_look("rotary", lambda x, positions: 1 / 0)
    forgets_to_return = written(EXERCISES["rotary"], "def my_rotary(x, positions):\n    y = x + 1")
    with pytest.raises(NotYet, match="returns None"):
        first_look("rotary", forgets_to_return)


def test_the_time_that_looking_takes_is_not_the_learners(monkeypatch):
    monkeypatch.setattr(homework.runner, "run_all", lambda function, calls, limit: [homework.runner.Outcome(late=True)])
    first_look("rotary", lambda x, positions: x)


def test_a_name_that_the_learner_takes_costs_no_point():
    exec(MARK.format(name="rotary"), {"homework": "done", "my_rotary": by_the_solution(EXERCISES["rotary"])})


def test_help_is_closed_for_what_is_homework_and_for_nothing_else():
    homework.begin("rotary", "softmax")
    for menu in (al.check, al.hint, al.solution, al.order):
        assert "is homework here" in str(menu.rotary(lambda x, positions: x))
        assert "is homework here" in str(menu("softmax"))
        assert "is homework" not in str(menu.entropy())
    assert EXERCISES["rotary"].attempts == 0


@pytest.mark.parametrize("wrong", [lambda x, positions: x, lambda x, positions: [][7]], ids=["numbers", "error"])
def test_what_is_closed_is_not_recommended(wrong):
    for closed in (False, True):
        homework.begin(*["rotary"][: int(closed)])
        with pytest.raises(NotYet) as said:
            mark("rotary", wrong)
        assert ("hint" in str(said.value)) != closed


def test_homework_adds_up_and_names_must_be_known(monkeypatch):
    monkeypatch.setenv("ATTENTION_LAB_HOMEWORK", "entropy")
    homework.begin("rotary")
    assert [name for name in EXERCISES if EXERCISES[name].is_homework] == ["entropy", "rotary"]
    with pytest.raises(ValueError, match="got 'rotory'"):
        homework.begin("rotory")


def test_not_yet_is_one_line_in_a_notebook():
    assert NotYet("Return it.")._render_traceback_() == ["Not yet. Return it."]
