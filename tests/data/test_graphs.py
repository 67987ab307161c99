"""Graphs: what is planted is there, and the club is the one that split."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attention_lab.data.graphs import CLASSES, karate_club, planted_graph


def planted(seed=0, **about):
    return planted_graph(rng=np.random.default_rng(seed), **about)


def test_it_is_a_graph():
    graph = planted(num_nodes=300)
    assert graph.features.shape == (300, 8) and graph.features.dtype == np.float32
    assert graph.adjacency.dtype == bool
    assert_array_equal(graph.adjacency, graph.adjacency.T)
    assert not graph.adjacency.diagonal().any()
    assert set(graph.labels.tolist()) == set(range(CLASSES))


def test_degree_share_and_company_are_as_asked():
    graph = planted(num_nodes=1500, degree=12, same=0.8, reliable=0.25)
    assert abs(graph.adjacency.sum(-1).mean() - 12) < 0.6
    assert abs(graph.reliable.mean() - 0.25) < 0.04
    alike = graph.labels[:, None] == graph.labels
    assert abs(graph.adjacency[alike].sum() / graph.adjacency.sum() - 0.8) < 0.04


def test_reliable_nodes_say_their_class_and_carry_the_mark():
    graph = planted(num_nodes=2000, noise=0)
    said = graph.features[:, :CLASSES].argmax(-1)
    assert (said == graph.labels)[graph.reliable].all()
    assert abs((said == graph.labels)[~graph.reliable].mean() - 1 / CLASSES) < 0.04  # chance
    assert_array_equal(graph.features[:, CLASSES] > 0, graph.reliable)
    assert not graph.features[:, CLASSES + 1 :].any()


def test_noise_is_added_and_nothing_else_changes():
    quiet, loud = planted(noise=0), planted(noise=0.7)
    assert_array_equal(quiet.adjacency, loud.adjacency)
    assert_array_equal(quiet.reliable, loud.reliable)
    assert abs((loud.features - quiet.features).std() - 0.7) < 0.03


def test_a_seed_gives_one_graph_and_classes_stand_side_by_side():
    one, same, other = planted(3), planted(3), planted(4)
    assert all(np.array_equal(a, b) for a, b in zip(one, same))
    assert not np.array_equal(one.adjacency, other.adjacency)
    assert (np.diff(one.labels) >= 0).all()


@pytest.mark.parametrize("num_nodes", [1, 2])
@pytest.mark.parametrize("same", [0, 1])
def test_few_nodes_may_be_of_one_class(num_nodes, same):
    graphs = [planted(seed, num_nodes=num_nodes, same=same, degree=0.5, noise=1e6) for seed in range(40)]
    assert np.isfinite([graph.features for graph in graphs]).all()
    assert sum((graph.labels == graph.labels[0]).all() for graph in graphs)
    for graph in graphs:
        alike = graph.labels[:, None] == graph.labels
        assert not (graph.adjacency & (alike != same)).any()


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"num_nodes": 0}, "num_nodes must be at least 1"),
        ({"same": 1.5}, "same"),
        ({"reliable": -0.1}, "reliable"),
        ({"noise": -1}, "noise"),
        ({"noise": np.inf}, "noise must be .*got inf"),
        ({"noise": 1e39}, "noise must be at least 0 and at most 1000000.0"),
        ({"num_nodes": 10_001}, "num_nodes must be at most 10,000, got 10,001"),
        ({"degree": -1}, "degree"),
        ({"rng": 7}, "rng"),
    ],
)
def test_what_cannot_be_is_refused(about, words):
    with pytest.raises((ValueError, TypeError), match=words):
        planted_graph(**({"rng": np.random.default_rng(0)} | about))


def test_the_club_is_zacharys():
    club = karate_club()
    degrees = club.adjacency.sum(-1)
    assert (len(degrees), degrees.sum() // 2) == (34, 78)
    assert degrees[[0, 33]].tolist() == [16, 17]  # the teacher and the officer know most
    assert club.labels[[0, 33]].tolist() == [0, 1]
    assert_array_equal(club.features, np.eye(34))
    assert_array_equal(club.adjacency, club.adjacency.T)


def test_without_networkx_the_message_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match="pip install"):
        karate_club()
