"""Forecasts that a model has to beat: yesterday's, last week's, the last like day's, and least squares.

Each takes windows as `attention_lab.data.bikes` gives them: a history (..., days, hours), the oldest day first, NaN
where there is no number. A missing hour is replaced by that hour's mean over the rest of the history.
"""

import numpy as np

from attention_lab.checks import as_visible, check_choice, check_finite, check_ids, check_size, numeric


def same_hour(history, days_ago=1):
    """What was counted at the same hour some days before: 1 is the last day of the history, 7 a week ago.

    Parameters
    ----------
    history : array_like, (..., days, hours)
    days_ago : int

    Returns
    -------
    ndarray, (..., hours)

    Raises
    ------
    TypeError, ValueError
        If the history does not reach back so far.

    Examples
    --------
    >>> same_hour([[1, 2], [3, 4], [5, 6]], days_ago=2).tolist()
    [3.0, 4.0]
    """
    history = filled(history)
    days_ago = check_size("days_ago", days_ago, low=1)
    if days_ago > history.shape[-2]:
        raise ValueError(f"days_ago={days_ago} but the history has {history.shape[-2]} days")
    return history[..., -days_ago, :]


def like_days(history, like, which="last"):
    """The same hour of those days that are of the target's kind, as working days are for a working day.

    Parameters
    ----------
    history : array_like, (..., days, hours)
    like : array_like of bool, (..., days)
        Which days are of the target's kind. Where none is, all are.
    which : {"last", "mean"}
        The last of them, or their mean.

    Returns
    -------
    ndarray, (..., hours)

    Raises
    ------
    TypeError, ValueError
        If `like` is not one truth value a day, or `which` is unknown.

    Examples
    --------
    >>> history = [[1, 2], [3, 4], [50, 60]]
    >>> like_days(history, [True, True, False]).tolist(), like_days(history, [True, True, False], "mean").tolist()
    ([3.0, 4.0], [2.0, 3.0])
    """
    history, like = filled(history), as_visible("like", like)
    if like.shape != history.shape[:-1]:
        raise ValueError(f"like has shape {like.shape}: expected {history.shape[:-1]}, one for each day")
    like = like | ~like.any(-1, keepdims=True)
    if check_choice("which", which, ("last", "mean")) == "last":
        like = np.arange(like.shape[-1]) == like.shape[-1] - 1 - like[..., ::-1].argmax(-1)[..., None]
    return np.where(like[..., None], history, 0).sum(-2) / like.sum(-1)[..., None]


class LeastSquares:
    """A linear forecast: for each group of targets a weight for each past day, and for each hour a constant.

    forecast[h] = Σ_d weight[group, d] history[d, h] + constant[group, h]

    Parameters
    ----------
    history : array_like, (n, days, hours)
    group : array_like of int, (n,)
        The group of each target, from 0: day types, or weekdays.
    target : array_like, (n, hours)
        NaN where it was not counted.
    num_groups : int

    Raises
    ------
    TypeError, ValueError
        If a shape does not fit, or a group does not exist.

    Notes
    -----
    `numpy.linalg.lstsq`: the weights with the least squared error on what is given.

    Examples
    --------
    >>> history = np.random.default_rng(0).normal(size=(50, 3, 2))
    >>> model = LeastSquares(history, np.zeros(50, int), 2 * history[:, 0] + [5, 7])
    >>> model([[1, 2], [0, 0], [0, 0]], 0).round(6).tolist()
    [7.0, 11.0]
    """

    def __init__(self, history, group, target, num_groups=1):
        self.num_groups = check_size("num_groups", num_groups, low=1)
        history, target = filled(history), numeric("target", target).astype(float)
        self.days, self.hours = history.shape[-2:]
        if history.ndim != 3 or target.shape != (len(history), self.hours):
            raise ValueError(f"target has shape {target.shape}, which does not fit history {history.shape}")
        rows, known = self._rows(history, group), ~np.isnan(target)  # (n, hours, groups * (days + hours))
        self.weights = np.linalg.lstsq(rows[known], target[known], rcond=None)[0]

    def __call__(self, history, group):
        """history (..., days, hours), group (...) -> forecast (..., hours)."""
        return self._rows(filled(history), group) @ self.weights

    def _rows(self, history, group):
        """What each hour's forecast is a weighted sum of; all 0 but in the place of the target's group."""
        if history.shape[-2:] != (self.days, self.hours):
            raise ValueError(f"history must be (..., {self.days}, {self.hours}), got {history.shape}")
        group = check_ids("group", group, self.num_groups)
        if group.shape != history.shape[:-2]:
            raise ValueError(f"group has shape {group.shape}: expected {history.shape[:-2]}, one a window")
        constants = np.broadcast_to(np.eye(self.hours), (*group.shape, self.hours, self.hours))
        own = np.concatenate([history.swapaxes(-1, -2), constants], axis=-1)  # (..., hours, days + hours)
        groups = np.eye(self.num_groups)[group][..., None, :, None]
        return (groups * own[..., None, :]).reshape(*own.shape[:-1], -1)


def filled(history):
    """A history without gaps: a missing hour gets that hour's mean over the other days, or 0 where none has a number.

    Parameters
    ----------
    history : array_like, (..., days, hours)

    Returns
    -------
    ndarray, (..., days, hours)

    Examples
    --------
    >>> filled([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]]).tolist()
    [[1.0, 0.0], [3.0, 0.0], [2.0, 0.0]]
    """
    history = numeric("history", history).astype(float)
    if history.ndim < 2 or 0 in history.shape[-2:]:
        raise ValueError(f"history must be (..., days, hours), not empty, got shape {history.shape}")
    known = ~np.isnan(history)
    check_finite(history=history[known])
    counts = known.sum(-2, keepdims=True)
    mean = np.where(known, history, 0).sum(-2, keepdims=True) / np.maximum(counts, 1)
    return np.where(known, history, mean)
