"""What the pictures are given: read into arrays, masks and labels, or refused in words."""

import math
from collections.abc import Iterator, Set
from numbers import Real

import numpy as np
from matplotlib.axes import Axes

from attention_lab.checks import as_visible, check_mask, floating, numeric
from attention_lab.data.given import is_iterable
from attention_lab.teaching.caption import token_labels, wrap
from attention_lab.teaching.view import KINDS, as_text, check_place, counted

SCALES = ("unit", "shared", "own", "log")


def read_values(array, axes, expected, name="weights"):
    values = floating(**{name: array})[0].astype(float)
    if values.ndim != axes:
        raise ValueError(f"{name} has {values.ndim} axes, shape {values.shape}: expected {axes}, {expected}")
    if values.size == 0:
        raise ValueError(f"{name} is empty, shape {values.shape}: expected at least one query and one key")
    if np.abs(values[np.isfinite(values)]).max(initial=0) > 1e300:
        raise ValueError(f"{name} holds numbers beyond 1e300: a colour scale could not span them")
    return values


def check_options(kind, scale, annot):
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if not (scale in SCALES if isinstance(scale, str) else _is_number(scale) and 1e-300 < float(scale) <= 1e300):
        raise ValueError(f"scale must be one of {', '.join(SCALES)} or a number above 0, got {scale!r}")
    if scale == "log" and kind != "weights":
        raise ValueError(f"scale='log' needs kind='weights', got kind={kind!r}: a logarithm has no negative side")
    if not (isinstance(annot, (bool, np.bool_)) or isinstance(annot, str) and annot == "auto"):
        raise ValueError(f"annot must be 'auto', True or False, got {annot!r}")


def _is_number(x):
    return isinstance(x, Real) and not isinstance(x, (bool, np.bool_, np.timedelta64))


def read_text(text):
    """A caption as one line of text that can be saved."""
    return " ".join(as_text(text).split())


def read_title(title):
    """A title as one line of text that can be drawn, like a token; none where there is none."""
    return "" if title is None else wrap(read_text(title), math.inf)[0]


def read_tokens(tokens, query_tokens, key_tokens, shape):
    """Labels of both axes, and whether they are tokens: {"query": ..., "key": ...} twice."""
    labels, given, tokens = {}, {}, list(tokens) if isinstance(tokens, Iterator) else tokens
    for role, own, size in (("query", query_tokens, shape[0]), ("key", key_tokens, shape[1])):
        name = f"{role}_tokens" if own is not None else "tokens"
        words = own if own is not None else tokens
        if isinstance(words, (str, bytes)):
            raise TypeError(f"{name} is one string: expected a sequence of {size} tokens, for instance {name}.split()")
        if words is not None and (isinstance(words, Set) or not is_iterable(words)):
            raise TypeError(f"{name} must be a sequence of {size} tokens in their order, got {words!r}")
        words = None if words is None else list(words)
        if words is not None and len(words) != size:
            hint = "" if name != "tokens" else "; where they differ give query_tokens and key_tokens"
            has = counted(len(words), "entry", "entries")
            raise ValueError(f"{name} has {has}: expected {size}, one a {role} of weights {shape}{hint}")
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
    real = numeric("padding", padding)
    if real.size != shape[-1] or real.shape[-1:] != shape[-1:]:
        raise ValueError(f"padding has shape {real.shape}: expected ({shape[-1]},), one a key, True = a real token")
    if real.dtype.kind == "f":
        raise TypeError(f"padding must be boolean, True = a real token, got dtype {real.dtype}: write padding == 1")
    return visible, as_visible("padding", real).reshape(-1)


def read_query(query, n_q):
    return None if query is None else check_place("query", query, n_q, "row")


def read_titles(titles, heads):
    if titles is None:
        return [f"head {i}" for i in range(heads)]
    if isinstance(titles, (str, Set)) or not is_iterable(titles):
        raise TypeError(f"titles must be a sequence of {heads} texts, one a head, got {titles!r}")
    titles = [read_title(title) for title in titles]
    if len(titles) != heads:
        raise ValueError(f"titles has {counted(len(titles), 'entry', 'entries')}: expected {heads}, one a head")
    return titles


def read_axes(ax):
    """Axes to draw on: flat ones, still on their figure."""
    if not isinstance(ax, Axes) or ax.name != "rectilinear" or ax.figure is None:
        raise TypeError(
            f"ax must be one flat matplotlib Axes on a figure, such as Figure().subplots() gives, got {ax!r}"
        )
    return ax
