"""Questions of lesson 14, first half: what a forecast may read, and what it can say."""

import numpy as np

from attention_lab import scaled_dot_product_attention as attention
from attention_lab.baselines.forecast import like_days, same_hour
from attention_lab.data.bikes import FREE, KINDS, bikes, day_windows
from attention_lab.metrics.forecast import mean_absolute_error
from attention_lab.tasks.forecasting import DayHourForecaster
from attention_lab.teaching.questions.question import question


@question(
    "missing-hour",
    lesson="14",
    source="lesson",
    text="A forecast reads the same hour of three days evenly. Two of them had 30 and 60 bikes, the third was not "
    "counted. What does it say if the gap is stored as 0, and what if it is masked?",
    options={
        "45, then 45": "A gap says nothing, so nothing should change. But 0 is a number like any other, and a third of "
        "the weight goes to it.",
        "30, then 45": "(30 + 60 + 0) / 3 against (30 + 60) / 2. To a sum, a gap stored as 0 is a day on which nobody "
        "hired a bike.",
        "30, then 30": "A mask does not set a value to 0. It takes the key out before the softmax, so the two that are "
        "left share all the weight.",
    },
)
def missing_hour():
    even, values = np.zeros((1, 4)), np.array([[30.0], [60.0], [0.0]])
    seen = np.array([[True, True, False]])
    stored, masked = (attention(even, np.zeros((3, 4)), values, mask)[0].item() for mask in (None, seen))
    return f"{stored:.0f}, then {masked:.0f}"


@question(
    "hardest-naive",
    lesson="14",
    source="lesson",
    text="Bikes of tomorrow, hour by hour. Three forecasts learn nothing and copy the same hour of another day. From "
    "which one does the copy miss least, on average?",
    options={
        "the day before": "It is the nearest, and its weather the most alike. But before each Saturday it is a working "
        "day, before each Monday a free one: two days in seven are far off.",
        "the same weekday last week": "The weekday fits, but a week is long: it is warmer or colder by then. And a "
        "Tuesday is hardly more like a Tuesday than like a Monday.",
        "the last day of its type": "The type is “working” or “free” (weekends and holidays). It fits as well as the "
        "weekday does, and mostly it was yesterday.",
    },
)
def hardest_naive():
    days = bikes("validation")
    like = FREE[days.kinds] == FREE[days.kind][:, None]
    copies = {
        "the day before": same_hour(days.history),
        "the same weekday last week": same_hour(days.history, days_ago=7),
        "the last day of its type": like_days(days.history, like),
    }
    return min(copies, key=lambda name: mean_absolute_error(copies[name], days.target))


@question(
    "beyond-the-past",
    lesson="14",
    source="lesson",
    text="A forecast is a weighted mean of last week's counts, with weights from a softmax. These counts went from 2 "
    "to 400. A sunny holiday is coming. Can training make it say 450?",
    options={
        "yes, if one weight exceeds 1": "A linear model can do so: its weights are free. Those of a softmax lie "
        "between 0 and 1 and sum to 1.",
        "only with one-hot weights": "All weight on the largest count gives 400, and that is the most there is. A mean "
        "cannot leave the range of what it is taken of.",
        "no, whatever it learns": "Weights that sum to 1 and are never negative stay between the smallest and the "
        "largest count. What was never seen is never said.",
    },
)
def beyond_the_past():
    rng, most = np.random.default_rng(0), []
    history = rng.uniform(2, 400, size=(7, 24))
    for loudness in (1, 10, 100, 1000):
        model = DayHourForecaster(rng=rng, dtype=np.float64)
        model.hour.table *= loudness  # whatever was learned
        most.append(model(history, rng.integers(8, size=7), 0)[0].max())
    if max(most) > history.max() + 1e-6:
        return "yes, if one weight exceeds 1"
    return "no, whatever it learns" if max(most) < 450 else "only with one-hot weights"


@question(
    "saturday-at-eight",
    lesson="14",
    source="lesson",
    text="Saturday at eight in the morning is to be forecast from the seven days before it. If only one of these days "
    "may be read at eight, which one misses least?",
    options={
        "Friday, a day before": "It is the nearest. But on a Friday at eight people ride to work: some 340 bikes "
        "against 80 on a Saturday.",
        "Sunday, six days before": "It is far back in the week, and free as Saturday is: some 60 bikes at eight, "
        "against 80. To find it, one must know what kind of day each was.",
        "Wednesday, in the middle": "Half-way between may look safe. But the five working days are alike, with 340 "
        "bikes or more at eight, and the free ones are another world.",
    },
)
def saturday_at_eight():
    days = bikes("train")
    saturdays = days.kind == KINDS.index("Saturday")
    misses = {
        name: mean_absolute_error(same_hour(days.history[saturdays], ago)[:, 8], days.target[saturdays, 8])
        for name, ago in {
            "Friday, a day before": 1,
            "Sunday, six days before": 6,
            "Wednesday, in the middle": 3,
        }.items()
    }
    return min(misses, key=misses.get)


@question(
    "because-day_windows",
    lesson="14",
    source="exercise",
    text="The history of a target ends with the day before it, because …",
    options={
        "the model could not learn otherwise": "It would learn splendidly: with the target in the history the error "
        "falls to nothing. That is the trouble.",
        "the day itself is what is asked": "When the forecast is made that day has not happened. A window that holds "
        "it rewards copying, and in use there is nothing to copy.",
        "all windows are then equally long": "They are so in any case, wherever they end.",
    },
)
def because_day_windows():
    days = np.random.default_rng(0).normal(size=(50, 5))
    honest, target = day_windows(days, 7)
    cheating = np.concatenate([honest[:, 1:], target[:, None]], axis=1)  # a day later, and the target in it
    if cheating.shape != honest.shape:
        return "all windows are then equally long"
    errors = [mean_absolute_error(same_hour(history), target) for history in (cheating, honest)]
    return "the day itself is what is asked" if errors[0] < errors[1] else "the model could not learn otherwise"
