"""Slides: one question at a time, its answer when it is asked for."""

import html
import re

import pytest

from attention_lab import slides
from attention_lab.teaching.parts import questions_of
from attention_lab.teaching.question_text import plain
from attention_lab.teaching.questions import BANK

IDS = ["pads-vanish", "sine-alone", "one-hot-row"]


def said(widget):
    return html.unescape(re.sub(r"<[^>]+>", "", widget.value))


def shown(show):
    return " ".join(said(part) for part in (show._page, show._answer, show._place))


def test_the_pages_are_turned_round_and_round():
    show, order = slides(IDS), []
    for _ in range(4):
        order.append(show.question.id)
        show.next()
    assert order == [*IDS, IDS[0]]
    show.previous()
    show.previous()
    assert show.question.id == IDS[-1]
    assert "3 of 3" in shown(show)


@pytest.mark.parametrize("id", [*BANK][::10])
def test_a_page_asks_and_tells_nothing_until_it_is_asked(id):
    show, item = slides([id]), BANK[id]
    page = said(show._page)
    assert plain(item.text) in page
    assert all(plain(option) in page for option in item.options)
    assert not any(plain(feedback) in shown(show) for feedback in item.options.values())
    show.reveal()
    letter = "ABCD"[item.choices.index(item.answer())]
    assert f"It is {letter}: {plain(item.answer())}" in said(show._answer)
    assert re.search(rf"{letter}{re.escape(plain(item.answer()))}", page)
    assert all(plain(feedback) in said(show._answer) for feedback in item.options.values())
    show.reveal()
    assert not show.revealed


def test_the_next_page_is_covered_again():
    show = slides("05")
    assert show.questions == tuple(questions_of("05"))
    show.buttons["reveal"].click()
    assert show.revealed
    assert show.buttons["reveal"].description == "Hide the answer"
    show.buttons["next"].click()
    assert not show.revealed
    assert show.buttons["reveal"].description == "Reveal"
    show.buttons["previous"].click()
    assert show.at == 0


def test_the_static_form_is_the_first_page():
    show = slides(IDS)
    text = show.static()["text/plain"]
    assert plain(BANK[IDS[0]].text) in text
    assert not any(plain(feedback) in text for feedback in BANK[IDS[0]].options.values())
    show.next()
    show.reveal()
    assert show.static()["text/plain"] == text
