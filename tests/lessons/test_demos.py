"""Every demo of every lesson: it starts plain, its goal can be reached, every control matters, and nothing breaks."""

from html import escape

import pytest

from attention_lab.teaching import side_by_side
from attention_lab.teaching.explorer import Explorer
from attention_lab.teaching.lesson import Lesson, cells_of_demo, has_demo
from tests.lessons.lesson import ASKS
from tests.lessons.reaches import REACHES
from tests.lessons.sections import run_cell, run_cells
from tests.models import lessons_that_run
from tests.sweep import idle_controls, sweep
from tests.teaching.pictures import too_faint
from tests.teaching.sentences import unconfirmed


def lesson_demos(path):
    """The explorers that a lesson's sections bind to a name."""
    lesson = Lesson.read(path)
    for section in lesson.sections:
        if has_demo(section):
            space = {"__name__": "__main__"}
            run_cell(lesson.imports, space)
            run_cells(cells_of_demo(lesson, section), lesson, space)
            yield from (value for value in space.values() if isinstance(value, Explorer))


@pytest.fixture(params=lessons_that_run(), ids=lambda path: path.stem, scope="module")
def found(request):
    return request.param.stem, list(lesson_demos(request.param))


@pytest.fixture(autouse=True)
def _strict(monkeypatch):
    monkeypatch.setattr(Explorer, "strict", True)


def test_a_demo_starts_plain(found):
    name, demos = found
    assert bool(demos) == (name[:2] != ASKS), f"{name} binds no demo to a name"
    for demo in demos:
        first = next(child for child in demo.children if "al-controls" in child._dom_classes)
        assert len(first.children) <= 4
        assert demo.errors == []
        assert not demo.reached, "the goal must not be reached before anything was moved"


def test_the_goal_can_be_reached(found):
    name, demos = found
    for demo, values in zip(demos, REACHES.get(name, []), strict=True):
        demo.set(**values)
        assert demo.reached
        demo.reset()


def test_the_sentence_says_what_is_drawn(found):
    name, demos = found
    for demo, values in zip(demos, REACHES.get(name, []), strict=True):
        for state in ({}, values):
            demo.set(**state)
            for part in side_by_side.parts(demo.view):
                picture = side_by_side.still(part)
                picture.alt = part.alt  # without the note, which says what the lesson computed beside it
                assert unconfirmed(picture) == []
                assert too_faint(picture) == {}
            assert escape(repr(demo)) in demo.picture
        demo.reset()


def test_nothing_breaks_and_every_control_matters(found):
    _, demos = found
    for demo in demos:
        start = demo.picture
        sweep(demo)
        demo.reset()
        assert demo.picture == start
        assert idle_controls(demo) == set()
