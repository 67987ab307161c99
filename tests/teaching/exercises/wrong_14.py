"""Mistakes that learners make in the exercises of lesson 14, beside those of the bank."""

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("day_windows", "2 are expected: end it with `return history, target`", never="A known cause")
def gives_the_histories_alone(counts, days):
    return (REFERENCE["day_windows"](counts, days)[0],)


@wrong("day_windows", "Each target is the last day of its own history", "`np.arange(days)`")
def sees_its_target_by_a_loop(counts, days):
    at = range(days, len(counts))
    return np.array([counts[day - days + 1 : day + 1] for day in at]), np.array([counts[day] for day in at])


@wrong("day_windows", "`history` is right. `target`[", never="A known cause")
def halves_the_target(counts, days):
    history, target = REFERENCE["day_windows"](counts, days)
    return history, target / 2


@wrong("day_windows", "changes its input `counts`")
def wipes_the_data(counts, days):
    history, target = REFERENCE["day_windows"](counts, days)
    target = target.copy()
    counts[:] = 0
    return history, target


@wrong("mae_by_horizon", "You divide by all windows", "gap")
def nansum_by_all(forecast, truth):
    return np.nansum(np.abs(truth - forecast), axis=0) / forecast.shape[0]


@wrong("mae_by_horizon", "You average over the horizons", "`axis=0`")
def averages_rows(forecast, truth):
    return np.array([np.nanmean(abs(f - t)) for f, t in zip(forecast, truth)])


@wrong("mae_by_horizon", "`error`[1] is 20.7 and should be 19.2", never="A known cause")
def divides_by_one_less(forecast, truth):
    known = ~np.isnan(truth)
    return np.nansum(np.abs(forecast - truth), axis=0) / (known.sum(axis=0) - 0.5)


@wrong("mae_by_horizon", "One missing truth makes the whole horizon NaN")
def means_without_a_look(forecast, truth):
    return np.mean(abs(truth - forecast), 0)


@wrong("seasonal_naive", "You repeat the last value", "`series[-season:]`")
def persists(series, season, horizon):
    return series[-1:].repeat(horizon)


@wrong("seasonal_naive", "`forecast`[", "should be", never="A known cause")
def adds_one(series, season, horizon):
    return REFERENCE["seasonal_naive"](series, season, horizon) + 1


@wrong("seasonal_naive", "IndexError", never="A known cause")
def runs_over_the_end(series, season, horizon):
    return np.array([series[len(series) - season + h] for h in range(horizon)])
