"""Optimisers against loops over single numbers, the schedule and the clipping against their closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import attention_lab as lab
from attention_lab.optimisers import first_not_finite, gradient_norm


class Pair:
    """Two parameters of different shapes; under a third name the first of them once more."""

    parameters = ("matrix", "row", "tied")

    def __init__(self, dtype=np.float64, tied=True, seed=0):
        rng = np.random.default_rng(seed)
        self.matrix, self.row = rng.normal(size=(3, 5)).astype(dtype), rng.normal(size=7).astype(dtype)
        self.tied = self.matrix if tied else None


def gradients(step, dtype=np.float64):
    rng = np.random.default_rng(100 + step)
    return {"matrix": rng.normal(size=(3, 5)).astype(dtype), "row": rng.normal(size=7).astype(dtype)}


def adam_of_one_number(theta, grads, lr, betas, eps, decay):
    """The algorithm of the paper, for a single number."""
    m = v = 0.0
    for t, g in enumerate(grads, start=1):
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g * g
        m_hat, v_hat = m / (1 - betas[0] ** t), v / (1 - betas[1] ** t)
        theta = theta - lr * decay * theta - lr * m_hat / (math.sqrt(v_hat) + eps)
        yield theta


def sgd_of_one_number(theta, grads, lr, momentum, decay):
    b = 0.0
    for g in grads:
        b = momentum * b + g + decay * theta
        theta = theta - lr * b
        yield theta


def assert_follows(optimizer, model, of_one_number, steps=20):
    """Every number of every parameter goes the way that the loop goes, at every step."""
    paths = {}
    for name, array in lab.parameters(model).items():
        for at in np.ndindex(array.shape):
            grads = [gradients(step)[name][at] for step in range(steps)]
            paths[name, at] = list(of_one_number(float(array[at]), grads))
    for step in range(steps):
        optimizer.step(gradients(step))
        for (name, at), path in paths.items():
            assert_allclose(getattr(model, name)[at], path[step], rtol=1e-12, atol=1e-14)
    assert optimizer.steps == steps


@pytest.mark.parametrize("decay", [0.0, 0.1])
@pytest.mark.parametrize(("betas", "eps"), [((0.9, 0.999), 1e-8), ((0.5, 0.7), 0.1), ((0.0, 0.0), 1.0)])
def test_adam_is_the_paper_s_loop(decay, betas, eps):
    model = Pair()
    optimizer = lab.Adam(model, lr=0.03, betas=betas, eps=eps, weight_decay=decay)
    assert_follows(optimizer, model, lambda theta, g: adam_of_one_number(theta, g, 0.03, betas, eps, decay))


@pytest.mark.parametrize("decay", [0.0, 0.1])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_sgd_is_its_loop(momentum, decay):
    model = Pair()
    optimizer = lab.SGD(model, lr=0.03, momentum=momentum, weight_decay=decay)
    assert_follows(optimizer, model, lambda theta, g: sgd_of_one_number(theta, g, 0.03, momentum, decay))


@pytest.mark.parametrize(("gradient", "moves"), [(1e8, 1), (1.0, 1), (-1e-3, -1), (1e-6, 1 / 1.01), (0.0, 0)])
def test_adam_s_first_step_is_lr_whatever_the_gradient(gradient, moves):
    layer = lab.Linear(1, 1, bias=False, dtype=np.float64)
    before = layer.weight.copy()
    lab.Adam(layer, lr=0.01).step({"weight": np.full((1, 1), gradient)})
    assert_allclose((before - layer.weight).item(), 0.01 * moves, rtol=2e-5)


def test_weight_decay_of_adam_does_not_pass_through_the_gradient():
    model = Pair()
    before = model.row.copy()
    lab.Adam(model, lr=0.1, weight_decay=0.5).step({"matrix": np.zeros((3, 5)), "row": np.zeros(7)})
    assert_allclose(model.row, before * (1 - 0.05))


@pytest.mark.parametrize("make", [lab.Adam, lab.SGD])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_parameters_are_written_in_place_and_keep_their_dtype(make, dtype):
    model = Pair(dtype)
    arrays, before = lab.parameters(model), model.matrix.copy()
    make(model, lr=0.1).step(gradients(0, dtype))
    assert model.matrix is arrays["matrix"] is model.tied
    assert model.row is arrays["row"]
    assert model.matrix.dtype == model.row.dtype == dtype
    assert (model.matrix != before).any()


@pytest.mark.parametrize("make", [lab.Adam, lab.SGD])
def test_tied_weights_move_once(make):
    tied, alone = Pair(tied=True), Pair(tied=False)
    for model in (tied, alone):
        optimizer = make(model, lr=0.1)
        for step in range(3):
            optimizer.step(gradients(step))
    assert np.array_equal(tied.matrix, alone.matrix)


@pytest.mark.parametrize("make", [lab.Adam, lab.SGD])
def test_a_rate_for_one_step_replaces_the_own_one_once(make):
    model, other = Pair(), Pair()
    one, two = make(model, lr=0.1), make(other, lr=0.3)
    one.step(gradients(0), lr=0.3)
    two.step(gradients(0))
    assert np.array_equal(model.matrix, other.matrix)
    one.step(gradients(1), lr=0.0)
    assert np.array_equal(model.matrix, other.matrix)
    assert one.lr == 0.1


@pytest.mark.parametrize("make", [lab.Adam, lab.SGD])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g.pop("row"), "row has no gradient"),
        (lambda g: g.update(other=np.ones(3)), "other is no parameter of the model"),
        (lambda g: g.update(row=np.ones(5)), "the gradient of row has shape (5,), but the parameter has (7,)"),
        (lambda g: g.update(matrix=np.ones((5, 3))), "the gradient of matrix has shape (5, 3)"),
    ],
)
def test_gradients_of_another_model_change_nothing(make, change, message):
    model = Pair()
    optimizer = make(model, lr=0.1)
    optimizer.step(gradients(0))
    before, wrong = [model.matrix.copy(), model.row.copy()], gradients(1)
    change(wrong)
    with pytest.raises(ValueError, match="gradients|gradient") as caught:
        optimizer.step(wrong)
    assert message in str(caught.value)
    assert np.array_equal(model.matrix, before[0]) and np.array_equal(model.row, before[1])
    assert optimizer.steps == 1
    untouched = make(twin := Pair(), lr=0.1)
    for step in (0, 1):
        untouched.step(gradients(step))
    optimizer.step(gradients(1))
    assert np.array_equal(model.matrix, twin.matrix)


@pytest.mark.parametrize(
    ("make", "options", "error", "message"),
    [
        (lab.Adam, {"lr": -1}, ValueError, "lr must be at least 0"),
        (lab.Adam, {"lr": "fast"}, TypeError, "lr must be a number"),
        (lab.Adam, {"betas": (0.9, 1.0)}, ValueError, "betas must be at least 0 and below 1"),
        (lab.Adam, {"betas": (0.9,)}, ValueError, "betas must be two numbers"),
        (lab.Adam, {"eps": -1e-8}, ValueError, "eps must be at least 0"),
        (lab.Adam, {"weight_decay": -1}, ValueError, "weight_decay must be at least 0"),
        (lab.SGD, {"lr": math.nan}, ValueError, "lr must be at least 0"),
        (lab.SGD, {"momentum": 1.0}, ValueError, "momentum must be at least 0 and below 1"),
    ],
)
def test_numbers_out_of_range_are_refused(make, options, error, message):
    with pytest.raises(error, match=message):
        make(Pair(), **options)


@pytest.mark.parametrize("make", [lab.Adam, lab.SGD])
def test_a_model_that_cannot_learn_is_refused(make):
    with pytest.raises(ValueError, match="model has no parameters to train: list"):
        make([])
    model = Pair()
    model.row.flags.writeable = False
    with pytest.raises(ValueError, match="parameter row is read-only"):
        make(model)
    with pytest.raises(ValueError, match="lr must be at least 0"):
        make(Pair()).step(gradients(0), lr=-1.0)


# ---- schedule ---------------------------------------------------------------------------------------------------


def test_warmup_cosine_is_its_closed_form():
    about = {"peak": 0.3, "warmup": 5, "total": 17, "floor": 0.1}
    rates = [lab.warmup_cosine(step, **about) for step in range(20)]
    assert_allclose(rates[:5], [0.3 * (step + 1) / 6 for step in range(5)])
    assert_allclose(rates[5:17], [0.2 + 0.1 * math.cos(math.pi * i / 12) for i in range(12)])
    assert rates[17:] == [0.1] * 3
    assert max(rates) == rates[5] == 0.3
    assert_allclose(rates[11], 0.2)  # half way down


@given(st.integers(0, 30), st.integers(0, 30), st.floats(0, 1), st.floats(0, 1))
def test_warmup_cosine_rises_then_falls(warmup, fall, low, more):
    rates = [
        lab.warmup_cosine(step, peak=low + more, warmup=warmup, total=warmup + fall, floor=low)
        for step in range(warmup + fall + 2)
    ]
    assert (np.diff(rates[: warmup + bool(fall)]) >= 0).all()
    assert (np.diff(rates[warmup:]) <= 1e-12).all()
    assert rates[-1] == low
    assert not fall or rates[warmup] == pytest.approx(low + more)
    assert not warmup or rates[0] >= (low + more) / (warmup + 1) * 0.999


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"step": -1}, ValueError, "step must be at least 0"),
        ({"step": 1.5}, TypeError, "step must be a whole number"),
        ({"total": 3}, ValueError, "total must be at least 4"),
        ({"floor": 2.0}, ValueError, "peak must be at least 2"),
        ({"floor": -1.0}, ValueError, "floor must be at least 0"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        lab.warmup_cosine(**{"step": 0, "peak": 1.0, "warmup": 4, "total": 9} | change)


# ---- clipping ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_clipping_shortens_all_by_one_factor(dtype):
    before = {"a": np.array([[3.0, 0.0]], dtype), "b": np.array([0.0, 4.0, 12.0], dtype)}
    clipped, norm = lab.clip_gradients(before, 6.5)
    assert norm == 13
    assert_allclose(clipped["a"], [[1.5, 0]], rtol=1e-3)
    assert_allclose(clipped["b"], [0, 2, 6], rtol=1e-3)
    assert all(grad.dtype == dtype for grad in clipped.values())
    assert before["a"][0, 0] == 3
    again, norm = lab.clip_gradients(clipped, 6.6)
    assert norm == pytest.approx(6.5, rel=1e-3)
    assert all(np.array_equal(again[name], clipped[name]) for name in clipped)


@pytest.mark.parametrize(
    ("dtype", "size"), [(np.float16, 6e4), (np.float32, 1e30), (np.float64, 1e300), (np.float32, 0)]
)
def test_the_norm_does_not_overflow(dtype, size):
    assert_allclose(gradient_norm({"a": np.full(9, size, dtype), "b": np.zeros((0, 3), dtype)}), 3 * size, rtol=1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_cannot_be_clipped(bad):
    wrong = {"a": np.ones(3), "b": np.array([1.0, bad]), "c": np.array([bad])}
    with pytest.raises(FloatingPointError, match="the gradient of b holds NaN or inf"):
        lab.clip_gradients(wrong, 1.0)
    assert not math.isfinite(gradient_norm(wrong))
    assert first_not_finite({"a": np.ones(3)}) is None
    with pytest.raises(ValueError, match="max_norm must be above 0"):
        lab.clip_gradients({}, 0)
