"""Lesson 08: the learning rate over the steps, a rise in a straight line and a fall along half a cosine."""

import math

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def warmup_cosine(step, peak, warmup, total):
    rise = min((step + 1) / (warmup + 1), 1)  # a straight line up to 1, which it reaches at step `warmup`
    share = min(max(step - warmup, 0) / (total - warmup), 1)  # scale: of the way down, 0 at the peak, 1 at the end
    fall = (1 + math.cos(math.pi * share)) / 2  # from 1 to 0
    return peak * rise * fall


def _rise(step, warmup):
    return min((step + 1) / (warmup + 1), 1)


def _share(step, warmup, total):
    return min(max(step - warmup, 0) / (total - warmup), 1)


def _cosine(share):
    return (1 + math.cos(math.pi * share)) / 2


@diagnosed(
    "There is no warm-up: the first steps have the full learning rate, when Adam's averages still stand on one or two "
    "gradients. Multiply by `min((step + 1) / (warmup + 1), 1)`."
)
def faulty_warmup_cosine_no_warmup(step, peak, warmup, total):
    return peak * _cosine(_share(step, warmup, total))


@diagnosed(
    "Your rise begins at 0, so the first step moves nothing. Steps count from 0: "
    "`(step + 1) / (warmup + 1)` starts above 0 and reaches the peak at step `warmup`."
)
def faulty_warmup_cosine_lost_step(step, peak, warmup, total):
    return peak * (step / warmup if step < warmup else 1) * _cosine(_share(step, warmup, total))


@diagnosed(
    "Your rise is at its peak one step too soon, and stands there twice. "
    "From above 0 to the peak at step `warmup` there are warmup + 1 steps: `(step + 1) / (warmup + 1)`."
)
def faulty_warmup_cosine_too_soon(step, peak, warmup, total):
    return peak * min((step + 1) / max(1, warmup), 1) * _cosine(_share(step, warmup, total))


@diagnosed(
    "The cosine is spread over all steps, warm-up included, so the rate has fallen before it is at its peak. "
    "Count from the end of the warm-up: `(step - warmup) / (total - warmup)`."
)
def faulty_warmup_cosine_over_all(step, peak, warmup, total):
    rise = min((step + 1) / (warmup + 1), 1)
    share = min(step / total, 1)  # scale: of the way down, 0 at the peak, 1 at the end
    fall = (1 + math.cos(math.pi * share)) / 2
    return peak * rise * fall


@diagnosed(
    "You count from the end of the warm-up and divide by all steps, so the rate is not down at 0 when training ends. "
    "What is left is `total - warmup` steps."
)
def faulty_warmup_cosine_never_ends(step, peak, warmup, total):
    return peak * _rise(step, warmup) * _cosine(min(max(step - warmup, 0) / total, 1))


@diagnosed(
    "The cosine falls in the warm-up as well: `step - warmup` is negative there, and cos is even. "
    "Let the share begin at 0: `max(step - warmup, 0)`."
)
def faulty_warmup_cosine_both_sides(step, peak, warmup, total):
    return peak * _rise(step, warmup) * _cosine(min((step - warmup) / (total - warmup), 1))


@diagnosed(
    "The rate falls along a straight line. A cosine is flat at both ends: "
    "`(1 + math.cos(math.pi * share)) / 2`, with share from 0 to 1."
)
def faulty_warmup_cosine_linear(step, peak, warmup, total):
    return peak * _rise(step, warmup) * (1 - _share(step, warmup, total))


@diagnosed(
    "The angle is in degrees, and `math.cos` takes radians. Half a turn is `math.pi`, not 180: "
    "`math.cos(math.pi * share)`."
)
def faulty_warmup_cosine_degrees(step, peak, warmup, total):
    return peak * _rise(step, warmup) * (1 + math.cos(180 * _share(step, warmup, total))) / 2


@diagnosed("The cosine is not halved: 1 + cos runs from 2 to 0, so the rate is twice the peak. Divide it by 2.")
def faulty_warmup_cosine_not_halved(step, peak, warmup, total):
    return 2 * warmup_cosine(step, peak, warmup, total)


@diagnosed(
    "You take the cosine itself, which goes on to −1: beyond halfway the rate is negative, and steps go uphill. "
    "Add 1 and divide by 2: it then runs from 1 to 0."
)
def faulty_warmup_cosine_negative(step, peak, warmup, total):
    return peak * _rise(step, warmup) * math.cos(math.pi * _share(step, warmup, total))


@diagnosed(
    "You take a quarter of a turn, which falls ever faster and ends with a kink. "
    "Take half a turn, and bring it to between 1 and 0: `(1 + math.cos(math.pi * share)) / 2`."
)
def faulty_warmup_cosine_quarter(step, peak, warmup, total):
    return peak * _rise(step, warmup) * math.cos(math.pi / 2 * _share(step, warmup, total))


@diagnosed("After the last step the rate climbs again, as a cosine does. Let the share end at 1: `min(share, 1)`.")
def faulty_warmup_cosine_climbs(step, peak, warmup, total):
    return peak * _rise(step, warmup) * _cosine(max(step - warmup, 0) / (total - warmup))


@diagnosed(
    "`//` cuts the fraction off, so the rate stays at 0 until the warm-up ends, and at its peak until the last step. "
    "Divide by `/`."
)
def faulty_warmup_cosine_floor(step, peak, warmup, total):
    rise = min((step + 1) // (warmup + 1), 1)
    return peak * rise * _cosine(min(max(step - warmup, 0) // (total - warmup), 1))


_STEPS = (0, 3, 9, 10, 11, 40, 70, 100, 130)

EXERCISES = [
    Exercise(
        task="Write warmup_cosine(step, peak, warmup, total): peak · (step + 1) / (warmup + 1) up to the peak at step "
        "`warmup`, then half a cosine down to 0 at step `total`, and 0 from there on. Steps count from 0.",
        reference=warmup_cosine,
        cases=[(step, 0.5, 10, 100) for step in _STEPS] + [(0, 2.0, 0, 7), (3, 2.0, 0, 7), (50, 1.0, 20, 50)],
        faults=[
            faulty_warmup_cosine_no_warmup,
            faulty_warmup_cosine_lost_step,
            faulty_warmup_cosine_too_soon,
            faulty_warmup_cosine_over_all,
            faulty_warmup_cosine_never_ends,
            faulty_warmup_cosine_both_sides,
            faulty_warmup_cosine_linear,
            faulty_warmup_cosine_degrees,
            faulty_warmup_cosine_not_halved,
            faulty_warmup_cosine_negative,
            faulty_warmup_cosine_quarter,
            faulty_warmup_cosine_climbs,
            faulty_warmup_cosine_floor,
        ],
        hints=(
            "Two factors, one that rises from near 0 to 1 and stays, one that stays at 1 and then falls to 0. Where "
            "does each begin, and where does it end?",
            "The share of the way down is 0 until `warmup` and 1 from `total` on; between, the steps since the warm-up "
            "divided by `total - warmup`. cos(π · share) runs from 1 to −1.",
            "`min((step + 1) / (warmup + 1), 1)` rises; `(1 + math.cos(math.pi * share)) / 2` falls, with "
            "`share = min(max(step - warmup, 0) / (total - warmup), 1)`.",
        ),
        key="# scale",
        distractor=faulty_warmup_cosine_over_all,
        learned="the first step is not lost, the peak stands where the warm-up ends, and the fall ends flat at 0.",
        returns=("rate",),
    )
]
