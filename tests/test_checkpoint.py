"""`checkpoint`: the same gradients to the bit, for less memory and a second forward; what it cannot see is refused."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab import EncoderBlock, Tensor, checkpoint, parameters, value_and_grad
from attention_lab.functional import dropout
from tests.differences import normal


class Counted:
    """A block that counts how often it is called."""

    def __init__(self, block):
        self.block, self.calls = block, 0

    def __call__(self, *args, **options):
        self.calls += 1
        return self.block(*args, **options)


def stack(num_layers=3, dtype=np.float64, dropout=0.0):
    rng = np.random.default_rng(0)
    return [Counted(EncoderBlock(8, 2, 16, dropout=dropout, rng=rng, dtype=dtype)) for _ in range(num_layers)]


def plainly(layer, *args, **options):
    return layer(*args, **options)


def loss(blocks, x, call, **options):
    for block in blocks:
        x, _ = call(block, x, **options)
    return (x * x).sum()


def assert_same(one, other):
    assert one[0] == other[0]
    assert one[1].keys() == other[1].keys()
    for name in one[1]:
        assert_array_equal(one[1][name], other[1][name], err_msg=name)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"mask": np.tri(5, dtype=bool)}])
def test_gradients_are_the_same_bit_for_bit(dtype, options):
    blocks, x, step = stack(dtype=dtype), normal(2, 5, 8, dtype=dtype), value_and_grad(loss)
    before = {name: array.copy() for name, array in parameters(blocks).items()}
    plain = step(blocks, x, plainly, **options)
    assert all(block.calls == 1 for block in blocks)
    assert_same(plain, step(blocks, x, checkpoint, **options))
    assert all(block.calls == 3 for block in blocks), "once forward, once more backward"
    assert any(gradient.any() for gradient in plain[1].values())
    for name, array in parameters(blocks).items():
        assert type(array) is np.ndarray
        assert_array_equal(array, before[name])


def test_inside_another_one():
    blocks, x, step = stack(), normal(5, 8), value_and_grad(loss)

    class Pair:
        def __init__(self, blocks):
            self.blocks = blocks

        def __call__(self, x):
            for block in self.blocks:
                x, weights = checkpoint(block, x)
            return x, weights

    value, gradients = step([Pair(blocks[:2]), blocks[2]], x, checkpoint)
    plain = step(blocks, x, plainly)
    assert value == plain[0]
    for of_nested, name in zip(gradients.values(), plain[1], strict=True):
        assert_array_equal(of_nested, plain[1][name])
    assert [block.calls for block in blocks] == [4, 4, 3]


def test_dropout_draws_the_same_numbers_again():
    blocks, x, step = stack(dropout=0.5), normal(5, 8), value_and_grad(loss)
    generators = np.random.default_rng(3), np.random.default_rng(3)
    assert_same(*(step(blocks, x, call, rng=rng) for call, rng in zip((plainly, checkpoint), generators)))
    one, other = (rng.random(4) for rng in generators)
    assert_array_equal(one, other, err_msg="what is drawn after it")
    dropped = [checkpoint(dropout, Tensor(np.ones(50)), 0.5, np.random.default_rng(1)) for _ in range(2)]
    for output in dropped:
        output.backward(np.ones(50))
    assert_array_equal(dropped[0].data, dropout(np.ones(50), 0.5, np.random.default_rng(1)))


def test_a_generator_by_position_is_rewound_too():
    x, rng = Tensor(np.ones(50)), np.random.default_rng(1)
    output = checkpoint(dropout, x, 0.5, rng)
    output.backward(np.ones(50))
    assert_array_equal(x.grad, output.data)


def test_a_parameter_in_two_places_and_a_frozen_one():
    class Tied:
        parameters = ("there", "back")

        def __init__(self):
            self.there = self.back = normal(8, 8)
            self.frozen = lab.Linear(8, 8, dtype=np.float64, rng=np.random.default_rng(0))

        def __call__(self, x):
            return self.frozen(x @ self.there) @ self.back.T

    def of_tied(model, x, call):
        return (call(model, x) ** 2).sum()

    step, model = value_and_grad(of_tied), Tied()
    assert_same(*(step(model, normal(3, 8), call) for call in (plainly, checkpoint)))
    x = Tensor(normal(3, 8))
    of_tied(model, x, checkpoint).backward()
    again = Tensor(x.data)
    of_tied(model, again, plainly).backward()
    assert_array_equal(x.grad, again.grad, err_msg="only x is a Tensor")


def test_several_arguments_and_a_result_that_is_used_twice():
    memory, x = normal(7, 8, seed=1), normal(5, 8)
    block = lab.DecoderBlock(8, 2, 16, rng=np.random.default_rng(0), dtype=np.float64)

    def both(call):
        arrays = Tensor(x), Tensor(memory)
        output, weights, _ = call(block, *arrays)
        assert type(weights) is np.ndarray
        (output * output + output).sum().backward()
        return [array.grad for array in arrays]

    for one, other in zip(both(plainly), both(checkpoint)):
        assert_array_equal(one, other)


def test_a_layer_that_uses_none_of_its_tensors_has_no_gradient():
    x = Tensor(normal(3))
    output = checkpoint(lambda x: np.ones(3), x) * x
    output.backward(np.ones(3))
    assert_array_equal(x.grad, np.ones(3))


def test_a_second_backward_adds():
    x = Tensor(normal(3))
    output = checkpoint(lambda x: x * x, x)
    for _ in range(2):
        output.backward(np.ones(3))
    assert_allclose(x.grad, 4 * x.data)


def test_without_a_tensor_it_is_a_call():
    (block,) = stack(1)
    output, _ = checkpoint(block, normal(5, 8))
    assert type(output) is np.ndarray
    assert block.calls == 1


def test_what_it_cannot_see_is_refused():
    blocks, x = stack(1), normal(5, 8)
    with pytest.raises(TypeError, match="give the layer itself"):
        value_and_grad(lambda blocks, x: checkpoint(lambda x: blocks[0](x)[0], Tensor(x)).sum())(blocks, x)
    with pytest.raises(TypeError, match="Tensors by position"):
        checkpoint(lambda x, by: x * by, Tensor(x), by=Tensor(x))
    assert type(blocks[0].block.norm_1.gain) is np.ndarray


def test_a_failing_layer_leaves_the_model_as_it_was():
    blocks = stack(1)
    with pytest.raises(ValueError, match="expected d_model=8"):
        value_and_grad(loss)(blocks, normal(5, 7), checkpoint)
    assert all(type(array) is np.ndarray for array in parameters(blocks).values())


def peak(num_layers, call):
    """Bytes that a step takes at most, beyond the gradients and the input."""
    blocks = stack(num_layers, np.float32)
    x = normal(4, 256, 8, dtype=np.float32)  # long enough for its size to count, and not that of the parameters
    step = value_and_grad(loss)
    step(blocks, x, call)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    step(blocks, x, call)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak


def test_memory_of_a_layer_is_its_input_alone():
    plain, anew = (peak(9, call) - peak(3, call) for call in (plainly, checkpoint))
    of_input = 6 * 4 * 256 * 8 * 4
    assert plain > 10 * of_input, "the weights of 2 heads alone are 64 inputs"
    assert anew < 3 * of_input
