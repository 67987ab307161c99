"""What a Tensor is, and is not: a number, a sequence, a copy, a neighbour of NumPy's arrays."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import attention_lab as lab
from attention_lab import Tensor, scaled_dot_product_attention
from attention_lab import operations as op
from tests.differences import normal

# ---- what a Tensor is ---------------------------------------------------------------------------------------------


def test_its_data():
    data = normal(2, 3)
    assert Tensor(data).data is data
    assert Tensor([1, 2]).dtype == np.float64
    assert Tensor([True]).dtype == np.float64
    assert Tensor(np.ones(2, np.float16)).dtype == np.float16
    x = Tensor(data)
    assert (x.shape, x.ndim, x.size, len(x), x.T.shape) == ((2, 3), 2, 6, 2, (3, 2))
    assert repr(Tensor([1.0, 2.0])) == "Tensor(array([1., 2.]))"
    for wrong in ("text", [1j], [None], None, {}):
        with pytest.raises(TypeError, match="data must hold real numbers"):
            Tensor(wrong)
    with pytest.raises(ValueError, match="data must be an array: its rows have different lengths"):
        Tensor([[1.0], [1.0, 2.0]])
    with pytest.raises(TypeError, match="a Tensor is not an array"):
        Tensor(Tensor(1.0))


def test_as_a_number_a_truth_and_a_sequence():
    for one in (Tensor(2.5), Tensor([2.5]), Tensor([[2.5]]), Tensor(np.float16(2.5))):
        assert float(one) == 2.5
        assert type(float(one)) is float
        assert one
    assert not Tensor([0.0])
    for several in (float, bool):
        with pytest.raises(ValueError, match="size 1|ambiguous"):
            several(Tensor([1.0, 2.0]))
    x = Tensor(normal(2, 3))
    rows = list(x)
    assert [row.shape for row in rows] == [(3,), (3,)]
    (rows[0] + 2 * rows[1]).sum().backward()
    assert x.grad.tolist() == [[1] * 3, [2] * 3]
    for scalar in (len, list):
        with pytest.raises(TypeError, match="unsized"):
            scalar(Tensor(1.0))


def test_it_is_hashed_by_itself():
    a, b = Tensor([1.0, 2.0]), Tensor([1.0, 2.0])
    assert len({a, b, a}) == 2
    assert {a: 1, b: 2}[b] == 2


def test_no_writing_in_place():
    x = Tensor([1.0, 2.0])
    y = x
    y += 1  # a new Tensor, as of a number
    assert x.data.tolist() == [1, 2]
    assert y.data.tolist() == [2, 3]
    with pytest.raises(TypeError, match="item assignment"):
        x[0] = 1
    array = np.ones(2)
    with pytest.raises(TypeError, match="np.add in place has no gradient"):
        array += x
    assert array.tolist() == [1, 1]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["copy", "deepcopy", "pickle"]
)
def test_a_copy_is_a_new_leaf(copied):
    x = Tensor([1.0, 2.0])
    y = copied(x**3)
    assert type(y) is Tensor
    assert y.data.tolist() == [1, 8]
    y.sum().backward()
    assert x.grad is None
    twin = copied(x)
    (x * twin * x).sum().backward()
    assert x.grad.tolist() == [2, 8]
    assert twin.grad.tolist() == [1, 4]


# ---- beside NumPy -------------------------------------------------------------------------------------------------


def test_an_array_on_the_left():
    x, array = Tensor(normal(3)), normal(2, 3, seed=1)
    for result, wanted in (
        (array @ x, array @ x.data),
        (array + x, array + x.data),
        (array - x, array - x.data),
        (array * x, array * x.data),
        (array / x, array / x.data),
        (np.float64(2) * x, 2 * x.data),
        (np.float64(2) - x, 2 - x.data),
        (op.add([1, 2, 3], x), x.data + np.arange(1, 4)),
        (np.add(array, x), array + x.data),
        (np.power(x, 2), x.data**2),
    ):
        assert isinstance(result, Tensor)
        assert_array_equal(result.data, wanted)


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (np.exp, "np.exp has no gradient for a Tensor: use attention_lab.operations.exp, or .data"),
        (np.log, "use attention_lab.operations.log, or .data"),
        (
            lambda x: np.where([True, False], x, 0),
            "np.where has no gradient for a Tensor: use attention_lab.operations.where",
        ),
        (
            lambda x: np.concatenate([x, x]),
            "np.concatenate has no gradient for a Tensor: use a @differentiable function",
        ),
        (np.sum, "np.sum has no gradient for a Tensor: use the Tensor's own .sum, or .data"),
        (np.sqrt, "np.sqrt has no gradient"),
        (np.add.reduce, "np.add has no gradient"),
        (lambda x: np.add(x, 1, where=[True, False]), "np.add has no gradient"),
        (np.asarray, "a Tensor is not an array: use its .data, or a function that has a gradient"),
        (lambda x: np.array([x, x]), "a Tensor is not an array"),
        (lambda x: np.asarray(x, np.float32), "a Tensor is not an array"),
        (lambda x: np.ones(3)[x], "a Tensor is not an array|indices must be integers|only integers"),
        (lab.attention_entropy, "a Tensor is not an array"),
        (lab.effective_keys, "a Tensor is not an array"),
        (lambda x: lab.query_key_similarity(x, x), "a Tensor is not an array"),
        (lab.padding_mask, "a Tensor is not an array"),
        (lambda x: lab.heatmap(x.reshape(1, 2)), "a Tensor is not an array"),
        (lambda x: lab.softmax([x, x]), "a Tensor is not an array"),
        (lambda x: scaled_dot_product_attention(*np.ones((3, 1, 2)), dropout=x), "dropout must be a number"),
        (lambda x: lab.rotary_embedding(np.ones((1, 2)), positions=x) and None, "must broadcast"),
    ],
)
def test_what_has_no_gradient_says_so(attempt, message):
    with pytest.raises((TypeError, IndexError, ValueError), match=message):
        attempt(Tensor([1.0, 2.0]))
