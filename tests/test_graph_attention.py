"""Attention over a graph: node by node, masked attention, what a node cannot hear of, and that it trains."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from tests.test_cached_decoding import assert_close, normal
from tests.test_layers_train import assert_trains

N, D, HEADS = 7, 6, 2
X = normal(3, N, D)
JOINED = np.random.default_rng(1).random((N, N)) < 0.35  # one way: who reads whom
JOINED[:, 5] = JOINED[5] = False  # node 5 has no neighbour
np.fill_diagonal(JOINED, False)


def layer(dtype=np.float64, **about):
    return lab.GraphAttention(D, HEADS, rng=np.random.default_rng(0), dtype=dtype, **about)


@pytest.mark.parametrize("loops", [True, False])
def test_node_by_node_each_reads_its_neighbours(loops):
    attention = layer(self_loops=loops)
    output, weights = attention(X[0], JOINED)
    parts = attention.attention
    for head in range(HEADS):
        columns = slice(head * D // HEADS, (head + 1) * D // HEADS)
        q, k = (X[0] @ getattr(parts, name)[:, columns] for name in ("W_q", "W_k"))
        for i in range(N):
            near = [j for j in range(N) if JOINED[i, j] or (loops and i == j)]
            powers = [math.exp(q[i] @ k[j] / math.sqrt(D // HEADS)) for j in near]
            wanted = np.zeros(N)
            wanted[near] = [power / sum(powers) for power in powers]
            assert_allclose(weights[head, i], wanted, rtol=1e-12)
    values = np.split(X[0] @ parts.W_v, HEADS, axis=-1)
    assert_allclose(output, np.concatenate([w @ v for w, v in zip(weights, values)], axis=-1) @ parts.W_o)


def test_the_graph_is_the_mask():
    attention = layer()
    for ours, theirs in zip(attention(X, JOINED), attention.attention(X, mask=JOINED | np.eye(N, dtype=bool))):
        assert_array_equal(ours, theirs)


def test_renumbered_nodes_give_renumbered_rows():
    attention, order = layer(), np.random.default_rng(2).permutation(N)
    output, weights = attention(X, JOINED)
    moved, moved_weights = attention(X[:, order], JOINED[order][:, order])
    assert_close(moved, output[:, order])
    assert_close(moved_weights, weights[..., order, :][..., order])


def test_equal_nodes_share_their_weight_evenly():
    _, weights = layer()(np.ones((N, D)), JOINED)
    read = JOINED | np.eye(N, dtype=bool)
    assert_allclose(weights[0], read / read.sum(-1, keepdims=True))


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_news_travels_one_edge_a_layer(layers):
    row, attention = np.eye(N, k=1, dtype=bool) | np.eye(N, k=-1, dtype=bool), layer()

    def deep(x):
        for _ in range(layers):
            x = attention(x, row)[0]
        return x

    other = X[0].copy()
    other[0] += 1
    heard = (deep(other) != deep(X[0])).any(-1)
    assert heard.tolist() == [i <= layers for i in range(N)]


def test_a_node_without_a_neighbour():
    output, weights = layer(self_loops=False)(X, JOINED)
    assert not output[:, 5].any() and not weights[:, :, 5].any()
    own = layer()
    alone = X[:, 5] @ own.attention.W_v @ own.attention.W_o
    assert_close(own(X, JOINED)[0][:, 5], alone)


def test_an_edge_is_read_one_way():
    attention, one_way = layer(), np.zeros((N, N), bool)
    one_way[2, 4] = True  # node 2 reads node 4
    _, weights = attention(X[0], one_way)
    assert (weights[:, 2, 4] > 0).all() and not weights[:, 4, 2].any()


def test_one_graph_for_a_batch_or_one_each():
    attention = layer()
    graphs = np.stack([JOINED, JOINED.T, np.zeros_like(JOINED)])
    output, weights = attention(X, graphs)
    for i in range(3):
        assert_close(output[i], attention(X[i], graphs[i])[0])
    assert weights.shape == (3, HEADS, N, N)
    assert_close(attention(np.stack([X, X]), graphs)[0][1], output)
    same = attention(X, JOINED[None])[0]
    assert_close(same[2], attention(X[2], JOINED)[0])


def test_it_trains():
    for loops in (True, False):
        assert_trains(layer(self_loops=loops), lambda model, x: model(x, JOINED), X)
    assert list(lab.parameters(layer())) == [f"attention.W_{role}" for role in "qkvo"]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_is_kept(dtype):
    output, weights = layer(dtype)(X.astype(dtype), JOINED.astype(int).tolist())
    assert output.dtype == weights.dtype == dtype
    assert_allclose(output, layer()(X, JOINED)[0], atol={np.float16: 2e-2, np.float32: 1e-5, np.float64: 0}[dtype])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: layer()(X, JOINED.astype(float)), "adjacency must be boolean or 0/1 integers"),
        (lambda: layer()(X, 3 * JOINED.astype(int)), "adjacency of integers must hold 0"),
        (lambda: layer()(X, JOINED[:5]), r"adjacency must be \(7, 7\), .* got \(5, 7\)"),
        (lambda: layer()(X[0], np.stack([JOINED] * 3)), r"one a graph of x \(7, 6\), got \(3, 7, 7\)"),
        (lambda: layer()(X[:2], np.stack([JOINED] * 3)), r"one a graph of x \(2, 7, 6\), got \(3, 7, 7\)"),
        (lambda: layer()(X[:1], np.stack([JOINED] * 3)), r"one a graph of x \(1, 7, 6\), got \(3, 7, 7\)"),
        (lambda: layer()(np.stack([X, X]), np.stack([JOINED] * 2)), r"of x \(2, 3, 7, 6\), got \(2, 7, 7\)"),
        (lambda: layer()(X, JOINED[:5, :5]), "adjacency must be"),
        (lambda: layer()(X, JOINED[0]), "adjacency must be"),
        (lambda: layer()(X[..., :4], JOINED), "x has 4 features"),
        (lambda: layer(self_loops=1), "self_loops must be True or False"),
        (lambda: lab.GraphAttention(6, 4), "num_heads=4 does not divide d_model=6"),
    ],
)
def test_errors_say_what_is_wrong(make, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make()
