"""Twenty steps of each optimiser end where PyTorch's end; so does one clipping."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import attention_lab as lab

STEPS = 20


class Pair:
    parameters = ("matrix", "row")

    def __init__(self, dtype):
        rng = np.random.default_rng(0)
        self.matrix, self.row = rng.normal(size=(3, 5)).astype(dtype), rng.normal(size=7).astype(dtype)


def gradients(step, dtype):
    rng = np.random.default_rng(100 + step)
    sizes = 10.0 ** rng.integers(-6, 3, size=2)
    shapes = {"matrix": (3, 5), "row": (7,)}
    return {name: (size * rng.normal(size=shapes[name])).astype(dtype) for name, size in zip(shapes, sizes)}


def torch_parameters(model):
    return {name: torch.nn.Parameter(torch.from_numpy(array.copy())) for name, array in lab.parameters(model).items()}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        (lab.Adam, torch.optim.Adam, {"lr": 0.01}),
        (lab.Adam, torch.optim.Adam, {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-3}),
        (lab.Adam, torch.optim.AdamW, {"lr": 0.01, "weight_decay": 0.1}),
        (lab.Adam, torch.optim.AdamW, {"lr": 0.1, "betas": (0.5, 0.9), "weight_decay": 0.5}),
        (lab.SGD, torch.optim.SGD, {"lr": 1e-3}),
        (lab.SGD, torch.optim.SGD, {"lr": 1e-3, "momentum": 0.9}),
        (lab.SGD, torch.optim.SGD, {"lr": 1e-3, "momentum": 0.9, "weight_decay": 0.1}),
    ],
)
def test_twenty_steps_are_theirs(ours, theirs, options, dtype):
    model = Pair(dtype)
    copies = torch_parameters(model)
    one, other = ours(model, **options), theirs(copies.values(), **options)
    for step in range(STEPS):
        grads = gradients(step, dtype)
        one.step(grads)
        for name, copy in copies.items():
            copy.grad = torch.from_numpy(grads[name].copy())
        other.step()
        for name, array in lab.parameters(model).items():
            assert_allclose(array, copies[name].detach().numpy(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("max_norm", [0.1, 1e9])
def test_clipping_is_theirs(max_norm):
    grads, copies = gradients(0, np.float64), torch_parameters(Pair(np.float64))
    for name, copy in copies.items():
        copy.grad = torch.from_numpy(grads[name].copy())
    clipped, norm = lab.clip_gradients(grads, max_norm)
    theirs = torch.nn.utils.clip_grad_norm_(copies.values(), max_norm)
    assert_allclose(norm, theirs.item(), rtol=1e-12)
    for name, copy in copies.items():
        assert_allclose(clipped[name], copy.grad.numpy(), rtol=1e-4)  # they divide by norm + 1e-6
