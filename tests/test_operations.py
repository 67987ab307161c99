"""What can be done with a Tensor: each operation against central differences, beside arrays, lists and numbers."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import Tensor
from attention_lab import operations as op
from tests.differences import assert_gradients, normal

A, B = normal(2, 3, 5), normal(2, 3, 5, seed=1)
POSITIVE = np.abs(A) + 0.5


def gradient(function, x, dtype=np.float64):
    x = Tensor(np.asarray(x, dtype))
    function(x).sum().backward()
    return x.grad


# ---- arithmetic -------------------------------------------------------------------------------------------------

PAIRS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / (b * b + 1),
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(
    "shape", [(2, 3, 5), (3, 5), (5,), (), (1,), (1, 1, 1), (2, 1, 5), (3, 1), (7, 2, 3, 5)], ids=str
)
def test_pairs_sum_over_what_was_broadcast(pair, shape):
    assert_gradients(PAIRS[pair], A, normal(*shape, seed=1))
    assert_gradients(PAIRS[pair], normal(*shape, seed=1), A)


def test_both_sides_are_broadcast():
    for pair in PAIRS.values():
        assert_gradients(pair, normal(2, 1, 5), normal(3, 1, seed=1))


@pytest.mark.parametrize("pair", PAIRS)
def test_a_tensor_beside_an_array_or_a_number(pair):
    x, function = normal(3), PAIRS[pair]
    for other in (normal(3, seed=1), 2, 0.5, np.float64(3), np.float32(3), np.arange(3)):
        for got, want in (
            (function(Tensor(x), other), function(x, other)),
            (function(other, Tensor(x)), function(other, x)),
        ):
            assert isinstance(got, Tensor)
            assert_array_equal(got.data, want)


@pytest.mark.parametrize("other", [[1.0, 2.0, 4.0], (1, 2, 4), np.array([1.0, 2.0, 4.0]), np.array([1, 2, 4])])
def test_lists_have_backwards_too(other):
    x = normal(3)
    plain = np.array([1.0, 2.0, 4.0])
    assert_array_equal(gradient(lambda x: other + x, x), [1, 1, 1])
    assert_array_equal(gradient(lambda x: other - x, x), [-1, -1, -1])
    assert_array_equal(gradient(lambda x: other * x, x), plain)
    assert_array_equal(gradient(lambda x: x / other, x), 1 / plain)
    assert_allclose(gradient(lambda x: other / x, x), -plain / x**2)
    assert_allclose(gradient(lambda x: x**other, x), plain * x ** (plain - 1))
    assert_array_equal(gradient(lambda x: other @ x, x), plain)
    assert_array_equal(gradient(lambda x: x @ other, x), plain)


def test_numbers_keep_float32_as_they_do_in_numpy():
    x = Tensor(np.ones(3, np.float32))
    for result in (
        x + 1,
        2 * x,
        x / 3,
        1 - x,
        x**2,
        -x,
        x.mean(),
        x.sum(),
        x * 0.5,
        op.exp(x),
        op.where([1, 0, 1], x, 0),
    ):
        assert result.dtype == np.float32
    wide = np.float64(2) * x
    assert wide.dtype == (np.ones(3, np.float32) * np.float64(2)).dtype
    wide.sum().backward()
    assert x.grad.dtype == np.float32


@pytest.mark.parametrize("exponent", [2, 3, -1, 0.5, 1, 0, np.array([1, 2, 3, 0, -2])])
def test_powers(exponent):
    assert_gradients(lambda a: a**exponent, POSITIVE)


def test_powers_at_zero():
    assert gradient(lambda x: x**0, [0.0, 2.0]).tolist() == [0, 0]
    assert gradient(lambda x: x**1, [0.0, 2.0]).tolist() == [1, 1]
    assert gradient(lambda x: x**2, [0.0, 2.0]).tolist() == [0, 4]
    assert gradient(lambda x: x**0.5, [0.0, 4.0]).tolist() == [math.inf, 0.25]


def test_an_exponent_has_no_gradient_and_says_so():
    for attempt in (lambda x: 2**x, lambda x: x**x, lambda x: np.float64(2) ** x, lambda x: np.ones(3) ** x):
        with pytest.raises(TypeError, match="power has no gradient for its exponent"):
            attempt(Tensor(np.ones(3)))


def test_exp_log_where_and_the_sign():
    assert_gradients(op.exp, A)
    assert_gradients(op.log, POSITIVE)
    assert_gradients(lambda a: -a, A)
    assert_gradients(lambda a, b: op.where(A > 0, a, b), A, B)
    assert_gradients(lambda a, b: op.where(A > 0, a, b), normal(5), normal(3, 1))
    assert gradient(lambda x: op.where([True, False], x, 0), [3.0, 4.0]).tolist() == [1, 0]
    assert gradient(lambda x: op.where([True, False], 0, x), [3.0, 4.0]).tolist() == [0, 1]


# ---- matmul -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 5), (5, 7)),
        ((2, 3, 5), (5, 7)),
        ((3, 5), (2, 5, 7)),
        ((2, 3, 5), (2, 5, 7)),
        ((2, 1, 3, 5), (11, 5, 7)),
        ((5,), (5,)),
        ((5,), (5, 7)),
        ((3, 5), (5,)),
        ((5,), (2, 5, 7)),
        ((2, 3, 5), (5,)),
        ((1, 5), (5, 1)),
    ],
    ids=str,
)
def test_matmul(a, b):
    a, b = normal(*a), normal(*b, seed=1)
    assert_gradients(lambda a, b: a @ b, a, b)
    assert_gradients(lambda x: x @ b, a)
    assert_gradients(lambda x: a @ x, b)


# ---- sums, shapes -----------------------------------------------------------------------------------------------

AXES = [None, 0, 1, -1, (0, 1), (-1, 0), (0, 1, 2), ()]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
def test_sum_and_mean(axis, keepdims):
    for name in ("sum", "mean"):
        result = getattr(Tensor(A), name)(axis=axis, keepdims=keepdims)
        assert_allclose(result.data, getattr(A, name)(axis=axis, keepdims=keepdims))
        assert_gradients(lambda a, name=name: getattr(a, name)(axis=axis, keepdims=keepdims), A)


def test_a_mean_of_float16_does_not_overflow():
    x = Tensor(np.full(100_000, 8, np.float16))
    assert float(x.mean()) == 8
    x = Tensor(np.zeros(2, np.float16))
    (x + np.zeros((5000, 2), np.float16)).sum(-1).backward(np.ones(5000))
    assert x.grad.tolist() == [5000, 5000]  # ones added up in float16 would stop at 2048


def test_shapes():
    assert_gradients(lambda a: a.reshape(5, 6), A)
    assert_gradients(lambda a: a.reshape((3, -1)), A)
    assert_gradients(lambda a: a.reshape(-1), A)
    assert_gradients(lambda a: a.swapaxes(0, -1), A)
    assert_gradients(lambda a: a.T, A)
    assert_gradients(lambda a: a.transpose(2, 0, 1), A)
    assert_gradients(lambda a: a.transpose(-2, -1, -3), A)
    assert_gradients(lambda a: a.transpose((1, 2, 0)), A)
    assert Tensor(A).transpose(-2, -1, -3).shape == (3, 5, 2)
    assert Tensor(A).T.shape == (5, 3, 2)
    assert gradient(lambda x: x.T, 3.0) == 1
    for attempt in (
        lambda a: a.transpose(3, 0, 1),
        lambda a: a.swapaxes(0, 3),
        lambda a: a.reshape(7),
        lambda a: a.sum(3),
    ):
        with pytest.raises(ValueError, match="out of bounds|reshape"):
            attempt(Tensor(A))


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -2, -4])
def test_stack(axis):
    arrays = A, B, normal(2, 3, 5, seed=2)
    assert_array_equal(op.stack(*arrays, axis=axis), np.stack(arrays, axis))
    assert_array_equal(op.stack(*map(Tensor, arrays), axis=axis).data, np.stack(arrays, axis))
    assert_gradients(lambda *arrays: op.stack(*arrays, axis=axis), *arrays)
    assert_gradients(lambda b: op.stack(A, b, A, axis=axis), B)  # beside plain arrays
    assert_gradients(lambda a, b: op.stack(a, b, a, axis=axis), A, B)  # one twice: its gradients add
    assert_gradients(lambda a: op.stack(a, axis=axis), A)


def test_stack_of_numbers_and_of_what_does_not_fit():
    assert_gradients(op.stack, np.array(2.0), np.array(3.0))
    assert_gradients(lambda *pair: op.stack(*pair, axis=-1), np.zeros((2, 0)), np.zeros((2, 0)))
    with pytest.raises(ValueError, match="same shape"):
        op.stack(Tensor(A), Tensor(A[:1]))


def test_astype_goes_back_to_the_dtype_it_came_from():
    x = Tensor(np.ones(3, np.float32))
    y = x.astype(np.float64)
    assert y.dtype == np.float64
    (y * np.pi).sum().backward()
    assert x.grad.dtype == np.float32
    with pytest.raises(TypeError, match="astype gives int64, and only floats have a gradient"):
        x.astype(np.int64)


INDICES = {
    "a number": 1,
    "from the end": -1,
    "a slice": slice(1, None),
    "steps": (slice(None), slice(None, None, 2)),
    "backwards": (slice(None, None, -1), slice(None), slice(None, None, -2)),
    "an ellipsis": (..., 2),
    "a new axis": (None, slice(None), None, 1),
    "booleans": A > 0,
    "booleans of an axis": (slice(None), np.array([True, False, True])),
    "repeated numbers": [0, 1, 1, 0, 1],
    "two lists": (np.array([0, 1, 1, 1]), np.array([2, 0, 0, 0])),
    "an array of numbers": (slice(None), np.array([[0, 2], [2, 2]])),
    "lists around a slice": ([0, 0], slice(None), [1, 1]),
    "everything": (),
    "nothing": slice(0, 0),
    "no numbers": np.zeros(0, int),
    "one entry": (1, 2, 3),
}


@pytest.mark.parametrize("index", INDICES)
def test_indexing(index):
    index = INDICES[index]
    assert_array_equal(Tensor(A)[index].data, A[index])
    assert_gradients(lambda a: a[index], A)


def test_views_share_memory_until_they_are_written_to():
    x = Tensor(A.copy())
    view = x[1]
    assert np.shares_memory(view.data, x.data)
    with pytest.raises(ValueError, match="read-only"):
        view.data[:] = 0


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 5)], ids=str)
def test_arrays_without_entries(shape):
    x = normal(*shape)
    for function in (*PAIRS.values(), lambda a, b: op.where(x > 0, a, b)):
        assert_gradients(function, x, x)
    for function in (
        op.exp,
        lambda a: a.sum(-1),
        lambda a: a.T,
        lambda a: a[..., :1],
        lambda a: a.sum(),
        lambda a: a**2,
    ):
        assert_gradients(function, x)
    assert gradient(lambda a: a + x, np.ones(x.shape[-1:])).tolist() == [0] * x.shape[-1]
    assert_gradients(lambda a, b: a @ b, normal(*shape, 2), normal(2, 3))


def test_a_mean_over_an_axis_beside_an_empty_one():
    assert Tensor(np.zeros((0, 3))).mean(1).shape == (0,)
    assert_gradients(lambda a: a.mean(1), np.zeros((0, 3)))


# ---- comparisons ------------------------------------------------------------------------------------------------


def test_comparisons_give_plain_booleans():
    x, data = Tensor([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    for other in (2, np.array([3.0, 2.0, 1.0]), Tensor([3.0, 2.0, 1.0])):
        plain = other.data if isinstance(other, Tensor) else other
        for got, want in (
            (x < other, data < plain),
            (x <= other, data <= plain),
            (x > other, data > plain),
            (x >= other, data >= plain),
            (x == other, data == plain),
            (x != other, data != plain),
            (other < x, plain < data),
            (other == x, plain == data),
        ):
            assert type(got) is np.ndarray
            assert_array_equal(got, want)
    assert gradient(lambda x: op.where(x > 0, x, 0), [-1.0, 2.0]).tolist() == [0, 1]
