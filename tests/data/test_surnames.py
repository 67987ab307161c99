"""The committed surnames, and the ids that stand for their letters."""

import string
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.data import extract_surnames as extract
from attention_lab.data import surnames as module
from attention_lab.data.splits import SPLITS
from attention_lab.data.surnames import ALPHABET, END, IGNORED, decode, encode, surnames

ROOT = Path(__file__).parents[2]
DATA = {split: surnames(split) for split in SPLITS}
NAMES = [name for names in DATA.values() for name in names]


def test_sizes_and_no_name_in_two_splits():
    assert [len(DATA[split]) for split in SPLITS] == [8000, 1000, 1000]
    assert len(set(NAMES)) == 10_000


def test_names_are_common_lower_case_and_short():
    assert {"smith", "johnson", "garcia", "nguyen", "lee"} <= set(NAMES)
    assert set("".join(NAMES)) == set(string.ascii_lowercase)
    assert {len(name) for name in NAMES} == set(range(2, 13))
    assert extract.LEFT_OUT.isdisjoint(NAMES)


def test_splits_are_alike():
    """No split holds the frequent names alone: the file's first thousand are spread as 8 : 1 : 1."""
    frequent = set(Path(module.__file__).with_name("surnames.txt").read_text("ascii").split()[:1000])
    shares = [len(frequent & set(DATA[split])) / len(frequent) for split in SPLITS]
    np.testing.assert_allclose(shares, [0.8, 0.1, 0.1], atol=0.03)


def test_a_second_call_is_equal_and_a_reader_changes_only_a_copy():
    surnames("test").clear()
    assert surnames("test") == DATA["test"]
    with pytest.raises(ValueError, match="split must be one of"):
        surnames("dev")


def test_ids_by_hand():
    inputs, targets = encode(["abe", "z"])
    np.testing.assert_array_equal(inputs, [[0, 1, 2, 5], [0, 26, 0, 0]])
    np.testing.assert_array_equal(targets, [[1, 2, 5, 0], [26, 0, -1, -1]])
    assert inputs.dtype.kind == targets.dtype.kind == "i"
    assert (ALPHABET[END], len(ALPHABET), IGNORED) == (".", 27, -1)


@given(st.lists(st.text(string.ascii_lowercase), min_size=1, max_size=5))
def test_targets_are_the_inputs_one_step_on_and_decode_undoes_encode(names):
    inputs, targets = encode(names)
    assert inputs.shape == targets.shape == (len(names), max(map(len, names)) + 1)
    seen = targets != IGNORED
    np.testing.assert_array_equal(inputs[:, 1:][seen[:, :-1]], targets[:, :-1][seen[:, :-1]])
    assert list(seen.sum(axis=-1)) == [len(name) + 1 for name in names]
    assert [decode(row) for row in inputs] == names
    assert [decode(row[real]) for row, real in zip(targets, seen, strict=True)] == names


def test_decode_stops_at_the_second_dot_or_with_the_ids():
    assert decode([0, 12, 5, 5]) == decode([12, 5, 5, 0, 1]) == "lee"
    assert decode([0, 0, 1]) == decode([0]) == decode([]) == ""
    for ids in ([27], [-1], [[1, 2]]):
        with pytest.raises(ValueError, match="ids must be one row of numbers from 0 to 26 but is"):
            decode(ids)


def test_wrong_names_say_what_to_write():
    with pytest.raises(ValueError, match=r"is the string 'lee': write \['lee'\]"):
        encode("lee")
    with pytest.raises(ValueError, match="names is empty"):
        encode([])
    with pytest.raises(ValueError, match="names holds 'Lee': expected the letters a to z"):
        encode(["kim", "Lee"])
    with pytest.raises(TypeError, match="names must hold strings but holds 3, a int"):
        encode([3])


def test_source_and_licence_are_told():
    folder = Path(module.__file__).parent
    readme = (folder / "README.md").read_text("utf-8")
    for fact in ("surnames.txt", "names 0.3.0", extract.SHA256[:16], "1990", "public domain"):
        assert fact in readme
    assert "surnames.txt" in (ROOT / "NOTICE").read_text("utf-8")
