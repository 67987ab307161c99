"""The faults of lesson 19's gallery do what the lesson says; its references are what the package does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import attention_rollout
from attention_lab.teaching.exercises import lesson_19_gallery as gallery
from attention_lab.teaching.exercises.lesson_19 import rollout
from attention_lab.teaching.exercises.lesson_19_search import top_matches
from tests.teaching.exercises.shown import assert_stands_alone


@pytest.mark.parametrize("fault", [getattr(gallery, name) for name in gallery.__all__], ids=gallery.__all__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


def maps(layers, heads=2, n=5, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(n), (layers, heads, n))


def test_the_reference_is_the_package():
    assert_allclose(rollout(maps(4)), attention_rollout(maps(4)), rtol=1e-12)


def test_from_the_wrong_side_the_layers_stand_in_the_other_order():
    assert_allclose(gallery.faulty_side(maps(3)), rollout(maps(3)[::-1]), rtol=1e-12)
    assert_allclose(gallery.faulty_side(maps(1)), rollout(maps(1)), rtol=1e-12)
    assert_allclose(gallery.faulty_side(maps(3)).sum(-1), 1)


def test_without_the_stream_all_rows_become_the_same():
    apart = [np.ptp(make(maps(6)), axis=0).max() for make in (gallery.faulty_stream, rollout)]
    assert apart[0] < 0.1 * apart[1]
    assert_allclose(gallery.faulty_stream(maps(6)).sum(-1), 1)


def test_a_long_page_wins_a_search_by_dot_product_and_none_by_cosine():
    pages, query = np.array([[0.9, 0.1], [6.0, 8.0]]), np.array([1.0, 0.0])
    assert gallery.faulty_search(query, pages, 1)[0].tolist() == [1]
    assert top_matches(query, pages, 1)[0].tolist() == [0]
    unit = pages / np.linalg.norm(pages, axis=-1, keepdims=True)
    for kind, found in zip(("order", "cosines"), gallery.faulty_search(query, unit, 2), strict=True):
        assert_allclose(found, top_matches(query, pages, 2)[kind == "cosines"])


def test_the_order_of_a_search_does_not_hang_on_lengths():
    rng = np.random.default_rng(0)
    query, pages = rng.normal(size=5), rng.normal(size=(30, 5))
    best, cosines = top_matches(query, pages, 30)
    assert (np.diff(cosines) <= 0).all()
    again, same = top_matches(3 * query, pages * rng.uniform(0.1, 9, size=(30, 1)), 30)
    assert_array_equal(again, best)
    assert_allclose(same, cosines)
