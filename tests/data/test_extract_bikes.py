"""The script that made bikes.csv, on a small wheel of the same form."""

import hashlib
import zipfile

import pytest

from attention_lab.data import extract_bikes as extract

HEADER = '"season","day","hr","holiday","weekday","casual","registered","bikers"\n'
ROWS = '1,1,"0",0,6,3,13,16\n1,1,"23",0,6,8,32,40\n1,2,"5",1,0,0,1,1\n'


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    path = tmp_path / "small.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(extract.TABLE, HEADER + ROWS)
    monkeypatch.setattr(extract, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path


def test_a_line_a_day_and_nothing_where_there_is_no_row(wheel):
    first, second = extract.by_day(extract.read_wheel(wheel))
    assert first == ["2011-01-01", "0", "16", *[""] * 22, "40"]
    assert second == ["2011-01-02", "1", *[""] * 5, "1", *[""] * 18]


def test_another_file_is_refused(wheel, monkeypatch):
    monkeypatch.setattr(extract, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match=r"has SHA-256 .* but 0000.* is expected"):
        extract.read_wheel(wheel)


def test_a_weekday_that_does_not_fit_is_refused(wheel):
    rows = extract.read_wheel(wheel)
    rows[1]["weekday"] = "0"
    with pytest.raises(ValueError, match="day 1 is Saturday but the table calls it weekday 0"):
        extract.by_day(rows)


def test_a_day_that_is_left_out_is_refused(wheel):
    rows = extract.read_wheel(wheel)
    rows[2] |= {"day": "3", "weekday": "1"}
    with pytest.raises(ValueError, match="leaves out whole days"):
        extract.by_day(rows)


def test_a_second_run_writes_the_same_bytes(wheel, tmp_path, capsys):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    extract.main([str(wheel), "--output", str(first)])
    extract.main([str(wheel), "--output", str(second)])
    assert first.read_bytes() == second.read_bytes()
    assert first.read_text().splitlines()[1].startswith("2011-01-01,0,16,,")
    assert "2 days, 45 hours without a row" in capsys.readouterr().out
