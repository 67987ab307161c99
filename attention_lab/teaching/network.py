"""What a drawing of a graph shows, in numbers and in words: nodes, who is joined to whom, and what one node reads."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from attention_lab.checks import as_visible, check_number, numeric
from attention_lab.teaching.view import as_note, check_place, counted, first_of_largest, number_repeats, read_texts

MOST = 200  # nodes


@dataclass
class Network:
    """A graph, and how much one of its nodes reads from each neighbour.

    Parameters
    ----------
    weights : array_like, (n, n)
        Row i is what node i reads.
    adjacency : array_like of bool, (n, n)
        True where node i may read node j. What joins two nodes either way is drawn as a line.
    places : array_like, (n, 2)
        Where each node stands, across and up, in any unit.
    tokens : sequence of str, optional
        A short name for each node; its number if not given.
    squares : array_like of bool, (n,), optional
        Which nodes are drawn as squares; the others are circles.
    kinds : (str, str)
        What squares and circles are.
    query : int
        The node whose weights are drawn and spoken of.
    limit : float
        The weight of the widest line.
    title, note : str
        Said above the picture, and after its sentence.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind, shape or value.

    Examples
    --------
    >>> Network([[0, 1], [1, 0]], [[0, 1], [1, 0]], [[0, 0], [1, 0]], ["Ann", "Ben"]).alt
    "a graph of 2 nodes, joined by 1 line; 'Ann' reads most from 'Ben' (1.00)"
    """

    weights: np.ndarray
    adjacency: np.ndarray
    places: np.ndarray
    tokens: tuple = ()
    _: KW_ONLY
    squares: np.ndarray | None = None
    kinds: tuple = ("square", "circle")
    query: int = 0
    limit: float = 1.0
    title: str = ""
    note: str = ""

    def __post_init__(self):
        self.weights = numeric("weights", self.weights).astype(float)
        n = len(self.weights) if self.weights.ndim else 0
        if self.weights.shape != (n, n) or not 1 <= n <= MOST:
            raise ValueError(f"weights must be (n, n) of 1 to {MOST} nodes, got shape {self.weights.shape}")
        if not np.isfinite(self.weights).all() or (self.weights < 0).any():
            raise ValueError("weights must be finite and not below 0")
        self.adjacency = _of_shape("adjacency", as_visible("adjacency", self.adjacency), (n, n))
        self.places = _scaled(_of_shape("places", numeric("places", self.places).astype(float), (n, 2)))
        squares = np.zeros(n, bool) if self.squares is None else numeric("squares", self.squares)
        if squares.dtype.kind == "f":
            raise TypeError(f"squares must be boolean or 0/1 integers, got dtype {squares.dtype}")
        self.squares = _of_shape("squares", as_visible("squares", squares), (n,))
        tokens = read_texts("tokens", self.tokens)
        if tokens and len(tokens) != n:
            raise ValueError(f"tokens has {counted(len(tokens), 'entry', 'entries')}: expected {n}, one a node")
        self.tokens = number_repeats(tokens) or [str(i) for i in range(n)]
        self.kinds = tuple(read_texts("kinds", self.kinds))
        if len(self.kinds) != 2:
            raise ValueError(f"kinds must name squares and circles, got {self.kinds!r}")
        self.query = check_place("query", self.query, n, "node")
        self.limit = check_number("limit", self.limit, above=0)
        self.title, self.note = as_note(self.title), as_note(self.note)

    @property
    def lines(self):
        """The pairs of nodes that are joined, the smaller number first."""
        return np.argwhere(np.triu(self.adjacency | self.adjacency.T, k=1)).tolist()

    @property
    def read(self):
        """The other nodes from which this one reads something: {node: share of the widest line}."""
        row = self._row
        return {j: min(row[j] / self.limit, 1.0) for j in np.flatnonzero(row).tolist() if j != self.query}

    @property
    def _row(self):
        """What the node reads of itself and along its edges: a weight without an edge is neither drawn nor told."""
        seen = self.adjacency[self.query] | (np.arange(len(self.weights)) == self.query)
        return np.where(seen, self.weights[self.query], 0)

    @property
    def alt(self):
        """The picture in words."""
        n, many = len(self.weights), len(self.lines)
        size = f"a graph of {counted(n, 'node')}, joined by {counted(many, 'line')}"
        return f"{size}; '{self.tokens[self.query]}' {self.finding()}"

    def finding(self):
        """What there is to say of the node that reads."""
        row = self._row
        if not row.any():
            return "reads nothing"
        best = first_of_largest(row)
        name = "itself" if best == self.query else f"'{self.tokens[best]}'"
        return f"reads most from {name} ({row[best]:.2f})"


def _of_shape(name, array, shape):
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}: expected {shape} for {counted(shape[0], 'node')}")
    return array


def _scaled(places):
    """Places in shares of the picture, 0 to 1 both ways."""
    if not np.isfinite(places).all():
        raise ValueError("places must be finite")
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    return np.where(span > 0, (places - low) / np.where(span > 0, span, 1), 0.5)
