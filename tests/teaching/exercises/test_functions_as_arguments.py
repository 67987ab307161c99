"""Exercises that hand over functions, and lesson 06's mistakes: what a learner is told names them rightly."""

import numpy as np
import pytest

from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.exercises.checker import assess
from attention_lab.teaching.exercises.results import describe

PRE_NORM, BLOCK, LAYER_NORM = (EXERCISES[name] for name in ("pre_norm", "encoder_block", "layer_norm"))


class Doubles:
    def __call__(self, x):
        return 2 * x


def test_a_function_is_told_by_its_name_and_text_in_quotes():
    assert describe(PRE_NORM, PRE_NORM.cases[0]) == "x (3, 5), norm rms_norm, sublayer square_plus_one"
    assert describe(PRE_NORM, (np.zeros((3, 5)), Doubles(), np.exp)) == "x (3, 5), norm Doubles, sublayer exp"
    assert describe(BLOCK, BLOCK.cases[1]).endswith("norm_2 centre, place 'post'")


CALLED = "call it, as in `norm(x)`."


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x, norm, sublayer: x + sublayer(norm), CALLED),
        (lambda x, norm, sublayer: x + norm, CALLED),
        (lambda x, norm, sublayer: x + norm.mean(axis=-1), CALLED),
        (lambda x, norm, sublayer: norm, "`result` is a function that was not called"),
        (lambda x, sublayer, norm: x + sublayer(norm(x)), "come in the order (x, norm, sublayer)"),
        (lambda x, norm, sublayer: x + norm(x), "given x (3, 5), norm rms_norm, sublayer square_plus_one. Print each"),
        (lambda x, norm, sublayer: x + norm(sublayer(norm(x))), "should be"),  # no norm after the sublayer alone
    ],
)
def test_what_is_said_of_a_function_used_wrongly(function, words):
    said = assess(PRE_NORM, function)
    assert not said.passed
    assert words in said.message
    assert "A known cause" not in said.message


def test_a_stream_that_is_changed_in_place(monkeypatch):
    def adds_in_place(x, norm, sublayer):
        x += sublayer(norm(x))
        return x

    said = assess(PRE_NORM, adds_in_place)
    assert said.status == "error"
    assert "`x += ...` writes into the array of whoever calls" in said.message
    monkeypatch.setattr(PRE_NORM, "cases", [case for case in PRE_NORM.cases if case[0].dtype.kind == "f"])
    assert "changes its input `x`" in assess(PRE_NORM, adds_in_place).message


def over_axis_1(x, gain, bias):
    spread = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    return (x - x.mean(axis=1, keepdims=True)) / spread * gain + bias


def test_a_stack_is_told_from_a_matrix_though_vectors_and_functions_stand_beside_it():
    single = "A single matrix comes out right"
    assert single in assess(LAYER_NORM, over_axis_1).message
    moved = assess(PRE_NORM, lambda x, norm, sublayer: x + sublayer(norm(x)) * (x.ndim == 2)).message
    assert single in moved
    assert single not in assess(LAYER_NORM, lambda x, gain, bias: 0 * x).message


@pytest.mark.parametrize("axis", [0, (0, 1), None])
def test_other_ways_to_norm_over_the_wrong_axes(axis):
    def norm(x, gain, bias):
        axes = axis if axis is None or x.ndim > 2 else (0 if axis == 0 else (0, 1))
        centred = x - x.mean(axis=axes, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=axes, keepdims=True) + 1e-5) * gain + bias

    cause = "each feature over the tokens" if axis == 0 else "the future leaks"
    assert cause in assess(LAYER_NORM, norm).message


def test_a_parameter_that_is_never_read_is_named():
    def forgets(x, W_1, b_1, W_2, b_2):
        return np.maximum(x @ W_1, 0) @ W_2 + b_2

    assert "never uses `b_1`" in assess(EXERCISES["feed_forward"], forgets).message


@pytest.mark.parametrize(
    ("pre", "post", "words"),
    [
        ((1, 1), (1, 1), "the first norm before the second"),
        ((1, 2), (1, 2), "Correct"),
        ((2, 1), (2, 1), "should be"),
    ],
)
def test_which_norm_goes_with_which_sublayer(pre, post, words):
    def block(x, attend, forward, norm_1, norm_2, place):
        norms = {1: norm_1, 2: norm_2}
        first, second = (norms[which] for which in (pre if place == "pre" else post))
        if place == "pre":
            x = x + attend(first(x))
            return x + forward(second(x))
        x = first(x + attend(x))
        return second(x + forward(x))

    assert words in assess(BLOCK, block).message
