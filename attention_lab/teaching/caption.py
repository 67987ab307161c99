"""The words of a figure: labels that any font can draw, and the sentence that says what the data shows."""

from functools import cache

import numpy as np
from matplotlib import font_manager
from matplotlib.backends.backend_agg import RendererAgg

from attention_lab.teaching.comparing import compare, in_words, with_a_choice
from attention_lab.teaching.view import number_repeats

# The first draws nearly everything and comes with matplotlib; the others, where installed, add scripts it lacks.
_FAMILIES = ("DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "PingFang SC", "Hiragino Sans",
             "Apple SD Gothic Neo", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Noto Emoji")  # fmt: skip
_RENDERER = RendererAgg(1, 1, 100)  # measures at the resolution of the figures
_LABEL_WIDTH = 84  # points; a longer token ends in an ellipsis
_BLANKS = str.maketrans({" ": "␣", "\n": "⏎", "\r": "⏎", "\t": "⇥"})
NOUNS = {"weights": "weights", "scores": "scores", "signed": "values", "measured": "values"}


@cache
def families():
    """Installed font families in order of preference: matplotlib falls back along this list, glyph by glyph."""
    installed = set(font_manager.fontManager.get_font_names())
    return [name for name in _FAMILIES if name in installed]


@cache
def _has_glyph(character):
    files = (font_manager.findfont(name) for name in families())
    return any(font_manager.get_font(file).get_char_index(ord(character)) for file in files)


def drawable(text):
    """The text with a box for each character that no font here can draw; a blank token becomes visible."""
    text = str(text)
    if not text.strip():
        text = text.translate(_BLANKS) or "∅"
    text = text.translate({ord("\n"): "⏎", ord("\r"): "⏎", ord("\t"): "⇥", 0xFE0F: None, 0x200D: None})
    return "".join(c if c.isprintable() and _has_glyph(c) else "▯" for c in text)


@cache
def width(text, size=8, weight="normal"):
    """Width of a text in points."""
    font = font_manager.FontProperties(family=families(), size=size, weight=weight)
    return _RENDERER.get_text_width_height_descent(text, font, False)[0] * 72 / _RENDERER.dpi


def shorten(text, room=_LABEL_WIDTH, size=8):
    """The text if it fits into so many points, else its beginning and an ellipsis."""
    if width(text, size) <= room:
        return text
    while text and width(text + "…", size) > room:
        text = text[:-1]
    return text + "…"


def wrap(text, room, size=8, weight="normal"):
    """Lines of at most so many points, broken between words; a word that is longer stands alone."""
    lines = [""]
    for word in map(_drawable_word, text.split(" ")):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width(longer, size, weight) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _drawable_word(word):
    return drawable(word) if word else word


def token_labels(tokens):
    """One label a token; a token that occurs more than once carries its position: ``4:the``."""
    return number_repeats([shorten(drawable(token)) for token in tokens])


def number(value, digits=2):
    """A number as text, with a real minus sign and no minus zero."""
    text = f"{value:.{digits}f}" if digits is not None else f"{value:.1e}"
    return (text if float(text) else text.lstrip("-")).replace("-", "−")


def digits(limit):
    """Decimals that fit a cell for numbers up to this size; None asks for powers of ten."""
    if limit >= 10_000 or 0 < limit < 0.001:
        return None
    return 3 if limit < 0.095 else 2 if limit < 10 else 1 if limit < 100 else 0


def mask_name(visible, real):
    """What a mask is called, where that can be seen from it: causal, window, padded or else masked."""
    kept = visible.any(axis=0) & real
    if not kept.any():
        return "fully masked"
    for columns in (np.ones_like(kept), kept):
        padded = [] if columns.all() and real.all() else ["padded"]
        if (visible | ~columns).all():
            return ", ".join(padded)
        name = _pattern(visible, columns)
        if name:
            return ", ".join([name, *padded])
    return "masked" if real.all() else "masked, padded"


def _pattern(visible, columns):
    n_q, n_k = visible.shape
    distance = np.arange(n_q)[:, None] + (n_k - n_q) - np.arange(n_k)
    reach = visible.sum(axis=1).max(initial=1)
    patterns = {
        "causal": distance >= 0,
        "sliding-window": (distance >= 0) & (distance < reach),
        "window": abs(distance) < (reach + 1) // 2,
    }
    return next((name for name, mask in patterns.items() if (mask == visible)[:, columns].all()), None)


def describe(panel, query=None):
    """What a panel shows, as one sentence: size, mask and kind; the strongest pair; what is out of order."""
    n_q, n_k = panel.values.shape
    words = [mask_name(panel.visible, panel.real), NOUNS[panel.manner]]
    parts = [f"{n_q} × {n_k} {' '.join(filter(None, words))}", strongest(panel, query), *oddities(panel)]
    return "; ".join(filter(None, parts))


def strongest(panel, query=None):
    """The largest weight or score, of one query or of all that have a choice, in words."""
    choice, values, manner = with_a_choice(panel.drawn, query), panel.values, panel.manner
    if not choice.any() or panel.broken.any():  # with NaN about, the largest of the rest says nothing
        return ""
    by_row = manner in ("weights", "scores")
    cells, even = compare(values, panel.kind, choice, by_row=by_row)
    shown = 2 if panel.kind == "weights" else digits(abs(values[choice]).max())
    query = 0 if manner == "measured" and len(values) == 1 else query
    if even:
        return _evenly(panel, query, number(values[choice][0], shown))
    one, is_pair = panel.name("query", cells[0][0]), not by_row and (manner == "signed" or query is None)
    names = [f"{panel.name('query', i)}, " * is_pair + panel.name("key", j) for i, j in cells]
    found = in_words(names, values[tuple(cells.T)], lambda x: number(x, shown), "keys" if by_row else "cells")
    verb = {
        "weights": f"{one} attends most to",
        "scores": f"{one} scores highest with",
        "signed": "largest in size at",
        "measured": f"{'' if is_pair else f'{one}: '}largest {panel.measure} at",
    }
    return f"{verb[manner]} {found[0]} ({found[1]})"


def _evenly(panel, query, amount):
    """Of cells that are all alike."""
    who = "" if query is None else panel.name("query", query)
    return {
        "weights": f"{who or 'every query'} attends evenly to the keys it sees",
        "scores": f"{who or 'every query'} scores the same with the keys it sees",
        "signed": f"the same {f'all along {who}' if who else 'everywhere'} ({amount})",
        "measured": f"{who and f'{who}: '}the same {panel.measure} everywhere ({amount})",
    }[panel.manner]


def oddities(panel):
    """What is out of order, a sentence each: queries without a key, cells that are no number, weight that is hidden."""
    names = [panel.name("query", row) for row in np.flatnonzero(panel.blind)]
    if panel.blind.all():
        yield "no query sees a key"
    elif names:
        who = ", ".join(names) if len(names) < 4 else f"{len(names)} queries"
        yield f"{who} {'sees' if len(names) == 1 else 'see'} no key"
    if panel.broken.any():
        count = panel.broken.sum()
        yield f"{count} {'cell is' if count == 1 else 'cells are'} {panel.broken_name}"
    hidden = np.where(panel.visible & panel.real | ~np.isfinite(panel.values), 0, panel.values)
    if panel.manner == "weights" and hidden.max() > 1e-6:
        yield f"hidden cells hold weight (up to {number(hidden.max(), 2 if hidden.max() >= 0.005 else None)})"
    below = (panel.values[panel.drawn] < 0).sum()
    if panel.kind == "weights" and below:
        yield f"{below} {'cell is' if below == 1 else 'cells are'} below 0"
