"""The whole bank to search: by Part, by lesson, by a word, by a row's number; each answer unfolds when asked for."""

import math
import re
from html import escape

import ipywidgets as widgets

from attention_lab.checks import check_choice, check_size
from attention_lab.teaching.parts import LESSONS, PARTS, title_of
from attention_lab.teaching.question_text import as_html, explained, plain
from attention_lab.teaching.questions import BANK
from attention_lab.teaching.view import counted
from attention_lab.teaching.widget import LessonWidget, button, css, style

ROWS = 8


def question_index():
    """Look through all questions of the course: choose a Part or a lesson, type words, unfold an answer.

    Returns
    -------
    QuestionIndex

    Examples
    --------
    >>> index = question_index()
    >>> index.search("Q57", place="05")
    >>> [question.id for question in index.found]
    ['add-or-concatenate']
    """
    return QuestionIndex(BANK.values())


class QuestionIndex(LessonWidget):
    """The questions that fit what was chosen and typed, eight a page.

    ``search(words, place)`` chooses in code, ``found`` are the questions, ``turn(step)`` turns the pages.
    """

    def __init__(self, questions):
        self.questions = list(questions)
        parts = [(title_of(part), part) for part in PARTS]
        lessons = [(f"{number} {title}", number) for group in LESSONS.values() for number, title in group.items()]
        self.place = widgets.Dropdown(options=[("the whole course", ""), *parts, *lessons], description="from")
        self.words = widgets.Text(placeholder="words, an id, or a row such as Q58", description="with")
        self._rows = [Row() for _ in range(ROWS)]
        self._count = widgets.HTML()
        self.buttons = [button(lambda _: self.turn(-1), "‹ Previous"), button(lambda _: self.turn(1), "Next ›")]
        top, bar = widgets.HBox([self.place, self.words]), widgets.HBox([*self.buttons, self._count])
        for line in (top, bar):
            line.add_class("al-q-bar")
        super().__init__([style(css("predict.css")), top, bar, *self._rows])
        self.add_class("al-q")
        self.add_class("al-q-index")
        for control in (self.place, self.words):
            control.observe(self._find, "value")
        self._find()

    def search(self, words="", place=""):
        """Choose: words that a question must hold, and a Part or a lesson."""
        if not isinstance(words, str):
            raise TypeError(f"words must be a str, got {words!r}")
        places = tuple(value for _, value in self.place.options)
        self.place.value, self.words.value = check_choice("place", place or "", places), words

    def turn(self, step):
        """Turn so many pages; after the last one comes the first."""
        pages = max(1, -(-len(self.found) // ROWS))
        self.page = (self.page + check_size("step", step, low=-math.inf)) % pages
        shown = self.found[self.page * ROWS :][:ROWS]
        for row, question in zip(self._rows, [*shown, *[None] * ROWS]):
            row.show(question)
        first = self.page * ROWS + 1
        some = f", {first} to {first + len(shown) - 1} shown" if len(shown) < len(self.found) else ""
        text = f"{len(self.found)} question{'s' * (len(self.found) != 1)}{some}"
        self._count.value = f'<p class="al-q-heading" role="status">{text}</p>'

    def static(self):
        """How many questions each lesson has; in HTML all of them, folded, without their answers."""
        lines, html = ["The question bank. Run this cell to search it."], []
        for part, lessons in LESSONS.items():
            html.append(f"<p><strong>{title_of(part)}</strong></p>")
            for number, title in lessons.items():
                own = [item for item in self.questions if item.lesson == number]
                lines.append(f"{number} {title}: {counted(len(own), 'question')}")
                items = "".join(f"<li>{as_html(item.text)} <small>({item.id})</small></li>" for item in own)
                html.append(f"<details><summary>{escape(lines[-1])}</summary><ul>{items}</ul></details>")
        return {"text/plain": "\n".join(lines), "text/html": f"<div><p>{lines[0]}</p>{''.join(html)}</div>"}

    def _find(self, change=None):
        lessons = LESSONS.get(self.place.value, {self.place.value})
        words = self.words.value.lower().split()
        self.found = [
            item
            for item in self.questions
            if (not self.place.value or item.lesson in lessons) and all(_holds(item, word) for word in words)
        ]
        self.page = 0
        self.turn(0)


class Row(widgets.VBox):
    """One question of the list. A press on it unfolds the answer, which is computed then; another folds it."""

    def __init__(self):
        self.head, self.answer = button(lambda _: self.toggle()), widgets.HTML()
        choices = widgets.VBox([self.head])
        choices.add_class("al-q-choices")
        super().__init__([choices, self.answer])

    def show(self, question):
        self.question, self.answer.value = question, ""
        self.layout.display = "none" if question is None else ""
        self._label()

    def toggle(self):
        if self.question is not None:
            self.answer.value = "" if self.answer.value else self._told()
            self._label()

    def _told(self):
        rows = " ".join(row for row in self.question.source.split() if row[0] in "MQ")
        how = f"Lesson {self.question.lesson}{', ' * bool(rows)}{rows}. Ask it with"
        call = f"al.predict('{self.question.id}')"
        return f'{explained(self.question)}<p class="al-q-heading">{how} <code>{escape(call)}</code></p>'

    def _label(self):
        text = "" if self.question is None else f"{self.question.lesson} · {plain(self.question.text)}"
        self.head.description = f"{'▾' if self.answer.value else '▸'} {text}"


def _holds(item, word):
    """Whether a question holds a word; a row such as q5 is looked for in its source, where it is not q58."""
    rows = item.source.lower().split()
    if re.fullmatch(r"[mqcb]\d+", word):
        return word in rows
    return any(word in text.lower() for text in (item.id, plain(item.text), *map(plain, item.options), *rows))
