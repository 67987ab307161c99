"""`fit`: that it learns, when it stops, and what it keeps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import attention_lab as lab

X = np.array([[0.0], [1.0], [2.0]])
LINE = (X, 3 * X + 1)


class Copier:
    """Says which token stands where: the smallest model with attention."""

    def __init__(self, seed, dropout=0.0):
        rng = np.random.default_rng(seed)
        self.tokens, self.head = lab.Embedding(11, 14, rng=rng), lab.Linear(14, 11, rng=rng)
        self.block = lab.EncoderBlock(14, 2, 17, dropout=dropout, rng=rng)

    def __call__(self, ids, rng=None):
        return self.head(self.block(self.tokens(ids), rng=rng)[0])


def tokens_loss(model, ids, targets, rng=None):
    return lab.cross_entropy(model(ids, rng), targets)


def tokens(seed=0):
    ids = np.random.default_rng(seed).integers(11, size=(3, 5))
    return ids, np.roll(ids, 1, axis=-1)


def mse(model, x, y):
    return ((model(x) - y) ** 2).mean()


def line(seed=0):
    return lab.Linear(1, 1, rng=np.random.default_rng(seed), dtype=np.float64)


def snapshot(model):
    return {name: array.copy() for name, array in lab.parameters(model).items()}


def same(model, arrays):
    return all(np.array_equal(array, arrays[name]) for name, array in lab.parameters(model).items())


def batches_of(seed=3):
    rng = np.random.default_rng(seed)
    while True:
        x = rng.normal(size=(7, 1))
        yield x, 3 * x + 1


# ---- it learns --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_one_batch_is_learned_by_heart(seed):
    model = Copier(seed)
    arrays = lab.parameters(model)
    history = lab.fit(model, tokens_loss, [tokens()], steps=60, optimizer=lab.Adam(model, lr=0.02), clip=1.0)
    assert history.loss.shape == (60,)
    assert history.loss[0] > 1.5
    assert history.loss[-1] < 0.2 * history.loss[0]
    assert history.stopped == "finished"
    assert all(array is arrays[name] for name, array in lab.parameters(model).items())


def test_a_step_of_fit_is_the_gradient_handed_to_the_optimiser():
    ours, byhand = line(), line()
    history = lab.fit(ours, mse, [LINE], steps=4)
    optimizer = lab.Adam(byhand)
    for step in range(4):
        loss, gradients = lab.value_and_grad(mse)(byhand, *LINE)
        assert loss == history.loss[step]  # before the step
        optimizer.step(gradients)
    assert same(ours, snapshot(byhand))


def test_schedule_and_clip_reach_the_step():
    ours, byhand, asked = line(), line(), []

    def schedule(step):
        asked.append(step)
        return 0.1 / (step + 1)

    lab.fit(ours, mse, [LINE], steps=3, optimizer=lab.SGD(ours), schedule=schedule, clip=0.5)
    optimizer = lab.SGD(byhand)
    for step in range(3):
        gradients, norm = lab.clip_gradients(lab.value_and_grad(mse)(byhand, *LINE)[1], 0.5)
        assert norm > 0.5
        optimizer.step(gradients, lr=0.1 / (step + 1))
    assert asked == [0, 1, 2]
    assert same(ours, snapshot(byhand))


def test_rng_switches_dropout_on_and_is_reproducible():
    def losses(rng):
        model = Copier(0, dropout=0.5)
        return lab.fit(model, tokens_loss, [tokens()], steps=5, rng=rng).loss

    first, again = (losses(np.random.default_rng(4)) for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, losses(np.random.default_rng(5)))
    assert not np.array_equal(first, losses(None))


def test_a_second_fit_with_the_same_optimiser_goes_on():
    def batch(step):
        return tuple(np.random.default_rng(step).normal(size=(2, 7, 1)))

    def schedule(step):
        return lab.warmup_cosine(step, peak=0.1, warmup=3, total=12)

    whole, parts = line(), line()
    history = lab.fit(whole, mse, batch, steps=12, schedule=schedule)
    optimizer = lab.Adam(parts)
    pieces = [lab.fit(parts, mse, batch, steps=n, optimizer=optimizer, schedule=schedule) for n in (5, 0, 7)]
    assert same(parts, snapshot(whole))
    assert np.array_equal(np.concatenate([piece.loss for piece in pieces]), history.loss)


def test_tied_weights_are_trained_once():
    def tied(by_value):
        layer = lab.Linear(3, 3, bias=False, rng=np.random.default_rng(0), dtype=np.float64)
        return [layer, layer if by_value else lab.Linear(3, 3, bias=False)]

    def loss(model, x):
        return (model[0](model[0](x)) ** 2).mean()

    x = np.random.default_rng(1).normal(size=(5, 3))
    one, other = tied(True), tied(False)
    two_names = lab.Linear(3, 3, bias=False)
    two_names.weight = one[0].weight
    one[1] = two_names
    lab.fit(one, lambda model, x: (model[1](model[0](x)) ** 2).mean(), [(x,)], steps=3)
    lab.fit(other[0], lambda model, x: loss([model], x), [(x,)], steps=3)
    assert one[0].weight is one[1].weight
    assert_allclose(one[0].weight, other[0].weight, rtol=1e-12)


# ---- batches ----------------------------------------------------------------------------------------------------


def test_a_list_is_begun_anew_and_a_generator_is_not_drawn_too_far():
    seen = []

    def loss(model, name, x):
        seen.append(name)
        return model(x).sum()

    assert lab.fit(line(), loss, [("a", X), ("b", X)], steps=5).stopped == "finished"
    assert seen == list("ababa")
    generator = batches_of()
    lab.fit(line(), mse, generator, steps=2)
    third = list(zip(range(3), batches_of()))[2][1]
    assert np.array_equal(next(generator)[0], third[0])


def test_a_generator_that_ends_ends_the_run():
    history = lab.fit(line(), mse, (LINE for _ in range(3)), steps=5)
    assert history.stopped == "out of batches"
    assert history.steps == len(history.loss) == 3


def test_a_function_of_the_step_counts_from_0():
    asked = []
    lab.fit(line(), mse, lambda step: asked.append(step) or LINE, steps=3)
    assert asked == [0, 1, 2]


@pytest.mark.parametrize(
    ("batches", "error", "message"),
    [
        ([], ValueError, "batches is empty"),
        (iter(()), ValueError, "batches is empty"),
        (3, TypeError, "batches must be an iterable of tuples or a function of the step, got 3"),
        (LINE, TypeError, "got ndarray: give [(x, y)] to train on one batch"),
        ([X], TypeError, "a batch must be a tuple of what the loss takes, got ndarray"),
        (lambda step: None, TypeError, "got NoneType"),
    ],
)
def test_batches_that_are_none_are_refused(batches, error, message):
    model = line()
    before = snapshot(model)
    with pytest.raises(error) as caught:
        lab.fit(model, mse, batches, steps=3)
    assert message in str(caught.value)
    assert same(model, before)


def test_no_steps_change_nothing_and_draw_nothing():
    model, drawn = line(), []
    before = snapshot(model)
    history = lab.fit(model, mse, lambda step: drawn.append(step) or LINE, steps=0, validate=lambda model: 1.0)
    assert same(model, before) and not drawn
    assert history.loss.shape == history.validation.shape == (0,)
    assert repr(history) == "History(0 steps, finished)"


# ---- validation -------------------------------------------------------------------------------------------------


def scripted(values):
    """A validation that gives these numbers, and what the parameters were each time."""
    values, seen = iter(values), []

    def validate(model):
        seen.append(snapshot(model))
        return next(values)

    return validate, seen


def test_early_stopping_gives_the_best_back():
    model = line()
    arrays = lab.parameters(model)
    validate, seen = scripted([3.0, 1.0, 1.0, 2.0, 0.0])
    history = lab.fit(model, mse, [LINE], steps=100, validate=validate, every=4, patience=2)
    assert history.stopped == "no improvement"
    assert history.validation.tolist() == [3, 1, 1, 2]
    assert history.validated.tolist() == [4, 8, 12, 16]
    assert history.steps == 16
    assert same(model, seen[1]) and not same(model, seen[3])
    assert all(array is arrays[name] for name, array in lab.parameters(model).items())


def test_an_improvement_renews_the_patience():
    validate, _ = scripted([3.0, 4.0, 2.0, 4.0, 1.0, 4.0])
    history = lab.fit(line(), mse, [LINE], steps=6, validate=validate, every=1, patience=2)
    assert history.stopped == "finished"


def test_the_best_comes_back_without_patience_too_and_the_last_step_is_validated():
    model = line()
    validate, seen = scripted([2.0, 1.0, 3.0])
    history = lab.fit(model, mse, [LINE], steps=7, validate=validate, every=3)
    assert history.validated.tolist() == [3, 6, 7]
    assert history.stopped == "finished"
    assert same(model, seen[1])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"steps": -1}, ValueError, "steps must be at least 0"),
        ({"steps": 2.5}, TypeError, "steps must be a whole number"),
        ({"patience": 3}, ValueError, "patience needs validate"),
        ({"patience": 0, "validate": float}, ValueError, "patience must be at least 1"),
        ({"validate": 3}, TypeError, "validate must be a function"),
        ({"every": 0}, ValueError, "every must be at least 1"),
        ({"clip": 0}, ValueError, "clip must be above 0"),
        ({"rng": 7}, TypeError, "rng must be a numpy.random.Generator"),
        ({"schedule": 0.1}, TypeError, "schedule must be a function"),
        ({"progress": True}, TypeError, "progress must be a function"),
        ({"optimizer": lab.SGD(line())}, ValueError, "optimizer was made for another model"),
        ({"loss": None}, TypeError, "loss must be a function"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_drawn(options, error, message):
    drawn = []
    with pytest.raises(error, match=message):
        lab.fit(line(), **{"loss": mse, "batches": drawn.append, "steps": 3} | options)
    assert not drawn
