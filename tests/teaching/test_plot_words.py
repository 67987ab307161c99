"""The words of a picture: labels, the sentence, and where all of it stands."""

import itertools
import warnings

import numpy as np
import pytest

from attention_lab.masks import causal_mask, sliding_window_mask
from attention_lab.teaching.caption import token_labels, wrap
from attention_lab.teaching.plots import head_grid, heatmap, pipeline
from tests.teaching.pictures import ODD, SENTENCE, numbers, pixels, weights, words

pytestmark = pytest.mark.slow


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
    assert heatmap(np.zeros((2, 4)), kind="signed").alt == "2 × 4 values; the same everywhere (0.000)"
    one = heatmap([[1.5, 1.5], [2, 3]], kind="signed", query=0, axes=("position", "feature"))
    assert one.alt == "2 × 2 values; the same all along position 0 (1.50)"
    assert heatmap(np.full((2, 4), 0.25)).alt == "2 × 4 weights; every query attends evenly to the keys it sees"


def test_weight_behind_a_mask_is_told():
    assert "hidden cells hold weight (up to 0.30)" in heatmap([[0.7, 0.3], [0.5, 0.5]], mask=causal_mask(2)).alt


@pytest.mark.parametrize("size", [1e300, 1e-300, 5e-324])
def test_scores_of_any_size_are_named(size):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = heatmap([[0.0, size]], kind="scores")
        pixels(picture)
    assert "scores highest with key 1" in picture.alt and "(0.0" not in picture.alt


def test_even_scores_and_negative_weights_are_told():
    assert heatmap([[2.0, 2.0]], kind="scores").alt.endswith("every query scores the same with the keys it sees")
    assert heatmap([[-0.5, 0.5]]).alt.endswith("; 1 cell is below 0")
    assert "(up to 1.0e−05)" in heatmap([[0.9, 1e-5], [0.5, 0.5]], mask=causal_mask(2)).alt


def test_what_is_out_of_order_in_a_head_is_told():
    data = np.array([[[0.2, 0.8]], [[np.nan, 0.5]]])
    assert head_grid(data).alt.endswith("head 0: query 0 attends most to key 1 (0.80); head 1: 1 cell is NaN")
    assert head_grid(np.zeros((2, 1, 2)), mask=[[0, 0]]).alt.endswith(
        "2 heads of 1 × 2 fully masked weights; no query sees a key"
    )
    assert head_grid(data[:1], titles=[""]).alt == "1 map of 1 × 2 weights; query 0 attends most to key 1 (0.80)"


def test_the_pipeline_tells_of_queries_without_a_key():
    eye = np.eye(2)
    assert pipeline(eye, eye, eye, [[0, 0], [1, 1]]).alt.endswith("; query 0 sees no key")
    assert pipeline(eye, eye, eye, [[0, 0]]).alt.endswith(
        "mask that hides all → weights → output 2 × 2; no query sees a key"
    )


def test_tokens_may_be_a_generator():
    assert heatmap([[0.2, 0.8], [0.5, 0.5]], (word for word in ["a", "b"])).alt.endswith(
        "'a' attends most to 'b' (0.80)"
    )


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
    scores[1, 0] = 2
    picture = heatmap(scores, kind="scores")
    assert picture.alt.startswith("4 × 4 causal scores; query 1 scores highest with key 0 (2.00)")
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


def test_names_of_axes_are_one_line_that_fits():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        picture = heatmap(weights(5, 5), axes=("a\tlong " + 90 * "n", "fea\nture"))
        picture.figure.canvas.draw()
    ax = picture.figure.axes[0]
    assert ax.get_ylabel().startswith("a long nnn") and ax.get_ylabel().endswith("…")
    assert ax.get_xlabel() == "fea ture"
    assert ax.yaxis.label.get_window_extent().height <= ax.get_window_extent().height


@pytest.mark.parametrize("axes", [{"position", "feature"}, "ab", 3, (1, 2), None])
def test_axes_are_two_texts_in_their_order(axes):
    with pytest.raises(TypeError, match="axes must be two texts"):
        heatmap(weights(2, 2), axes=axes)


def test_axes_may_come_one_by_one_and_may_not_be_blank():
    assert heatmap(weights(2, 2), axes=iter(["row", ":column"])).alt.count(":column ") == 1
    with pytest.raises(ValueError, match="axes must name rows and columns"):
        heatmap(weights(2, 2), axes=(" ", "feature"))
