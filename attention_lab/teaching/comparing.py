"""What may be said of the cells of a map, in a live picture and in a stored one alike."""

import numpy as np


def uniform(weights, seen):
    """Over how many keys each row shares out 1, or the whole map; None where that is no one number, or a single key.

    Weights are (n_q, n_k), or (heads, n_q, n_k) of which all must agree. Rows that see nothing or hold nothing say
    nothing.
    """
    seen = np.broadcast_to(seen, weights.shape)
    shown = np.where(seen, weights, 0)
    for axes in [] if (shown < -1e-6).any() else [-1, (-2, -1)]:
        with np.errstate(invalid="ignore", over="ignore"):
            sums = shown.sum(axes)
        counts = seen.sum(axes)[sums != 0]
        if counts.size and np.allclose(sums[sums != 0], 1, rtol=0, atol=0.01) and np.ptp(counts) == 0 and counts[0] > 1:
            return int(counts[0])
    return None


def manner(kind, measure):
    """How a sentence speaks: of weights, scores or signed values; what has a measure of its own is no attention."""
    return "measured" if measure and kind == "weights" else kind


def with_a_choice(seen, query=None):
    """The cells to compare, of one query or of all: in rows with several, if there are any such rows."""
    choice = seen if query is None else seen & (np.arange(len(seen)) == query)[:, None]
    several = choice.sum(axis=1, keepdims=True) > 1
    return choice & several if several.any() else choice


def compare(values, kind, choice, *, by_row):
    """The cells to name, (n, 2), and whether all that are compared are alike.

    Of a query, `by_row`, only its own row counts: it is that of the largest cell. Else all cells are compared.
    """
    size = np.where(choice, abs(values) if kind == "signed" else values, -np.inf)
    alike, level = (cells.reshape(size.shape) for cells in _largest(size if by_row else size.reshape(1, -1), kind))
    rows = choice.sum(axis=1) > 1 if by_row else choice.any(axis=1) & (choice.sum() > 1)
    even = rows.any() and (level | ~choice)[rows].all()
    if even and kind == "signed":  # alike in size, and in sign
        even = np.ptp(values[choice]) <= 1e-6 * size.max()
    first = (size >= size.max() - 1e-6 * abs(size.max())).any(axis=1).argmax()
    own = np.arange(len(size))[:, None] == first if by_row else True
    return np.argwhere(alike & choice & own), bool(even)


def _largest(size, kind):
    """Which cells of each row are its largest, and which so near that a row of them is even.

    Weights are the largest that read the same, and near within half of what is read; others but for their last bits.
    """
    top = size.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):  # a row that sees nothing
        alike = size >= top - 1e-6 * abs(top)
    if kind != "weights":
        return alike, alike
    close = size >= 0.9 * top  # below 0.05 two numbers may read the same and be far from equal
    alike |= (np.round(size, 2) == np.round(top, 2)) & close
    return alike, alike | (size >= top - 0.005) & close


def in_words(names, values, amount, many="keys"):
    """Cells that are alike, up to two by name, and how large they are: ``'a' and 'b'`` and ``0.50 each``."""
    names, sign = list(names), "±" if values.min() < 0 < values.max() else ""
    if len(names) == 1:
        return names[0], amount(values[0])
    who = " and ".join(names) if len(names) == 2 else f"{len(names)} {many} alike"
    return who, f"{sign}{amount(abs(values[0]) if sign else values[0])} each"
