"""What `parameters` finds, in which order, under which name, and how many numbers."""

import numpy as np
import pytest

import attention_lab as lab
from attention_lab import parameters

HEADS = ["W_q", "W_k", "W_v", "W_o"]
FEED_FORWARD = ["up.weight", "up.bias", "down.weight", "down.bias"]
ENCODER = [
    *(f"attention.{name}" for name in HEADS),
    *(f"feed_forward.{name}" for name in FEED_FORWARD),
    *("norm_1.gain", "norm_1.bias", "norm_2.gain", "norm_2.bias"),
]
DECODER = [
    *(f"{kind}_attention.{name}" for kind in ("self", "cross") for name in HEADS),
    *(f"feed_forward.{name}" for name in FEED_FORWARD),
    *(f"norm_{i}.{name}" for i in (1, 2, 3) for name in ("gain", "bias")),
]
FINAL = ["final_norm.gain", "final_norm.bias"]


class Thing:
    """A user's class: no `parameters` of its own."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


class Scale:
    parameters = ("factor",)

    def __init__(self, factor):
        self.factor = factor
        self.table = np.ones(3)  # an array that is not named is a constant


def ones(*shape):
    return np.ones(shape, np.float32)


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (lab.Linear(2, 3), ["weight", "bias"]),
        (lab.Linear(2, 3, bias=False), ["weight"]),
        (lab.Embedding(2, 3), ["table"]),
        (lab.LearnedPositions(2, 3), ["table"]),
        (lab.RelativePositionBias(2), ["table"]),
        (lab.LayerNorm(3), ["gain", "bias"]),
        (lab.RMSNorm(3), ["gain"]),
        (lab.FeedForward(2, 3), FEED_FORWARD),
        (lab.FeedForward(2, 3, "swiglu"), ["gate.weight", "gate.bias", *FEED_FORWARD]),
        (lab.FeedForward(2, 3, bias=False), FEED_FORWARD[::2]),
        (lab.MultiHeadAttention(4, 2), HEADS),
        (lab.MultiHeadAttention(4, 2, bias=True), [*HEADS, "b_q", "b_k", "b_v", "b_o"]),
        (lab.EncoderBlock(4, 2, 3), ENCODER),
        (lab.EncoderBlock(4, 2, 3, norm=None), ENCODER[:8]),
        (lab.DecoderBlock(4, 2, 3, norm="post"), DECODER),
        (lab.Encoder(2, 4, 2, 3), [f"blocks.{i}.{name}" for i in (0, 1) for name in ENCODER] + FINAL),
        (lab.Encoder(1, 4, 2, 3, norm="post"), [f"blocks.0.{name}" for name in ENCODER]),
        (lab.Decoder(2, 4, 2, 3), [f"blocks.{i}.{name}" for i in (0, 1) for name in DECODER] + FINAL),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, list) else "",
)
def test_names_in_order(model, names):
    assert list(parameters(model)) == names


def test_sizes_by_formula():
    d, d_ff, vocabulary, heads, kv_heads, d_memory = 12, 29, 101, 6, 2, 7

    def count(model):
        return sum(array.size for array in parameters(model).values())

    assert count(lab.MultiHeadAttention(d, heads)) == 4 * d * d  # for every number of heads
    assert count(lab.MultiHeadAttention(d, heads, bias=True)) == 4 * d * d + 4 * d
    assert count(lab.MultiHeadAttention(d, heads, num_kv_heads=kv_heads)) == 2 * d * d + 2 * d * d * kv_heads // heads
    assert count(lab.MultiHeadAttention(d, heads, d_memory=d_memory)) == 2 * d * d + 2 * d * d_memory
    assert count(lab.MultiHeadAttention(d, heads, d_head=5)) == 4 * d * 5 * heads
    assert count(lab.FeedForward(d, d_ff)) == 2 * d * d_ff + d_ff + d
    assert count(lab.FeedForward(d, d_ff, "swiglu", bias=False)) == 3 * d * d_ff
    assert count(lab.EncoderBlock(d, heads, d_ff)) == 4 * d * d + 2 * d * d_ff + d_ff + d + 4 * d
    assert count(lab.DecoderBlock(d, heads, d_ff)) == 8 * d * d + 2 * d * d_ff + d_ff + d + 6 * d
    assert count(lab.Embedding(vocabulary, d)) == vocabulary * d


def test_they_are_the_arrays_themselves():
    block = lab.EncoderBlock(4, 2, 3)
    assert parameters(block)["attention.W_q"] is block.attention.W_q
    parameters(block)["norm_1.gain"][:] = 0
    assert block.norm_1.gain.tolist() == [0] * 4


def test_users_classes_lists_and_tuples_are_searched():
    model = Thing(
        name="mine",
        size=3,
        nothing=None,
        data=np.ones(3),
        layers=[lab.Linear(2, 3, bias=False), (Scale(ones(2)), [Scale(ones(3))])],
        deep=Thing(scale=Scale(ones(5))),
    )
    assert list(parameters(model)) == [
        "layers.0.weight",
        "layers.1.0.factor",
        "layers.1.1.0.factor",
        "deep.scale.factor",
    ]
    assert list(parameters([Scale(ones(2)), Scale(ones(2))])) == ["0.factor", "1.factor"]
    assert parameters(Thing()) == {}
    assert parameters(None) == {}


def test_a_class_that_names_parameters_may_hold_layers_too():
    model = Scale(ones(2))
    model.linear = lab.Linear(2, 3)
    assert list(parameters(model)) == ["factor", "linear.weight", "linear.bias"]


def test_tied_arrays_and_shared_layers_count_once_under_the_first_name():
    embedding, last = lab.Embedding(7, 5), Scale(None)
    last.factor = embedding.table
    assert list(parameters(Thing(embedding=embedding, last=last))) == ["embedding.table"]
    shared = lab.LayerNorm(3)
    assert list(parameters(Thing(a=shared, b=shared, c=[shared]))) == ["a.gain", "a.bias"]
    equal = Thing(a=Scale(ones(2)), b=Scale(ones(2)))
    assert list(parameters(equal)) == ["a.factor", "b.factor"]


def test_circles_end():
    model = Thing(scale=Scale(ones(2)))
    model.scale.owner, model.itself, model.pair = model, model, (model, model.scale)
    assert list(parameters(model)) == ["scale.factor"]
    endless = [Scale(ones(2))]
    endless.append(endless)
    assert list(parameters(endless)) == ["0.factor"]
    assert list(parameters(Thing(items=endless))) == ["items.0.factor"]


def test_classes_functions_and_modules_are_no_layers():
    def function():
        return None

    function.layer = Scale(ones(2))
    assert parameters(Thing(kind=Scale, module=np, function=function, text="W_q")) == {}


@pytest.mark.parametrize("wrong", [[1.0, 2.0], 3.0, np.arange(3), np.float32(3), "W", np.ones(3, complex)])
def test_a_parameter_must_be_an_array_of_floats(wrong):
    with pytest.raises(TypeError, match="parameter inner.0.factor must be an array of floats, got"):
        parameters(Thing(inner=[Scale(wrong)]))


def test_names_of_parameters_stand_in_a_tuple():
    class Forgetful:
        parameters = "W"

    class Method:
        def parameters(self):
            return []

    for kind in (Forgetful, Method):
        with pytest.raises(TypeError, match=f"{kind.__name__}.parameters must be a tuple of names such as"):
            parameters(Thing(layer=kind()))
