"""Diagrams of the transformer and its parts, each a list of boxes and lines."""

from attention_lab.checks import check_choice
from attention_lab.teaching.diagram_blocks import ROLES, decoder_block, encoder_block, transformer
from attention_lab.teaching.diagram_parts import Box, Label, Line, draw
from attention_lab.teaching.picture import Picture
from attention_lab.teaching.plot_inputs import read_text


def diagram(what, *, norm="pre", highlight=None, caption=None):
    """Draw the transformer, or one of its parts.

    Data flows from top to bottom. The residual stream is the one thick line: with pre-norm it runs through additions
    alone, with post-norm it runs through every norm. Shapes: n positions (m in the memory), h heads of width d_k.

    Parameters
    ----------
    what : {"multi-head", "encoder-block", "decoder-block", "transformer"}
    norm : {"pre", "post", None}
        Where the norms stand: at the start of each branch, after each addition, or nowhere. Multi-head attention has
        none in any case.
    highlight : str or sequence of str, optional
        Parts to mark, such as "norm" or "residual".
    caption : str, optional
        A sentence instead of the computed one, for instance before a prediction.

    Returns
    -------
    Picture
        With ``.figure``, ``.alt`` (the sentence) and ``.save(path)``.

    Raises
    ------
    TypeError, ValueError
        If there is no such diagram, norm or part. The message lists those that exist.

    References
    ----------
    Vaswani et al. (2017), "Attention Is All You Need", sections 3.1-3.3; Xiong et al. (2020), "On Layer Normalization
    in the Transformer Architecture", section 3.

    Examples
    --------
    >>> diagram("encoder-block").alt
    'Pre-norm encoder block: x + self-attention(norm(x)), then x + feed-forward(norm(x))'
    >>> diagram("encoder-block", norm="post").alt
    'Post-norm encoder block: norm(x + self-attention(x)), then norm(x + feed-forward(x))'
    """
    title, sentence, parts = compose(what, norm)
    marked = _read_highlight(highlight, parts)
    if marked:
        sentence = f"{sentence}; highlighted: {', '.join(marked)}"
    alt = sentence if caption is None else read_text(caption)
    return Picture(draw(title, alt, parts, marked), alt)


def compose(what, norm="pre"):
    """Title, sentence and parts of a diagram."""
    check_choice("what", what, tuple(_DIAGRAMS))
    return _DIAGRAMS[what](check_choice("norm", norm, ("pre", "post", None)))


def _read_highlight(highlight, parts):
    """The names to mark, each once, in the order given."""
    names = [highlight] if isinstance(highlight, str) else [] if highlight is None else highlight
    if not isinstance(names, (list, tuple, set, frozenset)):
        raise TypeError(f"highlight must be the name of a part or a list of names, got {highlight!r}")
    known = list(dict.fromkeys(part.part for part in parts if getattr(part, "part", "")))
    for name in names:
        if name not in known:
            raise ValueError(f"highlight must name parts of this diagram ({', '.join(known)}), got {name!r}")
    return list(dict.fromkeys(name for name in known if name in names))


# ---- multi-head attention -------------------------------------------------------------------------------------

_WIDE, _APART = 386, 135  # of a bar over all three columns; from column to column


def multi_head(norm=None):
    """Title, sentence and parts: three projections, a cut into heads, attention in each, a paste, a projection."""
    x = Box("x", 0, 0, 16, 16, "text")
    split = Box("split into h heads", 0, 147, _WIDE, 26, part="split")
    attention = Box(
        "attention in each head: softmax(Q Kᵀ / √d_k) V", 4, 232, _WIDE + 8, 52, "attention", "weights (h, n, n)",
        part="attention", cards=2,
    )  # fmt: skip
    join = Box("concatenate the heads", 0, 307, _WIDE, 26, part="concatenate")
    project = Box("W_o", 0, 376, 116, 40, note="(h·d_k, d_model)", part="W_o")
    output = Box("output", 0, 440, 44, 16, "text")
    below = [Line((attention.below(-4), join.above())), Line((join.below(), project.above()))]
    below.append(Line((project.below(), output.above())))
    shapes = [
        Label(text, 10, (line.points[0][1] + line.points[1][1]) / 2 - 2)
        for text, line in zip(("(h, n, d_k)", "(n, h·d_k)", "(n, d_model)"), below)
    ]
    columns = [
        part for i, letter in enumerate("QKV") for part in _column(letter, (i - 1) * _APART, x, split, attention)
    ]
    steps = ("x", "W_q, W_k, W_v", split.text, "attention in each head", join.text, project.text, output.text)
    parts = [x, Label("(n, d_model)", 12, 0), *columns, split, attention, join, project, output, *below, *shapes]
    return "Multi-head attention", f"Multi-head attention: {' → '.join(steps)}", parts


def _column(letter, x, source, split, attention):
    """From the source through one weight matrix and the cut into heads."""
    role, turn = ROLES[letter], source.below()[1] + 16
    weight = Box(f"W_{letter.lower()}", x, 68, 116, 40, role, "(d_model, h·d_k)", role)
    fork = (source.below(),) if x == source.x else ((source.x, turn), (x, turn))
    lines = [
        Line((*fork, weight.above())),
        Line((weight.below(), split.above(x)), role, letter, part=role),
        Line((split.below(x), attention.above(x - attention.x)), role, letter, part=role),
    ]
    shapes = [Label(text, x + 12, line.middle[1]) for text, line in zip(("(n, h·d_k)", "(h, n, d_k)"), lines[1:])]
    return [weight, *lines, *shapes]


_DIAGRAMS = {
    "multi-head": multi_head,
    "encoder-block": encoder_block,
    "decoder-block": decoder_block,
    "transformer": transformer,
}
