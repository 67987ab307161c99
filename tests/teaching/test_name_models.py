"""The stored language models of surnames beat every model that counts, and what trains them is as it says."""

from functools import cache
from itertools import islice

import numpy as np
import pytest

from attention_lab.baselines.ngrams import NGram
from attention_lab.data.surnames import IGNORED, decode, encode, surnames
from attention_lab.gradients import parameters
from attention_lab.teaching import name_models as module
from attention_lab.teaching.name_models import (
    NAME_MODELS,
    load_name_model,
    name_batches,
    name_loss,
    name_perplexity,
    new_name_model,
    train_name_model,
)

SEEDS = [seed for (seed,) in NAME_MODELS.versions]


@cache
def best_count():
    """The test names' perplexity to the n-gram that is best on the validation names."""
    return name_perplexity(NGram(surnames("train"), 6), surnames("test"))


def same(one, other):
    one, other = parameters(one), parameters(other)
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def names_of(inputs, targets):
    return [decode(row[row != IGNORED]) for row in targets]


# ---- the stored models ----------------------------------------------------------------------------------------------


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


def test_a_short_training_learns_and_depends_on_the_seed_alone(monkeypatch):
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

    monkeypatch.setattr(module, "fit_to_the_end", fit)
    train_name_model(0)
    assert seen[0] != seen[1]


# ---- files and the table --------------------------------------------------------------------------------------------


def test_float16_keeps_what_was_learned(tmp_path):
    model = load_name_model(1)
    generator = np.random.default_rng(0)
    for array in parameters(model).values():  # digits that float16 has not
        array *= 1 + generator.uniform(-1e-4, 1e-4, array.shape)
    NAME_MODELS.save(model, 1, folder=tmp_path)
    stored = load_name_model(1, tmp_path)
    assert not same(model, stored)
    change = name_perplexity(stored, surnames("test")) - name_perplexity(model, surnames("test"))
    assert abs(change) < 0.01


def test_the_table_names_every_model_and_its_perplexity(monkeypatch):
    monkeypatch.setattr(module, "surnames", lambda split: surnames(split)[: 1000 if split == "train" else 50])
    monkeypatch.setattr(module, "ORDERS", (1, 2))
    heading, *rows = NAME_MODELS.report()
    assert heading.split() == ["perplexity", "validation", "test"]
    assert [row.split()[0] for row in rows] == ["1-gram", "2-gram", *(f"name_model_{seed}" for seed in SEEDS)]
    validation, test = map(float, rows[-1].split()[1:])
    model = load_name_model(2)
    assert validation == round(name_perplexity(model, surnames("validation")[:50]), 3)
    assert test == round(name_perplexity(model, surnames("test")[:50]), 3)
