"""Questions of lesson 14, second half: what an error says, and when a flat forecast is right."""

import numpy as np

from attention_lab.baselines.forecast import LeastSquares
from attention_lab.metrics.forecast import coverage, error_interval, mean_absolute_error
from attention_lab.teaching.questions.question import question


@question(
    "flat-on-noise",
    lesson="14",
    source="Q122",
    text="Each value of a series is drawn anew, with mean 0 and variance 1. One forecast always says 0, another "
    "repeats the last value. What are their mean squared errors?",
    options={
        "1.0 and 2.0": "The constant misses by one variance. The copy misses by the difference of two draws, which has "
        "two. A flat forecast is no sign of a broken model, if there is nothing to know.",
        "1.0 and 1.0": "The copy looks alive, as the series does. But each of its ups and downs is somebody else's: "
        "their variance comes on top.",
        "2.0 and 1.0": "A flat line looks like a model that has given up, and the last value is news. Here it is news "
        "about nothing: no value tells of the next.",
    },
)
def flat_on_noise():
    noise = np.random.default_rng(0).normal(size=100_000)
    constant, copied = (noise**2).mean(), ((noise[1:] - noise[:-1]) ** 2).mean()
    return f"{constant:.1f} and {copied:.1f}"


@question(
    "training-errors",
    lesson="14",
    source="lesson",
    text="A model has learned from 60 days. The middle 80 % of its errors on these days make an interval round each "
    "forecast. How much of what comes on new days lies inside?",
    options={
        "about 80 %": "So it would be if the errors were those of new days. On days that a model has learned from, it "
        "misses by less than it will.",
        "clearly less": "A model fits the days it learns from, their accidents too, and its errors there are too "
        "small. Take errors from days that it has not learned from.",
        "clearly more": "Then its errors on new days would be smaller than on those it was fitted to. Fitting makes "
        "the errors small where it is done.",
    },
)
def training_errors():
    rng, held = np.random.default_rng(0), []
    for _ in range(20):
        history, target = rng.normal(size=(560, 40, 1)), rng.normal(size=(560, 1))
        group = np.zeros(560, int)
        model = LeastSquares(history[:60], group[:60], target[:60])
        forecast = model(history, group)
        low, high = error_interval(forecast[:60], target[:60], share=0.8)
        held.append(coverage(forecast[60:] + low, forecast[60:] + high, target[60:]))
    if abs(np.mean(held) - 0.8) < 0.05:
        return "about 80 %"
    return "clearly less" if np.mean(held) < 0.8 else "clearly more"


@question(
    "scale-of-the-year",
    lesson="14",
    source="lesson",
    text="Before windows are cut, the whole year's counts are scaled to 0 … 1 by their smallest and largest. Then a "
    "record is set in December. Which training windows, all from spring, does it change?",
    options={
        "none, they are over": "Their counts are over. But what the model reads is counts divided by a number from "
        "December, and nobody knew that in spring.",
        "all of them": "The largest count divides every value. Take the scale from the training part alone, and use "
        "the same numbers ever after.",
        "only the last ones": "Nearness has nothing to do with it: one number scales the first of January as well.",
    },
)
def scale_of_the_year():
    counts = np.random.default_rng(0).uniform(0, 600, size=(365, 24))
    record = counts.copy()
    record[340, 17] = 1000
    before, after = ((year - year.min()) / (year.max() - year.min()) for year in (counts, record))
    changed = (before[60:150] != after[60:150]).any(axis=1)
    if changed.all():
        return "all of them"
    return "only the last ones" if changed.any() else "none, they are over"


@question(
    "shuffled-days",
    lesson="14",
    source="lesson",
    text="A series wanders slowly up and down. A model forecasts a day by the nearest day it has learned from. A tenth "
    "of all days are its test: once drawn at random, once the last tenth. Where does the error look smaller?",
    options={
        "with random days": "Each test day then stands between two that were learned, and the answer is nearly theirs. "
        "In use no day after it is known: only the last tenth tells.",
        "with the last days": "They have the most days before them to learn from, but the nearest is up to a tenth "
        "of the series away, and the series has wandered on.",
        "equal, both were not learned": "Neither test day was learned. Its neighbours were, and in a series that moves "
        "slowly a neighbour is nearly the answer.",
    },
)
def shuffled_days():
    rng, errors = np.random.default_rng(0), []
    for _ in range(50):
        series, days = rng.normal(size=400).cumsum(), np.arange(400)
        errors.append([])
        for test in (rng.permutation(400) < 40, days >= 360):
            nearest = np.abs(days[test][:, None] - days[~test]).argmin(axis=1)
            errors[-1].append(mean_absolute_error(series[~test][nearest], series[test]))
    random, last = np.mean(errors, axis=0)
    if np.isclose(random, last, rtol=0.1):
        return "equal, both were not learned"
    return "with random days" if random < last else "with the last days"


@question(
    "always-inside",
    lesson="14",
    source="lesson",
    text="The 80 % intervals of a forecaster hold 97 % of what comes. What does that say?",
    options={
        "it is better than promised": "It is safe, but “between 0 and 1,000 bikes” would hold even more. Whoever plans "
        "by such an interval keeps too many bikes ready.",
        "its intervals are too wide": "It knows more than it says: narrower ones would keep the promise. A share well "
        "above 80 % is a fault, as is one below it.",
        "its forecasts are too high": "Then more than a tenth would lie below the interval, and fewer than 80 % "
        "inside. A shift cannot raise the share.",
    },
)
def always_inside():
    truth = np.random.default_rng(0).normal(size=20_000)
    inside = {
        "it is better than promised": coverage(-1.28, 1.28, truth),  # as wide as promised
        "its intervals are too wide": coverage(-2.17, 2.17, truth),
        "its forecasts are too high": coverage(-1.28 + 0.5, 1.28 + 0.5, truth),
    }
    return min(inside, key=lambda name: abs(inside[name] - 0.97))


@question(
    "because-mae_by_horizon",
    lesson="14",
    source="exercise",
    text="Errors are averaged over the windows, for each horizon by itself, because …",
    options={
        "one mean would be another number": "Where no hour is missing, the mean of the means is the mean of all. It is "
        "right, and still hides where a forecast fails.",
        "windows depend on one another": "They do, as they overlap; but an average over them is taken all the same.",
        "one mean hides where it fails": "Two forecasts can have the same mean error, one the same at all horizons, "
        "the other good for an hour and useless for a day.",
    },
)
def because_mae_by_horizon():
    rng = np.random.default_rng(0)
    truth, noise = np.zeros((500, 4)), rng.normal(size=(500, 4))
    even, growing = noise * 2.5, noise * [1, 2, 3, 4]
    means = [mean_absolute_error(forecast, truth, axis=0) for forecast in (even, growing)]
    if not np.isclose(means[0].mean(), mean_absolute_error(even, truth)):
        return "one mean would be another number"
    alike = np.isclose(means[0].mean(), means[1].mean(), rtol=0.1) and not np.allclose(*means, rtol=0.3)
    return "one mean hides where it fails" if alike else "windows depend on one another"
