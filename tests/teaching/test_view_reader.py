"""A map that is what one query reads, laid out in rows: its sentence speaks of the whole map."""

import re

import numpy as np
import pytest

from attention_lab.teaching import live_heatmap
from attention_lab.teaching.view import View

WEIGHTS = np.array([[0.1, 0.2, 0.1], [0.0, 0.1, 0.5]])
ABOUT = {
    "query_tokens": ["Sat 5", "Sun <6>"],
    "key_tokens": ["7", "8", "9"],
    "axes": ("day", "hour"),
    "reader": "Mon, 9",
}


def spoken(view):
    return re.sub("<[^>]+>", "", re.findall("<p>(.*)</p>", live_heatmap.draw(view))[0])


def test_the_largest_cell_of_all_is_named_and_its_row_outlined():
    view = View(WEIGHTS, **ABOUT)
    assert view.query == 1
    assert view.alt == "2 × 3 weights; 'Mon, 9' attends most to 'Sun <6>', '9' (0.50)"
    effective = np.exp(-sum(w * np.log(w) for w in WEIGHTS.ravel() if w))
    assert spoken(view) == (
        f"‘Mon, 9’ reads 50 % from Sun &lt;6&gt;, ‘9’ and spreads over {effective:.1f} effective keys of 6 visible."
    )
    assert "is read</th>" in live_heatmap.draw(view)
    assert "1/6 uniform" in live_heatmap.draw(view)


def test_an_even_map_and_hidden_cells():
    even = View(np.full((2, 3), 1 / 6), **ABOUT)
    assert even.alt == "2 × 3 weights; 'Mon, 9' attends evenly to the keys it sees (0.17)"
    assert "reads 17 % from each key it sees" in spoken(even)
    hidden = View(WEIGHTS, mask=[[True], [False]], **ABOUT)
    assert hidden.query == 0
    assert "attends most to 'Sat 5', '8' (0.20)" in hidden.alt
    assert View(WEIGHTS, mask=[[False], [False]], **ABOUT).alt == "2 × 3 weights; 'Mon, 9' sees no key"


def test_without_a_reader_a_row_speaks_for_itself():
    plain = View(WEIGHTS, **{**ABOUT, "reader": ""}, query=0)
    assert plain.alt == "2 × 3 weights; 'Sat 5' attends most to '8' (0.20)"
    assert "1/6 uniform" in live_heatmap.draw(plain)  # no row is shared out, the map is


def test_one_map_of_weights_alone_has_a_reader():
    with pytest.raises(ValueError, match="reader='Mon' reads one map of weights, got 2 of weights"):
        View(np.ones((2, 3, 3)), reader="Mon")
    with pytest.raises(ValueError, match="got 1 of scores"):
        View(np.ones((3, 3)), kind="scores", reader="Mon")
