"""Every layer gives the numbers of PyTorch's own: the optional job `make test-yardstick`."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn
from torch.nn import functional as F

import attention_lab as lab
from attention_lab import activations

BATCH, N, N_K, D, D_MEMORY, HEADS, D_FF = 2, 7, 11, 30, 13, 5, 17
FLOATS = (np.float32, np.float64)
TOLERANCE = {np.float32: 1e-5, np.float64: 1e-12}
every_dtype = pytest.mark.parametrize("dtype", FLOATS)


def rng(seed=0):
    return np.random.default_rng(seed)


def normal(*shape, dtype, seed=0):
    return rng(seed).standard_normal(shape).astype(dtype)


def tensor(array):
    return None if array is None else torch.from_numpy(np.array(array))


def assert_same(ours, theirs):
    theirs = theirs.detach().numpy()
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE[ours.dtype.type])


def with_random_parameters(model):
    """Also what starts at 0 or 1 is moved away from there, so that it is seen to be used."""
    generator = rng(5)
    for array in lab.parameters(model).values():
        array += 0.1 * generator.standard_normal(array.shape).astype(array.dtype)
    return model


def give(parameter, array):
    """Hand an array of ours over; their matrices are (d_out, d_in)."""
    with torch.no_grad():
        parameter.copy_(tensor(array.T))


def random_mask(*shape):
    mask = rng(3).random(shape) < 0.6
    mask[..., 0] = True  # of a row that sees nothing PyTorch makes NaN
    return mask


# ---- functions --------------------------------------------------------------------------------------------------


@every_dtype
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (activations.relu, F.relu),
        (activations.gelu, F.gelu),
        (lambda x: activations.gelu(x, approximate=True), lambda x: F.gelu(x, approximate="tanh")),
        (activations.silu, F.silu),
        (activations.sigmoid, torch.sigmoid),
        (activations.tanh, torch.tanh),
        (lab.softmax, lambda x: F.softmax(x, -1)),
        (lab.log_softmax, lambda x: F.log_softmax(x, -1)),
    ],
    ids=["relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh", "softmax", "log_softmax"],
)
def test_functions(ours, theirs, dtype):
    for x in (5 * normal(BATCH, N, D, dtype=dtype), np.linspace(-40, 40, 999, dtype=dtype)):
        assert_same(ours(x), theirs(tensor(x)))


@every_dtype
def test_linear_and_embedding(dtype):
    ours = with_random_parameters(lab.Linear(D, D_FF, rng=rng(), dtype=dtype))
    theirs = nn.Linear(D, D_FF, dtype=tensor(ours.weight).dtype)
    give(theirs.weight, ours.weight)
    give(theirs.bias, ours.bias)
    x = normal(BATCH, N, D, dtype=dtype)
    assert_same(ours(x), theirs(tensor(x)))
    ours = lab.Embedding(N_K, D, rng=rng(), dtype=dtype)
    ids = rng().integers(0, N_K, (BATCH, N))
    assert_same(ours(ids), F.embedding(tensor(ids), tensor(ours.table)))


@every_dtype
def test_norms(dtype):
    x = 3 * normal(BATCH, N, D, dtype=dtype) + 1
    ours = with_random_parameters(lab.LayerNorm(D, dtype=dtype))
    assert_same(ours(x), F.layer_norm(tensor(x), (D,), tensor(ours.gain), tensor(ours.bias), ours.eps))
    ours = with_random_parameters(lab.RMSNorm(D, dtype=dtype))
    assert_same(ours(x), F.rms_norm(tensor(x), (D,), tensor(ours.gain), ours.eps))
    assert lab.LayerNorm(D).eps == nn.LayerNorm(D).eps


# ---- attention --------------------------------------------------------------------------------------------------

MASKS = {
    "none": None,
    "for all": random_mask(N, N_K),
    "a sequence": random_mask(BATCH, 1, N, N_K),
    "a head": random_mask(HEADS, N, N_K),
    "padding": lab.padding_mask([6, N_K]),
    "bias": rng(4).standard_normal((BATCH, HEADS, N, N_K)),
    "ALiBi": lab.alibi_bias(HEADS, N, N_K),
}


@every_dtype
@pytest.mark.parametrize("mask", MASKS)
def test_scaled_dot_product_attention(mask, dtype):
    q = normal(BATCH, HEADS, N, 3, dtype=dtype)
    k, v = normal(BATCH, HEADS, N_K, 3, dtype=dtype, seed=1), normal(BATCH, HEADS, N_K, 2, dtype=dtype, seed=2)
    mask = MASKS[mask]
    theirs = mask if mask is None or mask.dtype == bool else mask.astype(dtype)
    about = {"scale": 0.7}
    wanted = F.scaled_dot_product_attention(tensor(q), tensor(k), tensor(v), tensor(theirs), **about)
    assert_same(lab.scaled_dot_product_attention(q, k, v, mask, **about)[0], wanted)


@every_dtype
@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_and_causal_attention(kv_heads, dtype):
    q = normal(BATCH, 6, N, 3, dtype=dtype)
    k, v = (normal(BATCH, kv_heads, N, 3, dtype=dtype, seed=s) for s in (1, 2))
    about = {"is_causal": True, "enable_gqa": True}
    wanted = F.scaled_dot_product_attention(tensor(q), tensor(k), tensor(v), **about)
    assert_same(lab.scaled_dot_product_attention(q, k, v, **about)[0], wanted)


@every_dtype
@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_multi_head_attention_with_grouped_heads(kv_heads, dtype):
    ours = with_random_parameters(
        lab.MultiHeadAttention(D, 6, num_kv_heads=kv_heads, bias=True, rng=rng(), dtype=dtype)
    )
    x = normal(BATCH, N, D, dtype=dtype)

    def projected(role, heads):
        projection = F.linear(tensor(x), tensor(getattr(ours, f"W_{role}").T), tensor(getattr(ours, f"b_{role}")))
        return projection.view(BATCH, N, heads, D // 6).transpose(1, 2)

    q, k, v = projected("q", 6), projected("k", kv_heads), projected("v", kv_heads)
    mixed = F.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2).reshape(BATCH, N, D)
    assert_same(ours(x)[0], F.linear(mixed, tensor(ours.W_o.T), tensor(ours.b_o)))


def their_attention(ours, theirs):
    """Give nn.MultiheadAttention our weights: of query, key and value in one array where their widths are equal."""
    if theirs.in_proj_weight is None:
        for role in "qkv":
            give(getattr(theirs, f"{role}_proj_weight"), getattr(ours, f"W_{role}"))
    else:
        give(theirs.in_proj_weight, np.concatenate([ours.W_q, ours.W_k, ours.W_v], axis=1))
    give(theirs.out_proj.weight, ours.W_o)
    if ours.b_q is not None:
        give(theirs.in_proj_bias, np.concatenate([ours.b_q, ours.b_k, ours.b_v]))
        give(theirs.out_proj.bias, ours.b_o)
    return theirs


@every_dtype
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("d_memory", [D, D_MEMORY])
@pytest.mark.parametrize("mask", MASKS)
def test_multi_head_attention(mask, d_memory, bias, dtype):
    ours = lab.MultiHeadAttention(D, HEADS, d_memory=d_memory, bias=bias, rng=rng(), dtype=dtype)
    ours = with_random_parameters(ours)
    about = {"kdim": d_memory, "vdim": d_memory, "bias": bias, "batch_first": True}
    theirs = their_attention(ours, nn.MultiheadAttention(D, HEADS, **about, dtype=tensor(ours.W_q).dtype))
    x = normal(BATCH, N, D, dtype=dtype)
    key, value = (normal(BATCH, N_K, d_memory, dtype=dtype, seed=s) for s in (1, 2))
    mask = MASKS[mask]
    output, weights = ours(x, key, value, mask)
    if mask is not None:  # theirs: (batch * heads, n_q, n_k), True = hidden
        mask = np.broadcast_to(mask, (BATCH, HEADS, N, N_K)).reshape(BATCH * HEADS, N, N_K)
        mask = tensor(~mask if mask.dtype == bool else mask.astype(dtype))
    given = (tensor(a) for a in (x, key, value))
    their_output, their_weights = theirs(*given, attn_mask=mask, average_attn_weights=False)
    assert_same(output, their_output)
    assert_same(weights, their_weights)


# ---- blocks -----------------------------------------------------------------------------------------------------


def with_biases(block, dtype):
    """Our attention in a block has no biases, theirs has: give ours some."""
    for part in vars(block).values():
        if isinstance(part, lab.MultiHeadAttention):
            for name in ("b_q", "b_k", "b_v", "b_o"):
                setattr(part, name, np.zeros(D, dtype))
    return with_random_parameters(block)


def their_block(ours, theirs, attentions):
    for name, their_name in attentions.items():
        their_attention(getattr(ours, name), getattr(theirs, their_name))
    for name, their_name in (("up", "linear1"), ("down", "linear2")):
        give(getattr(theirs, their_name).weight, getattr(ours.feed_forward, name).weight)
        give(getattr(theirs, their_name).bias, getattr(ours.feed_forward, name).bias)
    for i in range(1, 2 + len(attentions)):
        give(getattr(theirs, f"norm{i}").weight, getattr(ours, f"norm_{i}").gain)
        give(getattr(theirs, f"norm{i}").bias, getattr(ours, f"norm_{i}").bias)
    return theirs.train()  # in evaluation PyTorch takes another path, which knows fewer masks; nothing is dropped


@every_dtype
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_encoder_block(norm, activation, dtype):
    ours = with_biases(
        lab.EncoderBlock(D, HEADS, D_FF, norm=norm, activation=activation, rng=rng(), dtype=dtype), dtype
    )
    about = {"norm_first": norm == "pre", "activation": activation, "dropout": 0.0, "batch_first": True}
    theirs = nn.TransformerEncoderLayer(D, HEADS, D_FF, **about, dtype=tensor(ours.attention.W_q).dtype)
    their_block(ours, theirs, {"attention": "self_attn"})
    x, padding = normal(BATCH, N, D, dtype=dtype), lab.padding_mask([4, N])
    assert_same(ours(x)[0], theirs(tensor(x)))
    assert_same(ours(x, is_causal=True)[0], theirs(tensor(x), src_mask=tensor(~lab.causal_mask(N))))
    assert_same(ours(x, padding)[0], theirs(tensor(x), src_key_padding_mask=tensor(~padding[:, 0, 0])))


@every_dtype
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_decoder_block(norm, dtype):
    ours = with_biases(lab.DecoderBlock(D, HEADS, D_FF, norm=norm, rng=rng(), dtype=dtype), dtype)
    about = {"norm_first": norm == "pre", "dropout": 0.0, "batch_first": True}
    theirs = nn.TransformerDecoderLayer(D, HEADS, D_FF, **about, dtype=tensor(ours.self_attention.W_q).dtype)
    their_block(ours, theirs, {"self_attention": "self_attn", "cross_attention": "multihead_attn"})
    x, memory, padding = (
        normal(BATCH, N, D, dtype=dtype),
        normal(BATCH, N_K, D, dtype=dtype, seed=1),
        lab.padding_mask([4, N_K]),
    )
    masks = {"tgt_mask": tensor(~lab.causal_mask(N)), "memory_key_padding_mask": tensor(~padding[:, 0, 0])}
    assert_same(ours(x, memory, memory_mask=padding)[0], theirs(tensor(x), tensor(memory), **masks))


@every_dtype
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_encoder(norm, dtype):
    ours = lab.Encoder(3, D, HEADS, D_FF, norm=norm, rng=rng(), dtype=dtype)
    float_type = tensor(ours.blocks[0].attention.W_q).dtype
    layer = nn.TransformerEncoderLayer(
        D, HEADS, D_FF, norm_first=norm == "pre", dropout=0.0, batch_first=True, dtype=float_type
    )
    last = nn.LayerNorm(D, dtype=float_type) if norm == "pre" else None
    theirs = nn.TransformerEncoder(layer, 3, norm=last, enable_nested_tensor=False)
    for block, their in zip(ours.blocks, theirs.layers):
        their_block(with_biases(block, dtype), their, {"attention": "self_attn"})
    x = normal(BATCH, N, D, dtype=dtype)
    assert_same(ours(x)[0], theirs(tensor(x)))
