"""Every lesson without a mouse and without eyes: what the keyboard reaches and moves, what a screen reader is told."""

import itertools

import pytest

from tests.browser.access import CONTROLS, Keys, names
from tests.browser.demo import demos
from tests.browser.lab import poll
from tests.browser.test_lessons import NOTEBOOKS

pytestmark = pytest.mark.parametrize("notebook", NOTEBOOKS, indirect=True, scope="session")

# What moves a control. JupyterLab keeps the arrow keys up and down for itself, as long as no menu is open.
MOVES = {
    "select": [("Space", "ArrowDown", "Enter"), ("Space", "ArrowUp", "Enter")],
    "slider": [("ArrowRight",), ("ArrowLeft",)],
    "checkbox": [("Space",)],
    "text": [("a", "Enter")],
}


def test_every_control_has_a_name_and_every_map_its_headers(notebook):
    for tree in names(notebook):
        assert [role for role, name in tree if role in CONTROLS and not name] == []
        roles = [role for role, _ in tree]
        if "table" in roles:
            assert all(name for role, name in tree if role == "table")
            assert {"columnheader", "rowheader"} <= set(roles)
    for demo in demos(notebook):
        assert demo.unlabelled() == []


def test_a_demo_says_its_sentence_and_what_has_changed(notebook):
    for demo in demos(notebook):
        line = demo.root.locator(".al-heard").element_handle()
        for name, handle in demo.sliders().items():
            demo.step(name, handle)
            poll(lambda demo=demo: demo.heard() == demo.sentence(), 10, f"what '{name}' changed was not said")
        assert line.evaluate("line => line.isConnected"), "of a line that is new nothing is said"
        demo.reset()


def test_tab_reaches_every_control_and_keys_move_it(notebook):
    for demo in demos(notebook):
        unfold = demo.root.get_by_role("button", name="More controls")
        if unfold.count():
            unfold.press("Enter")
            demo.root.get_by_role("button", name="Fewer controls").wait_for()
        keys = Keys(demo.root)
        expected = keys.stops()[0]
        while expected:
            assert keys.at() == expected, "Tab goes elsewhere"
            assert keys.is_seen(), f"the focus is not seen on {expected}"
            _move(demo, keys, expected)
            notebook.settle()  # what moves the range of another slider builds that one anew
            expected = keys.next()
            keys.press("Tab")
        assert keys.at() is None, "Tab does not leave the demo"
        demo.reset()
        if unfold.count():
            demo.root.get_by_role("button", name="Fewer controls").press("Space")


def _move(demo, keys, stop):
    """Move a control: one way or, where it is at its end, the other."""
    ways, before = itertools.cycle(MOVES.get(stop.split()[0], ())), keys.value(stop)

    def moved():
        demo.move(lambda: keys.value(stop), lambda: keys.press(*next(ways)))
        return keys.value(stop) != before

    if stop.split()[0] in MOVES:
        poll(moved, 10, f"no key moves {stop}")
    assert keys.at() == stop, f"the focus does not stay on {stop}"


def test_a_question_is_answered_by_keys_and_the_focus_stays(notebook):
    for card in notebook.page.locator(".al-q-card").all()[:1]:
        card.scroll_into_view_if_needed()
        keys = Keys(card)
        first = keys.at()
        keys.press("Space")
        poll(lambda keys=keys: "button Lock my answer" in keys.stops(), 10, "nothing was chosen")
        assert keys.at()[-5:] == first[-5:], f"{keys.at()} has the focus, not {first}"
        while keys.at() not in ("button Lock my answer", None):
            keys.press("Tab")
        keys.press("Space")
        poll(card.locator(".al-q-said").count, 20, "a locked answer brought no feedback")
        assert keys.at() == "button Locked"
        keys.press("Tab")
        assert keys.at() == "button Ask me again"
        keys.press("Enter")
        poll(lambda card=card: not card.locator(".al-q-said").count(), 10, "the question was not asked again")
        assert keys.at() == "button Ask me again"
