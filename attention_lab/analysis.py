"""Numbers that describe attention weights and scores."""

from functools import reduce

import numpy as np

from attention_lab.attention import quietly, scaled_scores
from attention_lab.checks import check_axis, check_leading, check_number, check_same_features, check_sequences, floating


@quietly
def attention_entropy(weights, axis=-1):
    """How widely each query spreads its attention, in nats.

    H = -Σ_j w_j ln w_j, with 0 ln 0 = 0. Uniform weights over n keys give ln n, a single key gives 0.

    Parameters
    ----------
    weights : array_like
        Attention weights of any shape, such as (..., n_q, n_k): not negative, rows sum to one or are empty.
    axis : int
        The axis of the keys.

    Returns
    -------
    ndarray
        The shape of `weights` without `axis`. Entropies, never negative; a row that sees no key gives 0.

    Raises
    ------
    TypeError, ValueError
        If the weights are not real numbers, or hold NaN, inf or negative numbers.

    Notes
    -----
    Source: Shannon 1948, "A Mathematical Theory of Communication", section 6.

    Examples
    --------
    >>> attention_entropy([[0.25, 0.25, 0.25, 0.25], [1, 0, 0, 0], [0, 0, 0, 0]]).round(4).tolist()
    [1.3863, 0.0, 0.0]
    """
    weights, dtype = _weights(weights)
    check_axis("weights", weights, axis)
    logs = np.log(np.where(weights > 0, weights, 1))
    return _narrowed(np.maximum(-(weights * logs).sum(axis), 0), dtype)


@quietly
def effective_keys(weights, axis=-1):
    """Over how many keys a query spreads its attention: the exponential of the entropy.

    exp(H) is n for uniform weights over n keys and 1 for a single key; a row that sees no key gives 0.
    Parameters and errors are those of `attention_entropy`.

    Examples
    --------
    >>> effective_keys([[0.5, 0.5, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]).round(4).tolist()
    [2.0, 1.0, 0.0]
    """
    weights, dtype = _weights(weights)
    spread = np.exp(attention_entropy(weights, axis))
    return _narrowed(np.where(weights.any(axis), spread, 0), dtype)


def attention_sparsity(weights, *, share=0.9):
    """Which part of the keys a query could do without.

    1 - k / n_k, where k is the smallest number of keys that together hold `share` of the query's attention.
    One key of n holds all: 1 - 1/n. Uniform weights: about 1 - share.

    Parameters
    ----------
    weights : array_like, (..., n_k)
        Attention weights.
    share : float
        Between 0 and 1.

    Returns
    -------
    ndarray, (...)
        From 0 (every key is needed) up to 1 (a row that sees no key).

    Raises
    ------
    TypeError, ValueError
        As in `attention_entropy`, or if `share` is not above 0 and below 1.

    Examples
    --------
    >>> attention_sparsity([[1, 0, 0, 0], [0.5, 0.45, 0.05, 0], [0.25, 0.25, 0.25, 0.25]]).tolist()
    [0.75, 0.5, 0.0]
    """
    weights, dtype = _weights(weights)
    check_axis("weights", weights, -1)
    goal = check_number("share", share, above=0, below=1) * weights.sum(-1, keepdims=True, dtype=np.float64)
    held = np.cumsum(-np.sort(-weights, axis=-1), axis=-1, dtype=np.float64)  # by the 1, 2, 3, ... largest
    slack = 4 * np.finfo(dtype).eps * goal  # .5 + .4 must count as .9
    needed = np.where(goal[..., 0] > 0, (held < goal - slack).sum(-1) + 1, 0)
    return (1 - needed / max(1, weights.shape[-1])).astype(dtype, copy=False)


def query_key_similarity(query, key):
    """Mean, largest and smallest scaled score of queries and keys.

    score = q · k / √d_k

    Parameters
    ----------
    query : array_like, (..., n_q, d_k)
    key : array_like, (..., n_k, d_k)

    Returns
    -------
    dict
        ``mean``, ``max`` and ``min`` over all pairs, as Python floats.

    Raises
    ------
    TypeError, ValueError
        If the last axes differ, the leading ones do not broadcast, a number is NaN or inf, or there is no pair.

    Examples
    --------
    >>> query_key_similarity([[2.0, 0.0, 0.0, 0.0]], [[3.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]])
    {'mean': 1.0, 'max': 3.0, 'min': -1.0}
    """
    query, key, _ = floating(query=query, key=key)
    check_sequences(query=query, key=key)
    check_same_features(query, key)
    check_leading(query=query, key=key)
    scores = scaled_scores(query, key)
    if scores.size == 0:
        raise ValueError(f"query and key must hold a pair to compare, got shapes {query.shape} and {key.shape}")
    return {"mean": float(scores.mean()), "max": float(scores.max()), "min": float(scores.min())}


@quietly
def head_summary(weights):
    """A few numbers a head: how sharp it is, and how much of it goes to places with a name.

    Means over batch and queries; a query that sees no key does not count.

    Parameters
    ----------
    weights : array_like, (..., heads, n_q, n_k)
        Attention weights, queries aligned to the last keys.

    Returns
    -------
    dict of ndarray, (heads,)
        ``entropy`` (nats), ``effective_keys``, ``sparsity``, ``largest`` (the row's largest weight), and the weight on
        ``itself``, on the ``previous`` token and on the ``first`` one.

    Raises
    ------
    TypeError, ValueError
        As in `attention_entropy`, or if there is no head axis.

    Examples
    --------
    >>> summary = head_summary([[[1.0, 0.0], [1.0, 0.0]]])
    >>> {name: float(values[0]) for name, values in summary.items() if name in ("itself", "previous", "first")}
    {'itself': 0.5, 'previous': 0.5, 'first': 1.0}
    """
    weights, dtype = _weights(weights)
    if weights.ndim < 3 or 0 in weights.shape:
        raise ValueError(f"weights must be (..., heads, n_q, n_k) and not empty, got shape {weights.shape}")
    n_q, n_k = weights.shape[-2:]
    rows = {
        "entropy": attention_entropy(weights),
        "effective_keys": effective_keys(weights),
        "sparsity": attention_sparsity(weights),
        "largest": weights.max(-1),
        "itself": (weights * np.eye(n_q, n_k, n_k - n_q)).sum(-1),
        "previous": (weights * np.eye(n_q, n_k, n_k - n_q - 1)).sum(-1),
        "first": weights[..., 0],
    }
    seeing = weights.any(-1)  # (..., heads, n_q)
    others = tuple(axis for axis in range(seeing.ndim) if axis != seeing.ndim - 2)
    counted = np.maximum(seeing.sum(others), 1)
    return {name: _narrowed((row * seeing).sum(others) / counted, dtype) for name, row in rows.items()}


@quietly
def attention_rollout(weights):
    """What reaches each token through all layers, if attention and the residual stream carry half each.

    rollout = Ã_L ... Ã_2 Ã_1,    Ã = (mean over heads of A + I) / 2

    It knows the weights alone: not what values, W_o, norms and feed-forward nets make of them.

    Parameters
    ----------
    weights : array_like, (layers, ..., heads, n, n), or a list of (..., heads, n, n)
        The first layer first.

    Returns
    -------
    ndarray, (..., n, n)
        Rows: tokens above the last layer; columns: tokens below the first. Rows sum to one where those of the weights
        do.

    Raises
    ------
    TypeError, ValueError
        As in `attention_entropy`, or if there is no layer or head, or queries and keys are not the same tokens.

    Notes
    -----
    Source: Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3.

    Examples
    --------
    >>> two_layers = [[[[1.0, 0.0], [1.0, 0.0]]]] * 2
    >>> attention_rollout(two_layers).tolist()
    [[1.0, 0.0], [0.75, 0.25]]
    """
    weights, dtype = _weights(weights)
    if weights.ndim < 4 or 0 in weights.shape or weights.shape[-1] != weights.shape[-2]:
        raise ValueError(f"weights must be (layers, ..., heads, n, n) and not empty, got shape {weights.shape}")
    steps = (weights.mean(-3) + np.eye(weights.shape[-1])) / 2
    return _narrowed(reduce(lambda below, step: step @ below, steps), dtype)


def _weights(weights):
    weights, dtype = floating(weights=weights)
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError("weights must be finite and not negative: give the weights, not the scores")
    return weights, dtype


def _narrowed(result, dtype):
    """Back in the caller's dtype, which may hold less than the one that was worked in."""
    if not (result <= np.finfo(dtype).max).all():
        raise ValueError(f"weights grow too large for {dtype}: rows should sum to at most 1")
    return result.astype(dtype, copy=False)
