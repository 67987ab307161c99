"""What is written goes to a folder that is thrown away, and nothing is kept of the reader's answers."""

import pytest


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"  # for "../x"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ATTENTION_LAB_HOME", "")
    return folder
