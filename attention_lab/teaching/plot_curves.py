"""A figure of lines over one axis, in the style of the heatmaps: names at the lines' ends, its sentence below."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke
from matplotlib.ticker import NullLocator

from attention_lab.teaching.axis import spread
from attention_lab.teaching.caption import drawable, families, shorten, width, wrap
from attention_lab.teaching.colours import LINES, TEXT, dashes
from attention_lab.teaching.curves import Curves
from attention_lab.teaching.layout import DPI, LINE, MARGIN, add_axes, snap, write
from attention_lab.teaching.panel import SIZE
from attention_lab.teaching.picture import Picture
from attention_lab.teaching.plot_inputs import read_text, read_title

_WIDE, _HIGH = 270, 176  # points of the plot itself
_MARKS = 14  # names of marks below one another; then they begin at the top again
_NAME_ROOM, _PITCH, _REACH = 130, 10.5, 14  # points: of a line's name, from name to name, from a line's end to its name


def curves(
    lines, x=None, *, x_label="", y_label="", scale="linear", x_scale="linear", limits=None, marks=None, roles=None,
    title=None, note="", caption=None,
):  # fmt: skip
    """Draw lines over one axis, each with its name at its end.

    Parameters
    ----------
    lines, x, x_label, y_label, scale, x_scale, limits, marks, roles, title, note
        As in `attention_lab.teaching.curves.Curves`.
    caption : str, optional
        A sentence instead of the computed one, for instance before a prediction.

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
    >>> curves({"cosine": np.cos([0, 1, 2, 3])}, x_label="distance", y_label="dot product").alt
    "dot product over distance 0 to 3; 'cosine' falls from 1.00 to −0.990"
    """
    chart = Curves(
        lines, x, x_label=x_label, y_label=y_label, scale=scale, x_scale=x_scale, limits=limits, marks=marks,
        roles=roles, title=title, note=note,
    )  # fmt: skip
    return draw(chart, caption)


def draw(chart, caption=None):
    """`Curves` as a Picture."""
    alt = read_text(chart.alt if caption is None else caption)
    heading, note = read_title(chart.title), read_text(chart.note)
    sentence = f"{alt.removesuffix('.')}. {note}" if note else alt
    ticks = chart.y_axis.ticks()
    left = MARGIN + max(map(width, ticks.values()), default=0) + 8
    names = {name: shorten(drawable(name), _NAME_ROOM) for name in chart.lines}
    wide = left + _WIDE + _REACH + max(width(name, SIZE, "bold") for name in names.values()) + MARGIN
    head = wrap(heading, wide - 2 * MARGIN, size=10, weight="bold") if heading else []
    top = MARGIN + (14 * len(head) + 4 if head else 0) + 14
    below = top + _HIGH + 34
    text = wrap(sentence, wide - 2 * MARGIN, SIZE)
    figure = Figure((snap(wide) / 72, snap(below + LINE * len(text) + MARGIN) / 72), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    ax = add_axes(figure, snap(left), snap(top), snap(_WIDE), snap(_HIGH))
    _draw_axes(ax, chart)
    _draw_lines(ax, chart)
    _name_lines(ax, chart, names)
    _draw_marks(ax, chart)
    write(figure, MARGIN, MARGIN, head, size=10, weight="bold", line=14)
    write(figure, left, top - 14, [_label(chart.y_label)], size=SIZE, line=LINE)
    write(figure, MARGIN, below, text, size=SIZE, line=LINE)
    return Picture(figure, alt)


def _draw_axes(ax, chart):
    ax.set(xlim=(0, 1), ylim=(0, 1))  # lines come in shares of the axes, as on the live page
    for axis, own in ((ax.xaxis, chart.x_axis), (ax.yaxis, chart.y_axis)):
        ticks = own.ticks()
        axis.set_ticks(own.at(list(ticks)), labels=list(ticks.values()))
        axis.set_minor_locator(NullLocator())
    ax.tick_params(length=0, pad=4, labelsize=SIZE, labelfontfamily=families(), labelcolor="#222222")
    ax.grid(True, color="#e3e3e3", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color("#777777")
    if chart.y_axis.scale == "linear" and chart.y_axis.low < 0 < chart.y_axis.high:
        ax.axhline(chart.y_axis.at(0), color="#999999", linewidth=0.8, zorder=1)
    style = {"size": SIZE, "family": families(), "color": "#222222", "parse_math": False}
    ax.set_xlabel(_label(chart.x_label), loc="right", labelpad=3, **style)


def _label(text):
    return shorten(drawable(text), _WIDE) if text else ""


def _look(chart, name):
    style = chart.style(name)
    if isinstance(style, str):
        return {"color": TEXT["light"][style], "dashes": ()}
    return {"color": LINES["light"][style % 4], "dashes": dashes(style)}


def _draw_lines(ax, chart):
    for name in chart.lines:
        places = chart.places(name)
        look = _look(chart, name)
        dots = {"marker": "o", "markersize": 3, "markevery": chart.dots(name)}
        y = np.clip(places[:, 1], -50, 50)  # far outside is as good as any number there
        dashed = {"dashes": look["dashes"]} if look["dashes"] else {}
        (line,) = ax.plot(places[:, 0], y, color=look["color"], linewidth=1.6, **dashed, **dots)
        # a little more than the plot, so that dots at its edge stay whole
        line.set_clip_path(Rectangle((-0.01, -0.015), 1.02, 1.03, transform=ax.transAxes))


def _name_lines(ax, chart, names):
    """Each name at its line's end, moved up or down where names would touch; a thin line leads to it."""
    ends = chart.ends()
    heights = spread([end[1] * _HIGH for end in ends.values()], _PITCH, 0, _HIGH) / _HIGH
    for (name, (x, y)), height in zip(ends.items(), heights, strict=True):
        colour, reach = _look(chart, name)["color"], _REACH / _WIDE
        ax.plot([x, 1 + reach - 3 / _WIDE], [y, height], color=colour, linewidth=0.5, clip_on=False)
        ax.text(
            1 + reach, height, names[name], color=colour, size=SIZE, weight="bold", va="center_baseline",
            family=families(), parse_math=False,
        )  # fmt: skip


def _draw_marks(ax, chart):
    """Dotted lines at named places, each name a line lower than the last one and on the side that has room."""
    for i, (name, at) in enumerate(chart.marked().items()):
        down = i % _MARKS * 11 + 2
        ax.axvline(at, color="#555555", linewidth=0.9, linestyle=(0, (1, 2)), zorder=1.5)
        side = "left" if at < 0.6 else "right"
        text = ax.text(
            at + (4 if side == "left" else -4) / _WIDE, 1 - down / _HIGH, shorten(drawable(name), 0.4 * _WIDE),
            size=SIZE, ha=side, va="top", color="#555555", family=families(), parse_math=False,
        )  # fmt: skip
        text.set_path_effects([withStroke(linewidth=2, foreground="white")])
