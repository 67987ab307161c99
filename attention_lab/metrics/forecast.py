"""How wrong forecasts are, at each horizon, and whether their intervals hold what they promise.

A truth that is NaN was not measured, and does not count. A forecast must be a number wherever there is a truth.
"""

import numpy as np

from attention_lab.checks import check_axis, check_number, numeric


def mean_absolute_error(forecast, truth, axis=None):
    """By how much forecasts miss on average, in the truth's own unit.

    MAE = mean of |forecast - truth|

    Parameters
    ----------
    forecast, truth : array_like, (...)
        Of equal shape.
    axis : int, optional
        The axis to average over. With windows along axis 0 and horizons along axis 1, axis=0 gives one error a
        horizon. All numbers together if not given.

    Returns
    -------
    float, or ndarray with `axis`
        The shape of `truth` without `axis`; NaN at a horizon without a truth.

    Raises
    ------
    TypeError, ValueError
        If the shapes differ, there is no truth at all, or a forecast is missing.

    Examples
    --------
    >>> forecast, truth = [[10, 20], [30, 40]], [[11, 20], [33, float("nan")]]
    >>> round(mean_absolute_error(forecast, truth), 3)  # (1 + 0 + 3) / 3
    1.333
    >>> mean_absolute_error(forecast, truth, axis=0).tolist()
    [2.0, 0.0]
    """
    known, truth, forecast = _known(truth, forecast=forecast)
    return _mean(np.abs(forecast - truth), known, axis)


def error_interval(forecast, truth, share=0.8, axis=0):
    """Between which two numbers the middle share of the errors lies: what to add to a forecast for an interval.

    low, high = quantiles (1 - share) / 2 and (1 + share) / 2 of truth - forecast

    Take them from days that the model has not learned from: there its errors are as large as they will be.

    Parameters
    ----------
    forecast, truth : array_like, (...)
    share : float
        Above 0 and below 1.
    axis : int
        The axis of the windows: one interval for each horizon.

    Returns
    -------
    low, high : ndarray
        The shape of `truth` without `axis`. NaN at a horizon without a truth.

    Raises
    ------
    TypeError, ValueError
        As `mean_absolute_error`, and if `share` is no share.

    Examples
    --------
    >>> low, high = error_interval(np.zeros(101), np.arange(101.0) - 50, share=0.8)
    >>> float(low), float(high)
    (-40.0, 40.0)
    """
    known, truth, forecast = _known(truth, forecast=forecast)
    tail = (1 - check_number("share", share, above=0, below=1)) / 2
    windows = check_axis("truth", truth, axis)
    errors = np.moveaxis(np.where(known, truth - forecast, np.nan), windows, -1)
    middle = np.full((*errors.shape[:-1], 2), np.nan)
    for place in np.ndindex(errors.shape[:-1]):
        found = errors[place][~np.isnan(errors[place])]
        if found.size:
            middle[place] = np.quantile(found, [tail, 1 - tail])
    return middle[..., 0], middle[..., 1]


def coverage(low, high, truth, axis=None):
    """The share of the truth inside an interval, its ends included.

    A forecaster is calibrated where its 80 % intervals hold 80 % of what comes. Fewer: it is too sure of itself; more:
    it knows more than it says.

    Parameters
    ----------
    low, high : array_like, broadcast to (...)
        What the truth should lie between.
    truth : array_like, (...)
    axis : as in `mean_absolute_error`

    Returns
    -------
    float, or ndarray with `axis`
        The shape of `truth` without `axis`. Between 0 and 1; NaN at a horizon without a truth.

    Raises
    ------
    TypeError, ValueError
        If `low` is above `high` anywhere, a shape does not fit, or an end or every truth is missing.

    Examples
    --------
    >>> coverage([8, 18], [12, 22], [[11, 20], [33, 18]])
    0.75
    """
    known, truth, low, high = _known(truth, low=low, high=high)
    if (low > high)[known].any():
        raise ValueError("low must not be above high: which two ends are given?")
    return _mean((low <= truth) & (truth <= high), known, axis)


def _known(truth, **given):
    """Where there is a truth, then all as float64 of its shape."""
    if isinstance(truth, np.ma.MaskedArray):
        raise TypeError("truth is a masked array, whose mask would be lost: write truth.astype(float).filled(np.nan)")
    truth = numeric("truth", truth).astype(np.float64)
    known, read = ~np.isnan(truth), []
    if not known.any():
        raise ValueError(f"truth has no number, shape {truth.shape}: expected at least one that is not NaN")
    if np.isinf(truth).any():
        raise ValueError("truth holds inf: write NaN where nothing was measured")
    for name, array in given.items():
        array = numeric(name, array).astype(np.float64)
        if name == "forecast" and array.shape != truth.shape:
            raise ValueError(f"forecast has shape {array.shape} but truth {truth.shape}: they come in pairs")
        if array.ndim > truth.ndim or any(a not in (1, b) for a, b in zip(array.shape[::-1], truth.shape[::-1])):
            raise ValueError(f"{name} has shape {array.shape}, which does not fit truth {truth.shape}")
        array = np.broadcast_to(array, truth.shape)
        if np.isnan(array[known]).any():
            raise ValueError(f"{name} is NaN where truth is a number: a forecast must say something there")
        if name == "forecast" and np.isinf(array[known]).any():  # the ends of an interval may be
            raise ValueError("forecast is inf where truth is a number: an error must be finite")
        read.append(array)
    return known, truth, *read


def _mean(values, known, axis):
    """The mean of the values that are known; along `axis`, NaN where none is."""
    if axis is None:
        return float(values[known].mean())
    counts = known.sum(check_axis("truth", known, axis))
    return np.where(known, values, 0).sum(axis) / np.where(counts, counts, np.nan)
