"""Where a token stands, told by the scores: a number for each distance, added before the softmax."""

import math

import numpy as np

from attention_lab.checks import check_flag, check_size, numeric
from attention_lab.functional import embedding, initial
from attention_lab.masks import aligned_positions


def alibi_slopes(num_heads):
    """How fast each head's attention fades with distance.

    slope_h = 2^(-8 (h + 1) / num_heads),    h = 0, ..., num_heads - 1

    Where num_heads is not a power of two: the slopes of the next lower power of two, then every other slope of
    twice that power.

    Parameters
    ----------
    num_heads : int
        At least 1.

    Returns
    -------
    ndarray, (num_heads,)

    Raises
    ------
    TypeError, ValueError
        If `num_heads` is not a whole number of at least 1.

    Notes
    -----
    Source: Press et al. 2022, "Train Short, Test Long", section 3; the other numbers of heads as in its code.

    Examples
    --------
    >>> alibi_slopes(8).tolist()
    [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]
    >>> alibi_slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]
    """
    power = 1 << (check_size("num_heads", num_heads, low=1).bit_length() - 1)
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * np.arange(1, 2 * power + 1, 2) / (2 * power))
    return np.concatenate([slopes, between[: num_heads - power]])


def alibi_bias(num_heads, n_queries, n_keys=None):
    """A penalty on the scores that grows with the distance: a straight line a head.

    bias_h(i, j) = -slope_h · |i - j|

    It goes in as the `mask` of an attention, where floats are added to the scores. Hide the future beside it.

    Parameters
    ----------
    num_heads : int
    n_queries, n_keys : int
        As in `causal_mask`: with fewer queries than keys, the queries are the last positions.

    Returns
    -------
    ndarray, (num_heads, n_queries, n_keys)

    Raises
    ------
    TypeError, ValueError
        As in `alibi_slopes` and `causal_mask`.

    Notes
    -----
    Source: Press et al. 2022, "Train Short, Test Long", section 3.

    Examples
    --------
    >>> alibi_bias(8, 2, 3)[0].tolist()
    [[-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]]
    """
    query, key = aligned_positions(n_queries, n_keys)
    return 0.0 - alibi_slopes(num_heads)[:, None, None] * np.abs(query - key)


def relative_position_bucket(relative_position, *, num_buckets=32, max_distance=128, bidirectional=True):
    """Number the distances: near ones each get a bucket, far ones share buckets that grow with the distance.

    Half of a direction's buckets hold the distances 0, 1, 2, ... one each. The other half is logarithmic up to
    `max_distance`, and everything beyond falls into the last.

    Parameters
    ----------
    relative_position : array_like of int
        Position of the key minus position of the query.
    num_buckets : int
        At least 2; of both directions at least 4.
    max_distance : int
        Above half of a direction's buckets.
    bidirectional : bool
        Give later keys (positive distances) buckets of their own; else they all fall into bucket 0.

    Returns
    -------
    ndarray of int
        Buckets from 0 to num_buckets - 1, with the shape of `relative_position`.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind or value.

    Notes
    -----
    Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with T5", section 2.1, and its code.

    Examples
    --------
    >>> relative_position_bucket([-500, -20, -2, -1, 0, 1, 2, 20, 500]).tolist()
    [15, 10, 2, 1, 0, 17, 18, 26, 31]
    """
    relative = numeric("relative_position", relative_position)
    if relative.dtype.kind not in "iu":
        raise TypeError(f"relative_position must be whole numbers, got dtype {relative.dtype}")
    both = check_flag("bidirectional", bidirectional)
    buckets = check_size("num_buckets", num_buckets, low=4 if both else 2) // (2 if both else 1)
    exact = buckets // 2  # distances below this have a bucket each
    max_distance = check_size("max_distance", max_distance, low=exact + 1)
    relative = np.clip(relative.astype(np.float64), -max_distance, max_distance).astype(np.int64)
    distance = np.abs(relative) if both else np.maximum(-relative, 0)
    share = np.log(np.maximum(distance, exact) / exact) / math.log(max_distance / exact)  # 0 at exact, 1 at the end
    far = np.minimum(exact + (share * (buckets - exact)).astype(np.int64), buckets - 1)
    return np.where(distance < exact, distance, far) + np.where(both & (relative > 0), buckets, 0)


class RelativePositionBias:
    """A learned number for each head and bucket of distances, added to the scores.

    bias_h(i, j) = table[bucket(j - i), h]

    Parameters
    ----------
    num_heads : int
    num_buckets, max_distance, bidirectional : int, int, bool
        As in `relative_position_bucket`.
    rng : numpy.random.Generator, optional
        Draws the table, N(0, 0.02²): close to no bias at all.
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        As in `relative_position_bucket`.

    Notes
    -----
    Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with T5", section 2.1.

    Examples
    --------
    >>> bias = RelativePositionBias(2, rng=np.random.default_rng(0))(3, 5)
    >>> bias.shape, bool(bias[0, 0, 2] == bias[0, 2, 4])                # (heads, n_q, n_k); equal distances
    ((2, 3, 5), True)
    """

    parameters = ("table",)

    def __init__(self, num_heads, *, num_buckets=32, max_distance=128, bidirectional=True, rng=None, dtype=np.float32):
        self._buckets = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": bidirectional}
        relative_position_bucket(0, **self._buckets)
        self.table = initial(rng, (num_buckets, check_size("num_heads", num_heads, low=1)), 0.02, dtype)

    def __call__(self, n_queries, n_keys=None):
        """Sizes as in `alibi_bias` -> bias (num_heads, n_queries, n_keys), for the `mask` of an attention."""
        query, key = aligned_positions(n_queries, n_keys)
        bias = embedding(relative_position_bucket(key - query, **self._buckets), self.table)  # (n_q, n_k, heads)
        return bias.swapaxes(-1, -2).swapaxes(-2, -3)
