"""Differently written right answers to the exercises of lesson 14."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from attention_lab.baselines.forecast import same_hour
from attention_lab.metrics.forecast import mean_absolute_error
from tests.teaching.exercises.right import right


@right("day_windows")
def windows_by_a_loop(counts, days):
    histories, targets = [], []
    for day in range(days, len(counts)):
        histories.append(counts[day - days : day])
        targets.append(counts[day])
    return np.array(histories), np.array(targets)


@right("day_windows")
def windows_by_a_view(counts, days):
    views = sliding_window_view(counts[:-1], days, axis=0)  # (windows, hours, days)
    return np.moveaxis(views, -1, 1), counts[days:]


@right("day_windows")
def windows_by_columns(counts, days):
    n = len(counts) - days
    return np.stack([counts[d : d + n] for d in range(days)], axis=1), counts[-n:]


@right("day_windows")
def windows_counted_from_the_target(counts, days):
    day = np.arange(days, len(counts))
    return [counts[day[:, None] - np.arange(days, 0, -1)], counts[day]]


@right("mae_by_horizon")
def mae_in_one_line(forecast, truth):
    return np.nanmean(np.abs(forecast - truth), axis=0)


@right("mae_by_horizon")
def mae_by_loops(forecast, truth):
    result = np.zeros(forecast.shape[1], forecast.dtype)
    for h in range(forecast.shape[1]):
        errors = [abs(f - t) for f, t in zip(forecast[:, h], truth[:, h]) if t == t]
        result[h] = sum(errors) / len(errors)
    return result


@right("mae_by_horizon")
def mae_with_a_masked_array(forecast, truth):
    return np.ma.masked_invalid(np.abs(truth - forecast)).mean(axis=0).filled(0)


@right("mae_by_horizon")
def mae_of_the_package(forecast, truth):
    return mean_absolute_error(forecast, truth, axis=0)


@right("mae_by_horizon")
def mae_by_nan_to_num(forecast, truth):
    return np.nan_to_num(np.abs(forecast - truth)).sum(0) / np.isfinite(truth).sum(0)


@right("seasonal_naive")
def seasonal_by_a_tile(series, season, horizon):
    return np.tile(series[-season:], horizon // season + 1)[:horizon]


@right("seasonal_naive")
def seasonal_step_by_step(series, season, horizon):
    grown = list(series)
    for _ in range(horizon):
        grown.append(grown[-season])
    return np.array(grown[len(series) :])


@right("seasonal_naive")
def seasonal_by_resize(series, season, horizon):
    return np.resize(series[len(series) - season :], horizon)


@right("seasonal_naive")
def seasonal_by_negative_places(series, season, horizon):
    return np.array([series[h % season - season] for h in range(horizon)])


@right("seasonal_naive")
def seasonal_by_take(series, season, horizon):
    seasons = series[-season:].reshape(1, season)
    last = same_hour(seasons).astype(series.dtype)
    return np.take(last, np.arange(horizon), mode="wrap")
