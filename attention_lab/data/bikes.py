"""Bikes hired in Washington, hour by hour through 2011 (README.md beside this file says whence), as windows in time.

A window is some days of 24 hours, the history, and one day after them, the target. Whatever stands in a history was
over before its target began: nothing looks ahead. An hour without a number is NaN in both.
"""

import csv
from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attention_lab.checks import check_size, numeric
from attention_lab.data.splits import SPLITS, check_split

KINDS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "holiday")
HOLIDAY = KINDS.index("holiday")
FREE = np.array([False] * 5 + [True] * 3)  # FREE[kind]: whether offices are closed
STARTS = (date(2011, 1, 1), date(2011, 9, 1), date(2011, 11, 1))  # the first target of train, validation and test


class BikeDays(NamedTuple):
    """Days in their order: `dates` (n,), `kinds` (n,) indices into KINDS, `counts` (n, 24) bikes, NaN = no number."""

    dates: tuple
    kinds: np.ndarray
    counts: np.ndarray


class BikeWindows(NamedTuple):
    """One row a window: what was known, and what was to come.

    `history` (n, days, 24) and `kinds` (n, days) are the past, the oldest day first; `target` (n, 24), `kind` (n,) and
    `dates` (n,) belong to the day that is forecast. The kind of a coming day is known from the calendar.
    """

    history: np.ndarray
    kinds: np.ndarray
    target: np.ndarray
    kind: np.ndarray
    dates: tuple


def bike_days():
    """All 365 days of 2011.

    Returns
    -------
    BikeDays

    Examples
    --------
    >>> days = bike_days()
    >>> days.counts.shape, KINDS[days.kinds[0]], days.counts[0, :3].tolist()
    ((365, 24), 'Saturday', [16.0, 40.0, 32.0])
    """
    dates, kinds, counts = _read()
    return BikeDays(dates, kinds.copy(), counts.copy())


def day_windows(counts, days=7, ahead=1):
    """Every target day with the days before it.

    history_i = counts[i : i + days],  target_i = counts[i + days + ahead - 1]

    Parameters
    ----------
    counts : array_like, (n, ...)
        One row a day, in their order.
    days : int
        How many days of history.
    ahead : int
        1 forecasts the day that follows the history, 2 the day after it, and so on.

    Returns
    -------
    history : ndarray, (n - days - ahead + 1, days, ...)
        NaN, inf and -inf stay where `counts` holds them.
    target : ndarray, (n - days - ahead + 1, ...)

    Raises
    ------
    TypeError, ValueError
        If `days` or `ahead` is not a whole number of at least 1, or there are too few days for one window.

    Examples
    --------
    >>> history, target = day_windows([10, 11, 12, 13, 14], days=3)
    >>> history.tolist(), target.tolist()
    ([[10, 11, 12], [11, 12, 13]], [13, 14])
    """
    counts, days, ahead = numeric("counts", counts), check_size("days", days, low=1), check_size("ahead", ahead, low=1)
    windows = (len(counts) if counts.ndim else 0) - days - ahead + 1
    if windows < 1:
        raise ValueError(f"counts has shape {counts.shape}: one window takes {days} + {ahead} days")
    rows = np.arange(windows)[:, None] + np.arange(days)
    return counts[rows], counts[days + ahead - 1 :].copy()


def bikes(split, days=7, ahead=1):
    """Windows whose targets are the days of one split: January to August, September and October, or the rest.

    A target is in one split only. The history of the first targets of a split reaches back into the split before it,
    as it would in use: those days are over by then.

    Parameters
    ----------
    split : "train", "validation" or "test"
    days, ahead : as in `day_windows`

    Returns
    -------
    BikeWindows
        Histories and targets hold NaN where nothing was counted.

    Raises
    ------
    TypeError, ValueError
        If `split` is none of the three, or `days` or `ahead` is impossible.

    Examples
    --------
    >>> windows = bikes("test")
    >>> windows.history.shape, windows.target.shape, str(windows.dates[0])
    ((61, 7, 24), (61, 24), '2011-11-01')
    """
    dates, every_kind, counts = _read()
    history, target = day_windows(counts, days, ahead)
    kinds, kind = day_windows(every_kind, days, ahead)
    dates = dates[days + ahead - 1 :]
    place = SPLITS.index(check_split(split))
    first, after = STARTS[place], (*STARTS, date(2012, 1, 1))[place + 1]
    rows = [row for row, day in enumerate(dates) if first <= day < after]
    if not rows:
        raise ValueError(f"days={days} and ahead={ahead} leave no window in {split!r}: there are 365 days in all")
    return BikeWindows(history[rows], kinds[rows], target[rows], kind[rows], tuple(dates[row] for row in rows))


@cache
def _read():
    with Path(__file__).with_name("bikes.csv").open(encoding="ascii", newline="") as file:
        lines = list(csv.reader(file))[1:]
    dates = tuple(date.fromisoformat(line[0]) for line in lines)
    kinds = np.array([HOLIDAY if line[1] == "1" else day.weekday() for day, line in zip(dates, lines, strict=True)])
    counts = np.array([[float(text or "nan") for text in line[2:]] for line in lines], np.float32)
    return dates, kinds, counts
