"""Building: the same pages each time, whole or not at all, and never over something else."""

import shutil
import sys
from hashlib import sha256

import nbformat
import pytest

from attention_lab.site import build as building
from attention_lab.site import lessons
from attention_lab.site.finish import finish
from attention_lab.site.formulas import drawn
from attention_lab.site.pages import front

README = """# attention_lab

A course.

![A picture](.github/first-demo.png)

- **Merit.** One.

## Lessons

Part I, *the mechanism*, has one.

| lesson | you will | minutes |
|---|---|---|
| [00 Start here](notebooks/00_start_here.ipynb) | begin | 31 |

## How to learn with it

Read [this](NOTICE), or [that](https://example.org).

## Start

Type.
"""


LESSON = """# Start here

## What you will do

Meet **softmax** and $x^2$.

### Glossary

| term | meaning | lesson |
|---|---|---|
| softmax | shares | 01 |
"""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A repository of one lesson."""
    root = tmp_path / "re pö"
    (root / "notebooks").mkdir(parents=True)
    (root / ".github").mkdir()
    (root / "README.md").write_text(README, encoding="utf-8")
    shutil.copy(building.ROOT / building.PICTURE, root / building.PICTURE)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(LESSON)])
    nbformat.write(notebook, root / "notebooks" / "00_start_here.ipynb")
    monkeypatch.setattr("attention_lab.site.pages.reference", lambda: {"index.rst": "Reference\n=========\n"})
    return root


def digests(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_second_build_gives_the_same_and_an_interrupted_one_changes_nothing(small, tmp_path, monkeypatch):
    building.build(tmp_path / "one", small)
    first = digests(tmp_path / "one")
    building.build(tmp_path / "one", small)
    assert digests(tmp_path / "one") == first
    monkeypatch.setattr(building, "finish", lambda html: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        building.build(tmp_path / "one", small)
    assert digests(tmp_path / "one") == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", small.name]


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match="is no earlier build of these pages"):
        building.build(tmp_path)
    with pytest.raises(ValueError, match="is no earlier build"):
        building.build(tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text() == "dear"


def test_the_repository_must_be_there(tmp_path):
    with pytest.raises(ValueError, match=r"holds no README\.md and notebooks"):
        building.write_source(tmp_path / "source", tmp_path)


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["--help"]])
def test_one_folder_is_named(monkeypatch, arguments):
    monkeypatch.setattr(sys, "argv", ["build", *arguments])
    with pytest.raises(SystemExit, match="Name the folder"):
        building.main()


def test_a_missing_package_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", ["build", str(tmp_path / "site")])
    monkeypatch.setitem(sys.modules, "sphinx.cmd.build", None)
    with pytest.raises(SystemExit, match=r"pip install 'attention-lab\[site\]'"):
        building.main()


def test_the_front_page_keeps_links_that_lead_somewhere():
    page = front(README)
    assert "](lessons/00_start_here.ipynb)" in page and "(https://example.org)" in page
    assert "Read this, or" in page
    assert ":caption: Part I: the mechanism\n\nlessons/00_start_here\n" in page


def test_a_formula_that_cannot_be_drawn_is_quoted():
    with pytest.raises(ValueError, match=r"the formula .*frac"):
        drawn(r"\frac{", True)


def test_a_term_in_code_is_no_link():
    source = "# One\n\n## Two\n\n**key**\n```\n**key**\n```\n"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(source)])
    lessons.page(notebook, {"key": "k"}, "h")
    assert notebook.cells[0].source.endswith('<a class="al-term" href="h#k">**key**</a>\n```\n**key**\n```\n')


def test_finish_wraps_pictures_of_outputs_alone():
    assert finish('<img alt="a" src="../_images/a.png"/>') == (
        '<div class="al-picture" tabindex="0"><img alt="a" src="../_images/a.png"/></div>'
    )
    assert finish('<img alt="a" src="_images/a.png"/>') == '<img alt="a" src="_images/a.png"/>'
