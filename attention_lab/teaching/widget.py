"""A widget that also says something where no kernel runs: on GitHub, in a printout, before the first run."""

from functools import cache
from pathlib import Path

import ipywidgets as widgets


class LessonWidget(widgets.VBox):
    """A box of controls with a static form beside it.

    ``static()`` gives the MIME entries a reader without a kernel sees: a fixed ``text/plain`` always,
    and ``text/html`` or ``image/png`` (base64) where there is something to look at.
    """

    def static(self):
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs):
        return {**super()._repr_mimebundle_(**kwargs), **self.static()}


@cache
def css(name):
    """The text of a style sheet that stands beside this module."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def style(*sheets):
    """Style sheets as an invisible widget: sent once, in force for the whole page."""
    text = "".join(sheets)
    return widgets.HTML(f"<style>{text}</style>", layout=widgets.Layout(display="none"))


def button(on_click, description=""):
    """A button that calls ``on_click(button)``."""
    made = widgets.Button(description=description)
    made.on_click(on_click)
    return made
