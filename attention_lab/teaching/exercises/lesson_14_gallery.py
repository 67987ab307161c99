"""Lesson 14: for its gallery, faults around a forecast that no exercise asks for."""

import numpy as np


def faulty_windows(counts, days):
    first = np.arange(len(counts) - days + 1)[:, None]
    history = counts[first + np.arange(days)]  # (windows, days, hours)
    return history, history[:, -1]


def faulty_scaled(counts, days):
    low, high = np.nanmin(counts), np.nanmax(counts)
    scaled = (counts - low) / (high - low)  # between 0 and 1, as networks like it
    rows = np.arange(len(counts) - days)[:, None] + np.arange(days)
    return scaled[rows], scaled[days:]  # history, target


def faulty_error(model, history, kinds, target, kind):
    low, high = np.nanmin(history), np.nanmax(history)
    forecast, _ = model((history - low) / (high - low), kinds, kind)
    truth = (target - low) / (high - low)
    return np.nanmean(np.abs(forecast - truth))


def faulty_split(history, target, rng):
    order = rng.permutation(len(target))
    train, test = order[: len(order) * 3 // 4], order[len(order) * 3 // 4 :]
    return (history[train], target[train]), (history[test], target[test])
