"""Patches and a matrix are PyTorch's convolution, forwards and backwards."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import attention_lab as lab
from attention_lab.tasks.digits import patches

SIZES = [((8, 8, 1), 3, 1, 1), ((7, 9, 3), 3, 2, 1), ((6, 5, 2), 2, 2, 0), ((9, 9, 4), 5, 3, 2)]


@pytest.mark.parametrize(("shape", "size", "stride", "padding"), SIZES)
def test_a_convolution(shape, size, stride, padding):
    rng, channels = np.random.default_rng(0), shape[-1]
    x, kernel = rng.normal(size=(2, *shape)), rng.normal(size=(size, size, channels, 6))
    image = torch.tensor(x.transpose(0, 3, 1, 2), requires_grad=True)
    weight = torch.tensor(kernel.transpose(3, 2, 0, 1).copy(), requires_grad=True)
    theirs = torch.nn.functional.conv2d(image, weight, stride=stride, padding=padding)

    ours, matrix = lab.Tensor(x), lab.Tensor(kernel.reshape(-1, 6))
    result = patches(ours, size, stride=stride, padding=padding) @ matrix
    assert_allclose(result.data, theirs.detach().numpy().transpose(0, 2, 3, 1), atol=1e-12)

    seed = rng.normal(size=result.shape)
    result.backward(seed)
    theirs.backward(torch.tensor(seed.transpose(0, 3, 1, 2).copy()))
    assert_allclose(ours.grad, image.grad.numpy().transpose(0, 2, 3, 1), atol=1e-12)
    assert_allclose(matrix.grad.reshape(kernel.shape), weight.grad.numpy().transpose(2, 3, 1, 0), atol=1e-12)
