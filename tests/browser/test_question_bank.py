"""Lesson 21 by the keyboard alone: pages are turned, answers revealed, questions found, other ones drawn."""

import pytest

from tests.browser.lab import poll

pytestmark = pytest.mark.parametrize("notebook", ["21_question_bank.ipynb"], indirect=True, scope="session")


def press(button):
    poll(button.is_enabled, 10, "the button stays disabled")
    button.focus()
    button.press("Space")


def test_space_turns_the_pages_of_slides_and_the_focus_stays(notebook):
    show = notebook.page.locator(".al-q-slides").last
    show.scroll_into_view_if_needed()
    page, place = show.locator(".al-q-text"), show.locator(".al-q-heading")
    seen = [_text_of_page(page, place, 1)]
    show.get_by_role("button", name="Next").focus()
    for number in (2, 3):
        notebook.page.keyboard.press("Space")
        seen.append(_text_of_page(page, place, number))
    assert len(set(seen)) == 3
    assert show.locator(".al-q-said").count() == 0
    press(show.get_by_role("button", name="Reveal"))
    poll(show.locator(".al-q-said").count, 10, "nothing was revealed")
    press(show.get_by_role("button", name="Previous"))
    assert _text_of_page(page, place, 2) == seen[1]  # what says where one is comes last: the answer is gone by then
    assert show.locator(".al-q-said").count() == 0


def _text_of_page(page, place, number):
    """The question, once its page is there: what says where one is comes after it."""
    poll(lambda: f" {number} of " in place.inner_text(), 10, f"page {number} did not come")
    return page.inner_text()


def test_a_question_is_found_and_unfolds(notebook):
    index = notebook.page.locator(".al-q-index")
    index.scroll_into_view_if_needed()
    words, rows = index.get_by_placeholder("words, an id"), index.locator(".al-q-choices button:visible")
    words.fill("sine-alone")
    poll(lambda: rows.count() == 1, 10, "an id is that of one question")
    press(rows.first)
    poll(index.locator(".al-q-said").count, 10, "no answer unfolded")
    assert "al.predict('sine-alone')" in index.inner_text()
    press(rows.first)
    poll(lambda: not index.locator(".al-q-said").count(), 10, "the answer was not folded")
    words.fill("")
    poll(lambda: rows.count() == 8, 10, "not all questions came back")


def test_a_self_test_scores_and_draws_others(notebook):
    test = notebook.page.locator(".al-q", has_text="Part V").first
    test.scroll_into_view_if_needed()
    cards = test.locator(".al-q-card")
    press(test.get_by_role("button", name="Ask these again"))
    for card in cards.all():
        poll(lambda card=card: not card.locator(".al-q-said").count(), 10, "the question was not opened again")
        press(card.locator(".al-q-choices button").first)
        press(card.get_by_role("button", name="Lock my answer"))
        poll(card.locator(".al-q-said").count, 20, "a locked answer brought no feedback")
    poll(test.locator(".al-q-result").count, 10, "no score")
    assert "of 6 right" in test.locator(".al-q-result").inner_text()
    before, others = cards.all_inner_texts(), test.get_by_role("button", name="Other questions")
    press(others)
    poll(lambda: cards.count() == 6 and not set(cards.all_inner_texts()) & set(before), 20, "no other questions")
    poll(lambda: not test.locator(".al-q-result").count(), 10, "the old score stays")
    assert others.evaluate("button => button === document.activeElement")
