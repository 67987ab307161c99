"""The stored judges of agreement: two blocks judge well for every seed, and each judge is as good as it was."""

import numpy as np
import pytest

from attention_lab.data.agreement import agreement
from attention_lab.gradients import parameters
from attention_lab.models import TextClassifier
from attention_lab.teaching import agreement_judges as module
from attention_lab.teaching.agreement_judges import (
    JUDGES,
    judge_loss,
    judge_mcc,
    load_judge,
    new_judge,
    spell,
    train_judge,
)

# On the test sentences. A file that was trained anew elsewhere may differ, and must then be measured anew.
MEASURED = {(1, 0): 0.926, (1, 1): 0.994, (1, 2): 0.786, (2, 0): 1.000, (2, 1): 0.994, (2, 2): 0.970}


def test_the_judges_are_those_that_were_measured():
    assert set(MEASURED) == set(JUDGES.versions)


@pytest.mark.parametrize(("version", "mcc"), MEASURED.items())
def test_a_stored_judge_keeps_its_mcc(version, mcc):
    judge = load_judge(*version)
    assert isinstance(judge, TextClassifier)
    assert len(judge.encoder.blocks) == version[0]
    assert abs(judge_mcc(judge, "test") - mcc) < 0.01


def test_two_blocks_judge_well_and_on_average_better_than_one():
    one, two = ([judge_mcc(load_judge(num_layers, seed), "test") for seed in range(3)] for num_layers in (1, 2))
    assert min(two) > 0.95
    assert np.mean(two) - np.mean(one) > 0.06


def test_a_judge_that_learned_nothing_is_at_chance():
    assert abs(judge_mcc(new_judge(2, 0), "test")) < 0.2


# ---- what a judge reads ---------------------------------------------------------------------------------------------


def test_every_sentence_can_be_spelled_and_differs_from_the_others():
    sentences = [sentence for split in ("train", "validation", "test") for sentence in agreement(split)[0]]
    ids, mask = spell(sentences)
    assert ids.shape == mask.shape == (5500, 11)
    assert (ids[:, 0] == 1).all() and not (ids[:, 1:] == 1).any()
    assert mask.sum(axis=-1).tolist() == [1 + len(sentence.split()) for sentence in sentences]
    assert np.array_equal(ids > 0, mask)
    assert len({tuple(row) for row in ids.tolist()}) == len(set(sentences))


def test_no_sentence_and_a_word_of_another_task():
    assert spell([])[0].shape == (0, 11)
    with pytest.raises(ValueError, match="'zebra' is no word of the agreement task"):
        spell(["the zebra is old"])
    with pytest.raises(ValueError, match="at most 10 words, got 11"):
        spell([" ".join(["the"] * 11)])


def test_padding_changes_no_verdict():
    judge, (ids, mask) = load_judge(2), spell(["the key is old"])
    logits, _, _ = judge(ids, mask)
    np.testing.assert_allclose(judge(ids[:, :5], mask[:, :5])[0], logits, atol=1e-4)
    changed = np.where(mask, ids, 7)
    np.testing.assert_allclose(judge(changed, mask)[0], logits, atol=1e-4)


# ---- training -------------------------------------------------------------------------------------------------------


def test_a_short_training_learns_and_depends_on_the_seed_alone(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 5)
    first, again, other = (train_judge(1, seed) for seed in (0, 0, 1))
    triples = zip(*(parameters(judge).values() for judge in (first, again, other)))
    assert all(np.array_equal(one, two) for one, two, _ in triples)
    assert not np.array_equal(first.head.weight, other.head.weight)
    assert not np.array_equal(first.head.weight, new_judge(1, 0).head.weight)


def test_a_judge_can_learn_a_few_sentences_by_heart(monkeypatch):
    few, labels = (part[:8] for part in agreement("train"))
    monkeypatch.setattr(module, "agreement", lambda split: (few, labels) if split == "train" else agreement(split))
    monkeypatch.setattr(module, "STEPS", 40)
    judge = train_judge(1, 0)
    assert (judge(*spell(few))[0].argmax(-1) == labels).all()
    assert judge_loss(judge, *spell(few), labels) < 0.1


def test_the_table_names_every_judge_and_its_mcc(monkeypatch):
    heading, *rows = JUDGES.report()
    assert heading.split() == ["MCC", "validation", "test"]
    assert [row.split()[0] for row in rows] == [f"agreement_judge_{n}_{seed}" for n in (1, 2) for seed in (0, 1, 2)]
    validation, test = map(float, rows[-1].split()[1:])
    assert validation == round(judge_mcc(load_judge(2, 2), "validation"), 3)
    assert test == round(judge_mcc(load_judge(2, 2), "test"), 3)
