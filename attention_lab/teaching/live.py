"""The one widget for what changes after it is shown. Its static form is fixed, so the stored lesson never changes."""

from html import escape

import ipywidgets as widgets
from IPython.display import display

from attention_lab.runs.progress import Line
from attention_lab.teaching.view import counted
from attention_lab.teaching.widget import LessonWidget, css, style

POINTS = 120  # of a curve, in viewBox units of 1 across
HEIGHT = 24


class Live(LessonWidget):
    """A box whose content is replaced while a cell runs.

    ``text`` is the static form: what a reader without a kernel sees, before and after. ``put(html)`` replaces what a
    reader with one sees.
    """

    def __init__(self, text):
        self.text = text
        self.body = widgets.HTML()
        super().__init__([style(css("live.css")), self.body])
        self.add_class("al-live")

    def put(self, html):
        self.body.value = html

    def static(self):
        return {"text/plain": self.text, "text/html": f"<p><small>{escape(self.text)}</small></p>"}


def show_training(total):
    """Show a bar with the loss beside it, and return the progress function that moves it.

    Parameters
    ----------
    total : int
        Steps of the run.

    Returns
    -------
    callable
        ``(step, total, metrics)``, as `fit` calls it; its ``.live`` is the widget.
    """
    live, line, losses = Live(f"Training: {counted(total, 'step')}. Run this cell to watch the loss."), Line(), []

    def report(step, total, metrics):
        words = escape(line(step, total, metrics))
        if "stopped" in metrics:
            live.put(f'<p class="al-live-end" role="status">{words}</p>')
            return
        losses[:] = _thinned([*losses, metrics["loss"]])
        bar = f'<progress max="{total}" value="{step}" aria-label="training"></progress>'
        live.put(f'<p class="al-live-run">{bar}{_curve(losses)}<span>{words}</span></p>')

    report.live = live
    live.put(f'<p class="al-live-run"><progress max="{max(total, 1)}" value="0" aria-label="training"></progress></p>')
    display(live)
    return report


def _thinned(losses):
    """As they are, or every second one where they are too many to draw."""
    return losses if len(losses) <= POINTS else losses[::2]


def _curve(losses):
    """The losses so far as a small line, from its highest to its lowest point."""
    low, high = min(losses), max(losses)
    span = (high - low) or 1
    across = POINTS / max(1, len(losses) - 1)
    points = (f"{across * i:.1f},{HEIGHT * (high - loss) / span:.1f}" for i, loss in enumerate(losses))
    box = f'viewBox="-1 -1 {POINTS + 2} {HEIGHT + 2}" aria-hidden="true"'
    return f'<svg {box}><polyline points="{" ".join(points)}"/></svg>'
