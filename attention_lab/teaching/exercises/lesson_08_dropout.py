"""Lesson 08: dropout, judged by what it must keep, since every generator drops others."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import apart, close


def dropout(x, rate, rng):
    rate = 0 if rng is None else rate  # without a generator this is an evaluation: nothing is dropped
    kept = True if rng is None else rng.random(x.shape) >= rate  # mask: one draw for each number
    survivors = x * kept
    return survivors / (1 - rate)  # scale: what is left makes up for what is gone


def _kept(x, rate, rng):
    return True if rng is None else rng.random(x.shape) >= rate


@diagnosed(
    lambda got, args: (
        f"What is left is not scaled, so the mean shrinks to {1 - args[1]:.3g} of itself, and in an evaluation the "
        "next layer reads larger numbers than it learned from. Divide by `(1 - rate)`."
    )
)
def faulty_dropout_no_scale(x, rate, rng):
    if rng is None:  # an evaluation
        return x
    kept = rng.random(x.shape) >= rate
    return x * kept


@diagnosed(
    "You divide by the rate, the share that is gone. What is left is a share of 1 − rate, and makes up for the rest if "
    "divided by that: `/ (1 - rate)`."
)
def faulty_dropout_by_rate(x, rate, rng):
    rate = 1 if rng is None else rate
    kept = True if rng is None else rng.random(x.shape) >= rate
    survivors = x * kept
    return survivors / rate  # scale: what is left makes up for what is gone


@diagnosed(
    "You multiply by (1 − rate), so the numbers shrink twice: some are gone, and the others are smaller. "
    "Divide by it, and the mean stays."
)
def faulty_dropout_multiplies(x, rate, rng):
    return x * _kept(x, rate, rng) * (1 if rng is None else 1 - rate)


@diagnosed(
    "You keep a share of `rate` and drop the rest. `rate` is the share to drop: a draw from [0, 1) is at least `rate` "
    "with probability 1 − rate, so keep where `rng.random(x.shape) >= rate`."
)
def faulty_dropout_keeps_rate(x, rate, rng):
    if rng is None:
        return x
    return x * (rng.random(x.shape) < rate) / (1 - rate)


@diagnosed(
    "You keep a share of `rate`, and scale for that. `rate` is the share to drop, not the share to keep: "
    "keep where `rng.random(x.shape) >= rate`, and divide by `(1 - rate)`."
)
def faulty_dropout_keep_probability(x, rate, rng):
    if rng is None or rate == 0:
        return x
    return x * (rng.random(x.shape) < rate) / rate


@diagnosed(
    "You drop in an evaluation too: where no generator is handed in, you make one. "
    "`rng` None means that the model is used, not trained: give x back as it is."
)
def faulty_dropout_in_evaluation(x, rate, rng):
    rng = np.random.default_rng(0) if rng is None else rng
    return x * (rng.random(x.shape) >= rate) / (1 - rate)


@diagnosed(
    "In an evaluation nothing is dropped, so nothing is to make up for: without `rng`, give x back as it is, "
    "not divided by (1 − rate)."
)
def faulty_dropout_scales_evaluation(x, rate, rng):
    return x * _kept(x, rate, rng) / (1 - rate)


@diagnosed(
    "`rng` is None in an evaluation, and None draws no numbers. Ask first, `if rng is None`, and give x back as it is."
)
def faulty_dropout_forgets_none(x, rate, rng):
    return x * (rng.random(x.shape) >= rate) / (1 - rate)


@diagnosed("You draw one number a row, so whole rows fall. Each number is dropped by itself: `rng.random(x.shape)`.")
def faulty_dropout_rows(x, rate, rng):
    if rng is None:
        return x
    return x * (rng.random((*x.shape[:-1], 1)) >= rate) / (1 - rate)


@diagnosed(
    "You draw one number a feature, so the same features fall in every row. "
    "Each number is dropped by itself: `rng.random(x.shape)`."
)
def faulty_dropout_columns(x, rate, rng):
    if rng is None:
        return x
    return x * (rng.random(x.shape[-1]) >= rate) / (1 - rate)


@diagnosed(
    "You multiply x by the draws themselves, numbers between 0 and 1: every number is changed and none is dropped. "
    "Compare the draws with `rate`, and keep where they are at least that."
)
def faulty_dropout_noise(x, rate, rng):
    return x if rng is None else x * rng.random(x.shape) / (1 - rate)


@diagnosed(
    "You write into x, which belongs to whoever calls, and an array of whole numbers cannot hold the result. "
    "Make a new one: `x = x * kept / (1 - rate)`."
)
def faulty_dropout_in_place(x, rate, rng):
    if rng is not None:
        x *= (rng.random(x.shape) >= rate) / (1 - rate)
    return x


def _drops_and_keeps_the_mean(result, x, rate, rng):
    """Whichever numbers fall: as many as asked for, each by itself, and the others make up for them."""
    if rng is None or rate == 0:
        return _unchanged(result, x, "Without `rng` this is an evaluation" if rng is None else "A rate of 0")
    kept, wanted = result != 0, 1 / (1 - rate)
    for axis in range(x.ndim):
        if x.shape[axis] > 1 and not kept.all() and (kept == kept.take([0], axis)).all():
            return f"Along axis {axis} all fall or none does. Each number is dropped by itself: `rng.random(x.shape)`."
    share = 1 - kept.mean()
    if abs(share - rate) > 6 * (rate * (1 - rate) / x.size) ** 0.5:
        return (
            f"You drop {share:.0%} of the numbers, and rate asks for {rate:.0%}. A draw from [0, 1) is at least `rate` "
            "with probability 1 − rate: keep where `rng.random(x.shape) >= rate`."
        )
    grown = (result[kept] / x[kept]).astype(float)
    if close(grown, np.full(grown.shape, wanted)):
        return None
    yours, theirs = apart(grown[np.abs(grown - wanted).argmax()], wanted)
    return (
        f"A number that is kept comes out {yours} times as large, and should be {theirs} times, 1 / (1 − rate): then "
        "the mean stays as it was. Divide by `(1 - rate)`."
    )


def _unchanged(result, x, why):
    if close(result, x):
        return None
    return f"{why}: nothing is dropped and nothing scaled, and your result differs from x. Give x back as it is."


def _cases():
    rng = np.random.default_rng(13)

    def draw(*shape):
        return 3 + rng.random(size=shape)  # no 0 among them: a 0 in the result was dropped

    return [
        (draw(31, 37), 0.3, np.random.default_rng(1)),
        (draw(2, 17, 29), 0.1, np.random.default_rng(2)),
        (draw(5, 7), 0.3, None),
        (draw(3, 5), 0.0, np.random.default_rng(3)),
        (draw(41, 31).astype(np.float32), 0.8, np.random.default_rng(4)),
        (draw(2, 3, 7), 0.5, None),
        (rng.integers(1, 9, size=(23, 29)), 0.5, np.random.default_rng(5)),
    ]


# As the gallery calls them: the names tell what is wrong.
faulty_dropout = faulty_dropout_no_scale
faulty_evaluation = faulty_dropout_in_evaluation

EXERCISES = [
    Exercise(
        task="Write dropout(x, rate, rng): a share `rate` of the numbers becomes 0, the others grow so that the mean "
        "stays; with rng None nothing is dropped.",
        reference=dropout,
        cases=_cases(),
        faults=[
            faulty_dropout_no_scale,
            faulty_dropout_by_rate,
            faulty_dropout_multiplies,
            faulty_dropout_keeps_rate,
            faulty_dropout_keep_probability,
            faulty_dropout_in_evaluation,
            faulty_dropout_scales_evaluation,
            faulty_dropout_forgets_none,
            faulty_dropout_rows,
            faulty_dropout_columns,
            faulty_dropout_noise,
            faulty_dropout_in_place,
        ],
        hints=(
            "Of numbers with mean 3 a share of 0.3 becomes 0. What is their mean then, and what brings it back to 3?",
            "Draw one number from [0, 1) for each number of x, `rng.random(x.shape)`. With which probability is it at "
            "least `rate`?",
            "Keep where `rng.random(x.shape) >= rate`, and divide by `(1 - rate)`. Where `rng` is None, return x.",
        ),
        key="# scale",
        distractor=faulty_dropout_by_rate,
        learned="the mean stays as it was, so that an evaluation, which drops nothing, reads what training wrote.",
        properties=_drops_and_keeps_the_mean,
        compares=False,
    )
]
