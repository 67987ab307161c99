"""Gradients by central differences: what every backward is held to. Of a large array some entries are looked at."""

import numpy as np
from numpy.testing import assert_allclose

from attention_lab import Tensor

STEP = 1e-5
ENTRIES = 30
LEADING = [  # shapes of query, key and value whose leading axes broadcast
    ((3, 7), (5, 7), (5, 2)),
    ((2, 3, 7), (5, 7), (5, 2)),
    ((3, 7), (2, 5, 7), (5, 2)),
    ((3, 7), (5, 7), (2, 5, 2)),
    ((2, 1, 3, 7), (3, 5, 7), (1, 5, 2)),
    ((0, 3, 7), (5, 7), (5, 2)),
]


def normal(*shape, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def first(result):
    return result[0] if isinstance(result, tuple) else result


def by_differences(function, arrays, seed):
    """The gradient of the sum of seed · function(*arrays), one number after the other; NaN where none was taken."""

    def value():
        return float((first(function(*arrays)) * seed).sum())

    gradients = [np.full(array.shape, np.nan) for array in arrays]
    for array, gradient in zip(arrays, gradients):
        places = np.random.default_rng(array.size).permutation(array.size)[:ENTRIES]
        for place in [tuple(np.argwhere(np.ones(array.shape))[i]) for i in places]:
            was = array[place]
            array[place] = was + STEP
            above = value()
            array[place] = was - STEP
            gradient[place] = (above - value()) / (2 * STEP)
            array[place] = was
    return gradients


def by_the_tape(function, arrays, seed):
    tensors = [Tensor(array) for array in arrays]
    result = first(function(*tensors))
    assert isinstance(result, Tensor)
    result.backward(seed.astype(result.dtype))
    return [tensor.grad for tensor in tensors]


def seed_of(function, arrays):
    """Other numbers for every entry of the result, so that no two are exchanged unseen."""
    return normal(*np.shape(first(function(*arrays))), seed=99)


def assert_gradients(function, *arrays, rtol=1e-6):
    """The tape's gradients, which come back, equal central differences; with float32 and float16 they are close."""
    arrays = [np.array(array, np.float64) for array in arrays]
    seed = seed_of(function, arrays)
    exact = by_the_tape(function, arrays, seed)
    for got, want in zip(exact, by_differences(function, arrays, seed)):
        assert got.dtype == np.float64
        assert got.shape == want.shape
        taken = ~np.isnan(want)
        assert_allclose(got[taken], want[taken], rtol=rtol, atol=1e-8 * max(1, np.abs(seed).max(initial=0)))
    for dtype, rtol in ((np.float32, 1e-4), (np.float16, 2e-2)):
        for got, want in zip(by_the_tape(function, [array.astype(dtype) for array in arrays], seed), exact):
            assert got.dtype == dtype
            assert got.shape == want.shape
            assert_allclose(got, want, rtol=rtol, atol=rtol * max(1, np.abs(want).max(initial=0)))
    return exact
