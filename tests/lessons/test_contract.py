"""The lesson contract over the committed notebooks. Each failure says what a writer has to do."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from attention_lab.teaching.lesson import Lesson
from attention_lab.teaching.parts import LESSONS as IN_PARTS
from tests.lessons import rules_code, rules_outputs, rules_structure
from tests.lessons.lesson import ASKS, NOTEBOOKS, lesson_paths
from tests.lessons.reaches import REACHES
from tests.lessons.rules_structure import DEMOS
from tests.lessons.rules_terms import glossary_terms, unknown_terms

README = Path(__file__).parents[2] / "README.md"
RULES = [rule for module in (rules_structure, rules_code, rules_outputs) for rule in module.RULES]
PATHS = lesson_paths()
FIRST = "00_start_here"
LEFT_OUT = {line.strip("/") for line in (NOTEBOOKS.parent / ".gitignore").read_text(encoding="utf-8").split()}
LESSONS = {path.stem: Lesson.read(path) for path in PATHS}
ROW = re.compile(r"^\|.*\(notebooks/(\d\d_\w+\.ipynb)\).*\| (\d+) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """A lesson in the README: in which Part, as which of how many."""

    name: str
    minutes: str
    part: str
    place: int
    of: int


def readme_rows():
    """A Part's table stands between the words that begin it, 'Part II, *learning*', and the next Part."""
    found = []
    _, *parts = re.split(r"^Part ([IVX]+), \*", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    for part, text in zip(parts[::2], parts[1::2], strict=True):
        rows = ROW.findall(text)
        found += [Row(*row, part, at, len(rows)) for at, row in enumerate(rows, start=1)]
    return found


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_lesson_keeps(rule, name):
    problems = rule(LESSONS[name])
    assert problems == [], f"\n{name}:\n  " + "\n  ".join(problems)


@pytest.mark.parametrize("name", LESSONS)
def test_bold_terms_are_explained(name):
    assert FIRST in LESSONS, f"notebooks/{FIRST}.ipynb, which holds the glossary, does not exist"
    problems = unknown_terms(LESSONS[name], glossary_terms(LESSONS[FIRST]))
    assert problems == [], f"\n{name}:\n  " + "\n  ".join(problems)


def test_the_readme_lists_the_lessons_that_exist():
    listed, there = {row.name for row in readme_rows()}, {path.name for path in PATHS}
    assert not there - listed, f"give {there - listed} a row in a table of README.md"
    assert not listed - there, f"README.md lists {listed - there}: write it in notebooks, or take its row out"
    assert {name[:2] for name in listed} >= {"00", "01", "02", "03"}


@pytest.mark.parametrize("row", readme_rows(), ids=lambda row: row.name)
def test_a_lesson_says_of_itself_what_the_readme_says(row):
    place = f"Part {row.part}, lesson {row.place} of {row.of}. About {row.minutes} minutes"
    said = f"its row in README.md says '{place}': write that below its title, or mend the row"
    header = Path(row.name).stem in LESSONS and LESSONS[Path(row.name).stem].cells[0].source
    assert not header or place in header, f"{row.name}: {said}"


@pytest.mark.parametrize("row", readme_rows(), ids=lambda row: row.name)
def test_the_parts_name_the_lesson(row):
    part = next((part for part, lessons in IN_PARTS.items() if row.name[:2] in lessons), "none")
    said = f"{row.name} is in Part {row.part} in README.md, in {part} in attention_lab/teaching/parts.py"
    assert part == row.part or row.name[:2] == ASKS, f"{said}: let both agree"


@pytest.mark.parametrize("name", LESSONS)
def test_every_demo_has_what_reaches_its_goal(name):
    count = sum(len(cell.calls(*DEMOS)) for cell in LESSONS[name].code)
    reached = len(REACHES.get(name, ()))
    said = f"demos: {count}, entries in tests/lessons/reaches.py: {reached}. Write what reaches the goal of each demo"
    assert reached == count, f"{name}: {said}"


def test_the_first_cell_checks_the_environment():
    assert FIRST in LESSONS, f"notebooks/{FIRST}.ipynb does not exist"
    first = LESSONS[FIRST].code[:2]
    assert any(cell.calls("check_environment") for cell in first), "call check_environment() at the top of lesson 00"


def test_one_folder_holds_the_lessons():
    assert [path for path in NOTEBOOKS.parent.rglob("*.ipynb") if _is_ours(path) and path.parent != NOTEBOOKS] == []


def _is_ours(path):
    """Neither hidden nor left out by .gitignore, as copies for a class are."""
    parts = path.relative_to(NOTEBOOKS.parent).parts
    return not any(part.startswith(".") or part in LEFT_OUT for part in parts)
