"""`value_and_grad`: the model stands as it stood, nothing stays, what is tied adds, what is no loss is refused."""

import gc
import inspect
import weakref

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab import Tensor, parameters, value_and_grad
from attention_lab.functional import linear
from tests.differences import normal


class Model:
    parameters = ("a", "b")

    def __init__(self, dtype=np.float64):
        self.a, self.b = normal(2, 3, dtype=dtype), normal(3, seed=1, dtype=dtype)


def product(model, x=2.0):
    return (model.a * model.b * x).sum()


def test_value_and_gradients_by_name():
    model = Model()
    value, gradients = value_and_grad(product)(model, 3.0)
    assert type(value) is float
    assert value == pytest.approx((model.a * model.b).sum() * 3, rel=1e-12)
    assert list(gradients) == list(parameters(model)) == ["a", "b"]
    assert_allclose(gradients["a"], np.broadcast_to(3 * model.b, (2, 3)), rtol=1e-12)
    assert_allclose(gradients["b"], 3 * model.a.sum(0), rtol=1e-12)
    assert_array_equal(value_and_grad(product)(model, x=3.0)[1]["b"], gradients["b"])


def test_nothing_accumulates_between_two_calls():
    model, step = Model(), value_and_grad(product)
    (first, one), (second, two) = step(model), step(model)
    assert first == second
    for name in one:
        assert_array_equal(one[name], two[name])
        assert one[name] is not two[name]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_gradients_are_arrays_of_their_own(dtype):
    model = Model(dtype)
    _, gradients = value_and_grad(lambda model: (model.a + model.b.reshape(1, 3)).sum())(model)
    for name, gradient in gradients.items():
        assert gradient.dtype == dtype
        assert gradient.shape == parameters(model)[name].shape
        gradient *= 2  # as a clipping in place would
    assert gradients["a"].tolist() == [[2] * 3] * 2
    assert gradients["b"].tolist() == [4] * 3


def test_an_unused_parameter_has_zeros():
    _, gradients = value_and_grad(lambda model: (model.a**2).sum())(Model(np.float32))
    assert gradients["b"].tolist() == [0, 0, 0]
    assert gradients["b"].dtype == np.float32


def test_tied_parameters_add():
    class Tied:
        def __init__(self):
            self.embedding, self.last = lab.Embedding(5, 3, dtype=np.float64), lab.Embedding(5, 3, dtype=np.float64)
            self.last.table = self.embedding.table

    def loss(model):
        x = model.embedding([1, 2, 1])
        return lab.cross_entropy(x @ model.last.table.T, [0, 1, 2])

    tied, loose = Tied(), Tied()
    loose.last.table = tied.embedding.table.copy()
    loose.embedding.table = tied.embedding.table
    (same, together), (value, apart) = (value_and_grad(loss)(model) for model in (tied, loose))
    assert list(together) == ["embedding.table"]
    assert value == same
    assert_allclose(together["embedding.table"], apart["embedding.table"] + apart["last.table"], rtol=1e-12)
    assert tied.last.table is tied.embedding.table


def test_a_layer_used_twice_adds():
    layer = lab.Linear(3, 3, dtype=np.float64, rng=np.random.default_rng(0))
    x = normal(2, 3)
    _, gradients = value_and_grad(lambda layers, x: layers[0](layers[1](x)).sum())([layer, layer], x)
    inner = linear(x, layer.weight, layer.bias)
    ones = np.ones((2, 3))
    assert list(gradients) == ["0.weight", "0.bias"]
    assert_allclose(gradients["0.weight"], inner.T @ ones + x.T @ (ones @ layer.weight.T), rtol=1e-12)


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt, RuntimeError])
def test_the_model_keeps_its_arrays(error):
    model = lab.Encoder(1, 4, 2, 3, rng=np.random.default_rng(0))
    model.tied, model.scale = model.blocks[0].norm_1, Model()
    before = parameters(model)

    def loss(model, x):
        assert isinstance(model.blocks[0].attention.W_q, Tensor)
        model.scale.b = None  # whatever the loss puts there
        if error:
            raise error
        return model(x)[0].sum()

    if error:
        with pytest.raises(error):
            value_and_grad(loss)(model, np.ones((2, 3, 4)))
    else:
        value_and_grad(loss)(model, np.ones((2, 3, 4)))
    after = parameters(model)
    assert list(after) == list(before)
    assert all(after[name] is before[name] for name in before)


def test_an_error_in_a_backward_leaves_the_model_too():
    @lab.differentiable(lambda grad, _: 1 / 0)
    def broken(x):
        return x.sum(), None

    model = Model()
    before = parameters(model)
    with pytest.raises(RuntimeError, match="the backward of broken, called at"):
        value_and_grad(lambda model: broken(model.a))(model)
    assert all(after is before[name] for name, after in parameters(model).items())


@pytest.mark.parametrize(
    ("loss", "got"),
    [
        (lambda model: 3.0, "3.0"),
        (lambda model: model.a, r"a Tensor of shape \(2, 3\)"),
        (lambda model: (model.a.sum(), 1), r"\(Tensor"),
        (lambda model: None, "None"),
        (lambda model: model.a.sum().data, "array"),
    ],
)
def test_what_is_no_loss(loss, got):
    with pytest.raises(TypeError, match=f"loss must give one number made from the model's parameters, got {got}"):
        value_and_grad(loss)(Model())


def test_one_number_in_any_shape():
    for shape in ((), (1,), (1, 1)):
        value, gradients = value_and_grad(lambda model, s=shape: model.b.sum().reshape(s))(Model())
        assert type(value) is float
        assert gradients["b"].tolist() == [1, 1, 1]


def test_it_keeps_the_name_of_the_loss():
    assert value_and_grad(product).__name__ == "product"
    assert list(inspect.signature(value_and_grad(product)).parameters) == ["model", "x"]


def test_nothing_of_the_graph_stays():
    model, seen = lab.EncoderBlock(4, 2, 3, rng=np.random.default_rng(0)), []

    def loss(model, x):
        x, weights = model(x)
        seen.extend((weakref.ref(x), weakref.ref(weights), weakref.ref(model.attention.W_q)))
        return (x * x).sum()

    gc.disable()
    try:
        kept = value_and_grad(loss)(model, np.ones((2, 3, 4)))
        assert [ref() for ref in seen] == [None] * 3
        assert len(kept[1]) == 12
    finally:
        gc.enable()


def test_saved_arrays_go_during_the_backward_pass():
    class Saved(np.ndarray):
        """An array that a weak reference can follow."""

    alive, saved = [], []

    def backward(grad, _):
        alive.append(sum(ref() is not None for ref in saved))
        return (grad,)

    @lab.differentiable(backward)
    def step(x):
        kept = np.ones(3).view(Saved)
        saved.append(weakref.ref(kept))
        return x * 1, kept

    def loss(model):
        x = model.b
        for _ in range(5):
            x = step(x)
        return x.sum()

    value_and_grad(loss)(Model())
    assert alive == [5, 4, 3, 2, 1]


def test_the_line_of_the_caller_is_told_through_layers():
    """Layers, stacks and NumPy's decorators lie between the learner's line and the operation that fails."""
    model = lab.Encoder(1, 4, 2, 3, activation="swiglu", rng=np.random.default_rng(0))
    places = []

    def loss(model, x):
        result = model(x)[0]  # this line
        todo = [result]
        while todo:
            made_by = todo.pop()._made_by
            if made_by:
                places.append(made_by[-1])
                todo += [tensor for _, tensor in made_by[3]]
        return result.sum()

    value_and_grad(loss)(model, np.ones((2, 3, 4)))
    lines, start = inspect.getsourcelines(test_the_line_of_the_caller_is_told_through_layers)
    here = start + next(i for i, line in enumerate(lines) if line.endswith("# this line\n"))
    assert len(places) > 10
    assert set(places) == {f"{__file__}:{here}"}
