"""Layers: the equation with their parameters, the size of their parameters at the start, every dtype."""

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab.activations import gelu, silu
from attention_lab.layers import MEAN_SQUARE

FLOATS = (np.float16, np.float32, np.float64)
TOLERANCE = {np.float16: 2e-2, np.float32: 1e-5, np.float64: 1e-12}
SEEDS = range(3)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def first(result):
    return result[0] if isinstance(result, tuple) else result


# Every layer, and a call of it with an array (batch, n, 12).
LAYERS = {
    "Linear": lambda **k: lab.Linear(12, 7, **k),
    "LayerNorm": lambda rng, **k: lab.LayerNorm(12, **k),
    "RMSNorm": lambda rng, **k: lab.RMSNorm(12, **k),
    **{f"FeedForward {a}": lambda a=a, **k: lab.FeedForward(12, 17, a, **k) for a in MEAN_SQUARE},
    "LearnedPositions": lambda **k: lab.LearnedPositions(11, 12, **k),
    "MultiHeadAttention": lambda **k: lab.MultiHeadAttention(12, 3, bias=True, **k),
    "grouped heads": lambda **k: lab.MultiHeadAttention(12, 6, num_kv_heads=2, **k),
    **{f"EncoderBlock {n}": lambda n=n, **k: lab.EncoderBlock(12, 3, 17, norm=n, **k) for n in ("pre", "post", None)},
    "Encoder": lambda **k: lab.Encoder(2, 12, 3, 17, **k),
}
MEMORY_LAYERS = {
    "cross-attention": lambda **k: lab.MultiHeadAttention(12, 3, **k),
    **{f"DecoderBlock {n}": lambda n=n, **k: lab.DecoderBlock(12, 3, 17, norm=n, **k) for n in ("pre", "post", None)},
    "Decoder": lambda **k: lab.Decoder(2, 12, 3, 17, **k),
}


def build(name, **about):
    layer = (LAYERS | MEMORY_LAYERS)[name](rng=np.random.default_rng(0), **about)
    memory = normal(2, 5, 12, seed=1)
    return layer if name in LAYERS else lambda x: layer(x, memory.astype(np.asarray(x).dtype))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*LAYERS, *MEMORY_LAYERS])
def test_the_dtype_of_the_input_is_kept_whatever_the_parameters_have(name, dtype):
    x = normal(2, 7, 12).astype(dtype)
    for of_parameters in FLOATS:
        layer = build(name, dtype=of_parameters)
        wanted, results = first(layer(x.astype(np.float64))), layer(x)
        for array in flat(results):
            assert array.dtype == dtype
            assert np.isfinite(array).all()
        got = first(results).astype(np.float64)
        assert_allclose(got, wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def flat(results):
    if isinstance(results, np.ndarray):
        return [results]
    return [array for part in results for array in flat(part)]


@pytest.mark.parametrize("name", [*LAYERS, *MEMORY_LAYERS])
def test_input_and_parameters_are_left_alone_and_lists_are_arrays(name):
    layer, x = build(name), normal(2, 7, 12)
    before = x.copy()
    x.flags.writeable = False
    once, again = first(layer(x)), first(layer(x))
    assert_array_equal(once, again)
    assert_array_equal(x, before)
    assert not np.shares_memory(once, x)
    assert_array_equal(first(layer(x.tolist())), once)


@pytest.mark.parametrize("name", [*LAYERS, *MEMORY_LAYERS])
def test_leading_axes_are_free(name):
    layer, x = build(name), normal(2, 7, 12)
    batched = first(layer(x))
    if name in LAYERS:
        assert_allclose(first(layer(x[1])), batched[1], rtol=1e-12, atol=1e-13)
        assert first(layer(x[:0])).shape == (0, *batched.shape[1:])
    assert_allclose(first(layer(x[None])), batched[None], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", [name for name in LAYERS if not name.endswith("Norm")])
def test_parameters_come_from_the_generator_in_the_dtype_asked_for(name):
    for dtype in FLOATS:
        one, same = (lab.parameters(LAYERS[name](rng=np.random.default_rng(0), dtype=dtype)) for _ in range(2))
        other = lab.parameters(LAYERS[name](rng=np.random.default_rng(1), dtype=dtype))
        drawn = [key for key in one if one[key].ndim > 1]
        assert drawn
        for key in one:
            assert one[key].dtype == dtype
            assert_array_equal(one[key], same[key])
        for key in drawn:
            assert (one[key] != other[key]).any()
    assert lab.parameters(LAYERS[name](rng=None))[drawn[0]].dtype == np.float32
    pairs = [(a, b) for a in drawn for b in drawn if a < b and one[a].shape == one[b].shape]
    assert all((one[a] != one[b]).any() for a, b in pairs), "two matrices were drawn alike"


def test_global_randomness_is_left_alone():
    state = np.random.get_state()[1].copy()  # noqa: NPY002 - that it is left alone is tested
    for name in LAYERS:
        LAYERS[name](rng=None)
    assert_array_equal(state, np.random.get_state()[1])  # noqa: NPY002


# ---- the equations ----------------------------------------------------------------------------------------------


def with_random_parameters(layer, seed=5):
    rng = np.random.default_rng(seed)
    for array in lab.parameters(layer).values():
        array[...] = rng.standard_normal(array.shape)
    return layer


def test_linear_with_and_without_bias():
    layer = with_random_parameters(lab.Linear(5, 3, dtype=np.float64))
    x = normal(2, 7, 5)
    assert_allclose(layer(x), np.einsum("bnf,fo->bno", x, layer.weight) + layer.bias, rtol=1e-12)
    assert lab.Linear(5, 3, bias=False).bias is None
    assert lab.Linear(5, 3).bias.tolist() == [0, 0, 0]


def test_embedding_looks_up_its_table():
    layer = lab.Embedding(11, 5, rng=np.random.default_rng(0))
    assert_array_equal(layer([[3, 0], [3, 10]])[0, 0], layer.table[3])
    assert layer([[3, 0], [3, 10]]).shape == (2, 2, 5)


@pytest.mark.parametrize("kind", [lab.LayerNorm, lab.RMSNorm])
def test_norms_start_as_the_bare_formula_and_use_their_parameters(kind):
    x, layer = 3 * normal(2, 7, 5) + 2, kind(5, dtype=np.float64)
    centre = x.mean(-1, keepdims=True) if kind is lab.LayerNorm else 0
    bare = (x - centre) / np.sqrt(((x - centre) ** 2).mean(-1, keepdims=True) + layer.eps)
    assert_allclose(layer(x), bare, rtol=1e-12)
    with_random_parameters(layer)
    assert_allclose(layer(x), bare * layer.gain + getattr(layer, "bias", 0), rtol=1e-12)
    layer.eps = 4.0
    assert np.abs(layer(x)).sum() != pytest.approx(np.abs(bare * layer.gain).sum(), rel=0.01)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", MEAN_SQUARE)
def test_feed_forward_is_two_maps_with_an_activation_between(activation, bias):
    layer = with_random_parameters(lab.FeedForward(5, 11, activation, bias=bias, dtype=np.float64))
    x = normal(2, 7, 5)
    b_up, b_down = (layer.up.bias, layer.down.bias) if bias else (0, 0)
    inner = x @ layer.up.weight + b_up
    if activation == "swiglu":
        inner = silu(x @ layer.gate.weight + (layer.gate.bias if bias else 0)) * inner
    else:
        act = {"relu": lambda h: h * (h > 0), "gelu": gelu, "gelu_tanh": lambda h: gelu(h, approximate=True)}
        inner = act[activation](inner)
    assert_allclose(layer(x), inner @ layer.down.weight + b_down, rtol=1e-11, atol=1e-12)
    assert (layer.gate is None) == (activation != "swiglu")


def test_feed_forward_works_position_by_position():
    layer, x = lab.FeedForward(5, 11, rng=np.random.default_rng(0)), normal(2, 7, 5)
    other = x.copy()
    other[0, 3] += 1
    changed = (layer(x) != layer(other)).any(-1)
    assert np.argwhere(changed).tolist() == [[0, 3]]


# ---- variance at the start --------------------------------------------------------------------------------------


def test_linear_keeps_unit_variance_or_gives_what_is_asked_for():
    x = normal(64, 512)
    for seed in SEEDS:
        for variance in (1.0, 3.0):
            layer = lab.Linear(512, 512, variance=variance, rng=np.random.default_rng(seed))
            assert layer(x).var() == pytest.approx(variance, rel=0.05)


@pytest.mark.parametrize("activation", MEAN_SQUARE)
def test_feed_forward_keeps_unit_variance(activation):
    x = normal(64, 256)
    for seed in SEEDS:
        layer = lab.FeedForward(256, 1024, activation, rng=np.random.default_rng(seed))
        assert (layer(x) ** 2).mean() == pytest.approx(1, rel=0.1)


def test_mean_squares_of_the_activations_by_quadrature():
    nodes, weights = hermegauss(101)  # the mean over normal numbers
    means = {
        "relu": np.maximum(nodes, 0) ** 2,
        "gelu": gelu(nodes) ** 2,
        "gelu_tanh": gelu(nodes, approximate=True) ** 2,
        "swiglu": silu(nodes) ** 2,  # its other factor has a mean square of 1
    }
    assert means.keys() == MEAN_SQUARE.keys()
    for name, squares in means.items():
        assert squares @ weights / weights.sum() == pytest.approx(MEAN_SQUARE[name], abs=1e-3)


def test_vectors_of_an_embedding_and_of_positions_have_length_one():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        for table in (lab.Embedding(97, 256, rng=rng).table, lab.LearnedPositions(97, 256, rng=rng).table):
            assert (table**2).sum(-1).mean() == pytest.approx(1, rel=0.05)
