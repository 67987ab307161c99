"""For every source row of a finished lesson: code with the row's own shapes, a figure, an exercise."""

import pytest

from attention_lab.teaching.lesson import Lesson
from tests.lessons.lesson import lesson_paths
from tests.lessons.source_rows import PATTERNS, ROWS_OF_LESSON, row_problems
from tests.lessons.toy import code, good_cells, lesson

FINISHED = [Lesson.read(path) for path in lesson_paths()]
ROWS = sorted({row for done in FINISHED for row in ROWS_OF_LESSON.get(done.number, ())})


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_taught_whole(row):
    problems = row_problems(row, [done for done in FINISHED if row in ROWS_OF_LESSON.get(done.number, ())])
    assert problems == [], "\n" + "\n".join(problems)


def test_every_lesson_and_row_is_known():
    assert set(ROWS_OF_LESSON) <= {done.number for done in FINISHED}
    assert {row for rows in ROWS_OF_LESSON.values() for row in rows} == set(PATTERNS)


def test_a_good_lesson_lacks_nothing():
    assert row_problems("A1", [lesson(good_cells())]) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [("picture", "lacks a query of shape (4, 8)"), ("picture", "lacks a figure"), ("write", "lacks an exercise")],
)
def test_what_is_lacking_is_named(name, message):
    cells = {**good_cells(), name: code("x = 1", "source:A1")}
    assert any(message in problem for problem in row_problems("A1", [lesson(cells)]))


def test_a_lesson_without_the_tag_is_named():
    assert row_problems("D1", [lesson(good_cells())])[0].startswith("01_toy.ipynb teaches D1")
