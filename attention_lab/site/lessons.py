"""A lesson as a page: outputs as committed, answers folded, each picture with its sentence, terms linked."""

import ast
import re

from nbformat.v4 import new_output

from attention_lab.teaching import predict
from attention_lab.teaching.lesson import FENCE, Cell, called_name, has_demo
from attention_lab.teaching.question_text import explained

FOLDED = {"answer": "hide-output", "build": "hide-input"}
ASKING = ("predict", "recall", "closing", "because")
CALL_TO_RUN = re.compile(r"<p><small>Run this cell to choose an answer\.</small></p>")
ROW = re.compile(r"^\| ([^|\n]+?) \|(?=[^|\n]*\| \d\d)", re.MULTILINE)
NOTE = (
    "*Here the lesson stands as it was saved. To move its sliders and to lock answers, run it: "
    "[how to start](../index.md#Start).*"
)
STILL = (
    '<p class="al-still">A still picture of the demo. Its sliders move where the lesson runs: '
    '<a href="../index.html#Start">how to start</a>.</p>'
)
BOLD = re.compile(r"\*\*([^*\n]+?)\*\*")


def page(notebook, terms, home="", number=""):
    """A notebook as Sphinx is to read it, changed in place.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        A lesson with its outputs.
    terms : dict
        From a term of the glossary to the id of its row.
    home : str
        The address of the page with the glossary, seen from this one.
    number : str
        The lesson's number, by which other lessons speak of it; its title begins with it, here and at the side.
    """
    first = notebook.cells[0]
    if number:
        first.source = first.source.replace("# ", f"# {number} ", 1)
    first.source = first.source.replace("\n\n## ", f"\n\n{NOTE}\n\n## ", 1)
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", ())
        cell.metadata = type(cell.metadata)(tags=[FOLDED[tag] for tag in tags if tag in FOLDED])
        if cell.cell_type == "markdown":
            cell.source = _outside_fences(cell.source, lambda text: _link(text, terms, home))
        for output in cell.get("outputs", ()):
            _finish(output.get("data", {}), cell)
        if has_demo(Cell(0, cell.cell_type, cell.source, frozenset())):
            cell.outputs.append(new_output("display_data", {"text/html": STILL}))


def anchor(title):
    """The anchor of a heading, as JupyterLab spells it: lessons link to each other's sections so.

    Examples
    --------
    >>> anchor("Closing questions")
    'Closing-questions'
    """
    return title.strip().replace(" ", "-")


def glossary(notebook):
    """From each term in the glossary's table to an id; the rows of that table get these ids, in place.

    A row may name several terms, and a term may stand in several rows: the first one is its meaning.
    """
    terms = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and "### Glossary" in cell.source:
            cell.source = ROW.sub(lambda row: _with_id(row[1], terms), cell.source)
    return terms


def _with_id(names, terms):
    names_of_row = [_plain(name) for name in names.split(",")]
    new = [name for name in names_of_row if name not in terms]
    id = f"term-{re.sub(r'[^a-z0-9]+', '-', names_of_row[0])}"
    terms.update(dict.fromkeys(new, id))
    return f'| <span id="{id}"></span>{names} |' if names_of_row[0] in new else f"| {names} |"


def _link(text, terms, home):
    """Each bold term of the glossary is a link to its row."""

    def linked(bold):
        name = _plain(bold[1])
        id = terms.get(name) or terms.get(name.removesuffix("s"))
        return f'<a class="al-term" href="{home}#{id}">{bold[0]}</a>' if id else bold[0]

    return BOLD.sub(linked, text)


def _plain(term):
    return re.sub(r"[*`]", "", term).strip(" .:").lower()


def _outside_fences(text, change):
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def _finish(data, cell):
    """Give a picture its sentence and a question its answers, folded."""
    if "image/png" in data:
        cell.metadata["mystnb"] = {"image": {"alt": data["text/plain"]}}
    if "text/html" in data:
        data["text/html"] = CALL_TO_RUN.sub(lambda call: _answers(cell.source) or call[0], data["text/html"])


def _answers(source):
    """The answers to the questions of the bank that a cell asks, computed now; nothing where it asks others."""
    told = [explained(question) for call in _asking(source) for question in call.questions]
    if len(told) > 1:
        told = [f"<p><strong>Question {i}</strong></p>{text}" for i, text in enumerate(told, start=1)]
    title = "Answers" if len(told) > 1 else "Answer"
    return f'<details class="al-q al-answers"><summary>{title}</summary>{"".join(told)}</details>' if told else ""


def _asking(source):
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in calls:
        if called_name(call) in ASKING:
            yield getattr(predict, called_name(call))(*map(ast.literal_eval, call.args))
