"""What a demo shows, in numbers and in words."""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from attention_lab.checks import as_visible, check_choice, check_number, check_size, numeric
from attention_lab.data.given import is_iterable
from attention_lab.teaching.comparing import compare, in_words, manner, with_a_choice

KINDS = ("weights", "scores", "signed")
AXES = ("query: attends", "key: is attended to")
VERBS = {  # after the name of a row with one largest cell, and of a row whose cells are all the same
    "weights": (" attends most to", " attends evenly to the keys it sees"),
    "scores": (" scores highest with", " scores the same with the keys it sees"),
    "signed": (" is largest in size at", " is the same everywhere"),
    "measured": (": largest {} at", ": the same {} everywhere"),
}


@dataclass
class View:
    """What a demo shows: one heatmap a head, and a sentence about one row.

    Parameters
    ----------
    weights : array_like, (n_q, n_k) or (heads, n_q, n_k)
        Weights, scores or other signed values.
    query_tokens, key_tokens : sequence of str, optional
        Names of rows and columns; their positions if not given. A name that occurs more than once carries its
        position: ``4:the``.
    mask : array_like of bool, broadcast to (n_q, n_k), optional
        False = hidden.
    padded : array_like of bool, (n_k,), optional
        Which keys are padding.
    titles : sequence of str, optional
        One a map.
    query : int, optional
        The row that is outlined and spoken of. Without one none is outlined, and that of the largest cell spoken of.
    kind : {"weights", "scores", "signed"}
        Weights are coloured from 0 up, scores and signed values from their middle 0 both ways. Signed values are not
        attention: their sentence names the largest in size.
    limit : float, optional
        The value of the full colour: 1 for weights, the largest size for the others, if not given.
    note : str
        Said after the sentence.
    axes : (str, str)
        What rows and columns are, such as ``("position", "feature")``.
    rows : int, optional
        The most rows that the picture ever has, where they are few and its columns always as many: a live picture then
        keeps no room for more.
    reader : str, optional
        Who reads, where the whole map is what one query reads, laid out in rows, as days of hours. The sentence then
        speaks of the whole map, and the row of its largest cell is outlined.
    measure : str, optional
        What a colour stands for, "probability", say: it names the colour bar, and the sentence says it of weights.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind, shape or value.
    """

    weights: np.ndarray
    query_tokens: tuple = ()
    key_tokens: tuple = ()
    mask: np.ndarray | None = None
    padded: np.ndarray | None = None
    titles: tuple = ()
    query: int | None = None
    kind: str = "weights"
    limit: float | None = None
    note: str = ""
    axes: tuple = AXES
    rows: int | None = None
    reader: str = ""
    measure: str = ""

    def __post_init__(self):
        check_choice("kind", self.kind, KINDS)
        self._read_weights()
        heads, n_q, n_k = self.weights.shape
        self.axes = read_axis_names(self.axes)
        queries, keys = read_texts("query_tokens", self.query_tokens), read_texts("key_tokens", self.key_tokens)
        self._named = bool(queries), bool(keys)
        self.query_tokens = number_repeats(queries) or [str(i) for i in range(n_q)]
        self.key_tokens = number_repeats(keys) or [str(j) for j in range(n_k)]
        if (len(self.query_tokens), len(self.key_tokens)) != (n_q, n_k):
            got = f"{len(self.query_tokens)} query and {len(self.key_tokens)} key tokens"
            raise ValueError(f"weights are {n_q} × {n_k} but there are {got}")
        self.titles = read_texts("titles", self.titles) or ([""] if heads == 1 else [f"head {i}" for i in range(heads)])
        if len(self.titles) != heads:
            raise ValueError(
                f"titles has {counted(len(self.titles), 'entry', 'entries')}: expected {heads}, one a head"
            )
        if self.query is not None:
            self.query = check_place("query", self.query, n_q, "row")
        self.note = as_note(self.note)
        if self.rows is not None and check_size("rows", self.rows, low=1) < n_q:
            raise ValueError(f"rows={self.rows} is the most rows there are, but weights have {n_q}")
        self._read_masks()
        self._read_words()

    def _read_words(self):
        """What the sentence says of the map, and who reads it."""
        self.reader, self.measure = as_text(self.reader), " ".join(as_text(self.measure or "").split())
        self.manner = manner(self.kind, self.measure)
        if self.reader and (len(self.weights) > 1 or self.kind != "weights"):
            raise ValueError(f"reader={self.reader!r} reads one map of weights, got {len(self.weights)} of {self.kind}")
        self.outlined = self.query
        if self.reader or self.query is None:
            seen = self.mask if self.reader else with_a_choice(self.mask & self.named[0][:, None])
            shown = np.where(seen & np.isfinite(self.weights), self.compared(self.weights), -np.inf)
            self.query = first_of_largest(shown.max((0, 2)))
            self.outlined = self.query if self.reader else None

    def _read_weights(self):
        """(heads, n_q, n_k), and the value of the full colour."""
        self.weights = numeric("weights", self.weights).astype(float)
        self.weights = self.weights[None] if self.weights.ndim == 2 else self.weights
        if self.weights.ndim != 3 or self.weights.size == 0:
            raise ValueError(f"weights must be (n_q, n_k) or (heads, n_q, n_k), not empty, got {self.weights.shape}")
        if self.limit is None:
            finite = np.abs(self.weights[np.isfinite(self.weights)])
            self.limit = 1.0 if self.kind == "weights" else float(finite.max(initial=0)) or 1.0
        self.limit = check_number("limit", self.limit, above=0)

    def _read_masks(self):
        """What is padding, and what is seen: not padding, nor a score of -inf."""
        n_q, n_k = self.weights.shape[1:]
        self.padded = np.zeros(n_k, bool) if self.padded is None else as_visible("padded", self.padded)
        self.mask = as_visible("mask", True if self.mask is None else self.mask)
        if self.padded.shape != (n_k,):
            raise ValueError(f"padded has shape {self.padded.shape}: expected ({n_k},), one a key, True = padding")
        try:
            self.mask = np.broadcast_to(self.mask, (n_q, n_k)) & ~self.padded
        except ValueError:
            raise ValueError(f"mask has shape {self.mask.shape}: expected ({n_q}, {n_k}), True = may attend") from None
        if self.kind != "weights":
            self.mask = self.mask & ~(self.weights == -np.inf).all(0)

    @property
    def noun(self):
        """What the cells hold."""
        return "values" if self.manner in ("signed", "measured") else self.kind

    @property
    def verbs(self):
        """What follows a row's name in the sentence: where one cell is largest, and where all are alike."""
        return [verb.format(self.measure) for verb in VERBS[self.manner]]

    @property
    def named(self):
        """Which rows and which columns stand for something: one whose name is blank only keeps a place."""
        return tuple(np.array([bool(token.strip()) for token in side]) for side in (self.query_tokens, self.key_tokens))

    @property
    def size(self):
        """How many rows and columns there are, and of what."""
        return f"{' × '.join(str(side.sum()) for side in self.named)} {self.noun}"

    @property
    def alt(self):
        """The picture in words."""
        heads, size = len(self.weights), self.size
        parts = [f"{heads} heads of {size}" if heads > 1 else size, *map(self._plain, range(min(heads, 4)))]
        broken = int((self.mask & ~np.isfinite(self.weights)).sum())
        if broken:
            parts.append(f"{broken} {'cell is' if broken == 1 else 'cells are'} NaN or infinite")
        return "; ".join(parts)

    def best(self, head):
        """The key that this view's query attends to most, or None where it sees none, or only NaN."""
        cells, _ = self.finding(head)
        return int(cells[0][1]) if len(cells) else None

    def finding(self, head):
        """The cells that the sentence names, (n, 2), and whether all that it speaks of are alike."""
        first, count = (0, len(self.mask)) if self.reader else (self.query, 1)  # the rows that it speaks of
        values, mask = self.weights[head][first : first + count], self.mask[first : first + count]
        seen = mask & np.isfinite(values)
        if not seen.any():
            return np.empty((0, 2), int), False
        cells, even = compare(values, self.kind, seen, by_row=not self.reader)
        return cells + np.array([first, 0]), even and bool(np.isfinite(values[mask]).all())

    def in_words(self, head, cells, name=None):
        """Cells and how large they are: ``'a' and 'b'`` and ``0.50 each``; `name` names a row or a column."""
        name = name or self.name
        names = [f"{name(0, i)}, " * bool(self.reader) + name(1, j) for i, j in cells]
        many = "keys" if self.manner in ("weights", "scores") else "cells"
        return in_words(names, self.weights[head][tuple(cells.T)], self.amount, many)

    def has_tokens(self, axis):
        """Whether rows (axis 0) or columns (axis 1) are called by their names alone."""
        return self._named[axis] or self.axes == AXES

    def label(self, axis, index):
        """What a row or column is called: ``cat``; or ``position 3``, where only the axis has a name."""
        token = (self.query_tokens, self.key_tokens)[axis][index]
        return token if self.has_tokens(axis) else f"{axis_noun(self.axes[axis])} {token}"

    def name(self, axis, index):
        """The same in a sentence: a token in quotes."""
        return f"'{self.label(axis, index)}'" if self.has_tokens(axis) else self.label(axis, index)

    def compared(self, values):
        """The values by which cells are compared: of signed ones, their size."""
        return abs(values) if self.kind == "signed" else values

    def read_row(self, head):
        """The visible values that the sentence speaks of: this view's row, or the whole map where a `reader` has it."""
        return self.weights[head][self.mask] if self.reader else self.weights[head, self.query][self.mask[self.query]]

    def amount(self, x):
        """A weight or score as text; a score of any size can be read."""
        fits = self.kind == "weights" or x == 0 or 0.005 <= abs(x) < 10_000
        return (f"{x:.2f}" if fits else f"{x:.1e}").replace("-", "−")

    def _plain(self, head):
        who, (cells, even) = f"'{self.reader}'" if self.reader else self.name(0, self.query), self.finding(head)
        if not len(cells):
            return f"{who} {self.emptiness}"
        most, evenly = self.verbs
        if even:
            return f"{who}{evenly} ({self.amount(self.weights[head][tuple(cells[0])])})"
        whom, amount = self.in_words(head, cells)
        return f"{who}{most} {whom} ({amount})"

    @property
    def emptiness(self):
        """What there is to say of a row without a cell to name."""
        if self.manner in ("signed", "measured"):
            return "has no number"
        return "sees no number" if self.mask[self.query].any() else "sees no key"


def first_of_largest(values):
    """Where the largest number stands, counted along all axes; of numbers that differ in their last bits, the first."""
    top = values.max()
    return int((values >= top - 1e-6 * abs(top)).argmax())


def number_repeats(labels):
    """The labels; one that occurs more than once carries its position: ``4:the``."""
    repeated = {label for label in labels if label.strip() and labels.count(label) > 1}  # an empty place stays empty
    return [f"{i}:{label}" if label in repeated else label for i, label in enumerate(labels)]


def read_axis_names(axes):
    """What rows and columns are: two texts."""
    names = list(axes) if is_iterable(axes) and not isinstance(axes, str | Set) else [None]
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"axes must be two texts, such as ('position', 'feature'), got {axes!r}")
    axes = tuple(" ".join(as_text(name).split()) for name in names)
    if len(axes) != 2 or not all(axes):
        raise ValueError(f"axes must name rows and columns, such as ('position', 'feature'), got {axes!r}")
    return axes


def axis_noun(name):
    """What one row or column is called: "query" where the axis says "query: attends"."""
    return name.split(":")[0] or name


def as_text(token):
    """A token, title or note as text that can be sent and saved: half a surrogate pair becomes a question mark."""
    return str(token).encode("utf-8", "replace").decode()


def counted(number, one, many=""):
    """So many of them: ``1 head``, ``2 heads``."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def as_note(text):
    """A title or note that need not be given: whatever it is, it is shown as text."""
    return "" if text is None else as_text(text)


def check_place(name, place, n, what):
    """A row, a node or the like that is there."""
    place = check_size(name, place)
    if place >= n:
        raise ValueError(f"{name}={place} does not exist: expected a {what} from 0 to {n - 1}")
    return place


def read_texts(name, tokens):
    """Names or titles as a list of texts; None is none of them."""
    if tokens is None:
        return []
    if isinstance(tokens, (str, bytes, set)) or not is_iterable(tokens):
        raise TypeError(f"{name} must be a sequence of texts, got {tokens!r}")
    return [as_text(token) for token in tokens]
