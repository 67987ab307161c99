"""The faults of lesson 18's gallery do what the lesson says; its references are what the package does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lab import GraphAttention, RelativePositionBias, scaled_dot_product_attention
from attention_lab.data.graphs import planted_graph
from attention_lab.teaching.exercises import lesson_18_gallery as gallery
from attention_lab.teaching.exercises.lesson_18 import neighbour_attention, offset_weights
from tests.teaching.exercises.shown import assert_stands_alone


@pytest.mark.parametrize("fault", [getattr(gallery, name) for name in gallery.__all__], ids=gallery.__all__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


def rows(n=6, d=4, seed=0):
    return (*np.random.default_rng(seed).normal(size=(3, n, d)), [np.arange(n)] * n)


def test_when_neighbours_ask_every_row_hangs_on_every_query():
    query, key, value, near = rows()
    other = query.copy()
    other[2] += 1
    for attend, moved in ((gallery.faulty_reading, [0, 1, 2, 3, 4, 5]), (neighbour_attention, [2])):
        change = abs(attend(other, key, value, near) - attend(query, key, value, near)).max(-1)
        assert np.flatnonzero(change > 1e-9).tolist() == moved


def test_with_one_matrix_for_both_nobody_sees_who_asks():
    query, _, value, near = rows()
    assert_allclose(gallery.faulty_reading(query, query, value, near), neighbour_attention(query, query, value, near))


def test_a_mean_never_looks_at_a_key():
    query, key, value, near = rows()
    assert_allclose(gallery.faulty_graph(query, key, value, near), gallery.faulty_graph(query, -key, value, near))
    assert not np.allclose(neighbour_attention(query, key, value, near), neighbour_attention(query, -key, value, near))
    assert_allclose(gallery.faulty_graph(query, key, value, near), neighbour_attention(query, 0 * key, value, near))


def test_a_kernel_that_is_divided_first_loses_weight_at_the_border():
    scores = np.log([0.3, 0.5, 0.2])
    wrong, right = gallery.faulty_kernel(scores, 6), offset_weights(scores, 6)
    assert_allclose(wrong.sum(-1), [0.7, 1, 1, 1, 1, 0.8])
    assert_allclose(right.sum(-1), 1)
    assert_allclose(wrong[1:-1], right[1:-1])


def test_along_edges_as_with_a_mask():
    graph, layer = planted_graph(40, rng=np.random.default_rng(0)), GraphAttention(8, 1, rng=np.random.default_rng(1))
    near = [np.flatnonzero(row) for row in graph.adjacency | np.eye(40, dtype=bool)]
    x, parts = graph.features.astype(float), layer.attention
    along = neighbour_attention(x @ parts.W_q, x @ parts.W_k, x @ parts.W_v, near) @ parts.W_o
    assert_allclose(along, layer(x, graph.adjacency)[0])


def test_a_bias_by_distance_gives_the_same_weights():
    bias = RelativePositionBias(1, num_buckets=8, max_distance=4, rng=np.random.default_rng(0))(9)[0].astype(float)
    near = abs(np.arange(9)[:, None] - np.arange(9)) <= 1
    scores = np.array([bias[5, 4], bias[5, 5], bias[5, 6]])
    nothing = np.zeros((9, 4))
    _, weights = scaled_dot_product_attention(nothing, nothing, nothing, np.where(near, bias, -np.inf))
    assert_allclose(offset_weights(scores, 9), weights)
