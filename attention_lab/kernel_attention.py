"""Attention at a cost that is linear in the length: a kernel in place of the softmax, or fewer keys.

With positive features φ in place of exp, Σ_j φ(q) · φ(k_j) v_j = φ(q) · Σ_j φ(k_j) v_jᵀ: the sum over the keys does not
depend on the query, so it is taken once for all.
"""

import numpy as np

from attention_lab.attention import scaled_dot_product_attention
from attention_lab.autodiff import differentiable
from attention_lab.checks import (
    as_visible,
    check_attention_shapes,
    check_flag,
    check_generator,
    check_mask,
    check_rows,
    check_sequences,
    check_size,
    finite,
    floating,
    numeric,
)
from attention_lab.functional import linear

CHUNK = 128  # a causal sum is quadratic inside a chunk, and carries one state from chunk to chunk


def _mix(query, key, value, offset=None):
    """Σ_j (query_i · key_j) value_j: over all keys, or over those with j <= i + offset."""
    if offset is None:
        return query @ (key.swapaxes(-1, -2) @ value)
    n_k, start = key.shape[-2], min(max(offset, 0), key.shape[-2])
    state = key[..., :start, :].swapaxes(-1, -2) @ value[..., :start, :]
    pieces = []
    for first in range(0, query.shape[-2], CHUNK):
        rows = query[..., first : first + CHUNK, :]
        stop = min(max(first + rows.shape[-2] + offset, start), n_k)
        columns, mixed = key[..., start:stop, :].swapaxes(-1, -2), value[..., start:stop, :]
        seen = np.tri(rows.shape[-2], stop - start, first + offset - start, dtype=rows.dtype)
        pieces.append((rows @ columns * seen) @ mixed + rows @ state)
        state, start = state + columns @ mixed, stop
    return np.concatenate(pieces, axis=-2)


def _kernel_attention(query, key, value, is_causal, dtype):
    """The output from features of queries and keys, and what the backward needs."""
    offset = key.shape[-2] - query.shape[-2] if check_flag("is_causal", is_causal) else None
    value = np.concatenate([value, np.ones_like(value[..., :1])], axis=-1)  # the ones sum up the denominator
    sums = _mix(query, key, value, offset)
    total = np.where(sums[..., -1:] == 0, 1, sums[..., -1:])
    output = sums[..., :-1] / total  # normalise
    return output.astype(dtype, copy=False), (query, key, value, output, total, offset)


def _kernel_backward(grad, saved):
    """Gradients of the features and of the value: three sums of the same kind, two of them backwards in time."""
    query, key, value, output, total, offset = saved
    to_sums = np.concatenate([grad, -(grad * output).sum(-1, keepdims=True)], axis=-1) / total
    to_query = _mix(to_sums, value, key, offset)
    late = (x[..., ::-1, :] for x in (query, key, value, to_sums))  # the last first: who sees becomes who is seen
    query, key, value, to_sums = late
    offset = None if offset is None else 0
    to_key = _mix(value, to_sums, query, offset)[..., ::-1, :]
    return to_query, to_key, _mix(key, query, to_sums, offset)[..., ::-1, :-1]


def _linear_backward(grad, saved):
    to_query, to_key, to_value = _kernel_backward(grad, saved)
    query, key, *_ = saved
    return to_query * np.minimum(query, 1), to_key * np.minimum(key, 1), to_value  # 1 above 0, exp(x) below


@differentiable(_linear_backward)
@finite
def linear_attention(query, key, value, mask=None, *, is_causal=False):
    """Attention without a softmax: the keys and values are summed up once, and every query reads the sum.

    output_i = φ(q_i) Σ_j φ(k_j) v_jᵀ / φ(q_i) · Σ_j φ(k_j),    φ(x) = elu(x) + 1 = x + 1 above 0, exp(x) below

    Parameters
    ----------
    query, key, value : array_like, (..., n_q, d_k), (..., n_k, d_k), (..., n_k, d_v)
        As in `scaled_dot_product_attention`. The scores are not scaled.
    mask : array_like of bool, (..., 1, n_k), optional
        Which keys are real, the same for every query: there is one sum for all.
    is_causal : bool
        Hide the future, aligned to the end: the last query sees every key. The sum then grows from query to query:
        a recurrent network whose state is a matrix.

    Returns
    -------
    ndarray, (..., n_q, d_v)
        The weights, which are never computed, are positive and sum to one. A query that may see no key gets zeros; so
        does one whose products all underflow, as with every number of the keys far below -80 in float32.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind, shape or value, or the mask differs from query to query.

    Notes
    -----
    2 n d_k d_v products instead of 2 n² d. Floating input keeps its dtype; float16 is worked in float32 inside.
    Source: Katharopoulos et al. 2020, "Transformers are RNNs", sections 3.2 to 3.4.

    Examples
    --------
    >>> key, value = [[0.0, 0.0], [2.0, 0.0]], [[4.0], [8.0]]
    >>> linear_attention([[0.0, 0.0]], key, value).round(3).tolist()       # similarities 2 and 4
    [[6.667]]
    >>> linear_attention(key, key, value, is_causal=True)[0].tolist()      # the first sees itself alone
    [4.0]
    """
    query, key, value, dtype = floating(query=query, key=key, value=value)
    check_attention_shapes(query, key, value)
    query, key = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (query, key))
    if mask is not None:
        key = np.where(_of_keys(mask, query, key), key, 0)
    return _kernel_attention(query, key, value, is_causal, dtype)


def _performer_backward(grad, saved):
    features, inputs, directions, scale = saved
    to_query, to_key, to_value = _kernel_backward(grad, features)
    to_logs = to_query * features[0], to_key * features[1]
    to_inputs = [logs @ directions.T - x * logs.sum(-1, keepdims=True) for logs, x in zip(to_logs, inputs, strict=True)]
    return to_inputs[0] * scale, to_inputs[1] * scale, to_value


@differentiable(_performer_backward)
@finite
def performer_attention(query, key, value, *, num_features, is_causal=False, rng):
    """An estimate of softmax attention, at a cost that is linear in the length: positive random features.

    φ(x)_m = exp(w_m · x - ‖x‖² / 2), with x = q or k divided by d_k^¼: the mean of φ(q)_m φ(k)_m over normal w_m is
    exp(q · k / √d_k). The directions w_m are normal, and orthogonal in blocks of d_k.

    Parameters
    ----------
    query, key, value : array_like, (..., n_q, d_k), (..., n_k, d_k), (..., n_k, d_v)
        As in `scaled_dot_product_attention`.
    num_features : int
        At least 1. The error falls as 1/√num_features, and grows fast with the lengths of queries and keys.
    is_causal : bool
        As in `linear_attention`.
    rng : numpy.random.Generator
        Draws the directions.

    Returns
    -------
    ndarray, (..., n_q, d_v)
        The weights, which are never computed, are positive and sum to one.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind, shape or value.

    Notes
    -----
    Each feature is divided by its largest over the keys, each query's by its own largest: both cancel, and no sum over
    all keys can overflow or vanish. A causal query whose keys all vanish beside later ones gets zeros.
    Source: Choromanski et al. 2021, "Rethinking Attention with Performers", sections 2.3 and 2.4.

    Examples
    --------
    >>> q, k, v = np.random.default_rng(0).normal(size=(3, 5, 4))
    >>> estimate = performer_attention(q, k, v, num_features=4096, rng=np.random.default_rng(1))
    >>> bool(abs(estimate - scaled_dot_product_attention(q, k, v)[0]).max() < 0.1)
    True
    """
    query, key, value, dtype = floating(query=query, key=key, value=value)
    check_attention_shapes(query, key, value)
    num_features = check_size("num_features", num_features, low=1)
    directions = random_directions(query.shape[-1], num_features, rng).astype(query.dtype)
    scale = query.shape[-1] ** -0.25  # scale
    inputs = query * scale, key * scale
    of_query, of_key = (x @ directions - (x * x).sum(-1, keepdims=True) / 2 for x in inputs)
    largest = of_key.max(-2, keepdims=True)
    of_query = of_query + largest
    features = np.exp(of_query - of_query.max(-1, keepdims=True)), np.exp(of_key - largest)
    output, saved = _kernel_attention(*features, value, is_causal, dtype)
    return output, (saved, inputs, directions, scale)


def linformer_attention(query, key, value, project_k, project_v):
    """Attention over a few mixtures of the keys, instead of over all keys.

    output = Attention(Q, E K, F V),    E and F of shape (r, n_k)

    Parameters
    ----------
    query, key, value : array_like, (..., n_q, d_k), (..., n_k, d_k), (..., n_k, d_v)
        As in `scaled_dot_product_attention`.
    project_k, project_v : array_like, (r, n_k)
        What each of the r mixtures takes from each key, and from each value. They are learned, for one length n_k.

    Returns
    -------
    ndarray, (..., n_q, d_v)

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind or shape.

    Notes
    -----
    There is no mask: each mixture holds all keys, so nothing can be causal.
    Source: Wang et al. 2020, "Linformer: Self-Attention with Linear Complexity", section 4.

    Examples
    --------
    >>> q, k, v = np.random.default_rng(0).normal(size=(3, 4, 2))
    >>> dense, _ = scaled_dot_product_attention(q, k, v)
    >>> bool(np.allclose(linformer_attention(q, k, v, np.eye(4), np.eye(4)), dense))
    True
    """
    key, value = _shortened("project_k", project_k, "key", key), _shortened("project_v", project_v, "value", value)
    if key.shape[-2] != value.shape[-2]:
        raise ValueError(f"project_v makes {value.shape[-2]} rows but project_k makes {key.shape[-2]}: they pair up")
    return scaled_dot_product_attention(query, key, value)[0]


def random_directions(d, num_features, rng):
    """Normal directions, (d, num_features): d at a time are orthogonal, and each has a length of its own."""
    blocks = -(-num_features // d)
    turned, triangle = np.linalg.qr(check_generator(rng).normal(size=(blocks, d, d)))
    turned = turned * np.sign(np.diagonal(triangle, axis1=-2, axis2=-1))[:, None]  # so that all turns are as likely
    lengths = np.linalg.norm(rng.normal(size=(blocks * d, d)), axis=-1, keepdims=True)
    return (turned.reshape(-1, d) * lengths)[:num_features].T


def _of_keys(mask, query, key):
    """A mask that is the same for every query, as (..., n_k, 1)."""
    leading = np.broadcast_shapes(query.shape[:-2], key.shape[:-2])
    mask = check_mask(as_visible("mask", mask), (*leading, query.shape[-2], key.shape[-2]))
    if mask.ndim > 1 and mask.shape[-2] != 1:
        raise ValueError(f"mask of shape {mask.shape} differs from query to query, but they share a sum: (..., 1, n_k)")
    return np.atleast_2d(mask)[..., 0, :, None]


def _shortened(name, project, of, rows):
    """The mixtures of some rows: (..., n_k, d) -> (..., r, d)."""
    check_sequences(**{of: rows if hasattr(rows, "backward") else numeric(of, rows)})
    rows = check_rows(of, rows, None)
    project = check_rows(name, project, rows.shape[-2], "n_k")
    if project.ndim != 2 or 0 in project.shape:
        raise ValueError(f"{name} must have shape (r, n_k) with at least one row, got {project.shape}")
    return linear(rows.swapaxes(-1, -2), project.swapaxes(-1, -2)).swapaxes(-1, -2)
