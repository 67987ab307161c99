"""One lesson under conditions: ``python -m tests.conditions.lesson 05_positions.ipynb '{"threads": 2, ...}'``.

It says what failed, and stores nothing.
"""

import json
import re
import sys

import nbformat

from tests.lessons.execute import NOTEBOOKS, LessonError, execute

BEGIN = "from tests.conditions.kernel import begin; begin(**{!r})"
ONE_EXAMPLE = "one-example"  # the tag of a cell that speaks of one drawn example: its seeds stay as written
DEFAULT_RNG = re.compile(r"\bnp\.random\.default_rng\b")


def prepared(notebook, conditions):
    """The notebook, changed in place: its first code cell begins with the conditions."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in code:
        if ONE_EXAMPLE in cell.metadata.get("tags", ()):
            cell.source = DEFAULT_RNG.sub("np.random.default_rng.as_written", cell.source)
    code[0].source = f"{BEGIN.format(conditions)}\n{code[0].source}"
    return notebook


def main(name, conditions):
    path = NOTEBOOKS / name
    notebook = nbformat.read(path, as_version=4)
    try:
        execute(prepared(notebook, json.loads(conditions)), path)
    except LessonError as error:
        return str(error)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
