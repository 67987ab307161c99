"""The forecaster: a weighted mean of the past, and of nothing but the past."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab import parameters, value_and_grad
from attention_lab.data.bikes import FREE, bike_days, bikes, day_windows
from attention_lab.tasks.forecasting import DayHourForecaster, absolute_loss

RNG = np.random.default_rng(7)
MODEL = DayHourForecaster(5, num_days=3, num_kinds=2, rng=np.random.default_rng(0), dtype=np.float64)
HISTORY, KINDS, KIND = RNG.gamma(2, 50, size=(11, 3, 24)), RNG.integers(2, size=(11, 3)), RNG.integers(2, size=11)
HISTORY[RNG.random(HISTORY.shape) < 0.1] = np.nan


def test_equals_loops():
    forecast, weights = MODEL(HISTORY, KINDS, KIND)
    hour, asked, of_day, age = (MODEL.hour.table, MODEL.asked.table, MODEL.kind.table, MODEL.age.table)
    for row in range(11):
        for h in range(24):
            scores = np.full((3, 24), -np.inf)
            for d in range(3):
                for past in range(24):
                    if not np.isnan(HISTORY[row, d, past]):
                        key = hour[past] + of_day[KINDS[row, d]] + age[2 - d]  # age 0 is yesterday
                        scores[d, past] = (hour[h] + asked[KIND[row]]) @ key / np.sqrt(5)
            expected = np.exp(scores) / np.exp(scores).sum()
            np.testing.assert_allclose(weights[row, h], expected, atol=1e-12)
            np.testing.assert_allclose(forecast[row, h], np.nansum(expected * HISTORY[row]))


def test_sizes_and_parameters():
    model = DayHourForecaster()
    assert {name: array.shape for name, array in parameters(model).items()} == {
        "hour.table": (24, 16),
        "asked.table": (8, 16),
        "kind.table": (8, 16),
        "age.table": (7, 16),
    }
    assert all(array.dtype == np.float32 for array in parameters(model).values())
    assert sum(array.size for array in parameters(model).values()) == 752


def test_one_generator_gives_one_model():
    first, second = (DayHourForecaster(rng=np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(first.asked.table, second.asked.table)
    assert not np.array_equal(first.asked.table, first.kind.table)  # two tables, not one twice


@pytest.mark.parametrize("origin", [20, 200, 350])
def test_nothing_at_or_after_the_origin_changes_a_forecast(origin):
    """To the last bit: counts and kinds of days from the forecast's origin on are not read, whatever they hold."""
    model, days = DayHourForecaster(rng=np.random.default_rng(0)), bike_days()
    changed_counts, changed_kinds = days.counts.copy(), days.kinds.copy()
    changed_counts[origin:] = np.nan
    changed_kinds[origin:] = 7 - changed_kinds[origin:]
    for ahead in (1, 3):
        found = []
        for counts, kinds in ((days.counts, days.kinds), (changed_counts, changed_kinds)):
            row = origin - 7  # the window whose history ends just before the origin
            past, _ = day_windows(counts, 7, ahead)
            past_kinds, _ = day_windows(kinds, 7, ahead)
            found.append(model(past[row], past_kinds[row], days.kinds[origin + ahead - 1]))
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)
        assert np.isfinite(found[0][0]).all()


def test_every_hour_of_the_past_is_read():
    before = MODEL(np.nan_to_num(HISTORY), KINDS, KIND)[0]
    for d, h in ((0, 0), (2, 23), (1, 11)):
        changed = np.nan_to_num(HISTORY)
        changed[:, d, h] += 10
        assert (MODEL(changed, KINDS, KIND)[0] > before).all()


def test_a_missing_hour_is_not_read_whatever_stands_around_it():
    forecast, weights = MODEL(HISTORY, KINDS, KIND)
    missing = np.isnan(HISTORY)
    assert missing.any()
    assert (weights.swapaxes(1, 0)[:, missing] == 0).all()
    np.testing.assert_allclose(weights.sum((-2, -1)), 1)
    low, high = np.nanmin(HISTORY, (1, 2)), np.nanmax(HISTORY, (1, 2))
    assert ((low[:, None] <= forecast) & (forecast <= high[:, None])).all()  # a mean stays within what it reads


@given(st.floats(-100, 100), st.floats(0.1, 10))
def test_a_shift_and_a_factor_go_through(shift, factor):
    """The weights do not look at the counts, so the forecast follows them."""
    forecast, weights = MODEL(HISTORY, KINDS, KIND)
    moved, same = MODEL(HISTORY * factor + shift, KINDS, KIND)
    np.testing.assert_array_equal(same, weights)
    np.testing.assert_allclose(moved, forecast * factor + shift, atol=1e-9)


def test_a_constant_past_gives_that_constant():
    forecast, _ = MODEL(np.full((3, 24), 42), [0, 1, 1], 1)  # one window, and whole numbers
    np.testing.assert_allclose(forecast, 42, rtol=1e-6)


def test_at_the_start_an_hour_reads_its_own_hour_first():
    for seed in range(5):
        _, weights = DayHourForecaster(rng=np.random.default_rng(seed))(np.ones((7, 24)), [0] * 7, 0)
        by_hour = weights.sum(axis=1)  # (24, 24)
        np.testing.assert_array_equal(by_hour.argmax(axis=1), np.arange(24))
        assert by_hour.diagonal().mean() > 4 / 24


def test_loss_is_the_mean_error_of_what_is_known():
    target = RNG.gamma(2, 50, size=(11, 24))
    target[RNG.random(target.shape) < 0.2] = np.nan
    error = MODEL(HISTORY, KINDS, KIND)[0] - target
    np.testing.assert_allclose(absolute_loss(MODEL, HISTORY, KINDS, target, KIND), np.nanmean(np.sqrt(error**2 + 1)))


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (np.ones(24), r"target has shape \(24,\): expected \(11, 24\)"),  # would broadcast
        (np.ones((11, 1)), r"target has shape \(11, 1\)"),
        (np.full((11, 24), np.nan), "target has no number"),
    ],
)
def test_a_target_that_does_not_fit_is_refused(target, message):
    with pytest.raises(ValueError, match=message):
        absolute_loss(MODEL, HISTORY, KINDS, target, KIND)


def test_an_empty_batch_has_an_empty_forecast():
    forecast, weights = MODEL(HISTORY[:0], KINDS[:0], KIND[:0])
    assert forecast.shape == (0, 24) and weights.shape == (0, 24, 3, 24)


def test_gradients_are_right():
    model = DayHourForecaster(3, num_days=2, num_kinds=2, rng=np.random.default_rng(4), dtype=np.float64)
    batch = HISTORY[:5, :2], KINDS[:5, :2], HISTORY[5:10, 2], KIND[:5]
    _, gradients = value_and_grad(absolute_loss)(model, *batch)
    for name, table in parameters(model).items():
        for place in [(0, 1), (1, 2)]:
            start, losses = table[place], []
            for step in (1e-6, -1e-6):
                table[place] = start + step
                losses.append(absolute_loss(model, *batch))
            table[place] = start
            slope = (losses[0] - losses[1]) / 2e-6
            np.testing.assert_allclose(gradients[name][place], slope, rtol=1e-5, atol=1e-7, err_msg=name)


def test_float32_stays_float32():
    windows = bikes("test")
    forecast, weights = DayHourForecaster()(windows.history, windows.kinds, windows.kind)
    assert forecast.dtype == weights.dtype == np.float32
    assert FREE.sum() == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"history": np.ones((11, 3, 23))}, r"history must be \(..., 3, 24\), got shape \(11, 3, 23\)"),
        ({"history": np.ones((11, 4, 24))}, r"history must be \(..., 3, 24\)"),
        ({"history": np.full((11, 3, 24), np.nan)}, "history has no number in one of the windows"),
        ({"history": np.where(HISTORY > 50, np.inf, HISTORY)}, "history holds inf: write NaN"),
        ({"kinds": KINDS[:, :2]}, r"kinds has shape \(11, 2\): expected \(11, 3\)"),
        ({"kinds": KINDS + 1}, "kinds"),
        ({"kind": KIND[:3]}, r"kind has shape \(3,\): expected \(11,\)"),
        ({"kind": KIND - 1}, "kind"),
    ],
)
def test_what_cannot_be_is_refused_in_words(change, message):
    with pytest.raises(ValueError, match=message):
        MODEL(**({"history": HISTORY, "kinds": KINDS, "kind": KIND} | change))


def test_sizes_that_cannot_be():
    for name in ("num_days", "num_kinds", "d_model"):
        with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
            DayHourForecaster(**{name: 0})
    with pytest.raises(TypeError, match="kind must"):
        MODEL(HISTORY, KINDS, KIND + 0.5)
