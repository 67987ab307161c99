"""Run the lessons and store their outputs: ``make lessons``, or ``python -m tests.lessons.execute [05] [--fresh]``.

A second run changes no byte. A cell tagged ``nbval-ignore-output`` keeps the output it was committed with, unless
``--fresh`` is given. A lesson in which a cell fails is left as it was.
"""

import argparse
import copy
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from tests.lessons.normalise import normalise, to_text
from tests.models import left_out

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
IGNORED = "nbval-ignore-output"
SECONDS_PER_CELL = 120


class LessonError(Exception):
    """A lesson did not run through; the message names the notebook, the cell and the error."""


def refresh(path, *, fresh=False, run=True):
    """Execute (where ``run``) and normalise one notebook file; return whether its text changed."""
    path = Path(path)
    before = path.read_text(encoding="utf-8")
    committed = nbformat.reads(before, as_version=4)
    notebook = copy.deepcopy(committed)
    if run:
        execute(notebook, path)
    normalise(notebook)
    if run and not fresh:
        keep_ignored(notebook, normalise(committed))
    text = to_text(notebook)
    if text != before:
        write_atomically(path, text)
    return text != before


def execute(notebook, path):
    """Run every cell in a new kernel, in the notebook's own folder; raise LessonError at the first that fails."""
    started = []
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--IPKernelApp.log_level=40"],  # a local kernel need not say that it is not encrypted
        store_widget_state=True,  # errors in callbacks are found there
        resources={"metadata": {"path": str(path.parent)}},
        on_cell_start=lambda cell, cell_index: started.append(cell_index),
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise _lesson_error(path, notebook, started, f"{error.ename}: {error.evalue}") from None
    except CellTimeoutError:
        raise _lesson_error(path, notebook, started, f"it ran for more than {SECONDS_PER_CELL} s") from None
    except DeadKernelError:
        raise _lesson_error(path, notebook, started, "the kernel died") from None
    errors = widget_errors(notebook)
    if errors:
        raise LessonError(f"{path.name}, in a widget's callback: {errors[0]}")


def widget_errors(notebook):
    """Errors that were caught by Output widgets: nbclient itself does not report them."""
    models = notebook.metadata.get("widgets", {}).get(WIDGET_STATE, {}).get("state", {})
    outputs = [output for model in models.values() for output in model["state"].get("outputs") or []]
    return [f"{output['ename']}: {output['evalue']}" for output in outputs if output["output_type"] == "error"]


def keep_ignored(notebook, committed):
    """Give the cells whose outputs are not compared the outputs that were committed. Both are normalised."""
    kept = {cell.id: cell for cell in committed.cells if IGNORED in cell.metadata.get("tags", [])}
    for cell in notebook.cells:
        old = kept.get(cell.id)
        if old is not None and old.cell_type == "code" and old.execution_count is not None:
            cell.outputs = old.outputs
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = cell.execution_count


def write_atomically(path, text):
    """Replace a file by a whole new one, so that an interruption leaves the old text or the new, never half."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _lesson_error(path, notebook, started, what):
    if not started:
        return LessonError(f"{path.name}, before the first cell: {what}")
    first_line = notebook.cells[started[-1]].source.strip().partition("\n")[0]
    return LessonError(f"{path.name}, cell {started[-1] + 1} ({first_line}): {what}")


def find_notebooks(selection, folder=NOTEBOOKS):
    """The notebook files whose names begin with ``selection`` ("05", "05_positions.ipynb", "" for all)."""
    found = sorted(folder.glob(f"{Path(selection).name}*" if selection else "*.ipynb"))
    found = [path for path in found if path.suffix == ".ipynb"]
    if not found:
        raise LessonError(f"no notebook in {folder.name}/ begins with {selection!r}")
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.lessons.execute", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "lesson", nargs="?", default="", help="the beginning of a file name, such as 05; all without it"
    )
    parser.add_argument("--fresh", action="store_true", help=f"replace the outputs of cells tagged {IGNORED} too")
    parser.add_argument("--no-run", action="store_true", help="normalise only")
    options = parser.parse_args(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["ATTENTION_LAB_HOME"] = ""  # nothing of the reader's own record shows in an output
    failures = 0
    try:
        paths = find_notebooks(options.lesson)
    except LessonError as error:
        sys.exit(str(error))
    absent = [] if options.lesson or options.no_run else left_out()
    for path in paths:
        if path in absent:
            print(f"left out {path.name}: its weights are not here (make models)", flush=True)
            continue
        start = time.perf_counter()
        try:
            changed = refresh(path, fresh=options.fresh, run=not options.no_run)
        except LessonError as error:
            failures += 1
            print(f"FAILED {error}", flush=True)
        else:
            seconds = time.perf_counter() - start
            print(f"{'changed' if changed else 'unchanged'} {path.name} ({seconds:.0f} s)", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
