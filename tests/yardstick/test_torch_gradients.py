"""Every gradient is PyTorch's own: the second half of the optional job `make test-yardstick`."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn
from torch.nn import functional as F

import attention_lab as lab
from attention_lab import Tensor, functional, value_and_grad
from attention_lab.activations import gelu, relu, sigmoid, silu, tanh

BATCH, N, N_K, D, HEADS, D_FF = 2, 7, 11, 30, 5, 17
FLOATS = (np.float32, np.float64)
TOLERANCE = {np.float32: 1e-5, np.float64: 1e-10}
every_dtype = pytest.mark.parametrize("dtype", FLOATS)


def normal(*shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def first(result):
    return result[0] if isinstance(result, tuple) else result


def assert_same_gradients(ours, theirs, *arrays):
    """Of the sum of seed · result, by every array."""
    tensors, twins = [Tensor(a) for a in arrays], [torch.tensor(a, requires_grad=True) for a in arrays]
    result, twin = first(ours(*tensors)), theirs(*twins)
    seed = normal(*result.shape, dtype=result.dtype, seed=99)
    result.backward(seed)
    twin.backward(torch.tensor(seed))
    for tensor, their in zip(tensors, twins):
        assert_close(tensor.grad, their.grad.numpy())


def assert_close(got, want):
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    assert_allclose(got, want, rtol=0, atol=TOLERANCE[got.dtype.type] * max(1, np.abs(want).max()))


# ---- functions --------------------------------------------------------------------------------------------------


@every_dtype
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (relu, F.relu),
        (gelu, F.gelu),
        (lambda x: gelu(x, approximate=True), lambda x: F.gelu(x, approximate="tanh")),
        (silu, F.silu),
        (sigmoid, torch.sigmoid),
        (tanh, torch.tanh),
        (lab.softmax, lambda x: F.softmax(x, -1)),
        (lambda x: lab.log_softmax(x, 1), lambda x: F.log_softmax(x, 1)),
    ],
    ids=["relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "softmax", "log_softmax"],
)
def test_activations_and_softmax(ours, theirs, dtype):
    for scale in (1, 8):
        assert_same_gradients(ours, theirs, scale * normal(BATCH, N, D, dtype=dtype))


@every_dtype
def test_linear_embedding_and_norms(dtype):
    x, gain, bias = 3 * normal(BATCH, N, D, dtype=dtype) + 1, normal(D, dtype=dtype), normal(D, dtype=dtype, seed=1)
    weight = normal(D, D_FF, dtype=dtype, seed=2)
    ids = np.random.default_rng(0).integers(0, N_K, (BATCH, N))
    assert_same_gradients(functional.linear, lambda x, w, b: F.linear(x, w.T, b), x, weight, bias[:D_FF])
    assert_same_gradients(lambda t: functional.embedding(ids, t), lambda t: F.embedding(torch.tensor(ids), t), weight)
    assert_same_gradients(functional.layer_norm, lambda x, g, b: F.layer_norm(x, (D,), g, b), x, gain, bias)
    assert_same_gradients(functional.rms_norm, lambda x, g: F.rms_norm(x, (D,), g, 1e-6), x, gain)


@every_dtype
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("ignored", [-100, 3])
def test_cross_entropy(ignored, smoothing, dtype):
    targets = np.random.default_rng(0).integers(0, D, (BATCH, N))
    targets[0, 2:4], targets[1, 5] = ignored, ignored
    assert_same_gradients(
        lambda x: lab.cross_entropy(x, targets, ignore_index=ignored, label_smoothing=smoothing),
        lambda x: F.cross_entropy(
            x.flatten(0, 1), torch.tensor(targets).flatten(), ignore_index=ignored, label_smoothing=smoothing
        ),
        4 * normal(BATCH, N, D, dtype=dtype),
    )


# ---- attention --------------------------------------------------------------------------------------------------

VISIBLE = np.random.default_rng(3).random((BATCH, 1, N, N_K)) < 0.6
VISIBLE[..., 0] = True  # of a row that sees nothing PyTorch makes NaN


@every_dtype
@pytest.mark.parametrize(
    "about", [{}, {"scale": 0.7}, {"mask": VISIBLE}, {"mask": lab.padding_mask([6, N_K])}], ids=str
)
def test_attention(about, dtype):
    theirs = {"attn_mask" if name == "mask" else name: torch.tensor(value) for name, value in about.items()}
    theirs = theirs | ({"scale": about["scale"]} if "scale" in about else {})
    assert_same_gradients(
        lambda *x: lab.scaled_dot_product_attention(*x, **about),
        lambda *x: F.scaled_dot_product_attention(*x, **theirs),
        normal(BATCH, HEADS, N, 3, dtype=dtype),
        normal(BATCH, HEADS, N_K, 3, dtype=dtype, seed=1),
        normal(BATCH, HEADS, N_K, 2, dtype=dtype, seed=2),
    )


@every_dtype
@pytest.mark.parametrize("shape", [(BATCH, HEADS, N, N_K), (HEADS, N, N_K), (1, N_K)], ids=str)
def test_attention_with_a_learned_bias(shape, dtype):
    assert_same_gradients(
        lab.scaled_dot_product_attention,
        F.scaled_dot_product_attention,
        normal(BATCH, HEADS, N, 3, dtype=dtype),
        normal(BATCH, HEADS, N_K, 3, dtype=dtype, seed=1),
        normal(BATCH, HEADS, N_K, 2, dtype=dtype, seed=2),
        normal(*shape, dtype=dtype, seed=3),
    )


@every_dtype
@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_and_causal_attention(kv_heads, dtype):
    about = {"is_causal": True, "enable_gqa": True}
    assert_same_gradients(
        lambda *x: lab.scaled_dot_product_attention(*x, **about),
        lambda *x: F.scaled_dot_product_attention(*x, **about),
        normal(BATCH, 6, N, 3, dtype=dtype),
        *(normal(BATCH, kv_heads, N, 3, dtype=dtype, seed=seed) for seed in (1, 2)),
    )


# ---- a whole block ----------------------------------------------------------------------------------------------


def with_random_parameters(block, dtype):
    """Their attention has biases, in a block ours has none: give it some; and move what starts at 0 or 1."""
    for name in ("b_q", "b_k", "b_v", "b_o"):
        setattr(block.attention, name, np.zeros(D, dtype))
    generator = np.random.default_rng(5)
    for array in lab.parameters(block).values():
        array += 0.1 * generator.standard_normal(array.shape).astype(array.dtype)
    return block


def as_theirs(of_block):
    """Arrays by our names under theirs; their matrices are (d_out, d_in), those of query, key and value are one."""
    renamed = {f"attention.{kind}_o": f"self_attn.out_proj.{name}" for kind, name in (("W", "weight"), ("b", "bias"))}
    for ours, theirs in (("feed_forward.up", "linear1"), ("feed_forward.down", "linear2")):
        renamed |= {f"{ours}.{name}": f"{theirs}.{name}" for name in ("weight", "bias")}
    renamed |= {
        f"norm_{i}.{ours}": f"norm{i}.{name}" for i in (1, 2) for ours, name in (("gain", "weight"), ("bias",) * 2)
    }
    found = {theirs: of_block[ours].T for ours, theirs in renamed.items()}
    for kind, name in (("W", "weight"), ("b", "bias")):
        found[f"self_attn.in_proj_{name}"] = np.concatenate([of_block[f"attention.{kind}_{x}"].T for x in "qkv"])
    return found


@every_dtype
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_whole_encoder_block(norm, activation, dtype):
    ours = lab.EncoderBlock(D, HEADS, D_FF, norm=norm, activation=activation, rng=np.random.default_rng(0), dtype=dtype)
    ours = with_random_parameters(ours, dtype)
    about = {"norm_first": norm == "pre", "activation": activation, "dropout": 0.0, "batch_first": True}
    theirs = nn.TransformerEncoderLayer(D, HEADS, D_FF, **about, dtype=torch.tensor(ours.norm_1.gain).dtype)
    theirs.load_state_dict({name: torch.tensor(array) for name, array in as_theirs(lab.parameters(ours)).items()})
    x, seed, padding = (
        normal(BATCH, N, D, dtype=dtype),
        normal(BATCH, N, D, dtype=dtype, seed=1),
        lab.padding_mask([4, N]),
    )
    value, gradients = value_and_grad(lambda block, x: (block(x, padding)[0] * seed).mean())(ours, x)
    their_value = (
        theirs(torch.tensor(x), src_key_padding_mask=torch.tensor(~padding[:, 0, 0])) * torch.tensor(seed)
    ).mean()
    their_value.backward()
    assert value == pytest.approx(their_value.item(), abs=TOLERANCE[dtype])
    wanted = dict(theirs.named_parameters())
    for name, gradient in as_theirs(gradients).items():
        assert_close(gradient, wanted.pop(name).grad.numpy())
    assert not wanted
