"""Masks: who may attend to whom. One convention rules: True = may attend, False = hidden.

A mask is (n_queries, n_keys), queries down and keys across, and joins the scores by broadcasting. Where there
are fewer queries than keys, the queries are the last positions of the sequence, as with a cache of keys.
"""

import numpy as np

from attention_lab.checks import as_visible, check_flag, check_real, check_size, numeric


def causal_mask(n_queries, n_keys=None):
    """Each query sees itself and what came before it.

    visible(i, j) = j <= i + (n_keys - n_queries)

    Parameters
    ----------
    n_queries : int
        Number of rows.
    n_keys : int, optional
        Number of columns; `n_queries` if not given. The last query sees every key. (PyTorch's ``is_causal``
        starts at the first key instead; the two agree where the numbers are equal.)

    Returns
    -------
    ndarray of bool, (n_queries, n_keys)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        If a length is not a whole number, or is negative.

    Examples
    --------
    >>> causal_mask(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> causal_mask(1, 4).astype(int).tolist()                          # one new query, four cached keys
    [[1, 1, 1, 1]]
    """
    query, key = aligned_positions(n_queries, n_keys)
    return key <= query


def sliding_window_mask(n_queries, n_keys=None, *, window, is_causal=True):
    """Each query sees only the keys near it.

    causal: 0 <= i - j < window, so `window` keys at most, itself included; else |i - j| < window.

    Parameters
    ----------
    n_queries, n_keys : int
        As in `causal_mask`.
    window : int
        At least 1.
    is_causal : bool
        Whether the keys after the query are hidden too.

    Returns
    -------
    ndarray of bool, (n_queries, n_keys)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        As in `causal_mask`, or if `window` is below 1.

    Notes
    -----
    Source: Beltagy et al. 2020, "Longformer: The Long-Document Transformer", section 3.1.

    Examples
    --------
    >>> sliding_window_mask(4, window=2).astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    """
    query, key = aligned_positions(n_queries, n_keys)
    distance = query - key
    near = np.abs(distance) < check_size("window", window, low=1)
    return near & (distance >= 0) if check_flag("is_causal", is_causal) else near


def prefix_mask(n_queries, n_keys=None, *, prefix):
    """Everyone sees the whole prefix; after it the mask is causal.

    visible(i, j) = j < prefix or j <= i + (n_keys - n_queries)

    Parameters
    ----------
    n_queries, n_keys : int
        As in `causal_mask`.
    prefix : int
        Number of keys that every query may see.

    Returns
    -------
    ndarray of bool, (n_queries, n_keys)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        As in `causal_mask`, or if `prefix` is not a whole number or is negative.

    Notes
    -----
    Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with T5", section 3.2.1.

    Examples
    --------
    >>> prefix_mask(3, prefix=2).astype(int).tolist()
    [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    """
    query, key = aligned_positions(n_queries, n_keys)
    return (key <= query) | (key < check_size("prefix", prefix))


def padding_mask(lengths, n_keys=None):
    """Each sequence of a batch shows its own tokens and hides the padding behind them.

    visible(b, j) = j < lengths[b]

    Parameters
    ----------
    lengths : array_like of int, (batch,)
        Number of real tokens of each sequence.
    n_keys : int, optional
        Padded length; the longest of `lengths` if not given.

    Returns
    -------
    ndarray of bool, (batch, 1, 1, n_keys)
        True = may attend. The two axes of 1 stand for heads and queries; without a head axis use ``mask[:, 0]``.

    Raises
    ------
    TypeError, ValueError
        If a length is not a whole number, is negative, or is longer than `n_keys`.

    Examples
    --------
    >>> padding_mask([1, 3])[:, 0, 0].astype(int).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    lengths = numeric("lengths", lengths)
    if lengths.ndim != 1 or lengths.size == 0:
        raise ValueError(f"lengths must have shape (batch,) with at least one sequence, got shape {lengths.shape}")
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths must be whole numbers, one a sequence, got dtype {lengths.dtype}")
    n_keys = check_size("lengths", max(int(lengths.max()), 0)) if n_keys is None else check_size("n_keys", n_keys)
    if lengths.min() < 0 or lengths.max() > n_keys:
        raise ValueError(f"lengths must lie between 0 and n_keys={n_keys}, got {lengths.min()} to {lengths.max()}")
    return (np.arange(n_keys) < lengths[:, None])[:, None, None, :]


def combine_masks(*masks):
    """A key is visible where every mask shows it: boolean AND, by broadcasting.

    Parameters
    ----------
    *masks : array_like of bool, (...)
        Masks of shapes that broadcast; 0/1 integers count as booleans and None as no mask.

    Returns
    -------
    ndarray of bool, (...)
        True = may attend.

    Raises
    ------
    TypeError, ValueError
        If a mask is a float bias (add those instead), no mask is given, or the shapes do not broadcast.

    Examples
    --------
    >>> both = combine_masks(causal_mask(3), padding_mask([2, 3]))
    >>> both.shape
    (2, 1, 3, 3)
    >>> both[0, 0].astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 0]]
    """
    masks = [as_visible(f"masks[{i}]", mask) for i, mask in enumerate(masks) if mask is not None]
    if not masks:
        raise ValueError("masks is empty: combine_masks needs at least one mask")
    try:
        return np.all(np.broadcast_arrays(*masks), axis=0)
    except ValueError:
        shapes = ", ".join(str(mask.shape) for mask in masks)
        raise ValueError(f"masks must broadcast, got shapes {shapes}: the last axes are (n_queries, n_keys)") from None


def aligned_positions(n_queries, n_keys=None):
    """Positions of the queries (a column) and of the keys (a row), both counted from the first key."""
    n_queries = check_size("n_queries", n_queries)
    n_keys = n_queries if n_keys is None else check_size("n_keys", n_keys)
    return np.arange(n_queries)[:, None] + (n_keys - n_queries), np.arange(n_keys)


def over_keys(mask, tokens, name="mask"):
    """A mask over tokens, (..., n_k), as one over scores, (..., heads, queries, n_k): the same for every query."""
    return None if mask is None else check_real(mask, tokens, name)[..., None, None, :]
