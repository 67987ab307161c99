"""The tape: order, sums, depth, memory; what is said when a backward is wrong."""

import copy
import gc
import inspect
import weakref

import numpy as np
import pytest

import attention_lab as lab
from attention_lab import Tensor, differentiable, scaled_dot_product_attention, value_and_grad
from tests.differences import assert_gradients, normal


@differentiable(lambda grad, x: (3 * grad * x**2,))
def cube(x):
    """The third power."""
    return x**3, x


# ---- order and sums ---------------------------------------------------------------------------------------------


def test_a_tensor_used_twice_sums_its_gradients():
    x = Tensor(3.0)
    (x * x + x).backward()
    assert x.grad == 7
    assert_gradients(lambda a, b: (a * b) * (a + b) / (a * a + 1) - a, normal(2, 3), normal(3, seed=1))


def test_a_diamond_is_exact():
    """Each number is halved by both arms and doubled where they meet: every gradient is a power of two."""
    x = Tensor(1.0)
    top = x
    for _ in range(60):
        left, right = top * 1.0, top * 1.0
        top = left + right
    top.backward()
    assert float(top) == 2.0**60
    assert x.grad == 2.0**60


def test_arms_of_unequal_length_wait_for_each_other():
    x, calls = Tensor(2.0), []

    @differentiable(lambda grad, _: (calls.append(float(grad)), (grad,))[1])
    def watched(x):
        return x * 1, None

    middle = watched(x)
    long_way = middle
    for _ in range(10):
        long_way = long_way * 2
    (middle * 5 + long_way + middle).backward()
    assert calls == [5 + 1024 + 1]
    assert x.grad == 1030


def test_a_branch_never_writes_into_the_gradient_of_another():
    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    both = a + b
    (both.sum() + (a * 10).sum()).backward()
    assert a.grad.tolist() == [11, 11]
    assert b.grad.tolist() == [1, 1]
    assert both.grad.tolist() == [1, 1]
    b.grad[:] = 7
    assert a.grad.tolist() == [11, 11]
    assert both.grad.tolist() == [1, 1]


def test_a_second_backward_adds():
    x = Tensor([1.0, 2.0])
    y = cube(x)
    y.sum().backward()
    y.backward([1.0, 2.0])
    assert x.grad.tolist() == [3 + 3, 12 + 24]
    assert y.grad.tolist() == [2, 3]
    z = Tensor([1.0, 2.0])
    cube(z).backward([1, 0])
    assert z.grad.tolist() == [3, 0]


def test_gradients_are_arrays_in_the_dtype_of_their_tensor():
    for dtype in (np.float16, np.float32, np.float64):
        for shape in ((), (1,), (2, 3)):
            x = Tensor(np.ones(shape, dtype))
            y = cube(x) * x + x
            y.sum().backward()
            y.sum().backward()
            for tensor in (x, y):
                assert type(tensor.grad) is np.ndarray
                assert tensor.grad.dtype == dtype
                assert tensor.grad.shape == shape


def test_a_seed():
    x = Tensor(np.ones((2, 3), np.float32))
    with pytest.raises(
        ValueError, match=r"backward of shape (2, 3) needs a seed".replace("(", r"\(").replace(")", r"\)")
    ):
        cube(x).backward()
    with pytest.raises(ValueError, match=r"seed has shape \(3,\): expected \(2, 3\)"):
        cube(x).backward([1, 2, 3])
    for one in (Tensor(2.0), Tensor([2.0]), Tensor([[2.0]])):
        cube(one).backward()
        assert one.grad.tolist() == np.full(one.shape, 12).tolist()
    one.grad = None
    one.backward()
    assert one.grad == 1  # of itself


# ---- depth and memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_deep_chains(depth):
    x = Tensor([1.0, 2.0])
    y = x
    for _ in range(depth // 2):
        y = y * 1 + x
    y.sum().backward()
    assert x.grad.tolist() == [depth // 2 + 1] * 2
    repr(y)
    assert copy.deepcopy(y).data.tolist() == y.data.tolist()
    del y
    gc.collect()


def test_a_graph_goes_with_its_last_name():
    gc.disable()  # by counting references alone: nothing in it is a circle
    try:
        x = Tensor(normal(2, 3))
        y = cube(x)
        inner = weakref.ref(y)
        z = (y + x).sum()
        z.backward()
        del y, z
        assert inner() is None
    finally:
        gc.enable()


def test_plain_arrays_record_nothing():
    plain = cube(np.ones(3))
    assert type(plain) is np.ndarray
    assert plain.flags.writeable
    assert type(cube(2.0)) is float
    assert all(type(a) is np.ndarray for a in scaled_dot_product_attention(*np.ones((3, 2, 5))))


# ---- differentiable -------------------------------------------------------------------------------------------------


def test_a_function_keeps_its_name_docstring_and_signature():
    assert (cube.__name__, cube.__doc__) == ("cube", "The third power.")
    assert list(inspect.signature(cube).parameters) == ["x"]
    assert str(inspect.signature(lab.softmax)) == "(x, axis=-1)"
    assert "is_causal" in inspect.signature(scaled_dot_product_attention).parameters


def test_a_tensor_given_by_keyword_has_its_place():
    @differentiable(lambda grad, _: (grad, 2 * grad, 3 * grad))
    def weighed(a, b=10.0, c=100.0, *, sign=1):
        return a + 2 * b + 3 * c, None

    x = Tensor(1.0)
    for result, slope, value in (
        (weighed(0, c=x), 3, 23),
        (weighed(0, b=x), 2, 302),
        (weighed(c=x, a=1, sign=1), 3, 24),
        (weighed(x, c=x), 4, 24),
        (weighed(0, x, sign=-1), 2, 302),
    ):
        x.grad = None
        result.backward()
        assert (float(result), x.grad) == (value, slope)
    with pytest.raises(TypeError, match="unexpected keyword argument 'd'"):
        weighed(0, d=x)


def test_of_several_results_the_first_is_followed():
    @differentiable(lambda grad, _: (grad,))
    def parts(x):
        return (x.sum(), x.max(), "text"), None

    first, largest, text = parts(Tensor([1.0, 2.0]))
    assert isinstance(first, Tensor)
    assert (float(first), largest, text) == (3, 2, "text")


@pytest.mark.parametrize(
    ("backward", "message"),
    [
        (lambda grad, _: (), "TypeError: it must give a tuple, one gradient for each of 1 arguments, got 0"),
        (lambda grad, _: grad, "TypeError: it must give a tuple, one gradient for each of 1 arguments, got ndarray"),
        (lambda grad, _: None, "one gradient for each of 1 arguments, got NoneType"),
        (lambda grad, _: (grad[:1],), "ValueError: its gradient has shape (1,), but the argument has (2,)"),
        (lambda grad, _: (grad.sum(),), "ValueError: its gradient has shape (), but the argument has (2,)"),
        (lambda grad, _: ("text",), "failed: ValueError"),
        (lambda grad, _: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda grad: (grad,), "TypeError: "),
        (lambda grad, _: (np.multiply(grad, 2, out=grad),), "ValueError: output array is read-only"),
    ],
)
def test_an_error_in_a_backward_names_the_operation_and_the_line(backward, message):
    @differentiable(backward)
    def mine(x):
        return 2 * x, None

    x = Tensor([1.0, 2.0])
    y = mine(x) + 1  # this line
    lines, start = inspect.getsourcelines(test_an_error_in_a_backward_names_the_operation_and_the_line)
    here = start + next(i for i, line in enumerate(lines) if line.endswith("# this line\n"))
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    assert str(caught.value).startswith(f"the backward of mine, called at {__file__}:{here}, failed: ")
    assert message in str(caught.value)
    assert caught.value.__cause__ is not None


def test_a_backward_cannot_write_into_the_gradient_it_is_given():
    @differentiable(lambda grad, _: (np.multiply(grad, 2, out=grad),))
    def greedy(x):
        return 2 * x, None

    for dtype in (np.float32, np.float64):
        with pytest.raises(RuntimeError, match="the backward of greedy, called at .*read-only"):
            greedy(Tensor(np.ones(2, dtype))).backward([1, 1])


@pytest.mark.parametrize("given", [np.ones(2), (np.ones(2),), (1, 2, 3), None], ids=str)
def test_a_forward_gives_a_result_and_what_it_saved(given):
    @differentiable(lambda grad, _: (grad,))
    def forgetful(x):
        return given

    for x in (Tensor([1.0, 2.0]), np.ones(2)):
        with pytest.raises(TypeError, match="forgetful must give two things, result and saved, got"):
            forgetful(x)
    with pytest.raises(TypeError, match=r"write @differentiable\(backward\)"):
        differentiable(None)


def test_a_gradient_may_underflow():
    """To 0, as it is meant to, also where the caller has NumPy raise."""

    def tiny(x):
        return (x * 1e-200 * 1e-200).sum()

    class Model:
        parameters = ("x",)
        x = np.array([1e200])

    x = Tensor(Model.x)
    with np.errstate(all="raise"):
        tiny(x).backward()
        gradients = value_and_grad(lambda model: tiny(model.x))(Model())[1]
    assert x.grad.tolist() == gradients["x"].tolist() == [0]
