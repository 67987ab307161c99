"""Diagrams: whether the sentence is the mathematics, what a highlight does, what is refused."""

import re
from itertools import pairwise

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from attention_lab.blocks import DecoderBlock, EncoderBlock
from attention_lab.multi_head import MultiHeadAttention
from attention_lab.teaching.colours import TEXT, hex_to_rgb
from attention_lab.teaching.diagram import compose, diagram
from attention_lab.teaching.diagram_parts import PEN, Box, Label, Line, draw
from tests.teaching.diagrams import KINDS, drawn, everyone, of_type, on_edge, solid
from tests.teaching.pictures import contrast, pixels, words


@pytest.mark.parametrize("role", ["query", "key", "value"])
@pytest.mark.parametrize("what", KINDS)
def test_a_role_is_a_colour_and_a_letter(what, role):
    colour = hex_to_rgb(TEXT["light"][role])
    assert contrast(colour, np.array([255, 255, 255])) >= 4.5
    for line in of_type(Line, what, "pre"):
        if line.kind == role:
            assert line.letter == {"query": "Q", "key": "K", "value": "V"}[role]
    fills = {tuple(patch.get_facecolor()[:3]) for patch in drawn(what, "pre").figure.axes[0].patches}
    assert (to_rgb(TEXT["light"][role]) in fills) == (what != "transformer" or role != "query")


# What is said


@pytest.mark.parametrize("norm", ["pre", "post", None])
@pytest.mark.parametrize("what", ["encoder-block", "decoder-block"])
def test_the_sentence_of_a_block_is_what_the_block_computes(what, norm):
    rng = np.random.default_rng(0)
    x, memory = rng.normal(size=(5, 12)), rng.normal(size=(7, 12))
    block = {"encoder-block": EncoderBlock, "decoder-block": DecoderBlock}[what](12, 3, 17, norm=norm, rng=rng)
    own = block.attention if what == "encoder-block" else block.self_attention
    meaning = {
        "self_attention": lambda x: own(x, is_causal=False)[0],
        "causal_self_attention": lambda x: own(x, is_causal=True)[0],
        "cross_attention": lambda x, memory: block.cross_attention(x, memory)[0],
        "feed_forward": block.feed_forward,
        "norm": block.norm_1,  # new norms are all alike
        "memory": memory,
    }
    expected = block(x)[0] if what == "encoder-block" else block(x, memory)[0]
    steps = diagram(what, norm=norm).alt.split(": ")[1].split(", then ")
    for step in steps:
        code = re.sub("(?<=[a-z])[- ](?=[a-z])", "_", step)  # "causal self-attention(x)" as a call
        x = eval(code, meaning | {"x": x})
    np.testing.assert_allclose(x, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("norm", "opening"), [("pre", "Pre-norm"), ("post", "Post-norm"), (None, "Transformer without")]
)
def test_the_sentence_of_the_transformer_follows_the_arrows(norm, opening):
    alt = diagram("transformer", norm=norm).alt
    last = "norm → " if norm == "pre" else ""
    encoder, decoder = alt.split(": ")[1].split("; ")
    assert alt.startswith(opening)
    assert encoder == f"source ids → embedding + positions → N × encoder block → {last}memory"
    assert decoder == (
        f"target ids → embedding + positions → N × decoder block (with memory) → {last}linear → softmax → probabilities"
    )


@everyone
def test_the_sentence_names_the_boxes_in_the_order_in_which_they_stand(what, norm):
    alt = drawn(what, norm).alt.split(": ")[1]
    flow = alt.split("; ")[-1]
    boxes = [box for box in solid(what, norm) if box.kind not in ("norm", "plus") and box.text]
    down = sorted(boxes, key=lambda box: (box.y, box.x))
    named = [word for word in dict.fromkeys(box.text.split(": ")[0] for box in down) if word in flow]
    places = [flow.index(word) for word in named if word not in ("x", "positions", "memory")]
    assert len(places) >= 2 and places == sorted(places)


def test_shapes_are_those_of_the_layer():
    sizes = {"n": 7, "h": 3, "d_k": 5, "d_model": 11}
    layer = MultiHeadAttention(11, 3, d_head=5, rng=np.random.default_rng(0))
    x = np.ones((7, 11))

    def size(text):
        return eval(text.replace("·", "*"), dict(sizes))

    notes = {box.text: box.note for box in of_type(Box, "multi-head", "pre") if box.note}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        assert size(notes[name]) == getattr(layer, name).shape
    output, weights = layer(x)
    assert size(notes["attention in each head: softmax(Q Kᵀ / √d_k) V"].removeprefix("weights ")) == weights.shape
    labels = sorted(of_type(Label, "multi-head", "pre"), key=lambda label: label.y)
    assert size(labels[0].text) == x.shape and size(labels[-1].text) == output.shape
    assert [size(label.text) for label in labels[1:4]] == [(x @ layer.W_q).shape] * 3
    assert [size(label.text) for label in labels[4:8]] == [(3, 7, 5)] * 4 and size(labels[8].text) == (7, 15)


# The residual stream


@pytest.mark.parametrize("norm", ["pre", "post", None])
@pytest.mark.parametrize(("what", "sublayers"), [("encoder-block", 2), ("decoder-block", 3), ("transformer", 5)])
def test_the_stream_meets_norms_in_post_norm_blocks_alone(what, sublayers, norm):
    stream = [line for line in of_type(Line, what, norm) if line.kind == "stream"]
    met = [box for box in solid(what, norm) if any(on_edge(line.points[-1], box) for line in stream)]
    norms = [box for box in solid(what, norm) if box.kind == "norm"]
    assert [box.kind for box in met].count("plus") == sublayers + 2 * (what == "transformer")
    final = 2 if what == "transformer" and norm == "pre" else 0  # after the stacks, outside every block
    assert [box.kind for box in met].count("norm") == {"pre": final, "post": sublayers, None: 0}[norm]
    assert len(norms) == {"pre": sublayers + final, "post": sublayers, None: 0}[norm]


@pytest.mark.parametrize("what", ["encoder-block", "decoder-block"])
@pytest.mark.parametrize("norm", ["pre", "post", None])
def test_the_stream_is_one_straight_line_from_input_to_output(what, norm):
    stream = sorted((line.points for line in of_type(Line, what, norm) if line.kind == "stream"), key=lambda p: p[0][1])
    boxes = {box.text: box for box in solid(what, norm)}
    assert len({x for points in stream for x, _ in points}) == 1
    assert stream[0][0] == boxes["x"].below() and stream[-1][-1] == boxes["output"].above()
    for (_, end), (start, _) in pairwise(stream):  # each piece goes on below the box that the last one met
        assert any(end == box.above() and start == box.below() for box in solid(what, norm))


# Highlights and errors


@everyone
@pytest.mark.slow
def test_every_part_can_be_highlighted(what, norm):
    names = {part.part for part in compose(what, norm)[2] if getattr(part, "part", "")}
    assert ("norm" in names) == (what != "multi-head" and norm is not None)
    assert marks(drawn(what, norm)) == 0
    for name in names:
        parts = [part for part in compose(what, norm)[2] if getattr(part, "part", "") == name]
        assert marks(diagram(what, norm=norm, highlight=name)) == len(parts)


def marks(picture):
    """How many strokes of the highlighter there are."""
    patches = picture.figure.axes[0].patches
    return sum(to_rgb(PEN) in (patch.get_facecolor()[:3], patch.get_edgecolor()[:3]) for patch in patches)


def test_a_highlighted_box_has_a_thick_edge_too():
    plain, marked = drawn("encoder-block", "pre"), diagram("encoder-block", highlight="norm")
    edges = [{patch.get_gid(): patch.get_linewidth() for patch in p.figure.axes[0].patches} for p in (plain, marked)]
    names = [f"box-{i}" for i, part in enumerate(compose("encoder-block")[2]) if getattr(part, "part", "") == "norm"]
    assert len(names) == 2 and all(edges[1][name] >= 2 * edges[0][name] for name in names)


def test_the_sentence_names_what_is_highlighted():
    picture = diagram("encoder-block", highlight=["norm", "residual", "norm"])
    assert picture.alt.endswith("norm(x)); highlighted: residual, norm")
    assert diagram("encoder-block", highlight=[]).alt == diagram("encoder-block").alt


def test_a_caption_takes_the_place_of_the_sentence():
    picture = diagram("encoder-block", caption="Where\nis $x$?")
    assert picture.alt == "Where is $x$?"
    assert [text.get_text() for text in words(picture) if text.get_gid() == "caption-0"] == ["Where is $x$?"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diagram("encoder"), "what must be one of 'multi-head', 'encoder-block'.*got 'encoder'"),
        (lambda: diagram(None), "what must be one of"),
        (lambda: diagram(["transformer"]), "what must be one of"),
        (lambda: diagram("encoder-block", norm="none"), "norm must be one of 'pre', 'post', None, got 'none'"),
        (lambda: diagram("multi-head", norm=True), "norm must be one of"),
        (lambda: diagram("encoder-block", highlight="head"), r"parts of this diagram \(residual, .*got 'head'"),
        (lambda: diagram("encoder-block", norm=None, highlight="norm"), "parts of this diagram .*got 'norm'"),
        (lambda: diagram("encoder-block", highlight=[["norm"]]), "parts of this diagram"),
        (lambda: diagram("encoder-block", highlight=3), "highlight must be the name of a part or a list"),
    ],
)
def test_errors_say_what_there_is(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


# The figure


@everyone
@pytest.mark.slow
def test_every_diagram_can_be_saved_and_leaves_nothing_behind(what, norm, tmp_path):
    before = dict(matplotlib.rcParams)
    for ending in ("png", "svg", "pdf"):
        files = [tmp_path / f"{i}.{ending}" for i in range(2)]
        for file in files:
            diagram(what, norm=norm).save(file)
        assert files[0].read_bytes() == files[1].read_bytes()
        assert files[0].stat().st_size < 100_000
    assert plt.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(
    "settings",
    [
        "dark_background",
        "ggplot",
        {"figure.constrained_layout.use": True},
        {"figure.autolayout": True, "savefig.bbox": "tight", "savefig.transparent": True},
        {"font.size": 30, "lines.linewidth": 9, "patch.linewidth": 9, "text.color": "red", "axes.grid": True},
        {"path.sketch": (3, 100, 2), "patch.force_edgecolor": True, "hatch.linewidth": 5, "text.usetex": True},
    ],
    ids=str,
)
@pytest.mark.slow
def test_the_readers_settings_change_nothing(settings):
    plain = diagram("decoder-block")._bytes("png")
    styles = matplotlib.style.library[settings] if isinstance(settings, str) else settings
    with matplotlib.rc_context({name: value for name, value in styles.items() if name != "text.antialiased"}):
        assert diagram("decoder-block")._bytes("png") == plain


@everyone
def test_the_background_is_white_on_every_page(what, norm):
    image = pixels(drawn(what, norm))
    assert (image[[0, -1]] == 255).all() and (image[:, [0, -1]] == 255).all()


def test_a_small_diagram_is_wide_enough_for_its_words():
    figure = draw("A title", "A sentence that is longer than the only box is wide.", [Box("a", 0, 0, 20, 20)])
    assert figure.get_size_inches()[0] * 72 >= 330
