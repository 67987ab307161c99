"""The faults of lesson 16's gallery do what the lesson says of them; its reference reads tiles as the package does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import EncoderBlock, parameters, scaled_dot_product_attention, softmax
from attention_lab.teaching.exercises import lesson_16_gallery as gallery
from attention_lab.teaching.exercises.lesson_16_cost import block_cost
from tests.differences import normal
from tests.teaching.exercises.shown import assert_stands_alone

FAULTS = [gallery.faulty_first, gallery.faulty_second, gallery.faulty_third]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


def test_a_mean_of_tiles_is_right_for_equal_tiles_and_for_one():
    scores, value = 2 * normal(16), normal(16, 3, seed=1)
    whole = softmax(scores) @ value
    assert_allclose(gallery.faulty_first(scores, value, 16), whole)
    assert np.abs(gallery.faulty_first(scores, value, 4) - whole).max() > 0.1
    even = np.tile(scores[:4], 4)
    assert_allclose(gallery.faulty_first(even, value, 4), softmax(even) @ value)


@pytest.mark.parametrize("fault", [gallery.faulty_second, gallery.faulty_third])
@pytest.mark.parametrize("tile", [1, 3, 4, 8])
def test_the_others_are_right_for_most_rows(fault, tile):
    scores, value = normal(8), normal(8, 2, seed=1)
    for row in (scores, scores - 10, np.where(np.arange(8) > 3, -np.inf, scores)):
        assert_allclose(fault(row, value, tile), softmax(row) @ value)


def test_a_maximum_that_starts_at_zero_loses_low_scores():
    scores, value = normal(8), normal(8, 2, seed=1)
    assert_array_equal(gallery.faulty_second(scores - 1e5, value, 4), 0)
    assert_allclose(gallery.faulty_third(scores - 1e5, value, 4), softmax(scores - 1e5) @ value)


def test_a_masked_first_tile_gives_nan():
    scores, value = np.where(np.arange(8) < 4, -np.inf, normal(8)), normal(8, 2, seed=1)
    with np.errstate(invalid="ignore"):
        assert np.isnan(gallery.faulty_third(scores, value, 4)).all()
    assert_allclose(gallery.faulty_second(scores, value, 4), softmax(scores) @ value)


@pytest.mark.parametrize("num_heads", [1, 2, 8])
def test_the_cost_is_that_of_the_packages_block(num_heads):
    n, d_model, d_ff = 7, 16, 24
    block = EncoderBlock(d_model, num_heads, d_ff, rng=np.random.default_rng(0))
    sizes = {name: array.size for name, array in parameters(block).items() if array.ndim == 2}
    projections, feed_forward, core = block_cost(n, d_model, d_ff)
    assert projections == n * sum(size for name, size in sizes.items() if name.startswith("attention"))
    assert feed_forward == n * sum(size for name, size in sizes.items() if name.startswith("feed_forward"))
    heads = normal(num_heads, n, block.attention.d_head)
    _, weights = scaled_dot_product_attention(heads, heads, heads)
    assert core == 2 * weights.size * block.attention.d_head
