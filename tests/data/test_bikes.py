"""The committed bike hire, and windows that do not look ahead."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.data import bikes as module
from attention_lab.data.bikes import FREE, HOLIDAY, KINDS, bike_days, bikes, day_windows
from attention_lab.data.splits import SPLITS

DAYS = bike_days()
DATA = {split: bikes(split) for split in SPLITS}


def test_a_year_of_hours_with_gaps():
    assert DAYS.counts.shape == (365, 24)
    assert np.isnan(DAYS.counts).sum() == 115
    assert np.nanmin(DAYS.counts) == 1
    assert np.nanmax(DAYS.counts) == 651
    assert np.nansum(DAYS.counts) == 1_243_103  # the whole year in the source's table of days


def test_dates_go_on_day_by_day_and_kinds_follow_the_calendar():
    assert list(DAYS.dates) == [date(2011, 1, 1) + timedelta(i) for i in range(365)]
    holidays = [day for day, kind in zip(DAYS.dates, DAYS.kinds, strict=True) if kind == HOLIDAY]
    assert len(holidays) == 10
    assert {date(2011, 7, 4), date(2011, 11, 24)} <= set(holidays)
    others = [(day.weekday(), kind) for day, kind in zip(DAYS.dates, DAYS.kinds, strict=True) if kind != HOLIDAY]
    assert all(weekday == kind for weekday, kind in others)
    assert [KINDS[kind] for kind in range(8) if FREE[kind]] == ["Saturday", "Sunday", "holiday"]


def test_splits_follow_each_other_and_share_no_target():
    dates = [DATA[split].dates for split in SPLITS]
    assert [len(days) for days in dates] == [236, 61, 61]
    together = [day for days in dates for day in days]
    assert together == sorted(set(together))
    assert together == list(DAYS.dates[7:])


@pytest.mark.parametrize("ahead", [1, 2, 7])
@pytest.mark.parametrize("split", SPLITS)
def test_a_history_ends_before_its_target(split, ahead):
    windows = bikes(split, days=7, ahead=ahead)
    index = {day: i for i, day in enumerate(DAYS.dates)}
    for row, day in enumerate(windows.dates):
        past = np.arange(7) + index[day] - ahead - 6
        assert past[-1] == index[day] - ahead
        np.testing.assert_array_equal(windows.history[row], DAYS.counts[past])
        np.testing.assert_array_equal(windows.target[row], DAYS.counts[index[day]])
        np.testing.assert_array_equal(windows.kinds[row], DAYS.kinds[past])
        assert windows.kind[row] == DAYS.kinds[index[day]]


def test_changing_a_target_changes_no_training_window(monkeypatch):
    """Whatever happens from the first day of a split on, no window of the splits before it knows of it."""
    later = DAYS.counts.copy()
    later[list(DAYS.dates).index(module.STARTS[1]) :] += 1000
    monkeypatch.setattr(module, "_read", lambda: DAYS._replace(counts=later))
    for now, before in zip(bikes("train"), DATA["train"], strict=True):
        np.testing.assert_array_equal(now, before)


@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 30))
def test_windows_of_numbered_days(days, ahead, more):
    """Days that carry their number: each history counts up to the day before, and the target is `ahead` later."""
    numbered = np.arange(days + ahead + more)
    history, target = day_windows(numbered, days, ahead)
    assert history.shape == (more + 1, days)
    np.testing.assert_array_equal(np.diff(history, axis=1), 1)
    np.testing.assert_array_equal(history[:, -1] + ahead, target)
    assert (history.max(axis=1) < target).all()
    assert target[-1] == numbered[-1]


def test_nothing_after_the_origin_enters_a_history():
    counts = np.arange(11 * 24.0).reshape(11, 24)
    history, _ = day_windows(counts, days=3)
    for origin in range(3, 11):
        changed = counts.copy()
        changed[origin:] = np.nan
        np.testing.assert_array_equal(day_windows(changed, days=3)[0][: origin - 2], history[: origin - 2])


def test_a_reader_changes_only_a_copy():
    for array in (*bike_days()[1:], *bikes("test")[:4]):
        array[:] = 0
    np.testing.assert_array_equal(bike_days().counts, DAYS.counts)
    for now, before in zip(bikes("test"), DATA["test"], strict=True):
        np.testing.assert_array_equal(now, before)
    counts = np.arange(5)
    day_windows(counts, 2)[1][:] = 9
    assert counts.tolist() == [0, 1, 2, 3, 4]


def test_what_cannot_be_is_refused_in_words():
    with pytest.raises(ValueError, match="split must be one of 'train', 'validation', 'test' but is 'dev'"):
        bikes("dev")
    with pytest.raises(ValueError, match="days must be at least 1, got 0"):
        bikes("test", days=0)
    with pytest.raises(TypeError, match="ahead must be a whole number"):
        day_windows([1, 2, 3], 1, 1.5)
    with pytest.raises(ValueError, match=r"counts has shape \(3,\): one window takes 3 \+ 1 days"):
        day_windows([1, 2, 3], 3)
    with pytest.raises(ValueError, match=r"counts has shape \(\)"):
        day_windows(5.0, 1)
    with pytest.raises(ValueError, match="leave no window in 'train'"):
        bikes("train", days=300)
