"""What is typed, what is said, and the exit status."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attention_lab.command import actions, arguments, main
from attention_lab.command.lessons import lessons
from attention_lab.runs.record import note

CHANGED = "05_positions.ipynb"
ALL = len(lessons())


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder to stand in."""
    folder = tmp_path / "hier ü"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def opened(monkeypatch):
    """What JupyterLab was started with; it does not start."""
    labapp = pytest.importorskip("jupyterlab.labapp")
    calls = []
    monkeypatch.setattr(labapp.LabApp, "launch_instance", calls.append)
    return calls


def run(capsys, *words):
    """Exit status, standard output, standard error."""
    status = main(words)
    return status, *capsys.readouterr()


def test_lessons_are_copied_and_jupyterlab_is_opened(place, opened, capsys):
    status, out, err = run(capsys, "--no-browser", "--", "--port=1", "--x")
    folder = place / arguments.FOLDER
    assert (status, err) == (0, "")
    assert out.startswith(f"{folder}: {ALL} lessons, {ALL} copied.\nOpening JupyterLab.")
    [given] = opened
    first = "--LabApp.default_url=/lab/tree/00_start_here.ipynb"
    given.remove("--allow-root") if "--allow-root" in given else None
    assert given == [f"--ServerApp.root_dir={folder}", first, "--no-browser", "--port=1", "--x"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there is no root here")
@pytest.mark.parametrize("user", [0, 1000])
def test_root_need_not_insist(place, opened, monkeypatch, user):
    monkeypatch.setattr(actions.os, "geteuid", lambda: user)
    assert main([]) == 0
    assert ("--allow-root" in opened[0]) == (user == 0)


def test_a_second_time_in_the_folder_itself(place, capsys, monkeypatch):
    assert run(capsys, "mine", "--copy-only") == (0, f"{place / 'mine'}: {ALL} lessons, {ALL} copied.\n", "")
    monkeypatch.chdir(place / "mine")
    Path(CHANGED).write_text("mine")
    _, out, _ = run(capsys, "--copy-only")
    assert out == f"{place / 'mine'}: {ALL} lessons, {ALL - 1} as they came, 1 changed by you and left alone.\n"
    status, out, _ = run(capsys, "reset", "05", "7")
    assert status == 0
    assert "07_gradients.ipynb: still as it came.\n" in out
    assert f"You changed {CHANGED}: it stays as it is." in out
    assert out.endswith(" The one that comes with the course: 05_positions.new.ipynb\n")
    assert Path("05_positions.new.ipynb").read_bytes() == lessons()["05"].read_bytes()
    assert Path(CHANGED).read_text() == "mine"


def test_reset_makes_what_is_missing(place, capsys):
    assert run(capsys, "reset", "00", "--folder", "a/b")[1] == "a/b/00_start_here.ipynb: fresh.\n".replace("/", os.sep)


def test_the_list_is_a_line_a_lesson(place, capsys):
    status, out, err = run(capsys, "--list")
    assert (status, err, len(out.splitlines())) == (0, "", ALL)
    assert "05  Positions\n" in out
    assert not list(place.iterdir())


def test_help_names_every_command(capsys):
    status, out, err = run(capsys, "--help")
    assert (status, err) == (0, "")
    assert all(f"attention-lab {name}" in out and f"  {name}  " in out for name in arguments.COMMANDS)
    for name in arguments.COMMANDS:
        assert run(capsys, name, "-h")[:2] == (0, run(capsys, name, "--help")[1])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek"], "did you mean  attention-lab check?"),
        (["lists"], "did you mean  attention-lab --list?"),
        ([""], "FOLDER is empty"),
        (["reset", "05", "--folder="], "FOLDER is empty"),
        (["--copy"], "unrecognized arguments: --copy"),
        (["a", "b"], "unrecognized arguments: b"),
        (["reset"], "required: LESSON"),
        (["reset", "33"], "there is no lesson 33: attention-lab --list shows them"),
        (["reset", "all"], "there is no lesson all"),
        (["reset", ""], "there is no lesson '': attention-lab --list shows them"),
        (["05"], "all lessons open together, without a number. A folder of that name is ./05"),
        (["5", "--copy-only"], "A folder of that name is ./5"),
        (["--list", "mine"], "--list takes no FOLDER, got mine"),
        (["check", "now"], "unrecognized arguments: now"),
        (["progress", "--", "--port=1"], "what stands after -- is for JupyterLab"),
        (["--list", "--", "--port=1"], "what stands after -- is for JupyterLab"),
        (["--copy-only", "--no-browser"], "not allowed with"),
    ],
)
def test_arguments_that_make_no_sense(place, opened, capsys, words, said):
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert said in err
    assert not opened
    assert not list(place.iterdir())


def test_a_folder_may_be_called_like_a_command(place):
    (place / "chek").mkdir()
    assert main(["chek", "--copy-only"]) == main(["./check", "--copy-only"]) == 0
    assert (place / "check" / CHANGED).exists()


def test_the_home_folder_is_understood(place, monkeypatch):
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("USERPROFILE", str(place))
    assert main(["~/course", "--copy-only"]) == 0
    assert (place / "course" / CHANGED).exists()


def test_what_cannot_be_done_is_one_sentence(place, opened, capsys, monkeypatch):
    Path("file").touch()
    assert run(capsys, "file") == (1, "", "attention-lab: file is not a folder\n")
    assert run(capsys, "file/below")[::2] == (1, f"attention-lab: file{os.sep}below: Not a directory\n")
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", None)
    status, out, err = run(capsys, "new")
    assert (status, out) == (1, "")
    assert err.startswith("attention-lab: JupyterLab is missing: run  ")
    assert not Path("new").exists()
    assert not opened


@pytest.mark.parametrize("variable", ["JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"])
def test_a_home_in_which_jupyterlab_cannot_run_is_one_sentence(place, opened, capsys, monkeypatch, variable):
    Path("file").touch()
    monkeypatch.delenv("JUPYTER_RUNTIME_DIR", raising=False)
    monkeypatch.setenv(variable, str(place / "file"))
    status, out, err = run(capsys, "new")
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert str(place / "file") in err and f"set the environment variable {variable} to" in err
    assert not opened and not Path("new").exists()
    assert f"mend  {err.removeprefix('attention-lab: ')}" in run(capsys, "check")[1]


def test_ctrl_c_is_no_traceback(monkeypatch):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(actions, "show_list", interrupted)
    assert main(["--list"]) == 130


def test_progress_is_shown_and_cleared(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ATTENTION_LAB_HOME", str(tmp_path))
    note("exercises", "softmax", True)
    status, out, _ = run(capsys, "progress")
    assert status == 0
    assert "1 exercises tried, 1 solved" in out
    assert str(tmp_path) in out
    assert run(capsys, "progress", "--clear")[1].startswith("Your record is empty.")
    assert not list(tmp_path.iterdir())


def test_a_record_that_cannot_be_cleared(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ATTENTION_LAB_HOME", str(tmp_path))
    (tmp_path / "record.jsonl").mkdir()
    status, _, err = run(capsys, "progress", "--clear")
    assert status == 1
    assert err.startswith("attention-lab: your record cannot be deleted: ")


def module(*words, **about):
    """The command in a process of its own, without a terminal."""
    command = [sys.executable, "-m", "attention_lab", *words]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **about)


def test_the_module_is_the_command(place):
    shown = module("--version", cwd=place, env={**os.environ, "PYTHONPATH": str(Path(arguments.__file__).parents[2])})
    assert (shown.returncode, shown.stdout[:14], shown.stderr) == (0, "attention-lab ", "")
    assert module("reset", "33").returncode == 2


def test_without_an_output_it_works_all_the_same(place, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["--copy-only"]) == 0
    assert (place / arguments.FOLDER / CHANGED).exists()


def test_a_pipe_may_know_no_umlaut(place):
    shown = module("ü", "--copy-only", cwd=place, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"\\xfc: {ALL} lessons, {ALL} copied." in shown.stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes there end otherwise")
def test_the_reader_of_a_pipe_may_go():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write) as gone:
        command = [sys.executable, "-m", "attention_lab", "--list"]
        held = {**os.environ, "PYTHONUNBUFFERED": ""}  # what is said is held back to the end
        ended = subprocess.run(command, stdout=gone, stderr=subprocess.PIPE, text=True, env=held)
    assert (ended.returncode, ended.stderr) == (1, "")
