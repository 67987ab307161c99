"""The script that made sentiment.tsv, on a small archive of the same form."""

import hashlib
import io
import tarfile

import pytest

from attention_lab.data import extract_sentiment as extract

ROWS = [
    (2.5, "@anonymous I love this #song &amp; you :)"),
    (2.5, "@anonymous I LOVE this song &amp; you!!! :D"),  # the same words again
    (0.7, "An unclear case, it is."),
    (-0.8, "I don&amp;#39;t like the &lt;rain&gt;"),  # escaped twice
    (0.8, "What a fine day!"),
    (3.0, "Lovely weather again today"),
    (-3.0, "This damn weather again"),
    (2.0, "Great news about the bus http://url_removed"),
    (-2.0, "RT @anonymous what a sad story"),
    (2.0, "Call me: 555-123-4567, great offers"),
    (-1.5, "awful :("),  # one word
    (-1.5, "awful awful"),  # one word twice
    (-1.0, ". @anonymous's bus is late"),
]


def archive(**files):
    """The bytes of a .tar.gz, with other bytes at every call."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


@pytest.fixture
def sdist(tmp_path, monkeypatch):
    lines = "".join(f"{i}\t{rating}\t{text}\r\n" for i, (rating, text) in enumerate(ROWS, start=1))
    data = archive(**{extract.INNER: archive(**{extract.TEXTS: lines.encode()})})
    monkeypatch.setattr(extract, "SHA256", hashlib.sha256(data).hexdigest())
    path = tmp_path / "small.tar.gz"
    path.write_bytes(data)
    return path


def test_reads_the_archive_within_the_archive(sdist):
    rows = extract.read_sdist(sdist)
    assert len(rows) == len(ROWS)
    assert rows[0] == (2.5, "@anonymous I love this #song & you :)")
    assert rows[3] == (-0.8, "I don't like the <rain>")


def test_another_file_is_refused(sdist, monkeypatch):
    monkeypatch.setattr(extract, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match=r"has SHA-256 .* but 0000.* is expected"):
        extract.read_sdist(sdist)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@anonymous I love this #song :)", "I love this song"),
        ("nice:) xD <33 ^_^ -_- :-/ ;-) :'( =D :P", "nice:)"),  # glued to a word it stays: the tokeniser drops it
        ("at 8:30 or 12:3 with 3D and XP", "at 8:30 or 12:3 with 3D and XP"),
        ('.: "so" he said...  @x:', '"so" he said...'),
        ("@anonymous's book (good) ", "book (good)"),
        ("with @anonymous, and @anonymous!", "with, and!"),
    ],
)
def test_clean(text, expected):
    assert extract.clean(text) == expected


@pytest.mark.parametrize("text", ["WTF is that", "fucking rain", "she was arrested", "see www.here now", "a f*ck off"])
def test_unwanted(text):
    assert extract.UNWANTED.search(text)


@pytest.mark.parametrize("text", ["my class assists", "start here", "scrape it", "a jewel", "Essex", "grapes", "hello"])
def test_wanted(text):
    assert not extract.UNWANTED.search(text)


def test_near_repeats_and_single_words_go_and_the_first_one_stays():
    rows = [(1, "so good"), (0, "Good, so good!"), (1, "one two three four"), (0, "one two three five"), (1, "bad"),
            (1, "bad bad"), (0, ":)"), (0, "...")]  # fmt: skip
    assert extract.distinct(rows) == [(1, "so good"), (1, "one two three four"), (0, "one two three five")]
    assert extract.distinct([(1, "a b c d e f g"), (0, "a b c d e f g h i j")]) == [(1, "a b c d e f g")]  # 0.7


def test_balance_keeps_the_rarer_label_and_the_order(monkeypatch):
    rows = [(int(i % 4 > 0), f"text {i}") for i in range(40)]
    kept = extract.balance(rows)
    assert [row for row in kept if row[0] == 0] == [row for row in rows if row[0] == 0]
    assert sum(label for label, _ in kept) == 10
    assert kept == sorted(kept, key=rows.index)
    monkeypatch.setattr(extract, "MOST", 8)
    assert [label for label, _ in extract.balance(rows)].count(1) == len(extract.balance(rows)) / 2 == 4


def test_a_second_run_writes_the_same_bytes(sdist, tmp_path, capsys):
    first, second = tmp_path / "first.tsv", tmp_path / "second.tsv"
    extract.main([str(sdist), "--output", str(first)])
    extract.main([str(sdist), "--output", str(second)])
    assert first.read_bytes() == second.read_bytes()
    assert "4 texts, 2 of them positive" in capsys.readouterr().out
    lines = first.read_text("utf-8").splitlines()
    assert [line for line in lines if line[0] == "0"] == ["0\tI don't like the <rain>", "0\tbus is late"]
    good = {"1\tI love this song & you", "1\tWhat a fine day!", "1\tLovely weather again today"}
    assert len([line for line in lines if line in good]) == 2
