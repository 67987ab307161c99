"""Read the files of five GLUE tasks as they are published, so that a lesson runs on real data too.

The files are not here: whoever has them gives a path. Columns stand between tabs, and a quote is only a quote.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_lab.checks import check_choice
from attention_lab.runs.files import check_path

NO_OR_YES = {"0": 0, "1": 1}
SCORE = (0.0, 5.0)


class Task(NamedTuple):
    """What the files of a task look like: the names of their columns, and what a label may be."""

    columns: tuple  # of a file with labels
    unlabelled: tuple  # of a test file
    texts: tuple  # the columns to read: one, or two for a pair
    label: str  # the column that holds it
    values: dict | tuple  # spellings and their numbers, or (lowest, highest)
    has_header: bool = True  # in the file with labels; a test file has one


_PAIR, _STRINGS = ("sentence1", "sentence2"), ("#1 ID", "#2 ID", "#1 String", "#2 String")
_ORIGIN = ("index", "genre", "filename", "year", "old_index", "source1", "source2")

TASKS = {
    "SST-2": Task(("sentence", "label"), ("index", "sentence"), ("sentence",), "label", NO_OR_YES),
    "CoLA": Task(
        ("source", "label", "mark", "sentence"), ("index", "sentence"), ("sentence",), "label", NO_OR_YES, False
    ),
    "MRPC": Task(("Quality", *_STRINGS), ("index", *_STRINGS), _STRINGS[2:], "Quality", NO_OR_YES),
    "RTE": Task(
        ("index", *_PAIR, "label"), ("index", *_PAIR), _PAIR, "label", {"not_entailment": 0, "entailment": 1}
    ),
    "STS-B": Task((*_ORIGIN, *_PAIR, "score"), (*_ORIGIN, *_PAIR), _PAIR, "score", SCORE),
}  # fmt: skip


def read_glue(path, task):
    """Read one file: train.tsv, dev.tsv or test.tsv.

    Parameters
    ----------
    path : str or Path
    task : {"SST-2", "CoLA", "MRPC", "RTE", "STS-B"}

    Returns
    -------
    texts : list of str, or list of (str, str)
        Sentences; for MRPC, RTE and STS-B pairs of them.
    labels : int array or float array, (len(texts),), or None
        SST-2: 1 positive. CoLA: 1 acceptable. MRPC: 1 the same meaning. RTE: 1 the second follows from the first.
        STS-B: how alike, from 0 to 5. None for a test file, which has no labels.

    Raises
    ------
    ValueError
        If `task` is unknown, or the file is not what it should be: the message gives file, line and what is wrong.

    Notes
    -----
    Wang et al. 2018, "GLUE: A Multi-Task Benchmark and Analysis Platform for Natural Language Understanding".

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "dev.tsv"
    >>> _ = path.write_text("sentence\\tlabel\\na fine film\\t1\\n")
    >>> read_glue(path, "SST-2")
    (['a fine film'], array([1]))
    """
    form = TASKS[check_choice("task", task, tuple(TASKS))]
    rows = _rows(path)
    columns = _columns(path, rows[0][1], form)
    if form.has_header or columns is form.unlabelled:
        rows = rows[1:]
    if not rows:
        raise ValueError(f"{path}, line 2: there is no example after the header")
    records = [_record(path, number, row, columns, form) for number, row in rows]
    texts = [texts[0] if len(texts) == 1 else texts for texts, _ in records]
    return texts, None if columns is form.unlabelled else np.array([label for _, label in records])


def write_cola(path, sentences, labels, *, source="made"):
    """Write sentences in CoLA's format: source, label, an asterisk for a wrong one, sentence.

    Parameters
    ----------
    path : str or Path
    sentences : sequence of str
    labels : sequence of int
        1 acceptable, 0 not.
    source : str
        A short word that says where the sentences are from.

    Raises
    ------
    ValueError
        If the lengths differ, a label is not 0 or 1, or a text is empty or holds a tab or the end of a line.
    """
    if len(sentences) != len(labels):
        raise ValueError(f"labels has {len(labels)} entries but sentences has {len(sentences)}: one label a sentence")
    for text in (source, *sentences):
        if not text.strip() or set("\t\r\n") & set(text):
            raise ValueError(f"{text!r} cannot be a column: it must not be empty nor hold a tab or the end of a line")
    if not set(labels) <= {0, 1}:
        raise ValueError(f"labels must be 0 or 1 but holds {sorted(set(labels) - {0, 1})}")
    rows = (f"{source}\t{int(y)}\t{'' if y else '*'}\t{text}\n" for text, y in zip(sentences, labels, strict=True))
    Path(path).write_bytes("".join(rows).encode("utf-8"))


def _rows(path):
    """(line number, columns) of each line. A line ends with a line feed alone: texts may hold other separators."""
    data = check_path(path).read_bytes().removeprefix(b"\xef\xbb\xbf")  # MRPC begins with a byte order mark
    if not data.strip():
        raise ValueError(f"{path}, line 1: the file is empty")
    rows = []
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), start=1):
        try:
            rows.append((number, line.removesuffix(b"\r").decode("utf-8").split("\t")))
        except UnicodeDecodeError as error:
            byte = f"byte {error.object[error.start]:#04x}, number {error.start + 1} of the line"
            raise ValueError(f"{path}, line {number}: {byte}, is not UTF-8: save the file as UTF-8") from None
    return rows


def _columns(path, first, form):
    """Which columns the file has, by its first line."""
    if tuple(first) == form.unlabelled:
        return form.unlabelled
    if form.has_header and tuple(first) != form.columns:
        expected = f"{_tabs(form.columns)}, or without labels {_tabs(form.unlabelled)}"
        raise ValueError(f"{path}, line 1: the header is {_tabs(first)}: expected {expected}")
    return form.columns


def _record(path, number, row, columns, form):
    """The texts of a line, and its label if the file has them."""
    if len(row) != len(columns):
        hint = "is a tab missing?" if len(row) < len(columns) else "is there a tab in a text?"
        expected = f"expected {len(columns)}, {_tabs(columns)}: {hint}"
        raise ValueError(f"{path}, line {number}: the number of columns is {len(row)}: {expected}")
    cells = dict(zip(columns, row))
    for name in form.texts:
        if not cells[name].strip():
            raise ValueError(f"{path}, line {number}: {name} is empty")
    texts = tuple(cells[name] for name in form.texts)
    if columns is form.unlabelled:
        return texts, None
    label = _label(cells[form.label], form.values)
    if label is None:
        expected = " or ".join(form.values) if isinstance(form.values, dict) else "a number from 0 to 5"
        raise ValueError(f"{path}, line {number}: {form.label} is {cells[form.label]!r}: expected {expected}")
    return texts, label


def _label(text, values):
    """The number that a label's spelling stands for, None if it is none."""
    if isinstance(values, dict):
        return values.get(text)
    try:
        score = float(text)
    except ValueError:
        return None
    return score if values[0] <= score <= values[1] else None


def _tabs(columns):
    return repr("\t".join(columns))[:120]
