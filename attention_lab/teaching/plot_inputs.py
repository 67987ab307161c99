"""What the pictures are given: read into arrays, masks and labels, or refused in words."""

import math
from numbers import Real

import numpy as np

from attention_lab.checks import as_visible, check_mask, check_size, floating
from attention_lab.teaching.caption import NOUNS, token_labels

SCALES = ("unit", "shared", "own", "log")


def read_values(array, axes, expected, name="weights"):
    values = floating(**{name: array})[0].astype(float)
    if values.ndim != axes:
        raise ValueError(f"{name} has {values.ndim} axes, shape {values.shape}: expected {axes}, {expected}")
    if values.size == 0:
        raise ValueError(f"{name} is empty, shape {values.shape}: expected at least one query and one key")
    return values


def check_options(kind, scale, annot):
    if kind not in NOUNS:
        raise ValueError(f"kind must be one of {', '.join(NOUNS)}, got {kind!r}")
    if not (scale in SCALES if isinstance(scale, str) else isinstance(scale, Real) and 0 < scale < math.inf):
        raise ValueError(f"scale must be one of {', '.join(SCALES)} or a number above 0, got {scale!r}")
    if scale == "log" and kind != "weights":
        raise ValueError(f"scale='log' needs kind='weights', got kind={kind!r}: a logarithm has no negative side")
    if annot not in ("auto", True, False):
        raise ValueError(f"annot must be 'auto', True or False, got {annot!r}")


def read_tokens(tokens, query_tokens, key_tokens, shape):
    """Labels of both axes, and whether they are tokens: {"query": ..., "key": ...} twice."""
    labels, given = {}, {}
    for role, own, size in (("query", query_tokens, shape[0]), ("key", key_tokens, shape[1])):
        name = f"{role}_tokens" if own is not None else "tokens"
        words = own if own is not None else tokens
        if isinstance(words, (str, bytes)):
            raise TypeError(f"{name} is one string: expected a sequence of {size} tokens, for instance {name}.split()")
        words = None if words is None else list(words)
        if words is not None and len(words) != size:
            hint = "" if name != "tokens" else "; where they differ give query_tokens and key_tokens"
            raise ValueError(f"{name} has {len(words)} entries: expected {size}, one a {role} of weights {shape}{hint}")
        labels[role] = [str(i) for i in range(size)] if words is None else token_labels(words)
        given[role] = words is not None
    return labels, given


def read_masks(mask, padding, shape):
    """Which cells a mask shows, and which keys are real tokens."""
    visible = np.ones(shape, bool)
    if mask is not None:
        mask = check_mask(mask, shape)
        visible &= mask if mask.dtype == bool else mask > -np.inf
    if padding is None:
        return visible, np.ones(shape[-1], bool)
    real = as_visible("padding", padding)
    if real.size != shape[-1] or real.shape[-1:] != shape[-1:]:
        raise ValueError(f"padding has shape {real.shape}: expected ({shape[-1]},), one a key, True = a real token")
    return visible, real.reshape(-1)


def read_query(query, n_q):
    if query is not None and check_size("query", query) >= n_q:
        raise ValueError(f"query={query} does not exist: expected a row from 0 to {n_q - 1}")
    return query


def read_titles(titles, heads):
    if titles is None:
        return [f"head {i}" for i in range(heads)]
    if isinstance(titles, str) or len(titles) != heads:
        raise ValueError(f"titles must be a sequence of {heads} texts, one a head, got {titles!r}")
    return [str(title) for title in titles]
