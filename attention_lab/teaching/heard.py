"""What a screen reader says when a demo changes: the new sentence, once the reader has heard the control's value."""

import re

import ipywidgets as widgets

from attention_lab.teaching.widget import style


class Heard(widgets.VBox):
    """A line that is heard and not seen; ``say(text)`` replaces it.

    A screen reader announces what changes inside an element that was there before. A widget's HTML is replaced as a
    whole, such an element with it. So the element stays empty and as it is, and its words come from a style sheet.
    """

    def __init__(self):
        self._sheet = style()
        super().__init__([widgets.HTML('<p class="al-heard" role="status"></p>'), self._sheet])
        self.add_class(f"al-heard-{self.model_id}")

    def say(self, text):
        self._sheet.value = f"<style>.al-heard-{self.model_id} .al-heard::after{{content:{_quoted(text)}}}</style>"


def _quoted(text):
    r"""A text as a string of CSS: what could end it, or the style element, as its number.

    >>> _quoted('1 < "2"')
    '"1 \\3c  \\22 2\\22 "'
    """
    return '"' + re.sub(r'["\\<&\x00-\x1f\x7f]', lambda found: f"\\{ord(found[0]) or 0xFFFD:x} ", text) + '"'
