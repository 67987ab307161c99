"""Every layer and block trains: through `value_and_grad`, a few entries of each parameter against differences."""

import numpy as np
import pytest

import attention_lab as lab
from attention_lab import parameters, value_and_grad
from attention_lab.layers import MEAN_SQUARE
from tests.differences import normal

STEP = 1e-5
N, D = 3, 10
X, MEMORY = normal(2, N, D), normal(2, 5, 7, seed=1)
IDS = np.array([[2, 0, 2], [1, 2, 4]])
PADDING = lab.padding_mask([2, N])
F64 = {"dtype": np.float64}


def rng(seed=0):
    return np.random.default_rng(seed)


def squares(result):
    """One number, by which no two entries of the result are exchanged."""
    x = result[0] if isinstance(result, tuple) else result
    return (x * x * normal(*x.shape, seed=9) + x * normal(*x.shape, seed=8)).sum()


def assert_trains(model, call, *data, entries=3):
    """`call(model, *data)` gives what the loss is made of."""
    generator = rng(5)
    for array in parameters(model).values():
        array += 0.3 * generator.standard_normal(array.shape)  # also what starts at 0 or 1

    def loss(model, *data):
        return squares(call(model, *data))

    value, gradients = value_and_grad(loss)(model, *data)
    assert value == pytest.approx(float(loss(model, *data)), rel=1e-12)
    for name, array in parameters(model).items():
        for i in generator.permutation(array.size)[:entries]:
            place = np.unravel_index(i, array.shape)
            was = array[place]
            array[place] = was + STEP
            above = float(loss(model, *data))
            array[place] = was - STEP
            wanted = (above - float(loss(model, *data))) / (2 * STEP)
            array[place] = was
            assert gradients[name][place] == pytest.approx(wanted, rel=1e-6, abs=1e-7), (name, place)


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (lab.Linear(D, 7, **F64), X),
        (lab.Embedding(5, D, **F64), IDS),
        (lab.LearnedPositions(5, D, **F64), X),
        (lab.LayerNorm(D, **F64), X),
        (lab.RMSNorm(D, **F64), X),
        *((lab.FeedForward(D, 7, activation, **F64), X) for activation in MEAN_SQUARE),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, np.ndarray) else "",
)
def test_layers(model, data):
    assert_trains(model, lambda model, x: model(x), data)


@pytest.mark.parametrize(
    ("about", "call"),
    [
        ({}, {}),
        ({"bias": True}, {"is_causal": True}),
        ({"num_kv_heads": 1}, {"mask": PADDING}),
        ({"d_head": 6, "bias": True}, {"positions": np.arange(N)}),
        ({"d_head": 6, "interleaved": True}, {"positions": [4, 2, 7]}),
        ({"dropout": 0.4}, {"mask": normal(2, 1, N, N)}),
    ],
    ids=str,
)
def test_multi_head_attention(about, call):
    layer = lab.MultiHeadAttention(D, 2, **about, rng=rng(), **F64)
    assert_trains(layer, lambda layer, x: layer(x, **call, rng=rng(7)), X)


def test_attention_that_reads_a_memory():
    layer = lab.MultiHeadAttention(D, 2, d_memory=7, bias=True, rng=rng(), **F64)
    assert_trains(layer, lambda layer, x, memory: layer(x, memory), X, MEMORY)
    assert_trains(layer, lambda layer, x, memory: layer(x, memory, 2 * memory), X, MEMORY)


@pytest.mark.parametrize("norm", ["pre", "post", None])
def test_encoder_block(norm):
    block = lab.EncoderBlock(D, 2, 7, norm=norm, activation="gelu", dropout=0.3, rng=rng(), **F64)
    assert_trains(block, lambda block, x: block(x, PADDING, is_causal=True, rng=rng(7)), X)


@pytest.mark.parametrize("norm", ["pre", "post", None])
def test_decoder_block(norm):
    block = lab.DecoderBlock(D, 2, 7, d_memory=7, norm=norm, dropout=0.3, rng=rng(), **F64)
    masked = {"mask": PADDING, "memory_mask": lab.padding_mask([4, 5])}
    assert_trains(block, lambda block, x, memory: block(x, memory, **masked, rng=rng(7)), X, MEMORY)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_encoder_and_decoder_together(norm):
    """What the encoder hands over is a Tensor that the decoder's blocks all read: their gradients add."""
    about = {"norm": norm, "activation": "swiglu", "rng": rng(), **F64}
    pair = [lab.Encoder(1, D, 2, 3, **about), lab.Decoder(2, D, 2, 3, **about)]

    def translate(pair, source, target):
        encoder, decoder = pair
        memory, _ = encoder(source, PADDING)
        assert type(memory) is type(encoder.blocks[0].norm_1.gain)
        return decoder(target, memory, memory_mask=PADDING)

    assert_trains(pair, translate, X, normal(2, 5, D, seed=3), entries=1)


def test_a_relative_bias_is_learned_through_the_mask():
    class Model:
        def __init__(self):
            self.bias = lab.RelativePositionBias(2, num_buckets=8, max_distance=6, rng=rng(), **F64)
            self.block = lab.EncoderBlock(D, 2, 3, rng=rng(), **F64)
            self.decoder = lab.DecoderBlock(D, 2, 3, rng=rng(), **F64)

        def __call__(self, x):
            memory, _ = self.block(x, self.bias(N))
            return self.decoder(x, memory, self.bias(N), memory_mask=self.bias(N))

    assert_trains(Model(), lambda model, x: model(x), X)


def test_a_language_model_with_tied_tables():
    class Model:
        def __init__(self):
            self.embedding, self.positions = lab.Embedding(5, D, rng=rng(), **F64), lab.LearnedPositions(N, D, **F64)
            self.block = lab.EncoderBlock(D, 2, 3, rng=rng(), **F64)

        def __call__(self, ids):
            x, _ = self.block(self.positions(self.embedding(ids)), is_causal=True)
            return x @ self.embedding.table.T

    model = Model()
    assert_trains(model, lambda model, ids: model(ids), IDS)
    assert_trains(model, lambda model, ids: lab.cross_entropy(model(ids), IDS[:, ::-1], label_smoothing=0.1), IDS)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_gradients_have_the_dtype_of_their_parameter(dtype):
    block = lab.DecoderBlock(D, 2, 3, activation="gelu_tanh", rng=rng(), dtype=np.float32)
    x = X.astype(dtype)
    value, gradients = value_and_grad(lambda block, x: squares(block(x, x)))(block, x)
    exact = value_and_grad(lambda block, x: squares(block(x, x)))(block, x.astype(np.float64))[1]
    assert np.isfinite(value)
    for name, gradient in gradients.items():
        assert gradient.dtype == np.float32
        size = np.abs(exact[name]).max()
        np.testing.assert_allclose(gradient, exact[name], rtol=0, atol=size * (1e-5 if dtype == np.float32 else 0.05))


def test_a_few_steps_against_the_gradient_lower_the_loss():
    encoder = lab.Encoder(2, D, 2, 7, rng=rng())
    step = value_and_grad(lambda encoder, x: ((encoder(x)[0] - x[:, ::-1]) ** 2).mean())
    losses = []
    for _ in range(20):
        value, gradients = step(encoder, X.astype(np.float32))
        losses.append(value)
        for name, array in parameters(encoder).items():
            array -= 0.05 * gradients[name]
    assert losses[-1] < 0.7 * losses[0]
