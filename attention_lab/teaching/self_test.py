"""A shuffled test on a Part of the course: some of its questions, a score at the end, then others."""

from html import escape

import ipywidgets as widgets
import numpy as np

from attention_lab.checks import check_generator, check_size
from attention_lab.teaching.parts import questions_of, title_of
from attention_lab.teaching.predict import Quiz
from attention_lab.teaching.widget import button

QUESTIONS = 6


def self_test(what, *, number=QUESTIONS, rng=None):
    """Test yourself on a Part, on a lesson, or on questions that you name: ``self_test("II")``.

    Parameters
    ----------
    what : str, Question, or iterable of them
        ``"I"`` to ``"V"``, a lesson such as ``"05"``, or ids of the bank.
    number : int
        How many questions, at most.
    rng : numpy.random.Generator, optional
        Draws them. With ``np.random.default_rng(7)`` a whole class gets the same; without it each run gives others.

    Returns
    -------
    SelfTest

    Raises
    ------
    TypeError, ValueError
        If there is no such Part, lesson or question, `number` is not a whole number above 0, or `rng` no generator.

    Examples
    --------
    >>> test = self_test("II", number=3)
    >>> for i, question in enumerate(test.questions):
    ...     test.lock(i, question.answer())
    >>> test.result
    '3 of 3 right.'
    """
    return SelfTest(title_of(what), questions_of(what), number, rng)


class SelfTest(Quiz):
    """A quiz that draws its questions, and others when asked to.

    ``draw()`` draws anew, ``result`` is what is said once all are answered.
    """

    def __init__(self, about, pool, number, rng):
        number = check_size("number", number, low=1)
        if rng is not None:
            check_generator(rng)
        self.about, self.pool, self.number = about, pool, min(number, len(pool))
        self.rng = np.random.default_rng() if rng is None else rng
        self._left = []
        self._verdict = widgets.HTML()
        tools = (self.again, "Ask these again"), (self.draw, "Other questions")
        super().__init__(f"Test yourself: {about}", self._drawn())
        self.tools = widgets.HBox([button(lambda _, act=act: act(), name) for act, name in tools])
        self.children = [*self.children, self._verdict, self.tools]

    @property
    def result(self):
        """How many are right, and which lessons to look at again; empty as long as something is not answered."""
        if not self.locked:
            return ""
        wrong = sorted({card.question.lesson for card in self.cards if not card.right})
        lessons = f" Look again at lesson{'s' * (len(wrong) > 1)} {' and '.join(_listed(wrong))}." if wrong else ""
        return f"{self.right} of {len(self.cards)} right.{lessons}"

    def draw(self):
        """Ask other questions: none comes again before all have been asked."""
        for card in self.cards:
            _close(card)
        self._ask(self._drawn())

    def static(self):
        """What can be said before anything is drawn: the same for every draw."""
        text = f"Test yourself: {self.about}. Questions drawn anew each time. Run this cell to begin."
        return {"text/plain": text, "text/html": f"<p><em>{escape(text)}</em></p>"}

    def _drawn(self):
        drawn, self._left = self._left[: self.number], self._left[self.number :]
        if len(drawn) < self.number:  # the last of one round, and the first of the next
            anew = [self.pool[i] for i in self.rng.permutation(len(self.pool))]
            others = [item for item in anew if item not in drawn]
            missing = self.number - len(drawn)
            drawn, self._left = drawn + others[:missing], others[missing:]
        return drawn

    def _count(self, change=None):
        super()._count(change)
        self._verdict.value = f'<p class="al-q-result" role="status">{escape(self.result)}</p>' if self.result else ""


def _listed(names):
    return [", ".join(names[:-1]), names[-1]] if len(names) > 1 else names


def _close(widget):
    for child in getattr(widget, "children", ()):
        _close(child)
    widget.close()
