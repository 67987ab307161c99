"""One spelling for a notebook: the same lesson, executed twice, gives the same bytes."""

import hashlib
import re

import nbformat

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
STATIC_FORMS = ("text/html", "image/png", "image/svg+xml")
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = ("tags", "jupyter", "editable", "deletable", "slideshow")
# What JupyterLab folds when a lesson is opened, by cell tag: an answer below its question, code that builds a demo.
FOLDED = {"answer": "outputs_hidden", "build": "source_hidden"}
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b", re.IGNORECASE)


def normalise(notebook):
    """The notebook, changed in place: stable ids and counts, nothing that differs from run to run.

    A cell's id is a digest of its source, so a cell that was inserted or moved leaves the others' ids alone.
    """
    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen, count = {}, 0
    for cell in notebook.cells:
        cell.id = _cell_id(cell, seen)
        cell.metadata = _metadata(cell)
        if cell.cell_type == "code":
            count += cell.execution_count is not None
            cell.execution_count = None if cell.execution_count is None else count
            cell.outputs = _outputs(cell)
    _renumber_widgets(notebook)
    return notebook


def to_text(notebook):
    """The text of a notebook file."""
    return nbformat.writes(notebook) + "\n"


def _cell_id(cell, seen):
    digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
    seen[digest] = seen.get(digest, 0) + 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _metadata(cell):
    metadata = {name: entry for name, entry in cell.metadata.items() if name in CELL_METADATA and entry}
    folded = {fold: True for tag, fold in FOLDED.items() if tag in metadata.get("tags", ())}
    if folded:
        metadata["jupyter"] = folded
    return nbformat.from_dict(metadata)


def _outputs(cell):
    outputs = []
    for output in cell.outputs:
        if output.output_type == "stream":
            output.text = ADDRESS.sub("0x0", output.text)
            if outputs and outputs[-1].output_type == "stream" and outputs[-1].name == output.name:
                outputs[-1].text += output.text
                continue
        elif output.output_type == "execute_result":
            output.execution_count = cell.execution_count
        _tidy_data(output.get("data", {}))
        outputs.append(output)
    return outputs


def _tidy_data(data):
    if "text/plain" in data:
        data["text/plain"] = ADDRESS.sub("0x0", data["text/plain"])
    if any(form in data for form in STATIC_FORMS):
        data.pop(WIDGET_VIEW, None)  # without a kernel it would hide the static form behind "model not found"


def _renumber_widgets(notebook):
    """Give the widgets that have no static form the same made-up ids in every run."""
    numbers = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(WIDGET_VIEW)
            if view:
                view["model_id"] = f"{numbers.setdefault(view['model_id'], len(numbers)):032x}"
