"""The answers of lessons 07 and 08, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

from attention_lab import SGD, Tensor, cross_entropy, differentiable, scaled_dot_product_attention, softmax
from attention_lab.functional import dropout
from attention_lab.operations import exp
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class Unmasked:
    """Numbers that no mask can set to 0."""

    def __init__(self, scores):
        self.positive = exp(scores)

    def __mul__(self, visible):
        return self.positive


class Overwritten(Tensor):
    """Its gradient is the first that arrives."""

    def __setattr__(self, name, value):
        if name == "grad" and value is not None:
            value = self.__dict__.setdefault("first", value)
        super().__setattr__(name, value)


class Forgetful(Tensor):
    """It does not see a product with itself."""

    def __mul__(self, other):
        return self.data * other.data


@differentiable(lambda grad, p: (p * (1 - p) * grad,))
def diagonal_only(x):
    return softmax(x), softmax(x)


def centred(x, gain, bias, eps):
    return x - x.mean(-1, keepdims=True)


def never_dropped(query, key, value, **about):
    return scaled_dot_product_attention(query, key, value)


def of_output(query, key, value, **about):
    output, weights = scaled_dot_product_attention(query, key, value)
    return dropout(output, about.get("dropout", 0), about.get("rng")), weights


def without_zeros(scores):
    return softmax(np.where(scores == 0, -np.inf, scores))


def by_root(x, rate, rng):
    return dropout(x, rate, rng) * np.sqrt(1 - rate)


def misses(logits, targets):
    return 1 - np.exp(-cross_entropy(logits, targets))


def backwards(query, key, value):
    return scaled_dot_product_attention(query[::-1], key, value)


def tamed(query, key, value):
    return scaled_dot_product_attention(query / 4, key / 4, value)


# What is asked, the right option, what is broken and how, and the option that is then computed: None if none fits.
ANSWERS = [
    ("saturated-softmax", "next to nothing", "softmax", lambda x: x, "16 times as much"),
    ("whole-jacobian", "[0.5, −0.5]", "softmax", diagonal_only, "[0, −0.5]"),
    ("masked-row-gradient", "in it and in every key", "exp", Unmasked, "nowhere, all are finite"),
    ("backward-twice", "12", "Tensor", Overwritten, "6"),
    ("used-twice", "11", "Tensor", Forgetful, "5"),
    ("rows-of-jacobian", "0", "softmax", diagonal_only, "p_i (1 − p_i)"),
    ("because-softmax_backward", "each score is in every divisor", "softmax", diagonal_only, None),
    (
        "because-layer_norm_backward",
        "two ways to move x change nothing",
        "layer_norm",
        centred,
        "gain and bias are two parameters",
    ),
    ("dropout-rows", "1 on average, single rows vary", "attention", never_dropped, "1 in every row"),
    ("drop-scores", "the largest weight of all", "softmax", without_zeros, "weight 0, it is gone"),
    ("weights-or-outputs", "none and 0.1", "attention", of_output, "0.1 and 0.1"),
    (
        "validation-below-training",
        "dropout, on in training only",
        "attention",
        never_dropped,
        "the validation set is easier",
    ),
    ("because-dropout", "the expected value then stays", "dropout", by_root, "the variance then stays"),
    ("loss-at-the-start", "about 3.9", "cross_entropy", misses, "about 0.98"),
    ("loss-of-two-classes", "about 0.69", "cross_entropy", misses, "about 0.50"),
    (
        "shift-by-one",
        "to copy, with a loss near 0",
        "causal_mask",
        lambda n: np.tri(n, k=-1, dtype=bool),
        "nothing, the mask hides them",
    ),
    ("reversed-map", "the anti-diagonal", "attention", backwards, "the diagonal"),
    ("first-adam-step", "0.001 and 0.001", "Adam", SGD, "0.1 and 0.00001"),
    ("because-warmup", "first steps are full-sized guesses", "Adam", SGD, "first gradients are too small"),
    ("start-scale", "above 0.8, one key has all", "attention", tamed, "about 0.35, as before"),
    ("bounded-logits", "norming queries and keys", "rms_norm", lambda x, gain: x, None),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    assert {row[0] for row in ANSWERS} == {id for id, item in BANK.items() if item.lesson in ("07", "08")}
