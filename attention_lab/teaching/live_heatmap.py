"""Heatmaps as HTML: quick enough to follow a slider, readable by a screen reader, in the page's own theme.

A small map is a table with a number in each cell; a large one is a picture with a pixel a cell in the same frame.
The colour of a cell is a class (its percent of the scale), so the page's theme, not the kernel, picks the colours.
"""

import html
import math
from functools import cache

import numpy as np

from attention_lab.analysis import effective_keys
from attention_lab.teaching import live_pixels
from attention_lab.teaching.colours import LINES, RAMPS, TEXT, ink, ramp
from attention_lab.teaching.comparing import uniform
from attention_lab.teaching.view import AXES, axis_noun

SIDE = {1: 384, 2: 288, 4: 192}  # px of a map, by maps in a row: multiples of many lengths
CELL_MAX, CELL_WITH_NUMBER, NUMBER_MIN, LABEL_PITCH = 48, 21, 8, 11  # px
TABLE_CELLS = 300  # in all maps together; more cells are painted as pixels, which is quicker
LABEL = 10  # characters of a token that fit


def draw(view, beside=False):
    """A view as HTML; beside another picture its maps stand two in a row at most."""
    heads = len(view.weights)
    columns = 1 if heads == 1 else 2 if heads == 2 or beside else 4
    as_pixels = view.weights.size > TABLE_CELLS
    maps = "".join(_map(view, head, SIDE[columns], as_pixels) for head in range(heads))
    plain = " plain" if view.kind == "signed" else ""  # signed values have no query and no key
    side = SIDE[columns]
    room = side if view.rows is None else min(side, view.rows * _cell(view, side))
    return (
        f'<div class="al{plain}" role="group" aria-label="{html.escape(view.alt)}">'
        f'<div class="maps c{columns}" style="--s:{side}px;--r:{room}px">{maps}</div>{_legend(view)}'
        f"<p>{_spoken(view)}</p></div>"
    )


def still(view):
    """A view as a Picture, for readers without a kernel."""
    from attention_lab.teaching.plot_view import draw as draw_still

    return draw_still(view)


@cache
def colour_classes():
    """A class for each percent of each ramp, in both themes."""
    rules = []
    for theme, root in (("light", ".al"), ("dark", "[data-jp-theme-light=false] .al")):
        roles = "".join(f"--{role}:{colour};" for role, colour in TEXT[theme].items())
        roles += "".join(f"--line{i}:{colour};" for i, colour in enumerate(LINES[theme]))
        ramps = "".join(f"--{kind}:{','.join(RAMPS[kind][theme])};" for kind in RAMPS)
        rules.append(f"{root}{{{roles}{ramps}--negative:{RAMPS['signed'][theme][1]}}}")
        for kind in RAMPS:
            colours = ramp(kind, theme)
            for i, (colour, text) in enumerate(zip(colours.tolist(), ink(colours), strict=True)):
                rules.append(f"{root} .{kind[0]}{i}{{background:rgb{tuple(colour)};color:{text}}}")
    return "".join(rules)


def levels(view, head):
    """Each cell's percent of the colour scale."""
    share = view.weights[head] / view.limit
    share = share if view.kind == "weights" else (share + 1) / 2
    return np.clip(np.nan_to_num(share * 100), 0, 100).round().astype(int)


def number(x, digits=2):
    """A number that fits into a cell: no zero before the point, "0" and "1" only where they are exact enough."""
    if x == 0:
        return "0"
    text = f"{abs(x):.{digits}f}".removeprefix("0" if digits == 2 else "")
    return ("−" if x < 0 else "") + ("1" if text == "1.00" else text)


def _map(view, head, side, as_pixels):
    n_q, n_k = view.weights.shape[1:]
    cell = _cell(view, side)
    size = _number_size(view, cell)
    mute = cell < CELL_WITH_NUMBER or n_q * n_k > 256 or size < NUMBER_MIN
    turn = max(map(len, _short(view.key_tokens))) * 6.5 > cell
    kinds = [("turn", turn), ("line", cell >= 8), ("thin", cell < 16), ("mute", mute), ("px", as_pixels)]
    style = f"--c:{cell}px;--nq:{n_q};--nk:{n_k};--num:{size}px"
    body = _pixel_rows if as_pixels else _cell_rows
    return (
        f'<table style="{style}" class="{" ".join(name for name, applies in kinds if applies)}">'
        f"<caption>{html.escape(view.titles[head]) or view.size}</caption>"
        f'<colgroup><col class="h">{"<col>" * n_k}</colgroup>{_column_labels(view, cell)}'
        f"<tbody>{''.join(body(view, head, cell))}</tbody>{_bars(view, head)}</table>"
    )


def _cell(view, side):
    return max(1, min(CELL_MAX, side // max(view.weights.shape[1:])))


def _digits(view):
    """Decimals of the numbers in cells: two for weights, fewer for large scores."""
    return 2 if view.limit < 9.95 else 1 if view.limit < 99.5 else 0


def _number_size(view, cell):
    """Font size at which the longest possible number fits: .99 of weights, −.99 where nothing is larger than 1."""
    longest = 3 if view.kind == "weights" else 4 if view.limit <= 1 else len(f"-{view.limit:.{_digits(view)}f}")
    return int(min(12, cell / 2.3, 1.5 * cell / longest))


def _column_labels(view, cell):
    labels = _thin_out(_short(view.key_tokens), cell)
    cells = "".join(f'<th scope="col"><i>{html.escape(label)}</i></th>' for label in labels)
    return f'<thead><tr><th class="corner">{_corner(view)}</th>{cells}</tr></thead>'


def _corner(view):
    """The names of both axes; what they do, of query and key."""
    if view.axes == AXES:
        return "<b>key →</b><br>attended to<br><b>query ↓</b><br>attends"
    rows, columns = (html.escape(_cut(axis_noun(name))) for name in view.axes)
    return f"<b>{columns} →</b><br><br><b>{rows} ↓</b>"


def _row_labels(view, cell):
    """Row labels thinned out, but the query's own always, and nothing too near to it."""
    tokens = _short(view.query_tokens)
    labels = _thin_out(tokens, cell)
    if view.outlined is not None:
        near = [i != view.outlined and abs(i - view.outlined) * cell < LABEL_PITCH for i in range(len(tokens))]
        labels = ["" if close else label for label, close in zip(labels, near, strict=True)]
        labels[view.outlined] = tokens[view.outlined]
    blind = _blind(view)
    return [html.escape(label) + (" ∅" if unseeing else "") for label, unseeing in zip(labels, blind, strict=True)]


def _blind(view):
    """Which rows see no key, of those that stand for something."""
    return view.named[0] & ~view.mask.any(-1)


def _row_start(view, i, label):
    return f'<tr{" class=q" if i == view.outlined else ""}><th scope="row">{label}</th>'


def _cell_rows(view, head, cell):
    keys, digits = [html.escape(view.label(1, j)) for j in range(len(view.key_tokens))], _digits(view)
    colour, first, between = levels(view, head).tolist(), view.kind[0], " → " if view.axes == AXES else ", "
    named = np.logical_and.outer(*view.named)
    for i, label in enumerate(_row_labels(view, cell)):
        token, cells = html.escape(view.label(0, i)), []
        for j, x in enumerate(view.weights[head, i].tolist()):
            if not named[i, j]:
                cells.append('<td class="e"></td>')
                continue
            if view.mask[i, j]:
                kind = f"{first}{colour[i][j]}" if math.isfinite(x) else "nan"
                value, shown = f"{x:.3f}", number(x, digits)
            else:
                kind = "pad" if view.padded[j] else "m"
                value = shown = "masked"
            cells.append(f'<td class="{kind}" data-t="{token}{between}{keys[j]}: {value}">{shown}</td>')
        yield f"{_row_start(view, i, label)}{''.join(cells)}</tr>"


def _pixel_rows(view, head, cell):
    n_q, n_k = view.weights.shape[1:]
    images = "".join(
        f'<img class="{theme}" alt="{n_q} by {n_k} {view.noun}" src="{source}">'
        for theme, source in _pixels(view, head).items()
    )
    dots = "".join(f'<i class="strip" style="left:calc({j}*var(--c))"></i>' for j in np.flatnonzero(view.padded))
    rows = "".join(
        f'<i{" class=q" if i == view.outlined else ""} role="img" aria-label="{html.escape(text)}"></i>'
        for i, text in enumerate(_row_texts(view, head))
    )
    picture = f'<td class="png" rowspan="{n_q}" colspan="{n_k}">{images}{dots}<div>{rows}</div></td>'
    for i, label in enumerate(_row_labels(view, cell)):
        yield f"{_row_start(view, i, label)}{'' if i else picture}</tr>"


def _row_texts(view, head):
    """What each row reads, by its three strongest keys."""
    verb = {"weights": "reads", "scores": "scores"}.get(view.manner, "is largest at")
    shown = np.where(view.mask, view.compared(view.weights[head]), -np.inf)
    top = np.argsort(-shown, axis=-1)[:, :3].tolist()
    for i in range(len(shown)):
        parts = [f"{view.key_tokens[j]} {view.weights[head, i, j]:.2f}" for j in top[i] if view.mask[i, j]]
        yield f"{view.label(0, i)} {verb} {', '.join(parts) or 'nothing: no visible key'}"


def _pixels(view, head):
    codes = np.where(np.isfinite(view.weights[head]), levels(view, head), live_pixels.NOT_A_NUMBER)
    codes = np.where(view.mask, codes, live_pixels.NOT_SEEN)
    return live_pixels.sources(codes, "weights" if view.kind == "weights" else "signed")


def _bars(view, head):
    """The outlined row once more, as bars below the map."""
    if view.outlined is None:
        return ""
    row = view.weights[head, view.query]
    row = np.where(view.mask[view.query] & np.isfinite(row), row, 0)
    shares = np.clip(row if view.kind == "weights" else row / view.limit, -1, 1).tolist()
    kinds = ["e" if not named else "neg" if x < 0 else "" for x, named in zip(shares, view.named[1], strict=True)]
    cells = "".join(
        f'<td{f" class={kind}" if kind else ""} style="--v:{100 * abs(x):.0f}%"></td>'
        for x, kind in zip(shares, kinds, strict=True)
    )
    label = html.escape(_short(view.query_tokens)[view.query])
    verb = "is read" if view.reader else {"weights": "reads", "scores": "scores"}.get(view.manner, "holds")
    return f'<tfoot aria-hidden="true"><tr><th>{label}<br>{verb}</th>{cells}</tr></tfoot>'


def _legend(view):
    name = html.escape(view.measure) or {"weights": "weight", "scores": "score", "signed": "value"}[view.kind]
    low, kind = (0, "weights") if view.kind == "weights" else (-view.limit, "signed")
    numbers = [f"{low + k * (view.limit - low) / 2:.2g}".replace("-", "−") for k in range(3)]
    finite = view.mask & np.isfinite(view.weights)
    if np.abs(view.weights[finite]).max(initial=0) > view.limit * (1 + 1e-9):
        numbers[2] = f"≥ {numbers[2]}"
    ticks = "".join(f'<span style="left:{50 * k}%">{text}</span>' for k, text in enumerate(numbers))
    named = np.logical_and.outer(*view.named)
    n_k = uniform(view.weights, view.mask & named) if view.kind == "weights" else None
    if n_k and view.limit * n_k > 1 - 1e-9:
        ticks += f'<span class="up" style="left:{min(100, 100 / n_k / view.limit):.1f}%">1/{n_k} uniform</span>'
    fixed = "fixed scale 0 to 1" if view.kind == "weights" and view.limit == 1 else f"scale to {view.limit:.2g}"
    parts = [f'<div class="bar {kind}" aria-hidden="true">{ticks}</div><span>{name}, {fixed}</span>']
    if (named & ~(view.mask | view.padded)).any():
        parts.append('<span><i class="sw hatch"></i>masked: not zero</span>')
    if view.padded.any():
        parts.append('<span><i class="sw dots"></i>padding, masked</span>')
    if (view.mask & ~finite).any():
        parts.append('<span><i class="sw nan"></i>NaN or infinite</span>')
    if _blind(view).any():
        parts.append("<span>∅ no visible key</span>")
    return f'<div class="key">{"".join(parts)}</div>'


def _spoken(view):
    first, *others = [_sentence(view, head) for head in range(min(4, len(view.weights)))]
    heads = [first, *(text.removeprefix(" reads").removeprefix(":").strip() for text in others)]
    note = f" {html.escape(view.note)}" if view.note else ""
    who = f'<b class="query">‘{html.escape(view.reader)}’</b>' if view.reader else _bold(view, 0, view.query)
    return f"{who}{'; '.join(heads)}.{note}"


def _sentence(view, head):
    (cells, even), title = view.finding(head), f" ({html.escape(view.titles[head])})" if len(view.weights) > 1 else ""
    if not len(cells):
        return " has no visible key: its output is 0" if view.emptiness == "sees no key" else f" {view.emptiness}"
    whom, amount = view.in_words(head, cells, lambda axis, index: _cell_name(view, axis, index))
    x = view.weights[head][tuple(cells[0])]
    if view.manner != "weights":
        (most, evenly), form = map(html.escape, view.verbs), " ({})" if view.manner == "measured" else ": {}"
        return (evenly + form.format(view.amount(x)) if even else f"{most} {whom}{form.format(amount)}") + title
    share = f"{100 * x:.0f} % from {'each key it sees' if even else whom}"
    share = share if even or len(cells) == 1 else f"{100 * x:.0f} % each from {whom}"
    return f" reads {share}" + (title or _spread(view, head))


def _cell_name(view, axis, index):
    """A key; the row before it only says where it stands."""
    return _bold(view, 1, index) if axis else f'<b class="key-token">{html.escape(view.label(0, index))}</b>'


def _bold(view, axis, index):
    """A row or column in the sentence, in its colour."""
    label = html.escape(view.label(axis, index))
    name = f"‘{label}’" if view.has_tokens(axis) else label
    return f'<b class="{("query", "key-token")[axis]}">{name}</b>'


def _spread(view, head):
    """Over how many keys the row spreads: only of weights that sum to one, unlike the largest of several heads."""
    row = view.read_row(head)
    if not (np.isfinite(row).all() and (row >= 0).all() and abs(row.sum() - 1) < 0.01):
        return ""
    if row.size == 1:
        return ", the only key it sees"
    return f" and spreads over {effective_keys(row):.1f} effective keys of {row.size} visible"


def _short(tokens):
    return [_cut(token) for token in tokens]


def _cut(text):
    return text if len(text) <= LABEL else text[: LABEL - 1] + "…"


def _thin_out(labels, cell):
    """Every second, third, ... label where they would touch, and the last one."""
    step, last = math.ceil(LABEL_PITCH / cell), len(labels) - 1
    return [
        label if i == last or i % step == 0 and i + step <= last or step == 1 else "" for i, label in enumerate(labels)
    ]
