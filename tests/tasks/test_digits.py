"""Patches of images: by loops, as a convolution, their gradients; and a reader of digits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab.tasks.digits import DigitReader, patches
from tests.differences import assert_gradients, normal
from tests.test_layers_train import assert_trains

SHAPES = [
    ((5, 7, 2), 3, 1, 0),
    ((0, 5, 7, 2), 3, 1, 0),
    ((2, 5, 7, 3), 3, 2, 1),
    ((7, 5, 1), 2, 2, 0),
    ((1, 1, 1), 1, 1, 0),
    ((3, 3, 2), 5, 3, 2),
]


def by_loops(x, size, stride, padding):
    height, width, channels = x.shape[-3:]
    framed = np.zeros((*x.shape[:-3], height + 2 * padding, width + 2 * padding, channels))
    framed[..., padding : padding + height, padding : padding + width, :] = x
    rows = range(0, height + 2 * padding - size + 1, stride)
    columns = range(0, width + 2 * padding - size + 1, stride)
    cut = [
        [framed[..., r : r + size, c : c + size, :].reshape(*x.shape[:-3], size * size * channels) for c in columns]
        for r in rows
    ]
    return np.moveaxis(np.array(cut), (0, 1), (-3, -2))


@pytest.mark.parametrize(("shape", "size", "stride", "padding"), SHAPES)
def test_patches_by_loops(shape, size, stride, padding):
    x = normal(*shape)
    cut = patches(x, size, stride=stride, padding=padding)
    assert_array_equal(cut, by_loops(x, size, stride, padding))
    assert patches(x.astype(np.float32), size, stride=stride, padding=padding).dtype == np.float32


@pytest.mark.parametrize(("shape", "size", "stride", "padding"), SHAPES)
def test_gradients_of_patches(shape, size, stride, padding):
    assert_gradients(lambda x: patches(x, size, stride=stride, padding=padding), normal(*shape))


def test_patches_and_a_matrix_are_a_convolution():
    x, kernel = normal(6, 9, 1), normal(3, 3)
    rows = np.stack([np.stack([(x[i : i + 3, j : j + 3, 0] * kernel).sum() for j in range(7)]) for i in range(4)])
    assert_allclose(patches(x, 3) @ kernel.ravel(), rows)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: patches(normal(4, 4, 1), 0), "size must be at least 1"),
        (lambda: patches(normal(4, 4, 1), 2, stride=0), "stride must be at least 1"),
        (lambda: patches(normal(4, 4, 1), 2, padding=-1), "padding must be at least 0"),
        (lambda: patches(normal(4, 4, 1), 5), "at least 5 by 5"),
        (lambda: patches(normal(4, 4), 2), "height, width, channels"),
        (lambda: DigitReader(16, 2)(normal(8, 7)), r"images must be \(..., 8, 8\)"),
        (lambda: DigitReader(16, 3), "does not divide"),
        (lambda: DigitReader(None, 2), "d_model must be a whole number, got None"),
        (lambda: DigitReader(0, 2, num_layers=0), "d_model must be at least 1"),
        (lambda: DigitReader(16, 2, stem="pixels"), "stem must be one of"),
        (lambda: DigitReader(16, 2, num_layers=-1), "num_layers"),
    ],
)
def test_what_cannot_be_is_refused(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def reader(stem="convolution", num_layers=1):
    return DigitReader(8, 2, stem=stem, num_layers=num_layers, rng=np.random.default_rng(0), dtype=np.float64)


@pytest.mark.parametrize("stem", ["convolution", "patches"])
@pytest.mark.parametrize("num_layers", [0, 1, 2])
def test_a_reader_of_digits(stem, num_layers):
    model, x = reader(stem, num_layers), normal(3, 8, 8)
    logits, weights = model(x)
    assert logits.shape == (3, 10)
    assert [each.shape for each in weights] == [(3, 2, 16, 16)] * num_layers
    assert_allclose(model(x[1])[0], logits[1])
    assert_trains(model, lambda model, x: model(x), x, entries=2)


@pytest.mark.parametrize("stem", ["convolution", "patches"])
@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
def test_a_batch_may_be_empty(stem, shape):
    logits, weights = reader(stem)(np.ones((*shape, 8, 8)))
    assert (logits.shape, weights[0].shape) == ((*shape, 10), (*shape, 2, 16, 16))


def test_without_blocks_a_patch_moves_its_own_token_alone():
    model, x = reader("patches", 0), normal(8, 8)
    other = x.copy()
    other[0:2, 2:4] += 1  # the second token
    change = (other - x)[:2, 2:4].reshape(4) @ model.embed.weight @ model.head.weight[8:16]
    assert_allclose(model(other)[0] - model(x)[0], change)


@pytest.mark.parametrize("stem", ["convolution", "patches"])
def test_a_reader_is_its_parts(stem):
    model, image = reader(stem), normal(8, 8)
    model.positions.table[:] = normal(16, 8, seed=3)
    places = image[..., None]
    if stem == "convolution":
        framed = np.pad(image, 1)
        flat = [[framed[r : r + 3, c : c + 3].ravel() @ model.convolve.weight for c in range(8)] for r in range(8)]
        places = np.maximum(np.array(flat) + model.convolve.bias, 0)
    tokens = [places[r : r + 2, c : c + 2].ravel() for r in range(0, 8, 2) for c in range(0, 8, 2)]
    x, weights = model.encoder(model.embed(np.array(tokens)) + model.positions.table)
    logits, ours = model(image)
    assert_allclose(logits, x.ravel() @ model.head.weight + model.head.bias)
    assert_allclose(ours, weights)


def test_every_pixel_is_read():
    x = normal(8, 8)
    for stem in ("convolution", "patches"):
        for at in np.ndindex(8, 8):
            other = x.copy()
            other[at] += 5
            assert not np.allclose(reader(stem)(other)[0], reader(stem)(x)[0])
    assert len(lab.parameters(reader("patches", 0))) + 2 == len(lab.parameters(reader("convolution", 0)))
