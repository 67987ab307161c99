"""Questions for a class: one a page, large, the answer on demand."""

from html import escape

import ipywidgets as widgets

from attention_lab.teaching.parts import questions_of, title_of
from attention_lab.teaching.question_text import as_html, asked, explained
from attention_lab.teaching.widget import LessonWidget, button, css, style


def slides(what):
    """Show questions to a class, one a page: ``slides("05")``. Let the room vote, then reveal.

    All of it is buttons, so that Tab and Space, or a presenter that sends them, are enough. Nothing is recorded.

    Parameters
    ----------
    what : str, Question, or iterable of them
        ``"I"`` to ``"V"``, a lesson such as ``"05"``, or ids of the bank, in your order.

    Returns
    -------
    Slides

    Raises
    ------
    TypeError, ValueError
        If there is no such Part, lesson or question.

    Examples
    --------
    >>> show = slides(["pads-vanish", "sine-alone"])
    >>> show.next()
    >>> show.question.id, show.revealed
    ('sine-alone', False)
    """
    return Slides(title_of(what), questions_of(what))


class Slides(LessonWidget):
    """One question at a time; ``next()``, ``previous()`` and ``reveal()`` do what the buttons do."""

    def __init__(self, about, questions):
        self.about, self.questions = about, tuple(questions)
        self._page, self._answer, self._place = widgets.HTML(), widgets.HTML(), widgets.HTML()
        self.buttons = {
            "previous": button(lambda _: self.previous(), "‹ Previous"),
            "reveal": button(lambda _: self.reveal(), "Reveal"),
            "next": button(lambda _: self.next(), "Next ›"),
        }
        bar = widgets.HBox([*self.buttons.values(), self._place])
        bar.add_class("al-q-bar")
        super().__init__([style(css("predict.css")), self._page, bar, self._answer])
        self.add_class("al-q")
        self.add_class("al-q-slides")
        self._go(0)

    @property
    def question(self):
        """The one that is shown."""
        return self.questions[self.at]

    @property
    def revealed(self):
        """Whether its answer is shown."""
        return bool(self._answer.value)

    def next(self):
        """The next question; after the last one the first."""
        self._go(self.at + 1)

    def previous(self):
        """The question before; before the first one the last."""
        self._go(self.at - 1)

    def reveal(self):
        """Show the answer, or hide it again."""
        self._answer.value = "" if self.revealed else explained(self.question, self._letters)
        self.buttons["reveal"].description = "Hide the answer" if self.revealed else "Reveal"

    def static(self):
        """The first question and its options."""
        lines, html = asked(self.questions[0])
        head, foot = f"Questions for a class. {self.about}", "Run this cell to turn the pages."
        return {
            "text/plain": "\n".join([head, *lines, foot]),
            "text/html": f"<div><p><em>{escape(head)}</em></p>{html}<p><small>{foot}</small></p></div>",
        }

    def _go(self, at):
        self.at = at % len(self.questions)
        self._letters = dict(zip(self.question.choices, "ABCDEFGH"))
        items = "".join(
            f'<li><span class="al-q-letter">{letter}</span><span>{as_html(choice)}</span></li>'
            for choice, letter in self._letters.items()
        )
        self._page.value = f'<p class="al-q-text">{as_html(self.question.text)}</p><ol>{items}</ol>'
        self._answer.value, self.buttons["reveal"].description = "", "Reveal"
        one = self.about.startswith("Lesson")
        about = self.about if one else f"{self.about}, lesson {self.question.lesson}"
        place = f"{about} · {self.at + 1} of {len(self.questions)}"
        self._place.value = f'<p class="al-q-heading" role="status">{escape(place)}</p>'
