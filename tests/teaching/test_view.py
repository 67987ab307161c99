"""What a live picture is given: read, or refused in words; and the sentence it makes of it."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from attention_lab.teaching import live_heatmap
from attention_lab.teaching.caption import token_labels
from attention_lab.teaching.view import View, counted, first_of_largest

EVEN = [[0.5, 0.5], [0.5, 0.5]]
HOSTILE = [
    "<b>",
    "</table>",
    '"><img src=x>',
    "'",
    "&amp;",
    "<!--",
    "\n",
    "",
    "שלום",
    "👩‍👩‍👧",
    "x" * 40,
    "\ud800",
    "\x00",
    "{}",
]


def words_of(view):
    """The sentence below the picture, without its tags."""
    return re.sub("<[^>]+>", "", re.search("<p>(.*)</p>", live_heatmap.draw(view), re.S)[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: View(None), "weights must hold real numbers"),
        (lambda: View([["1", "2"]]), "weights must hold real numbers"),
        (lambda: View(np.eye(2) * 1j), "weights must hold real numbers, got dtype complex128"),
        (lambda: View(np.ma.masked_array(EVEN, np.eye(2))), "weights is a masked array"),
        (lambda: View([1.0, 2.0]), r"weights must be \(n_q, n_k\) or \(heads, n_q, n_k\).*got \(2,\)"),
        (lambda: View(np.ones((1, 1, 2, 2))), "weights must be"),
        (lambda: View(np.ones((0, 3, 3))), "weights must be .* not empty"),
        (lambda: View(np.ones((3, 0))), "weights must be .* not empty"),
        (lambda: View(EVEN, kind="shares"), "kind must be one of 'weights', 'scores', 'signed', got 'shares'"),
        (lambda: View(EVEN, query_tokens="ab"), "query_tokens must be a sequence of texts"),
        (lambda: View(EVEN, key_tokens=5), "key_tokens must be a sequence of texts, got 5"),
        (lambda: View(EVEN, titles="ab"), "titles must be a sequence of texts"),
        (lambda: View([EVEN, EVEN], titles=["a"]), "titles has 1 entry: expected 2"),
        (lambda: View(EVEN, query=2), "query=2 does not exist: expected a row from 0 to 1"),
        (lambda: View(EVEN, query=-1), "query must be at least 0"),
        (lambda: View(EVEN, query="0"), "query must be a whole number"),
        (lambda: View(EVEN, limit=0), "limit must be above 0"),
        (lambda: View(EVEN, limit="1"), "limit must be a number"),
        (lambda: View(EVEN, mask=np.ones((3, 3), bool)), r"mask has shape \(3, 3\): expected \(2, 2\)"),
        (lambda: View(EVEN, mask=np.eye(2)), "mask must be boolean"),
        (lambda: View(EVEN, padded=[True]), r"padded has shape \(1,\): expected \(2,\)"),
        (lambda: View(EVEN, axes="ab"), "axes must be two texts, such as"),
        (lambda: View(EVEN, axes=("position",)), "axes must name rows and columns"),
        (lambda: View(EVEN, axes=("position", "")), "axes must name rows and columns"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("tokens", [None, [], [None, 3], np.array(["a", "b"]), ("a", "a")])
def test_what_can_be_a_text_is_one(tokens):
    view = View(EVEN, query_tokens=tokens, titles=[3], note=None)
    assert all(isinstance(token, str) for token in view.query_tokens) and "3" in live_heatmap.draw(view)


@pytest.mark.parametrize(
    ("arguments", "alt", "spoken"),
    [
        (([EVEN[0]],), "'0' attends evenly to the keys it sees (0.50)", "reads 50 % from each key it sees and spreads"),
        (([[0.8, 0.8]], None, None, [[1, 0]]), "'0' attends most to '0' (0.80)", "‘0’ reads 80 % from ‘0’."),
        (([[0.9, 0.8]],), "'0' attends most to '0' (0.90)", "‘0’ reads 90 % from ‘0’."),
        (([[-0.5, 0.5]],), "'0' attends most to '1' (0.50)", "‘0’ reads 50 % from ‘1’."),
        (([[np.nan, np.nan]],), "'0' sees no number; 2 cells are NaN or infinite", "‘0’ sees no number."),
        (([[np.nan, 0.3]],), "'0' attends most to '1' (0.30); 1 cell is NaN or infinite", "reads 30 % from ‘1’."),
        (([[0.5, 0.5]], None, None, [[0, 0]]), "'0' sees no key", "has no visible key: its output is 0"),
    ],
)
def test_sentences_of_weights(arguments, alt, spoken):
    view = View(*arguments)
    assert view.alt == f"1 × 2 weights; {alt}" and spoken in words_of(view)


@pytest.mark.parametrize(
    ("scores", "alt"),
    [
        ([-3.0, -5.0], "'0' scores highest with '0' (−3.00)"),
        ([2.0, 2.0], "'0' scores the same with the keys it sees (2.00)"),
        ([1e300, 0.0], "'0' scores highest with '0' (1.0e+300)"),
        ([0.0, 1e-7], "'0' scores highest with '1' (1.0e−07)"),
        ([-np.inf, 1.0], "'0' scores highest with '1' (1.00)"),
        ([-np.inf, -np.inf], "'0' sees no key"),
        ([np.inf, 1.0], "'0' scores highest with '1' (1.00); 1 cell is NaN or infinite"),
    ],
)
def test_sentences_of_scores(scores, alt):
    view = View([scores], kind="scores")
    assert view.alt == f"1 × 2 scores; {alt}"
    assert words_of(view) and live_heatmap.still(view).alt == view.alt


@pytest.mark.parametrize(
    ("values", "about", "alt", "spoken"),
    [
        (
            [-0.9, 0.5],
            {},
            "position 0 is largest in size at feature 0 (−0.90)",
            "position 0 is largest in size at feature 0:",
        ),
        ([0.5, 0.5], {}, "position 0 is the same everywhere (0.50)", "position 0 is the same everywhere: 0.50."),
        ([np.nan, np.nan], {}, "position 0 has no number; 2 cells are NaN or infinite", "position 0 has no number."),
        ([0.1, -3.0], {"query_tokens": ["cat"]}, "'cat' is largest in size at feature 1 (−3.00)", "‘cat’ is largest"),
    ],
)
def test_sentences_of_signed_values(values, about, alt, spoken):
    view = View([values], kind="signed", axes=("position", "feature"), **about)
    assert view.alt == f"1 × 2 values; {alt}" and spoken in words_of(view)
    assert not re.search("query|attend|weight", live_heatmap.draw(view).replace('class="query"', "").replace("al-", ""))


def test_other_axes_are_named_in_the_page():
    picture = live_heatmap.draw(View(np.eye(3), kind="signed", axes=("<row>", "feature"), limit=1))
    assert "<b>feature →</b><br><br><b>&lt;row&gt; ↓</b>" in picture
    assert 'data-t="&lt;row&gt; 0, feature 1: 0.000">0<' in picture and 'class="s100"' in picture
    assert "<b>key →</b>" in live_heatmap.draw(View(EVEN))


def test_signed_values_up_to_one_are_written_into_small_cells():
    tables = [
        live_heatmap.draw(View(np.full((16, 16), x), kind="signed", limit=limit)) for x, limit in ((-0.5, 1), (2, 5))
    ]
    assert ["mute" in re.search('<table[^>]*class="([^"]*)"', table)[1] for table in tables] == [False, True]


def test_repeated_tokens_carry_their_position_as_in_figures():
    view = View(np.eye(3), query_tokens=["the", "cat", "the"], query=2)
    assert view.query_tokens == ["0:the", "cat", "2:the"] and "'2:the' attends most to '2'" in view.alt
    assert view.query_tokens == token_labels(view.query_tokens) == token_labels(["the", "cat", "the"])


def test_padding_is_hidden_in_the_page_as_in_the_twin():
    view = View([[0.2, 0.8]], padded=[False, True])
    assert view.mask.tolist() == [[True, False]] and view.best(0) == 0
    assert 'class="pad"' in live_heatmap.draw(view)


@pytest.mark.parametrize("n", [2, 20])
def test_what_is_no_number_is_marked_and_in_the_legend(n):
    weights = np.full((n, n), 1 / n)
    weights[0, 0] = np.inf
    assert "NaN or infinite</span>" in live_heatmap.draw(View(weights))
    assert "NaN or infinite</span>" not in live_heatmap.draw(View(np.full((n, n), 1 / n)))


def test_the_legend_says_where_the_scale_ends():
    picture = live_heatmap.draw(View([[0.8, 0.2]], limit=0.4))
    assert "≥ 0.4" in picture and "uniform" not in picture  # 1/2 lies beyond the bar
    assert "≥" not in live_heatmap.draw(View([[0.8, 0.2]]))


def test_ties_in_the_last_bits_name_the_first():
    third = np.float32(1) / np.float32(3)
    assert first_of_largest(np.array([0.1, third, np.nextafter(third, np.float32(1))])) == 1
    assert first_of_largest(np.array([-np.inf, -2.0, -1.0])) == 2
    assert first_of_largest(np.array([[1e-300, 3e-300], [0.0, 1e-300]])) == 1


class Tags(HTMLParser):
    """What is open, what was closed wrongly, and all attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.names, self.labels = [], [], set(), []

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.labels += [value for name, value in attributes if name == "aria-label"]
        if tag not in ("col", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_comment(self, data):
        self.wrong.append(data)


@pytest.mark.parametrize("kind", ["weights", "scores", "signed"])
@pytest.mark.parametrize("heads", [1, 5])
@pytest.mark.parametrize("repeat", [1, 2])
def test_hostile_texts_leave_the_page_well_formed(kind, heads, repeat):
    tokens = HOSTILE * repeat
    n = len(tokens)
    weights = np.random.default_rng(0).dirichlet(np.ones(n), size=(heads, n))
    mask = np.random.default_rng(1).random((n, n)) > 0.3
    mask[1] = False
    for query in range(len(HOSTILE)):
        view = View(
            weights, tokens, tokens, mask, np.arange(n) == 0, HOSTILE[:heads], query, kind, note=" ".join(HOSTILE)
        )
        picture = live_heatmap.draw(view)
        tags = Tags()
        tags.feed(picture.encode().decode())
        tags.close()
        assert (tags.open, tags.wrong) == ([], [])
        drawn = weights.size > live_heatmap.TABLE_CELLS  # as pixels: then each row is read out by its label
        of_rows = [text for head in range(heads) for text in live_heatmap._row_texts(view, head)] if drawn else []
        assert tags.labels == [view.alt, *of_rows]
        assert "script" not in tags.names and ("img" in tags.names) == drawn


def test_the_still_picture_says_the_note_too():
    view = View([[0.2, 0.8]], note="Made up.")
    assert live_heatmap.still(view).alt == f"{view.alt}. Made up."


def test_a_picture_of_few_rows_keeps_no_room_for_more():
    weights = np.full((2, 20), 0.05)
    square, flat = (live_heatmap.draw(View(weights, rows=rows)) for rows in (None, 4))
    side, cell = (int(re.search(rf"--{name}:(\d+)px", flat)[1]) for name in ("s", "c"))
    assert f"--r:{side}px" in square and f"--r:{4 * cell}px" in flat
    with pytest.raises(ValueError, match="rows=1 is the most rows there are, but weights have 2"):
        View(weights, rows=1)


def test_an_empty_name_keeps_a_place_and_is_neither_numbered_nor_marked():
    """A live picture of fixed size: rows and columns that stand for nothing."""
    weights = np.pad(np.eye(2), ((0, 2), (0, 2)))
    tokens = ["a", "a", " ", " "]
    view = View(weights, query_tokens=tokens, key_tokens=tokens, mask=weights > 0, query=0)
    assert view.query_tokens == view.key_tokens == ["0:a", "1:a", " ", " "]
    drawn = live_heatmap.draw(view)
    assert "∅" not in drawn
    assert drawn.count('class="e"') == 4 * 4 - 2 * 2 and drawn.count("<td class=e ") == 2  # in the map, and of its bars
    assert "2 × 2 weights" in drawn and view.alt.startswith("2 × 2 weights")
    assert "masked: not zero" in drawn and "uniform" not in drawn  # each row sees one key
    whole = View(weights, query_tokens=tokens, key_tokens=tokens, mask=np.arange(4) < 2)
    assert "masked: not zero" not in live_heatmap.draw(whole)  # what stands for nothing is hidden from nobody
    unseeing = View(weights, query_tokens=["a", "b", "c", " "], mask=weights > 0)
    assert live_heatmap.draw(unseeing).count("∅") == 2  # at row c, and in the key


def test_one_is_one():
    alone = View([[1.0, 0.0]], mask=[[True, False]])
    assert words_of(alone) == "‘0’ reads 100 % from ‘0’, the only key it sees."
    assert (counted(1, "head"), counted(0, "head")) == ("1 head", "0 heads")
    assert (counted(1, "entry", "entries"), counted(2, "entry", "entries")) == ("1 entry", "2 entries")
