"""The faults of lesson 17's gallery do what the lesson says; its references are what the package does."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import longformer_mask, performer_attention
from attention_lab.kernel_attention import random_directions
from attention_lab.teaching.exercises import lesson_17_gallery as gallery
from attention_lab.teaching.exercises.lesson_17 import causal_linear_attention, random_features
from attention_lab.teaching.exercises.lesson_17_masks import allowed, reached_in_two, two_step_mask
from tests.teaching.exercises.shown import assert_stands_alone


@pytest.mark.parametrize("fault", [getattr(gallery, name) for name in gallery.__all__], ids=gallery.__all__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


def features(n=9, m=4, seed=0):
    return np.random.default_rng(seed).exponential(size=(3, n, m))


def test_a_sum_over_all_keys_shows_the_future_and_ends_right():
    rows = features()
    wrong, right = gallery.faulty_past(*rows), causal_linear_attention(*rows)
    assert_allclose(wrong[0][-1], right[0][-1])  # the last row may see all
    assert (np.abs(wrong[0] - right[0])[:-1].max(-1) > 1e-6).all()


def test_without_the_denominator_rows_grow_with_the_text():
    ones = np.ones((200, 1))
    rows = features(200)[:2]
    assert_allclose(causal_linear_attention(*rows, ones)[0], 1)
    bare = gallery.faulty_sums(*rows, ones)[0]
    assert bare[-1] > 20 * bare[0]


def test_features_without_the_length_estimate_another_exponential():
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, 1, 6)) / 2
    directions = rng.normal(size=(6, 200_000))
    for make, exact in (
        (random_features, np.exp(query @ key.T)),
        (gallery.faulty_features, np.exp(((query + key) ** 2).sum() / 2)),
    ):
        assert_allclose(make(query, directions) @ make(key, directions).T, exact, rtol=0.05)


def test_a_window_that_hides_itself_is_right_elsewhere():
    wrong, right = gallery.faulty_window(9, 2, np.array([0])), longformer_mask(9, window=2, global_positions=[0])
    assert_array_equal(wrong | np.eye(9, dtype=bool), right)
    assert wrong.diagonal().tolist() == [True] + [False] * 8


def test_the_reference_makes_the_performer():
    query, key, value = np.random.default_rng(0).normal(size=(3, 7, 5))
    directions = random_directions(5, 40, np.random.default_rng(1))
    phi_q, phi_k = (random_features(x / 5**0.25, directions) for x in (query, key))
    expected = phi_q @ (phi_k.T @ value) / (phi_q @ phi_k.sum(0))[:, None]
    drawn = np.random.default_rng(1)
    assert_allclose(performer_attention(query, key, value, num_features=40, rng=drawn), expected)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 16, 17, 100, 250])
def test_two_steps_reach_all_with_few_keys(n):
    mask = two_step_mask(n)
    assert allowed(n) == 2 * math.ceil(math.sqrt(n))
    assert mask.sum(-1).max() <= allowed(n)
    assert_array_equal(reached_in_two(mask), np.tri(n, dtype=bool))
