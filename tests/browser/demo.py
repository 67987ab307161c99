"""An `Explorer` on the page: its sliders, its picture, its size."""

import json
import time

from tests.browser.lab import poll

# The picture, without the titles of controls around it.
PICTURE = "demo => demo.querySelector('.al')?.innerHTML ?? ''"
REMEMBER = "demo => { window.pictureBefore = demo.querySelector('.al')?.innerHTML; }"  # it may be long: it stays there
IS_NEW = """demo => { const picture = demo.querySelector('.al')?.innerHTML;
    return Boolean(picture) && picture !== window.pictureBefore; }"""
SLIDERS = """demo => [...demo.querySelectorAll('.noUi-handle')].map((handle, i) => [handle, i])
    .filter(([handle]) => handle.offsetParent && !handle.closest('.noUi-target').hasAttribute('disabled'))
    .map(([handle, i]) => [handle.closest('.widget-inline-hbox').querySelector('.widget-label').textContent, i])"""
SIZE = "demo => { const box = demo.getBoundingClientRect(); return [box.width, box.height].map(Math.round); }"
OVERFLOW = """demo => { const output = demo.closest('.jp-OutputArea-output');
    return Math.max(output.scrollWidth - output.clientWidth, demo.scrollWidth - demo.clientWidth,
                    demo.querySelector('.al').scrollWidth - demo.querySelector('.al').clientWidth); }"""
COLOUR = """demo => { const image = [...demo.querySelectorAll('.al img')].find(image => image.offsetParent);
    const cell = demo.querySelector('.al tbody td:not(.m):not(.pad)');
    const line = demo.querySelector('.al .line');
    return image ? image.src : cell ? getComputedStyle(cell).backgroundColor : getComputedStyle(line).stroke; }"""

UNLABELLED = """demo => [...demo.querySelectorAll('.noUi-handle')].map(handle => handle.closest('.widget-inline-hbox'))
    .filter(row => ['.widget-label', '.widget-readout'].some(part => !row.querySelector(part).textContent.trim()))
    .map(row => row.textContent)"""


class Demo:
    """A demo, found anew for each look: the page may rebuild it."""

    def __init__(self, root):
        self.root = root

    def show(self):
        self.root.scroll_into_view_if_needed()
        poll(self.picture, 20, "the demo drew no picture")
        return self

    def picture(self):
        return self.root.evaluate(PICTURE)

    def size(self):
        return self.root.evaluate(SIZE)

    def overflow(self):
        """Pixels by which the demo is wider than its place. The maps may scroll in a box of their own."""
        return self.root.evaluate(OVERFLOW)

    def colour(self):
        """The colour of a cell, or the image that shows the cells."""
        return self.root.evaluate(COLOUR)

    def sliders(self):
        """The sliders that can be seen and moved, by name."""
        handles = self.root.locator(".noUi-handle")
        return {name: handles.nth(i) for name, i in self.root.evaluate(SLIDERS)}

    def step(self, name, handle):
        """Move a slider one step by the keyboard, away from its end, and wait for another picture."""
        self.root.evaluate(REMEMBER)
        at_end = value_of(handle) >= float(handle.get_attribute("aria-valuemax"))
        handle.press("ArrowLeft" if at_end else "ArrowRight")
        poll(lambda: self.root.evaluate(IS_NEW), 10, f"'{name}' moved and the picture did not change")

    def sizes(self, handle, key):
        """The sizes of the demo while one key takes a slider from its low end to its high one."""
        self.move(lambda: value_of(handle), lambda: handle.press("Home"))
        found, value = [], None
        while value != value_of(handle):
            found.append(self.size())
            value = value_of(handle)
            self.move(lambda: value_of(handle), lambda: handle.press(key))
        return found

    def sizes_along(self, handle, places=12):
        """The sizes of the demo while so many clicks take a slider from its low end to its high one."""
        track, found = handle.locator("xpath=ancestor::*[contains(@class, 'noUi-target')]"), []
        for i in range(places):
            box = track.bounding_box()  # anew: a demo that changes its size moves it
            at = box["x"] + 1 + i * (box["width"] - 2) / (places - 1), box["y"] + box["height"] / 2
            self.move(lambda: value_of(handle), lambda at=at: self.root.page.mouse.click(*at))
            found.append(self.size())
        return found

    def move(self, value, act):
        """Move, and wait for another picture for a second: a temperature may be so low that a step changes none."""
        before, end = value(), time.monotonic() + 1
        self.root.evaluate(REMEMBER)
        act()
        while value() != before and not self.root.evaluate(IS_NEW) and time.monotonic() < end:
            time.sleep(0.02)

    def unlabelled(self):
        """Sliders without a label or without a read-out: their handles have no name."""
        return self.root.evaluate(UNLABELLED)

    def sentence(self):
        """The picture in words."""
        return self.root.locator(".al").first.get_attribute("aria-label")

    def heard(self):
        """What a screen reader was told last."""
        text = self.root.locator(".al-heard").evaluate("line => getComputedStyle(line, '::after').content")
        return json.loads(text)

    def reset(self):
        self.root.get_by_role("button", name="Reset", exact=True).click()


def value_of(handle):
    return float(handle.get_attribute("aria-valuenow"))


def demos(notebook):
    """The demos of a notebook, each scrolled into view as it is reached."""
    found = notebook.page.locator(".al-explorer")
    return [Demo(found.nth(i)).show() for i in range(found.count())]
