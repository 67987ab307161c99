"""The index: all questions are found, by place and by words; an answer is computed when it is asked for."""

import html
import re

import pytest

from attention_lab import question_index
from attention_lab.teaching.parts import LESSONS
from attention_lab.teaching.question_index import ROWS, QuestionIndex
from attention_lab.teaching.question_text import plain
from attention_lab.teaching.questions import BANK
from attention_lab.teaching.questions.question import Question
from tests.lessons.lesson import lesson_paths


@pytest.fixture(scope="module")
def index():
    return question_index()


def ids(index):
    return [question.id for question in index.found]


def shown(index):
    return [row.question.id for row in index._rows if row.question is not None]


def test_every_question_is_found_page_by_page(index):
    index.search()
    assert ids(index) == list(BANK)
    seen = []
    for _ in range(-(-len(BANK) // ROWS)):
        seen += shown(index)
        index.turn(1)
    assert seen == list(BANK)
    assert shown(index) == seen[:ROWS]
    index.turn(-1)
    assert shown(index)[-1] == seen[-1]


def test_a_part_and_a_lesson_narrow_it(index):
    index.search(place="II")
    assert {BANK[id].lesson for id in ids(index)} == {"07", "08"}
    index.search(place="05")
    assert {BANK[id].lesson for id in ids(index)} == {"05"}


def test_another_search_begins_on_its_first_page(index):
    index.search()
    index.turn(3)
    index.search(place="I")
    assert shown(index) == ids(index)[:ROWS]


@pytest.mark.parametrize("row", ["Q5", "Q58", "M17", "C94b"])
def test_a_row_is_found_and_no_longer_number_with_it(index, row):
    index.search(row)
    assert ids(index) == [id for id, item in BANK.items() if row in item.source.split()]


def test_words_are_looked_for_in_the_question_its_options_and_its_id(index):
    index.search("DIVIDE-by-d")
    assert "divide-by-d" in ids(index)
    index.search("sharper flatter")
    assert "divide-by-d" in ids(index)
    index.search("no such words at all")
    assert ids(index) == shown(index) == []
    assert "0 questions" in index._count.value


def test_an_answer_unfolds_and_folds(index):
    index.search("sine-alone")
    row = index._rows[0]
    assert row.answer.value == ""
    row.head.click()
    text = html.unescape(re.sub(r"<[^>]+>", "", row.answer.value))
    item = BANK["sine-alone"]
    assert f"It is so: {plain(item.answer())}" in text
    assert "Lesson 05, M17 Q58." in text
    assert all(plain(feedback) in text for feedback in item.options.values())
    assert "al.predict('sine-alone')" in text
    row.head.click()
    assert row.answer.value == ""
    row.head.click()
    index.turn(1)
    assert row.answer.value == ""


def test_answers_are_computed_one_by_one_when_asked_for():
    calls = []
    item = Question("x", "00", "test", "?", {"a": "one", "b": "two"}, lambda: calls.append(1) or "a")
    index = QuestionIndex([item, item])
    index.search("?")
    assert calls == []
    index._rows[1].toggle()
    assert calls == [1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda index: index.turn(0.5), "step must be a whole number, got 0.5"),
        (lambda index: index.search(place="21"), "place must be one of .*got '21'"),
        (lambda index: index.search(place=5), "place must be one of .*got 5"),
        (lambda index: index.search(5), "words must be a str, got 5"),
    ],
)
def test_what_cannot_be_looked_for_is_said(index, call, words):
    index.search("sine-alone", place="05")
    with pytest.raises((TypeError, ValueError), match=words):
        call(index)
    assert "sine-alone" in shown(index)


def test_the_static_form_lists_all_and_tells_nothing(index):
    static = index.static()
    text = html.unescape(re.sub(r"<[^>]+>", "", static["text/html"]))
    for item in BANK.values():
        assert plain(item.text) in text
        assert not any(plain(feedback) in text for feedback in item.options.values())
    assert static["text/plain"].splitlines()[1].startswith("00 Start here: ")
    index.search("Q58")
    assert index.static() == static


def test_lessons_have_their_names_and_every_question_a_lesson():
    names = {number: title for lessons in LESSONS.values() for number, title in lessons.items()}
    assert {item.lesson for item in BANK.values()} <= set(names)
    for path in lesson_paths():
        number, stem = path.stem[:2], path.stem[3:]
        if number in names:
            assert re.sub(r"\W", "_", names[number].lower()) == stem
