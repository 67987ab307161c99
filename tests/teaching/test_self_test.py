"""Self-tests: which questions they draw, and what they say at the end."""

import dataclasses

import numpy as np
import pytest

from attention_lab import self_test
from attention_lab.teaching.parts import LESSONS, PARTS, questions_of
from attention_lab.teaching.questions import BANK


def ids(test):
    return [question.id for question in test.questions]


def answer(test, *, wrong=()):
    for i, question in enumerate(test.questions):
        right = question.answer()
        test.lock(i, next(option for option in question.options if option != right) if i in wrong else right)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_asked_about_its_own_lessons(part):
    pool = questions_of(part)
    assert {question.lesson for question in pool} <= set(LESSONS[part])
    test = self_test(part, rng=np.random.default_rng(0))
    assert len(set(ids(test))) == 6
    assert set(ids(test)) <= {question.id for question in pool}
    assert not any(id.startswith("because-") or BANK[id].source.endswith("again") for id in ids(test))


def test_a_generator_draws_the_same_for_a_whole_class_and_nothing_else_does():
    same = [ids(self_test("I", rng=np.random.default_rng(7))) for _ in range(2)]
    assert same[0] == same[1]
    assert len({tuple(ids(self_test("I"))) for _ in range(5)}) == 5


def test_none_comes_again_before_all_were_asked():
    test = self_test("II", number=5, rng=np.random.default_rng(0))
    asked, size = ids(test), len(test.pool)
    while len(asked) < 2 * size:
        test.draw()
        assert len(set(ids(test))) == 5
        asked += ids(test)
    assert size % 5  # so one draw has the last of one round and the first of the next
    assert set(asked[:size]) == {question.id for question in test.pool}


def test_the_score_comes_at_the_end_and_names_the_lessons_to_read():
    test = self_test(["divide-by-d", "sine-alone", "pads-vanish", "first-column"], rng=np.random.default_rng(0))
    assert test.result == test._verdict.value == ""
    lessons = sorted({question.lesson for question in test.questions[:3]})
    answer(test, wrong=(0, 1, 2))
    assert test.result == f"1 of 4 right. Look again at lessons {lessons[0]}, {lessons[1]} and {lessons[2]}."
    assert test.result in test._verdict.value
    test.again()
    assert (test.result, test._verdict.value) == ("", "")
    answer(test, wrong=(3,))
    assert test.result == f"3 of 4 right. Look again at lesson {test.questions[3].lesson}."
    test.again()
    answer(test)
    assert test.result == "4 of 4 right."


def test_the_buttons_stay_while_the_questions_change():
    test = self_test("I", rng=np.random.default_rng(0))
    parts, before = test.children, ids(test)
    again, others = test.tools.children
    answer(test)
    others.click()
    assert test.children == parts  # those that change lie in a box of their own: the focus stays on the button
    assert not set(ids(test)) & set(before)
    assert (test.locked, test.right, test.result) == (False, 0, "")
    answer(test)
    before = ids(test)
    again.click()
    assert ids(test) == before
    assert not test.locked


def test_a_question_of_ones_own_is_asked_beside_others():
    own = dataclasses.replace(BANK["sine-alone"], id="mine")
    assert set(ids(self_test(["divide-by-d", own]))) == {"divide-by-d", "mine"}
    assert ids(self_test(own)) == ["mine"]


def test_one_question_alone_has_its_result_too():
    test = self_test("sine-alone")
    assert ids(test) == ["sine-alone"]
    answer(test)
    assert test.result == "1 of 1 right."


def test_the_static_form_is_the_same_for_every_draw():
    first, second = self_test("III"), self_test("III")
    assert first.static() == second.static()
    assert "Part III: Tasks" in first.static()["text/plain"]
    assert not any(question.text[:30] in str(first.static()) for question in first.questions)


@pytest.mark.parametrize(
    ("what", "about", "message"),
    [
        ("VI", {}, "a Part .*got 'VI'"),
        ("99", {}, "got '99'"),
        ([], {}, "at least one question"),
        (["sine-alon"], {}, "did you mean 'sine-alone'"),
        (None, {}, "what must be a Part .*got None"),
        (5, {}, "what must be a Part .*got 5"),
        (5.0, {}, "what must be a Part .*got 5.0"),
        (b"I", {}, "what must be a Part .*got b'I'"),
        ([["sine-alone"]], {}, "what must be a Part .*got .*sine-alone"),
        (["05", "06"], {}, "'05' is Lesson 05: Positions: give one Part or lesson alone"),
        (["I"], {}, "'I' is Part I: The mechanism: give one Part or lesson alone"),
        ("I", {"number": 0}, "number must .*got 0"),
        ("I", {"number": "3"}, "number must .*got '3'"),
        ("I", {"rng": 7}, "rng must .*got 7"),
    ],
)
def test_what_cannot_be_asked_is_said(what, about, message):
    with pytest.raises((TypeError, ValueError), match=message):
        self_test(what, **about)
