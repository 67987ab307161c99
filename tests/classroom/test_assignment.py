"""Homework as nbgrader makes and marks it: nothing leaks, right work gets all points, no work none, a fault fewer."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

from attention_lab.classroom import assignment
from attention_lab.classroom.assignment import Leak, exercises_of, leaks, make_assignment, notebook_of, read_lesson
from attention_lab.classroom.homework_cells import POINTS
from attention_lab.command.lessons import lessons
from attention_lab.teaching.exercises.display import source_of
from attention_lab.teaching.exercises.exercise import body
from attention_lab.teaching.questions import BANK

HANDED = [number for number in lessons() if number != "21"]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with the homework of lesson 05, in a folder whose name is not plain."""
    folder = tmp_path_factory.mktemp("course") / "Übung 5"
    make_assignment("05", folder)
    return folder


def released(number):
    return without_answers(notebook_of(read_lesson(number)))


def without_answers(notebook):
    """What nbgrader leaves of a homework, without its files and its database."""
    for step in (ClearSolutions(), ClearHiddenTests()):
        notebook, _ = step.preprocess(notebook, {})
    return notebook


def every_text(node):
    """Every text that stands anywhere in a notebook, metadata and outputs too."""
    if isinstance(node, dict):
        node = [*node.keys(), *node.values()]
    return (
        [node]
        if isinstance(node, str)
        else [t for part in node for t in every_text(part)]
        if isinstance(node, list)
        else []
    )


@pytest.mark.parametrize("number", HANDED)
def test_no_line_of_an_answer_is_in_a_release(number):
    text = "\n".join(every_text(released(number)))
    for exercise in exercises_of(read_lesson(number)):
        lines = [
            line.partition("  # ")[0].strip()
            for part in (exercise.reference, *exercise.parts)
            for line in body_of(part)
        ]
        secrets = [line for line in lines if len(line) > 12] + list(exercise.hints)
        secrets += [fault.diagnosis for fault in exercise.faults if isinstance(fault.diagnosis, str)]
        reason = BANK.get(f"because-{exercise.name}")
        secrets += [reason.text, *reason.options.values()] if reason else []
        assert len(secrets) > 5
        assert [line for line in secrets if line in text] == []
        assert f"def my_{exercise.signature}:" in text
        assert exercise.task in text
    assert "HIDDEN" not in text and "homework.mark" not in text and "BEGIN SOLUTION" not in text
    assert leaks(nbformat.writes(released(number)), exercises_of(read_lesson(number))) == []


def body_of(part):
    return body(part) if not isinstance(part, type) else source_of(part).splitlines()[1:]


@pytest.mark.parametrize("number", HANDED)
def test_the_source_itself_would_leak(number):
    """The check finds every line when all of them are there."""
    exercises = exercises_of(read_lesson(number))
    told = leaks(nbformat.writes(notebook_of(read_lesson(number))), exercises)
    assert len(told) > 8 * len(exercises)


def test_the_release_is_nbgraders_and_says_what_to_do(course):
    release = nbformat.read(course / "release/05/homework_05.ipynb", 4)
    assert [cell.source for cell in release.cells] == [cell.source for cell in released("05").cells]
    assert [cell.cell_type for cell in release.cells if not cell.metadata.nbgrader.locked] == ["code", "markdown"] * 3
    assert leaks((course / "release/05/homework_05.ipynb").read_text("utf-8"), exercises_of(read_lesson("05"))) == []
    assert "Homework: Positions" in release.cells[0].source


@pytest.fixture(scope="module")
def points(course):
    """Points by learner and cell, of work that nbgrader has marked: nothing done, all right, and known faults.

    Every fault of every exercise is marked in test_homework.py.
    """
    exercises = exercises_of(read_lesson("05"))
    hand_in(course, "nobody", {})
    hand_in(course, "ada", {e.name: source_cell(course, e.name) for e in exercises})
    for i in (0, 1, -1):
        hand_in(course, f"fault{i}", {e.name: faulty(e, e.faults[i]) for e in exercises})
    hand_in(course, "copier", {e.name: source_cell(course, e.name) for e in exercises}, copied="rotary")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [sys.executable, "-m", "nbgrader", "autograde", "05", f"--course-dir={course}"]
    said = subprocess.run(command, cwd=course, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    with Gradebook(f"sqlite:///{course}/gradebook.db", "attention-lab") as book:
        return {
            submission.student.id: {
                grade.cell.name: grade.score for part in submission.notebooks for grade in part.grades
            }
            for submission in book.assignment_submissions("05")
        }


def hand_in(course, learner, cells, copied=None):
    notebook = nbformat.read(course / "release/05/homework_05.ipynb", 4)
    for cell in notebook.cells:
        name, _, kind = cell.metadata.nbgrader.grade_id.rpartition("-")
        if kind == "write" and name in cells:
            cell.source = cells[name]
    own = [cell for cell in notebook.cells if cell.metadata.nbgrader.grade_id.startswith(f"{copied}-")]
    notebook.cells += [nbformat.from_dict({**cell, "id": f"copy-{cell.id}"}) for cell in own]
    path = course / "submitted" / learner / "05" / "homework_05.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


def source_cell(course, name):
    source = nbformat.read(course / "source/05/homework_05.ipynb", 4)
    return next(cell.source for cell in source.cells if cell.metadata.nbgrader.grade_id == f"{name}-write")


def faulty(exercise, fault):
    return f"from {fault.__module__} import {fault.__name__} as my_{exercise.name}"


@pytest.mark.parametrize("learner", ["ada", "copier"])
def test_right_work_gets_every_point_that_is_not_for_words(points, learner):
    """Cells that were copied too: they count once, and the others are marked all the same."""
    for cell, score in points[learner].items():
        kind = cell.rpartition("-")[2]
        assert score == (0 if kind == "words" else POINTS[kind]), cell
    assert len(points[learner]) == 3 * len(POINTS)


def test_no_work_gets_nothing(points):
    assert set(points["nobody"].values()) == {0}
    assert len(points["nobody"]) == 3 * len(POINTS)


def test_a_known_fault_gets_less(points):
    faults = [learner for learner in points if learner.startswith("fault")]
    assert len(faults) == 3
    for learner in faults:
        assert [score for cell, score in points[learner].items() if cell.endswith("-mark")] == [0, 0, 0], learner


def test_a_source_that_no_longer_fits_what_was_handed_in_leaves_the_release_alone(course, points, capsys):
    source, release = (course / part / "05" / "homework_05.ipynb" for part in ("source", "release"))
    before, notebook = [path.read_bytes() for path in (source, release)], nbformat.read(source, 4)
    del notebook.cells[-6:]
    nbformat.write(notebook, source)
    assert assignment.main(["05", "--course", str(course)]) == 1
    [said] = capsys.readouterr().err.splitlines()
    assert "Cannot add or remove cells" in said and "COURSE=" in said
    assert release.read_bytes() == before[1]
    source.write_bytes(before[0])
    assert os.listdir(course / "release") == ["05"]


@pytest.fixture
def without_the_program(monkeypatch):
    """Releases made by nbgrader's own steps, in this process: its program takes seconds to start."""

    def generate(number, course):
        path = course / "release" / number / f"homework_{number}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(without_answers(nbformat.read(course / "source" / number / path.name, 4)), path)

    monkeypatch.setattr(assignment, "_generate", generate)


def test_a_source_that_the_teacher_changed_is_kept_and_released(tmp_path, without_the_program):
    source, release = make_assignment("03", tmp_path)
    add_to_the_first_cell(source, "Hand in by Friday.")
    make_assignment("03", tmp_path)
    assert "Hand in by Friday." in release.read_text("utf-8")
    make_assignment("03", tmp_path, fresh=True)
    assert "Friday" not in source.read_text("utf-8") + release.read_text("utf-8")


def test_a_source_that_gives_an_answer_away_makes_no_release(tmp_path, without_the_program):
    source, release = make_assignment("03", tmp_path)
    add_to_the_first_cell(source, f"Tip: {body(exercises_of(read_lesson('03'))[0].reference)[-1]}")
    with pytest.raises(Leak, match="homework_03.ipynb gives an answer away"):
        make_assignment("03", tmp_path)
    assert not release.exists() and source.exists()


def add_to_the_first_cell(path, text):
    notebook = nbformat.read(path, 4)
    notebook.cells[0].source += f"\n\n{text}"
    nbformat.write(notebook, path)


@pytest.mark.parametrize(("number", "said"), [("5", "LESSON must be one of 00"), ("21", "lesson 21 has no exercises")])
def test_a_lesson_without_homework_is_refused_in_one_line(number, said, tmp_path, capsys):
    assert assignment.main([number, "--course", str(tmp_path / "x")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and said in lines[0]
    assert not (tmp_path / "x").exists()


def test_the_commands_can_be_pasted_and_one_that_fails_stops_no_other(tmp_path, without_the_program, capsys):
    course = tmp_path / "it's ours"
    assert assignment.main(["03", "--course", str(course)]) == 0
    commands = capsys.readouterr().out.partition("Then mark it:\n")[2].splitlines()[:2]
    assert shlex.split(commands[0])[-1] == str(course)
    assert "&&" not in commands[1] and commands[1].count("; nbgrader ") == 2


def test_a_missing_nbgrader_names_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(assignment, "find_spec", lambda name: None)
    assert assignment.main(["05", "--course", str(tmp_path)]) == 1
    assert "pip install 'attention-lab[grading]'" in capsys.readouterr().err


def test_two_builds_are_the_same():
    one, other = (json.dumps(notebook_of(read_lesson("08"))) for _ in range(2))
    assert one == other
