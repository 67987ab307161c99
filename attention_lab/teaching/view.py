"""What a demo shows, in numbers and in words."""

from dataclasses import dataclass

import numpy as np


@dataclass
class View:
    """What a demo shows: one heatmap a head, and a sentence about one query.

    Parameters
    ----------
    weights : array_like, (n_q, n_k) or (heads, n_q, n_k)
        Weights, or scores.
    query_tokens, key_tokens : sequence of str, optional
        Names of rows and columns; their positions if not given.
    mask : array_like of bool, broadcast to (n_q, n_k), optional
        False = hidden.
    padded : array_like of bool, (n_k,), optional
        Which keys are padding.
    titles : sequence of str, optional
        One a map.
    query : int
        The row that is outlined and spoken of.
    kind : {"weights", "scores"}
        Weights are coloured from 0 up, scores from their middle 0 both ways.
    limit : float, optional
        The value of the full colour: 1 for weights, the largest size for scores, if not given.
    note : str
        Said after the sentence.
    """

    weights: np.ndarray
    query_tokens: tuple = ()
    key_tokens: tuple = ()
    mask: np.ndarray | None = None
    padded: np.ndarray | None = None
    titles: tuple = ()
    query: int = 0
    kind: str = "weights"
    limit: float | None = None
    note: str = ""

    def __post_init__(self):
        self.weights = np.asarray(self.weights, float)
        self.weights = self.weights[None] if self.weights.ndim == 2 else self.weights
        heads, n_q, n_k = self.weights.shape
        self.query_tokens = [str(token) for token in self.query_tokens] or [str(i) for i in range(n_q)]
        self.key_tokens = [str(token) for token in self.key_tokens] or [str(j) for j in range(n_k)]
        if (len(self.query_tokens), len(self.key_tokens)) != (n_q, n_k):
            got = f"{len(self.query_tokens)} query and {len(self.key_tokens)} key tokens"
            raise ValueError(f"weights are {n_q} × {n_k} but there are {got}")
        self.mask = np.broadcast_to(True if self.mask is None else np.asarray(self.mask, bool), (n_q, n_k))
        self.padded = np.zeros(n_k, bool) if self.padded is None else np.asarray(self.padded, bool)
        self.titles = list(self.titles) or ([""] if heads == 1 else [f"head {i}" for i in range(heads)])
        if self.limit is None:
            finite = np.abs(self.weights[np.isfinite(self.weights)])
            self.limit = 1.0 if self.kind == "weights" else float(finite.max(initial=0)) or 1.0

    @property
    def alt(self):
        """The picture in words."""
        heads, n_q, n_k = self.weights.shape
        size = f"{n_q} × {n_k} {self.kind}"
        return (f"{heads} heads of {size}; " if heads > 1 else f"{size}; ") + "; ".join(
            self._plain(head) for head in range(min(heads, 4))
        )

    def best(self, head):
        """The key that this view's query attends to most, or None where it sees none."""
        if not self.mask[self.query].any():
            return None
        return int(np.where(self.mask[self.query], self.weights[head, self.query], -np.inf).argmax())

    def finding(self, head):
        """Who this view speaks of, whom they attend to most, and how much: (token, token or None, number or None)."""
        token, best = self.query_tokens[self.query], self.best(head)
        if best is None:
            return token, None, None
        return token, self.key_tokens[best], self.weights[head, self.query, best]

    def _plain(self, head):
        token, other, x = self.finding(head)
        if other is None:
            return f"'{token}' sees no key"
        verb = "attends most to" if self.kind == "weights" else "scores highest with"
        return f"'{token}' {verb} '{other}' ({x:.2f})"
