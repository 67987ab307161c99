"""The wheel in an environment of its own, far from this folder: it carries all that the lessons need, and no more.

The environment is new, and finds the other packages where this one has them: so nothing is fetched.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest

from attention_lab.command.lessons import lessons
from tests.lessons.execute import keep_ignored
from tests.lessons.lesson import NOTEBOOKS
from tests.lessons.normalise import normalise, to_text

pytest.importorskip("hatchling")
pytest.importorskip("pip")
pytestmark = pytest.mark.slow

ROOT = NOTEBOOKS.parent
LEFT = shutil.ignore_patterns(".git", ".venv*", ".hypothesis", "*_cache", "__pycache__", "build", "dist", "test-*")
JUNK = ["notebooks/.ipynb_checkpoints/00-checkpoint.ipynb", "notebooks/notes.txt", "attention_lab/__pycache__/a.pyc"]
EXECUTE = """
import sys, nbclient, nbformat
path, folder = sys.argv[1:]
notebook = nbformat.read(path, 4)
resources = {"metadata": {"path": folder}}
nbclient.NotebookClient(notebook, timeout=120, record_timing=False, resources=resources).execute()
nbformat.write(notebook, path)
"""


def call(*command, **about):
    """What a command prints; where it fails, the test shows what it said."""
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, **about)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def build(kind, source, into):
    call(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", into, cwd=source)
    [path] = into.iterdir()
    return path


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("odd ü")


@pytest.fixture(scope="module")
def source(scratch):
    """A copy of the project, with the litter of a working day."""
    copy = shutil.copytree(ROOT, scratch / "source", ignore=LEFT)
    for name in JUNK:
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).touch()
    return copy


@pytest.fixture(scope="module")
def wheel(scratch, source):
    return build("wheel", source, scratch / "wheel")


@pytest.fixture(scope="module")
def there(scratch, wheel):
    """A function that runs a program of the new environment from another folder."""
    home = scratch / "env"
    venv.create(home)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    call(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel)
    [packages] = {path.parent for path in home.rglob("attention_lab/__init__.py")}
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    (packages.parent / "borrowed.pth").write_text("\n".join(borrowed), encoding="utf-8")
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environ["JUPYTER_PATH"] = os.path.join(sys.prefix, "share", "jupyter")

    def run(program, *words):
        return call(programs / program, *words, cwd=scratch, env=environ)

    return run


def test_the_wheel_holds_the_package_and_the_lessons_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {path.relative_to(ROOT) for path in (ROOT / "attention_lab").rglob("*") if path.is_file()}
    files = {path.as_posix() for path in package if not {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)}
    assert names == files | {f"attention_lab/notebooks/{path.name}" for path in lessons().values()}


def test_a_wheel_made_from_the_source_archive_is_the_same(source, wheel, scratch):
    archive = build("sdist", source, scratch / "sdist")
    with tarfile.open(archive) as packed:
        packed.extractall(scratch / "unpacked", filter="data")
    [unpacked] = (scratch / "unpacked").iterdir()
    assert not [name for name in JUNK[:1] + JUNK[2:] if (unpacked / name).exists()]
    assert build("wheel", unpacked, scratch / "again").read_bytes() == wheel.read_bytes()


def test_the_command_runs_from_another_folder(there, scratch):
    assert there("attention-lab", "--version") == there("python", "-m", "attention_lab", "--version")
    where = "from attention_lab.command.lessons import lessons_folder as found; print(found())"
    assert Path(there("python", "-c", where).strip()).is_relative_to(scratch / "env")
    assert len(there("attention-lab", "--list").splitlines()) == len(lessons())
    report = there("attention-lab", "check")
    assert "kernel: it runs in the environment of JupyterLab, and a slider that moves reaches it" in report


def test_a_lesson_that_was_copied_runs_and_is_the_readers_then(there, scratch):
    there("attention-lab", "mine", "--copy-only")
    committed, mine = lessons()["00"], scratch / "mine" / lessons()["00"].name
    assert mine.read_bytes() == committed.read_bytes()
    there("python", "-c", EXECUTE, mine, mine.parent)
    notebook, expected = (normalise(nbformat.read(path, 4)) for path in (mine, committed))
    keep_ignored(notebook, expected)
    if os.environ.get("LAX"):  # on other versions, see the Makefile, pictures have other pixels
        for cell in (*notebook.cells, *expected.cells):
            cell.update({"outputs": []} if cell.cell_type == "code" else {})
    assert to_text(notebook) == to_text(expected)
    assert "1 changed by you and left alone" in there("attention-lab", "mine", "--copy-only")
