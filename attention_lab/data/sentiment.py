"""Short texts that people rated as pleasant or unpleasant, one label each (README.md beside this file says whence)."""

from functools import cache
from operator import itemgetter
from pathlib import Path

import numpy as np

from attention_lab.data.splits import part, shuffled

SHARES = (7, 1, 2)  # train, validation, test
SEED = 9


def sentiment(split):
    """Labelled short texts: half of them positive, in every split.

    Parameters
    ----------
    split : "train", "validation" or "test"

    Returns
    -------
    sentences : list of str
    labels : (len(sentences),) int array
        0 negative, 1 positive.

    Raises
    ------
    ValueError
        If `split` is none of the three.

    Examples
    --------
    >>> sentences, labels = sentiment("train")
    >>> len(sentences), int(labels.sum())
    (732, 366)
    """
    rows = [row for same in _by_label() for row in part(same, split, SHARES, SEED, key=itemgetter(1))]
    rows = shuffled(rows, SEED + 1, key=itemgetter(1))  # both labels mixed
    return [text for _, text in rows], np.array([label for label, _ in rows])


@cache
def _by_label():
    """The negative and the positive rows (label, text)."""
    lines = Path(__file__).with_name("sentiment.tsv").read_text("utf-8").splitlines()
    rows = [(int(line[0]), line[2:]) for line in lines]
    return tuple(tuple(row for row in rows if row[0] == label) for label in (0, 1))
