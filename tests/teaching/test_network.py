"""Drawings of graphs: what is said, what is drawn, in the page and in the twin, and what is refused."""

import re

import numpy as np
import pytest

from attention_lab.teaching import live_network, side_by_side
from attention_lab.teaching.explorer import Explorer, slider
from attention_lab.teaching.network import MOST, Network
from attention_lab.teaching.view import View
from tests.sweep import idle_controls, sweep
from tests.teaching.test_view import Tags

JOINED = np.array([[1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 1]], bool)
WEIGHTS = np.array([[0.1, 0.3, 0, 0.6], [0.5, 0.25, 0.25, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
PLACES = [[0, 0], [4, 0], [4, 2], [0, 2]]


def network(**about):
    return Network(WEIGHTS, JOINED, PLACES, ["Ann", "Ben", "Cy", "Ann"], **about)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (0, "'0:Ann' reads most from '3:Ann' (0.60)"),
        (1, "'Ben' reads most from '0:Ann' (0.50)"),
        (2, "'Cy' reads most from itself (1.00)"),
        (3, "'3:Ann' reads nothing"),
    ],
)
def test_the_sentence(query, said):
    assert network(query=query).alt == f"a graph of 4 nodes, joined by 3 lines; {said}"


def test_lines_are_drawn_once_and_self_loops_not_at_all():
    assert network().lines == [[0, 1], [0, 3], [1, 2]]
    one_way = Network(WEIGHTS, np.triu(JOINED), PLACES)
    assert one_way.lines == network().lines
    assert one_way.alt == "a graph of 4 nodes, joined by 3 lines; '0' reads most from '3' (0.60)"


def test_what_is_read_in_shares_of_the_widest_line():
    assert network(limit=0.5).read == {1: 0.6, 3: 1.0}
    assert network(query=2).read == {} == network(query=3).read
    assert network(query=1).read == {0: 0.5, 2: 0.25}
    hidden = Network(WEIGHTS, np.eye(4, dtype=bool), PLACES)
    assert hidden.read == {}  # a weight without an edge is drawn nowhere
    assert hidden.finding() == "reads most from itself (0.10)"  # nor spoken of
    alone = Network(WEIGHTS, np.zeros((4, 4), bool), PLACES, query=2)
    assert alone.finding() == "reads most from itself (1.00)"


def test_one_node_is_one():
    alone = Network([[1]], [[1]], [[0, 0]])
    assert alone.alt == "a graph of 1 node, joined by 0 lines; '0' reads most from itself (1.00)"


def test_places_fill_the_picture():
    assert network().places.tolist() == [[0, 0], [1, 0], [1, 1], [0, 1]]
    row = Network(np.eye(2), np.eye(2, dtype=bool), [[3, 7], [9, 7]])
    assert row.places.tolist() == [[0, 0.5], [1, 0.5]]


def test_the_page_holds_each_node_line_and_word():
    squares = [True, False, False, True]
    page = live_network.draw(network(squares=squares, kinds=("old", "new"), limit=0.6, note="So <it> is.", title="T"))
    tags = Tags()
    tags.feed(page)
    assert (tags.open, tags.wrong) == ([], [])
    assert (page.count("<rect"), page.count("<circle")) == (2, 2)
    assert len(re.findall("<path", page)) == 3 + 2
    assert 'stroke-width="9"' in page and 'stroke-width="4.5"' in page
    assert "So &lt;it&gt; is." in page and ">old<" in page and ">new<" in page
    assert page.count('class="node q"') == 1 and page.count('class="node k"') == 2
    for token in ("0:Ann", "Ben", "Cy", "3:Ann"):
        assert page.count(f">{token}<") >= 1


def test_nodes_stand_inside_the_picture_and_the_first_row_below_the_second():
    for title in ("", "A title"):
        page = live_network.draw(network(title=title))
        ys = [float(y) for y in re.findall(r'cy="([\d.]+)"', page)]
        xs = [float(x) for x in re.findall(r'cx="([\d.]+)"', page)]
        assert min(xs) >= 13 and max(xs) <= live_network.WIDE - 13
        assert min(ys) >= 13 and max(ys) <= live_network.HIGH - 13
        assert ys[0] > ys[3]  # up is up


@pytest.mark.parametrize("token", ["$x_1$", "<b>", "木", "🙂", "", "a" * 40])
def test_tokens_are_text(token):
    drawn = Network(np.eye(1), [[True]], [[0, 0]], [token])
    tags = Tags()
    tags.feed(live_network.draw(drawn))
    assert (tags.open, tags.wrong) == ([], [])
    assert live_network.still(drawn)._bytes("png")


def test_the_twin_is_a_picture_with_its_sentence():
    picture = live_network.still(network(squares=[True, False, False, False], note="More.", title="Title"))
    assert picture.alt == network().alt
    texts = [text.get_text() for text in picture.figure.findobj() if hasattr(text, "get_text")]
    assert {"Ben", "Cy", "square", "circle", "Title"} <= set(texts)
    assert "More." in " ".join(texts)
    assert picture._bytes("png") == live_network.still(
        network(squares=[True, False, False, False], note="More.", title="Title")
    )._bytes("png")
    (ax,) = picture.figure.axes
    widths = sorted(
        line.get_linewidth() for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 2
    )
    assert np.allclose(widths, [0.7] * 3 + [7 * 0.3, 7 * 0.6])


def test_in_a_demo_beside_a_map(monkeypatch):
    monkeypatch.setattr(Explorer, "strict", True)
    demo = Explorer(
        {"node": slider(0, 0, 3, "node")},
        lambda state: (network(query=state.node), View(WEIGHTS, mask=JOINED, query=state.node)),
    )
    assert side_by_side.draw(network()) == live_network.draw(network())
    assert side_by_side.twin(network()) == live_network.still(network())._bytes("png")
    sweep(demo)
    assert idle_controls(demo) == set()
    assert repr(demo).count("reads") or "a graph of 4 nodes" in repr(demo)


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"weights": np.eye(3)[:2]}, r"weights must be \(n, n\)"),
        ({"weights": np.zeros((0, 0))}, r"weights must be \(n, n\)"),
        ({"weights": np.eye(MOST + 1)}, f"1 to {MOST} nodes"),
        ({"weights": -WEIGHTS}, "weights must be finite and not below 0"),
        ({"weights": WEIGHTS * np.nan}, "weights must be finite"),
        ({"adjacency": JOINED[:3]}, r"adjacency has shape \(3, 4\): expected \(4, 4\)"),
        ({"adjacency": JOINED.astype(float)}, "adjacency must be boolean"),
        ({"places": PLACES[:3]}, r"places has shape \(3, 2\): expected \(4, 2\)"),
        ({"places": [[0, np.nan]] * 4}, "places must be finite"),
        ({"tokens": ["a"]}, "tokens has 1 entry: expected 4"),
        ({"squares": [True]}, r"squares has shape \(1,\)"),
        ({"kinds": ("one",)}, "kinds must name squares and circles"),
        ({"kinds": None}, "kinds must name squares and circles"),
        ({"kinds": "ab"}, "kinds must be a sequence of texts, got 'ab'"),
        ({"tokens": 5}, "tokens must be a sequence of texts, got 5"),
        ({"squares": [1.0, 0, 0, 0]}, "squares must be boolean or 0/1 integers, got dtype float64$"),
        ({"squares": [2, 0, 0, 0]}, "squares of integers must hold 0"),
        ({"query": 4}, "query=4 does not exist"),
        ({"limit": 0}, "limit"),
    ],
)
def test_what_cannot_be_drawn_is_refused(about, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Network(**({"weights": WEIGHTS, "adjacency": JOINED, "places": PLACES} | about))
