"""Surnames, letter by letter: the smallest language for a model to speak (README.md beside this file says whence).

A name is letters between two dots: the first dot starts it, the second ends it. A letter's place in ALPHABET is its id.
"""

import string
from functools import cache
from pathlib import Path

import numpy as np

from attention_lab.checks import numeric
from attention_lab.data.given import check_list
from attention_lab.data.splits import part

ALPHABET = "." + string.ascii_lowercase
END = 0  # the dot's id
IGNORED = -1  # a target beyond a name's end: cross_entropy(logits, targets, ignore_index=IGNORED)
SHARES = (8, 1, 1)  # train, validation, test
SEED = 10


def surnames(split):
    """Common surnames of the United States in lower case, no name in two splits.

    Parameters
    ----------
    split : "train", "validation" or "test"

    Returns
    -------
    list of str
        8,000, 1,000 or 1,000 names of 2 to 12 letters.

    Raises
    ------
    ValueError
        If `split` is none of the three.

    Examples
    --------
    >>> names = surnames("train")
    >>> len(names), "smith" in names
    (8000, True)
    """
    return part(_all_names(), split, SHARES, SEED)


def encode(names):
    """What a language model reads, and what it should say next.

    Parameters
    ----------
    names : sequence of str
        Letters a to z.

    Returns
    -------
    inputs : (len(names), longest + 1) int array
        A dot, then the letters' ids; dots again where a name is shorter than the longest.
    targets : (len(names), longest + 1) int array
        At each place the id that comes next, a dot after the last letter; beyond it IGNORED.

    Raises
    ------
    ValueError
        If `names` is one string or empty, or a name holds anything but the letters a to z.
    TypeError
        If a name is not a string.

    Examples
    --------
    >>> inputs, targets = encode(["abe", "li"])
    >>> inputs.tolist()
    [[0, 1, 2, 5], [0, 12, 9, 0]]
    >>> targets.tolist()
    [[1, 2, 5, 0], [12, 9, 0, -1]]
    """
    names = _checked(names)
    inputs = np.full((len(names), max(map(len, names)) + 1), END)
    targets = np.full_like(inputs, IGNORED)
    for row, name in enumerate(names):
        inputs[row, 1 : len(name) + 1] = targets[row, : len(name)] = [ALPHABET.index(letter) for letter in name]
        targets[row, len(name)] = END
    return inputs, targets


def decode(ids):
    """The name that a sequence of ids spells: a dot in front is skipped, and the next one ends it.

    Parameters
    ----------
    ids : sequence of int

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If an id stands for no letter.

    Examples
    --------
    >>> decode([0, 12, 9, 0, 0])
    'li'
    """
    ids = numeric("ids", ids)
    if ids.ndim != 1 or ids.size and ids.dtype.kind not in "iu" or ((ids < 0) | (ids >= len(ALPHABET))).any():
        raise ValueError(f"ids must be one row of numbers from 0 to {len(ALPHABET) - 1} but is {ids.tolist()}")
    text = "".join(ALPHABET[i] for i in ids)
    return text.removeprefix(".").partition(".")[0]


def _checked(names):
    if isinstance(names, str):
        raise ValueError(f"names must be a list of names but is the string {names[:40]!r}: write [{names[:40]!r}]")
    names = check_list("names", names)
    if not names:
        raise ValueError("names is empty: give at least one, such as ['lee']")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"names must hold strings but holds {name!r}, a {type(name).__name__}")
        if not set(name) <= set(string.ascii_lowercase):
            raise ValueError(f"names holds {name!r}: expected the letters a to z, in lower case")
    return names


@cache
def _all_names():
    return tuple(Path(__file__).with_name("surnames.txt").read_text("ascii").split())
