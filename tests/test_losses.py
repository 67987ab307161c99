"""Cross-entropy: closed forms, loops over single numbers, gradients, what does not count, what is refused."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import Tensor, cross_entropy, softmax
from tests.differences import assert_gradients, by_the_tape, normal

LOGITS = normal(2, 3, 5)
TARGETS = np.array([[4, 0, 1], [1, 1, 3]])
IGNORED = np.array([[4, -100, 1], [-100, 1, 3]])


def by_loops(logits, targets, ignore_index=None, smooth=0.0):
    found = []
    for place in np.ndindex(targets.shape):
        if targets[place] == ignore_index:
            continue
        row = [float(x) for x in logits[place]]
        log_sum = math.log(sum(math.exp(x) for x in row))
        aims = [smooth / len(row) + (1 - smooth) * (j == targets[place]) for j in range(len(row))]
        found.append(sum(aim * (log_sum - x) for aim, x in zip(aims, row)))
    return sum(found) / len(found)


@pytest.mark.parametrize("smooth", [0.0, 0.1, 0.9])
@pytest.mark.parametrize(("targets", "ignored"), [(TARGETS, None), (IGNORED, -100), (TARGETS, 1), (TARGETS, 7)])
def test_by_loops_and_differences(targets, ignored, smooth):
    about = {"ignore_index": ignored, "label_smoothing": smooth}
    assert cross_entropy(LOGITS, targets, **about) == pytest.approx(
        by_loops(LOGITS, targets, ignored, smooth), rel=1e-12
    )
    assert_gradients(lambda logits: cross_entropy(logits, targets, **about), LOGITS)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3, 1)], ids=str)
def test_any_leading_axes(shape):
    targets = np.random.default_rng(0).integers(0, 5, shape)
    assert_gradients(lambda logits: cross_entropy(logits, targets), normal(*shape, 5))


def test_closed_forms():
    assert cross_entropy(np.zeros((7, 5)), np.arange(7) % 5) == pytest.approx(math.log(5), rel=1e-12)
    assert cross_entropy([0.0, math.log(3)], 1) == pytest.approx(math.log(4 / 3), rel=1e-12)
    assert cross_entropy([[0.0, 1000.0]], [0]) == 1000
    assert cross_entropy([[0.0, 1000.0]], [1]) == 0


def test_the_gradient_is_what_the_softmax_has_too_much():
    (to_logits,) = by_the_tape(lambda x: cross_entropy(x, TARGETS), [LOGITS], np.ones(()))
    assert_allclose(to_logits, (softmax(LOGITS) - np.eye(5)[TARGETS]) / 6, rtol=1e-12)
    assert_allclose(to_logits.sum(-1), 0, atol=1e-15)


def test_what_is_ignored_changes_nothing():
    about = {"ignore_index": -100, "label_smoothing": 0.1}
    logits = LOGITS.copy()
    logits[IGNORED == -100] = [1e4, -np.inf, 0, 0, 0]
    assert cross_entropy(logits, IGNORED, **about) == cross_entropy(LOGITS, IGNORED, **about)
    (got,), (want,) = (
        by_the_tape(lambda x: cross_entropy(x, IGNORED, **about), [x], np.ones(())) for x in (logits, LOGITS)
    )
    assert_array_equal(got, want)
    assert not got[IGNORED == -100].any()


@pytest.mark.parametrize("targets", [np.full((2, 3), -100), np.zeros((0, 3), int)], ids=["ignored", "none"])
def test_where_no_target_counts_the_loss_and_its_gradient_are_0(targets):
    logits = Tensor(LOGITS[: len(targets)])
    loss = cross_entropy(logits, targets, ignore_index=-100)
    loss.backward()
    assert float(loss) == 0
    assert not logits.grad.any()


def test_a_class_that_is_ruled_out():
    """A logit of -inf: as if that class did not exist."""
    ruled_out = np.insert(LOGITS, 5, -np.inf, axis=-1)
    with np.errstate(all="raise"):
        assert cross_entropy(ruled_out, TARGETS) == cross_entropy(LOGITS, TARGETS)
        got = by_the_tape(lambda x: cross_entropy(x, TARGETS), [ruled_out], np.ones(()))[0]
    assert_allclose(
        got[..., :5], by_the_tape(lambda x: cross_entropy(x, TARGETS), [LOGITS], np.ones(()))[0], rtol=1e-12
    )
    assert not got[..., 5].any()
    assert cross_entropy([[0.0, -np.inf]], [1]) == math.inf


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_is_kept_and_a_long_mean_does_not_overflow(dtype):
    logits = Tensor(np.zeros((100_000, 2), dtype))
    loss = cross_entropy(logits, np.zeros(100_000, int))
    assert loss.dtype == dtype
    assert loss.shape == ()
    assert float(loss) == pytest.approx(math.log(2), rel=1e-3)
    loss.backward(np.array(1000.0))
    assert logits.grad.dtype == dtype
    assert_allclose(logits.grad[0], [-0.005, 0.005], rtol=2e-3)


def test_what_is_refused_in_words():
    for logits, targets, about, message in (
        (LOGITS, TARGETS.T, {}, r"targets has shape (3, 2): expected (2, 3), one for each row of logits (2, 3, 5)"),
        (LOGITS, TARGETS + 1, {}, "targets must lie between 0 and 4, got 1 to 5"),
        (LOGITS, IGNORED, {}, "targets must lie between 0 and 4, got -100 to 4"),
        (LOGITS, TARGETS, {"label_smoothing": 1.0}, "label_smoothing must be at least 0 and below 1, got 1.0"),
        (3.0, 1, {}, "targets has shape ()"),
        ([[0.0, np.nan]], [0], {}, "must be below +inf and not NaN"),
    ):
        with pytest.raises(ValueError) as caught:
            cross_entropy(logits, targets, **about)
        assert message in str(caught.value)
    for targets, about, message in (
        (TARGETS / 1, {}, "targets must be whole numbers, got dtype float64"),
        (TARGETS, {"ignore_index": 0.5}, "ignore_index must be a whole number"),
        (Tensor(TARGETS), {}, "targets must be whole numbers, got dtype float64"),
    ):
        with pytest.raises(TypeError) as caught:
            cross_entropy(LOGITS, targets, **about)
        assert message in str(caught.value)
