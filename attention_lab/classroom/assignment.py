"""Homework of a lesson's exercises, for nbgrader: ``make assignment LESSON=05``.

A lesson builds its functions step by step, so it cannot be handed out without its answers. The homework is a notebook
of its own: for each exercise of the lesson the task, an empty function, a first look, hidden tests, and a question to
be answered in words. It stands under ``source`` with answers, and under ``release`` without.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import uuid
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import nbformat

from attention_lab.classroom.homework_cells import answers, cells
from attention_lab.command.lessons import lessons
from attention_lab.runs.files import whole
from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.lesson import Lesson

CONFIG = """\
from attention_lab.classroom.marking import BEFORE_MARKING

c = get_config()
c.CourseDirectory.course_id = "attention-lab"
c.Autograde.sanitize_preprocessors = BEFORE_MARKING
"""
NEXT = """\
{release}  is for the learners: no answer and no hidden test is in it.
{source}  holds the answers. It is yours to change: the next run keeps it (FRESH=1 makes it anew).

What comes back goes to  {course}/submitted/NAME/{number}/{release.name}
Then mark it:
  source {activate} && cd {folder}
  nbgrader autograde {number}; nbgrader generate_feedback {number}; nbgrader export
The first names the work that it cannot run, and marks the rest.
"""


class Leak(Exception):
    """A release gives an answer away."""


def make_assignment(number, course, *, fresh=False):
    """Write the source of a lesson's homework, unless it is there, and make the release of it.

    Parameters
    ----------
    number : str
        The lesson's two digits.
    course : pathlib.Path
        The course's folder, as nbgrader lays it out. It is made where it is missing.
    fresh : bool
        Whether a source that is there gives way to a new one.

    Returns
    -------
    source, release : pathlib.Path

    Raises
    ------
    ValueError
        If there is no such lesson, or it has no exercises.
    Leak
        If a line of an answer stands in the release, which is then taken away.
    RuntimeError
        If nbgrader refuses the source; a release that was there stays.
    """
    lesson = read_lesson(number)
    source, release = (course / part / number / f"homework_{number}.ipynb" for part in ("source", "release"))
    if fresh or not source.exists():
        _write(source, nbformat.writes(notebook_of(lesson)))
    if not (course / "nbgrader_config.py").exists():
        _write(course / "nbgrader_config.py", CONFIG)
    _generate(number, course)
    told = leaks(release.read_text("utf-8"), exercises_of(lesson))
    if told:
        release.unlink()
        raise Leak(f"{source} gives an answer away, outside the marks BEGIN SOLUTION and END SOLUTION: {told[0]}")
    return source, release


def read_lesson(number):
    found = lessons()
    if number not in found:
        raise ValueError(f"LESSON must be one of {', '.join(found)}, got {number!r}")
    lesson = Lesson.read(found[number])
    if not exercises_of(lesson):
        raise ValueError(f"lesson {number} has no exercises to hand in")
    return lesson


def exercises_of(lesson):
    """The exercises that a lesson asks for, in its order."""
    asked = [name for cell in lesson.code for name in cell.tagged("exercise")]
    return [EXERCISES[name] for name in dict.fromkeys(asked)]


def notebook_of(lesson):
    """The homework with its answers, as nbgrader wants a source."""
    notebook = nbformat.v4.new_notebook(cells=cells(lesson, exercises_of(lesson)))
    for i, cell in enumerate(notebook.cells):
        cell.id = f"cell-{i}"  # the same in every run
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return notebook


def leaks(text, exercises):
    """The lines of answers that stand in a release: of functions, hints, diagnoses, right reasons and hidden tests."""
    found = [line for exercise in exercises for line in answers(exercise) if line in _readable(text)]
    return found + [mark for mark in ("HIDDEN TESTS", "BEGIN SOLUTION", "homework.mark") if mark in text]


def _readable(text):
    """What a notebook says anywhere, outputs and metadata too, without the signs that JSON puts before quotes."""
    return text.replace('\\"', '"').replace("\\n", "\n")


def _generate(number, course):
    """Let nbgrader take the answers out. It calls another program of its environment, which must be found."""
    if find_spec("nbgrader") is None:
        raise ModuleNotFoundError("nbgrader is missing: pip install 'attention-lab[grading]'")
    command = [sys.executable, "-m", "nbgrader", "generate_assignment", number, "--force"]
    command.append(f"--course-dir={course.resolve()}")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    with _kept(course / "release" / number):
        said = subprocess.run(command, cwd=course, env={**os.environ, "PATH": path}, capture_output=True, text=True)
        if said.returncode:
            raise RuntimeError(f"nbgrader made no release of {number}: {_reason(said.stderr)}")


@contextmanager
def _kept(release):
    """What was released before comes back after an error: nbgrader takes it away first."""
    aside = release.with_name(f".{release.name}.{uuid.uuid4().hex}")
    if release.exists():
        release.rename(aside)
    try:
        yield
    except BaseException:
        if aside.exists():
            shutil.rmtree(release, ignore_errors=True)
            aside.rename(release)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _reason(said):
    """The sentence among what nbgrader says of an error, which is a traceback."""
    reasons = re.findall(r"^ *[\w.]+(?:Error|Exception): (.+)$", said, re.MULTILINE)
    if reasons and "there are submissions" in reasons[-1]:
        return f"{reasons[-1]}. Put its graded cells back as they were, or begin another course (COURSE=folder)"
    return reasons[-1] if reasons else said.strip()


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as unfinished:
        unfinished.write_text(text + "\n", encoding="utf-8")


def main(argv=None):
    parser = argparse.ArgumentParser(prog="make assignment", description="Make homework of a lesson's exercises.")
    parser.add_argument("lessons", nargs="+", help="two digits: 05")
    parser.add_argument(
        "--course", type=Path, default=Path("homework"), help="nbgrader's folder (default: %(default)s)"
    )
    parser.add_argument("--fresh", action="store_true", help="make a source anew that is there already")
    given = parser.parse_args(argv)
    activate, folder = (shlex.quote(str(path)) for path in (Path(sys.executable).with_name("activate"), given.course))
    try:
        for number in given.lessons:
            source, release = make_assignment(number, given.course, fresh=given.fresh)
            places = {"source": source, "release": release, "course": given.course, "folder": folder}
            print(NEXT.format(**places, number=number, activate=activate))
    except (ValueError, OSError, Leak, RuntimeError, ModuleNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
