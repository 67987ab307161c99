"""The faults of lesson 14's gallery do what the lesson says of them; its references agree with the package."""

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error as of_sklearn

from attention_lab.data.bikes import bike_days, bikes, day_windows
from attention_lab.metrics.forecast import mean_absolute_error
from attention_lab.tasks.forecasting import DayHourForecaster
from attention_lab.teaching.exercises import EXERCISES, lesson_14_gallery
from tests.teaching.exercises.shown import assert_stands_alone

SHOWN = [
    lesson_14_gallery.faulty_windows,
    lesson_14_gallery.faulty_scaled,
    lesson_14_gallery.faulty_error,
    lesson_14_gallery.faulty_split,
]
COUNTS = np.random.default_rng(0).gamma(2, 50, size=(31, 5))


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


def test_each_window_holds_its_own_target():
    history, target = lesson_14_gallery.faulty_windows(COUNTS, 7)
    np.testing.assert_array_equal(history[:, -1], target)
    right = day_windows(COUNTS, 7)[0]
    assert not (right == target[1:, None]).any()


def test_scaling_tells_the_past_of_the_future():
    """One large number at the end moves every history; in counts it moves none."""
    later = COUNTS.copy()
    later[-1] *= 10
    for windows, moves in ((lesson_14_gallery.faulty_scaled, True), (day_windows, False)):
        before, after = windows(COUNTS, 7)[0][:-1], windows(later, 7)[0][:-1]
        assert (before != after).any((1, 2)).tolist() == [moves] * 23


def test_a_scaled_error_is_in_no_ones_unit():
    model, data = DayHourForecaster(rng=np.random.default_rng(0)), bikes("test")
    fair = mean_absolute_error(model(data.history, data.kinds, data.kind)[0], data.target)
    scaled = lesson_14_gallery.faulty_error(model, *data[:4])
    assert scaled * np.ptp(data.history[~np.isnan(data.history)]) == pytest.approx(fair, rel=1e-4)
    assert scaled < 1 < fair


def test_a_shuffled_split_learns_from_the_days_around_each_test_day():
    numbered = np.arange(7, 365)
    (_, learned), (_, tested) = lesson_14_gallery.faulty_split(numbered, numbered, np.random.default_rng(0))
    assert sorted([*learned, *tested]) == numbered.tolist()
    assert (np.abs(learned[:, None] - tested).min(0) <= 2).mean() > 0.9
    in_order = bikes("train").dates[-1], bikes("test").dates[0]
    assert (in_order[1] - in_order[0]).days > 60


def test_the_references_agree_with_the_package_and_with_scikit_learn():
    counts = bike_days().counts
    for own, theirs in zip(EXERCISES["day_windows"].reference(counts, 7), day_windows(counts, 7), strict=True):
        np.testing.assert_array_equal(own, theirs)
    forecast, truth = COUNTS[1:], COUNTS[:-1]
    found = EXERCISES["mae_by_horizon"].reference(forecast, truth)
    np.testing.assert_allclose(found, of_sklearn(truth, forecast, multioutput="raw_values"))


def test_seasonal_naive_by_hand():
    found = EXERCISES["seasonal_naive"].reference(np.array([5, 6, 7, 8]), 3, 5)
    assert found.tolist() == [6, 7, 8, 6, 7]
