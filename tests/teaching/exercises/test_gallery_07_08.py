"""The faults of the galleries of lessons 07 and 08 do what the lessons say of them, and need nothing beside them."""

import numpy as np
import pytest

import attention_lab
from attention_lab import softmax
from attention_lab.teaching.exercises import (
    EXERCISES,
    lesson_07,
    lesson_07_gallery,
    lesson_08,
    lesson_08_dropout,
    lesson_08_gallery,
)
from tests.teaching.exercises.shown import assert_stands_alone

SHOWN = [
    lesson_07.faulty_softmax,
    lesson_07_gallery.faulty_mask_gradient,
    lesson_07_gallery.faulty_accumulate,
    lesson_08_dropout.faulty_dropout,
    lesson_08_dropout.faulty_evaluation,
    lesson_08.faulty_shift,
    lesson_08_gallery.faulty_init,
]


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


def test_the_diagonal_alone_gives_half_of_the_truth_for_two_keys():
    """Rows that know p − t by heart: weights (.5, .5), target the second, so grad is (0, −2)."""
    grad, weights = np.array([0.0, -2.0]), np.array([0.5, 0.5])
    assert lesson_07.softmax_backward(grad, weights).tolist() == [0.5, -0.5]
    assert lesson_07.faulty_softmax(grad, weights).tolist() == [0.0, -0.5]


def test_a_hidden_row_has_a_fine_output_and_a_poisoned_gradient(recwarn):
    rng = np.random.default_rng(0)
    scores, grad, mask = rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), np.tri(3, 5, k=-1, dtype=bool)
    output, to_scores = lesson_07_gallery.faulty_mask_gradient(grad, scores, mask)
    right = softmax(np.where(mask, scores, -np.inf))
    np.testing.assert_allclose(output, right)
    assert np.isnan(to_scores[0]).all()
    np.testing.assert_allclose(to_scores[1:], lesson_07.softmax_backward(grad, right)[1:])
    assert np.isnan(to_scores.T @ scores).all()  # what a key's gradient would be: one row poisons every one
    assert not recwarn


def hand_on(grad):
    return grad, grad


def test_adding_in_place_reaches_every_holder_of_the_array():
    tape = [("y", ("a", "b"), hand_on), ("z", ("y", "b"), hand_on)]  # z = (a + b) + b
    seed = np.ones(3)
    grads = lesson_07_gallery.faulty_accumulate(tape, seed)
    a, b = (attention_lab.Tensor(np.ones(3)) for _ in "ab")
    ((a + b) + b).backward(np.ones(3))
    assert a.grad.tolist() == [1, 1, 1]
    assert b.grad.tolist() == grads["b"].tolist() == [2, 2, 2]
    assert grads["a"].tolist() == grads["z"].tolist() == seed.tolist() == [2, 2, 2]


def test_without_a_second_use_adding_in_place_is_right():
    grads = lesson_07_gallery.faulty_accumulate([("y", ("a", "b"), lambda grad: (2 * grad, 3 * grad))], np.ones(3))
    assert (grads["a"][0], grads["b"][0]) == (2, 3)


@pytest.mark.parametrize("seed", range(3))
def test_without_a_scale_dropout_shrinks_the_mean(seed):
    x = np.ones((301, 307))
    means = [
        drop(x, 0.3, np.random.default_rng(seed)).mean()
        for drop in (lesson_08_dropout.faulty_dropout, lesson_08_dropout.dropout)
    ]
    np.testing.assert_allclose(means, [0.7, 1], atol=0.01)


def test_an_evaluation_drops_nothing():
    x = np.random.default_rng(0).normal(size=(31, 37))
    np.testing.assert_array_equal(lesson_08_dropout.dropout(x, 0.3, None), x)
    assert (lesson_08_dropout.faulty_evaluation(x, 0.3, None) == 0).any()


def test_a_copier_has_no_loss_where_nothing_is_shifted():
    tokens = np.array([[3, 1, 4], [1, 5, 9]])
    inputs, targets = lesson_08.faulty_shift(tokens)
    logits = 100.0 * np.eye(10)[inputs]  # a model that answers with what it reads
    assert lesson_08.cross_entropy(logits, targets) < 1e-6
    inputs, targets = lesson_08.shift(tokens)
    assert (inputs.tolist(), targets.tolist()) == ([[3, 1], [1, 5]], [[1, 4], [5, 9]])
    assert lesson_08.cross_entropy(logits, targets) > 50


@pytest.mark.parametrize("seed", range(3))
def test_unit_variance_weights_saturate(seed):
    rng = np.random.default_rng(seed)
    W_q, W_k, W_v = lesson_08_gallery.faulty_init(rng, 64)
    x = rng.normal(size=(199, 64))
    for scale, spread, top in ((1, (50, 75), (0.9, 1)), (1 / 8, (0.8, 1.2), (0, 0.2))):
        scores = (scale * x @ W_q) @ (scale * x @ W_k).T / 8
        assert spread[0] < scores.std() < spread[1]
        assert top[0] < softmax(scores).max(axis=-1).mean() < top[1]
    assert W_v.shape == (64, 64)


class One:
    parameters = ("weight",)

    def __init__(self, weight):
        self.weight = weight.copy()


def test_steps_of_adam_in_a_row_equal_the_optimiser_of_the_package():
    rng = np.random.default_rng(0)
    parameter, m, v = rng.normal(size=(3, 5)), np.zeros((3, 5)), np.zeros((3, 5))
    model = One(parameter)
    optimizer = attention_lab.Adam(model, lr=0.1)
    for step in range(1, 8):
        grad = rng.normal(size=(3, 5))
        parameter, m, v = EXERCISES["adam_step"].reference(parameter, grad, m, v, step, 0.1)
        optimizer.step({"weight": grad})
        np.testing.assert_allclose(model.weight, parameter, rtol=1e-12)


def test_attention_backward_cases_tell_all_five_sizes_apart():
    for grad, query, key, value, weights in EXERCISES["attention_backward"].cases:
        sizes = (*query.shape[:-2], *weights.shape[-2:], query.shape[-1], value.shape[-1])
        assert len(set(sizes)) == len(sizes)
        assert grad.shape == (weights @ value).shape
        assert key.shape[-1] == query.shape[-1]


def test_a_check_leaves_the_generators_of_its_cases_alone():
    dropout = EXERCISES["dropout"]
    before = [case[2] and case[2].bit_generator.state for case in dropout.cases]
    for _ in range(2):
        assert attention_lab.check.dropout(dropout.reference).passed
    assert before == [case[2] and case[2].bit_generator.state for case in dropout.cases]
