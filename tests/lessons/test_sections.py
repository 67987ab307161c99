"""Each section of each lesson runs after the import cell alone, without a kernel."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lessons.toy import code, lesson, prose
from tests.models import lessons_that_run

ROOT = Path(__file__).parents[2]


def run(path):
    """Run the sections of a notebook in a process without threads, which can be forked."""
    return subprocess.run(
        [sys.executable, "-m", "tests.lessons.sections", str(path)],
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize("path", lessons_that_run(), ids=lambda path: path.stem)
def test_every_section_runs_alone(path):
    finished = run(path)
    assert finished.returncode == 0, finished.stderr


@pytest.fixture
def toy(tmp_path):
    def write(*cells):
        path = tmp_path / "01_toy.ipynb"
        path.write_text(lesson(dict(enumerate(cells))).text, encoding="utf-8")
        return path

    return write


IMPORTS = code("import math\ncount = [0]", "imports")


def test_sections_see_the_imports_and_not_each_other(toy):
    path = toy(prose("# T"), IMPORTS, prose("## A"), code("x = math.pi; count[0] += 1"), prose("## B"), code("x"))
    finished = run(path)
    assert finished.returncode == 1
    assert "the section 'B' does not run after the imports alone" in finished.stderr
    assert "NameError: name 'x'" in finished.stderr
    assert "'A'" not in finished.stderr


def test_what_one_section_changes_another_does_not_see(toy):
    change = "assert count == [0]\ncount[0] += 1"
    path = toy(IMPORTS, prose("## A"), code(change), prose("## More"), prose("### B"), code(change))
    assert run(path).returncode == 0


def test_a_needed_section_runs_first(toy):
    path = toy(IMPORTS, prose("## Train it"), code("w = 1"), prose("## Look"), code("assert w", "needs:train-it"))
    assert run(path).returncode == 0


def test_inspect_reads_a_cells_source_and_an_exit_is_heard(toy):
    read = "import inspect\ndef f():\n    return 1\nassert 'return 1' in inspect.getsource(f)"
    assert run(toy(IMPORTS, prose("## A"), code(read))).returncode == 0
    for status in (0, 3):
        said = run(toy(IMPORTS, prose("## A"), code(f"import os\nos._exit({status})"))).stderr
        assert f"the process ended with status {status}" in said
