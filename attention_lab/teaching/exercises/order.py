"""Shuffled lines to put in order: the first rung of an exercise."""

import linecache
from html import escape
from pathlib import Path

import ipywidgets as widgets

from attention_lab.teaching.exercises.checker import assess
from attention_lab.teaching.exercises.display import Said
from attention_lab.teaching.widget import LessonWidget, style

_CSS = Path(__file__).with_name("order.css")
_HELP = "Press a line above to place it, once more to take it out. Press a placed line to choose it, then move it."


class Puzzle(LessonWidget):
    """The lines of an exercise's function, shuffled, and one line that does not belong.

    ``lines`` are all lines as shown, ``answer`` those placed so far; ``arrange(lines)`` places some in code;
    ``check()`` makes a function of the answer and hands it to the checker that serves the written exercises too.

    Everything is a button, because in JupyterLab the arrow keys belong to the notebook, and no button ever
    goes away or changes its place, so that the keyboard's focus stays where it is.

    Parameters
    ----------
    exercise : Exercise
    """

    def __init__(self, exercise):
        self.exercise = exercise
        self.lines = exercise.shuffled
        self.task = f"Put lines in order so that they make {exercise.signature}. One line does not belong."
        self._offers = [_button(line, lambda line=line: self._toggle(line)) for line in self.lines]
        self._slots = [_button("", lambda at=at: self._choose(at)) for at in range(len(self.lines))]
        self._said = _html("", "al-o-said")
        parts = [
            style(_CSS.read_text(encoding="utf-8")),
            _html(f"<p>{escape(self.task)}</p>"),
            _box(widgets.VBox, self._offers, "al-o-lines"),
            _html(f"<p><code>def {escape(exercise.signature)}:</code></p>"),
            _box(widgets.VBox, self._slots, "al-o-lines", "al-o-answer"),
            _box(widgets.HBox, self._tools(), "al-o-tools"),
            self._said,
        ]
        super().__init__(parts)
        self.add_class("al-o")
        self.reset()

    def arrange(self, lines):
        """Place these lines, in this order, and check them.

        Parameters
        ----------
        lines : iterable of str or of int
            Lines of `self.lines`, or their numbers there.

        Returns
        -------
        Said

        Raises
        ------
        ValueError
            If a line is not one of the puzzle's, or comes twice.
        """
        answer = [self.lines[line] if line in range(len(self.lines)) else line for line in lines]
        strange = [line for line in answer if line not in self.lines]
        if strange:
            raise ValueError(f"lines must be among the puzzle's, got {strange[0]!r}: see .lines")
        if len(set(answer)) < len(answer):
            raise ValueError("lines must be placed once each: one comes twice")
        self._show(answer, len(answer) - 1)
        return self.check()

    def check(self):
        """Check the lines that are placed, say it below them, and return it."""
        said = self._judge()
        self._said.value = said.html()
        return said

    def reset(self):
        """Take every line out again."""
        self._show([], None)

    def static(self):
        lines = "\n".join(self.lines)
        html = f"<p>{escape(self.task)}</p><pre>{escape(lines)}</pre>"
        return {"text/plain": f"{self.task}\n\n{lines}", "text/html": html}

    def _judge(self):
        if not self.answer:
            return Said("Not attempted yet: place lines in your function, then check.", "not attempted")
        try:
            function = assemble(self.exercise, self.answer)
        except SyntaxError:  # an indented line without the line above it, or the other way round
            return Said("An indented line belongs below the line that ends in a colon: put the two together.", "wrong")
        said = assess(self.exercise, function)
        if said.passed and self.exercise.odd_line in self.answer:
            line = self.exercise.odd_line.split("  # ")[0]
            return Said(f"The result is right, but `{line}` does nothing for it. Take that line out.", "wrong")
        if not said.passed and not any(line.lstrip().startswith("return") for line in self.answer):
            return Said("Your function returns nothing: the line with `return` is still to be placed.", "wrong")
        if not said.passed and len(self.answer) == len(self.lines):
            return Said(f"{said.message} All lines are placed, and one of them does not belong.", said.status)
        return said

    def _tools(self):
        tools = [
            _button("Move up", lambda: self._move(-1), "Move the chosen line up"),
            _button("Move down", lambda: self._move(1), "Move the chosen line down"),
            _button("Check", self.check, "Check your function"),
            _button("Reset", self.reset, "Take every line out again"),
        ]
        tools[2].button_style = "primary"
        return tools

    def _toggle(self, line):
        """Place a line below the chosen one, or take it out."""
        answer = list(self.answer)
        if line in answer:
            at = answer.index(line)
            answer.remove(line)
            self._show(answer, max(at - 1, 0) if answer else None)
        else:
            at = 0 if self._chosen is None else self._chosen + 1
            self._show([*answer[:at], line, *answer[at:]], at)

    def _choose(self, at):
        if at < len(self.answer):  # a click may come late
            self._show(self.answer, at)

    def _move(self, step):
        at, answer = self._chosen, list(self.answer)
        if at is not None and 0 <= at + step < len(answer):
            answer[at], answer[at + step] = answer[at + step], answer[at]
            self._show(answer, at + step)

    def _show(self, answer, chosen):
        """Show these lines as placed; the last verdict goes, since it was on others."""
        self.answer, self._chosen = answer, chosen
        for line, button in zip(self.lines, self._offers):
            _mark(button, "al-o-placed", line in answer)
        for at, button in enumerate(self._slots):
            button.disabled = at >= len(answer)
            button.description = button.tooltip = "" if button.disabled else answer[at]
            _mark(button, "al-o-chosen", at == chosen)
        self._said.value = f'<p class="al-o-help">{_HELP}</p>'


def assemble(exercise, lines):
    """Make a function of its body's lines, with the global names that those of the bank use."""
    source = "\n    ".join([f"def {exercise.name}({', '.join(exercise.parameters)}):", *lines]) + "\n"
    file = f"<order {exercise.name}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file  # so that a message can quote the line
    named = {*exercise.reference.__code__.co_names, *exercise.distractor.__code__.co_names}
    namespace = {name: value for name, value in exercise.reference.__globals__.items() if name in named}
    exec(compile(source, file, "exec"), namespace)
    return namespace[exercise.name]


def _button(text, action, tooltip=None):
    button = widgets.Button(description=text, tooltip=tooltip or text)
    button.on_click(lambda _: action())
    return button


def _html(text, *classes):
    return _classed(widgets.HTML(text), classes)


def _box(kind, children, *classes):
    return _classed(kind(children), classes)


def _classed(widget, classes):
    for name in classes:
        widget.add_class(name)
    return widget


def _mark(widget, name, on):
    (widget.add_class if on else widget.remove_class)(name)
