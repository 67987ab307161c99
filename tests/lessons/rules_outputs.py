"""The contract's rules about what is committed below the cells. Each gives a list of problems."""

import re

import nbformat

from tests.lessons.normalise import WIDGET_VIEW, normalise, to_text

IGNORED = "nbval-ignore-output"
PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
MACHINE_PATH = re.compile(r"(?<![\w./])(/home/|/Users/|/root/|/tmp/|/usr/|/opt/|[A-Z]:\\)")
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+|\b0x[0-9a-f]{6,}", re.IGNORECASE)
ARRAY_REPR = re.compile(r"(?<![\w.])array\(|\[ *-?\d[\d.e+-]* +-?\d")
SCALAR_REPR = re.compile(r"\bnp\.(float|int|uint|bool|str)\w*\((?=[-'\d]|nan|inf)|\bnp\.(True|False)_")
DECIMAL = re.compile(r"(?<![\w.])(\d+\.\d+)(?:e[+-]?\d+)?(?!\.?\w)")
MAX_DIGITS = 3


def notebook_is_normalised(lesson):
    if to_text(normalise(nbformat.reads(lesson.text, as_version=4))) != lesson.text:
        return ["is not as 'make lessons' writes it: run make lessons LESSON=" + lesson.number]
    return []


def every_cell_was_run(lesson):
    again = f"run make lessons LESSON={lesson.number}"
    idle = [str(cell.number) for cell in lesson.code if cell.source.strip() and cell.execution_count is None]
    problems = [f"cells {', '.join(idle)} were not run: {again}"] if idle else []
    for cell in lesson.code:
        for output in cell.outputs:
            if output.output_type == "error":
                problems.append(f"cell {cell.number} ends in {output.ename}: mend it, then {again}")
            if output.get("name") == "stderr":
                problems.append(
                    f"cell {cell.number} writes to stderr, often a warning: mend what it says, then {again}"
                )
    return problems


def widgets_have_static_forms(lesson):
    problems = ["keeps metadata.widgets: run make lessons"] if "widgets" in lesson.notebook.metadata else []
    for cell in lesson.code:
        if any(WIDGET_VIEW in output.get("data", {}) for output in cell.outputs):
            problems.append(f"cell {cell.number} shows a widget without a static form: derive it from LessonWidget")
    return problems


def pictures_have_words(lesson):
    problems = []
    for cell in lesson.code:
        for data in (output.get("data", {}) for output in cell.outputs):
            words = data.get("text/plain", "")
            if any(kind in data for kind in PICTURES) and (words.startswith("<") or len(words.split()) < 4):
                problems.append(
                    f"cell {cell.number}: a picture without a sentence, {words!r}: show a Picture, not a Figure"
                )
    return problems


def nothing_of_this_machine(lesson):
    problems = []
    for cell in lesson.cells:
        for text in [cell.source, *_texts(cell)]:
            for pattern, what in ((MACHINE_PATH, "a path of one machine"), (ADDRESS, "a memory address")):
                if found := pattern.search(text):
                    problems.append(f"cell {cell.number} holds {what}, {_around(text, found)}: leave it out")
    return problems


def no_bare_arrays(lesson):
    problems = []
    for cell in lesson.code:
        for text in _texts(cell):
            if found := ARRAY_REPR.search(text):
                problems.append(
                    f"cell {cell.number} prints an array, {_around(text, found)}: use f-strings or a heatmap"
                )
            if found := SCALAR_REPR.search(text):
                problems.append(f"cell {cell.number} prints a NumPy scalar, {_around(text, found)}: use an f-string")
    return problems


def few_digits(lesson):
    """Three significant digits hold on another machine; trailing zeros do not count."""
    problems = []
    for cell in lesson.code:
        for text in _texts(cell) if IGNORED not in cell.tags else []:
            for number in DECIMAL.findall(text):
                digits = number.rstrip("0").replace(".", "").lstrip("0")
                if len(digits) > MAX_DIGITS:
                    problems.append(
                        f"cell {cell.number} prints {number}: at most {MAX_DIGITS} significant digits (:.3g)"
                    )
    return problems


def _texts(cell):
    """What a cell's outputs say as plain text."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return [text for text in texts if text]


def _around(text, found):
    return repr(text[max(0, found.start() - 15) : found.end() + 15])


RULES = (
    notebook_is_normalised,
    every_cell_was_run,
    widgets_have_static_forms,
    pictures_have_words,
    nothing_of_this_machine,
    no_bare_arrays,
    few_digits,
)
