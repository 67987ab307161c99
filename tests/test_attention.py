"""The values of softmax and attention: closed forms, an oracle of loops, dtypes, scale, heads, dropout."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import causal_mask, log_softmax, scaled_dot_product_attention, softmax
from tests.oracle import attention_by_loops, random_inputs

FLOATS = (np.float16, np.float32, np.float64)
TOLERANCE = {np.float16: 2e-3, np.float32: 2e-6, np.float64: 1e-13}


# ---- softmax -----------------------------------------------------------------------------------------------


def test_softmax_closed_forms():
    assert_allclose(softmax([0.0, 1.0]), [1 / (1 + math.e), math.e / (1 + math.e)], rtol=1e-15)
    assert_allclose(softmax(np.log([1.0, 2.0, 5.0])), [1 / 8, 2 / 8, 5 / 8], rtol=1e-15)
    assert softmax([1e4, 1e4]).tolist() == [0.5, 0.5]
    assert softmax([7.0]).tolist() == [1.0]


def test_log_softmax_closed_forms():
    assert_allclose(log_softmax(np.log([1.0, 2.0, 5.0])), np.log([1 / 8, 2 / 8, 5 / 8]), rtol=1e-14)
    assert log_softmax([0.0, -2000.0]).tolist() == [0.0, -2000.0]
    assert log_softmax([-np.inf, -np.inf]).tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize("axis", [-3, -2, -1, 0, 1, 2])
def test_axis_is_the_one_that_sums_to_one(function, axis):
    x = np.random.default_rng(0).standard_normal((3, 5, 7))
    weights = function(x, axis) if function is softmax else np.exp(function(x, axis))
    assert_allclose(weights.sum(axis), 1, rtol=1e-14)
    assert_allclose(weights, np.exp(x) / np.exp(x).sum(axis, keepdims=True), rtol=1e-13)


def test_row_of_minus_infinity_has_zero_weights_and_others_stay():
    weights = softmax([[-np.inf, -np.inf, -np.inf], [-np.inf, 0.0, 0.0]])
    assert weights.tolist() == [[0, 0, 0], [0, 0.5, 0.5]]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_largest_and_smallest_numbers_of_a_dtype_neither_warn_nor_break(function, dtype):
    largest = np.finfo(dtype).max
    result = function(np.array([[-largest, largest], [largest, largest], [-largest, -largest]], dtype))
    assert result.dtype == dtype
    expected = np.array([[0, 1], [0.5, 0.5], [0.5, 0.5]])
    assert_allclose(result if function is softmax else np.exp(result), expected, atol=1e-3)


def test_float16_is_summed_in_float32():
    assert_allclose(softmax(np.zeros(4096, np.float16)).astype(float), 1 / 4096, rtol=1e-12)
    assert_allclose(log_softmax(np.zeros(5000, np.float16)).astype(float), -math.log(5000), rtol=1e-3)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_empty_scores_stay_empty(shape):
    assert softmax(np.ones(shape)).shape == log_softmax(np.ones(shape)).shape == shape


# ---- attention: closed forms and the shapes of the source labs ---------------------------------------------


def test_closed_form_two_keys():
    value = np.array([[10.0, 0.0], [0.0, 10.0]])
    output, weights = scaled_dot_product_attention([[0.0, math.sqrt(2)]], np.eye(2), value)
    expected = np.array([[1, math.e]]) / (1 + math.e)
    assert_allclose(weights, expected, rtol=1e-15)
    assert_allclose(output, 10 * expected, rtol=1e-15)


def test_equal_keys_give_the_mean_of_the_values():
    value = np.arange(21.0).reshape(7, 3)
    output, weights = scaled_dot_product_attention(np.ones((5, 2)), np.ones((7, 2)), value)
    assert_allclose(weights, 1 / 7, rtol=1e-15)
    assert_allclose(output, np.tile(value.mean(0), (5, 1)), rtol=1e-14)


@pytest.mark.parametrize(
    ("query", "key", "value"),
    [
        ((4, 8), (6, 8), (6, 10)),
        ((2, 5, 8), (2, 5, 8), (2, 5, 8)),
        ((2, 5, 11), (2, 7, 11), (2, 7, 13)),
        ((10, 64),) * 3,
    ],
    ids=["A1", "B1", "C2", "D1"],
)
def test_shapes_of_the_source_labs(query, key, value):
    rng = np.random.default_rng(42)
    query, key, value = (rng.standard_normal(shape) for shape in (query, key, value))
    output, weights = scaled_dot_product_attention(query, key, value)
    assert output.shape == (*query.shape[:-1], value.shape[-1])
    assert weights.shape == (*query.shape[:-1], key.shape[-2])
    assert_allclose(weights.sum(-1), 1, rtol=1e-14)
    assert_array_equal(output, weights @ value)


def test_items_of_a_batch_do_not_read_each_other():  # B1
    x = np.random.default_rng(0).standard_normal((2, 5, 8))
    together = scaled_dot_product_attention(x, x, x)
    for item in range(2):
        alone = scaled_dot_product_attention(x[item], x[item], x[item])
        assert_allclose(together[0][item], alone[0], rtol=1e-14)
        assert_allclose(together[1][item], alone[1], rtol=1e-14)


@pytest.mark.parametrize("zero", [0, 0.0, np.float32(0)])
def test_a_scale_of_zero_is_a_scale(zero):
    assert_allclose(scaled_dot_product_attention(*random_inputs(), scale=zero)[1], 1 / 7, rtol=1e-15)


def test_scores_have_unit_variance():
    query, key, _ = random_inputs(n_q=211, n_k=223, d_k=97)
    weights = scaled_dot_product_attention(query, key, key)[1]
    assert np.log(weights).std(-1).mean() == pytest.approx(1, abs=0.05)


# ---- attention: the oracle ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n_q", [5, 7, 17])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("kind", [None, "boolean", "bias"])
@pytest.mark.parametrize("options", [{}, {"scale": 0.3}, {"scale": -2}, {"softcap": 1.7}, {"scale": 2, "softcap": 1}])
def test_equals_the_oracle(n_q, is_causal, kind, options):
    query, key, value = random_inputs(n_q=n_q)
    rng = np.random.default_rng(1)
    shape = (*query.shape[:-1], key.shape[-2])
    mask = {None: None, "boolean": rng.random(shape) < 0.6, "bias": rng.standard_normal(shape)}[kind]
    got = scaled_dot_product_attention(query, key, value, mask, is_causal=is_causal, **options)
    expected = attention_by_loops(query, key, value, mask, is_causal=is_causal, **options)
    for name, ours, theirs in zip(("output", "weights"), got, expected):
        assert_allclose(ours, theirs, rtol=1e-11, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("dtype", FLOATS)
def test_dtype_is_kept_and_right(dtype):
    query, key, value = random_inputs(dtype=dtype)
    output, weights = scaled_dot_product_attention(query, key, value, is_causal=True)
    assert output.dtype == weights.dtype == dtype
    expected = attention_by_loops(query, key, value, is_causal=True)
    assert_allclose(output, expected[0], atol=TOLERANCE[dtype])
    assert_allclose(weights, expected[1], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("option", [{"scale": np.float64(0.5)}, {"softcap": np.float64(2)}, {"mask": np.zeros((5, 7))}])
def test_a_float64_option_does_not_widen_the_result(dtype, option):
    output, weights = scaled_dot_product_attention(*random_inputs(dtype=dtype), **option)
    assert output.dtype == weights.dtype == dtype


@pytest.mark.parametrize("kind", [int, bool, np.uint8, list])
def test_integers_booleans_and_lists_become_float64(kind):
    arrays = [np.abs(a[0, 0] * 3).astype(int) for a in random_inputs()]
    given = [a.tolist() if kind is list else a.astype(kind) for a in arrays]
    wanted = scaled_dot_product_attention(*(np.array(a, float) for a in given))
    for ours, theirs in zip(scaled_dot_product_attention(*given), wanted):
        assert ours.dtype == np.float64
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", FLOATS)
def test_huge_scores(dtype):
    big = np.sqrt(np.finfo(np.promote_types(dtype, np.float32)).max).astype(np.float64) / 10
    big = min(big, float(np.finfo(dtype).max))
    query = np.array([[big], [-big], [0]], dtype)
    key = np.array([[big], [-big]], dtype)
    output, weights = scaled_dot_product_attention(query, key, np.array([[3], [5]], dtype))
    assert weights.tolist() == [[1, 0], [0, 1], [0.5, 0.5]]
    assert output.tolist() == [[3], [5], [4]]


# ---- leading axes, layouts, heads --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "key", "value"),
    [
        ((), (3,), (3,)),
        ((3,), (), ()),
        ((2, 1), (3,), (2, 3)),
        ((), (), (2, 3)),
        ((2, 3), (1, 3), (2, 1)),
        ((0, 3), (3,), ()),
    ],
)
def test_leading_axes_broadcast(query, key, value):
    rng = np.random.default_rng(0)
    query, key, value = rng.random((*query, 5, 11)), rng.random((*key, 7, 11)), rng.random((*value, 7, 13))
    output, weights = scaled_dot_product_attention(query, key, value)
    leading = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    full = [np.broadcast_to(array, (*leading, *array.shape[-2:])) for array in (query, key, value)]
    wanted_output, wanted_weights = scaled_dot_product_attention(*full)
    assert_allclose(output, wanted_output, rtol=1e-14)
    assert_allclose(np.broadcast_to(weights, wanted_weights.shape), wanted_weights, rtol=1e-14)


@pytest.mark.parametrize("layout", ["fortran", "strided", "reversed", "read-only", "big-endian"])
def test_memory_layout_does_not_matter_and_input_is_left_alone(layout):
    arrays = random_inputs()
    change = {
        "fortran": np.asfortranarray,
        "strided": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
        "reversed": lambda a: a[..., ::-1].copy()[..., ::-1],
        "read-only": np.copy,
        "big-endian": lambda a: a.astype(">f8"),
    }[layout]
    given = [change(a) for a in arrays]
    mask = change(np.random.default_rng(0).standard_normal((5, 7)))
    before = [a.copy() for a in (*given, mask)]
    for a in (*given, mask):
        a.flags.writeable = False
    got = scaled_dot_product_attention(*given, mask, is_causal=True)
    for ours, theirs in zip(got, scaled_dot_product_attention(*arrays, before[-1], is_causal=True)):
        assert_allclose(ours, theirs, rtol=1e-13, atol=1e-15)
    for now, then in zip((*given, mask), before):
        assert_array_equal(now, then)


@pytest.mark.parametrize("function", [softmax, log_softmax])
@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_leaves_its_input_alone(function, dtype):
    x = np.array([[1, 2, 3]], dtype)
    function(x)
    assert x.tolist() == [[1, 2, 3]]


@pytest.mark.parametrize(("heads", "kv_heads"), [(6, 2), (6, 3), (6, 1), (6, 6)])
def test_grouped_heads_equal_full_heads_with_copied_keys(heads, kv_heads):
    query, key, value = random_inputs(heads=heads, kv_heads=kv_heads)
    got = scaled_dot_product_attention(query, key, value, causal_mask(5, 7), enable_gqa=True)
    copies = [np.stack([a[:, h * kv_heads // heads] for h in range(heads)], axis=1) for a in (key, value)]
    for ours, full, loops in zip(
        got,
        scaled_dot_product_attention(query, *copies, causal_mask(5, 7)),
        attention_by_loops(query, key, value, is_causal=True),
    ):
        assert_array_equal(ours, full)
        assert_allclose(ours, loops, rtol=1e-12, atol=1e-15)


# ---- dropout -----------------------------------------------------------------------------------------------


def test_without_a_generator_nothing_is_dropped():
    arrays = random_inputs()
    plain = scaled_dot_product_attention(*arrays)
    for options in ({"dropout": 0.5}, {"rng": np.random.default_rng(0)}):
        for ours, theirs in zip(scaled_dot_product_attention(*arrays, **options), plain):
            assert_array_equal(ours, theirs)


def test_dropout_mixes_what_it_returns_and_keeps_the_mean():
    query, key, value = random_inputs(batch=41, n_q=43, n_k=47)
    plain = scaled_dot_product_attention(query, key, value)[1]
    output, weights = scaled_dot_product_attention(query, key, value, dropout=0.3, rng=np.random.default_rng(0))
    assert_array_equal(output, weights @ value)
    assert (weights == 0).mean() == pytest.approx(0.3, abs=0.005)
    assert weights.sum(-1).mean() == pytest.approx(1, abs=0.01)
    assert_allclose(weights[weights > 0], (plain / 0.7)[weights > 0], rtol=1e-12)


def test_dropout_draws_from_its_generator_alone():
    arrays = random_inputs(dtype=np.float32)
    state = np.random.get_state()[1].copy()  # noqa: NPY002 - that it is left alone is tested
    first, again, other = (
        scaled_dot_product_attention(*arrays, dropout=0.5, rng=np.random.default_rng(seed))[1] for seed in (1, 1, 2)
    )
    assert first.dtype == np.float32
    assert_array_equal(first, again)
    assert (first != other).any()
    assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_user_settings_of_floating_point_errors_do_not_reach_inside():
    arrays = [a * 30 for a in random_inputs()]
    with np.errstate(all="raise"):
        scaled_dot_product_attention(*arrays, is_causal=True)
        log_softmax([0.0, -2000.0])
        softmax([0.0, -2000.0])
    assert np.geterr()["over"] == "warn"
