"""`fit`: what an interrupt keeps, and what is said when the numbers are lost."""

import math

import numpy as np
import pytest

import attention_lab as lab
from attention_lab import training
from tests.test_training import LINE, Copier, X, batches_of, line, mse, same, scripted, snapshot, tokens, tokens_loss


def interrupted_at(step, where):
    """Loss and batches of which one is interrupted in that step, counted from 0."""
    calls = {"loss": 0}

    def batches():
        for i, batch in enumerate(batches_of()):
            if where == "batches" and i == step:
                raise KeyboardInterrupt
            yield batch

    def loss(model, x, y):
        calls["loss"] += 1
        if where == "loss" and calls["loss"] == step + 1:
            raise KeyboardInterrupt
        return mse(model, x, y)

    return loss, batches()


@pytest.mark.parametrize("where", ["batches", "loss"])
@pytest.mark.parametrize("step", [0, 3])
def test_an_interrupt_keeps_what_was_learned(where, step):
    model, other = line(), line()
    history = lab.fit(model, *interrupted_at(step, where), steps=10, optimizer=(optimizer := lab.Adam(model)))
    assert history.stopped == "interrupted"
    assert history.steps == step
    whole = lab.fit(other, mse, batches_of(), steps=step)
    assert same(model, snapshot(other))
    assert np.array_equal(history.loss, whole.loss)
    assert lab.fit(model, mse, batches_of(), steps=2, optimizer=optimizer).steps == 2  # and training can go on


@pytest.mark.parametrize("where", ["progress", "validate", "schedule"])
def test_an_interrupt_may_come_anywhere(where):
    calls = []

    def stop(*args):
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return 0.1

    history = lab.fit(line(), mse, [LINE], steps=3, every=1, **{where: stop})
    assert history.stopped == "interrupted"
    assert history.steps == (0 if where == "schedule" else 1)


def test_an_interrupt_after_a_validation_gives_the_best_back():
    model = line()
    validate, seen = scripted([1.0, 2.0])
    loss, batches = interrupted_at(5, "loss")
    history = lab.fit(model, loss, batches, steps=10, validate=validate, every=2)
    assert history.stopped == "interrupted" and history.steps == 5
    assert same(model, seen[0])


def test_lost_numbers_name_the_step_and_the_first_parameter():
    model = Copier(0)
    model.block.feed_forward.up.bias[2] = np.nan
    model.head.bias[0] = np.inf

    def loss(model, ids, targets):
        return tokens_loss(model, ids, targets)

    before = snapshot(model)
    with pytest.raises(FloatingPointError) as caught:
        lab.fit(model, loss, [tokens()], steps=3)
    assert "step 0: " in str(caught.value)
    assert "and head.bias has come to inf: lower the learning rate" in str(
        caught.value
    )  # tokens, head, block: the order of the names
    assert all(np.array_equal(before[n], array, equal_nan=True) for n, array in lab.parameters(model).items())


@pytest.mark.parametrize("lost", [np.nan, np.inf])
def test_a_batch_that_spoils_the_loss_names_its_step_and_leaves_the_parameters(lost):
    model, kept = line(), []

    def batch(step):
        kept.append(snapshot(model))
        return (X, np.full_like(X, lost)) if step == 2 else LINE

    with pytest.raises(
        FloatingPointError, match=r"step 2: the loss is (nan|inf), and the gradient of weight has come to (nan|inf)"
    ):
        lab.fit(model, mse, batch, steps=5)
    assert same(model, kept[2])


def test_a_lost_gradient_of_a_finite_loss_is_found_at_its_step():
    class Root:
        parameters = ("a", "b")

        def __init__(self):
            self.a, self.b = np.ones(2), np.zeros(3)

    def loss(model):
        return (model.a**2).sum() + (model.b**0.5).sum()  # the root's slope at 0

    with pytest.raises(FloatingPointError, match=r"step 0: the loss is 2, and the gradient of b has come to inf"):
        lab.fit(Root(), loss, [()], steps=3)


def test_a_run_that_diverges_says_so_and_warns_of_nothing():
    model = Copier(0)
    with pytest.raises(
        FloatingPointError, match=r"step \d+: .*, and tokens.table has come to .*: lower the learning rate"
    ):
        lab.fit(model, tokens_loss, [tokens()], steps=200, optimizer=lab.SGD(model, lr=1e30))


def test_an_error_of_the_loss_tells_the_step():
    with pytest.raises(ValueError, match="targets has shape") as caught:
        lab.fit(Copier(0), tokens_loss, [tokens(), (tokens()[0], np.zeros(2, int))], steps=3)
    assert caught.value.__notes__ == ["This happened where fit called loss in step 1, counted from 0."]


def test_a_validation_of_nan_is_refused():
    with pytest.raises(FloatingPointError, match="validate gave NaN after 2 steps"):
        lab.fit(line(), mse, [LINE], steps=3, validate=lambda model: math.nan, every=2)


def test_the_history_prints_the_same_on_every_machine():
    assert repr(training.History(np.array([0.123, 0.012]))) == "History(2 steps, finished)"
