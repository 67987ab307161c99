"""Every lesson in a real JupyterLab: it runs, its demos move, its questions answer, nothing leaves the machine."""

import pytest

from tests.browser.access import OURS, too_faint
from tests.browser.demo import demos
from tests.browser.lab import poll
from tests.lessons.lesson import ASKS
from tests.models import lessons_that_run

MECHANISM = "mechanism.ipynb"  # written by conftest.py: the widgets of a lesson, without a lesson
NOTEBOOKS = [MECHANISM, *(path.name for path in lessons_that_run())]
pytestmark = pytest.mark.parametrize("notebook", NOTEBOOKS, indirect=True, scope="session")


def test_every_cell_runs_and_shows_a_demo(notebook):
    assert notebook.failures() == []
    assert bool(demos(notebook)) == (notebook.name[:2] != ASKS)


def test_each_slider_changes_the_picture_twice_and_the_new_sentence_is_said(notebook):
    for demo in demos(notebook):
        assert demo.sliders()
        line = demo.root.locator(".al-heard").element_handle()
        for name, handle in demo.sliders().items():
            demo.step(name, handle)
            demo.step(name, handle)
            poll(lambda demo=demo: demo.heard() == demo.sentence(), 10, f"what '{name}' changed was not said")
        assert line.evaluate("line => line.isConnected"), "of a line that is new nothing is said"
        demo.reset()


def test_a_demo_keeps_its_size_while_a_slider_moves(notebook):
    for demo in demos(notebook):
        for name, handle in demo.sliders().items():
            sizes = demo.sizes_along(handle)
            assert sizes == [sizes[0]] * len(sizes), name
            demo.reset()


def test_questions_answer_once_they_are_locked(notebook):
    """Every third one: they are all the same widget, and what each one answers is tested without a browser."""
    for card in notebook.page.locator(".al-q-card").all()[::3]:
        card.scroll_into_view_if_needed()
        assert card.locator(".al-q-said").count() == 0
        card.locator(".al-q-choices button").first.click()
        card.get_by_role("button", name="Lock my answer").click()
        poll(card.locator(".al-q-said").count, 20, "a locked answer brought no feedback")
        assert card.locator(".al-q-error").count() == 0


def test_lines_are_put_in_order(notebook):
    for puzzle in notebook.page.locator(".al-o").all():
        puzzle.scroll_into_view_if_needed()
        said, slots = puzzle.locator(".al-o-said"), puzzle.locator(".al-o-answer button")
        lines = puzzle.locator(".al-o-lines:not(.al-o-answer) button")
        first, second = lines.all_text_contents()[:2]
        for i in (0, 1):
            lines.nth(i).click()
        _wait_for(slots, [first, second])
        puzzle.get_by_role("button", name="Move up").click()
        _wait_for(slots, [second, first])
        help = said.inner_text()
        puzzle.get_by_role("button", name="Check").click()
        poll(lambda said=said, help=help: said.inner_text() not in ("", help), 20, "the check said nothing")


def _wait_for(slots, lines):
    poll(lambda: [text for text in slots.all_text_contents() if text] == lines, 10, f"the lines are not {lines}")


def test_a_narrow_page_cuts_nothing_off(notebook):
    with notebook.narrow():
        assert [demo.overflow() for demo in demos(notebook)] == [0] * len(demos(notebook))


def test_both_themes_have_their_own_colours_and_every_text_can_be_read(notebook):
    light = [demo.colour() for demo in demos(notebook)]
    assert too_faint(notebook.page.locator(OURS)) == {}
    notebook.use_theme("Dark")
    try:
        dark = [demo.colour() for demo in demos(notebook)]
        assert all(dark) and all(one != other for one, other in zip(light, dark, strict=True))
        assert too_faint(notebook.page.locator(OURS)) == {}
    finally:
        notebook.use_theme("Light")


def test_nothing_left_the_machine_or_went_wrong_unseen(notebook):
    """The last test of a notebook: it looks back on all others."""
    assert notebook.strangers() == []
    assert notebook.console() == []
    assert notebook.failures() == []
