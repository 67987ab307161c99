"""Errors of forecasts, against scikit-learn and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error as of_sklearn

from attention_lab.metrics.forecast import coverage, error_interval, mean_absolute_error

RNG = np.random.default_rng(11)
FORECAST, TRUTH = RNG.normal(size=(2, 101, 7))
GAPPY = np.where(RNG.random(TRUTH.shape) < 0.3, np.nan, TRUTH)


def test_equals_scikit_learn():
    assert mean_absolute_error(FORECAST, TRUTH) == pytest.approx(of_sklearn(TRUTH, FORECAST))
    by_horizon = of_sklearn(TRUTH, FORECAST, multioutput="raw_values")
    np.testing.assert_allclose(mean_absolute_error(FORECAST, TRUTH, axis=0), by_horizon)


def test_what_was_not_measured_does_not_count():
    known = ~np.isnan(GAPPY)
    assert mean_absolute_error(FORECAST, GAPPY) == pytest.approx(of_sklearn(GAPPY[known], FORECAST[known]))
    column = known[:, 3]
    expected = of_sklearn(GAPPY[column, 3], FORECAST[column, 3])
    assert mean_absolute_error(FORECAST, GAPPY, axis=0)[3] == pytest.approx(expected)
    unheard = np.where(known, FORECAST, np.nan)  # a forecast may be silent where nothing was measured
    assert mean_absolute_error(unheard, GAPPY) == mean_absolute_error(FORECAST, GAPPY)


def test_a_horizon_without_a_truth_is_nan():
    truth = TRUTH.copy()
    truth[:, 2] = np.nan
    for found in (mean_absolute_error(FORECAST, truth, axis=0), coverage(-1, 1, truth, axis=0)):
        assert np.isnan(found).tolist() == [i == 2 for i in range(7)]
    low, high = error_interval(FORECAST, truth)
    assert np.isnan([low, high]).any(axis=0).tolist() == [i == 2 for i in range(7)]


def test_intervals_by_numpy():
    low, high = error_interval(FORECAST, TRUTH, share=0.6)
    np.testing.assert_allclose([low, high], np.quantile(TRUTH - FORECAST, [0.2, 0.8], axis=0))
    low, high = error_interval(FORECAST, GAPPY, share=0.5, axis=1)
    np.testing.assert_allclose([low, high], np.nanquantile(GAPPY - FORECAST, [0.25, 0.75], axis=1))


@given(st.sampled_from([0.1, 0.5, 0.8, 0.95]))
def test_on_its_own_errors_an_interval_holds_its_share(share):
    low, high = error_interval(FORECAST, TRUTH, share=share)
    held = coverage(FORECAST + low, FORECAST + high, TRUTH, axis=0)
    np.testing.assert_allclose(held, share, atol=2 / 101)


def test_coverage_by_hand():
    truth = [[1, 5], [2, 6], [3, np.nan]]
    assert coverage([1, 6], [2, 7], truth) == 3 / 5  # the ends count
    assert coverage([1, 6], [2, 7], truth, axis=0).tolist() == [2 / 3, 1 / 2]
    assert coverage([1, 6], [2, 7], truth, axis=1).tolist() == [1 / 2, 1, 0]


def test_what_cannot_be_is_refused_in_words():
    with pytest.raises(ValueError, match=r"forecast has shape \(7,\) but truth \(101, 7\)"):
        mean_absolute_error(FORECAST[0], TRUTH)
    with pytest.raises(ValueError, match="forecast is NaN where truth is a number"):
        mean_absolute_error(GAPPY, TRUTH)
    with pytest.raises(ValueError, match="truth has no number"):
        mean_absolute_error([1.0], [np.nan])
    with pytest.raises(ValueError, match="truth has no number"):
        mean_absolute_error([], [])
    with pytest.raises(ValueError, match="axis=2 does not exist in truth"):
        mean_absolute_error(FORECAST, TRUTH, axis=2)
    with pytest.raises(ValueError, match="share must be above 0 and below 1, got 80"):
        error_interval(FORECAST, TRUTH, share=80)
    with pytest.raises(ValueError, match="low must not be above high"):
        coverage(1, -1, TRUTH)
    with pytest.raises(ValueError, match=r"high has shape \(6,\), which does not fit truth"):
        coverage(0, np.ones(6), TRUTH)
    with pytest.raises(TypeError, match="truth is a masked array, whose mask would be lost"):
        mean_absolute_error(FORECAST, np.ma.masked_invalid(GAPPY))
    with pytest.raises(ValueError, match="truth holds inf: write NaN"):
        coverage(0, 1, [0.5, np.inf])
    with pytest.raises(ValueError, match="forecast is inf where truth is a number"):
        mean_absolute_error([np.inf, 1], [0, 1])
    assert coverage(-np.inf, np.inf, TRUTH) == 1
