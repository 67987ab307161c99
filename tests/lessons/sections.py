"""Run each section of a lesson after its imports alone: ``python -m tests.lessons.sections notebooks/01_....ipynb``.

The imports run once, then every section in a fork of its own, so that no section leans on another by accident.
There is no kernel: the code must be plain Python. A section whose cells carry the tag ``needs:train`` runs after
the section titled "Train".
"""

import ast
import linecache
import os
import sys
import traceback
from pathlib import Path

from IPython.display import display

from tests.lessons.lesson import Lesson


def run_sections(lesson):
    """Title to traceback, for the sections that fail."""
    space = {"__name__": "__main__", "display": display}
    if lesson.imports is not None:
        run_cell(lesson.imports, space)
    failures = {}
    for section in lesson.sections:
        cells = [*needed_cells(lesson, section), *section.code]
        said = in_a_fork(lambda cells=cells: run_cells(cells, lesson, space)) if cells else ""
        if said:
            failures[section.title] = said
    return failures


def needed_cells(lesson, section):
    """The code of the earlier sections that this one names by ``needs:`` tags, and of those that they name."""
    wanted = {name for cell in section.code for name in cell.tagged("needs")}
    needed = []
    for other in lesson.sections:
        if other is section:
            break
        if slug(other.title) in wanted:
            needed += [cell for cell in [*needed_cells(lesson, other), *other.code] if cell not in needed]
    return needed


def slug(title):
    """``train-it`` of "Train it"."""
    return title.lower().replace(" ", "-")


def run_cells(cells, lesson, space):
    for cell in cells:
        if cell is not lesson.imports:
            run_cell(cell, space)


def run_cell(cell, space):
    """Execute one cell; its source stays readable for inspect, as in a kernel."""
    name = f"<cell {cell.number}>"
    linecache.cache[name] = (len(cell.source), None, cell.source.splitlines(keepends=True), name)
    tree = ast.parse(cell.source, filename=name)
    exec(compile(tree, name, "exec"), space)


def in_a_fork(action):
    """The traceback of an action that runs in a forked process; "" where it ends well."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        said = ""
        try:
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115, it lives as long as the child
            action()
        except BaseException:  # the child ends here, whatever was raised
            said = traceback.format_exc()
        with os.fdopen(writer, "w") as pipe:
            pipe.write(said)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return said or (f"the process ended with status {status}" if status else "")


def main():
    path = Path(sys.argv[1]).resolve()
    os.chdir(path.parent)
    failures = run_sections(Lesson.read(path))
    for title, said in failures.items():
        print(f"{path.name}: the section '{title}' does not run after the imports alone:\n{said}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
