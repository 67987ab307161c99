"""The answers of lesson 14, and of what it recalls, and that each turns when what it rests on is broken."""

from types import SimpleNamespace

import numpy as np
import pytest

from attention_lab.baselines.forecast import LeastSquares
from attention_lab.data.bikes import bikes, day_windows
from attention_lab.tasks.forecasting import DayHourForecaster
from tests.teaching.answers import check_answer


class Boundless(DayHourForecaster):
    """Its forecast is a sum, not a mean."""

    def __call__(self, history, kinds, kind):
        forecast, weights = super().__call__(history, kinds, kind)
        return forecast * 2, weights


class Guarded(LeastSquares):
    """It fits so little that it misses old days as it does new ones."""

    def __call__(self, history, group):
        return np.zeros(history.shape[:1] + history.shape[2:])


def mute(query, key, value, mask=None):
    """Attention to which a mask means nothing."""
    return np.full((1, 1), value.mean()), None


def week_of_noise(split):
    """Days without any rhythm, of which only yesterday tells."""
    counts = np.random.default_rng(5).normal(size=(80, 24)).cumsum(0)
    history, target = day_windows(counts)
    windows = bikes("validation" if split == "validation" else "train")
    return windows._replace(
        history=history[:60], target=target[:60], kinds=windows.kinds[:60], kind=windows.kind[:60], dates=()
    )


def far_off(history, like):
    return np.full((len(history), 24), 1e6)


def nothing(history):
    return 0 * history[:, -1]


def alike(forecast, truth, axis=None):
    return np.ones(4) if axis == 0 else 1.0


class Walk:
    """In the place of NumPy: what it draws is a random walk."""

    random = SimpleNamespace(default_rng=lambda seed: Walk)

    def normal(size):
        return np.random.default_rng(6).normal(size=size).cumsum()


TABLE = [
    ("missing-hour", "30, then 45", "attention", mute, "30, then 30"),
    ("hardest-naive", "the last day of its type", "bikes", week_of_noise, "the day before"),
    ("hardest-naive", "the last day of its type", "like_days", far_off, "the same weekday last week"),
    ("beyond-the-past", "no, whatever it learns", "DayHourForecaster", Boundless, "yes, if one weight exceeds 1"),
    ("saturday-at-eight", "Sunday, six days before", "bikes", week_of_noise, "Friday, a day before"),
    ("flat-on-noise", "1.0 and 2.0", "np", Walk, None),
    ("training-errors", "clearly less", "LeastSquares", Guarded, "about 80 %"),
    ("training-errors", "clearly less", "error_interval", lambda *_, share: (-9, 9), "clearly more"),
    ("shuffled-days", "with random days", "mean_absolute_error", lambda *_: 1, "equal, both were not learned"),
    (
        "always-inside",
        "its intervals are too wide",
        "coverage",
        lambda low, *_: low < -1 or 0.97,
        "its forecasts are too high",
    ),
    (
        "because-day_windows",
        "the day itself is what is asked",
        "same_hour",
        nothing,
        "the model could not learn otherwise",
    ),
    (
        "because-mae_by_horizon",
        "one mean hides where it fails",
        "mean_absolute_error",
        alike,
        "windows depend on one another",
    ),
    ("one-word-of-two", "0.67", "answer_f1", lambda *_: 1, "1.00"),
    ("same-entropy", "the one with 168 keys", "attention_entropy", lambda row: np.log(len(row)), "both alike"),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), TABLE, ids=[f"{row[0]}-{row[2]}" for row in TABLE])
def test_the_answer_turns_with_what_it_rests_on(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)
