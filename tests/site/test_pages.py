"""What the files of the site hold: nothing is missing, nothing leads nowhere, nothing comes from elsewhere."""

import re
from html import escape

import nbformat
import pytest

import attention_lab
from attention_lab.site.build import ROOT
from attention_lab.teaching.lesson import Lesson, has_demo

LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def lesson(pages, path):
    return pages[f"lessons/{path.stem}.html"]


def test_every_link_resolves(pages):
    at = {page.path: page for page in pages.values()}
    broken = [
        f"{page.name}: {link}"
        for page in pages.values()
        for link, path, id in page.targets(page.links)
        if not path.exists() or (id and path in at and id not in at[path].ids)
    ]
    assert not broken


def test_what_a_page_loads_is_beside_it(pages):
    for name, page in pages.items():
        assert not [load for load in page.loads if load.startswith(("http:", "https:", "//"))], name
        assert not [load for load, path, _ in page.targets(page.loads) if not path.exists()], name


def test_every_image_has_words(pages):
    assert not [page.name for page in pages.values() if not all(page.alts)]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name[:2])
def test_a_lesson_shows_its_pictures_and_folds_its_answers(pages, path):
    cells, page = nbformat.read(path, as_version=4).cells, lesson(pages, path)
    sentences = [
        output.data["text/plain"]
        for cell in cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]
    assert page.alts == sentences
    tags = [tag for cell in cells for tag in cell.metadata.get("tags", ()) if cell.outputs or tag != "answer"]
    assert page.text.count(">Show the answer<") == tags.count("answer")
    assert page.text.count(">Show the source<") == tags.count("build")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name[:2])
def test_every_question_has_its_answer_folded(pages, path):
    page = lesson(pages, path)
    asked = sum(
        output.get("data", {}).get("text/html", "").count("Run this cell to choose an answer")
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", ())
    )
    own = page.text.count("Run this cell to choose an answer")  # a question that the lesson itself makes up
    assert page.text.count('<details class="al-q al-answers">') == asked - own
    assert own == (path.name[:2] == "21")
    assert "could not be computed" not in page.text


def test_formulas_are_drawn_and_spoken(pages):
    page = pages["lessons/01_scaled_dot_product_attention.html"]
    assert page.text.count('<svg aria-hidden="true"') == page.text.count("<math ") > 20
    assert not [name for name, page in pages.items() if "$$" in page.text or "<merror" in page.text]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name[:2])
def test_a_lesson_is_found_by_its_number_and_its_demos_are_called_still(pages, path):
    """Lessons speak of each other by number: title and every list of pages have it. A still has no slider to drag."""
    page, read = lesson(pages, path), Lesson.read(path)
    (_, title), *_ = read.cells[0].headings
    assert f"<h1>{read.number} {escape(title, quote=False)}<" in page.text
    assert re.search(rf'<a [^>]*href="lessons/{path.stem}.html">{read.number} ', pages["search.html"].text)
    assert page.text.count('<p class="al-still">') == len(list(filter(has_demo, read.code)))


def test_terms_lead_to_the_glossary(pages):
    page = pages["lessons/01_scaled_dot_product_attention.html"]
    assert "00_start_here.html#term-softmax" in page.links
    assert "term-softmax" in pages["lessons/00_start_here.html"].ids


def test_the_front_page_leads_to_every_lesson(pages):
    links = pages["index.html"].links
    assert {f"lessons/{path.stem}.html" for path in LESSONS} <= set(links)


def test_the_reference_has_every_public_name(pages):
    ids = set().union(*(page.ids for name, page in pages.items() if name.startswith("reference/")))
    assert {f"attention_lab.{name}" for name in attention_lab.__all__} <= ids
