"""Training, validation and test parts that are the same on every machine and with every version of NumPy."""

import math
from hashlib import sha256

from attention_lab.checks import check_size
from attention_lab.data.given import check_function, check_list

SPLITS = ("train", "validation", "test")


def shuffled(items, seed, key=str):
    """The items in an order that looks random and depends on `seed` and on each item's text alone.

    A hash gives the order, not a random generator: the streams of generators may change between versions.

    Parameters
    ----------
    items : iterable
    seed : int
    key : callable
        Gives the text of an item, which no other item has.

    Returns
    -------
    list

    Examples
    --------
    >>> shuffled("abcdef", seed=1)
    ['c', 'a', 'b', 'e', 'f', 'd']
    """
    check_size("seed", seed, below=math.inf), check_function("key", key)
    items = check_list("items", list(items) if isinstance(items, str) else items)
    return sorted(items, key=lambda item: sha256(f"{seed} {key(item)}".encode(errors="surrogatepass")).digest())


def check_split(split):
    if not isinstance(split, str) or split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(map(repr, SPLITS))} but is {split!r}")
    return split


def part(items, split, shares, seed, key=str):
    """One of three parts of the items, which have nothing in common and together are all of them.

    Parameters
    ----------
    items : sequence
    split : "train", "validation" or "test"
    shares : (train, validation, test)
        How the sizes stand to each other, such as (7, 1, 2).
    seed, key : as in `shuffled`

    Returns
    -------
    list

    Raises
    ------
    ValueError
        If `split` is none of the three.

    Examples
    --------
    >>> [part("abcdefghij", split, (7, 1, 2), seed=1) for split in ("validation", "test")]
    [['f'], ['h', 'd']]
    """
    place = SPLITS.index(check_split(split))
    items = check_list("items", list(items) if isinstance(items, str) else items)
    shares = [check_size("shares", share) for share in check_list("shares", shares)]
    if len(shares) != 3 or not (total := sum(shares)):
        raise ValueError(f"shares must be three numbers, not all 0, got {shares}")
    first, last = (len(items) * sum(shares[:stop]) // total for stop in (place, place + 1))
    return shuffled(items, seed, key)[first:last]
