"""Line charts: what is read, what is said, where the ticks stand, and that both forms draw the same."""

import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import attention_lab as al
from attention_lab.teaching import live_curves
from attention_lab.teaching.axis import Axis, amount, spread, tick_text
from attention_lab.teaching.colours import DASHES, FILL, LINES, TEXT, dashes, hex_to_rgb
from attention_lab.teaching.curves import Curves
from tests.teaching.pictures import contrast, words
from tests.teaching.test_view import HOSTILE, Tags

K = np.arange(64)
HEADS = "value over x 0 to"


def texts(svg, kind=""):
    return re.findall(rf"<text class=\"{kind}\"[^>]*>([^<]*)<", svg)


def path_of(svg, i=0):
    """The points of a line in px, a list a run between gaps."""
    path = re.findall(r'<path class="line [^"]*"[^>]* d="([^"]*)"', svg)[i]
    return [[tuple(map(float, point.split())) for point in run.split("L")] for run in path.split("M")[1:]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Curves([1, 2]), "lines must be a dict, such as .* got a list"),
        (lambda: Curves({}), "lines has 0 entries: expected 1 to 8"),
        (lambda: Curves({str(i): [1] for i in range(9)}), "lines has 9 entries"),
        (lambda: Curves({"a": []}), r"lines\['a'\] has shape \(0,\)"),
        (lambda: Curves({"a": [1, 2], "b": [1]}), r"lines\['b'\] has shape \(1,\): expected \(2,\)"),
        (lambda: Curves({"a": [[1, 2]]}), r"lines\['a'\] has shape \(1, 2\)"),
        (lambda: Curves({"a": ["1"]}), r"lines\['a'\] must hold real numbers"),
        (lambda: Curves({"a": [1, 2]}, [0]), r"x has shape \(1,\): expected \(2,\)"),
        (lambda: Curves({"a": [1, 2]}, [1, 1]), "x must hold finite numbers that rise"),
        (lambda: Curves({"a": [1, 2]}, [0, np.nan]), "x must hold finite numbers that rise"),
        (lambda: Curves({"a": [1, 2]}, x_scale="log"), "x begins at 0: a logarithmic axis needs x above 0"),
        (lambda: Curves({"a": [1]}, scale="cubic"), "scale must be one of 'linear', 'log', got 'cubic'"),
        (lambda: Curves({"a": [1]}, limits=3), "limits must be two numbers"),
        (lambda: Curves({"a": [1]}, limits=(2, 1)), "limits must rise, got"),
        (lambda: Curves({"a": [1]}, limits=(0, 1), scale="log"), "limits must rise, from above 0, got"),
        (lambda: Curves({"a": [1]}, marks={"here": "3"}), r"marks\['here'\] must be a number"),
        (lambda: Curves({"a": [1]}, marks=[3]), "marks must be a dict, one entry a name, got a list"),
        (lambda: Curves({1: [1], "1": [2]}), "lines has two entries of the same name: 1, 1"),
        (lambda: Curves({"a": [1, 2]}, [0, 5e-324]), "x must hold finite numbers that rise"),
        (lambda: Curves({"a": [1]}, roles=["query"]), "roles must be a dict"),
        (lambda: Curves({"a": [1]}, roles={"b": "query"}), "roles must call a line query, key or value, got 'b'"),
        (lambda: Curves({"a": [1]}, roles={"a": "head"}), "roles must call a line"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ([1, 1, 1], "stays at 1.00"),
        ([1, 2, 4], "rises from 1.00 to 4.00"),
        ([4, 2, 2], "falls from 4.00 to 2.00"),
        ([1, -3, 2], "goes from 1.00 to 2.00, smallest −3.00 at 1"),
        ([1, 5, 2], "goes from 1.00 to 2.00, largest 5.00 at 1"),
        ([1, 5, -2, 3], "goes from 1.00 to 3.00, smallest −2.00 at 2, largest 5.00 at 1"),
        ([1, np.nan, 4], "rises from 1.00 to 4.00, 1 point is NaN or infinite"),
        ([1, 2, np.inf, np.inf], "rises from 1.00 to 2.00, 2 points are NaN or infinite"),
        ([1, 2, 1e301], "rises from 1.00 to 2.00, 1 point is NaN or infinite"),
        ([np.nan, np.nan], "has no number to draw, 2 points are NaN or infinite"),
        ([12_345, 12_345], "stays at 1.2 × 10⁴"),
        ([np.nan, 3], "is 3.00, 1 point is NaN or infinite"),
        ([1e6, 1e6 + 2], "rises from 1.000000 × 10⁶ to 1.000002 × 10⁶"),
        ([0, 5e-324], "stays at 0"),
    ],
)
def test_the_sentence_says_where_a_line_goes(line, said):
    assert Curves({"a": line}).alt == f"{HEADS} {len(line) - 1}; 'a' {said}"


def test_the_sentence_of_one_place_and_of_places_that_look_the_same():
    assert Curves({"a": [3]}, [7]).alt == "value at x 7; 'a' is 3.00"
    assert Curves({"a": [1, 1]}, [-2, 1.5]).heading == "value over x −2 to 1.50"
    assert Curves({"a": [1, 1]}, [0.1, 0.1001]).heading == "value over x 0.1000 to 0.1001"


def test_what_an_axis_cannot_show_is_said():
    assert "'a' rises from 1.00 to 9.00, 1 point is not above 0" in Curves({"a": [0, 1, 9]}, scale="log").alt
    assert (
        "'a' rises from 1.00 to 9.00, 2 points are outside the picture" in Curves({"a": [1, 4, 9]}, limits=(2, 5)).alt
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1, "1.00"),
        (0.9999, "1.00"),
        (-0.05, "−0.0500"),
        (123.4, "123"),
        (9994, "9994"),
        (99_999, "1.0 × 10⁵"),
    ],
)
def test_amounts(value, text):
    assert amount(value) == text


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize(
    "span", [(1, 1), (8, 40), (1e-9, 1e30), (0.3, 0.31), (3, 5000), (1e-300, 1e300), (1e9, 1e9 + 9e3)]
)
def test_an_axis_holds_its_numbers_and_has_ticks_that_can_be_read(span, scale):
    axis = Axis.around(np.array(span), scale)
    assert axis.holds(np.array(span)).all()
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 9 and len(set(ticks.values())) == len(ticks) and max(map(len, ticks.values())) <= 11
    assert all(-1e-6 <= axis.at(tick) <= 1 + 1e-6 for tick in ticks)


def test_places_are_equal_steps_or_equal_factors():
    assert Axis(0, 10).at([0, 5, 10]).tolist() == [0, 0.5, 1]
    np.testing.assert_allclose(Axis(1, 100, "log").at([1, 10, 100]), [0, 0.5, 1])
    assert list(Axis.along(np.arange(3.0), "linear").ticks().values()) == ["0", "1", "2"]
    assert tick_text(2e5) == "2 × 10⁵" and tick_text(1e-7) == "10⁻⁷" and tick_text(-0.5) == "−0.5"


@pytest.mark.parametrize("places", [[10, 10, 10, 50], [0, 0, 100, 100], [99, 98], [5], [], [50, 49, 48, 47, 46]])
def test_names_keep_apart_in_their_order_and_inside(places):
    found = spread(places, 14, 0, 100)
    assert len(found) == len(places)
    rows = np.sort(found)
    assert (np.diff(rows) >= 14 - 1e-9).all() and (rows >= 0).all() and (rows <= 100 + 1e-9).all()
    assert (np.argsort(found, kind="stable") == np.argsort(places, kind="stable")).all()
    assert spread([10, 60], 14, 0, 100).tolist() == [10, 60]


def test_lines_can_be_told_apart_without_colour_and_their_names_be_read():
    looks = {(LINES["light"][i % 4], dashes(i)) for i in range(8)}
    assert len(looks) == 8 and len(set(DASHES)) == 4
    assert all(contrast(hex_to_rgb(colour), hex_to_rgb("#ffffff")) >= 4.5 for colour in LINES["light"])
    assert all(contrast(hex_to_rgb(colour), hex_to_rgb("#111111")) >= 4.5 for colour in LINES["dark"])
    roles = {*FILL.values(), *TEXT["light"].values(), *TEXT["dark"].values()}
    assert not roles & {*LINES["light"], *LINES["dark"]}


def test_the_live_line_runs_through_its_points():
    svg = live_curves.draw(Curves({"a": [0, 1, 2, 3]}, limits=(0, 3)))
    ((first, *_, last),) = path_of(svg)
    assert first == (72, live_curves.HIGH - live_curves.BOTTOM) and last[1] == live_curves.TOP
    steps = np.diff([point for run in path_of(svg) for point in run], axis=0)
    np.testing.assert_allclose(steps, steps[[0]].repeat(3, 0), atol=0.11)


def test_nan_leaves_a_gap_and_a_lonely_point_is_a_dot():
    line = np.where((K == 20) | (K == 22), np.nan, 1.0)
    chart = Curves({"a": line})
    assert [len(run) for run in path_of(live_curves.draw(chart))] == [20, 1, 41]
    assert chart.dots("a") == [21] and live_curves.draw(chart).count('class="dot"') == 1
    drawn = al.curves({"a": line}).figure.axes[0].lines[0]
    assert np.isnan(drawn.get_ydata()).sum() == 2 and drawn.get_markevery() == [21]


def test_both_forms_bear_the_same_ticks_names_and_marks():
    about = {"x_label": "distance", "y_label": "dot product", "marks": {"trained": 40, "off": 99}}
    lines = {"sine": np.sin(K / 9), "cosine": np.cos(K / 9)}
    chart, picture = Curves(lines, **about), al.curves(lines, **about)
    svg, written = live_curves.draw(chart), [text.get_text() for text in words(picture)]
    for text in [*chart.x_axis.ticks().values(), *chart.y_axis.ticks().values(), "distance", "dot product", *lines]:
        assert f">{text}<" in svg and text in written
    assert ">trained<" in svg and "trained" in written and ">off<" not in svg and "off" not in written


def test_a_name_stands_where_its_line_ends():
    chart = Curves({"up": [0, 1, 2], "stops": [1, 0, np.nan], "nothing": [np.nan] * 3}, limits=(0, 1))
    assert {name: end.tolist() for name, end in chart.ends().items()} == {"up": [1, 1], "stops": [0.5, 0]}
    names = re.findall(r'<text x="(\d+)" y="([\d.]+)">(up|stops|nothing)<', live_curves.draw(chart))
    assert names == [("504", "36.0", "up"), ("504", "290.0", "stops")]
    drawn = {
        text.get_text(): text.get_position()[1] for text in al.curves(chart.lines, limits=(0, 1)).figure.axes[0].texts
    }
    assert drawn == {"up": 1, "stops": 0}


def test_a_line_that_is_a_role_has_its_colour():
    lines = {"a": [1, 2], "b": [2, 1]}
    figure = al.curves(lines, roles={"b": "key"}).figure
    first, second = figure.axes[0].lines[:2]
    assert to_rgb(first.get_color()) == to_rgb(LINES["light"][0])
    assert to_rgb(second.get_color()) == to_rgb(TEXT["light"]["key"])
    assert 'class="line key-line"' in live_curves.draw(Curves(lines, roles={"b": "key"}))


def test_a_fixed_range_keeps_ticks_and_box_where_they_are():
    drawn = [live_curves.draw(Curves({"a": factor * np.sin(K / 9)}, limits=(-2, 2))) for factor in (0.1, 1, 50)]
    assert len({tuple(re.findall(r"<g class=\"axes\">.*?</g>", svg)) for svg in drawn}) == 1
    assert len({re.search('viewBox="[^"]*"', svg)[0] for svg in drawn}) == 1
    assert len({re.search('--rows:[^"]*', svg)[0] for svg in drawn}) == 1


@pytest.mark.parametrize("n", [1, 2, 40, 500])
def test_long_lines_stay_small_messages(n):
    svg = live_curves.draw(Curves({str(i): np.sin(np.arange(n) / 9 + i) for i in range(4)}))
    assert len(svg) < 60_000


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_leave_the_page_well_formed_and_draw(text):
    names = {text + "a": [1, 2, np.nan], text + "b": [2, 2, 2]}
    about = {"x_label": text, "y_label": text, "title": text, "note": text, "marks": {text: 1}}
    chart = Curves(names, **about)
    tags = Tags()
    tags.feed(live_curves.draw(chart).encode().decode())
    tags.close()
    assert (tags.open, tags.wrong, tags.labels) == ([], [], [chart.alt])
    assert not tags.names - {"div", "svg", "g", "path", "text", "circle", "p", "b"}
    assert al.curves(names, **about)._repr_mimebundle_()


def test_a_caption_takes_the_place_of_the_sentence():
    picture = al.curves({"a": [1, 2]}, caption="Before.", note="Look.")
    assert picture.alt == "Before." and "Before. Look." in [text.get_text() for text in words(picture)]


def test_a_stop_divides_the_sentence_from_the_note():
    picture = al.curves({"a": [1, 2]}, note="Look.")
    assert " ".join(text.get_text() for text in words(picture)).endswith(f"{picture.alt}. Look.")


def test_many_marks_stay_inside_the_plot():
    chart = Curves({"a": [1, 2]}, marks={f"mark {i}": i / 30 for i in range(30)})
    heights = [float(y) for y in re.findall(r'y="([^"]*)">mark', live_curves.draw(chart))]
    assert len(heights) == 30 and max(heights) < live_curves.HIGH - live_curves.BOTTOM
    ax = live_curves.still(chart).figure.axes[0]
    assert min(text.get_position()[1] for text in ax.texts if text.get_text().startswith("mark")) > 0.1
