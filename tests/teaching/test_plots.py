"""The pictures: what a pixel, a number, a label and the sentence say must be what the data says."""

import itertools
import re
import warnings
from functools import cache

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from attention_lab.attention import scaled_dot_product_attention, softmax
from attention_lab.masks import causal_mask, sliding_window_mask
from attention_lab.teaching.caption import token_labels, wrap
from attention_lab.teaching.colours import MASKED, NAN, RAMPS, hex_to_rgb, luminance, ramp
from attention_lab.teaching.plots import head_grid, heatmap, pipeline

SENTENCE = ["the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired"]
ODD = [
    "$x_1$",
    "a_b$",
    "_$",
    "<b>",
    "\\frac{",
    "%s",
    "猫が好き",
    "😀",
    "🏳️‍🌈",
    "x" * 40,
    "the",
    "the",
    "",
    "\n",
    "\ud800",
]


def weights(*shape, seed=0, mask=None):
    scores = np.random.default_rng(seed).normal(size=shape) * 2
    return softmax(scores if mask is None else np.where(mask, scores, -np.inf))


@cache
def pixels(picture):
    canvas = FigureCanvasAgg(picture.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(int)


def colour_at(picture, query, key, ax=None, at=(0.12, 0.12)):
    """Colour of a cell near its upper left corner, where no number stands."""
    x, y = (ax or picture.figure.axes[0]).transData.transform((key + at[0], query + at[1]))
    image = pixels(picture)
    return image[image.shape[0] - 1 - int(y), int(x)]


def decode(colour, kind="weights"):
    """The number in 0..1 along a ramp that has this colour."""
    stops = ramp(kind, levels=1001)
    return abs(stops.astype(int) - colour).sum(axis=1).argmin() / 1000


def numbers(picture, ax=0):
    return [text for text in picture.figure.axes[ax].texts if re.fullmatch(r"[−\d.e]+|NaN|−?inf", text.get_text())]


def words(picture):
    """All that is written in a figure."""
    artists = picture.figure.findobj(matplotlib.text.Text)
    return [artist for artist in artists if artist.get_visible() and artist.get_text().strip()]


def contrast(one, other):
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


# What a cell shows


def test_rows_are_queries_and_columns_are_keys():
    data = np.array([[0.1, 0.2, 0.7], [0.85, 0.15, 0.0]])
    picture = heatmap(data)
    for query, key in np.ndindex(2, 3):
        assert decode(colour_at(picture, query, key)) == pytest.approx(data[query, key], abs=0.01)


def test_tokens_stand_at_their_rows_and_columns():
    picture = heatmap(weights(2, 3), query_tokens=["q0", "q1"], key_tokens=["k0", "k1", "k2"])
    ax = picture.figure.axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["q0", "q1"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["k0", "k1", "k2"]
    assert ax.get_yticks().tolist() == [0.5, 1.5] and ax.get_ylim() == (2, 0)
    assert ax.xaxis.get_ticks_position() == "top"
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("query: attends", "key: is attended to")


@pytest.mark.parametrize(("scale", "top"), [("unit", 1), ("own", 0.8), ("shared", 0.8), (0.9, 0.9)])
def test_scale_of_weights(scale, top):
    picture = heatmap([[0.2, 0.8]], scale=scale)
    assert decode(colour_at(picture, 0, 0)) == pytest.approx(0.2 / top, abs=0.01)


def test_log_scale_spreads_decades_evenly():
    picture = heatmap([[1.0, 0.1, 0.01, 0.001]], scale="log")
    seen = [decode(colour_at(picture, 0, key)) for key in range(4)]
    assert seen == pytest.approx([1, 2 / 3, 1 / 3, 0], abs=0.01)


def test_scores_are_symmetric_about_zero_with_limits_from_finite_cells_that_are_seen():
    data = np.array([[2.0, -np.inf, np.nan], [-4.0, 0.0, 1e9]])
    visible = np.array([[1, 1, 1], [1, 1, 0]])
    picture = heatmap(data, mask=visible, kind="scores")
    seen = [decode(colour_at(picture, *cell), "signed") for cell in ((0, 0), (1, 0), (1, 1))]
    assert seen == pytest.approx([0.75, 0, 0.5], abs=0.01)
    for kind, sign in itertools.product(("scores", "signed"), (1, -1)):
        mesh = (
            heatmap(np.where(np.isfinite(data), sign * data, data), mask=visible, kind=kind)
            .figure.axes[0]
            .collections[0]
        )
        assert (mesh.norm.vmin, mesh.norm.vmax) == (-4, 4)


@pytest.mark.parametrize("data", [np.zeros((2, 2)), np.full((2, 2), -np.inf), np.full((2, 2), np.nan)])
@pytest.mark.parametrize("kind", ["weights", "scores", "signed"])
@pytest.mark.parametrize("scale", ["unit", "own"])
def test_nothing_to_scale_by(data, kind, scale):
    pixels(heatmap(data, kind=kind, scale=scale))


def test_masked_is_not_zero_and_padding_is_not_masked():
    picture = heatmap(np.zeros((3, 3)), mask=causal_mask(3), padding=[1, 1, 0], annot=False)
    image = pixels(picture)

    def cell(query, key):
        (left, bottom), (right, top) = picture.figure.axes[0].transData.transform([(key, query + 1), (key + 1, query)])
        height = image.shape[0]
        return image[height - int(top) + 2 : height - int(bottom) - 2, int(left) + 2 : int(right) - 2].reshape(-1, 3)

    zero, masked, padding = cell(1, 0), cell(0, 1), cell(2, 2)
    assert len(np.unique(zero, axis=0)) == 1
    assert len(np.unique(masked, axis=0)) > 2  # a hatch, not a shade
    assert luminance(masked.mean(axis=0)) < luminance(zero[0]) - 0.1
    assert abs(luminance(masked.mean(axis=0)) - luminance(padding.mean(axis=0))) > 0.05
    labels = {text.get_text() for text in picture.figure.legends[0].texts}
    assert labels == {"masked (hidden, not zero)", "padding"}


def test_no_legend_where_nothing_is_hidden():
    assert heatmap(weights(3, 3), mask=np.ones((3, 3), bool)).figure.legends == []


def test_nan_and_infinity_are_marked_and_named():
    data = np.array([[0.5, np.nan], [np.inf, 0.25]])
    picture = heatmap(data)
    marked = colour_at(picture, 0, 1)
    assert np.abs(ramp().astype(int) - marked).sum(axis=1).min() > 60
    assert [text.get_text() for text in numbers(picture)] == ["0.50", "NaN", "inf", "0.25"]
    assert picture.figure.legends[0].texts[0].get_text() == "NaN or infinite"
    assert "2 cells are NaN or infinite" in picture.alt
    assert min(abs(hex_to_rgb(NAN) - hex_to_rgb(stop)).sum() for stop in (*RAMPS["weights"]["light"], MASKED)) > 60


def test_a_row_without_a_visible_key_says_so():
    mask = causal_mask(4).copy()
    mask[2] = False
    picture = heatmap(weights(4, 4, mask=mask), SENTENCE[:4], mask=mask)
    said = [text for text in picture.figure.axes[0].texts if text.get_text() == "no visible key"]
    assert [text.get_position() for text in said] == [(2, 2.5)]
    assert picture.alt.endswith("; 'sat' sees no key")


# Numbers


@pytest.mark.parametrize("kind", ["weights", "scores", "signed"])
def test_numbers_are_right(kind):
    data = weights(16, 16) if kind == "weights" else np.linspace(-3, 3, 256).reshape(16, 16)
    picture = heatmap(data, kind=kind)
    written = numbers(picture)
    assert len(written) == 256
    for text in written:
        key, query = (int(place) for place in text.get_position())
        assert float(text.get_text().replace("−", "-")) == pytest.approx(data[query, key], abs=0.0051)


@pytest.mark.parametrize("kind", ["weights", "signed"])
def test_contrast_along_the_whole_ramp(kind):
    levels = np.linspace(0 if kind == "weights" else -1, 1, 196).reshape(14, 14)
    picture = heatmap(levels, kind=kind)
    for text in numbers(picture):
        key, query = (int(place) for place in text.get_position())
        assert contrast(colour_at(picture, query, key), np.array(to_rgb(text.get_color())) * 255) >= 4.5


def test_as_many_numbers_as_cells_that_are_seen():
    mask = causal_mask(7)
    assert len(numbers(heatmap(weights(7, 7, mask=mask), mask=mask))) == mask.sum()


@pytest.mark.parametrize("shape", [(17, 16), (1, 257), (2, 100), (64, 2)])
def test_no_numbers_where_they_could_not_be_read(shape):
    assert numbers(heatmap(weights(*shape))) == []
    assert numbers(heatmap(weights(4, 4), annot=False)) == []


def test_no_minus_zero():
    assert [text.get_text() for text in numbers(heatmap([[-0.001, 2.0]], kind="scores"))] == ["0.00", "2.00"]


# Words


def test_the_sentence_names_the_true_maximum():
    for seed in range(8):
        data = weights(6, 7, seed=seed)
        query, key = np.unravel_index(data.argmax(), data.shape)
        assert heatmap(data).alt == f"6 × 7 weights; query {query} attends most to key {key} ({data.max():.2f})"


def test_the_sentence_of_one_query():
    data = weights(4, 4)
    expected = f"'sat' attends most to '{['the', 'cat', 'sat', 'on'][data[2].argmax()]}' ({data[2].max():.2f})"
    picture = heatmap(data, SENTENCE[:4], query=2)
    assert picture.alt.endswith(expected)
    bold = [label.get_text() for label in picture.figure.axes[0].get_yticklabels() if label.get_weight() == "bold"]
    assert bold == ["sat"]


def test_a_row_without_a_choice_is_not_the_news():
    mask = causal_mask(3)
    data = np.array([[1, 0, 0], [0.4, 0.6, 0], [0.3, 0.3, 0.4]])
    assert heatmap(data, mask=mask).alt == "3 × 3 causal weights; query 1 attends most to key 1 (0.60)"


def test_even_weights_are_called_even():
    assert heatmap(np.full((2, 4), 0.25)).alt == "2 × 4 weights; every query attends evenly to the keys it sees"


def test_weight_behind_a_mask_is_told():
    assert "hidden cells hold weight (up to 0.30)" in heatmap([[0.7, 0.3], [0.5, 0.5]], mask=causal_mask(2)).alt


@pytest.mark.parametrize(
    ("mask", "padding", "name"),
    [
        (np.ones((5, 5), bool), None, ""),
        (causal_mask(5), None, "causal "),
        (causal_mask(3, 5), None, "causal "),
        (causal_mask(5), [1, 1, 1, 0, 0], "causal, padded "),
        (causal_mask(5) & (np.arange(5) < 3), None, "causal, padded "),
        (None, [1, 1, 1, 0, 0], "padded "),
        (np.arange(5) < 3, None, "padded "),
        (sliding_window_mask(5, window=2), None, "sliding-window "),
        (sliding_window_mask(5, window=2, is_causal=False), None, "window "),
        (np.eye(5)[::-1].astype(int), None, "masked "),
        (np.zeros((5, 5), bool), None, "fully masked "),
        (np.where(causal_mask(5), 0, -np.inf), None, "causal "),
    ],
)
def test_masks_are_recognised(mask, padding, name):
    n_q = 5 if mask is None or mask.ndim == 1 else len(mask)
    alt = heatmap(np.zeros((n_q, 5)), mask=mask, padding=padding).alt
    assert alt.startswith(f"{n_q} × 5 {name}weights")


def test_minus_infinity_in_scores_is_a_mask():
    scores = np.where(causal_mask(4), 1.5, -np.inf)
    picture = heatmap(scores, kind="scores")
    assert picture.alt.startswith("4 × 4 causal scores; query 1 scores highest with key 0 (1.50)")
    assert len(numbers(picture)) == 10


def test_duplicates_carry_their_position_and_only_they():
    assert token_labels(["the", "cat", "the"]) == ["0:the", "cat", "2:the"]


@pytest.mark.parametrize("text", ["a", "one two three four five six", "x" * 80, ""])
def test_wrapping_loses_no_word(text):
    assert " ".join(wrap(text, 40)) == text


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_tokens_are_text(ending, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        n = len(ODD)
        picture = heatmap(weights(n, n), ODD, title="$a_ <b> %", query=3)
        picture.save(tmp_path / f"odd.{ending}")
    picture.alt.encode("utf-8")
    assert all(not text.get_parse_math() for text in words(picture) if "$" in text.get_text())


def test_the_sentence_stands_below_the_picture_and_in_the_bundle():
    picture = heatmap(weights(5, 5), SENTENCE[:5])
    written = " ".join(text.get_text() for text in picture.figure.texts)
    assert picture.alt in written
    data, metadata = picture._repr_mimebundle_()
    assert data["text/plain"] == repr(picture) == picture.alt
    assert metadata["image/png"]["alt"] == picture.alt
    assert heatmap(weights(5, 5), caption="Which word does 'it' read?").alt == "Which word does 'it' read?"


# Layout


def boxes(picture):
    """Extent of all that is written outside the cells, in pixels."""
    pixels(picture)
    inside = {text for ax in picture.figure.axes for text in ax.texts}
    return [(text.get_text(), text.get_window_extent()) for text in words(picture) if text not in inside]


LAYOUTS = {
    "one": lambda: heatmap([[1.0]]),
    "sentence": lambda: heatmap(weights(10, 10), SENTENCE, query=7, title="One head reads the sentence"),
    "odd": lambda: heatmap(weights(len(ODD), len(ODD)), ODD),
    "wide": lambda: heatmap(weights(1, 256), scale="own"),
    "tall": lambda: heatmap(weights(256, 1)),
    "flat": lambda: heatmap(weights(3, 20), query_tokens=SENTENCE[:3], key_tokens=[f"token{i}" for i in range(20)]),
    "many": lambda: heatmap(weights(64, 64), [f"w{i % 50}" for i in range(64)], query=21),
    "256": lambda: heatmap(weights(256, 256), scale="log"),
    "long": lambda: heatmap(weights(2, 2), ["x" * 40, "y" * 40], title="a long title " * 12),
    "scores": lambda: heatmap(np.array([[-1e-5, 3e4], [2.0, -1.0]]), kind="scores"),
    "two heads": lambda: head_grid(weights(2, 24, 24)),
    "own": lambda: head_grid(weights(3, 6, 6), SENTENCE[:6], scale="own"),
    "seven heads": lambda: head_grid(
        weights(7, 3, 9), query_tokens=SENTENCE[:3], key_tokens=SENTENCE[:9], titles=list("$_<>%&#")
    ),
    "sixteen heads": lambda: head_grid(weights(16, 10, 10), SENTENCE, mask=causal_mask(10), title="A layer"),
    "tiny heads": lambda: head_grid(weights(8, 1, 1)),
    "pipeline": lambda: pipeline(np.eye(4), np.eye(4), np.eye(4), is_causal=True, tokens=SENTENCE[:4]),
    "tiny pipeline": lambda: pipeline([[1.0]], [[1.0]], [[1.0]]),
    "wide pipeline": lambda: pipeline(weights(10, 64), weights(10, 64), weights(10, 64), tokens=SENTENCE, title="T"),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_nothing_is_cut_and_nothing_overlaps(name):
    picture = LAYOUTS[name]()
    found = boxes(picture)
    width, height = picture.figure.bbox.size
    for text, box in found:
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height, f"{text!r} is cut"
    for (one, box), (other, second) in itertools.combinations(found, 2):
        across = min(box.x1, second.x1) - max(box.x0, second.x0)
        down = min(box.y1, second.y1) - max(box.y0, second.y0)
        assert across <= 1 or down <= 3, f"{one!r} overlaps {other!r}"  # a box is taller than its letters
    assert width < 1300 and height < 1300


# Heads and steps


def test_heads_share_one_scale_unless_told():
    data = np.array([[[0.2, 0.8]], [[0.5, 0.5]]])
    shared = head_grid(data, scale="shared")
    assert decode(colour_at(shared, 0, 0, shared.figure.axes[1])) == pytest.approx(0.5 / 0.8, abs=0.01)
    own = head_grid(data, scale="own")
    assert [ax.collections[0].norm.vmax for ax in own.figure.axes if ax.get_title() == "" and ax.texts] == [0.8, 0.5]
    assert shared.alt == "2 heads of 1 × 2 weights; head 0: query 0 attends most to key 1 (0.80)"


def test_each_head_may_have_its_own_mask():
    mask = np.stack([causal_mask(3), np.ones((3, 3), bool)])
    picture = head_grid(weights(2, 3, 3), mask=mask)
    assert [len(numbers(picture, ax)) for ax in range(2)] == [6, 9]


def test_pipeline_shows_what_attention_computes():
    rng = np.random.default_rng(3)
    query, key, value = rng.normal(size=(3, 5)), rng.normal(size=(4, 5)), rng.normal(size=(4, 2))
    picture = pipeline(query, key, value, is_causal=True)
    output, expected = scaled_dot_product_attention(query, key, value, is_causal=True)
    panels = [ax for ax in picture.figure.axes if ax.texts]
    meshes = [ax.collections[0].get_array() for ax in panels]
    hidden = ~causal_mask(3, 4)
    assert len(panels) == 5
    np.testing.assert_allclose(meshes[0], query @ key.T)
    np.testing.assert_allclose(meshes[1], query @ key.T / np.sqrt(5))
    assert (meshes[2].mask == hidden).all() and (meshes[3].mask == hidden).all()
    np.testing.assert_allclose(meshes[3].filled(0), expected)
    np.testing.assert_allclose(meshes[4], output)
    assert "causal mask → weights → output 3 × 2" in picture.alt


def test_pipeline_leaves_the_mask_out_where_there_is_none():
    assert len([ax for ax in pipeline(np.eye(2), np.eye(2), np.eye(2)).figure.axes if ax.texts]) == 4


def test_pipeline_adds_a_float_mask():
    bias = np.array([[0.0, 3.0], [-np.inf, 0.0]])
    picture = pipeline(np.eye(2), np.eye(2), np.eye(2), bias, scale=2.0)
    masked = [ax for ax in picture.figure.axes if ax.texts][2].collections[0].get_array()
    np.testing.assert_allclose(masked.filled(9), [[2, 3], [9, 2]])


# State


def test_a_hundred_redraws_leave_no_open_figure_and_no_setting():
    before = dict(matplotlib.rcParams)
    for i in range(100):
        picture = heatmap([[1.0]])
        if i % 20 == 0:
            picture._repr_mimebundle_()
    assert plt.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_picture_gives_the_same_bytes(ending, tmp_path):
    files = [tmp_path / f"{i}.{ending}" for i in range(2)]
    for file in files:
        heatmap(weights(5, 5), SENTENCE[:5], mask=causal_mask(5)).save(file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].stat().st_size < 100_000


def test_a_picture_on_given_axes():
    figure = Figure(figsize=(9, 4))
    left, right = figure.subplots(1, 2)
    picture = heatmap(weights(3, 3), ax=right, query=1, title="$")
    assert picture.figure is figure and not left.collections
    assert len(numbers(picture, 1)) == 9
    assert picture.alt.split(";")[0] in right.texts[-1].get_text()
    assert plt.get_fignums() == []


def test_a_pyplot_figure_is_shown_once():
    figure, ax = plt.subplots()
    assert set(heatmap(weights(3, 3), ax=ax)._repr_mimebundle_()) == {"text/plain"}
    plt.close(figure)


def test_the_data_is_not_changed():
    data = np.array([[0.5, np.nan], [0.0, 1.0]])
    copy = data.copy()
    heatmap(data, mask=[[1, 1], [1, 0]], scale="log")
    np.testing.assert_array_equal(data, copy)


@pytest.mark.parametrize("convert", [list, np.float16, np.float32, memoryview])
def test_what_numpy_can_read_is_drawn(convert):
    data = np.array([[0.25, 0.75], [0.5, 0.5]])
    data = data.astype(convert) if isinstance(convert, type) and issubclass(convert, np.generic) else convert(data)
    assert heatmap(data).alt == "2 × 2 weights; query 0 attends most to key 1 (0.75)"


# Errors


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: heatmap(np.ones((2, 3, 3))), r"weights has 3 axes, shape \(2, 3, 3\).*weights\[0\].*head_grid"),
        (lambda: heatmap([0.5, 0.5]), "weights has 1 axes"),
        (lambda: heatmap(np.ones((0, 3))), "weights is empty"),
        (lambda: head_grid(np.ones((3, 3))), "weights has 2 axes"),
        (lambda: heatmap(np.eye(3), ["a", "b"]), "tokens has 2 entries: expected 3, one a query"),
        (lambda: heatmap(np.ones((2, 3)), ["a", "b"]), "tokens has 2 entries: expected 3, one a key.*key_tokens"),
        (lambda: heatmap(np.eye(2), key_tokens=["a"]), "key_tokens has 1 entries: expected 2"),
        (lambda: heatmap(np.eye(3), "cat"), r"tokens is one string.*tokens\.split\(\)"),
        (lambda: heatmap(np.eye(3), mask=np.ones((2, 3), bool)), r"mask of shape \(2, 3\)"),
        (lambda: heatmap(np.eye(3), mask=np.eye(3)), "mask holds floats 0 and 1"),
        (lambda: heatmap(np.eye(3), padding=[1, 0]), r"padding has shape \(2,\): expected \(3,\)"),
        (lambda: heatmap(np.eye(3), kind="weight"), "kind must be one of weights, scores, signed, got 'weight'"),
        (lambda: heatmap(np.eye(3), scale="auto"), "scale must be one of unit, shared, own, log"),
        (lambda: heatmap(np.eye(3), scale=-1), "scale must be"),
        (lambda: heatmap(np.eye(3), kind="scores", scale="log"), "scale='log' needs kind='weights'"),
        (lambda: heatmap(np.eye(3), annot="yes"), "annot must be"),
        (lambda: heatmap(np.eye(3), query=3), "query=3 does not exist: expected a row from 0 to 2"),
        (lambda: heatmap(np.eye(3), query="cat"), "query must be a whole number"),
        (lambda: head_grid(np.ones((2, 3, 3)), titles=["a"]), "titles must be a sequence of 2 texts"),
        (lambda: pipeline(np.ones((1, 2, 2)), np.eye(2), np.eye(2)), "query has 3 axes"),
        (lambda: pipeline(np.eye(2), np.eye(3), np.eye(3)), "key has d_k=3 but query has d_k=2"),
        (lambda: heatmap(np.eye(3)).save("x.gif"), r"path ends in '\.gif': expected \.png, \.svg or \.pdf"),
        (lambda: heatmap([["a"]]), "weights must hold real numbers"),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
