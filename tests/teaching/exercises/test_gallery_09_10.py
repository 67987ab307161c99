"""The faults of the galleries of lessons 09 and 10 do what the lessons say of them, and need nothing beside them."""

import numpy as np
import pytest

import attention_lab
from attention_lab.data import surnames
from attention_lab.teaching.exercises import (
    EXERCISES,
    lesson_09_batch,
    lesson_09_gallery,
    lesson_10,
    lesson_10_gallery,
)
from tests.teaching.exercises.shown import assert_stands_alone

SHOWN = [
    lesson_09_gallery.faulty_b10,
    lesson_09_gallery.faulty_b11,
    lesson_09_gallery.faulty_score,
    lesson_09_gallery.faulty_predict,
    lesson_10_gallery.faulty_forward,
    lesson_10_gallery.faulty_targets,
    lesson_10_gallery.faulty_batch,
]
NAMES = ["abe", "li", "washington"]


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


@pytest.fixture(scope="module")
def classifier():
    return attention_lab.TextClassifier(97, 2, 16, 2, 32, max_len=31, dropout=0.5, rng=np.random.default_rng(0))


@pytest.fixture(scope="module")
def speaker():
    return attention_lab.LanguageModel(27, 16, 2, 32, num_layers=2, max_len=16, rng=np.random.default_rng(0))


def sentences(batch, n, pads=0, seed=1):
    """Sentences of n tokens, and so many pads behind each."""
    ids = np.random.default_rng(seed).integers(1, 97, size=(batch, n))
    return np.pad(ids, ((0, 0), (0, pads))), np.arange(n + pads) < np.full((batch, 1), n)


def test_padding_moves_the_mean_and_the_class_with_it(classifier):
    bare, padded = sentences(3, 7), sentences(3, 7, pads=13)
    np.testing.assert_allclose(lesson_09_gallery.faulty_b10(classifier, *bare), classifier(*bare)[0], rtol=1e-4)
    np.testing.assert_allclose(classifier(*padded)[0], classifier(*bare)[0], rtol=1e-4, atol=1e-5)
    moved = lesson_09_gallery.faulty_b10(classifier, *padded) - classifier(*bare)[0]
    assert np.abs(moved).max(axis=-1).min() > 0.05


def test_an_array_is_no_number_to_format(classifier):
    logits, weights, _ = classifier(*sentences(5, 7))
    with pytest.raises(TypeError, match="unsupported format string"):
        lesson_09_gallery.faulty_b11(logits.argmax(-1), np.zeros(5, int), weights[0])


@pytest.mark.parametrize("seed", range(4))
def test_random_labels_are_a_coin_toss(classifier, seed):
    scored = lesson_09_gallery.faulty_score(classifier, *sentences(1999, 5), np.random.default_rng(seed))
    assert 0.45 < scored < 0.55


def test_live_dropout_changes_its_mind(classifier):
    data, rng = sentences(199, 7), np.random.default_rng(0)
    once, again = (lesson_09_gallery.faulty_predict(classifier, *data, rng) for _ in range(2))
    assert (once != again).sum() > 10
    np.testing.assert_array_equal(classifier(*data)[0], classifier(*data)[0])


def test_without_the_causal_mask_the_future_is_read(speaker):
    ids = np.array([[0, 3, 1, 20, 5]])
    changed = np.where(np.arange(5) == 4, 9, ids)
    moved = lesson_10_gallery.faulty_forward(speaker, ids)[0] - lesson_10_gallery.faulty_forward(speaker, changed)[0]
    assert (np.abs(moved[0]).max(axis=-1) > 1e-3).all()
    np.testing.assert_array_equal(speaker(ids)[0][:, :4], speaker(changed)[0][:, :4])
    np.testing.assert_allclose(
        lesson_10_gallery.faulty_forward(speaker, ids[:, :1])[0], speaker(ids[:, :1])[0], rtol=1e-5
    )  # one token has no future


def test_the_leak_can_be_trained(speaker):
    def loss(model, inputs, targets):
        return attention_lab.cross_entropy(
            lesson_10_gallery.faulty_forward(model, inputs)[0], targets, ignore_index=surnames.IGNORED
        )

    value, gradients = attention_lab.value_and_grad(loss)(speaker, *surnames.encode(NAMES))
    assert np.isfinite(value)
    assert all(np.abs(gradient).max() > 0 for name, gradient in gradients.items() if name.endswith("W_v"))


def test_unshifted_targets_are_the_inputs_themselves():
    inputs, targets = lesson_10_gallery.faulty_targets(NAMES)
    right = surnames.encode(NAMES)
    np.testing.assert_array_equal(inputs, right[0])
    np.testing.assert_array_equal(targets, np.where(right[1] == surnames.IGNORED, surnames.IGNORED, inputs))
    copier = 100.0 * np.eye(27)[inputs]
    assert attention_lab.cross_entropy(copier, targets, ignore_index=-1) < 1e-6
    assert attention_lab.cross_entropy(copier, right[1], ignore_index=-1) > 50


def test_counted_pads_are_dots_to_be_said():
    inputs, targets = lesson_10_gallery.faulty_batch(NAMES)
    right = surnames.encode(NAMES)
    np.testing.assert_array_equal(inputs, right[0])
    np.testing.assert_array_equal(targets, np.where(right[1] == surnames.IGNORED, surnames.END, right[1]))
    assert (right[1] == surnames.IGNORED).sum() == 15


def test_names_padded_and_shifted_are_what_the_data_gives():
    rows = [[surnames.ALPHABET.index(letter) for letter in f".{name}."] for name in NAMES]
    ids, mask = lesson_09_batch.pad_batch(rows, surnames.END)
    assert mask.sum(axis=1).tolist() == [5, 4, 12]
    for ours, theirs in zip(lesson_10.shift_targets(ids, mask), surnames.encode(NAMES)):
        np.testing.assert_array_equal(ours, theirs)


def test_no_case_of_top_p_hangs_on_rounding():
    for probabilities, p in EXERCISES["top_p"].cases:
        np.testing.assert_allclose(probabilities.sum(-1), 1, rtol=1e-6)
        reached = -np.sort(-probabilities, axis=-1).cumsum(-1)
        assert p in (0, 1) or np.abs(np.abs(reached) - p).min() > 1e-3
        assert len(np.unique(probabilities)) == probabilities.size  # no ties


def test_the_large_case_of_matthews_overflows_into_a_number():
    """Of a number below 0 each kind of root would give something else, and no one diagnosis would fit."""
    predicted, true = EXERCISES["matthews"].cases[-1]
    said, so = int(predicted.sum()), int(true.sum())
    product = said * so * (predicted.size - said) * (predicted.size - so)
    assert product > 2**63
    assert 0 < product % 2**64 < 2**63
