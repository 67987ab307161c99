"""Graphs to attend on: one with planted reliable nodes, and a karate club that split in two."""

from typing import NamedTuple

import numpy as np

from attention_lab.checks import check_generator, check_number, check_size

CLASSES, MOST = 4, 10_000


class Graph(NamedTuple):
    """Nodes and who reads whom.

    `features` (n, d), `adjacency` (n, n) True where two nodes are joined, `labels` (n,) what is to be told of each
    node, `reliable` (n,) whose features can be trusted.
    """

    features: np.ndarray
    adjacency: np.ndarray
    labels: np.ndarray
    reliable: np.ndarray


def planted_graph(num_nodes=200, *, degree=10, same=0.95, reliable=1 / 3, noise=0.4, rng):
    """A random graph of four classes, in which few nodes say the truth and can be known by a mark.

    Features 0 to 3 say a class: 2 at one of them. A reliable node says its own class, any other one a class drawn by
    lot. Feature 4 is the mark: 1 for a reliable node, -1 for another. Features 5 to 7 say nothing. Normal noise is
    added to all eight. Nodes of one class stand side by side.

    Parameters
    ----------
    num_nodes : int
        At most 10,000: each pair of nodes takes some bytes.
    degree : float
        How many neighbours a node has, about.
    same : float
        Which share of the neighbours has the node's own class, about. 0.25 would be chance.
    reliable : float
        Share of the nodes that are reliable.
    noise : float
        Standard deviation of the noise, at most a million.
    rng : numpy.random.Generator

    Returns
    -------
    Graph

    Raises
    ------
    TypeError, ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> graph = planted_graph(50, rng=np.random.default_rng(0))
    >>> graph.features.shape, bool((graph.adjacency == graph.adjacency.T).all())
    ((50, 8), True)
    """
    n, rng = check_size("num_nodes", num_nodes, low=1), check_generator(rng)
    if n > MOST:
        raise ValueError(f"num_nodes must be at most {MOST:,}, got {n:,}")
    degree, noise = check_number("degree", degree, low=0), check_number("noise", noise, low=0, high=1e6)
    same, reliable = (check_number(*given, low=0, high=1) for given in (("same", same), ("reliable", reliable)))
    labels, trusted = np.sort(rng.integers(0, CLASSES, n)), rng.random(n) < reliable
    chance = np.where(labels[:, None] == labels, same, (1 - same) / (CLASSES - 1))
    total = chance.sum(axis=-1, keepdims=True)  # 0 where there is no other class, and no neighbour of the own is wanted
    joined = np.triu(rng.random((n, n)) < degree * chance / np.where(total > 0, total, 1), k=1)
    said = np.where(trusted, labels, rng.integers(0, CLASSES, n))
    features = noise * rng.normal(size=(n, 2 * CLASSES))
    features[np.arange(n), said] += 2
    features[:, CLASSES] += np.where(trusted, 1, -1)
    return Graph(features.astype(np.float32), joined | joined.T, labels, trusted)


def karate_club():
    """Zachary's karate club: 34 members, who meets whom outside of it, and in which half each was after a quarrel.

    The features tell the members apart and nothing else: the identity. All nodes are reliable.

    Returns
    -------
    Graph

    Raises
    ------
    ImportError
        If networkx, which holds the data, is missing.

    Notes
    -----
    Source: Zachary 1977, "An Information Flow Model for Conflict and Fission in Small Groups".

    Examples
    --------
    >>> club = karate_club()
    >>> len(club.labels), int(club.adjacency.sum()) // 2, int(club.labels.sum())
    (34, 78, 17)
    """
    try:
        from networkx import karate_club_graph, to_numpy_array
    except ImportError as error:
        message = 'the club comes with networkx, which is missing: run  python -m pip install "networkx>=3.2"'
        raise ImportError(message, name="networkx") from error
    club = karate_club_graph()
    half = np.array([club.nodes[node]["club"] == "Officer" for node in club])
    joined = to_numpy_array(club, weight=None).astype(bool)
    return Graph(np.eye(len(half), dtype=np.float32), joined, half.astype(int), np.ones(len(half), bool))
