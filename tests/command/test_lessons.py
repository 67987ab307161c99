"""The reader's copies: what is theirs is never written over, whatever was lost, interrupted or made newer."""

import json
import os

import pytest

from attention_lab.command import lessons as subject
from attention_lab.command.lessons import MEMORY, copy_lessons, holds_lessons, lessons, lessons_folder, renew, title

FILE = "01_b.ipynb"


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Three small lessons that a test can make newer."""
    folder = tmp_path / "course"
    folder.mkdir()
    for name in ("00_a.ipynb", FILE, "02_c.ipynb"):
        (folder / name).write_text(f"old {name}")
    monkeypatch.setattr(subject, "lessons_folder", lambda: folder)
    return folder


@pytest.fixture
def mine(tmp_path, course):
    """A folder of the reader's with copies of the three, in an odd place."""
    folder = tmp_path / "meine Übungen" / "it's $HOME"
    assert states(copy_lessons(folder)) == ["new"] * 3
    return folder


def states(copies):
    return [copy.state for copy in copies]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_every_lesson_is_copied_as_it_came(tmp_path):
    copies = copy_lessons(tmp_path / "new")
    assert [copy.path.read_bytes() for copy in copies] == [path.read_bytes() for path in lessons().values()]
    assert names(tmp_path / "new") == sorted([MEMORY, *(path.name for path in lessons_folder().glob("*.ipynb"))])
    assert holds_lessons(tmp_path / "new")
    assert not holds_lessons(tmp_path)


def test_the_title_is_the_first_heading():
    assert title(lessons()["01"]) == "Scaled dot-product attention"


def test_a_second_copy_changes_nothing(mine):
    before = {name: os.stat(mine / name).st_mtime_ns for name in names(mine)}
    assert states(copy_lessons(mine)) == ["same"] * 3
    assert {name: os.stat(mine / name).st_mtime_ns for name in names(mine)} == before


def test_what_is_missing_comes_back(mine):
    (mine / FILE).unlink()
    assert states(copy_lessons(mine)) == ["same", "new", "same"]


def test_what_the_reader_changed_is_left_alone(mine):
    (mine / FILE).write_text("mine")
    assert states(copy_lessons(mine)) == ["same", "yours", "same"]
    assert (mine / FILE).read_text() == "mine"
    assert len(names(mine)) == 4


def test_a_newer_lesson_takes_the_place_of_an_unchanged_one(mine, course):
    (course / FILE).write_text("newer")
    assert states(copy_lessons(mine)) == ["same", "updated", "same"]
    assert (mine / FILE).read_text() == "newer"
    assert states(copy_lessons(mine)) == ["same"] * 3


def test_a_newer_lesson_is_put_beside_a_changed_one_once(mine, course):
    (mine / FILE).write_text("mine")
    (course / FILE).write_text("newer")
    copy = copy_lessons(mine)[1]
    assert copy == (FILE, "beside", mine / "01_b.new.ipynb")
    assert (mine / FILE).read_text() == "mine"
    assert copy.path.read_text() == "newer"
    assert states(copy_lessons(mine)) == ["same", "yours", "same"]
    assert len(names(mine)) == 5


def test_the_one_beside_may_be_changed_too(mine, course):
    (mine / FILE).write_text("mine")
    (mine / "01_b.new.ipynb").write_text("mine too")
    (course / FILE).write_text("newer")
    assert copy_lessons(mine)[1].path == mine / "01_b.new-2.ipynb"
    assert (mine / "01_b.new.ipynb").read_text() == "mine too"


def test_renewing_puts_a_fresh_copy_beside(mine, course):
    assert states(renew(["01"], mine)) == ["same"]
    (mine / FILE).write_text("mine")
    assert renew(["01"], mine) == renew(["01"], mine) == [(FILE, "beside", mine / "01_b.new.ipynb")]
    (mine / FILE).unlink()
    assert states(renew(["01"], mine)) == ["new"]
    (course / FILE).write_text("newer")
    assert states(renew(["01"], mine)) == ["updated"]


@pytest.mark.parametrize("damaged", [None, b"", b"5", b"\xff", b'{"01_b.ipynb": 1}', b"[" * 100_000])
def test_without_its_memory_everything_different_is_the_readers(mine, course, damaged):
    (course / FILE).write_text("newer")
    (mine / MEMORY).unlink() if damaged is None else (mine / MEMORY).write_bytes(damaged)
    assert states(copy_lessons(mine)) == ["same", "beside", "same"]
    assert (mine / FILE).read_text() == f"old {FILE}"
    assert states(copy_lessons(mine)) == ["same", "yours", "same"]


@pytest.mark.parametrize("make", [os.mkdir, lambda path: os.symlink("nowhere", path)], ids=["folder", "dangling link"])
def test_something_else_of_that_name_is_left_alone(mine, make):
    (mine / FILE).unlink()
    make(mine / FILE)
    before = os.lstat(mine / FILE)
    assert states(copy_lessons(mine)) == ["same", "yours", "same"]
    (mine / MEMORY).unlink()
    assert states(copy_lessons(mine)) == ["same", "beside", "same"]
    assert os.lstat(mine / FILE) == before


def test_an_interrupted_copy_is_finished_by_the_next(tmp_path, course, monkeypatch):
    write = subject._write

    def interrupted(path, content):
        if path.name == FILE:
            raise KeyboardInterrupt
        write(path, content)

    monkeypatch.setattr(subject, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        copy_lessons(tmp_path / "mine")
    assert list(json.loads((tmp_path / "mine" / MEMORY).read_text())) == ["00_a.ipynb"]
    monkeypatch.undo()
    monkeypatch.setattr(subject, "lessons_folder", lambda: course)
    assert states(copy_lessons(tmp_path / "mine")) == ["same", "new", "new"]


def test_no_half_of_a_file_is_left(tmp_path, course, monkeypatch):
    monkeypatch.setattr("attention_lab.runs.files.os.replace", lambda *paths: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        copy_lessons(tmp_path / "mine")
    assert names(tmp_path / "mine") == []


def test_what_cannot_be_written_is_named(mine, monkeypatch):
    def full(self, content):
        raise OSError(28, "No space left on device", str(self))

    (mine / FILE).unlink()
    monkeypatch.setattr(type(mine), "write_bytes", full)
    with pytest.raises(OSError, match="No space left") as caught:
        copy_lessons(mine)
    assert caught.value.filename == str(mine / FILE)
    assert names(mine) == [MEMORY, "00_a.ipynb", "02_c.ipynb"]


def test_a_folder_that_cannot_remember_still_gets_its_lessons(mine, monkeypatch):
    def refused(path, content):
        raise PermissionError(13, "Permission denied", str(path))

    (mine / MEMORY).unlink()
    monkeypatch.setattr(subject, "_write", refused)
    assert states(copy_lessons(mine)) == ["same"] * 3
    (mine / FILE).unlink()
    with pytest.raises(PermissionError):
        copy_lessons(mine)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match="file is not a folder"):
        copy_lessons(tmp_path / "file")


@pytest.mark.parametrize("below", ["", "below"])
def test_a_link_that_leads_nowhere_is_no_folder(tmp_path, below):
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(NotADirectoryError, match="link is not a folder"):
        copy_lessons(tmp_path / "link" / below)


def test_the_course_is_not_copied_onto_itself(course, tmp_path):
    with pytest.raises(FileExistsError, match="where the lessons come from"):
        copy_lessons(tmp_path / "x" / ".." / "course")
    assert names(course) == ["00_a.ipynb", FILE, "02_c.ipynb"]


def test_an_installation_without_lessons_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(subject, "__file__", str(tmp_path / "a" / "b" / "lessons.py"))
    with pytest.raises(FileNotFoundError, match="has no lessons"):
        lessons_folder()
