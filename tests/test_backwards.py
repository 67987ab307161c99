"""The backward of every formula against central differences: norms, activations, embedding, softmax, rotation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import Tensor, log_softmax, rotary_embedding, softmax
from attention_lab import operations as op
from attention_lab.activations import gelu, relu, sigmoid, silu, tanh
from attention_lab.functional import dropout, embedding, layer_norm, linear, rms_norm
from attention_lab.multi_head import merge_heads, split_heads
from tests.differences import assert_gradients, by_differences, by_the_tape, normal

X = normal(2, 3, 7)
GAIN, BIAS = normal(7, seed=1), normal(7, seed=2)
LEADING = pytest.mark.parametrize("leading", [(), (3,), (2, 3), (2, 1, 3, 5), (0,), (2, 0)], ids=str)


def tape(function, *arrays, dtype=np.float64):
    """Gradients of the plain sum."""
    tensors = [Tensor(np.array(array, dtype)) for array in arrays]
    result = function(*tensors)
    result.backward(np.ones(result.shape))
    return [tensor.grad for tensor in tensors]


# ---- linear, embedding, dropout -----------------------------------------------------------------------------------


@LEADING
def test_linear(leading):
    x, weight, bias = normal(*leading, 7), normal(7, 11, seed=1), normal(11, seed=2)
    assert_gradients(linear, x, weight, bias)
    assert_gradients(linear, x, weight)
    assert_gradients(lambda weight: linear(x, weight, bias), weight)
    assert_gradients(lambda bias: linear(x, weight, bias=bias), bias)


def test_linear_without_features():
    to_x, to_weight = tape(linear, np.ones((3, 0)), np.ones((0, 2)))
    assert to_x.shape == (3, 0)
    assert to_weight.shape == (0, 2)


@pytest.mark.parametrize(
    "ids", [3, [3], [[0, 6, 6], [6, 1, 0]], [5] * 4, np.arange(7), np.zeros((2, 0), int), np.uint8([[[6]]])]
)
def test_embedding(ids):
    wanted = assert_gradients(lambda table: embedding(ids, table), normal(7, 5))[0]
    unseen = np.setdiff1d(np.arange(7), ids)
    assert not wanted[unseen].any()


def test_an_id_that_comes_often_is_counted_in_float16_too():
    (to_table,) = tape(lambda table: embedding(np.repeat([1, 2], 5000), table), np.ones((3, 2)), dtype=np.float16)
    assert to_table.tolist() == [[0, 0], [5000, 5000], [5000, 5000]]
    (to_bias,) = tape(
        lambda bias: linear(np.ones((5000, 3), np.float16), np.ones((3, 2)), bias), [0, 0], dtype=np.float16
    )
    assert to_bias.tolist() == [5000, 5000]


def test_dropout():
    def dropped(x):
        return dropout(x, 0.4, np.random.default_rng(3))

    assert_gradients(dropped, X)
    factor = dropped(np.ones(X.shape))
    assert_array_equal(tape(dropped, X)[0], factor)
    assert (factor == 0).any()
    for kept in (lambda x: dropout(x, 0.4), lambda x: dropout(x, 0.0, np.random.default_rng(3))):
        assert_array_equal(tape(kept, X)[0], np.ones(X.shape))


# ---- norms ---------------------------------------------------------------------------------------------------------


@LEADING
def test_norms(leading):
    x = 3 * normal(*leading, 7) + 2
    assert_gradients(layer_norm, x, GAIN, BIAS)
    assert_gradients(rms_norm, x, GAIN)


@pytest.mark.parametrize("eps", [1e-12, 1e-5, 0.5])
def test_norms_with_an_eps_that_counts(eps):
    assert_gradients(lambda x, gain, bias: layer_norm(x, gain, bias, eps), X, GAIN, BIAS)
    assert_gradients(lambda x, gain: rms_norm(x, gain, eps), X, GAIN)


def test_norms_where_all_features_are_equal():
    to_x, to_gain, to_bias = tape(layer_norm, np.full((3, 7), 4.0), GAIN, BIAS)
    assert_allclose(to_x, np.broadcast_to(GAIN - GAIN.mean(), (3, 7)) / np.sqrt(1e-5), rtol=1e-12)
    assert_array_equal(to_gain, np.zeros(7))
    assert_array_equal(to_bias, np.full(7, 3.0))
    assert_allclose(tape(rms_norm, np.zeros((3, 7)), GAIN)[0], np.broadcast_to(GAIN, (3, 7)) / 1e-3, rtol=1e-12)


def test_a_norm_does_not_see_a_shift_or_a_stretch():
    seed = normal(*X.shape, seed=4)
    to_x = by_the_tape(lambda x: layer_norm(x, GAIN, BIAS, 0.0), [X], seed)[0]
    assert_allclose(to_x.sum(-1), 0, atol=1e-12)
    assert_allclose((to_x * X).sum(-1), 0, atol=1e-12)
    to_x = by_the_tape(lambda x: rms_norm(x, GAIN, 0.0), [X], seed)[0]
    assert_allclose((to_x * X).sum(-1), 0, atol=1e-12)


# ---- activations ---------------------------------------------------------------------------------------------------

ACTIVATIONS = {"relu": relu, "gelu": gelu, "gelu_tanh": lambda x: gelu(x, approximate=True), "silu": silu}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    assert_gradients(ACTIVATIONS[name], X)
    assert_gradients(ACTIVATIONS[name], np.array(0.7))
    assert_gradients(ACTIVATIONS[name], np.zeros((0, 3)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_far_out_have_a_slope_of_0_or_1(name, dtype):
    largest = float(np.finfo(dtype).max)
    with np.errstate(all="raise"):
        (slope,) = tape(lambda x: ACTIVATIONS[name](x), [-largest, -50, 50, largest], dtype=dtype)
    assert_allclose(slope, [0, 0, 1, 1], atol=1e-6)


@pytest.mark.parametrize("function", [sigmoid, tanh])
def test_bounded_activations(function):
    for x in (X, 3 * X, np.array(0.7), np.zeros((0, 3))):
        assert_gradients(function, x)
    for dtype in (np.float16, np.float32, np.float64):
        largest = float(np.finfo(dtype).max)
        with np.errstate(all="raise"):
            (slope,) = tape(function, [-largest, -50, 50, largest], dtype=dtype)
        assert_allclose(slope, 0, atol=1e-6)


def test_activations_at_zero():
    slopes = [tape(activation, [0.0])[0].tolist() for activation in ACTIVATIONS.values()]
    assert slopes == [[0], [0.5], [0.5], [0.5]]
    assert (tape(sigmoid, [0.0])[0].tolist(), tape(tanh, [0.0])[0].tolist()) == ([0.25], [1])


# ---- softmax -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [-1, 0, 1, 2, -2])
@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_softmax(function, axis):
    assert_gradients(lambda x: function(x, axis), X)
    assert_gradients(lambda x: function(x, axis=axis), 5 * X)


def test_softmax_equals_its_composition():
    """A second oracle: the same gradients from exp, sum and divide, without the fused operation."""

    def composed(x):
        raised = op.exp(x - x.data.max(-1, keepdims=True))
        return raised / raised.sum(-1, keepdims=True)

    seed = normal(*X.shape, seed=3)
    assert_allclose(*(by_the_tape(f, [X], seed)[0] for f in (softmax, composed)), rtol=1e-12, atol=1e-15)
    logs = (log_softmax, lambda x: op.log(composed(x)))
    assert_allclose(*(by_the_tape(f, [X], seed)[0] for f in logs), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_hidden_scores_have_finite_zero_gradients(function):
    x = np.array([[0.3, -np.inf, 1.2], [-np.inf, -np.inf, -np.inf]])
    seed = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    with np.errstate(all="raise"):
        to_x = by_the_tape(function, [x], seed)[0]
    (wanted,) = by_differences(function, [x[0, ::2].copy()], seed[0, ::2])
    assert_allclose(to_x[0, ::2], wanted, rtol=1e-6)
    assert to_x[0, 1] == 0
    assert to_x[1].tolist() == [0, 0, 0]


def test_a_saturated_softmax_has_no_gradient_left():
    seed = normal(5)
    for scale, largest in ((1, 1), (1000, 1e-300)):
        to_x = by_the_tape(softmax, [scale * np.arange(5.0)], seed)[0]
        assert (np.abs(to_x) < largest).all()


# ---- rotation, heads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("positions", [None, [3, 1, 4], [[0], [7]], 2.5], ids=str)
def test_rotation(positions, interleaved):
    x = normal(2, 3, 14)
    about = {"positions": positions, "interleaved": interleaved, "base": 7.0}
    assert_gradients(lambda x: rotary_embedding(x, **about), x)
    to_x = by_the_tape(lambda x: rotary_embedding(x, **about), [x], rotary_embedding(x, **about))[0]
    assert_allclose(to_x, x, rtol=1e-12)  # a turn, turned back


def test_heads():
    assert_gradients(lambda x: split_heads(x, 5), normal(2, 3, 35))
    assert_gradients(lambda x: split_heads(x, num_heads=5), normal(3, 35))
    assert_gradients(merge_heads, normal(2, 5, 3, 7))
    assert_gradients(merge_heads, normal(5, 3, 7))
    (same,) = tape(lambda x: merge_heads(split_heads(x, 5)) * normal(2, 3, 35), X[:, :, :1] * np.ones(35))
    assert_array_equal(same, normal(2, 3, 35))
