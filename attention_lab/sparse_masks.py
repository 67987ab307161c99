"""Sparse masks: patterns that show each query a few keys, so that the visible cells grow slower than the square.

True = may attend, as in `masks`. Patterns join by ``|``, and ``& causal_mask(n)`` makes any of them causal.
"""

import numpy as np

from attention_lab.checks import check_generator, check_ids, check_size
from attention_lab.masks import aligned_positions, sliding_window_mask


def dilated_mask(n_queries, n_keys=None, *, window, dilation, is_causal=True):
    """A window with gaps: each query sees as many keys as in a window, but spread `dilation` times as far.

    visible(i, j) = i - j is one of 0, dilation, 2 · dilation, ..., (window - 1) · dilation; else |i - j| is

    Parameters
    ----------
    n_queries, n_keys : int
        As in `causal_mask`.
    window : int
        How many keys a causal query sees at most, itself included.
    dilation : int
        The distance from one of them to the next; 1 gives `sliding_window_mask`.
    is_causal : bool
        Whether the keys after the query are hidden too.

    Returns
    -------
    ndarray of bool, (n_queries, n_keys)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        As in `causal_mask`, or if `window` or `dilation` is below 1.

    Notes
    -----
    Source: Beltagy et al. 2020, "Longformer: The Long-Document Transformer", section 3.1. The strided heads of Child
    et al. 2019, "Generating Long Sequences with Sparse Transformers", section 4.3, are a window, and one of these.

    Examples
    --------
    >>> dilated_mask(5, window=2, dilation=3).astype(int).tolist()
    [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [1, 0, 0, 1, 0], [0, 1, 0, 0, 1]]
    """
    query, key = aligned_positions(n_queries, n_keys)
    window, dilation = check_size("window", window, low=1), check_size("dilation", dilation, low=1)
    wide = sliding_window_mask(n_queries, n_keys, window=window * dilation, is_causal=is_causal)
    return wide & ((query - key) % dilation == 0)


def block_mask(n_queries, n_keys=None, *, block_size):
    """The sequence is cut into blocks, and each query sees the keys of its own block.

    visible(i, j) = ⌊i / block_size⌋ = ⌊j / block_size⌋

    Parameters
    ----------
    n_queries, n_keys : int
        As in `causal_mask`.
    block_size : int
        At least 1. The last block may be shorter.

    Returns
    -------
    ndarray of bool, (n_queries, n_keys)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        As in `causal_mask`, or if `block_size` is below 1.

    Notes
    -----
    Source: Child et al. 2019, "Generating Long Sequences with Sparse Transformers", section 4.3, the first of the two
    "fixed" heads, there causal.

    Examples
    --------
    >>> block_mask(5, block_size=2).astype(int).tolist()
    [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]
    """
    query, key = aligned_positions(n_queries, n_keys)
    block_size = check_size("block_size", block_size, low=1)
    return query // block_size == key // block_size


def global_mask(n_queries, n_keys=None, *, positions):
    """A few positions see all, and are seen by all: whole rows and whole columns.

    visible(i, j) = i in positions or j in positions

    Parameters
    ----------
    n_queries, n_keys : int
        As in `causal_mask`.
    positions : array_like of int, (...)
        Counted from the first key; none give an empty mask.

    Returns
    -------
    ndarray of bool, (n_queries, n_keys)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        As in `causal_mask`, or if a position is not a whole number, or not that of a key.

    Notes
    -----
    Source: Beltagy et al. 2020, "Longformer: The Long-Document Transformer", section 3.1.

    Examples
    --------
    >>> global_mask(4, positions=[0]).astype(int).tolist()
    [[1, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    """
    query, key = aligned_positions(n_queries, n_keys)
    positions = check_ids("positions", positions, key.size)
    return np.isin(query, positions) | np.isin(key, positions)


def random_mask(n_queries, n_keys=None, *, num_keys, rng):
    """Each query sees a few keys that are drawn for it, all different.

    Parameters
    ----------
    n_queries, n_keys : int
        As in `causal_mask`.
    num_keys : int
        How many keys each query sees; `n_keys` at most.
    rng : numpy.random.Generator
        Draws them.

    Returns
    -------
    ndarray of bool, (n_queries, n_keys)
        True = may attend. The future is not hidden, nor is a query sure to see itself.

    Raises
    ------
    TypeError, ValueError
        As in `causal_mask`, or if `num_keys` is negative or more than there are, or `rng` is no generator.

    Notes
    -----
    Source: Zaheer et al. 2020, "Big Bird: Transformers for Longer Sequences", section 2.

    Examples
    --------
    >>> random_mask(5, 7, num_keys=3, rng=np.random.default_rng(0)).sum(axis=-1).tolist()
    [3, 3, 3, 3, 3]
    """
    query, key = aligned_positions(n_queries, n_keys)
    if check_size("num_keys", num_keys) > key.size:
        raise ValueError(f"num_keys={num_keys} keys cannot be drawn: there are {key.size}, and each is drawn once")
    first = np.broadcast_to(np.arange(key.size) < num_keys, (query.size, key.size))
    return check_generator(rng).permuted(first, axis=1)


def longformer_mask(n, *, window, global_positions):
    """A window on both sides for all, and a few global positions that see all and are seen by all.

    visible(i, j) = |i - j| < window or i in global_positions or j in global_positions

    Parameters
    ----------
    n : int
        Number of queries, and of keys.
    window : int
        At least 1.
    global_positions : array_like of int, (...)
        Such as [0] for a token that stands for the whole text.

    Returns
    -------
    ndarray of bool, (n, n)
        True = may attend; symmetric.

    Raises
    ------
    TypeError, ValueError
        If `n` or `window` is no such number, or a position does not exist.

    Notes
    -----
    Source: Beltagy et al. 2020, "Longformer: The Long-Document Transformer", section 3.1.

    Examples
    --------
    >>> longformer_mask(5, window=2, global_positions=[0]).astype(int).tolist()
    [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 0, 1, 1, 1], [1, 0, 0, 1, 1]]
    """
    given = check_ids("global_positions", global_positions, check_size("n", n))
    return sliding_window_mask(n, window=window, is_causal=False) | global_mask(n, positions=given)


def big_bird_mask(n, *, block_size, num_random, num_global, rng):
    """By blocks: each sees itself and its two neighbours, a few global blocks, and a few that are drawn for it.

    Parameters
    ----------
    n : int
        Number of queries, and of keys.
    block_size : int
        At least 1. The last block may be shorter.
    num_random : int
        How many other blocks are drawn for each query block that is not global.
    num_global : int
        How many blocks at the beginning see all and are seen by all.
    rng : numpy.random.Generator
        Draws the random blocks.

    Returns
    -------
    ndarray of bool, (n, n)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number or is too small, more blocks are asked for than there are, or `rng` is no
        generator.

    Notes
    -----
    Source: Zaheer et al. 2020, "Big Bird: Transformers for Longer Sequences", section 2 and appendix D.

    Examples
    --------
    >>> mask = big_bird_mask(12, block_size=2, num_random=1, num_global=1, rng=np.random.default_rng(0))
    >>> mask[::2, ::2].sum(axis=-1).tolist()                            # the blocks that each block sees
    [6, 4, 5, 5, 5, 4]
    """
    n, block_size = check_size("n", n), check_size("block_size", block_size, low=1)
    blocks = -(-n // block_size)
    if check_size("num_global", num_global) > blocks:
        raise ValueError(f"num_global={num_global} blocks cannot be global: n={n} has {blocks} of {block_size}")
    visible = longformer_mask(blocks, window=2, global_positions=range(num_global))
    others = (~visible[num_global:]).sum(-1).min(initial=blocks) if num_global < blocks else 0
    if check_size("num_random", num_random) > others:
        raise ValueError(f"num_random={num_random} blocks cannot be drawn: only {others} others are not seen yet")
    lots = np.where(visible, np.inf, check_generator(rng).random(visible.shape))
    np.put_along_axis(visible, lots.argsort(-1)[:, :num_random], True, -1)
    block = np.arange(n) // block_size
    return visible[block[:, None], block]
