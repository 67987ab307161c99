"""The recurrent layer gives the numbers and the gradients of PyTorch's own, padded texts and both ways included."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import attention_lab as lab

BATCH, N, D_IN, D = 4, 7, 5, 6
LENGTHS = np.array([N, 1, 4, 6])
TOLERANCE = {np.float32: 1e-5, np.float64: 1e-12}
every_dtype = pytest.mark.parametrize("dtype", TOLERANCE)


def normal(*shape, dtype, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def pair_of(dtype):
    """A layer of ours for each way, and one of theirs for both, with the same weights; theirs are (3 d, d_in)."""
    ours = [lab.GRU(D_IN, D, rng=np.random.default_rng(seed), dtype=dtype) for seed in (0, 1)]
    theirs = nn.GRU(D_IN, D, batch_first=True, bidirectional=True, dtype=torch.tensor(ours[0].of_input.bias).dtype)
    for layer, way in zip(ours, ("", "_reverse")):
        for i, array in enumerate(lab.parameters(layer).values()):
            array += 0.1 * normal(*array.shape, dtype=dtype, seed=i)  # biases start at 0
        for part, kind in ((layer.of_input, "ih"), (layer.of_state, "hh")):
            with torch.no_grad():
                getattr(theirs, f"weight_{kind}_l0{way}").copy_(torch.tensor(part.weight.T))
                getattr(theirs, f"bias_{kind}_l0{way}").copy_(torch.tensor(part.bias))
    return ours, theirs


def read(theirs, x, real):
    """(batch, n, 2 d), zeros at the pads: of lengths, which is all that theirs knows of a mask."""
    lengths = torch.tensor(real.sum(-1))
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(theirs(packed)[0], batch_first=True, total_length=N)[0]


@every_dtype
@pytest.mark.parametrize("lengths", [np.full(BATCH, N), LENGTHS], ids=["whole", "padded"])
def test_states_and_gradients_both_ways(lengths, dtype):
    ours, theirs = pair_of(dtype)
    x, real = normal(BATCH, N, D_IN, dtype=dtype), np.arange(N) < lengths[:, None]
    seed = normal(BATCH, N, 2 * D, dtype=dtype, seed=9) * real[..., None]
    their_x = torch.tensor(x, requires_grad=True)
    wanted = read(theirs, their_x, real)
    (wanted * torch.tensor(seed)).sum().backward()
    to_x = np.zeros_like(x)
    for i, (layer, way) in enumerate(zip(ours, ("", "_reverse"))):
        half = slice(i * D, (i + 1) * D)
        states = layer(x, real, reverse=i == 1)
        assert states.dtype == dtype
        assert_close((states * real[..., None]), wanted[..., half])
        tensor = lab.Tensor(x)
        layer(tensor, real, reverse=i == 1).backward(seed[..., half])
        to_x += tensor.grad
        _, gradients = lab.value_and_grad(lambda model, i=i, half=half: loss(model, x, real, i == 1, seed[..., half]))(
            layer
        )
        for part, kind in (("of_input", "ih"), ("of_state", "hh")):
            assert_close(gradients[f"{part}.weight"].T, getattr(theirs, f"weight_{kind}_l0{way}").grad)
            assert_close(gradients[f"{part}.bias"], getattr(theirs, f"bias_{kind}_l0{way}").grad)
    assert_close(to_x, their_x.grad)


def loss(model, x, real, reverse, seed):
    return (model(x, real, reverse=reverse) * seed).sum()


def assert_close(got, want):
    want = want.detach().numpy()
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    assert_allclose(got, want, rtol=0, atol=TOLERANCE[got.dtype.type] * max(1, np.abs(want).max()))


@every_dtype
def test_the_memory_of_a_translator_is_the_sum_of_both_ways(dtype):
    model = lab.RecurrentSeq2Seq(9, 7, D_IN, rng=np.random.default_rng(0), dtype=dtype)
    (model.forwards, model.backwards), theirs = pair_of(dtype)
    ids, real = np.random.default_rng(0).integers(0, 9, (BATCH, N)), np.arange(N) < LENGTHS[:, None]
    both = read(theirs, torch.tensor(model.embed_source.table[ids]), real)
    assert_close(model.encode(ids, real)[0] * real[..., None], both[..., :D] + both[..., D:])


@every_dtype
def test_additive_attention_by_broadcasting(dtype):
    attention = lab.AdditiveAttention(D_IN, D, 3, rng=np.random.default_rng(0), dtype=dtype)
    query, key = normal(BATCH, 2, D_IN, dtype=dtype), normal(BATCH, N, D, dtype=dtype, seed=1)
    real = np.arange(N) < LENGTHS[:, None]
    tensors, twins = [lab.Tensor(a) for a in (query, key)], [torch.tensor(a, requires_grad=True) for a in (query, key)]
    output, weights = attention(*tensors, real)
    W_q, W_k, v = (torch.tensor(a) for a in (attention.W_q.weight, attention.W_k.weight, attention.v[:, 0]))
    scores = torch.tanh((twins[0] @ W_q)[:, :, None] + (twins[1] @ W_k)[:, None]) @ v
    wanted = scores.masked_fill(torch.tensor(~real)[:, None], -torch.inf).softmax(-1)
    assert_close(weights, wanted)
    assert_close(output.data, wanted @ twins[1])
    seed = normal(*output.shape, dtype=dtype, seed=9)
    output.backward(seed)
    (wanted @ twins[1]).backward(torch.tensor(seed))
    for tensor, twin in zip(tensors, twins):
        assert_close(tensor.grad, twin.grad)
