"""The stored language models of surnames: they beat every model that counts, and a finished one is never lost."""

import re
from functools import cache
from itertools import islice

import numpy as np
import pytest

from attention_lab.data.surnames import IGNORED, decode, encode, surnames
from attention_lab.gradients import parameters
from attention_lab.models import LanguageModel
from attention_lab.baselines.ngrams import NGram
from attention_lab.teaching import name_models as module
from attention_lab.teaching.name_models import (
    FOLDER,
    SEEDS,
    load_name_model,
    main,
    name_batches,
    name_loss,
    name_perplexity,
    new_name_model,
    save_name_model,
    train_name_model,
    train_name_models,
)
from attention_lab.training import History


@cache
def best_count():
    """The test names' perplexity to the n-gram that is best on the validation names."""
    return name_perplexity(NGram(surnames("train"), 6), surnames("test"))


def same(one, other):
    one, other = parameters(one), parameters(other)
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def names_of(inputs, targets):
    return [decode(row[row != IGNORED]) for row in targets]


@pytest.fixture
def trained(monkeypatch):
    """The seeds that are trained, in an instant: each model is as it begins."""
    seeds = []
    monkeypatch.setattr(module, "train_name_model", lambda seed: seeds.append(seed) or new_name_model(seed))
    return seeds


@pytest.fixture
def short(monkeypatch):
    """Fewer names, so that nothing takes long."""
    monkeypatch.setattr(module, "surnames", lambda split: surnames(split)[: 1000 if split == "train" else 50])
    monkeypatch.setattr(module, "ORDERS", (1, 2))


# ---- the stored models ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stored_model_is_whole_and_small(seed):
    path = FOLDER / f"name_model_{seed}.npz"
    with np.load(path) as stored:
        assert {stored[name].dtype for name in stored} == {np.dtype(np.float16)}
        assert set(stored) == set(parameters(new_name_model(seed)))
    assert path.stat().st_size < 240_000
    model = load_name_model(seed)
    assert isinstance(model, LanguageModel)
    for array in parameters(model).values():
        assert array.dtype == np.float32
        assert np.isfinite(array).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stored_model_beats_the_best_that_counts(seed):
    assert name_perplexity(load_name_model(seed), surnames("test")) < best_count() - 0.03


def test_the_three_models_differ():
    tables = [load_name_model(seed).embed.table for seed in SEEDS]
    assert not any(np.allclose(tables[i], tables[j], atol=0.1) for i, j in ((0, 1), (0, 2), (1, 2)))


def test_a_model_that_learned_nothing_is_in_doubt_among_all():
    assert name_perplexity(new_name_model(0), surnames("test")) > 20


# ---- what a model learns from ---------------------------------------------------------------------------------------


def test_a_round_of_batches_holds_each_name_once():
    names = surnames("train")[:300]
    batches = list(islice(name_batches(names, seed=0, size=16, groups=4), 2 * 19))
    for batch in (batches[:19], batches[19:]):
        assert sorted(name for pair in batch for name in names_of(*pair)) == sorted(names)
    assert names_of(*batches[0]) != names_of(*batches[19])


def test_a_batch_holds_names_of_like_length():
    lengths = [list(map(len, names_of(*batch))) for batch in islice(name_batches(surnames("train"), seed=0), 24)]
    within = np.mean([np.ptp(of_batch) for of_batch in lengths])
    assert within < 3 < np.ptp(np.concatenate(lengths))
    assert not np.all(np.diff([np.mean(of_batch) for of_batch in lengths[:8]]) >= 0)  # their order is drawn


def test_batches_are_the_same_with_the_same_seed_only():
    first, again, other = (next(name_batches(surnames("train"), seed))[0].tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_no_names_give_no_batch():
    assert list(name_batches([], seed=0)) == []


def test_the_loss_is_the_mean_over_letters_and_ends():
    """What stands beyond a name's end neither counts nor is read."""
    model, names = load_name_model(), ["li", "washington", "abe"]
    alone = [(float(name_loss(model, *encode([name]))), len(name) + 1) for name in names]
    mean = sum(loss * count for loss, count in alone) / sum(count for _, count in alone)
    np.testing.assert_allclose(name_loss(model, *encode(names)), mean, rtol=1e-5)
    np.testing.assert_allclose(name_perplexity(model, names), np.exp(mean), rtol=1e-5)


# ---- training -------------------------------------------------------------------------------------------------------


def test_a_short_training_learns_and_depends_on_the_seed_alone(monkeypatch, short):
    monkeypatch.setattr(module, "STEPS", 10)
    first, again, other = (train_name_model(seed) for seed in (0, 0, 1))
    assert same(first, again)
    assert not same(first, other)
    assert name_perplexity(first, surnames("test")) < 20


def test_dropout_is_on_while_it_trains(monkeypatch):
    seen = []

    def fit(model, loss, batches, *, rng, **_):
        batch = next(iter(batches))
        seen.extend(float(loss(model, *batch, rng=generator)) for generator in (None, rng))
        return History()

    monkeypatch.setattr(module, "fit", fit)
    train_name_model(0)
    assert seen[0] != seen[1]


def test_a_half_trained_model_is_none(monkeypatch):
    monkeypatch.setattr(module, "fit", lambda *_, **__: History(stopped="interrupted"))
    with pytest.raises(KeyboardInterrupt):
        train_name_model(0)


# ---- files ----------------------------------------------------------------------------------------------------------


def test_float16_keeps_what_was_learned(tmp_path):
    model = load_name_model(1)
    generator = np.random.default_rng(0)
    for array in parameters(model).values():  # digits that float16 has not
        array *= 1 + generator.uniform(-1e-4, 1e-4, array.shape)
    path = save_name_model(model, 1, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name] == ["name_model_1.npz"]
    stored = load_name_model(1, tmp_path)
    before, after = parameters(model), parameters(stored)
    assert not same(model, stored)
    for name, array in before.items():
        np.testing.assert_array_equal(after[name], array.astype(np.float16).astype(np.float32))
    change = name_perplexity(stored, surnames("test")) - name_perplexity(model, surnames("test"))
    assert abs(change) < 0.01


def damage(path, how):
    whole = path.read_bytes()
    if how == "cut off":
        path.write_bytes(whole[: len(whole) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "one byte":
        path.write_bytes(whole[:100_000] + bytes([whole[100_000] ^ 1]) + whole[100_001:])
    else:
        np.savez(path, table=np.zeros(3))


@pytest.mark.parametrize("how", ["cut off", "empty", "one byte", "of another model"])
def test_a_damaged_file_is_refused_in_words_and_trained_again(trained, tmp_path, capsys, how):
    path = save_name_model(new_name_model(1), 1, tmp_path)
    damage(path, how)
    with pytest.raises(ValueError, match=r"name_model_1.npz is .*name_models 1 trains the model anew"):
        load_name_model(1, tmp_path)
    train_name_models([1], tmp_path)
    assert trained == [1]
    assert "name_model_1.npz cannot be used" in capsys.readouterr().out
    load_name_model(1, tmp_path)


def test_a_missing_file_is_named_with_the_command(tmp_path):
    words = re.escape(
        f"there is no file {tmp_path / 'name_model_7.npz'}: python -m attention_lab.teaching.name_models 7"
    )
    with pytest.raises(FileNotFoundError, match=words):
        load_name_model(7, tmp_path)


# ---- the command ----------------------------------------------------------------------------------------------------


def test_what_is_there_is_not_trained_again(trained, short, tmp_path, capsys):
    main(["1", "--folder", str(tmp_path)])
    assert capsys.readouterr().out.startswith("name_model_1.npz is missing: training")
    kept = (tmp_path / "name_model_1.npz").read_bytes()
    main(["--folder", str(tmp_path)])
    assert trained == [1, 0, 2]
    assert (tmp_path / "name_model_1.npz").read_bytes() == kept
    main(["--folder", str(tmp_path)])
    assert trained == [1, 0, 2]
    assert "training" not in capsys.readouterr().out.split("name_model_2 ")[-1]


def test_fresh_trains_anew_what_is_named(trained, short, tmp_path):
    main(["--folder", str(tmp_path)])
    trained.clear()
    main(["2", "--fresh", "--folder", str(tmp_path)])
    assert trained == [2]
    assert len(list(tmp_path.iterdir())) == 3
    main(["--fresh", "--folder", str(tmp_path)])
    assert trained == [2, 0, 1, 2]


def test_an_interrupt_is_told_and_loses_no_finished_model(monkeypatch, short, tmp_path):
    def train(seed):
        if seed == 1:
            raise KeyboardInterrupt
        return new_name_model(seed)

    monkeypatch.setattr(module, "train_name_model", train)
    words = "Interrupted with 1 of 3 models. python -m attention_lab.teaching.name_models goes on."
    with pytest.raises(SystemExit, match=re.escape(words)):
        main(["--folder", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["name_model_0.npz"]
    np.testing.assert_allclose(load_name_model(0, tmp_path).embed.table, train(0).embed.table, atol=1e-3)


def test_the_table_names_every_model_and_its_perplexity(trained, short, tmp_path, capsys):
    main(["0", "2", "--folder", str(tmp_path)])
    heading, *rows = capsys.readouterr().out.splitlines()[-5:]
    assert heading.split() == ["perplexity", "validation", "test"]
    assert [row.split()[0] for row in rows] == ["1-gram", "2-gram", "name_model_0", "name_model_2"]
    validation, test = map(float, rows[-1].split()[1:])
    model = load_name_model(2, tmp_path)
    assert validation == round(name_perplexity(model, surnames("validation")[:50]), 3)
    assert test == round(name_perplexity(model, surnames("test")[:50]), 3)
