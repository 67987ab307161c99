"""The stored picture of a live one: it shows exactly what stands for something, and says what the live one says."""

import re

import numpy as np
import pytest

from attention_lab.masks import causal_mask
from attention_lab.teaching import live_heatmap
from attention_lab.teaching.plots import head_grid, heatmap
from attention_lab.teaching.side_by_side import still
from attention_lab.teaching.view import View
from tests.teaching.pictures import SENTENCE, weights, words
from tests.teaching.read_figure import maps
from tests.teaching.sentences import unconfirmed

pytestmark = pytest.mark.slow

ROOM = [" "] * 3


def written(picture):
    return " ".join(text.get_text() for text in words(picture))


@pytest.mark.parametrize("heads", [1, 2])
def test_places_kept_free_are_left_out(heads):
    shares = np.pad(np.full((heads, 2, 4), 0.25), ((0, 0), (0, 3), (0, 3)))
    view = View(shares, ["a", "a", *ROOM], [*"wxyz", *ROOM], np.arange(7) < 4, np.arange(7) == 3, query=1)
    picture = still(view)
    for one in maps(picture.figure):
        assert one.values.shape == (2, 4) and one.outlined == {1} and one.hatched("....") == 2
        assert list(one.rows.values()) == ["0:a", "1:a"] and list(one.columns.values()) == [*"wxyz"]
    assert not any(said in written(picture) for said in ("␣", "no visible key", "masked"))
    assert unconfirmed(picture) == []


def test_places_between_names_are_left_out_too_and_an_outline_with_its_row():
    view = View(np.eye(4), ["a", "", "b", " "], [" ", *"xyz"], query=1)
    (one,) = maps(still(view).figure)
    assert one.values.tolist() == np.eye(4)[[0, 2], 1:].tolist() and one.outlined == set()


def test_without_any_name_all_places_are_drawn():
    (one,) = maps(still(View(np.eye(3)[:2], query_tokens=[" ", ""], key_tokens=SENTENCE[:3])).figure)
    assert one.values.shape == (2, 3)


def even_share(text):
    """The n of "1/n uniform" on the colour bar."""
    return [int(n) for n in re.findall(r"1/(\d+) uniform", text)]


BLIND = np.arange(4) > 0
UNIFORM = {  # weights, what hides some of them, and over how many keys a row shares out 1: weights, about, n
    "rows": (weights(3, 4), {}, [4]),
    "mask": (weights(3, 4, mask=BLIND), {"mask": BLIND}, [3]),
    "padding": (weights(3, 4, mask=BLIND), {"padded": ~BLIND}, [3]),
    "free places": (np.pad(weights(2, 3), ((0, 1), (0, 4))), {"key_tokens": [*"abc", *" " * 4]}, [3]),
    "a row that sees nothing": (np.where([[1], [0]], weights(2, 4), 0), {"mask": [[True], [False]]}, [4]),
    "causal": (weights(4, 4, mask=causal_mask(4)), {"mask": causal_mask(4)}, []),
    "one key": (np.ones((3, 1)), {}, []),
    "no shares": (0.6 * weights(3, 4), {}, []),
    "no number": (np.array([[0.5, 0.5, np.nan]]), {}, []),
    "below 0": (np.array([[1.5, -0.5]]), {}, []),
    "what one reader reads": (weights(12).reshape(3, 4), {"reader": "Tue"}, [12]),
    "heads": (weights(2, 3, 4), {}, [4]),
    "heads of which one shares out nothing": (np.stack([weights(3, 4), 2 * weights(3, 4)]), {}, []),
}


@pytest.mark.parametrize("name", UNIFORM)
def test_even_shares_are_named_where_all_rows_have_as_many_keys(name):
    shares, about, expected = UNIFORM[name]
    view = View(shares, **about)
    assert even_share(live_heatmap.draw(view)) == even_share(written(still(view))) == expected


def test_heads_with_bars_of_their_own_have_even_shares_of_their_own():
    picture = head_grid(np.stack([weights(3, 4), 2 * weights(3, 4)]), scale="own")
    assert even_share(written(picture)) == [4]


MEASURED = {  # a row of shares, and what is said of it
    (0.2, 0.77): ": largest probability at 'b' (0.77)",
    (0.4, 0.4, 0.1): ": largest probability at 'a' and 'b' (0.40 each)",
    (0.3, 0.3, 0.3, 0.1): ": largest probability at 3 cells alike (0.30 each)",
    (0.25, 0.251): ": the same probability everywhere (0.25)",
    (np.nan, np.nan): " has no number",
}


@pytest.mark.parametrize("row", MEASURED)
def test_what_a_colour_stands_for_is_said_alike_everywhere(row):
    said, keys = f"'next'{MEASURED[row]}", [*"abcd"][: len(row)]
    view = View([row], ["next"], keys, axes=("draw", "word"), measure="probability")
    alone = heatmap([row], query_tokens=["next"], key_tokens=keys, measure="probability").alt
    assert view.alt.startswith(f"1 × {len(row)} values; {said}") and (alone == view.alt or "NaN" in alone)
    live = re.sub("<[^>]+>", "", live_heatmap.draw(view))
    assert said.translate({ord("'"): "’"}).replace("’next", "‘next").replace(" ’", " ‘") in live
    assert "probability, fixed scale" in live and "probability, fixed scale" in written(still(view))
    assert not re.search("attend|weight|reads", live + written(still(view)))


def test_what_a_colour_stands_for_is_said_of_each_head():
    view = View(weights(2, 3, 4), measure="share", titles=["one", "two"])
    live = re.sub("<[^>]+>", "", live_heatmap.draw(view))
    assert "(one); largest share at" in live and "(two)." in live
    picture = head_grid(weights(2, 3, 4), measure="share")
    assert "values; head 1: largest share at query" in picture.alt and "share, scale 0 to 1" in written(picture)
    assert written(still(view)).count("share, fixed scale") == 1


def test_a_measure_is_text():
    view = View([[0.2, 0.8]], measure="<b>&\n{}")
    assert view.alt.endswith("'0': largest <b>& {} at '1' (0.80)")
    assert "largest &lt;b&gt;&amp; {} at" in live_heatmap.draw(view)
    assert View([[0.2, 0.8]], measure=None).alt == View([[0.2, 0.8]]).alt


def test_without_a_query_no_row_is_outlined_and_the_largest_cell_is_named():
    shares = [[0.5, 0.5, 0.0], [0.2, 0.7, 0.1], [1.0, 0.0, 0.0]]
    view = View(shares, [*"abc"], [*"xyz"], causal_mask(3)[::-1])
    assert view.alt == "3 × 3 weights; 'b' attends most to 'y' (0.70)"  # c sees one key, and has no choice
    live = live_heatmap.draw(view)
    assert "‘b’</b> reads 70 % from" in live and "class=q" not in live and "<tfoot" not in live
    picture = still(view)
    assert maps(picture.figure)[0].outlined == set() and unconfirmed(picture) == []
    chosen = View(shares, [*"abc"], [*"xyz"], causal_mask(3)[::-1], query=0)
    live = live_heatmap.draw(chosen)
    assert "'a' attends most to 'x' and 'y' (0.50 each)" in chosen.alt and "<tr class=q" in live and "<tfoot" in live
    assert maps(still(chosen).figure)[0].outlined == {0}


def test_without_a_query_the_largest_is_looked_for_in_what_stands_for_something():
    places = {"query_tokens": ["a", " "], "key_tokens": ["x", "y"]}
    assert "'a' scores highest with 'y' (−1.00)" in View([[-2.0, -1.0], [0, 0]], kind="scores", **places).alt
    assert "'a' is largest in size at 'x' (−2.00)" in View([[-2.0, 1.0], [0, 0]], kind="signed", **places).alt
    assert View([[np.nan]] * 2).alt == "2 × 1 weights; '0' sees no number; 2 cells are NaN or infinite"


def test_without_a_query_large_maps_and_heads_speak_of_one_row():
    view = View(weights(2, 40, 40))
    row = np.unravel_index(view.weights.argmax(), view.weights.shape)[1]
    assert all(said.startswith(f"'{row}' attends most to") for said in view.alt.split("; ")[1:])
    live = live_heatmap.draw(view)
    assert "class=q" not in live and live.count(f"‘{row}’</b> reads") == 1 and unconfirmed(still(view)) == []
