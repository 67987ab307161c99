"""Random tokens that repeat: whoever finds the last time that a token stood here knows what comes next."""

import numpy as np

from attention_lab.checks import check_generator, check_size
from attention_lab.data.given import check_list


def repeats(num, rng, *, vocab_size=32, period=(6, 16), length=48):
    """Sequences of random tokens that start over after a while: ``5 2 9 5 2 9 5 2 ...``

    The tokens of one period all differ, so the token before tells for certain what comes next, as soon as it is seen
    for the second time. Nothing else tells: periods are drawn anew for each sequence.

    Parameters
    ----------
    num : int
        How many sequences.
    rng : numpy.random.Generator
    vocab_size : int
        Tokens are 0 to vocab_size - 1.
    period : (int, int)
        The shortest and the longest period, both possible.
    length : int
        Tokens a sequence, more than the longest period.

    Returns
    -------
    ids : (num, length) int array
    predictable : (num, length) bool array
        True where a token follows from those before it: from the second token of the second period on. (That the
        second period begins is seen only when its first token is there.)

    Raises
    ------
    ValueError
        If a size is too small, or a period is longer than `vocab_size` or than `length`.
    TypeError
        If a size is not an integer or `rng` not a generator.

    Notes
    -----
    Olsson et al. 2022, "In-context Learning and Induction Heads".

    Examples
    --------
    >>> ids, predictable = repeats(2, np.random.default_rng(0), vocab_size=10, period=(3, 4), length=8)
    >>> ids.shape, predictable.shape
    ((2, 8), (2, 8))
    """
    num, vocab_size = check_size("num", num), check_size("vocab_size", vocab_size, low=1)
    length = check_size("length", length, low=1)
    shortest, longest = _check_period(period, vocab_size, length)
    check_generator(rng)
    periods = rng.integers(shortest, longest + 1, size=(num, 1))
    first = np.argsort(rng.random((num, vocab_size)), axis=-1)  # a row is all tokens in random order
    steps = np.arange(length)
    return np.take_along_axis(first, steps % periods, axis=-1), steps > periods


def _check_period(period, vocab_size, length):
    sizes = [check_size("period", size, low=1) for size in check_list("period", period)]
    if len(sizes) != 2:
        raise ValueError(f"period must be (shortest, longest), got {period!r}")
    shortest, longest = sizes
    if not shortest <= longest <= min(vocab_size, length - 1):
        raise ValueError(
            f"period is {(shortest, longest)}: expected (shortest, longest) with a longest of at most {vocab_size}, "
            f"the number of tokens, and below {length}, the length"
        )
    return shortest, longest
