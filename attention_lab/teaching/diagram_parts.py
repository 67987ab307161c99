"""What a diagram is made of, and how it is drawn. Lengths are points, y grows downwards, any origin will do."""

import math
from dataclasses import dataclass

import matplotlib.style
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path

from attention_lab.teaching.caption import families, width, wrap
from attention_lab.teaching.colours import FILL, TEXT, hex_to_rgb
from attention_lab.teaching.layout import DPI

NAME, SMALL, HEADING = 10, 9, 11  # sizes of text
LEADING = 12.5  # from one line of text to the next
STREAM = 4.5  # thickness of the residual stream; any other line has THIN
THIN = 1.4
BADGE, CORNER, CARD = 6.6, 6, 4  # radius of a letter's disc, of a bend; how far one card sticks out behind another
INK, GREY, PEN = "#222222", "#555555", "#ffe08a"
_MARGIN, _NARROWEST = 9, 330

_FILLS = {"norm": "#fff3d1", "attention": "#ece8f6", "feed-forward": "#e4eeee", "panel": "#f5f6f8"}
_EDGES = {"norm": "#8a6a00", "attention": "#5b4b97", "feed-forward": "#3f6b6b", "panel": "#cfd4db", "plus": INK}


@dataclass(frozen=True)
class Box:
    """A named rectangle around (x, y). Its `kind` decides the look, its `part` what a highlight calls it."""

    text: str
    x: float
    y: float
    wide: float
    high: float
    kind: str = "step"
    note: str = ""
    part: str = ""
    cards: int = 0  # that many more boxes lie behind it, and stick out above and to the right

    def beside(self, side, dy=0):
        """A point on the right edge (side 1) or on the left one (side -1)."""
        return self.x + side * self.wide / 2, self.y + dy

    def above(self, dx=0):
        return self.x + dx, self.y - self.high / 2

    def below(self, dx=0):
        return self.x + dx, self.y + self.high / 2

    @property
    def front(self):
        """Left, top, width and height without the cards behind."""
        behind = CARD * self.cards
        return self.beside(-1)[0], self.above()[1] + behind, self.wide - behind, self.high - behind


@dataclass(frozen=True)
class Line:
    """A way through two points or more. With a head it is an arrow; a letter stands so far before its end."""

    points: tuple
    kind: str = "flow"
    letter: str = ""
    head: bool = True
    part: str = ""
    lead: float | None = None  # of the letter; None is the middle of the last stretch

    @property
    def middle(self):
        """The point where a letter stands, on the last stretch."""
        tip, before = np.array(self.points[-1]), np.array(self.points[-2])
        length = math.dist(tip, before)
        lead = length / 2 + 3 * self.head if self.lead is None else self.lead  # the head counts for nothing
        return tuple(tip + (before - tip) * lead / length)


@dataclass(frozen=True)
class Label:
    """Words beside a line; `bold` for the name of a thing, plain for a shape."""

    text: str
    x: float
    y: float
    ha: str = "left"
    bold: bool = False

    @property
    def left(self):
        return self.x - {"left": 0, "center": 0.5, "right": 1}[self.ha] * self.wide

    @property
    def wide(self):
        return width(self.text, SMALL, "bold" if self.bold else "normal")


def draw(title, sentence, parts, marked=()):
    """A figure of boxes, lines and labels, its title above and its sentence below."""
    boxes = [part for part in parts if isinstance(part, Box)]
    labels = [part for part in parts if isinstance(part, Label)]
    left = min([box.beside(-1)[0] for box in boxes] + [label.left for label in labels])
    right = max([box.beside(1)[0] for box in boxes] + [label.left + label.wide for label in labels])
    top, bottom = min(box.above()[1] for box in boxes), max(box.below()[1] for box in boxes)
    room = max(right - left, _NARROWEST)
    lines = wrap(sentence, room, SMALL)
    head, foot = HEADING + 14, 12 + LEADING * len(lines)
    with matplotlib.style.context("default"):  # the reader's own settings are for the reader's own figures
        size = room + 2 * _MARGIN, head + bottom - top + foot + 2 * _MARGIN
        ax = _sheet(size, (left - _MARGIN - (room - (right - left)) / 2, top - head - _MARGIN))
        x, y = ax.get_xlim()[0] + _MARGIN, top - head + HEADING / 2
        write(ax, title, x, y, HEADING, weight="bold", ha="left", gid="title")
        for i, text in enumerate(lines):
            write(ax, text, x, bottom + 12 + LEADING * (i + 0.5), ha="left", gid=f"caption-{i}")
        for i, part in enumerate(parts):
            _DRAW[type(part)](ax, part, f"{type(part).__name__}-{i}".lower(), marked)
    return ax.figure


def _sheet(size, origin):
    """One pair of axes over a whole white figure, one unit a point."""
    pixels = [math.ceil(length * DPI / 72) for length in size]
    figure = Figure([count / DPI for count in pixels], dpi=DPI, facecolor="white", layout="none")
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    ax.set_xlim(origin[0], origin[0] + pixels[0] * 72 / DPI)
    ax.set_ylim(origin[1] + pixels[1] * 72 / DPI, origin[1])
    return ax


def write(ax, text, x, y, size=SMALL, *, ha="center", color=INK, weight="normal", gid=None):
    """One line of text whose capitals stand about (x, y)."""
    ax.text(
        x, y + 0.35 * size, text, size=size, ha=ha, va="baseline", color=color, weight=weight, gid=gid, zorder=6,
        family=families(), parse_math=False,
    )  # fmt: skip


def _tint(colour, strength=0.09):  # any darker, and the text in it is too faint
    return (255 + strength * (hex_to_rgb(colour) - 255)) / 255


def _draw_box(ax, box, gid, marked):
    if box.kind == "plus":
        _draw_plus(ax, box, gid, box.part in marked)
    elif box.kind != "text":
        _draw_frame(ax, box, gid, box.part in marked)
    x, y, wide, high = box.front
    lines = box.text.split("\n") if box.text else []
    down = y + high / 2 - LEADING * (len(lines) + bool(box.note) - 1) / 2
    colour = TEXT["light"].get(box.kind, INK)
    for i, text in enumerate(lines):
        weight = "bold" if box.kind in TEXT["light"] else "normal"
        write(ax, text, x + wide / 2, down + LEADING * i, NAME, color=colour, weight=weight, gid=f"{gid}-text-{i}")
    if box.note:
        write(ax, box.note, x + wide / 2, down + LEADING * len(lines), color=GREY, gid=f"{gid}-note")


def _draw_frame(ax, box, gid, bold):
    x, y, wide, high = box.front
    fill = _tint(FILL[box.kind]) if box.kind in FILL else _FILLS.get(box.kind, "white")
    edge = FILL.get(box.kind) or _EDGES.get(box.kind, INK)
    level = 0 if box.kind == "panel" else 4
    if bold:
        _rectangle(
            ax, box.beside(-1)[0] - 4, box.above()[1] - 4, box.wide + 8, box.high + 8, PEN, PEN, min(level, 1), 8
        )
    for i in range(box.cards, -1, -1):
        _rectangle(
            ax, x + CARD * i, y - CARD * i, wide, high, fill, edge, level, linewidth=2.4 if bold else 1.1,
            gid=gid if i == 0 else None,
        )  # fmt: skip


def _rectangle(ax, x, y, wide, high, fill, edge, level, radius=4, linewidth=0.0, gid=None):
    style = f"round,pad=0,rounding_size={radius}"
    looks = {"facecolor": fill, "edgecolor": edge, "linewidth": linewidth, "zorder": level, "gid": gid}
    ax.add_artist(FancyBboxPatch((x, y), wide, high, boxstyle=style, **looks))


def _draw_plus(ax, box, gid, bold):
    radius, arm = box.wide / 2, box.wide / 2 - 3.4
    if bold:
        ax.add_artist(Circle((box.x, box.y), radius + 4, facecolor=PEN, edgecolor="none", zorder=1))
    looks = {"facecolor": "white", "edgecolor": INK, "linewidth": 2.4 if bold else 1.6, "zorder": 4}
    ax.add_artist(Circle((box.x, box.y), radius, gid=gid, **looks))
    for dx, dy in ((arm, 0), (0, arm)):
        ways = Path([(box.x - dx, box.y - dy), (box.x + dx, box.y + dy)])
        ax.add_artist(PathPatch(ways, fill=False, edgecolor=INK, linewidth=1.8, capstyle="butt", zorder=5))


def _draw_line(ax, line, gid, marked):
    stream = line.kind == "stream"
    colour, thick = FILL.get(line.kind, INK), STREAM if stream else THIN
    path = _bent(line.points)
    looks = {"fill": False, "capstyle": "butt", "joinstyle": "round"}
    if line.part in marked:
        ax.add_artist(PathPatch(path, edgecolor=PEN, linewidth=thick + 8, zorder=1, **looks))
    length, half = (10, 5.8) if stream else (7, 3.3)
    tip, before = np.array(line.points[-1]), np.array(line.points[-2])
    along = (tip - before) / math.dist(tip, before)
    if line.head:
        path = _bent((*line.points[:-1], tuple(tip - along * length * 0.8)))
        base, across = tip - along * length, half * np.array([-along[1], along[0]])
        ax.add_artist(Polygon([tip, base + across, base - across], facecolor=colour, edgecolor="none", zorder=3))
    ax.add_artist(PathPatch(path, edgecolor=colour, linewidth=thick, zorder=3 if stream else 2, gid=gid, **looks))
    if line.letter:
        disc = TEXT["light"].get(line.kind, INK)
        ax.add_artist(Circle(line.middle, BADGE, facecolor=disc, edgecolor="none", zorder=5))
        write(ax, line.letter, *line.middle, color="white", weight="bold", gid=f"{gid}-letter")


def _bent(points):
    """The way through the points, its corners rounded."""
    ways, codes = [points[0]], [Path.MOVETO]
    for a, corner, b in zip(points, points[1:], points[2:]):
        a, corner, b = np.array(a), np.array(corner), np.array(b)
        ways += [corner + CORNER * (a - corner) / math.dist(a, corner), corner]
        ways += [corner + CORNER * (b - corner) / math.dist(b, corner)]
        codes += [Path.LINETO, Path.CURVE3, Path.CURVE3]
    return Path([*ways, points[-1]], [*codes, Path.LINETO])


def _draw_label(ax, label, gid, marked):
    style = {"color": INK, "weight": "bold"} if label.bold else {"color": GREY}
    write(ax, label.text, label.x, label.y, ha=label.ha, gid=gid, **style)


_DRAW = {Box: _draw_box, Line: _draw_line, Label: _draw_label}
