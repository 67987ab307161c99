"""Pictures of attention: one heatmap, many heads, and the way from scores to output. Each carries a sentence."""

import math

import numpy as np

from attention_lab.attention import scaled_dot_product_attention
from attention_lab.checks import check_mask, check_number, floating
from attention_lab.masks import causal_mask
from attention_lab.teaching.caption import NOUNS, describe, mask_name, oddities, strongest
from attention_lab.teaching.comparing import with_a_choice
from attention_lab.teaching.layout import compose, on_axes
from attention_lab.teaching.panel import Panel, colour_norm
from attention_lab.teaching.picture import Picture
from attention_lab.teaching.plot_inputs import (
    check_options,
    read_axes,
    read_masks,
    read_query,
    read_text,
    read_title,
    read_titles,
    read_tokens,
    read_values,
)
from attention_lab.teaching.view import AXES, first_of_largest, read_axis_names

_ROOM = {1: 384, 2: 260, 3: 190, 4: 144}  # points for a panel, by the number of columns


def heatmap(
    weights, tokens=None, *, query_tokens=None, key_tokens=None, mask=None, padding=None, kind="weights", scale="unit",
    annot="auto", query=None, title=None, ax=None, caption=None, axes=AXES, measure=None,
):  # fmt: skip
    """Draw who attends to whom: queries from top to bottom, keys from left to right.

    Parameters
    ----------
    weights : array_like, (n_q, n_k)
        Attention weights, or scores or signed values (see `kind`). A score of -inf counts as masked.
    tokens : sequence, optional
        The words, where queries and keys are the same ones; positions 0, 1, 2, ... if not given.
    query_tokens, key_tokens : sequence, optional
        The words of the rows and of the columns, where they differ.
    mask : array_like, broadcast to (n_q, n_k), optional
        True = may attend; of a floating mask, -inf hides. Hidden cells are hatched: masked is not zero.
    padding : array_like of bool, (n_k,), optional
        True = a real token, False = padding, as in `padding_mask`. Padding has a hatch of its own.
    kind : {"weights", "scores", "signed"}
        "weights" are drawn from light to dark; the others in two hues, symmetric about zero.
    scale : {"unit", "shared", "own", "log"} or float
        Range of the colours: of weights 0 to 1, so that a colour means the same in every figure; or up to the
        largest cell ("own", "shared"), or logarithmic. A number fixes the largest value. Scores and signed values
        have no unit: theirs runs to the largest finite cell that is seen.
    annot : "auto" or bool
        Write numbers into the cells; "auto" where they can be read (cells of 16 points, at most 256 of them).
    query : int, optional
        Outline this row, and let the sentence speak of it.
    title : str, optional
    ax : matplotlib.axes.Axes, optional
        Draw here instead of on a new figure.
    caption : str, optional
        A sentence instead of the computed one, for instance before a prediction.
    axes : (str, str)
        What rows and columns are: ``("position", "feature")``, say, of signed values.
    measure : str, optional
        What a colour stands for, "probability", say: it names the colour bar, and the sentence says it of weights.

    Returns
    -------
    Picture
        With ``.figure``, ``.alt`` (the sentence) and ``.save(path)``.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind, shape or value. The message names it and says what was expected.

    Examples
    --------
    >>> heatmap([[0.9, 0.1], [0.2, 0.8]], ["it", "cat"], query=1).alt
    "2 × 2 weights; 'cat' attends most to 'cat' (0.80)"
    """
    values = read_values(weights, 2, "(n_q, n_k): choose one head, weights[0], or call head_grid")
    check_options(kind, scale, annot)
    labels = read_tokens(tokens, query_tokens, key_tokens, values.shape)
    masks, axes = read_masks(mask, padding, values.shape), read_axis_names(axes)
    panel = Panel(values, *masks, kind, *labels, scale=scale, axes=axes, measure=read_title(measure))
    panel.norm = colour_norm(kind, scale, values[panel.drawn])
    query = read_query(query, len(values))
    alt = describe(panel, query) if caption is None else read_text(caption)
    looks = {"title": read_title(title), "sentence": alt, "annot": annot, "query": query}
    if ax is not None:
        on_axes(read_axes(ax), panel, **looks)
        return Picture(ax.figure.canvas.figure, alt)
    return Picture(compose([panel], 1, room=_ROOM[1], **looks), alt)


def head_grid(
    weights, tokens=None, *, query_tokens=None, key_tokens=None, mask=None, padding=None, kind="weights", scale="unit",
    annot="auto", query=None, titles=None, title=None, caption=None, axes=AXES, measure=None,
):  # fmt: skip
    """Draw the heads of a layer side by side, on one scale.

    Parameters
    ----------
    weights : array_like, (heads, n_q, n_k)
        One matrix a head.
    mask : array_like, broadcast to (heads, n_q, n_k), optional
        As in `heatmap`.
    scale : {"unit", "shared", "own", "log"} or float
        As in `heatmap`; "shared" runs to the largest cell of all heads, "own" gives each head its own range and bar.
    titles : sequence of str, optional
        One a head; "head 0", "head 1", ... if not given.
    tokens, query_tokens, key_tokens, padding, kind, annot, query, title, caption, axes, measure
        As in `heatmap`.

    Returns
    -------
    Picture

    Raises
    ------
    TypeError, ValueError
        As in `heatmap`.

    Examples
    --------
    >>> head_grid([[[0.9, 0.1], [0.3, 0.7]], [[0.5, 0.5], [0.5, 0.5]]]).alt
    '2 heads of 2 × 2 weights; head 0: query 0 attends most to key 0 (0.90)'
    """
    values = read_values(weights, 3, "(heads, n_q, n_k): choose one example of a batch, weights[0]")
    check_options(kind, scale, annot)
    labels = read_tokens(tokens, query_tokens, key_tokens, values.shape[1:])
    visible, real = read_masks(mask, padding, values.shape)
    names, about = read_titles(titles, len(values)), {"axes": read_axis_names(axes), "measure": read_title(measure)}
    panels = [
        Panel(head, seen, real, kind, *labels, scale=scale, title=name, **about)
        for head, seen, name in zip(values, visible, names, strict=True)
    ]
    everything = np.concatenate([panel.values[panel.drawn] for panel in panels])
    alike = panels[0].uniform if len({panel.uniform for panel in panels}) == 1 else None
    for panel in panels:
        panel.norm = colour_norm(kind, scale, panel.values[panel.drawn] if scale == "own" else everything)
        panel.uniform = panel.uniform if scale == "own" else alike  # one bar speaks of all
    query = read_query(query, values.shape[1])
    columns = _columns(len(panels))
    noun = "head" if titles is None else "map"
    alt = _describe_all(panels, query, noun) if caption is None else read_text(caption)
    figure = compose(
        panels, columns, room=_ROOM.get(columns, 100), bars="below" if scale == "own" else "right",
        title=read_title(title), sentence=alt, annot=annot, query=query,
    )  # fmt: skip
    return Picture(figure, alt)


def pipeline(
    query, key, value, mask=None, *, is_causal=False, scale=None, tokens=None, query_tokens=None, key_tokens=None,
    annot="auto", title=None, caption=None,
):  # fmt: skip
    """Draw attention step by step: scores, scaled, masked, weights, output, each on the scale that fits it.

    Parameters
    ----------
    query : array_like, (n_q, d_k)
    key : array_like, (n_k, d_k)
    value : array_like, (n_k, d_v)
    mask, is_causal, scale
        As in `scaled_dot_product_attention`, which computes the weights and the output. Without a mask the
        masked step is left out.
    tokens, query_tokens, key_tokens, annot, title, caption
        As in `heatmap`.

    Returns
    -------
    Picture

    Raises
    ------
    TypeError, ValueError
        As in `heatmap` and `scaled_dot_product_attention`.

    Examples
    --------
    >>> x = np.eye(2)
    >>> pipeline(x, x, x, is_causal=True, tokens=["the", "cat"]).alt
    "2 × 2 scores → scaled by 0.707 → causal mask → weights → output 2 × 2; 'cat' attends most to 'cat' (0.67)"
    """
    query, key, value, _ = floating(query=query, key=key, value=value)
    for name, array in (("query", query), ("key", key), ("value", value)):
        read_values(array, 2, f"(length, features): choose one head, {name}[0]", name)
    check_options("weights", "unit", annot)
    output, weights = scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal, scale=scale)
    steps = _steps(query @ key.T, weights, output, mask, is_causal, query.shape[1], scale)
    labels = read_tokens(tokens, query_tokens, key_tokens, weights.shape)
    panels = [_step_panel(labels, **step) for step in steps]
    if len(panels) == 5:
        panels[2].norm = panels[1].norm  # the mask changes no colour of what stays
    alt = _describe_steps(panels, steps) if caption is None else read_text(caption)
    figure = compose(
        panels, len(panels), room=132, bars="below", title=read_title(title), sentence=alt, annot=annot, arrows=True
    )  # fmt: skip
    return Picture(figure, alt)


def _steps(scores, weights, output, mask, is_causal, d_k, scale):
    """Values, kind and title of each step; the masked step only where something is hidden or added."""
    factor = 1 / math.sqrt(d_k) if scale is None else check_number("scale", scale)  # a Fraction has no format
    by = f"÷ √{d_k}" if scale is None else f"× {factor:.3g}"
    scaled = scores * factor
    steps = [
        {"values": scores, "kind": "scores", "title": "scores Q Kᵀ"},
        {"values": scaled, "kind": "scores", "title": f"scaled {by}", "factor": factor},
    ]
    visible = np.ones(scores.shape, bool)
    if mask is not None or is_causal:
        hidden = check_mask(np.ones((1, 1), bool) if mask is None else mask, scores.shape)
        visible = visible & (hidden if hidden.dtype == bool else hidden > -np.inf)
        if is_causal:
            visible &= causal_mask(*scores.shape)
        bias = 0 if hidden.dtype == bool else np.where(visible, hidden, 0)
        steps += [{"values": scaled + bias, "kind": "scores", "title": "masked", "visible": visible}]
    return [
        *steps,
        {"values": weights, "kind": "weights", "title": "weights: softmax", "visible": visible},
        {"values": output, "kind": "signed", "title": "output: weights · V"},
    ]


def _step_panel(labels, values, kind, title, visible=None, factor=None):
    texts, are_tokens = labels
    if kind == "signed":
        texts = texts | {"key": [str(i) for i in range(values.shape[1])]}
        are_tokens = are_tokens | {"key": False}
    visible = np.ones(values.shape, bool) if visible is None else visible
    real = np.ones(values.shape[1], bool)
    about = {"columns": "value", "axes": (AXES[0], "feature")} if kind == "signed" else {}
    panel = Panel(np.asarray(values, float), visible, real, kind, texts, are_tokens, title=title, **about)
    panel.norm = colour_norm(kind, "unit", panel.values[panel.drawn])
    return panel


def _describe_steps(panels, steps):
    (n_q, n_k), d_v = panels[0].values.shape, panels[-1].values.shape[1]
    words = [f"{n_q} × {n_k} scores", f"scaled by {steps[1]['factor']:.3g}"]
    if len(panels) == 5:
        name = mask_name(panels[2].visible, panels[2].real)
        plain = {"": "mask that hides nothing", "masked": "mask", "fully masked": "mask that hides all"}
        words.append(plain.get(name, f"{name} mask"))
    path = f"{' → '.join([*words, 'weights'])} → output {n_q} × {d_v}"
    return "; ".join(filter(None, [path, strongest(panels[-2]), *oddities(panels[-2])]))


def _describe_all(panels, query, noun):
    sizes = {describe(panel, query).split("; ")[0] for panel in panels}
    n_q, n_k = panels[0].values.shape
    size = sizes.pop() if len(sizes) == 1 else f"{n_q} × {n_k} {NOUNS[panels[0].manner]}"  # masks of several kinds
    count = f"{len(panels)} {noun}{'s' if len(panels) > 1 else ''} of {size}"
    best = panels[first_of_largest(np.array([_peak(panel, query) for panel in panels]))]
    found = [list(oddities(panel)) for panel in panels]
    odd = found[0] if all(words == found[0] for words in found) else _named(panels, found)
    return "; ".join(filter(None, [count, *_named([best], [[strongest(best, query)]]), *odd]))


def _named(panels, sentences):
    """Each sentence with the title of its panel before it."""
    pairs = [(panel.title, text) for panel, texts in zip(panels, sentences, strict=True) for text in texts if text]
    return [f"{title}: {text}" if title else text for title, text in pairs]


def _peak(panel, query):
    """What `strongest` names, as a number."""
    if panel.broken.any():
        return -np.inf
    values = np.abs(panel.values) if panel.kind == "signed" else panel.values
    return np.where(with_a_choice(panel.drawn, query), values, -np.inf).max()


def _columns(count):
    return count if count <= 4 else math.ceil(count / math.ceil(count / (4 if count <= 16 else 6)))
