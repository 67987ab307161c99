"""Questions that are answered before the answer is shown: lock a choice, then see what is computed."""

from difflib import get_close_matches
from html import escape

import ipywidgets as widgets
import traitlets

from attention_lab.checks import check_size
from attention_lab.runs.record import note
from attention_lab.teaching.question_text import as_html, asked, plain, verdict
from attention_lab.teaching.questions import BANK, CLOSING, RECALL
from attention_lab.teaching.widget import LessonWidget, button, css, style


def predict(id):
    """Ask one question, above the demo that answers it.

    Parameters
    ----------
    id : str
        A question of the bank.

    Returns
    -------
    Quiz

    Raises
    ------
    ValueError
        If the bank has no such question; the message names those that are near.

    Examples
    --------
    >>> quiz = predict("divide-by-d")
    >>> quiz.lock(0, "flatter")
    >>> quiz.right
    1
    """
    return Quiz("Predict, then see", [_find(id, BANK, "id must be a question of the bank")])


def recall(lesson):
    """Two questions from earlier lessons, to open a lesson: ``recall("02")``.

    Parameters
    ----------
    lesson : str
        Two digits. Lesson 00 has nothing to recall.

    Returns
    -------
    Quiz

    Raises
    ------
    ValueError
        If the lesson has no such questions.

    Examples
    --------
    >>> [question.lesson for question in recall("02").questions]
    ['01', '00']
    """
    return Quiz("Do you remember?", _chosen("recall", RECALL, lesson))


def closing(lesson):
    """The three questions that close a lesson: ``closing("02")``. Who can answer them may skip it.

    Parameters and errors are those of `recall`; every lesson has closing questions.

    Examples
    --------
    >>> len(closing("00").questions)
    3
    """
    return Quiz("Three questions to close", _chosen("closing", CLOSING, lesson))


def because(exercise):
    """Why an exercise's key line is as it is, from a menu of three reasons: ``because("softmax")``.

    Parameters
    ----------
    exercise : str
        The exercise's name.

    Returns
    -------
    Quiz

    Raises
    ------
    ValueError
        If no reason is asked for that exercise; the message names those that are near.

    Examples
    --------
    >>> because("softmax").questions[0].id
    'because-softmax'
    """
    named = {id.removeprefix("because-"): item for id, item in BANK.items() if id.startswith("because-")}
    return Quiz("Because …", [_find(exercise, named, "exercise must be one that asks for a reason")])


def _find(name, among, demand):
    if not isinstance(name, str) or name not in among:
        near = get_close_matches(str(name), among, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "see attention_lab.teaching.questions.BANK"
        raise ValueError(f"{demand}, got {name!r}: {hint}")
    return among[name]


def _chosen(kind, choice, lesson):
    if not isinstance(lesson, str) or lesson not in choice:
        raise ValueError(f"lesson must be one of {', '.join(map(repr, choice))} for {kind}(), got {lesson!r}")
    return [BANK[id] for id in choice[lesson]]


class Quiz(LessonWidget):
    """Questions one under another, with a line that counts the answers where there are several.

    ``questions`` holds them, ``lock(i, option)`` answers one in code, ``locked`` says whether all are answered,
    ``right`` counts the right ones.
    """

    def __init__(self, heading, questions):
        self.heading = heading
        self.progress, self._asked = widgets.HTML(), widgets.VBox()
        self._asked.add_class("al-q-cards")
        top = widgets.HTML(f'<p class="al-q-heading">{escape(heading)}</p>')
        super().__init__([style(css("predict.css")), top, self._asked, self.progress])
        self.add_class("al-q")
        self._ask(questions)

    def _ask(self, questions):
        self.questions = tuple(questions)
        several = len(self.questions) > 1
        self.cards = [Card(question, i if several else None) for i, question in enumerate(self.questions, start=1)]
        for card in self.cards:
            card.observe(self._count, "locked")
        self._asked.children = self.cards
        self.progress.layout.display = "" if several else "none"
        self._count()

    @property
    def locked(self):
        """Whether every question is answered."""
        return all(card.locked for card in self.cards)

    @property
    def right(self):
        """How many answers are right so far."""
        return sum(card.right for card in self.cards)

    def lock(self, i, option):
        """Answer question `i`, counted from 0, with the text of an option."""
        if check_size("i", i) >= len(self.cards):
            raise ValueError(f"i must be a question from 0 to {len(self.cards) - 1}, got {i}")
        self.cards[i].lock(option)

    def again(self):
        """Ask everything anew."""
        for card in self.cards:
            card.again()

    def _count(self, change=None):
        answered = sum(card.locked for card in self.cards)
        text = f"{answered} of {len(self.cards)} answered, {self.right} right"
        self.progress.value = f'<p class="al-q-progress" role="status">{text}</p>'

    def static(self):
        """The questions and their options, nothing else: what a reader without a kernel sees."""
        lines, html = [self.heading], [f"<div><p><em>{escape(self.heading)}</em></p>"]
        for card in self.cards:
            own, own_html = asked(card.question, card.number)
            lines += own
            html.append(own_html)
        html.append("<p><small>Run this cell to choose an answer.</small></p></div>")
        return {"text/plain": "\n".join(lines), "text/html": "\n".join(html)}


class Card(widgets.VBox):
    """One question: options to choose from, a lock, and what is so once the lock is shut.

    The options are buttons and not radio buttons: JupyterLab keeps the arrow keys for itself, so a keyboard could not
    reach the second radio button. Tab and Space reach all of these. A button that was pressed stays where it is and can
    be pressed, so that the keyboard's focus stays too.
    """

    locked = traitlets.Bool(False)

    def __init__(self, question, number=None):
        self.question = question
        self.number = "" if number is None else f"{number}. "
        text = widgets.HTML(f'<p class="al-q-text">{self.number}{as_html(question.text)}</p>')
        self.options = {
            option: button(lambda _, own=option: self._click(self.choose, own)) for option in question.choices
        }
        self.lock_button = button(lambda _: self._click(self.lock, self.chosen), "Lock my answer")
        self.again_button = button(lambda _: self.again(), "Ask me again")
        self.again_button.layout.display = "none"
        self.feedback = widgets.HTML()
        choices = widgets.VBox(list(self.options.values()))
        choices.add_class("al-q-choices")
        super().__init__([text, choices, widgets.HBox([self.lock_button, self.again_button]), self.feedback])
        self.add_class("al-q-card")
        self.again()

    def choose(self, option):
        """Mark an option; until the lock is shut another one can be marked."""
        if self.locked:
            raise ValueError(f"{self.question.id} is locked: call again() to answer it anew")
        if option not in self.options:
            raise ValueError(f"option must be one of {self.question.choices}, got {option!r}")
        self.chosen = option
        self._refresh()

    def lock(self, option):
        """Freeze this choice, then compute the answer."""
        self.choose(option)
        right, self.feedback.value = verdict(self.question, option)
        self.right = bool(right)
        if right is not None and BANK.get(self.question.id) is self.question:  # the record is of the course alone
            note("questions", self.question.id, right)
        self.locked, self.again_button.layout.display = True, ""
        self._refresh()

    def again(self):
        """Open the lock and take the choice back."""
        self.chosen, self.right, self.feedback.value = None, False, ""
        self.locked = False
        self._refresh()

    def _click(self, act, option):
        """Do what a button says, except where a second click arrives after the first has locked the card."""
        if not self.locked and option is not None:
            act(option)

    def _refresh(self):
        for option, choice in self.options.items():
            choice.description = f"{'●' if option == self.chosen else '○'} {plain(option)}"
            choice.disabled = self.locked
        self.lock_button.description = "Locked" if self.locked else "Lock my answer"
        self.lock_button.disabled = self.chosen is None
