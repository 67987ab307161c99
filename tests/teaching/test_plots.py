"""The cells of a picture: what a pixel or a number says must be what the data says."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from attention_lab.attention import scaled_dot_product_attention
from attention_lab.masks import causal_mask
from attention_lab.teaching.colours import MASKED, NAN, RAMPS, hex_to_rgb, luminance, ramp
from attention_lab.teaching.plots import head_grid, heatmap, pipeline
from tests.teaching.pictures import SENTENCE, colour_at, contrast, decode, numbers, pixels, weights

pytestmark = pytest.mark.slow  # many pictures

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


def test_a_colour_bar_can_have_another_name():
    def name(**about):
        axes = heatmap([[0.2, 0.8]], **about).figure.axes[1]
        return axes.get_title(loc="left") or axes.get_xlabel()

    assert name() == "weight, scale 0 to 1"
    assert name(measure="probability") == "probability, scale 0 to 1"
    assert name(measure="gain", kind="signed") == "gain, ± about zero"


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


def test_the_bar_says_that_colours_end_before_the_numbers_do():
    bar = heatmap([[-3.0, 0.5, 2.0]], kind="signed", scale=1.0).figure.axes[1]
    texts = [label.get_text() for label in bar.get_yticklabels()]
    assert (texts[0], texts[-1]) == ("≤ −1", "≥ 1")


def test_numbers_of_neighbouring_bars_keep_apart():
    figure = head_grid(np.stack([2.2 * np.eye(7), -2.04 * np.eye(7)]), kind="signed", scale="own").figure
    figure.canvas.draw()
    bars = [ax for ax in figure.axes if "about zero" in ax.get_xlabel()]
    last, first = bars[0].get_xticklabels()[-1].get_window_extent(), bars[1].get_xticklabels()[0].get_window_extent()
    assert len(bars) == 2 and last.x1 + 2 < first.x0


def test_even_weights_are_named_on_the_bar_only_where_rows_share_out_one():
    def said(data, **about):
        return " ".join(label.get_text() for label in heatmap(data, **about).figure.axes[1].get_yticklabels())

    assert "1/4 uniform" in said(weights(3, 4))
    assert "1/2 uniform" in said(np.array([[0.5, 0.5, 9, 9], [0, 0, 0, 0]]), mask=[True, True, False, False])
    assert "uniform" not in said(0.6 * weights(3, 4))  # scores of heads, say
