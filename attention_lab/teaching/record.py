"""What the reader has answered and solved so far, by lesson."""

from html import escape

import ipywidgets as widgets

from attention_lab.runs.record import clear_record, is_writable, read_record, record_file
from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.parts import LESSONS
from attention_lab.teaching.questions import BANK
from attention_lab.teaching.widget import LessonWidget, css, style

OFF = "No record is kept: ATTENTION_LAB_HOME is set to nothing, or there is no home folder."
REFUSED = "Your record cannot be written: {}. What you answer now is not counted."
EMPTY = "Your record is empty. From now on it counts the answers that you lock and the functions that you check."
COLUMNS = ("questions answered", "right the last time", "exercises tried", "solved")


def record():
    """Show what you have answered and solved so far, lesson by lesson; ``record().clear()`` forgets it.

    It is kept in a file of your own, never beside the notebooks: in the folder that the environment variable
    ``ATTENTION_LAB_HOME`` names, else in your data folder. Set the variable to nothing to keep none.

    Returns
    -------
    Record
        ``.questions`` and ``.exercises`` hold what was counted, ``.wrong`` the questions whose last answer was wrong:
        ``self_test(record().wrong)`` asks them again.

    Examples
    --------
    >>> import os
    >>> os.environ["ATTENTION_LAB_HOME"] = ""
    >>> record()
    No record is kept: ATTENTION_LAB_HOME is set to nothing, or there is no home folder.
    """
    return Record(**read_record())


class Record(LessonWidget):
    """What was counted, by name: ``{"times": 2, "right": 1, "last": True}``.

    What a reader without a kernel sees, and what a test compares, is the same whatever was counted.
    """

    def __init__(self, questions, exercises):
        self.questions, self.exercises = questions, exercises
        self._table = widgets.HTML()
        super().__init__([style(css("predict.css")), self._table])
        self.add_class("al-q")
        self.add_class("al-q-record")
        self._table.value = self._html()

    @property
    def wrong(self):
        """The ids of the questions whose last answer was not right."""
        return [id for id, entry in self.questions.items() if id in BANK and not entry["last"]]

    def clear(self):
        """Forget all that was counted; an OSError that names the file where it cannot be deleted."""
        clear_record()
        self.questions, self.exercises = {}, {}
        self._table.value = self._html()

    def static(self):
        text = "Your record: what you have answered and solved, lesson by lesson. Run this cell to see it."
        return {"text/plain": text, "text/html": f"<p><em>{text}</em></p>"}

    def rows(self):
        """Of each lesson with something to count its name, and the numbers of `COLUMNS`."""
        asked, tried = _by_lesson(self.questions, _lesson_of), _by_lesson(self.exercises, _lesson_of_exercise)
        for lessons in LESSONS.values():
            for number, title in lessons.items():
                answers, checks = asked.get(number, ()), tried.get(number, ())
                if answers or checks:
                    good = sum(entry["last"] for entry in answers), sum(entry["right"] > 0 for entry in checks)
                    yield f"{number} {title}", (len(answers), good[0], len(checks), good[1])

    def __repr__(self):
        rows = list(self.rows())
        if not rows:
            return OFF if record_file() is None else EMPTY if is_writable() else REFUSED.format(record_file())
        lines = [f"{name}: " + ", ".join(map(_counted, numbers, COLUMNS)) for name, numbers in rows]
        return "\n".join([*lines, _where()])

    def _html(self):
        rows = list(self.rows())
        if not rows:
            return f"<p>{escape(repr(self))}</p>"
        head = "".join(f'<th scope="col">{name}</th>' for name in ("lesson", *COLUMNS))
        body = "".join(f"<tr>{_cells(name, numbers)}</tr>" for name, numbers in rows)
        kept = f'<p class="al-q-heading">{escape(_where())}</p>'
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{kept}"


def _where():
    """Where what is shown is kept, and whether more will be."""
    return f"Kept in {record_file()}" if is_writable() else REFUSED.format(record_file())


def _by_lesson(entries, lesson_of):
    found = {}
    for name, entry in entries.items():
        found.setdefault(lesson_of(name), []).append(entry)
    return found


def _lesson_of(id):
    return BANK[id].lesson if id in BANK else None


def _lesson_of_exercise(name):
    """``"05"`` of an exercise that stands in lesson_05_rotary.py; None for one that is no longer there."""
    return EXERCISES[name].reference.__module__.rsplit("lesson_", 1)[1][:2] if name in EXERCISES else None


def _counted(number, name):
    return f"{number} {name}"


def _cells(name, numbers):
    return f'<th scope="row">{escape(name)}</th>' + "".join(f"<td>{number}</td>" for number in numbers)
