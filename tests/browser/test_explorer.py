"""What every demo does, tried on two of them: the mouse, values under the pointer, bad input, one size for all."""

import pytest

from tests.browser.access import too_faint
from tests.browser.demo import demos, value_of
from tests.browser.lab import poll

pytestmark = pytest.mark.parametrize("notebook", ["mechanism.ipynb"], indirect=True, scope="session")


@pytest.fixture
def demo(notebook):
    demo = demos(notebook)[0].show()
    yield demo
    demo.reset()


def test_the_mouse_drags_a_slider(notebook, demo):
    handle = demo.sliders()["length n"]
    handle.hover()
    before, value, box, mouse = demo.picture(), value_of(handle), handle.bounding_box(), notebook.page.mouse
    mouse.down()
    mouse.move(box["x"] + 40, box["y"] + box["height"] / 2, steps=5)
    mouse.up()
    poll(lambda: demo.picture() != before, 10, "the picture did not follow the mouse")
    assert value_of(handle) > value


def test_a_cell_tells_its_value_under_the_pointer(notebook, demo):
    demo.root.get_by_label("heads", exact=True).select_option("1")
    cell = demo.root.locator("td[data-t]").nth(12)
    cell.hover()
    bubble = cell.evaluate("cell => getComputedStyle(cell, '::after').content")
    assert "→" in bubble and bubble.strip('"') == cell.get_attribute("data-t")


def test_an_empty_sentence_is_a_red_line_until_reset(demo):
    picture, alert = demo.picture(), demo.root.get_by_role("alert")
    sentence = demo.root.get_by_label("sentence")
    sentence.fill("")
    sentence.press("Enter")
    poll(alert.count, 10, "no red line")
    assert "sentence" in alert.inner_text()
    assert alert.evaluate("line => getComputedStyle(line).color") != sentence.evaluate("e => getComputedStyle(e).color")
    assert demo.picture() == picture
    demo.reset()
    poll(lambda: not alert.count() and demo.picture() == picture, 10, "Reset did not clear the red line")


def test_a_red_line_and_a_reached_goal_can_be_read_in_both_themes(notebook, demo):
    demo.root.get_by_label("heads", exact=True).select_option("1")
    sentence = demo.root.get_by_label("sentence")
    sentence.fill("")
    sentence.press("Enter")
    demo.root.locator(".al-error").wait_for()
    demo.root.locator(".al-reached").wait_for()
    for theme in ("Dark", "Light"):
        notebook.use_theme(theme)
        assert too_faint(demo.root) == {}, theme


def test_every_length_has_the_same_size(demo):
    sizes = demo.sizes(demo.sliders()["length n"], "ArrowRight")
    assert len(sizes) == 64
    assert {tuple(size) for size in sizes} == {tuple(sizes[0])}


def test_a_narrow_demo_keeps_its_size_too(notebook):
    with notebook.narrow():
        demo = demos(notebook)[1].show()
        sizes = demo.sizes(demo.sliders()["length n"], "PageUp")
        demo.reset()
    assert {tuple(size) for size in sizes} == {tuple(sizes[0])}
