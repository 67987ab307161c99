"""The formulas of layers: closed forms, loops over single numbers, dtypes, extremes."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab.activations import gelu, relu, sigmoid, silu, tanh
from attention_lab.functional import UNDRAWN, dropout, embedding, initial, layer_norm, linear, rms_norm

FLOATS = (np.float16, np.float32, np.float64)
ACTIVATIONS = {"relu": relu, "gelu": gelu, "gelu_tanh": lambda x: gelu(x, approximate=True), "silu": silu}
W = np.random.default_rng(1).standard_normal((5, 7)).astype(np.float32)
GAIN, BIAS = np.random.default_rng(2).standard_normal((2, 5)).astype(np.float32)
FUNCTIONS = ACTIVATIONS | {
    "sigmoid": sigmoid,
    "tanh": tanh,
    "linear": lambda x: linear(x, W, W[0]),
    "layer_norm": lambda x: layer_norm(x, GAIN, BIAS),
    "rms_norm": lambda x: rms_norm(x, GAIN),
    "dropout": lambda x: dropout(x, 0.5, np.random.default_rng(0)),
}
TOLERANCE = {np.float16: 5e-3, np.float32: 2e-6, np.float64: 1e-14}


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


# ---- linear, embedding ----------------------------------------------------------------------------------------


def test_linear_by_loops():
    x, weight, bias = normal(2, 3, 5), normal(5, 7, seed=1), normal(7, seed=2)
    got = linear(x, weight, bias)
    for b, i, j in np.ndindex(got.shape):
        assert got[b, i, j] == pytest.approx(sum(x[b, i, f] * weight[f, j] for f in range(5)) + bias[j], abs=1e-13)
    assert_allclose(linear(x, weight), got - bias, rtol=1e-12, atol=1e-14)
    assert_allclose(linear(x[0, 0], weight, bias), got[0, 0], rtol=1e-12)


def test_the_bias_is_left_alone():
    bias = np.ones(7)
    linear(normal(3, 5), W, bias)
    assert bias.tolist() == [1] * 7


@pytest.mark.parametrize("ids", [3, [3], [[0, 6], [6, 1]], np.zeros((2, 0), int), np.uint8([[[6]]])])
def test_embedding_gives_the_row_of_each_id(ids):
    table = normal(7, 5).astype(np.float16)
    got = embedding(ids, table)
    assert got.shape == (*np.shape(ids), 5)
    assert got.dtype == np.float16
    for place in np.ndindex(np.shape(ids)):
        assert_array_equal(got[place], table[int(np.asarray(ids)[place])])
    assert not np.shares_memory(got, table)


# ---- norms ----------------------------------------------------------------------------------------------------


def test_layer_norm_of_four_numbers():
    x = [0.0, 0.0, 0.0, 4.0]  # mean 1, variance (1 + 1 + 1 + 9) / 4 = 3, and √(3 + 1) = 2
    assert layer_norm(x, np.ones(4), np.zeros(4), eps=1.0).tolist() == [-0.5, -0.5, -0.5, 1.5]
    assert layer_norm(x, [2.0, 4.0, 6.0, 8.0], [1.0, 2.0, 3.0, 4.0], eps=1.0).tolist() == [0, 0, 0, 16]
    assert_allclose(layer_norm(x, np.ones(4), np.zeros(4)), np.array([-1, -1, -1, 3]) / math.sqrt(3 + 1e-5), rtol=1e-15)


def test_rms_norm_of_four_numbers():
    x = [2.0, 0.0, 0.0, 2.0]  # mean square 2, and √(2 + 2) = 2; the mean of 1 stays
    assert rms_norm(x, np.ones(4), eps=2.0).tolist() == [1, 0, 0, 1]
    assert rms_norm(x, [1.0, 2.0, 3.0, 4.0], eps=2.0).tolist() == [1, 0, 0, 4]
    assert_allclose(rms_norm(x, np.ones(4)), np.array([2, 0, 0, 2]) / math.sqrt(2 + 1e-6), rtol=1e-15)


def test_layer_norm_undoes_a_shift_and_a_scale_and_rms_norm_a_scale_alone():
    x = normal(3, 5)
    for norm, shift in ((lambda x: layer_norm(x, GAIN, BIAS, 0.0), 7), (lambda x: rms_norm(x, GAIN, 0.0), 0)):
        assert_allclose(norm(3 * x + shift), norm(x), rtol=1e-9, atol=1e-12)
    assert not np.allclose(rms_norm(x + 7, GAIN), rms_norm(x, GAIN))


@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
def test_a_position_is_normed_by_itself(norm):
    x = normal(2, 3, 5)
    other = x.copy()
    other[1, 2] *= 100
    apart, together = FUNCTIONS[norm](x), FUNCTIONS[norm](other)
    assert_array_equal(apart[0], together[0])
    assert_array_equal(apart[1, :2], together[1, :2])
    assert_allclose(FUNCTIONS[norm](x[1, 2]), apart[1, 2], rtol=1e-14)


def test_equal_features_are_normed_to_the_bias():
    assert layer_norm(np.full((2, 5), 3.0), GAIN, BIAS).tolist() == [BIAS.tolist()] * 2
    assert rms_norm(np.zeros((2, 5)), GAIN).tolist() == [[0] * 5] * 2


# ---- activations ----------------------------------------------------------------------------------------------

NUMBERS = np.linspace(-9, 9, 145)
BY_LOOPS = {
    "relu": lambda x: x if x > 0 else 0.0,
    "gelu": lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2,
    "silu": lambda x: x / (1 + math.exp(-x)),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_number_by_number(name):
    wanted = [BY_LOOPS[name](float(x)) for x in NUMBERS]
    assert_allclose(ACTIVATIONS[name](NUMBERS), wanted, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_two_halves_of_an_activation_differ_by_x(name):
    function = ACTIVATIONS[name]
    assert_allclose(function(NUMBERS) - function(-NUMBERS), NUMBERS, atol=1e-14)
    assert function(0.0) == 0


def test_gelu_is_as_exact_as_float32_can_be():
    near = np.linspace(-40, 40, 64_001).astype(np.float32)
    exact = [x * math.erfc(-x / math.sqrt(2)) / 2 for x in near.tolist()]
    assert_allclose(gelu(near), exact, rtol=1.5e-7, atol=6e-7)
    far = np.float32([-3e38, -1e20, -1e5, 1e5, 1e20, 3e38])
    assert_array_equal(gelu(far), np.maximum(far, 0))


def test_the_approximation_of_gelu_is_close_but_not_the_same():
    apart = np.abs(gelu(NUMBERS, approximate=True) - gelu(NUMBERS)).max()
    assert 1e-4 < apart < 5e-4


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_largest_and_smallest_numbers_of_a_dtype_neither_warn_nor_break(name, dtype):
    largest = np.finfo(dtype).max
    got = ACTIVATIONS[name](np.array([largest, -largest, np.finfo(dtype).tiny], dtype))
    assert got.dtype == dtype
    assert_allclose(got[:2].astype(float), [float(largest), 0], rtol=1e-3)
    assert 0 <= got[2] <= np.finfo(dtype).tiny


BOUNDED = {"sigmoid": (sigmoid, lambda x: 1 / (1 + math.exp(-x)), 0), "tanh": (tanh, math.tanh, -1)}


@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_activations_number_by_number(name):
    function, by_loops, lowest = BOUNDED[name]
    assert_allclose(function(NUMBERS), [by_loops(float(x)) for x in NUMBERS], rtol=1e-13)
    assert_allclose(function(NUMBERS) + function(-NUMBERS), 1 + lowest, atol=1e-15)
    assert_allclose(tanh(NUMBERS), 2 * sigmoid(2 * NUMBERS) - 1, atol=1e-15)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_activations_reach_their_bounds_far_out(name, dtype):
    function, _, lowest = BOUNDED[name]
    largest = np.finfo(dtype).max
    with np.errstate(all="raise"):
        got = function(np.array([-np.inf, -largest, -1000, 1000, largest, np.inf], dtype))
    assert got.dtype == dtype
    assert got.tolist() == [lowest] * 3 + [1] * 3


# ---- dropout, initial -------------------------------------------------------------------------------------------


def test_dropout_keeps_the_mean_and_drops_number_by_number():
    dropped = dropout(np.ones((401, 503)), 0.3, np.random.default_rng(0))
    assert set(np.unique(dropped)) == {0, 1 / 0.7}
    assert (dropped == 0).mean() == pytest.approx(0.3, abs=0.005)
    assert dropped.mean() == pytest.approx(1, abs=0.01)
    for axis in (0, 1):
        assert 0.1 < (dropped == 0).mean(axis).min() < (dropped == 0).mean(axis).max() < 0.5


def test_dropout_draws_from_its_generator_alone():
    x = normal(11, 13)
    assert_array_equal(dropout(x, 0.5), x)
    assert_array_equal(dropout(x, 0.0, np.random.default_rng(0)), x)
    first, again, other = (dropout(x, 0.5, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert (first != other).any()
    state = np.random.default_rng(3)
    dropout(x, 0.0, state)
    assert state.random() == np.random.default_rng(3).random()


def test_initial_parameters_are_the_same_numbers_in_every_dtype():
    exact = initial(np.random.default_rng(0), (211, 101), 0.3, np.float64)
    assert exact.std() == pytest.approx(0.3, rel=0.02)
    assert abs(exact.mean()) < 0.01
    for dtype in FLOATS:
        assert_array_equal(initial(np.random.default_rng(0), (211, 101), 0.3, dtype), exact.astype(dtype))
    assert (initial(None, (3, 5), 1, np.float32) != initial(None, (3, 5), 1, np.float32)).any()


# ---- every function ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_dtype_is_kept_and_the_value_is_that_of_float64(name, dtype):
    x = normal(2, 3, 5).astype(dtype)
    got, wanted = FUNCTIONS[name](x), FUNCTIONS[name](x.astype(np.float64))
    assert got.dtype == dtype
    assert_allclose(got.astype(np.float64), wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_whole_numbers_and_lists_become_float64(name):
    x = np.arange(-5, 5).reshape(2, 5)
    for given in (x, x.tolist(), x.astype(np.int8)):
        got = FUNCTIONS[name](given)
        assert got.dtype == np.float64
        assert_array_equal(got, FUNCTIONS[name](x.astype(float)))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "big-endian"])
def test_memory_layout_does_not_matter_and_input_is_left_alone(name, layout):
    x = normal(2, 3, 5)
    change = {
        "fortran": np.asfortranarray,
        "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
        "reversed": lambda a: a[..., ::-1].copy()[..., ::-1],
        "big-endian": lambda a: a.astype(">f8"),
    }[layout]
    given = change(x)
    given.flags.writeable = False
    assert_allclose(FUNCTIONS[name](given), FUNCTIONS[name](x), rtol=1e-13, atol=1e-14)
    assert_array_equal(given, x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_empty_batch_stays_empty(name):
    for shape in ((0, 5), (2, 0, 5), (0, 3, 5)):
        assert FUNCTIONS[name](np.ones(shape)).shape == (*shape[:-1], 7 if name == "linear" else 5)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_user_settings_of_floating_point_errors_do_not_reach_inside(name, dtype):
    smallest = np.full((2, 5), np.finfo(dtype).smallest_subnormal)
    with np.errstate(all="raise"):
        FUNCTIONS[name](smallest)
        FUNCTIONS[name](np.full((2, 5), -200, dtype))


def test_a_parameter_that_is_about_to_be_loaded_is_not_drawn():
    array = initial(UNDRAWN, (30_000, 30_000), 1.0, np.float16)  # 1.8 GB, were it touched
    assert array.shape == (30_000, 30_000)
    assert array.dtype == np.float16
    with pytest.raises(TypeError, match="dtype must be a floating dtype"):
        initial(UNDRAWN, (2, 3), 1.0, int)
