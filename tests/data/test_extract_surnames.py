"""The script that made surnames.txt, on a small archive of the same form."""

import hashlib
import io
import tarfile

import pytest

from attention_lab.data import extract_surnames as extract

LINES = (
    b"SMITH          1.006  1.006      1\nO'BRIEN 0.9 1.9 2\nDICK 0.8 2.7 3\nX 0.7 3.4 4\nLEE 0.6 4 5\nLEE 0.5 5 6\n"
)


@pytest.fixture
def sdist(tmp_path, monkeypatch):
    path = tmp_path / "small.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        entry = tarfile.TarInfo(extract.LIST)
        entry.size = len(LINES)
        tar.addfile(entry, io.BytesIO(LINES))
    monkeypatch.setattr(extract, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path


def test_reads_the_names_in_lower_case(sdist):
    assert extract.read_sdist(sdist) == ["smith", "o'brien", "dick", "x", "lee", "lee"]


def test_another_file_is_refused(sdist, monkeypatch):
    monkeypatch.setattr(extract, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match=r"has SHA-256 .* but 0000.* is expected"):
        extract.read_sdist(sdist)


def test_choose_takes_the_first_that_fit(monkeypatch):
    monkeypatch.setattr(extract, "HOW_MANY", 4)
    names = ["ab", "a", "abcdefghijkl", "abcdefghijklm", "o'brien", "van dyke", "dyke", "ab", "lee", "ng", "kim"]
    assert extract.choose(names) == ["ab", "abcdefghijkl", "lee", "ng"]


def test_a_second_run_writes_the_same_bytes(sdist, tmp_path, capsys):
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    extract.main([str(sdist), "--output", str(first)])
    extract.main([str(sdist), "--output", str(second)])
    assert first.read_bytes() == second.read_bytes() == b"smith\nlee\n"
    assert "2 names" in capsys.readouterr().out
