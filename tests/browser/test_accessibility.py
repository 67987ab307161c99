"""Every lesson without a mouse and without eyes: what the keyboard reaches and moves, what a screen reader is told."""

from contextlib import contextmanager

import pytest

from tests.browser.access import CONTROLS, Keys, names
from tests.browser.demo import demos
from tests.browser.lab import poll
from tests.browser.test_lessons import MECHANISM, NOTEBOOKS

pytestmark = pytest.mark.parametrize("notebook", NOTEBOOKS, indirect=True, scope="session")

# What moves a control there and back. JupyterLab keeps the arrows up and down for itself, as long as no menu is open.
MOVES = {
    "select": [("Space", "ArrowDown", "Enter"), ("Space", "ArrowUp", "Enter")],
    "slider": [("ArrowRight",), ("ArrowLeft",)],
    "checkbox": [("Space",), ("Space",)],
    "text": [("End", "s", "Enter"), ("End", "Backspace", "Enter")],
}


def test_every_control_has_a_name_and_every_map_its_headers(notebook):
    with _unfolded(notebook):
        trees = names(notebook)
        assert [demo.unlabelled() for demo in demos(notebook)] == [[] for _ in demos(notebook)]
    for tree in trees:
        assert [role for role, name in tree if role in CONTROLS and not name] == []
        roles = [role for role, _ in tree]
        if "table" in roles:
            assert all(name for role, name in tree if role == "table")
            assert {"columnheader", "rowheader"} <= set(roles)


def test_tab_reaches_every_control_and_keys_move_it(notebook):
    with _unfolded(notebook):
        for demo in demos(notebook):
            _walk(notebook, demo)


@contextmanager
def _unfolded(notebook):
    """With the folded controls, where a notebook stands for all: they are the same in every lesson."""
    found = demos(notebook) if notebook.name == MECHANISM else []
    for demo in found:
        demo.root.get_by_role("button", name="More controls").press("Enter")
        demo.root.get_by_role("button", name="Fewer controls").wait_for()
    yield
    for demo in found:
        demo.root.get_by_role("button", name="Fewer controls").press("Space")


def _walk(notebook, demo):
    """Go through a demo by Tab, and move each control that keys move."""
    keys = Keys(demo.root)
    expected = keys.stops()[0]
    while expected:
        assert keys.at() == expected, "Tab goes elsewhere"
        assert keys.is_seen(), f"the focus is not seen on {expected}"
        if expected.split()[0] in MOVES:
            _move(notebook, keys, expected)
        expected = keys.next()
        keys.press("Tab")
    assert keys.at() is None, "Tab does not leave the demo"
    demo.reset()


def _move(notebook, keys, stop):
    """Move a control there and back, or the other way first where it stands at its end."""
    start, (there, back) = keys.value(stop), MOVES[stop.split()[0]]
    for way in (there, back, there):
        before, rests = keys.value(stop), notebook.rests()
        keys.press(*way)
        if keys.value(stop) == before:
            continue
        poll(lambda rests=rests: notebook.rests() > rests, 20, f"{stop} moved, and the kernel did not end")
        assert keys.at() == stop, f"the focus does not stay on {stop}"
        if keys.value(stop) == start:
            return
    raise AssertionError(f"the keys do not move {stop} there and back")


def test_a_question_is_answered_by_keys_and_the_focus_stays(notebook):
    for card in notebook.page.locator(".al-q-card").all()[:1]:
        card.scroll_into_view_if_needed()
        keys = Keys(card)
        first = keys.at()
        assert keys.is_seen()
        keys.press("Space")
        poll(lambda keys=keys: "button Lock my answer" in keys.stops(), 10, "nothing was chosen")
        assert keys.at() == first.replace("○", "●")
        _press(keys, "button Lock my answer")
        poll(card.locator(".al-q-said").count, 20, "a locked answer brought no feedback")
        poll(lambda keys=keys: keys.at() == "button Locked", 10, "the focus does not stay on the lock")
        keys.press("Tab")
        assert keys.at() == "button Ask me again"
        keys.press("Enter")
        poll(lambda card=card: not card.locator(".al-q-said").count(), 10, "the question was not asked again")
        assert keys.at() == "button Ask me again"


def test_lines_are_put_in_order_by_keys_and_the_focus_stays(notebook):
    for puzzle in notebook.page.locator(".al-o").all()[:1]:
        puzzle.scroll_into_view_if_needed()
        keys, placed = Keys(puzzle), puzzle.locator(".al-o-answer button:enabled")
        for way in ("Space", "Tab", "Enter"):  # the first line, and the second one
            keys.press(way)
        poll(lambda placed=placed: placed.count() == 2, 10, "the keys placed no two lines")
        lines = placed.all_text_contents()
        _press(keys, "button Move up")
        poll(
            lambda placed=placed, lines=lines: placed.all_text_contents() == lines[::-1], 10, "the line did not move up"
        )
        assert keys.at() == "button Move up"
        assert keys.is_seen()
        _press(keys, "button Check")
        poll(puzzle.get_by_role("status").count, 20, "the check said nothing")
        assert keys.at() == "button Check"
        _press(keys, "button Reset")
        poll(lambda placed=placed: placed.count() == 0, 10, "Reset took no line out")
        assert keys.at() == "button Reset"


def _press(keys, stop):
    """Go to a control by Tab, and press it."""
    while keys.at() not in (stop, None):
        keys.press("Tab")
    keys.press("Space")
