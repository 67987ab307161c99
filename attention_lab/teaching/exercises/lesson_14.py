"""Lesson 14: windows of days that do not look ahead."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def day_windows(counts, days):
    windows = len(counts) - days
    first = np.arange(windows)[:, None]  # where each history begins, (windows, 1)
    rows = first + np.arange(days)  # mask: the days that may be read, (windows, days)
    history = counts[rows]  # (windows, days, hours)
    target = counts[days:]  # (windows, hours)
    return history, target


def _cut(counts, days, begin, until, target):
    """Histories of the days from `begin` to before `until`, counted from the first one, and these targets."""
    windows = len(counts) - days
    return counts[np.arange(windows)[:, None] + np.arange(begin, until)], target


@diagnosed(
    "Each target is the last day of its own history: a model only has to copy it. Counted from where a history "
    "begins, its days are 0 to days - 1, and the target is day `days`: `np.arange(days)`."
)
def faulty_day_windows_sees_target(counts, days):
    windows = len(counts) - days
    first = np.arange(windows)[:, None]
    rows = first + np.arange(1, days + 1)  # mask: the days that may be read, (windows, days)
    history = counts[rows]
    target = counts[days:]
    return history, target


@diagnosed(
    "Each history has one day too many, and that is the target. It ends with the day before: "
    "`np.arange(days)`, not `np.arange(days + 1)`."
)
def faulty_day_windows_one_more(counts, days):
    return _cut(counts, days, 0, days + 1, counts[days:])


@diagnosed(
    "Each history lacks its last day, the one before the target, which is over and may be read. "
    "`np.arange(days)` ends at days - 1 by itself."
)
def faulty_day_windows_one_less(counts, days):
    return _cut(counts, days, 0, days - 1, counts[days:])


@diagnosed(
    "Each target is the day with which its history begins: you forecast the past. "
    "The first history is days 0 to days - 1, and the first target is `counts[days]`."
)
def faulty_day_windows_first_day(counts, days):
    return _cut(counts, days, 0, days, counts[: len(counts) - days])


@diagnosed(
    "Each target is the last day of its own history, `counts[days - 1]` for the first: it has been read already. "
    "Targets are `counts[days:]`."
)
def faulty_day_windows_early_target(counts, days):
    return _cut(counts, days, 0, days, counts[days - 1 : -1])


@diagnosed(
    "One window is missing: the last target is the last day there is. There are len(counts) - days windows, and the "
    "targets are `counts[days:]`."
)
def faulty_day_windows_drops_last(counts, days):
    history, target = day_windows(counts, days)
    return history[:-1], target[:-1]


@diagnosed(
    "A day is left out between each history and its target. Here the day after the history is forecast: "
    "`counts[days:]`."
)
def faulty_day_windows_gap(counts, days):
    history, target = day_windows(counts, days)
    return history[:-1], target[1:]


@diagnosed(
    "There is one window more than there are targets: nothing comes after the last day, so no history ends with it. "
    "Make len(counts) - days of them."
)
def faulty_day_windows_one_side(counts, days):
    windows = len(counts) - days + 1
    return counts[np.arange(windows)[:, None] + np.arange(days)], counts[days:]


@diagnosed(
    "Your windows do not overlap: you cut the series into pieces, and most days are never a target. "
    "Move on by one day: `np.arange(windows)[:, None] + np.arange(days)`."
)
def faulty_day_windows_pieces(counts, days):
    step = days + 1
    first = np.arange(0, len(counts) - days, step)[:, None]
    return counts[first + np.arange(days)], counts[days::step]


@diagnosed(
    "Your histories run backwards. The oldest day stands first: `first + np.arange(days)`, which rises along a row."
)
def faulty_day_windows_backwards(counts, days):
    history, target = day_windows(counts, days)
    return history[:, ::-1], target


@diagnosed(
    "The axes of your history come as (days, windows, hours). Let the windows stand first: "
    "`np.arange(windows)[:, None] + np.arange(days)`."
)
def faulty_day_windows_axes(counts, days):
    history, target = day_windows(counts, days)
    return history.swapaxes(0, 1), target


@diagnosed(
    "`np.roll` wraps round: the first days are given a history that holds the last ones, which lie in their future. "
    "Leave out the first `days` targets, they have no whole history."
)
def faulty_day_windows_rolls(counts, days):
    return np.stack([np.roll(counts, days - d, axis=0) for d in range(days)], axis=1), counts


@diagnosed("Your two results come in the other order: the target stands first. End with `return history, target`.")
def faulty_day_windows_swapped(counts, days):
    return day_windows(counts, days)[::-1]


def _cases():
    rng = np.random.default_rng(31)
    return [
        (np.arange(11.0)[:, None] * 100 + np.arange(3), 7),  # a day's number stands in front of its hour's
        (rng.gamma(2, 50, size=(13, 5)), 2),
        (rng.gamma(2, 50, size=(17, 5)), 3),
        (rng.gamma(2, 50, size=(23, 11)).astype(np.float32), 7),
        (rng.integers(0, 500, size=(5, 7)), 4),  # one window
        (rng.integers(0, 500, size=(7, 2)), 1),
    ]


EXERCISES = [
    Exercise(
        task="Write day_windows(counts, days) -> (history, target): of counts (n, hours), for every day that has "
        "`days` days before it, those days, (n - days, days, hours), and the day itself, (n - days, hours).",
        reference=day_windows,
        cases=_cases(),
        faults=[
            faulty_day_windows_sees_target,
            faulty_day_windows_one_more,
            faulty_day_windows_one_less,
            faulty_day_windows_first_day,
            faulty_day_windows_early_target,
            faulty_day_windows_drops_last,
            faulty_day_windows_gap,
            faulty_day_windows_one_side,
            faulty_day_windows_pieces,
            faulty_day_windows_backwards,
            faulty_day_windows_axes,
            faulty_day_windows_rolls,
            faulty_day_windows_swapped,
        ],
        hints=(
            "Number the days 0, 1, 2, ... With days = 3, which days are read to forecast day 3, and which for day 4?",
            "The first target is `counts[days]`. A history that begins at day i has the days i to i + days - 1.",
            "`counts[np.arange(windows)[:, None] + np.arange(days)]` are the histories, `counts[days:]` the targets.",
        ),
        key="# mask",
        distractor=faulty_day_windows_sees_target,
        learned="every history ends the day before its target, and no day is lost.",
        returns=("history", "target"),
    ),
]
