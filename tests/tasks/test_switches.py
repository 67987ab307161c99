"""A lamp and its switch: the state by hand, and two readers of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab.tasks.switches import SwitchReader, switches
from tests.test_layers_train import assert_trains

PRESSED = np.random.default_rng(0).integers(0, 2, (3, 7))
both = pytest.mark.parametrize("kind", ["GRU", "attention"])


def reader(kind, **about):
    return SwitchReader(6, kind, rng=np.random.default_rng(0), dtype=np.float64, **about)


def test_each_press_turns_the_light():
    pressed, on = switches(40, 11, rng=np.random.default_rng(1))
    for row, light in zip(pressed, on):
        state = 0
        for press, shown in zip(row, light):
            state = 1 - state if press else state
            assert state == shown
    assert 0.4 < pressed.mean() < 0.6


def test_a_seed_gives_the_same_texts():
    first, second, other = (switches(5, 9, rng=np.random.default_rng(seed))[0] for seed in (0, 0, 1))
    assert_array_equal(first, second)
    assert not np.array_equal(first, other)


@both
def test_a_reader_trains_and_sees_no_later_token(kind):
    model = reader(kind)
    assert_trains(model, lambda model, x: model(x), PRESSED, entries=2)
    logits = model(PRESSED)
    assert logits.shape == (3, 7, 2)
    other = PRESSED.copy()
    other[:, 4:] = 1 - other[:, 4:]
    assert_array_equal(model(other)[:, :4], logits[:, :4])
    assert (model(other)[:, 4:] != logits[:, 4:]).any()
    assert_allclose(model(PRESSED[1]), logits[1])


def test_what_each_is_made_of():
    names = {name.split(".")[0] for name in lab.parameters(reader("GRU"))}
    assert names == {"embed", "head", "gru"}
    assert len(reader("attention", num_layers=3).encoder.blocks) == 3


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: switches(0, 3, rng=np.random.default_rng(0)), "size must be at least 1"),
        (lambda: switches(3, 0, rng=np.random.default_rng(0)), "n must be at least 1"),
        (lambda: switches(3, 3, rng=1), "rng"),
        (lambda: reader("LSTM"), "reader must be one of"),
        (lambda: reader("GRU")([[0, 2]]), "pressed must lie between 0 and 1"),
    ],
)
def test_what_cannot_be_is_refused(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
