"""Pictures as objects: what they leave behind, how they are saved, what they refuse."""

import matplotlib
import matplotlib.pyplot as plt
import matplotlib.style
import numpy as np
import pytest
from matplotlib.figure import Figure

from attention_lab.masks import causal_mask
from attention_lab.teaching.plots import head_grid, heatmap, pipeline
from tests.teaching.pictures import SENTENCE, numbers, weights

pytestmark = pytest.mark.slow


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


def test_axes_of_a_subfigure_give_the_whole_figure():
    figure = Figure()
    picture = heatmap(weights(3, 3), ax=figure.subfigures(1, 2)[0].subplots())
    assert picture.figure is figure and "image/png" in picture._repr_mimebundle_()[0]


@pytest.mark.parametrize(
    "setting", ["figure.constrained_layout.use", "figure.autolayout", "axes.grid", "dark_background"]
)
def test_the_readers_settings_change_nothing(setting):
    styles = matplotlib.style.library.get(setting, {setting: True})
    keep = {name: value for name, value in styles.items() if name != "text.antialiased"}
    plain = heatmap(weights(3, 3), SENTENCE[:3], mask=causal_mask(3), title="One")._bytes("png")
    with matplotlib.rc_context(keep):
        assert heatmap(weights(3, 3), SENTENCE[:3], mask=causal_mask(3), title="One")._bytes("png") == plain


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.parametrize("text", ["\ud800 x", "a\nb", 3, "猫 😀 \x00", ["a"]])
def test_titles_and_captions_may_be_anything(text, ending):
    picture = head_grid([[[0.2, 0.8]]], title=text, titles=[text], caption=text)
    assert picture._bytes(ending)
    picture.alt.encode()


@pytest.mark.parametrize("titles", [iter("ab"), np.array(["a", "b"]), ("a", "b")])
def test_titles_of_any_sequence(titles):
    assert head_grid([[[0.2, 0.8]], [[0.5, 0.5]]], titles=titles).alt.startswith("2 maps of 1 × 2 weights; a: ")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="path needs the folder .*nowhere"):
        heatmap([[1.0]]).save(tmp_path / "nowhere" / "x.png")


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
        (lambda: heatmap(np.eye(2), key_tokens=["a"]), "key_tokens has 1 entry: expected 2"),
        (lambda: heatmap(np.eye(3), "cat"), r"tokens is one string.*tokens\.split\(\)"),
        (lambda: heatmap(np.eye(3), mask=np.ones((2, 3), bool)), r"mask of shape \(2, 3\)"),
        (lambda: heatmap(np.eye(3), mask=np.eye(3)), "mask holds floats 0 and 1"),
        (lambda: heatmap(np.eye(3), padding=[1, 0]), r"padding has shape \(2,\): expected \(3,\)"),
        (lambda: heatmap(np.eye(3), kind="weight"), "kind must be one of weights, scores, signed, got 'weight'"),
        (lambda: heatmap(np.eye(3), scale="auto"), "scale must be one of unit, shared, own, log"),
        (lambda: heatmap(np.eye(3), scale=-1), "scale must be"),
        (lambda: heatmap(np.eye(3), scale=True), "scale must be"),
        (lambda: heatmap(np.eye(3), scale=1e-320), "scale must be"),
        (lambda: heatmap(np.eye(3) * 1.7e308, kind="scores"), "weights holds numbers beyond 1e300"),
        (lambda: heatmap(np.eye(3), kind=["scores"]), "kind must be one of"),
        (lambda: heatmap(np.eye(3), annot=np.ones(3)), "annot must be"),
        (lambda: heatmap(np.eye(2), {"a", "b"}), "tokens must be a sequence of 2 tokens in their order"),
        (lambda: heatmap(np.eye(2), 3), "tokens must be a sequence of 2 tokens"),
        (lambda: heatmap(np.eye(2), padding=2), r"padding has shape \(\): expected \(2,\)"),
        (lambda: heatmap(np.eye(2), padding=[1.0, 0.0]), "padding must be boolean.*write padding == 1"),
        (lambda: heatmap(np.eye(2), ax=3), "ax must be one flat matplotlib Axes"),
        (lambda: heatmap(np.eye(2), ax=Figure().subplots(1, 2)), "ax must be one flat"),
        (lambda: heatmap(np.eye(2), ax=Figure().add_subplot(projection="polar")), "ax must be one flat"),
        (lambda: head_grid(np.ones((2, 3, 3)), titles=3), "titles must be a sequence of 2 texts"),
        (lambda: head_grid(np.ones((2, 3, 3)), titles="ab"), "titles must be a sequence of 2 texts"),
        (lambda: heatmap(np.eye(3)).save(None), "path must be a text or a Path"),
        (lambda: heatmap(np.eye(3), kind="scores", scale="log"), "scale='log' needs kind='weights'"),
        (lambda: heatmap(np.eye(3), annot="yes"), "annot must be"),
        (lambda: heatmap(np.eye(3), query=3), "query=3 does not exist: expected a row from 0 to 2"),
        (lambda: heatmap(np.eye(3), query="cat"), "query must be a whole number"),
        (lambda: head_grid(np.ones((2, 3, 3)), titles=["a"]), "titles has 1 entry: expected 2, one a head"),
        (lambda: pipeline(np.ones((1, 2, 2)), np.eye(2), np.eye(2)), "query has 3 axes"),
        (lambda: pipeline(np.eye(2), np.eye(3), np.eye(3)), "key has d_k=3 but query has d_k=2"),
        (lambda: heatmap(np.eye(3)).save("x.gif"), r"path ends in '\.gif': expected \.png, \.svg or \.pdf"),
        (lambda: heatmap([["a"]]), "weights must hold real numbers"),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()
