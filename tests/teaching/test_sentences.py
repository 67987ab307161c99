"""The reader of figures reads every kind of figure, and finds a sentence that is not so."""

import numpy as np
import pytest

from attention_lab.masks import causal_mask
from attention_lab.teaching.diagram import diagram
from attention_lab.teaching.network import Network
from attention_lab.teaching.plot_curves import curves
from attention_lab.teaching.plot_network import draw as draw_network
from attention_lab.teaching.plots import head_grid, heatmap, pipeline
from attention_lab.teaching.side_by_side import still
from attention_lab.teaching.view import View
from tests.teaching.pictures import SENTENCE, too_faint, weights
from tests.teaching.sentences import unconfirmed

pytestmark = pytest.mark.slow

DRAWN = np.random.default_rng(0).normal(size=(3, 4, 6))
RING = np.eye(4, k=1, dtype=bool) | np.eye(4, k=-3, dtype=bool)
READS = np.array([[0, 0.7, 0, 0.3], [0.5, 0, 0.5, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
PICTURES = {  # a picture, and ways to say what is not so: (words, other words)
    "heatmap": (
        lambda: heatmap(weights(6, 7)),
        [("0.74", "0.73"), ("query 1", "query 2"), ("key 0", "key 1"), ("6 ×", "7 ×")],
    ),
    "tokens": (lambda: heatmap(weights(10, 10), SENTENCE), [("'tired'", "'sat'"), ("'cat'", "'mat'")]),
    "one query": (lambda: heatmap(weights(4, 4), SENTENCE[:4], query=2), [("'sat'", "'cat'"), ("0.64", "0.46")]),
    "few labels": (lambda: heatmap(weights(40, 40), query=11), [("key 3", "key 4"), ("query 11", "query 10")]),
    "causal": (
        lambda: heatmap(weights(5, 5, mask=causal_mask(5)), mask=causal_mask(5)),
        [("causal", "window"), ("0.87", "0.78")],
    ),
    "hidden": (
        lambda: heatmap([[0.7, 0.3], [0.5, 0.5]], mask=causal_mask(2)),
        [("0.30", "0.60"), ("keys it", "key it")],
    ),
    "blind": (lambda: heatmap([[1.0, 0], [0, 0]], mask=[[1, 1], [0, 0]]), [("query 1 sees", "query 0 sees")]),
    "broken": (lambda: heatmap([[np.nan, 0.5], [0.2, 0.8]]), [("1 cell is", "2 cells are")]),
    "even": (lambda: heatmap(np.full((2, 4), 0.25)), [("every query attends evenly", "query 0 attends")]),
    "level": (lambda: heatmap(np.full((2, 4), 1.5), kind="signed"), [("1.50", "1.51")]),
    "nearly even": (
        lambda: heatmap([[0.502, 0.498], [0.9, 0.1]], query=0),
        [("evenly to the keys it sees", "most to key 0 (0.50)"), ("query 0", "query 1")],
    ),
    "two alike": (
        lambda: heatmap([[0.4, 0.4, 0.2]], query_tokens=["it"], key_tokens=["a and b", "c", "d"]),
        [("'a and b' and 'c'", "'a and b'"), ("'c'", "'d'"), (" each", ""), ("0.40", "0.20")],
    ),
    "many alike": (
        lambda: heatmap([[0.25, 0.25, 0.25, 0.15, 0.1]]),
        [("3 keys", "4 keys"), ("3 keys alike", "key 0"), ("0.25", "0.15")],
    ),
    "cells alike": (
        lambda: heatmap(np.diag([2.0, -2.0, 1.0]), kind="signed"),
        [("query 0, key 0 and query 1", "query 0, key 0 and query 2"), ("±", ""), ("2.00", "1.00")],
    ),
    "read alike": (
        lambda: still(View([[0.4, 0.1], [0.1, 0.4]], reader="Tue")),
        [("'1', '1'", "'0', '1'"), (" and '1', '1'", ""), (" each", "")],
    ),
    "measured": (
        lambda: heatmap([[0.1, 0.8], [0.8, 0.3]], measure="share right"),
        [("share right", "share"), ("query 0, key 1", "query 0, key 0"), (" and query 1, key 0", ""), ("0.80", "0.30")],
    ),
    "measured of one row": (
        lambda: heatmap([[0.1, 0.8], [0.9, 0.3]], measure="probability", query=0),
        [("query 0", "query 1"), ("key 1", "key 0"), ("0.80", "0.90")],
    ),
    "measured, level": (
        lambda: heatmap([[0.25, 0.25], [0.25, 0.251]], measure="probability"),
        [("0.25", "0.26"), ("probability", "chance")],
    ),
    "measured heads": (
        lambda: head_grid(weights(2, 3, 4), measure="share of paths"),
        [("share of paths", "share"), ("head 1", "head 0")],
    ),
    "measured view": (
        lambda: still(View(weights(2, 6), ["a", "next"], measure="probability", query=1)),
        [("'next'", "'a'"), ("probability", "chance"), ("'0'", "'4'")],
    ),
    "scores": (lambda: heatmap(DRAWN[0], kind="scores"), [("highest with key", "highest with query")]),
    "heads": (lambda: head_grid(weights(4, 5, 5)), [("head 2", "head 1"), ("4 heads", "3 heads"), ("0.92", "0.91")]),
    "titles": (
        lambda: head_grid(weights(2, 10, 10), SENTENCE, titles=["a", "b: c"]),
        [("b: c", "a"), ("'mat'", "'cat'")],
    ),
    "pipeline": (
        lambda: pipeline(*DRAWN, is_causal=True),
        [("0.408", "0.5"), ("causal mask → ", ""), ("output 4 × 6", "output 6 × 4")],
    ),
    "curves": (
        lambda: curves({"a": np.cos(np.arange(9)), "b": np.arange(9)}, x_label="d", y_label="y"),
        [
            ("−0.990 at 3", "−0.990 at 4"),
            ("rises", "falls"),
            ("to 8.00", "to 7.00"),
            ("d 0 to 8", "d 0 to 9"),
            ("'a'", "'b'"),
        ],
    ),
    "powers": (
        lambda: curves({"a": 10.0 ** np.arange(5)}, x=[1, 2, 4, 8, 16], scale="log", x_scale="log"),
        [("1.0 × 10⁴", "1.0 × 10⁵"), ("1 to 16", "1 to 15")],
    ),
    "measured at most": (
        lambda: curves({"a": [1, 2, 3]}, [2, 4, 8], x_label="blocks", y_label="MB at most"),
        [("blocks 2 to 8", "blocks 2 to 6"), ("MB at most", "MB at least")],
    ),
    "next to nothing": (lambda: curves({"size": [0.4, 0.2, 7.7e-23]}, x_label="d"), [("7.7 × 10⁻²³", "0.001")]),
    "network": (
        lambda: draw_network(Network(READS, RING, [[0, 0], [1, 0], [1, 1], [0, 1]], [*"ABCD"])),
        [("'B'", "'D'"), ("0.70", "0.60"), ("4 lines", "5 lines"), ("4 nodes", "3 nodes")],
    ),
    "diagram": (lambda: diagram("encoder-block"), [("feed-forward", "convolution")]),
    "view": (
        lambda: still(View(weights(3, 6, 6))),
        [("'0' (0.62)", "'3' (0.62)"), ("0.94", "0.49"), ("3 heads", "2 heads"), ("'1' attends", "'2' attends")],
    ),
    "query of a view": (
        lambda: still(View(weights(3, 6, 6), query=0)),
        [("'2' (0.39)", "'3' (0.39)"), ("0.45", "0.54"), ("'0' attends", "'1' attends")],
    ),
    "reader": (
        lambda: still(View(weights(7, 24), reader="Tue", axes=("day", "hour"))),
        [("day 6", "day 5"), ("hour 20", "hour 2")],
    ),
    "values": (
        lambda: still(View(DRAWN[0], kind="signed", axes=("place", "feature"), query=2)),
        [("feature", "place"), ("place 2", "place 1")],
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_sentence_is_held_against_the_figure(name):
    make, others = PICTURES[name]
    picture = make()
    said = picture.alt
    assert unconfirmed(picture) == []
    for words, other in others:
        assert words in said
        picture.alt = said.replace(words, other, 1)
        assert unconfirmed(picture) != [], picture.alt


def test_what_nobody_can_check_is_found():
    assert unconfirmed(heatmap([[1.0]], caption="A figure that says it all")) == ["A figure that says it all"]


@pytest.mark.parametrize("name", PICTURES)
def test_every_text_has_enough_contrast(name):
    assert too_faint(PICTURES[name][0]()) == {}


def test_a_text_that_is_too_faint_is_found_where_it_stands():
    picture = heatmap([[1.0, 0.0]])
    first, second = (text for text in picture.figure.axes[0].texts if text.get_text() in ("1.00", "0.00"))
    first.set_color(second.get_color())
    assert list(too_faint(picture)) == [first.get_text()]
    first.set_color("white")
    second.set_alpha(0.5)
    assert list(too_faint(picture)) == [second.get_text()]
