"""Training, validation and test parts that are the same on every machine and with every version of NumPy."""

from hashlib import sha256

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
    return sorted(items, key=lambda item: sha256(f"{seed} {key(item)}".encode()).digest())


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
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(map(repr, SPLITS))} but is {split!r}")
    place, total = SPLITS.index(split), sum(shares)
    first, last = (len(items) * sum(shares[:stop]) // total for stop in (place, place + 1))
    return shuffled(items, seed, key)[first:last]
