"""The exercise that is a training: any model passes that learned from the examples, no rule that was written down."""

import time

import numpy as np
import pytest

import attention_lab
from attention_lab.teaching.exercises import EXERCISES, check, runner, solution
from attention_lab.teaching.exercises.checker import assess
from attention_lab.teaching.exercises.lesson_08_make import Reverser

pytestmark = pytest.mark.slow  # the whole bank: `make test` runs it

REVERSE = EXERCISES["train_reverse"]


def trained(inputs, targets, steps=60, kind=Reverser):
    """A model that went through its examples in batches of 32."""
    model = kind(inputs.max() + 1, inputs.shape[1], np.random.default_rng(5))
    batches = [(inputs[at : at + 32], targets[at : at + 32]) for at in range(0, len(inputs) - 31, 32)]
    attention_lab.fit(model, Reverser.loss, batches, steps=steps, optimizer=attention_lab.Adam(model, lr=0.02))
    return model


def by_the_loss_of_the_lesson(inputs, targets, unseen):
    return trained(inputs, inputs[:, ::-1])(unseen).argmax(-1)


def on_what_is_unseen(inputs, targets, unseen):
    return trained(unseen, unseen[:, ::-1])(unseen).argmax(-1)


def copied_by_hand(inputs, targets, unseen):
    return unseen


def turned_back(inputs, targets, unseen):
    return trained(inputs, targets)(unseen).argmax(-1)[:, ::-1]


def softly(inputs, targets, unseen):
    return attention_lab.softmax(trained(inputs, targets, steps=3)(unseen))


def pairs_shuffled_apart(inputs, targets, unseen):
    return trained(inputs, np.random.default_rng(0).permutation(targets))(unseen).argmax(-1)


def always_zero(inputs, targets, unseen):
    return np.zeros(unseen.shape)


def by_distance(inputs, targets, unseen):
    return targets[np.abs(inputs - unseen[:, None]).sum(axis=-1).argmin(axis=-1)]


def stopped_early(inputs, targets, unseen):
    return trained(inputs, targets, steps=13)(unseen).argmax(-1)


def unlike_from_run_to_run(inputs, targets, unseen):
    right = REVERSE.answer(inputs, targets, unseen)
    return np.where(np.random.default_rng().random(right.shape) < 0.5, right, 0)


def of_the_examples(inputs, targets, unseen):
    return trained(inputs, targets, steps=3)(inputs).argmax(-1)


def as_amounts(inputs, targets, unseen):
    return unseen[:, ::-1] + 0.25


class Placeless(Reverser):
    def __call__(self, tokens):
        return self.to_logits(self.attention(self.embedding(tokens))[0])


def without_positions(inputs, targets, unseen):
    return trained(inputs, targets, kind=Placeless)(unseen).argmax(-1)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (by_the_loss_of_the_lesson, "you wrote the rule down, in your answer or in the targets of your loss"),
        (on_what_is_unseen, "you wrote the rule down, in your answer or in the targets of your loss"),
        (copied_by_hand, "Your model copies"),
        (turned_back, "something is turned round once too often"),
        (softly, "`logits.argmax(-1)`"),
        (pairs_shuffled_apart, "Do inputs and targets stay pairs"),
        (always_zero, "You return one token for all, 0, and"),
        (by_distance, "you look up what you know by heart"),
        (stopped_early, "of the 1,393 unseen tokens are right, and 95% are asked for"),
        (unlike_from_run_to_run, "of the 1,393 unseen tokens are right, and 95% are asked for"),
        (without_positions, "see that the model knows positions"),
        (of_the_examples, "`predicted` has shape (997, 7) and should have (199, 7)"),
        (as_amounts, "holds fractions"),
    ],
)
def test_what_goes_wrong_is_told_whatever_the_numbers(function, words):
    said = assess(REVERSE, function)
    assert said.status == "wrong"
    assert words in said.message
    assert "Called again" not in said.message


def test_plain_reversal_is_right_in_the_first_case_and_in_no_token_of_the_second():
    shares = [(REVERSE.answer(*case) == case[2][:, ::-1]).mean() for case in REVERSE.cases]
    assert shares == [1, 0]


def test_nothing_unseen_is_among_the_examples_and_the_rule_holds_for_all_of_these():
    for inputs, targets, unseen in REVERSE.cases:
        together = np.concatenate([inputs, unseen])
        assert len(np.unique(together, axis=0)) == len(together)
        np.testing.assert_array_equal(REVERSE.answer(inputs, targets, inputs), targets)


@pytest.mark.parametrize(("errors", "status"), [(0.04, "correct"), (0.07, "wrong")])
def test_a_few_wrong_tokens_are_forgiven(errors, status):
    def nearly(inputs, targets, unseen):
        right = REVERSE.answer(inputs, targets, unseen)
        wrong = np.arange(right.size).reshape(right.shape) < errors * right.size
        return np.where(wrong, (right + 1) % right.max(), right)

    assert assess(REVERSE, nearly).status == status


def test_it_has_a_time_limit_of_its_own(monkeypatch):
    def slow(inputs, targets, unseen):
        time.sleep(0.2)
        return REVERSE.answer(inputs, targets, unseen)

    monkeypatch.setattr(runner, "LIMIT", 0.1)
    assert REVERSE.limit == 30
    assert assess(REVERSE, slow).passed
    monkeypatch.setattr(REVERSE, "limit", 0.3)
    assert "so it was stopped (the limit is 0.3 s; given inputs (997, 5)" in assess(REVERSE, slow).message


def test_a_wrong_answer_is_told_without_training_anything(monkeypatch):
    monkeypatch.setattr(attention_lab.teaching.exercises.lesson_08_make, "fit", None)
    assert "Your model copies" in assess(REVERSE, copied_by_hand).message


@pytest.mark.slow
def test_the_solution_stands_alone(monkeypatch):
    monkeypatch.setattr(REVERSE, "attempts", 0)
    assert not check.train_reverse(copied_by_hand).passed
    names = {**vars(attention_lab), "np": np, "cross_entropy": attention_lab.losses.cross_entropy}
    exec(str(solution.train_reverse()), names)
    assert len(str(solution.train_reverse()).splitlines()) <= 25
    assert assess(REVERSE, names["train_reverse"]).passed
