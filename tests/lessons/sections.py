"""Run each section of a lesson after its imports alone: ``python -m tests.lessons.sections notebooks/01_....ipynb``.

The imports run once, then every section in a fork of its own, so that no section leans on another by accident.
There is no kernel: the code must be plain Python. A section whose cells carry the tag ``needs:train`` runs in a fork
of the process that ran the section titled "Train", so that many may need what was trained once.
"""

import ast
import json
import linecache
import os
import sys
import traceback
from pathlib import Path

from IPython.display import display

from attention_lab import heatmap
from attention_lab.teaching.lesson import Lesson, needed_sections
from tests.lessons.figures import look_at, watched


def run_sections(lesson):
    """Title to traceback, for the sections that fail."""
    space = {"__name__": "__main__", "display": display}
    if lesson.imports is not None:
        run_cell(lesson.imports, space)
    heatmap([[1.0]])  # what drawing needs is loaded once, not in every fork
    chains = [[*needed_sections(lesson, section), section] for section in lesson.sections if section.code]
    return run_below([], chains, lesson, space)


def run_below(done, chains, lesson, space):
    """Run every section that comes next after those already done, each in a fork, and in that fork what needs it."""
    failures = {}
    for section in lesson.sections:
        path = [*done, section]
        below = [chain for chain in chains if chain[: len(path)] == path]
        if below:
            said = in_a_fork(lambda path=path, below=below: run_and_go_on(path, below, lesson, space))
            failures |= said if isinstance(said, dict) else {chain[-1].title: said for chain in below}
    return failures


def run_and_go_on(path, chains, lesson, space):
    run_cells(path[-1].code, lesson, space)
    return run_below(path, chains, lesson, space)


def run_cells(cells, lesson, space):
    for cell in cells:
        if cell is not lesson.imports:
            with watched() as pictures:
                run_cell(cell, space)
            look_at(cell, pictures)


def run_cell(cell, space):
    """Execute one cell; its source stays readable for inspect, as in a kernel."""
    name = f"<cell {cell.number}>"
    linecache.cache[name] = (len(cell.source), None, cell.source.splitlines(keepends=True), name)
    tree = ast.parse(cell.source, filename=name)
    exec(compile(tree, name, "exec"), space)


def in_a_fork(action):
    """What an action returns that runs in a forked process; where it fails, the traceback."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115, it lives as long as the child
            said = action()
        except BaseException:  # the child ends here, whatever was raised
            said = traceback.format_exc()
        with os.fdopen(writer, "w") as pipe:
            json.dump(said, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(said) if said else f"the process ended with status {os.waitstatus_to_exitcode(status)}"


def main():
    path = Path(sys.argv[1]).resolve()
    os.chdir(path.parent)
    failures = run_sections(Lesson.read(path))
    for title, said in failures.items():
        print(f"{path.name}: the section '{title}' does not run after the imports alone:\n{said}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
