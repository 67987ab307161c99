"""Stored models: whole or not there at all, trained where they are missing, and a finished one is never lost."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_lab import Linear
from attention_lab.gradients import parameters
from attention_lab.teaching import stored_models as module
from attention_lab.teaching import train_models
from attention_lab.teaching.agreement_judges import JUDGES
from attention_lab.teaching.name_models import NAME_MODELS
from attention_lab.teaching.number_translator import TRANSLATOR
from attention_lab.teaching.stored_models import COMMAND, FOLDER, StoredModels, fit_to_the_end
from attention_lab.teaching.train_models import FAMILIES, main
from attention_lab.training import History

STORED = [(family, version) for family in FAMILIES.values() for version in family.versions]
NAMES = [family.path(*version).stem for family, version in STORED]


def new(width, seed, dtype=np.float32):
    return Linear(width, 300, rng=np.random.default_rng(seed), dtype=dtype)


def trained_to_seven(width, seed):
    layer = new(width, seed)
    layer.bias[...] = 7
    return layer


def line(models):
    for name, model in models.items():
        yield f"{name}: {model.bias[0]:.0f}"


LAYERS = StoredModels("layers", "layer", ((2, 0), (2, 1), (3, 0)), "no time", new, trained_to_seven, line)
OTHERS = replace(LAYERS, name="others", stem="other", versions=((4, 0),))


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def two_families(monkeypatch):
    """Two small families for the command, and the versions that they train."""
    seen = []

    def train(*version):
        seen.append(version)
        return trained_to_seven(*version)

    families = {family.name: replace(family, train=train) for family in (LAYERS, OTHERS)}
    monkeypatch.setattr(train_models, "FAMILIES", families)
    return seen


# ---- what is in the package -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("family", "version"), STORED, ids=NAMES)
def test_a_stored_model_is_whole_in_float16(family, version):
    with np.load(family.path(*version)) as stored:
        assert {stored[name].dtype for name in stored} == {np.dtype(np.float16)}
        assert set(stored) == set(parameters(family.new(*version)))
    for array in parameters(family.load(*version)).values():
        assert array.dtype == np.float32
        assert np.isfinite(array).all()


@pytest.mark.parametrize(("family", "most"), [(NAME_MODELS, 700_000), (JUDGES, 400_000), (TRANSLATOR, 25_000)])
def test_the_files_of_a_family_are_small(family, most):
    assert sum(family.path(*version).stat().st_size for version in family.versions) < most


def test_every_file_of_weights_is_of_a_family():
    known = {family.path(*version).name for family, version in STORED}
    assert len(known) == len(STORED)
    assert known == {path.name for path in FOLDER.glob("*.npz")} - {"word_vectors.npz"}
    assert all(name == family.name for name, family in FAMILIES.items())


# ---- files ----------------------------------------------------------------------------------------------------------


def test_float16_keeps_what_was_learned(tmp_path):
    path = LAYERS.save(layer := new(2, 1), 2, 1, folder=tmp_path)
    assert files(tmp_path) == [path.name] == ["layer_2_1.npz"]
    stored = LAYERS.load(2, 1, folder=tmp_path)
    assert stored.weight.dtype == np.float32
    np.testing.assert_array_equal(stored.weight, layer.weight.astype(np.float16).astype(np.float32))
    assert not np.array_equal(stored.weight, layer.weight)


def damage(path, how):
    whole = path.read_bytes()
    middle = len(whole) // 2
    if how == "cut off":
        path.write_bytes(whole[:middle])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "one byte":
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    else:
        np.savez(path, table=np.zeros(3))


@pytest.mark.parametrize("how", ["cut off", "empty", "one byte", "of another model"])
def test_a_damaged_file_is_refused_in_words_and_trained_again(tmp_path, capsys, how):
    damage(OTHERS.save(new(4, 0), 4, 0, folder=tmp_path), how)
    words = re.escape(f"{COMMAND} others trains the model anew")
    with pytest.raises(ValueError, match=rf"other_4_0\.npz is (.|\n)*{words}"):
        OTHERS.load(4, 0, folder=tmp_path)
    OTHERS.train_missing(tmp_path)
    assert capsys.readouterr().out == "other_4_0.npz cannot be used: training takes no time\n"
    assert OTHERS.load(4, 0, folder=tmp_path).bias[0] == 7


def test_a_missing_file_is_named_with_the_command(tmp_path):
    words = f"there is no file {tmp_path / 'layer_3_0.npz'}: {COMMAND} layers trains the model"
    with pytest.raises(FileNotFoundError, match=re.escape(words)):
        LAYERS.load(3, 0, folder=tmp_path)


@pytest.mark.parametrize("version", [(3, 1), (2,), (2, 0, 0), ("2", 0), (2.0, 0), (2, False)])
def test_a_model_that_no_command_trains_is_refused(tmp_path, version):
    with pytest.raises(ValueError, match=r"no model layer_.* of \(.*\): there are layer_2_0, layer_2_1, layer_3_0"):
        LAYERS.load(*version, folder=tmp_path)


# ---- training -------------------------------------------------------------------------------------------------------


def test_what_is_there_is_not_trained_again(tmp_path, capsys):
    folder = tmp_path / "new" / "folder"  # which is made
    LAYERS.train_missing(folder)
    assert files(folder) == ["layer_2_0.npz", "layer_2_1.npz", "layer_3_0.npz"]
    assert capsys.readouterr().out.count("is missing: training takes no time") == 3
    LAYERS.save(new(2, 1), 2, 1, folder=folder)  # another one than training gives
    LAYERS.train_missing(folder)
    assert capsys.readouterr().out == ""
    assert LAYERS.load(2, 1, folder=folder).bias[0] == 0


@pytest.mark.parametrize(("stopped", "whole"), [("finished", True), ("no improvement", True), ("interrupted", False)])
def test_a_half_trained_model_is_none(monkeypatch, stopped, whole):
    seen = []

    def fit(*arguments, **options):
        seen.append((arguments, options))
        return History(stopped=stopped)

    monkeypatch.setattr(module, "fit", fit)
    if whole:
        assert fit_to_the_end("model", "loss", steps=3) == "model"
    else:
        with pytest.raises(KeyboardInterrupt):
            fit_to_the_end("model", "loss", steps=3)
    assert seen == [(("model", "loss"), {"steps": 3})]


# ---- the command ----------------------------------------------------------------------------------------------------


def test_the_command_trains_all_families_and_tells_how_well_they_do(two_families, tmp_path, capsys):
    main(["--folder", str(tmp_path)])
    assert two_families == [(2, 0), (2, 1), (3, 0), (4, 0)]
    assert capsys.readouterr().out.splitlines()[-4:] == ["layer_2_0: 7", "layer_2_1: 7", "layer_3_0: 7", "other_4_0: 7"]
    main(["--folder", str(tmp_path)])
    assert len(two_families) == 4
    assert "training" not in capsys.readouterr().out


def test_the_command_trains_only_what_is_named(two_families, tmp_path, capsys):
    main(["others", "--folder", str(tmp_path)])
    assert two_families == [(4, 0)]
    assert capsys.readouterr().out.splitlines()[1:] == ["other_4_0: 7"]


def test_a_family_that_is_not_there_is_refused(two_families, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["layer", "--folder", str(tmp_path)])
    assert "there is no family 'layer': name some of layers, others" in capsys.readouterr().err
    assert two_families == files(tmp_path) == []


def test_fresh_trains_anew_what_is_named(two_families, tmp_path):
    main(["--folder", str(tmp_path)])
    two_families.clear()
    main(["others", "--fresh", "--folder", str(tmp_path)])
    assert two_families == [(4, 0)]
    assert len(files(tmp_path)) == 4
    main(["--fresh", "--folder", str(tmp_path)])
    assert two_families == [(4, 0), (2, 0), (2, 1), (3, 0), (4, 0)]


@pytest.mark.parametrize(("options", "then"), [([], ""), (["--fresh"], ", without --fresh")])
def test_an_interrupt_is_told_and_loses_no_finished_model(monkeypatch, two_families, tmp_path, options, then):
    def train(*version):
        if version == (3, 0):
            raise KeyboardInterrupt
        return trained_to_seven(*version)

    monkeypatch.setitem(train_models.FAMILIES, "layers", replace(LAYERS, train=train))
    words = f"Interrupted with 2 of 4 models. The same command goes on{then}."
    with pytest.raises(SystemExit, match=f"^{re.escape(words)}$"):
        main([*options, "--folder", str(tmp_path)])
    assert files(tmp_path) == ["layer_2_0.npz", "layer_2_1.npz"]
    assert LAYERS.load(2, 1, folder=tmp_path).bias[0] == 7
