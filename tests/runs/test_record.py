"""The record: counted, whole, the reader's own; a damaged file or a folder that refuses stops nothing."""

import json
import os

import pytest

from attention_lab.runs.record import clear_record, note, read_record, record_file

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
    assert os.listdir(home) == ["record.json"]
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
        b'{"questions": []}',
        b'{"questions": {"a": null}}',
        b'{"questions": {"a": {"times": "2", "right": 1, "last": true}}, "exercises": 7}',
        b'{"questions": {"a": {"times": true, "right": 1, "last": true}}}',
        b'{"questions": {"a": {"times": 1, "right": 1}}}',
    ],
    ids=lambda text: repr(text[:20]),
)
def test_a_damaged_file_is_as_good_as_none(home, damaged):
    home.mkdir()
    record_file().write_bytes(damaged)
    assert read_record() == NOTHING
    note("questions", "b", True)
    assert list(read_record()["questions"]) == ["b"]


def test_what_is_whole_in_a_damaged_file_stays(home):
    note("questions", "a", True)
    kept = json.loads(record_file().read_text())
    kept["questions"]["b"] = "?"
    record_file().write_text(json.dumps(kept))
    note("questions", "c", False)
    assert list(read_record()["questions"]) == ["a", "c"]


def test_an_interrupt_leaves_the_old_record(home, monkeypatch):
    note("questions", "a", True)
    before = record_file().read_bytes()

    def interrupted(*paths):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        note("questions", "b", True)
    assert record_file().read_bytes() == before
    assert os.listdir(home) == ["record.json"]


def test_a_folder_that_cannot_be_made_stops_nothing(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTENTION_LAB_HOME", str(tmp_path / "file" / "home"))
    note("questions", "a", True)
    assert read_record() == NOTHING


@pytest.mark.parametrize("step", ["mkdir", "write_text"])
def test_a_folder_that_is_read_only_stops_nothing(home, monkeypatch, step):
    def refuse(*arguments, **about):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(home), step, refuse)
    note("questions", "a", True)
    assert read_record() == NOTHING
