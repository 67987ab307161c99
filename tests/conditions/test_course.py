"""The runner of conditions: seeds are shifted where they should be, the walls hold, and a broken claim is named."""

import re

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from attention_lab.teaching.name_models import name_batches
from tests.conditions import course, kernel
from tests.conditions.kernel import shifted
from tests.conditions.lesson import prepared

REAL = np.random.default_rng


def first(rng):
    return rng.integers(10**9)


@pytest.fixture
def drawn(monkeypatch):
    """What a cell's expression draws, with seeds shifted by 100."""
    monkeypatch.setattr(np.random, "default_rng", shifted(REAL, 100))

    def evaluate(expression):
        return eval(expression, {"__name__": "__main__", "np": np, "name_batches": name_batches})

    return evaluate


@pytest.mark.parametrize(
    ("seed", "other"), [("3", 103), ("np.int64(3)", 103), ("[3, 4]", [103, 4]), ("[seed for seed in (3,)]", [103])]
)
def test_a_cells_seed_is_shifted(drawn, seed, other):
    assert first(drawn(f"np.random.default_rng({seed})")) == first(REAL(other))
    assert first(drawn(f"(lambda seed: np.random.default_rng(seed))({seed})")) == first(REAL(other))
    assert first(drawn(f"np.random.default_rng.as_written({seed})")) != first(REAL(other))


def test_what_the_package_draws_is_not_shifted_but_the_batches_of_a_lesson_are(drawn):
    assert first(np.random.default_rng(3)) == first(REAL(3))  # a cell did not call it
    names = ["anna", "bob", "carl", "dora", "emil"] * 5
    inputs = drawn(f"next(name_batches({names}, 3, 8, 1))")[0]
    with pytest.MonkeyPatch.context() as unshifted:
        unshifted.setattr(np.random, "default_rng", REAL)
        assert np.array_equal(inputs, next(name_batches(names, 103, 8, 1))[0])


def test_a_cell_of_one_example_keeps_its_seeds():
    source = "rng = np.random.default_rng(1)"
    cells = [new_markdown_cell("# T"), new_code_cell("x"), new_code_cell(source)]
    tagged = new_code_cell(source, metadata={"tags": ["one-example"]})
    notebook = prepared(new_notebook(cells=[*cells, tagged]), {"threads": 2})
    _, begins, untagged, kept = [cell.source for cell in notebook.cells]
    assert begins.splitlines()[1:] == ["x"]
    assert "begin(**{'threads': 2})" in begins
    assert (untagged, kept) == (source, "rng = np.random.default_rng.as_written(1)")


@pytest.mark.parametrize(
    "said", ["the package comes from", "threads, not 97", "the network can be reached", "can be written to"]
)
def test_a_kernel_without_the_conditions_says_which(said, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 97)
    monkeypatch.setattr(kernel, "FAR_AWAY", ("127.0.0.1", 9))
    with pytest.raises(RuntimeError, match=said):
        kernel.begin(threads=97, shift=0, walls=True)


CONDITIONS = """\
import os, socket
import numpy as np
from pathlib import Path
drawn = [np.random.default_rng(3).random(), np.random.default_rng.as_written(1003).random()]
if drawn[0] != drawn[1]: raise ValueError("the seed is not shifted")
if "ü" not in str(Path.cwd()) or " " not in str(Path.home()): raise ValueError("an easy path")
if os.environ["OPENBLAS_NUM_THREADS"] != "1": raise ValueError("threads")
"""
ESCAPES = """\
for escape in (lambda: Path("x").touch(), lambda: socket.create_connection(("192.0.2.1", 80), timeout=1)):
    try:
        escape()
    except OSError as error:
        if isinstance(error, TimeoutError): raise ValueError("the network is only slow")
    else:
        raise ValueError("not held")
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The copy that the runner makes, but for the lessons: one that looks about, and one with a false claim."""
    copy_project = course.copy_project

    def copy(folder):
        copy_project(folder)
        for path in (folder / "notebooks").iterdir():
            path.unlink()
        inside = bool(course.walls(folder))
        write(folder / "notebooks" / "00_looks.ipynb", CONDITIONS, *([ESCAPES] if inside else []))
        write(folder / "notebooks" / "01_claims.ipynb", "x = 1", 'raise ValueError("3 of 3 seeds")')

    def write(path, *sources):
        cells = [new_markdown_cell("# T"), *map(new_code_cell, sources)]
        path.write_text(nbformat.writes(new_notebook(cells=cells)), encoding="utf-8")

    monkeypatch.setattr(course, "copy_project", copy)


@pytest.mark.slow
def test_conditions_hold_and_a_broken_claim_is_named(project, capsys):
    assert course.run_all(["00_looks.ipynb", "01_claims.ipynb"], [{"threads": 1, "shift": 1000}]) == 1
    said = capsys.readouterr().out
    assert "ok      00_looks.ipynb" in said
    assert "FAILED  01_claims.ipynb, cell 3 (raise ValueError" in said
    assert re.search(r"seeds \+ 1000, BLAS threads: 1 +2 +1 ", said), "two lessons, one failed"


def test_the_command_picks_lessons_and_runs_and_its_status_says_whether_all_is_well(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(course, "run_all", lambda names, runs: asked.append((names, runs)) or len(names) - 1)
    assert course.main(["05", "--run", "2"]) == 0
    assert asked == [(["05_positions.ipynb"], course.RUNS[1:2])]
    assert course.main([]) == 1
    assert len(asked[-1][0]) > 5
    with pytest.raises(SystemExit, match="2"):
        course.main(["no-such-lesson"])
    assert "begins with 'no-such-lesson'" in capsys.readouterr().err


def test_without_walls_the_table_says_so():
    rows = [({"threads": 1, "shift": 0}, 22, 0, 7.0)]
    assert "unshare is missing or not permitted" in course.table(rows, [])
    assert "unshare" not in course.table(rows, ["unshare"])
