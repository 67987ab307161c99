"""A language model that only counts: what followed the last few symbols, the yardstick of one that attends."""

from collections import Counter, defaultdict

import numpy as np

from attention_lab.checks import check_choice, check_size
from attention_lab.data.given import check_list, check_words

# Stands before the first symbol of a text and after the last.
EDGE = None


class NGram:
    """How often each symbol followed the last ``order - 1`` ones, mixed with what followed fewer of them.

    P(symbol | context) = (count - aside(count) + left · P(symbol | context without its first symbol)) / total

    What is set aside is given to the shorter context (`left`), whose shortest is none: 1 / (number of symbols).

    - "kneser-ney" takes a little off each count: one amount off 1, one off 2, one off 3 and more, estimated from
      the counts of counts. In a shorter context it counts after how many different symbols the continuation was
      seen, not how often: "Francisco" is frequent, but only after "San".
    - "witten-bell" takes nothing off: `left` is the number of different symbols that were seen next.

    Parameters
    ----------
    texts : list of str, or of lists of words
        To learn from. A string is read letter by letter. Each text begins and ends.
    order : int
        2 is a bigram model: one symbol of context. 1 has none.
    smoothing : str
        "kneser-ney" or "witten-bell".

    Attributes
    ----------
    symbols : tuple
        What can come next: the symbols of the texts in order, then None, the end.

    Raises
    ------
    TypeError, ValueError
        If there is no text or no such smoothing, or `order` is below 1. Later, if a symbol was not in the texts.

    Notes
    -----
    Source: Chen and Goodman 1998, "An empirical study of smoothing techniques for language modeling", sections 2.6
    and 3 (Kneser-Ney: modified and interpolated).

    Examples
    --------
    >>> bigram = NGram(["ana", "anna"], order=2, smoothing="witten-bell")
    >>> bigram.symbols
    ('a', 'n', None)
    >>> bigram.probabilities("an").round(3).tolist()  # after n came a, n, a
    [0.567, 0.333, 0.1]
    >>> bigram.nats(["ana"]).shape  # three letters and the end
    (4,)
    """

    def __init__(self, texts, order, *, smoothing="kneser-ney"):
        self.order = check_size("order", order, low=1)
        self.smoothing = check_choice("smoothing", smoothing, ("kneser-ney", "witten-bell"))
        texts = _texts(texts)
        self.symbols = (*sorted({symbol for text in texts for symbol in text}), EDGE)
        self._ids = {symbol: i for i, symbol in enumerate(self.symbols)}
        counts = Counter(gram for text in texts for gram in self._grams(text))
        if smoothing == "kneser-ney":
            counts = _continuations(counts, self.order)
        self._asides = [_asides(counts, n + 1) for n in range(max(map(len, counts)))]
        self._following = defaultdict(dict)  # context -> {id of the next symbol: count}
        for (*context, symbol), count in counts.items():
            self._following[tuple(context)][self._ids[symbol]] = count

    def probabilities(self, before=()):
        """How likely each of `symbols` comes next, in a text that began with `before`.

        Parameters
        ----------
        before : str or list of words

        Returns
        -------
        ndarray, (num_symbols,)
            Sums to one; none is 0.

        Examples
        --------
        >>> NGram(["ana", "anna"], order=2).probabilities("an").sum().round(6).item()
        1.0
        """
        self._check(before if isinstance(before, str) else check_list("before", before), "before")
        return self._mixed(self._context(before), {})

    def nats(self, texts):
        """-ln P of every symbol of the texts and of each end, one after the other: what `perplexity` averages.

        Parameters
        ----------
        texts : list of str, or of lists of words

        Returns
        -------
        ndarray, (n,)

        Examples
        --------
        >>> NGram(["ana", "anna"], order=2).nats(["ann", "a"]).shape
        (6,)
        """
        texts = _texts(texts)
        known = {}  # the same few letters come before many others
        likely = [
            self._mixed(self._context(text[:i]), known)[self._ids[symbol]]
            for text in texts
            for i, symbol in enumerate((*self._check(text), EDGE))
        ]
        return -np.log(likely)

    def _context(self, before):
        """What counts of it: the last order - 1 symbols, of which the edge is one."""
        before = (EDGE, *before)
        return before[max(len(before) - self.order + 1, 0) :]

    def _mixed(self, context, known):
        """How likely each symbol comes next, by way of every shorter context; `known` holds what was mixed before."""
        if context not in known:
            uniform = np.full(len(self.symbols), 1 / len(self.symbols))
            shorter = self._mixed(context[1:], known) if context else uniform
            following = self._following.get(context)
            if following is None:  # never seen
                known[context] = shorter
            else:
                counts = np.zeros(len(self.symbols), int)
                counts[list(following)] = list(following.values())
                kept, left = self._set_aside(counts, len(context))
                known[context] = (kept + left * shorter) / (kept.sum() + left)
        return known[context]

    def _grams(self, text):
        """Each symbol, the end too, with 0 to order - 1 symbols before it; the edge counts as one."""
        text = (EDGE, *text, EDGE)
        return (text[i - n : i + 1] for i in range(1, len(text)) for n in range(min(self.order, i + 1)))

    def _set_aside(self, counts, n):
        """What each count keeps, and what is left for the shorter context."""
        if self.smoothing == "witten-bell":
            return counts, np.count_nonzero(counts)
        aside = self._asides[n][np.minimum(counts, 3)]
        return counts - aside, aside.sum()

    def _check(self, text, name="texts"):
        unknown = [symbol for symbol in text if not isinstance(symbol, str) or symbol not in self._ids]
        if unknown:
            raise ValueError(f"{name}: {text!r} holds {unknown[0]!r}, which is in no text that the model learned from")
        return text


def _continuations(counts, order):
    """For what is shorter than `order`, after how many symbols it was seen; as it is where nothing stands before."""
    before = Counter(gram[1:] for gram in counts)
    return {
        gram: count if len(gram) == order or gram[0] is EDGE and len(gram) > 1 else before[gram]
        for gram, count in counts.items()
    }


def _asides(counts, length):
    """What is taken off a count of 0, 1, 2, and 3 or more (Chen and Goodman's equation 26)."""
    often = Counter(count for gram, count in counts.items() if len(gram) == length)
    if all(often[count] for count in (1, 2, 3)):
        share = often[1] / (often[1] + 2 * often[2])
        asides = np.array([k - (k + 1) * share * often[k + 1] / often[k] for k in (1, 2, 3)])
        if (asides > 0).all() and (asides <= (1, 2, 3)).all():
            return np.array([0, *asides])
    return np.array([0, 0.5, 1, 1.5])  # too few counts to estimate from


def _texts(texts):
    if isinstance(texts, str):
        raise TypeError(f"texts must be a list but is the string {texts[:40]!r}: write [text]")
    texts = check_list("texts", texts)
    if not texts:
        raise ValueError("texts is empty: expected at least one")
    return [check_words("texts", text) for text in texts]
