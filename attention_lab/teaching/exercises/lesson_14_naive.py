"""Lesson 14: the forecast that repeats the last season."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def seasonal_naive(series, season, horizon):
    last = series[-season:]  # (season,)
    steps = np.arange(horizon) % season  # mix: which one value each step copies, (horizon,)
    return last[steps]


@diagnosed(
    "You repeat the last value, which knows of no season. Step h copies what stood one season before it: "
    "`series[-season:]`, from its beginning."
)
def faulty_seasonal_naive_last_value(series, season, horizon):
    return np.full(horizon, series[-1])


@diagnosed(
    "You repeat the mean of the last season: a flat forecast. Step h copies the value at its own place in the season: "
    "`last[h % season]`."
)
def faulty_seasonal_naive_mean(series, season, horizon):
    return np.full(horizon, series[-season:].mean())


@diagnosed("You repeat the first season, the oldest there is. The newest stands at the end: `series[-season:]`.")
def faulty_seasonal_naive_first_season(series, season, horizon):
    return series[np.arange(horizon) % season]


@diagnosed(
    "Beyond one season your index is positive, and counts from the start of the series. "
    "Begin the season anew instead: `np.arange(horizon) % season`."
)
def faulty_seasonal_naive_no_modulo(series, season, horizon):
    return series[(np.arange(horizon) - season) % len(series)]


@diagnosed(
    "You are one step late: the first step copies the second value of the season. What stood one season before it is "
    "`series[-season]`: begin with `np.arange(horizon)`, from 0."
)
def faulty_seasonal_naive_late(series, season, horizon):
    return series[-season:][np.arange(1, horizon + 1) % season]


@diagnosed(
    "You are one step early: the first step copies the last value of all. One season before it stood "
    "`series[-season]`: begin with `np.arange(horizon)`, from 0."
)
def faulty_seasonal_naive_early(series, season, horizon):
    last = series[-season:]
    steps = np.arange(-1, horizon - 1) % season  # mix: which one value each step copies, (horizon,)
    return last[steps]


@diagnosed("You run through the season backwards. Step h copies `series[-season:][h]`, from the oldest to the newest.")
def faulty_seasonal_naive_backwards(series, season, horizon):
    return series[-season:][::-1][np.arange(horizon) % season]


@diagnosed(
    "You return one whole season, whatever the horizon. As many values are asked for as there are steps: "
    "`np.arange(horizon) % season` picks them."
)
def faulty_seasonal_naive_one_season(series, season, horizon):
    return series[-season:]


@diagnosed("You return whole seasons, more steps than were asked for. Cut at the end: `[:horizon]`.")
def faulty_seasonal_naive_not_cut(series, season, horizon):
    return np.tile(series[-season:], -(-horizon // season))


@diagnosed(
    "You repeat the last `horizon` values, so the forecast is shifted against the season. "
    "Its length is `season`: `series[-season:]`."
)
def faulty_seasonal_naive_horizon_as_season(series, season, horizon):
    return series[-horizon:]


@diagnosed(
    "You give the mean over all seasons at each place. The naive forecast copies the last season alone: "
    "`series[-season:]`."
)
def faulty_seasonal_naive_all_seasons(series, season, horizon):
    places = (np.arange(len(series)) - len(series)) % season
    means = np.array([series[places == place].mean() for place in range(season)])
    return means[np.arange(horizon) % season].astype(series.dtype)


def _cases():
    rng = np.random.default_rng(33)
    return [
        (np.arange(10.0, 23.0), 5, 7),  # 18 19 20 21 22, and again 18 19
        (rng.gamma(2, 50, size=73), 24, 24),
        (rng.gamma(2, 50, size=29).astype(np.float32), 7, 17),
        (rng.integers(0, 500, size=31), 7, 3),
        (rng.gamma(2, 50, size=11), 11, 13),  # one season is all there is
    ]


EXERCISES = [
    Exercise(
        task="Write seasonal_naive(series, season, horizon): forecast the next `horizon` values of a series (n,) by "
        "those one season earlier; beyond one season, repeat it.",
        reference=seasonal_naive,
        cases=_cases(),
        faults=[
            faulty_seasonal_naive_last_value,
            faulty_seasonal_naive_mean,
            faulty_seasonal_naive_first_season,
            faulty_seasonal_naive_no_modulo,
            faulty_seasonal_naive_late,
            faulty_seasonal_naive_early,
            faulty_seasonal_naive_backwards,
            faulty_seasonal_naive_one_season,
            faulty_seasonal_naive_not_cut,
            faulty_seasonal_naive_horizon_as_season,
            faulty_seasonal_naive_all_seasons,
        ],
        hints=(
            "The series ends 5 6 7 8, its season is 3. Which value does the next step copy, and which the fourth?",
            "All steps copy from `series[-season:]`. Step season begins it anew: what does `%` do to the steps?",
            "`series[-season:][np.arange(horizon) % season]`.",
        ),
        key="# mix",
        distractor=faulty_seasonal_naive_early,
        learned="each step copies the value one season before, for as long as you like.",
        returns=("forecast",),
    ),
]
