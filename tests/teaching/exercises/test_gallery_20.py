"""The faults of lesson 20's gallery do what the lesson says; its references find what was planted."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lab import LanguageModel, next_probabilities, scaled_dot_product_attention
from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.exercises import lesson_20_gallery as gallery
from attention_lab.teaching.exercises.lesson_20 import induction_score
from attention_lab.teaching.exercises.lesson_20_lens import logit_lens
from attention_lab.teaching.exercises.results import describe
from tests.teaching.exercises.shown import assert_stands_alone


@pytest.mark.parametrize("fault", [getattr(gallery, name) for name in gallery.__all__], ids=gallery.__all__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


def heads_by_hand(period=7):
    """One layer of two heads on a text that repeats: who looks at the same token, and who at what followed it."""
    text = np.eye(period)[[*range(period)] * 2]
    before = np.concatenate([np.zeros((1, period)), text[:-1]])
    past = np.tri(len(text), k=-1, dtype=bool)  # not itself
    return [np.stack([scaled_dot_product_attention(text, key, text, past, scale=50)[1] for key in (text, before)])]


def test_a_head_that_copies_scores_one_and_one_that_finds_the_same_token_scores_nothing():
    weights = heads_by_hand()
    assert_allclose(induction_score(weights, 7), [[0, 1]], atol=1e-6)
    assert_allclose(gallery.faulty_score(weights, 7), [[1, 0]], atol=1e-6)


def test_the_lens_of_the_last_block_gives_the_models_logits_and_needs_its_norm():
    rng = np.random.default_rng(0)
    model = LanguageModel(13, 8, 2, 16, num_layers=2, max_len=9, positions="rotary", rng=rng, dtype=np.float64)
    ids = np.arange(7)
    *_, (stream, _) = model.encoder.steps(model.embed(ids), is_causal=True, positions=ids)
    stream -= stream.mean(-1, keepdims=True)  # then LayerNorm, which this model has, is RMSNorm
    gain, table = model.encoder.final_norm.gain, model.embed.table
    own = model.encoder.final_norm(stream) @ table.T
    assert_allclose(logit_lens(stream, gain, table), own)
    assert np.abs(gallery.faulty_lens(stream, gain, table) - own).max() > 0.1


def test_a_stream_ten_times_as_long_says_the_same():
    rng = np.random.default_rng(1)
    stream, gain, table = rng.normal(size=(3, 8)), rng.uniform(1, 2, size=8), rng.normal(size=(11, 8))
    assert_allclose(logit_lens(1000 * stream, gain, table), logit_lens(10 * stream, gain, table), rtol=1e-5)
    assert_allclose(gallery.faulty_lens(10 * stream, gain, table), 10 * gallery.faulty_lens(stream, gain, table))


def test_dividing_probabilities_by_a_temperature_does_nothing():
    logits = np.random.default_rng(2).normal(size=(3, 5))
    assert_allclose(gallery.faulty_warm(logits, 1.0), next_probabilities(logits))
    assert_allclose(gallery.faulty_warm(logits, 7.0), next_probabilities(logits))
    assert np.abs(next_probabilities(logits, temperature=7.0) - next_probabilities(logits)).max() > 0.1


def test_a_list_of_arrays_is_told_by_its_first():
    exercise = EXERCISES["induction_score"]
    assert describe(exercise, exercise.cases[0]) == "weights (3, 13, 13) and 1 more, period 5"
