"""Where the user's files are kept, and that each is whole or not there."""

import os
from pathlib import Path

import pytest

from attention_lab.runs.files import cache_folder, home_folder, whole


@pytest.mark.parametrize(
    ("folder", "variable", "base", "linux", "mac"),
    [
        (cache_folder, "ATTENTION_LAB_CACHE", "XDG_CACHE_HOME", ".cache", "Library/Caches"),
        (home_folder, "ATTENTION_LAB_HOME", "XDG_DATA_HOME", ".local/share", "Library/Application Support"),
    ],
)
def test_each_system_has_its_folder(monkeypatch, tmp_path, folder, variable, base, linux, mac):
    monkeypatch.setenv(variable, str(tmp_path))
    assert folder() == tmp_path
    monkeypatch.setenv(variable, "~/mine")
    assert folder() == Path.home() / "mine"
    monkeypatch.delenv(variable)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv(base, str(tmp_path / "xdg"))
    assert folder() == tmp_path / "xdg" / "attention-lab"
    monkeypatch.delenv(base)
    assert folder() == Path.home() / linux / "attention-lab"
    monkeypatch.setattr("sys.platform", "darwin")
    assert folder() == Path.home() / mac / "attention-lab"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert folder() == tmp_path / "local" / "attention-lab"


def test_an_empty_home_means_that_nothing_is_kept(monkeypatch):
    monkeypatch.setenv("ATTENTION_LAB_HOME", "")
    assert home_folder() is None
    monkeypatch.setenv("ATTENTION_LAB_CACHE", "")
    assert cache_folder() is not None


def test_without_a_home_folder_nothing_is_kept(monkeypatch):
    def nobody():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("ATTENTION_LAB_HOME")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(Path, "home", nobody)
    assert home_folder() is None


def write_half(path):
    with whole(path) as unfinished:
        unfinished.write_text("half")
        raise KeyboardInterrupt


def test_a_file_is_whole_or_as_it_was(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_half(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.txt"]
    with whole(path) as unfinished:
        unfinished.write_text("new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["x.txt"]
