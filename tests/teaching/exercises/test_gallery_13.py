"""The faults of the gallery of lesson 13 do what the lesson says of them, and need nothing beside them."""

import numpy as np
import pytest

from attention_lab.attention import softmax
from attention_lab.tasks.question_answering import best_span
from attention_lab.teaching.exercises import lesson_13_gallery
from tests.teaching.exercises.shown import assert_stands_alone

SHOWN = [getattr(lesson_13_gallery, name) for name in ("faulty_decode", "faulty_choose", "faulty_score")]


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault, softmax=softmax)


def test_two_argmaxes_end_before_they_begin():
    start, end = np.random.default_rng(0).normal(size=(2, 300, 11))
    first, last = lesson_13_gallery.faulty_decode(start, end)
    assert 0.3 < (last < first).mean() < 0.6
    right = best_span(start, end)
    agree = last >= first
    np.testing.assert_array_equal(np.array(right[:2])[:, agree], np.array([first, last])[:, agree])


def test_the_surest_passage_is_not_the_best_one():
    dull, good = (np.array([2.0, 0, 0]),) * 2, (np.array([9.0, 8, 8]),) * 2
    assert lesson_13_gallery.faulty_choose([dull, good]) == 0
    assert best_span(*good)[2] > best_span(*dull)[2]
    shifted = [tuple(logits + 100 for logits in dull), good]
    assert lesson_13_gallery.faulty_choose(shifted) == 0  # it cannot see a level


def test_a_score_without_normalisation_is_too_low():
    assert lesson_13_gallery.faulty_score(["The attic.", "garden"], [["attic"], ["garden"]]) == 0.5
