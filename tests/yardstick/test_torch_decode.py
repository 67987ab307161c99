"""Decoding step by step, whole models and the cuts before a draw give the numbers of PyTorch's own."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import attention_lab as lab
from tests.yardstick.test_torch import (
    FLOATS,
    TOLERANCE,
    D,
    assert_same,
    every_dtype,
    normal,
    rng,
    tensor,
    their_block,
    with_biases,
    with_random_parameters,
)

BATCH, N, HEADS, D_FF, VOCABULARY = 2, 9, 6, 17, 13
IDS = rng().integers(0, VOCABULARY, (BATCH, N))
REAL = np.arange(N) < np.array([[5], [N]])


class TheirCache:
    """Two buffers, preallocated, and views of what is filled."""

    def __init__(self, kv_heads, dtype):
        self.buffers, self.end = torch.zeros(2, BATCH, kv_heads, N, D // HEADS, dtype=dtype), 0

    def append(self, key, value):
        n = key.shape[-2]
        for buffer, new in zip(self.buffers, (key, value)):
            buffer[:, :, self.end : self.end + n] = new
        self.end += n
        return [buffer[:, :, : self.end] for buffer in self.buffers]


def their_step(ours, cache, x, window=None):
    """Project, keep, attend under the mask of these rows, project."""

    def projected(role, heads):
        return F.linear(x, tensor(getattr(ours, f"W_{role}").T)).unflatten(-1, (heads, -1)).transpose(1, 2)

    kv_heads, n = ours.num_kv_heads, x.shape[-2]
    keys, values = cache.append(projected("k", kv_heads), projected("v", kv_heads))
    mask = lab.causal_mask(n, cache.end) if window is None else lab.sliding_window_mask(n, cache.end, window=window)
    mixed = F.scaled_dot_product_attention(projected("q", HEADS), keys, values, tensor(mask), enable_gqa=True)
    return F.linear(mixed.transpose(1, 2).flatten(-2), tensor(ours.W_o.T))


@every_dtype
@pytest.mark.parametrize("window", [None, 3])
@pytest.mark.parametrize("kv_heads", [6, 2, 1])
@pytest.mark.parametrize("chunks", [[1] * N, [4, 1, 1, 3], [N]], ids=str)
def test_a_layer_with_a_cache(chunks, kv_heads, window, dtype):
    ours = lab.MultiHeadAttention(D, HEADS, num_kv_heads=kv_heads, rng=rng(), dtype=dtype)
    cache = lab.KVCache(window or N, on_full="slide" if window else "raise")
    theirs = TheirCache(kv_heads, tensor(ours.W_q).dtype)
    for part in np.split(normal(BATCH, N, D, dtype=dtype), np.cumsum(chunks)[:-1], axis=1):
        assert_same(ours(part, cache=cache)[0], their_step(ours, theirs, tensor(part), window))


# ---- whole models -----------------------------------------------------------------------------------------------


def their_encoder(encoder, dtype):
    kind = tensor(np.zeros(1, dtype)).dtype
    about = {"norm_first": True, "dropout": 0.0, "batch_first": True, "dtype": kind}
    layer = nn.TransformerEncoderLayer(D, HEADS, D_FF, **about)
    layers = len(encoder.blocks)
    theirs = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(D, dtype=kind), enable_nested_tensor=False)
    for block, their in zip(encoder.blocks, theirs.layers):
        their_block(with_biases(block, dtype), their, {"attention": "self_attn"})
    with torch.no_grad():
        theirs.norm.weight.copy_(tensor(encoder.final_norm.gain))
        theirs.norm.bias.copy_(tensor(encoder.final_norm.bias))
    return theirs


def language_model(dtype):
    about = {"num_layers": 2, "max_len": N, "rng": rng(), "dtype": dtype}
    return with_random_parameters(lab.LanguageModel(VOCABULARY, D, HEADS, D_FF, **about))


def their_logits(ours, theirs, table, ids):
    x = F.embedding(tensor(ids), table) + tensor(ours.learned.table)[: ids.shape[-1]]
    return theirs(x, mask=tensor(~lab.causal_mask(ids.shape[-1]))) @ table.T


@every_dtype
def test_language_model(dtype):
    ours = language_model(dtype)
    theirs = their_encoder(ours.encoder, dtype)
    wanted = their_logits(ours, theirs, tensor(ours.embed.table), IDS)
    assert_same(ours(IDS)[0], wanted)
    caches = ours.caches()
    assert_same(np.concatenate([ours(part, caches=caches)[0] for part in np.split(IDS, [4, 5], axis=1)], 1), wanted)


@every_dtype
def test_gradient_of_the_table_that_reads_and_writes(dtype):
    ours = language_model(dtype)
    theirs, table = their_encoder(ours.encoder, dtype), tensor(ours.embed.table).requires_grad_()
    logits = their_logits(ours, theirs, table, IDS)
    F.cross_entropy(logits[:, :-1].flatten(0, 1), tensor(IDS[:, 1:]).flatten()).backward()

    def loss(model, ids):
        return lab.cross_entropy(model(ids)[0][:, :-1], ids[:, 1:])

    got = lab.value_and_grad(loss)(ours, IDS)[1]["embed.table"]
    np.testing.assert_allclose(got, table.grad.numpy(), atol=10 * TOLERANCE[dtype])


@every_dtype
@pytest.mark.parametrize("pooling", ["mean", "attention"])
def test_text_classifier(pooling, dtype):
    about = {"num_layers": 2, "max_len": N, "pooling": pooling, "rng": rng(), "dtype": dtype}
    ours = with_random_parameters(lab.TextClassifier(VOCABULARY, 3, D, HEADS, D_FF, **about))
    theirs, real = their_encoder(ours.encoder, dtype), tensor(REAL)
    x = F.embedding(tensor(IDS), tensor(ours.embed.table)) + tensor(ours.positions.table)
    x = theirs(x, src_key_padding_mask=~real)
    if pooling == "attention":
        query = tensor(ours.pool.query).expand(BATCH, 1, D)
        pooled = F.scaled_dot_product_attention(query, x, x, real[:, None])[:, 0]
    else:
        pooled = (x * real[..., None]).sum(1) / real.sum(1, keepdim=True)
    assert_same(ours(IDS, REAL)[0], F.linear(pooled, tensor(ours.head.weight.T), tensor(ours.head.bias)))


# ---- the next token ---------------------------------------------------------------------------------------------


@every_dtype
@pytest.mark.parametrize("top_k", [None, 1, 4, VOCABULARY])
@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
def test_temperature_and_top_k(temperature, top_k, dtype):
    logits = normal(5, VOCABULARY, dtype=dtype)
    theirs = tensor(logits) / temperature
    if top_k is not None:
        values, places = theirs.topk(top_k)
        theirs = torch.full_like(theirs, -torch.inf).scatter(-1, places, values)
    assert_same(lab.next_probabilities(logits, temperature=temperature, top_k=top_k), theirs.softmax(-1))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("top_p", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_top_p(top_p, dtype):
    logits = normal(5, VOCABULARY, dtype=dtype, seed=1)
    chances, places = tensor(logits).softmax(-1).sort(descending=True)
    gone = (chances.cumsum(-1) - chances) >= top_p
    gone[..., 0] = False
    kept = chances.masked_fill(gone if top_p < 1 else torch.zeros_like(gone), 0)
    kept = kept / kept.sum(-1, keepdim=True)
    assert_same(lab.next_probabilities(logits, top_p=top_p), torch.zeros_like(kept).scatter(-1, places, kept))
