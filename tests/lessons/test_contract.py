"""The lesson contract over the committed notebooks. Each failure says what a writer has to do."""

import re
from pathlib import Path

import pytest

from attention_lab.teaching.lesson import Lesson
from tests.lessons import rules_code, rules_outputs, rules_structure
from tests.lessons.lesson import NOTEBOOKS, lesson_paths
from tests.lessons.rules_terms import glossary_terms, unknown_terms

README = Path(__file__).parents[2] / "README.md"
RULES = [rule for module in (rules_structure, rules_code, rules_outputs) for rule in module.RULES]
PATHS = lesson_paths()
FIRST = "00_start_here"
LEFT_OUT = {line.strip("/") for line in (NOTEBOOKS.parent / ".gitignore").read_text(encoding="utf-8").split()}
LESSONS = {path.stem: Lesson.read(path) for path in PATHS}


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
    listed = set(re.findall(r"notebooks/(\d\d_\w+\.ipynb)", README.read_text(encoding="utf-8")))
    assert listed == {path.name for path in PATHS}
    assert {name[:2] for name in listed} >= {"00", "01", "02", "03"}


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
