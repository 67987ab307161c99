"""Reading a diagram back: its parts as rectangles and lines, and where its words stand."""

import math
from functools import cache
from itertools import pairwise

import pytest

from attention_lab.teaching.diagram import compose, diagram
from attention_lab.teaching.diagram_parts import STREAM, Box
from tests.teaching.pictures import words

KINDS = ["multi-head", "encoder-block", "decoder-block", "transformer"]
ALL = [(what, norm) for what in KINDS for norm in (["pre"] if what == "multi-head" else ["pre", "post", None])]
everyone = pytest.mark.parametrize(("what", "norm"), ALL)


@cache
def drawn(what, norm):
    return diagram(what, norm=norm)


def of_type(kind, what, norm):
    return [part for part in compose(what, norm)[2] if isinstance(part, kind)]


def solid(what, norm):
    """Boxes that take up room: all but the panels behind them."""
    return [box for box in of_type(Box, what, norm) if box.kind != "panel"]


def rectangle(box):
    return (*box.beside(-1), *box.beside(1))[0], box.above()[1], box.beside(1)[0], box.below()[1]


def meet(one, other, gap=0.0):
    """Whether two rectangles (left, top, right, bottom) come closer than the gap."""
    return one[0] < other[2] + gap and other[0] < one[2] + gap and one[1] < other[3] + gap and other[1] < one[3] + gap


def inside(one, other, edge=0.0):
    return (
        one[0] >= other[0] + edge
        and one[1] >= other[1] + edge
        and one[2] <= other[2] - edge
        and one[3] <= other[3] - edge
    )


def stretches(line):
    """The straight pieces of a line as rectangles, as thick as they are drawn."""
    half = STREAM / 2 if line.kind == "stream" else 0.7
    return [
        (min(a[0], b[0]) - half * (a[0] == b[0]), min(a[1], b[1]) - half * (a[1] == b[1]),
         max(a[0], b[0]) + half * (a[0] == b[0]), max(a[1], b[1]) + half * (a[1] == b[1]))
        for a, b in pairwise(line.points)
    ]  # fmt: skip


def on_edge(point, box):
    left, top, right, bottom = rectangle(box)
    x, y = point
    across = left <= x <= right and min(abs(y - top), abs(y - bottom)) < 1e-9
    return across or top <= y <= bottom and min(abs(x - left), abs(x - right)) < 1e-9


def on_line(point, line):
    return any(
        math.isclose(math.dist(a, point) + math.dist(point, b), math.dist(a, b), abs_tol=1e-9)
        for a, b in pairwise(line.points)
    )


def extents(picture):
    """What is written, with its rectangle in the diagram's own points: {gid: (left, top, right, bottom)}."""
    ax, renderer = picture.figure.axes[0], picture.figure.canvas.get_renderer()
    found = {}
    for text in words(picture):
        (left, bottom), (right, top) = ax.transData.inverted().transform(text.get_window_extent(renderer))
        found[text.get_gid()] = (left, top, right, bottom)
    return found
