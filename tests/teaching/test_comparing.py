"""Which cells of a map are its largest as far as can be read, and how the sentences name them, live and stored."""

import re

import numpy as np
import pytest

from attention_lab.teaching import live_heatmap
from attention_lab.teaching.comparing import compare
from attention_lab.teaching.plots import head_grid, heatmap
from attention_lab.teaching.view import View

LAST_BITS = np.float32(1) / np.float32(3) * np.array([1, 1 + 2e-7, 0.5], np.float32)


def spoken(view):
    return re.sub("<[^>]+>", "", re.findall("<p>(.*)</p>", live_heatmap.draw(view))[0])


@pytest.mark.parametrize(
    ("row", "kind", "found", "even"),
    [
        ([0.5, 0.3, 0.2], "weights", [0], False),
        ([0.404, 0.396, 0.2], "weights", [0, 1], False),
        ([0.406, 0.404, 0.19], "weights", [0], False),  # 0.41 and 0.40
        ([0.345, 0.345 - 1e-15, 0.31], "weights", [0, 1], False),  # the last bits decide on no name
        ([0.335, 0.333, 0.0], "weights", [0], False),
        ([0.334, 0.333, 0.333], "weights", [0, 1, 2], True),
        ([0.336, 0.332, 0.332], "weights", [0], True),  # 0.34 and 0.33, and even for all that
        ([0.338, 0.332, 0.33], "weights", [0], False),
        ([0.014, 0.006, 0.0], "weights", [0], False),  # both read 0.01, one is twice the other
        ([0.0, 0.0, 0.0], "weights", [0, 1, 2], True),
        ([-0.5, -0.5, -0.9], "weights", [0, 1], False),
        ([0.404, 0.396, 0.2], "scores", [0], False),
        (LAST_BITS, "scores", [0, 1], False),
        ([-2.0, -2.0, -3.0], "scores", [0, 1], False),
        ([-2.0, 2.0, 1.0], "signed", [0, 1], False),
        ([-2.0, 2.0, 2.0], "signed", [0, 1, 2], False),
        ([-2.0, -2.0, -2.0], "signed", [0, 1, 2], True),
    ],
)
def test_cells_that_read_alike_are_found_together(row, kind, found, even):
    for by_row in (True, False):
        cells, all_alike = compare(np.array([row]), kind, np.ones((1, 3), bool), by_row=by_row)
        assert (cells[:, 1].tolist(), all_alike) == (found, even)


TIES = {  # a row of weights, what the stored picture says of it, and what the live one says
    (0.4, 0.4, 0.2): ("attends most to '0' and '1' (0.40 each)", "reads 40 % each from ‘0’ and ‘1’ and spreads"),
    (0.3, 0.3, 0.3, 0.1): ("attends most to 3 keys alike (0.30 each)", "reads 30 % each from 3 keys alike and spreads"),
    (0.143, 0.142, 0.144): ("attends evenly to the keys it sees (0.14)", "reads 14 % from each key it sees."),
    (0.6, 0.4): ("attends most to '0' (0.60)", "reads 60 % from ‘0’ and spreads"),
}


@pytest.mark.parametrize("row", TIES)
def test_ties_are_told_of_a_row(row):
    plain, live = TIES[row]
    view = View([row])
    assert view.alt == f"1 × {len(row)} weights; '0' {plain}" and f"‘0’ {live}" in spoken(view)
    numbers = [str(i) for i in range(len(row))]
    said = heatmap([row], query_tokens=["0"], key_tokens=numbers, query=0).alt
    assert said == view.alt or "evenly" in said and view.alt.startswith(said)


def test_ties_are_told_of_scores_and_signed_values():
    scores = View([[1.0, 1.0, 0.0]], kind="scores")
    assert scores.alt.endswith("'0' scores highest with '0' and '1' (1.00 each)")
    assert spoken(scores) == "‘0’ scores highest with ‘0’ and ‘1’: 1.00 each."
    signed = View([[1.0, -1.0, 0.0]], kind="signed")
    assert signed.alt.endswith("'0' is largest in size at '0' and '1' (±1.00 each)")
    assert heatmap(np.eye(3), kind="signed").alt.endswith("largest in size at 3 cells alike (1.00 each)")
    assert heatmap(np.eye(3)).alt.endswith("query 0 attends most to key 0 (1.00)")  # one row's keys are compared


def test_ties_are_told_of_the_head_that_is_named_and_of_what_a_reader_reads():
    grid = head_grid([[[0.9, 0.1]], [[0.95, 0.05]]], titles=["a", "b"])
    assert grid.alt.endswith("b: query 0 attends most to key 0 (0.95)")
    one_each = View([[0.4, 0.2], [0.4, 0.0]], reader="Tue", mask=[[True, True], [True, False]])
    assert one_each.alt.endswith("'Tue' attends most to '0', '0' and '1', '0' (0.40 each)")
    assert spoken(one_each).startswith("‘Tue’ reads 40 % each from 0, ‘0’ and 1, ‘0’ and spreads")
