"""The record: counted, whole, the reader's own; a damaged file or a folder that refuses stops nothing."""

import os
import re
import subprocess
import sys

import pytest

from attention_lab.runs.record import clear_record, is_writable, note, read_record, record_file

NOTHING = {"questions": {}, "exercises": {}}


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENTION_LAB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_under_tests_nothing_is_kept():
    assert os.environ["ATTENTION_LAB_HOME"] == ""
    note("questions", "divide-by-d", True)
    assert record_file() is None
    assert read_record() == NOTHING
    clear_record()


def test_answers_are_counted(home):
    for right in (False, True, True, False):
        note("questions", "divide-by-d", right)
    note("exercises", "softmax", True)
    assert read_record() == {
        "questions": {"divide-by-d": {"times": 4, "right": 2, "last": False}},
        "exercises": {"softmax": {"times": 1, "right": 1, "last": True}},
    }
    assert os.listdir(home) == ["record.jsonl"]
    clear_record()
    assert read_record() == NOTHING
    clear_record()


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b"[" * 100000,
        b'["questions", "a"]',
        b'["questions", "a", true, 1]',
        b'["questions", "a", 1]',
        b'["questions", ["a"], true]',
        b'["others", "a", true]',
        b'["questions", "a", tru',
        b'{"questions": {"a": {"times": 1, "right": 1, "last": true}}}',
    ],
    ids=lambda text: repr(text[:20]),
)
def test_a_damaged_line_is_as_good_as_none(home, damaged):
    home.mkdir()
    record_file().write_bytes(damaged)
    assert read_record() == NOTHING
    note("questions", "b", True)
    assert list(read_record()["questions"]) == ["b"]


def test_what_is_whole_in_a_damaged_file_stays(home):
    note("questions", "a", True)
    with record_file().open("ab") as file:
        file.write(b'\r\n?\n["questions", "b"')  # as after a crash in the middle of a line
    note("questions", "c", False)
    assert list(read_record()["questions"]) == ["a", "c"]


def test_names_are_any_text(home):
    for name in ("two\nlines", "木", "\ud800", '"'):
        note("questions", name, True)
    assert list(read_record()["questions"]) == ["two\nlines", "木", "\ud800", '"']


def test_two_notebooks_lose_nothing_of_each_other(home):
    code = "from attention_lab.runs.record import note\nfor i in range(200): note('questions', 'a', i % 2)"
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    counted = read_record()["questions"]["a"]
    assert (counted["times"], counted["right"]) == (400, 200)


@pytest.fixture(params=["file", "file/home"])
def no_folder(request, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTENTION_LAB_HOME", str(tmp_path / request.param))


def test_a_folder_that_cannot_be_made_stops_nothing(no_folder):
    assert not is_writable()
    note("questions", "a", True)
    assert read_record() == NOTHING
    clear_record()


def refuse(*arguments, **about):
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("step", ["mkdir", "open"])
def test_a_folder_that_is_read_only_stops_nothing(home, monkeypatch, step):
    assert is_writable()
    with monkeypatch.context() as change:
        change.setattr(type(home), step, refuse)
        note("questions", "a", True)
    assert read_record() == NOTHING
    assert not is_writable()  # the last answer was not kept
    note("questions", "b", True)
    assert is_writable()


def test_a_record_that_cannot_be_deleted_is_named(home, monkeypatch):
    note("questions", "a", True)
    with monkeypatch.context() as change:
        change.setattr(type(home), "unlink", refuse)
        with pytest.raises(PermissionError, match=re.escape(f"{record_file()} (Permission denied)")):
            clear_record()
    assert list(read_record()["questions"]) == ["a"]
    record_file().unlink()
    record_file().mkdir()
    assert not is_writable()
    with pytest.raises(OSError, match="your record cannot be deleted"):
        clear_record()
