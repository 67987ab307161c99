"""Simple forecasts, by hand, by loops and against scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from attention_lab.baselines.forecast import LeastSquares, filled, like_days, same_hour

RNG = np.random.default_rng(13)
HISTORY, TARGET, GROUP = RNG.normal(size=(101, 7, 5)), RNG.normal(size=(101, 5)), RNG.integers(3, size=101)


def test_same_hour_takes_one_day():
    np.testing.assert_array_equal(same_hour(HISTORY), HISTORY[:, 6])
    np.testing.assert_array_equal(same_hour(HISTORY, days_ago=7), HISTORY[:, 0])
    np.testing.assert_array_equal(same_hour(HISTORY[0], days_ago=2), HISTORY[0, 5])


def test_like_days_equals_loops():
    like = RNG.random((101, 7)) < 0.3
    assert not like.any(1).all()  # some windows hold no day like the target: then all count
    for which in ("last", "mean"):
        found = like_days(HISTORY, like, which)
        for row in range(101):
            days = [d for d in range(7) if like[row, d]] or range(7)
            expected = HISTORY[row, days[-1]] if which == "last" else sum(HISTORY[row, d] for d in days) / len(days)
            np.testing.assert_allclose(found[row], expected)


def test_gaps_are_filled_with_the_hours_own_mean():
    history = np.where(RNG.random(HISTORY.shape) < 0.3, np.nan, HISTORY)
    full, gaps = filled(history), np.isnan(history)
    np.testing.assert_array_equal(full[~gaps], history[~gaps])
    for row, day, hour in np.argwhere(gaps)[:50]:
        others = history[row, :, hour]
        assert full[row, day, hour] == pytest.approx(np.nanmean(others) if not np.isnan(others).all() else 0)
    assert np.isnan(history).any()  # a copy was filled


def rows(x):
    """What scikit-learn regresses on: seven days' values of an hour, and an indicator of it."""
    return np.concatenate([x.swapaxes(1, 2), np.tile(np.eye(5), (len(x), 1, 1))], -1).reshape(-1, 12)


@pytest.mark.parametrize("groups", [1, 3])
def test_least_squares_equals_scikit_learn(groups):
    """One regression a group."""
    group = GROUP % groups
    model = LeastSquares(HISTORY, group, TARGET, groups)
    fresh = RNG.normal(size=(11, 7, 5))
    for own in range(groups):
        here = group == own
        oracle = LinearRegression(fit_intercept=False).fit(rows(HISTORY[here]), TARGET[here].ravel())
        expected = oracle.predict(rows(fresh)).reshape(11, 5)
        np.testing.assert_allclose(model(fresh, np.full(11, own)), expected, atol=1e-9)


def test_least_squares_finds_what_it_can_say():
    weights, constants = RNG.normal(size=(3, 7)), RNG.normal(size=(3, 5))
    target = np.einsum("nd,ndh->nh", weights[GROUP], HISTORY) + constants[GROUP]
    target[0, 0] = np.nan  # not measured: left out, not learned as 0
    model = LeastSquares(HISTORY, GROUP, target, 3)
    fresh = RNG.normal(size=(7, 5))
    np.testing.assert_allclose(model(fresh, 2), weights[2] @ fresh + constants[2], atol=1e-9)


def test_no_baseline_writes_into_its_history():
    history = np.where(RNG.random(HISTORY.shape) < 0.3, np.nan, HISTORY)
    before = history.copy()
    same_hour(history)[:] = 0
    like_days(history, np.ones((101, 7), bool))
    LeastSquares(history, GROUP, TARGET, 3)(history, GROUP)
    np.testing.assert_array_equal(history, before)


def test_what_cannot_be_is_refused_in_words():
    with pytest.raises(ValueError, match="days_ago=8 but the history has 7 days"):
        same_hour(HISTORY, days_ago=8)
    with pytest.raises(ValueError, match=r"history must be \(..., days, hours\), not empty, got shape \(5,\)"):
        same_hour(HISTORY[0, 0])
    with pytest.raises(ValueError, match=r"like has shape \(7,\): expected \(101, 7\), one for each day"):
        like_days(HISTORY, np.ones(7, bool))
    with pytest.raises(ValueError, match="which must be one of 'last', 'mean', got 'first'"):
        like_days(HISTORY, np.ones((101, 7), bool), "first")
    with pytest.raises(ValueError, match="target has shape"):
        LeastSquares(HISTORY, GROUP, TARGET[:, :4], 3)
    with pytest.raises(ValueError, match="group"):
        LeastSquares(HISTORY, GROUP, TARGET, 2)
    model = LeastSquares(HISTORY, GROUP, TARGET, 3)
    with pytest.raises(ValueError, match=r"history must be \(..., 7, 5\), got \(101, 6, 5\)"):
        model(HISTORY[:, 1:], GROUP)
    with pytest.raises(ValueError, match=r"group has shape \(\): expected \(101,\), one a window"):
        model(HISTORY, 0)
