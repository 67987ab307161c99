"""The widget: nothing is said before the lock, everything after it."""

import html
import re

import pytest

from attention_lab import because, closing, predict, recall
from attention_lab.teaching.predict import Quiz
from attention_lab.teaching.questions import BANK, CLOSING, RECALL
from attention_lab.teaching.questions.question import Question


def said(card):
    """What the card says, without its tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", card.feedback.value))


def plain(text):
    return text.replace("`", "")


@pytest.mark.parametrize("id", BANK)
def test_locking_an_option_says_what_it_is(id):
    quiz = predict(id)
    item = quiz.questions[0]
    answer = item.answer()
    for option in item.options:
        quiz.again()
        quiz.lock(0, option)
        text = said(quiz.cards[0])
        assert quiz.right == (option == answer)
        if option == answer:
            assert f"Right: {plain(option)}" in text
        else:
            assert f"Not so: {plain(option)}{plain(item.options[option])}" in text
            assert f"It is: {plain(answer)}" in text
        told = [other for other, feedback in item.options.items() if plain(feedback) in text]
        assert set(told) == {option, answer}


@pytest.mark.parametrize("id", BANK)
def test_static_form_asks_and_tells_nothing(id):
    quiz = predict(id)
    before = quiz.static()
    text = before["text/plain"] + html.unescape(re.sub(r"<[^>]+>", "", before["text/html"]))
    item = quiz.questions[0]
    assert plain(item.text) in text
    assert all(plain(option) in text for option in item.options)
    assert not any(plain(feedback) in text for feedback in item.options.values())
    assert item.working not in text
    quiz.lock(0, item.answer())
    assert quiz.static() == before == predict(id).static()


def test_static_form_is_in_the_bundle_and_in_the_order_of_the_widget():
    quiz = predict("divide-by-d")
    bundle = quiz._repr_mimebundle_()
    assert bundle["text/html"] == quiz.static()["text/html"]
    assert bundle["text/plain"].startswith("Predict, then see\nQueries and keys")
    at = [bundle["text/plain"].index(f"( ) {choice}") for choice in quiz.questions[0].choices]
    assert at == sorted(at)
    assert list(quiz.cards[0].options) == quiz.questions[0].choices


def test_nothing_is_said_and_nothing_can_be_locked_before_a_choice():
    card = predict("divide-by-d").cards[0]
    assert card.feedback.value == ""
    assert card.chosen is None
    assert card.lock_button.disabled
    card.options["sharper"].click()
    assert card.feedback.value == ""
    assert not card.lock_button.disabled


def test_one_option_is_marked_at_a_time():
    card = predict("divide-by-d").cards[0]
    card.options["sharper"].click()
    card.options["flatter"].click()
    assert [button.description for button in card.options.values()] == ["○ sharper", "○ no different", "● flatter"]


def test_the_button_locks_and_freezes_the_choice():
    quiz = predict("divide-by-d")
    card = quiz.cards[0]
    card.options["sharper"].click()
    card.lock_button.click()
    assert quiz.locked
    assert all(button.disabled for button in card.options.values())
    assert (card.lock_button.description, card.lock_button.disabled) == ("Locked", False)  # so the focus stays on it
    assert "Not so: sharper" in said(card)
    assert "It is: flatter" in said(card)
    with pytest.raises(ValueError, match="is locked"):
        quiz.lock(0, "flatter")


def test_a_second_click_on_the_lock_changes_nothing_and_raises_nothing(caplog):
    card = predict("divide-by-d").cards[0]
    card.lock_button.click()  # nothing is chosen
    assert not card.locked
    card.options["sharper"].click()
    card.lock_button.click()
    before = card.feedback.value
    card.lock_button.click()
    card.options["flatter"].click()
    assert (card.chosen, card.feedback.value) == ("sharper", before)
    assert not caplog.records  # ipywidgets logs, and in a notebook shows, what a click raises


def test_ask_me_again_forgets_the_answer():
    quiz = predict("divide-by-d")
    quiz.lock(0, "flatter")
    card = quiz.cards[0]
    assert card.again_button.layout.display == ""
    card.again_button.click()
    assert (quiz.locked, quiz.right, card.feedback.value, card.chosen) == (False, 0, "", None)
    assert (card.lock_button.description, card.lock_button.disabled) == ("Lock my answer", True)
    assert not any(button.disabled for button in card.options.values())
    assert not any("●" in button.description for button in card.options.values())
    assert card.again_button.layout.display == ""  # the button that was pressed stays, and with it the focus


def test_working_is_shown_folded_and_escaped():
    quiz = predict("unique-weights")
    quiz.lock(0, "no")
    shown = quiz.cards[0].feedback.value
    assert "<details><summary>How it was computed</summary>" in shown
    assert "step &lt; 0" in shown
    assert quiz.questions[0].working in html.unescape(shown)


def test_code_between_backticks_is_marked():
    quiz = predict("dot-on-stacks")
    assert "<code>np.dot(a, b)</code>" in quiz.static()["text/html"]
    assert "`" not in quiz.static()["text/plain"]


def test_answer_is_computed_at_the_lock_and_no_earlier():
    calls = []
    item = Question("x", "00", "test", "?", {"a": "one", "b": "two"}, lambda: calls.append(1) or "a")
    quiz = Quiz("Test", [item])
    assert calls == []
    quiz.lock(0, "a")
    assert calls == [1]


def test_an_error_shows_as_a_line():
    item = Question("x", "00", "test", "?", {"a": "one", "b": "two"}, lambda: 1 / 0)
    quiz = Quiz("Test", [item])
    quiz.lock(0, "a")
    assert 'class="al-q-error"' in quiz.cards[0].feedback.value
    assert "ZeroDivisionError: division by zero" in said(quiz.cards[0])
    assert quiz.right == 0


@pytest.mark.parametrize("lesson", CLOSING)
def test_closing_counts_three(lesson):
    quiz = closing(lesson)
    assert tuple(item.id for item in quiz.questions) == CLOSING[lesson]
    assert "0 of 3 answered, 0 right" in quiz.progress.value
    first, second, _ = quiz.questions
    quiz.lock(0, first.answer())
    quiz.lock(1, next(option for option in second.options if option != second.answer()))
    assert "2 of 3 answered, 1 right" in quiz.progress.value
    assert not quiz.locked
    quiz.again()
    assert "0 of 3 answered, 0 right" in quiz.progress.value
    assert quiz.static()["text/plain"].count("\n3. ") == 1


@pytest.mark.parametrize("lesson", RECALL)
def test_recall_asks_two(lesson):
    assert tuple(item.id for item in recall(lesson).questions) == RECALL[lesson]


def test_because_asks_for_the_reason_of_an_exercise():
    quiz = because("softmax")
    assert quiz.questions == (BANK["because-softmax"],)
    assert len(quiz.cards[0].options) == 3


def listed(lessons):
    return ", ".join(map(repr, lessons))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: predict("divide-by-dk"), "got 'divide-by-dk': did you mean 'divide-by-d'"),
        (lambda: predict(7), "got 7: see attention_lab.teaching.questions.BANK"),
        (lambda: because("softmx"), "got 'softmx': did you mean 'softmax'"),
        (lambda: because(None), "exercise must be one that asks for a reason, got None"),
        (lambda: predict(None), "id must be a question of the bank, got None"),
        (lambda: predict("divide-by-d").lock(0, None), "option must be one of .*got None"),
        (lambda: recall("00"), rf"lesson must be one of {listed(RECALL)} for recall\(\), got '00'"),
        (lambda: closing(1), rf"lesson must be one of {listed(CLOSING)} for closing\(\), got 1"),
        (lambda: predict("divide-by-d").lock(9, "flatter"), "i must be a question from 0 to 0, got 9"),
        (lambda: predict("divide-by-d").lock(-1, "flatter"), "i must be at least 0, got -1"),
        (lambda: predict("divide-by-d").lock(0, "faster"), "option must be one of .*got 'faster'"),
    ],
)
def test_a_wrong_name_is_told_the_right_ones(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()
