"""Lesson 14: how wrong forecasts are at each horizon."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def mae_by_horizon(forecast, truth):
    error = np.abs(forecast - truth)  # score: how far off, (windows, horizons)
    known = ~np.isnan(truth)  # mask: what was counted, (windows, horizons)
    total = np.where(known, error, 0).sum(axis=0)  # (horizons,)
    count = known.sum(axis=0, dtype=error.dtype)  # normalise: how many errors each horizon has
    return total / count


def _mean(error):
    return np.nanmean(error, axis=0)


@diagnosed(
    "You average over the horizons, one error a window. The question is how the error grows with the horizon: "
    "average over the windows, `axis=0`."
)
def faulty_mae_by_horizon_axis(forecast, truth):
    return np.nanmean(np.abs(forecast - truth), axis=1)


@diagnosed(
    "You average over everything, and one number cannot say how the error grows with the horizon. "
    "Average over the windows alone, `axis=0`."
)
def faulty_mae_by_horizon_one_number(forecast, truth):
    return np.nanmean(np.abs(forecast - truth))


@diagnosed(
    "Without `np.abs` errors up and errors down cancel: this is the bias, and a forecast can have none and still be "
    "far off every time. Take `np.abs(forecast - truth)` first."
)
def faulty_mae_by_horizon_bias(forecast, truth):
    return _mean(forecast - truth)


@diagnosed(
    "You take `np.abs` of the mean, so errors up and errors down have cancelled by then. First `np.abs` of each error, "
    "then the mean."
)
def faulty_mae_by_horizon_late_abs(forecast, truth):
    return np.abs(_mean(forecast - truth))


@diagnosed(
    "You square the errors: their unit is bikes times bikes. The mean absolute error takes `np.abs(forecast - truth)`."
)
def faulty_mae_by_horizon_squares(forecast, truth):
    return _mean((forecast - truth) ** 2)


@diagnosed(
    "This is the root of the mean square, which large errors dominate. The mean absolute error takes "
    "`np.abs(forecast - truth)`, and no root."
)
def faulty_mae_by_horizon_root(forecast, truth):
    return np.sqrt(_mean((forecast - truth) ** 2))


@diagnosed(
    "You divide by all windows, but not all have a truth: each gap counts as a forecast without error, which flatters. "
    "Divide by `known.sum(axis=0)`."
)
def faulty_mae_by_horizon_all_windows(forecast, truth):
    error = np.abs(forecast - truth)
    known = ~np.isnan(truth)
    total = np.where(known, error, 0).sum(axis=0)
    count = error.dtype.type(len(truth))  # normalise: how many errors each horizon has
    return total / count


@diagnosed(
    "One missing truth makes the whole horizon NaN. Leave it out: `np.where(known, error, 0)`, and divide by "
    "`known.sum(axis=0)`."
)
def faulty_mae_by_horizon_nan(forecast, truth):
    return np.abs(forecast - truth).mean(axis=0)


@diagnosed(
    "You take a missing truth for 0, and a good forecast is blamed for it. Nothing was counted there: leave it out, "
    "`np.isnan(truth)` tells where."
)
def faulty_mae_by_horizon_zeros(forecast, truth):
    return np.abs(forecast - np.where(np.isnan(truth), 0, truth)).mean(axis=0)


@diagnosed("You return sums: with twice as many windows they double. Divide by `known.sum(axis=0)`.")
def faulty_mae_by_horizon_sums(forecast, truth):
    return np.nansum(np.abs(forecast - truth), axis=0)


@diagnosed(
    "You take the median of the errors, which does not see the worst half. A mean counts them all: "
    "add them up and divide by `known.sum(axis=0)`."
)
def faulty_mae_by_horizon_median(forecast, truth):
    return np.nanmedian(np.abs(forecast - truth), axis=0)


@diagnosed(
    "You leave out every window that lacks a single hour, with all its other hours. "
    "Count at each horizon for itself: `known.sum(axis=0)`."
)
def faulty_mae_by_horizon_whole_windows(forecast, truth):
    whole = ~np.isnan(truth).any(axis=1)
    return np.abs(forecast - truth)[whole].mean(axis=0)


def _cases():
    rng = np.random.default_rng(32)

    def draw(windows, horizons, gaps, dtype=float):
        truth = rng.gamma(2, 50, size=(windows, horizons))
        forecast = truth + rng.normal(3, 20, size=truth.shape)
        holes = rng.random(truth.shape) < gaps
        holes[: windows // 3] = False  # some windows are whole
        return forecast.astype(dtype), np.where(holes, np.nan, truth).astype(dtype)

    return [draw(7, 3, 0), draw(13, 5, 0.3), draw(61, 23, 0.1), draw(11, 7, 0.5, np.float32), draw(5, 1, 0.4)]


EXERCISES = [
    Exercise(
        task="Write mae_by_horizon(forecast, truth): of two arrays (windows, horizons) the mean absolute error at each "
        "horizon, (horizons,). A truth that is NaN was not counted, and is left out.",
        reference=mae_by_horizon,
        cases=_cases(),
        faults=[
            faulty_mae_by_horizon_axis,
            faulty_mae_by_horizon_one_number,
            faulty_mae_by_horizon_bias,
            faulty_mae_by_horizon_late_abs,
            faulty_mae_by_horizon_squares,
            faulty_mae_by_horizon_root,
            faulty_mae_by_horizon_all_windows,
            faulty_mae_by_horizon_nan,
            faulty_mae_by_horizon_zeros,
            faulty_mae_by_horizon_sums,
            faulty_mae_by_horizon_median,
            faulty_mae_by_horizon_whole_windows,
        ],
        hints=(
            "Write down two windows of three horizons, one truth missing. How many errors has each horizon?",
            "`np.abs(forecast - truth)`, gaps replaced by 0, summed over the windows. What must it be divided by?",
            "`known = ~np.isnan(truth)`, and the sum is divided by `known.sum(axis=0)`.",
        ),
        key="# normalise",
        distractor=faulty_mae_by_horizon_all_windows,
        learned="errors do not cancel, each horizon has its own mean, and a gap counts nowhere.",
        returns=("error",),
    ),
]
