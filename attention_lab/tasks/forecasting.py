"""A forecast that reads the past: each hour of the coming day asks all hours of the days before."""

import numpy as np

from attention_lab.attention import scaled_dot_product_attention
from attention_lab.checks import check_ids, check_size, numeric
from attention_lab.layers import Embedding


class DayHourForecaster:
    """Forecast each hour of a day as a weighted mean of all hours of the days before it.

    query(h) = hour_h + asked_kind,  key(d, h) = hour_h + kind_d + age_d,  value(d, h) = history[d, h]

    forecast = softmax(query keyᵀ / √d_model + mask) values

    Queries and keys share one table of hours, so that an hour matches itself from the start. Which days are alike is
    learned: the kind of the coming day asks with one table, those of the past answer with another. The values are the
    counts themselves, so a forecast never leaves the range of what it reads, and the weights say all there is to say.

    Parameters
    ----------
    d_model : int
    num_days : int
        Days of history.
    num_kinds : int
        Kinds of days, such as weekdays and holidays.
    rng : numpy.random.Generator, optional
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number of at least 1.

    Notes
    -----
    A weighted mean of what was seen, by likeness of where it was seen: Nadaraya 1964, "On Estimating Regression", and
    Watson 1964, "Smooth Regression Analysis", here with a likeness that is learned.

    Examples
    --------
    >>> model = DayHourForecaster(16, rng=np.random.default_rng(0))
    >>> forecast, weights = model(np.ones((5, 7, 24)), np.zeros((5, 7), int), np.zeros(5, int))
    >>> forecast.shape, weights.shape
    ((5, 24), (5, 24, 7, 24))
    """

    def __init__(self, d_model=16, num_days=7, num_kinds=8, *, rng=None, dtype=np.float32):
        rng = np.random.default_rng() if rng is None else rng
        self.num_days = check_size("num_days", num_days, low=1)
        self.num_kinds = check_size("num_kinds", num_kinds, low=1)
        self.hour, self.asked, self.kind, self.age = (
            Embedding(size, d_model, rng=rng, dtype=dtype) for size in (24, num_kinds, num_kinds, num_days)
        )
        self.hour.table *= 4  # at first an hour reads the same hour of other days more than any other
        for quiet in (self.asked, self.kind, self.age):
            quiet.table *= 0.5

    def __call__(self, history, kinds, kind):
        """Forecast.

        Parameters
        ----------
        history : array_like, (..., num_days, 24)
            The oldest day first. NaN is read by nobody; at least one number must be there.
        kinds : array_like of int, (..., num_days)
            What each of those days is.
        kind : array_like of int, (...)
            What the coming day is.

        Returns
        -------
        forecast : ndarray, (..., 24)
        weights : ndarray, (..., 24, num_days, 24)
            How much each hour of the forecast reads from each hour of the past; sums to one.
        """
        history, kinds, kind = self._read(history, kinds, kind)
        query = self.hour.table + self.asked(kind)[..., None, :]  # (..., 24, d_model)
        day = self.kind(kinds) + self.age.table[::-1]  # (..., num_days, d_model), the last row is yesterday
        key = self.hour.table + day[..., None, :]  # (..., num_days, 24, d_model)
        rows = (*kind.shape, self.num_days * 24)
        seen, value = ~np.isnan(history), np.where(np.isnan(history), 0, history)
        forecast, weights = scaled_dot_product_attention(
            query, key.reshape(*rows, key.shape[-1]), value.reshape(*rows, 1), seen.reshape(*kind.shape, 1, rows[-1])
        )
        return forecast[..., 0], weights.reshape(*kind.shape, 24, self.num_days, 24)

    def _read(self, history, kinds, kind):
        history = numeric("history", history)
        history = history.astype(np.float32) if history.dtype.kind != "f" else history
        if history.shape[-2:] != (self.num_days, 24):
            raise ValueError(f"history must be (..., {self.num_days}, 24), got shape {history.shape}")
        if np.isnan(history).all((-2, -1)).any():
            raise ValueError("history has no number in one of the windows: a forecast needs something to read")
        if np.isinf(history).any():
            raise ValueError("history holds inf: write NaN where there is no number")
        kinds, kind = check_ids("kinds", kinds, self.num_kinds), check_ids("kind", kind, self.num_kinds)
        for name, found, expected in (("kinds", kinds, history.shape[:-1]), ("kind", kind, history.shape[:-2])):
            if found.shape != expected:
                raise ValueError(f"{name} has shape {found.shape}: expected {expected}, as history {history.shape}")
        return history, kinds, kind


def absolute_loss(model, history, kinds, target, kind):
    """The mean absolute error of a forecaster's forecast, as a loss: smooth where the error is below 1.

    loss = mean of √((forecast - target)² + 1) over the targets that are numbers

    Parameters
    ----------
    model : DayHourForecaster
    history, kinds, kind : as the model takes them
    target : array_like, (..., 24)
        NaN does not count.

    Returns
    -------
    ndarray, ()

    Raises
    ------
    TypeError, ValueError
        If the target has another shape than the forecast, or no number.

    Examples
    --------
    >>> model = DayHourForecaster(4, num_days=1, num_kinds=1, rng=np.random.default_rng(0))
    >>> float(absolute_loss(model, np.full((1, 24), 3.0), [0], np.full(24, 3.0), 0).round(3))
    1.0
    """
    if not callable(model):
        raise TypeError(f"model must be a forecaster, got {model!r:.60}")
    given, target = model(history, kinds, kind), numeric("target", target)
    if not (isinstance(given, tuple) and hasattr(given[0] if given else None, "shape")):
        raise TypeError(f"model must be a forecaster, which gives a forecast and its weights, but gives {given!r:.60}")
    forecast = given[0]
    if target.shape != forecast.shape:
        raise ValueError(f"target has shape {target.shape}: expected {forecast.shape}, one number an hour")
    known = ~np.isnan(target)
    if not known.any():
        raise ValueError(f"target has no number, shape {target.shape}: expected at least one that is not NaN")
    error = forecast - np.where(known, target, 0)
    with np.errstate(over="ignore", under="ignore"):
        loss = ((error**2 + 1) ** 0.5 * known).sum() / known.sum()
    if not np.isfinite(getattr(loss, "data", loss)):
        raise ValueError("history and target are too large: the square of their difference overflows")
    return loss
