"""Where the parts of a diagram stand: nothing overlaps, lines meet boxes, words fit."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.patches import Polygon

from attention_lab.teaching.diagram import compose
from attention_lab.teaching.diagram_parts import BADGE, Box, Label, Line
from tests.teaching.diagrams import (
    drawn,
    everyone,
    extents,
    inside,
    meet,
    of_type,
    on_edge,
    on_line,
    rectangle,
    solid,
    stretches,
)
from tests.teaching.pictures import words

# Where things stand


@everyone
def test_boxes_keep_apart_and_panels_hold_them_whole(what, norm):
    for one, other in combinations(solid(what, norm), 2):
        assert not meet(rectangle(one), rectangle(other), gap=8), (one, other)
    for panel in set(of_type(Box, what, norm)) - set(solid(what, norm)):
        for box in solid(what, norm):
            assert inside(rectangle(box), rectangle(panel), 5) or not meet(rectangle(box), rectangle(panel), 5), box


@everyone
def test_lines_begin_and_end_on_the_edge_of_a_box(what, norm):
    boxes, lines = solid(what, norm), of_type(Line, what, norm)
    for line in lines:
        start, end = line.points[0], line.points[-1]
        branches = [other for other in lines if other is not line and on_line(start, other)]
        assert any(on_edge(start, box) for box in boxes) or branches, line
        beyond = tuple(np.array(start) + 0.01 * np.sign(np.subtract(line.points[1], start)))
        assert not any(on_edge(beyond, box) for box in boxes), "it leaves the edge, and does not follow it"
        assert any(on_edge(end, box) for box in boxes), line
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(line.points)), "level or upright"


@everyone
def test_lines_cross_neither_boxes_nor_each_other(what, norm):
    boxes, lines = solid(what, norm), of_type(Line, what, norm)
    for line in lines:
        for piece in stretches(line):
            for box in boxes:
                left, top, right, bottom = rectangle(box)
                assert not meet(piece, (left + 1.5, top + 1.5, right - 1.5, bottom - 1.5)), (line, box)
    for one, other in combinations(lines, 2):
        if on_line(one.points[0], other) or on_line(other.points[0], one):
            continue  # a branch touches the line that it leaves
        for a in stretches(one):
            assert not any(meet(a, b, gap=2) for b in stretches(other)), (one, other)


@everyone
def test_an_arrow_has_a_shaft(what, norm):
    for line in of_type(Line, what, norm):
        assert math.dist(*line.points[-2:]) >= (14 if line.kind == "stream" and line.head else 10), line


# What is written


@everyone
def test_words_are_large_enough_and_inside_their_boxes(what, norm):
    picture = drawn(what, norm)
    assert picture.figure.get_size_inches()[0] * picture.figure.dpi <= 700
    assert min(text.get_fontsize() for text in words(picture)) >= 9
    ax, parts, found = picture.figure.axes[0], compose(what, norm)[2], extents(picture)
    sheet = (*sorted(ax.get_xlim()), *sorted(ax.get_ylim()))
    for gid, place in found.items():
        assert inside(place, (sheet[0], sheet[2], sheet[1], sheet[3]), 4), gid
        if gid.startswith("box"):
            x, y, wide, high = parts[int(gid.split("-")[1])].front
            assert inside(place, (x, y, x + wide, y + high), 0 if gid.endswith("note") else 1), gid
        if gid.endswith("letter"):
            line = parts[int(gid.split("-")[1])]
            assert max(math.dist(line.middle, (place[i], (place[1] + place[3]) / 2)) for i in (0, 2)) < BADGE
    for one, other in combinations(found, 2):
        assert not meet(found[one], found[other]), (one, other)


@everyone
def test_labels_touch_no_line_and_no_box(what, norm):
    found = extents(drawn(what, norm))
    for i, label in enumerate(compose(what, norm)[2]):
        if isinstance(label, Label):
            place = found[f"label-{i}"]
            assert place[2] - place[0] == pytest.approx(label.wide, abs=1)
            assert not any(meet(place, rectangle(box)) for box in solid(what, norm)), label
            assert not any(meet(place, piece, 1) for line in of_type(Line, what, norm) for piece in stretches(line)), (
                label
            )


@everyone
def test_badges_touch_nothing(what, norm):
    lines = [line for line in of_type(Line, what, norm) if line.letter]
    for one, other in combinations(lines, 2):
        assert math.dist(one.middle, other.middle) > 2 * BADGE
    for line in lines:
        assert on_line(line.middle, line)
        assert math.dist(line.middle, line.points[-1]) > BADGE + 7, "the head stays free"


@everyone
def test_the_figure_shows_the_lines_where_they_are(what, norm):
    patches = drawn(what, norm).figure.axes[0].patches
    ways = {patch.get_gid(): patch.get_path().vertices for patch in patches if patch.get_gid()}
    tips = [tuple(patch.get_xy()[0]) for patch in patches if isinstance(patch, Polygon)]
    lines = {f"line-{i}": part for i, part in enumerate(compose(what, norm)[2]) if isinstance(part, Line)}
    for gid, line in lines.items():
        np.testing.assert_allclose(ways[gid][0], line.points[0])
        assert line.points[-1] in tips if line.head else tuple(ways[gid][-1]) == line.points[-1]
    assert len(tips) == sum(line.head for line in lines.values())
