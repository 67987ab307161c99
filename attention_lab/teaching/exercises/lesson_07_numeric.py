"""Lesson 07: the numbers that a gradient is checked by."""

import numpy as np

from attention_lab.operations import exp, log
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import close


def numeric_gradient(f, x):
    h = 1e-5
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)  # for each number of x, a step that moves it alone
    slopes = [(f(x + step) - f(x - step)) / (2 * h) for step in steps]  # scale: change of f by the way it took
    return np.reshape(slopes, x.shape)


_ONE_SIDED = (
    "You step to one side only, so the bend of f comes in: the error shrinks with h, not with h². "
    "Step to both sides, `f(x + step) - f(x - step)`, and divide by 2h."
)


@diagnosed(_ONE_SIDED)
def faulty_numeric_gradient_forward(f, x):
    h = 1e-5
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)
    slopes = [(f(x + step) - f(x)) / h for step in steps]  # scale: change of f by the way it took
    return np.reshape(slopes, x.shape)


@diagnosed(
    "Every number is twice too large: from x − h to x + h the way is 2h, and you divide by h. Divide by `(2 * h)`."
)
def faulty_numeric_gradient_by_h(f, x):
    return 2 * numeric_gradient(f, x)


@diagnosed("The sign is turned round: take the value below from the value above, `f(x + step) - f(x - step)`.")
def faulty_numeric_gradient_sign(f, x):
    return -numeric_gradient(f, x)


@diagnosed(
    "You move all numbers of x at once, which gives one number: the sum of the gradient. "
    "Move one at a time, and note the slope of each in an array of x's shape."
)
def faulty_numeric_gradient_all_at_once(f, x):
    h = 1e-5
    return (f(x + h) - f(x - h)) / (2 * h)


@diagnosed(
    "You move a whole row of x at once: a loop over x, or `x[i]`, takes the first axis alone. "
    "`np.ndindex(x.shape)` goes through every number, whatever the number of axes."
)
def faulty_numeric_gradient_rows(f, x):
    gradient, h = np.zeros(x.shape), 1e-5
    for i in range(len(x)):
        step = np.zeros(x.shape)
        step[i] = h
        gradient[i] = (f(x + step) - f(x - step)) / (2 * h)
    return gradient


@diagnosed(
    "x holds whole numbers, and so does what you write your steps into: they are cut off, and f moves by whole steps "
    "or by none. Work on a float copy: `x = x.astype(float)`."
)
def faulty_numeric_gradient_into_integers(f, x):
    x, gradient, h = x.copy(), np.zeros(x.shape), 1e-5
    for at in np.ndindex(x.shape):
        old = x[at]
        x[at] = old + h
        above = f(x)
        x[at] = old - h
        gradient[at], x[at] = (above - f(x)) / (2 * h), old
    return gradient


@diagnosed(
    "x holds whole numbers, and `np.zeros_like(x)` does too: the small step becomes 0, and f does not move. "
    "Make it of floats: `np.zeros(x.shape)`."
)
def faulty_numeric_gradient_no_step(f, x):
    gradient, h = np.zeros(x.shape), 1e-5
    for at in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[at] = h
        gradient[at] = (f(x + step) - f(x - step)) / (2 * h)
    return gradient


@diagnosed(
    "x is not put back after its steps, so each slope is taken a little beside the place of the one before. "
    "Keep the old number, and restore it before the next: `x[at] = old`."
)
def faulty_numeric_gradient_not_restored(f, x):
    x, gradient, h = x.astype(float), np.zeros(x.shape), 1e-5
    for at in np.ndindex(x.shape):
        x[at] += h
        above = f(x)
        x[at] -= 2 * h
        gradient[at] = (above - f(x)) / (2 * h)
    return gradient


@diagnosed(
    "You step so far that f bends on the way. The error of a central difference grows with the square of the step: "
    "take h between 1e-3 and 1e-7, such as 1e-5."
)
def faulty_numeric_gradient_large_step(f, x):
    return _central(f, x, 0.1)


@diagnosed(
    "You step so little that rounding drowns the difference: a float64 has 16 digits, and f(x + h) shares most of them "
    "with f(x − h). Take h between 1e-3 and 1e-7, such as 1e-5."
)
def faulty_numeric_gradient_small_step(f, x):
    return _central(f, x, 1e-14)


def _central(f, x, h):
    return np.reshape([(f(x + step) - f(x - step)) / (2 * h) for step in _steps(x, h)], x.shape)


def _one_sided(f, x, h):
    return np.reshape([(f(x + step) - f(x)) / h for step in _steps(x, h)], x.shape)


def _steps(x, h):
    return h * np.eye(x.size).reshape(x.size, *x.shape)


def _steps_are_fair(gradient, f, x):
    """Numbers that a step of another size gives, or a step to one side, are told so."""
    if close(gradient, numeric_gradient(f, x)):
        return None
    if np.abs(gradient).max() < 1e-6:
        return (
            "Every slope is as good as 0. `/ 2 * h` divides by 2 and multiplies by h: put brackets, `/ (2 * h)`. "
            "And a step below 1e-15 moves nothing: take h = 1e-5."
        )
    for h in (1, 0.5, *10.0 ** -np.arange(1, 17)):
        if any(close(gradient, _one_sided(f, x, side * h)) for side in (1, -1)):
            return _ONE_SIDED
        if close(gradient, _central(f, x, h)):
            return (faulty_numeric_gradient_large_step if h > 1e-4 else faulty_numeric_gradient_small_step).diagnosis
    return None


# What the cases hand over: functions of an array that give one number.


def cubes(x):
    return (x**3).sum()


def steep(x):
    return exp(8 * x).sum()


def log_sum_exp(x):
    return log(exp(x).sum())


def valley(x):
    return 1e6 * (x.sum() ** 2 + (x * x).sum())  # level at 0, and very bent


def _cases():
    rng = np.random.default_rng(8)
    return [
        (cubes, rng.normal(size=3)),
        (log_sum_exp, rng.normal(size=(3, 5))),
        (steep, 0.3 * rng.normal(size=5)),
        (log_sum_exp, rng.normal(size=(2, 3, 5))),
        (valley, np.zeros((2, 3))),
        (cubes, np.array([[1, -2, 3], [4, -5, 6]])),
    ]


EXERCISES = [
    Exercise(
        task="Write numeric_gradient(f, x): the slope of f in each number of x, by central differences. `f` takes an "
        "array like x and gives one number.",
        reference=numeric_gradient,
        cases=_cases(),
        faults=[
            faulty_numeric_gradient_forward,
            faulty_numeric_gradient_by_h,
            faulty_numeric_gradient_sign,
            faulty_numeric_gradient_all_at_once,
            faulty_numeric_gradient_rows,
            faulty_numeric_gradient_into_integers,
            faulty_numeric_gradient_no_step,
            faulty_numeric_gradient_not_restored,
            faulty_numeric_gradient_large_step,
            faulty_numeric_gradient_small_step,
        ],
        hints=(
            "A slope is the change of f, divided by the way that x went. How many slopes are there for an x of 2 × 3?",
            "Move one number of x by h and by −h, all others stay: the way is 2h. What holds whole numbers cannot take "
            "a step of 1e-5.",
            "For each number a `step` of zeros with h in its place: `(f(x + step) - f(x - step)) / (2 * h)`, collected "
            "in an array of x's shape.",
        ),
        key="# scale",
        distractor=faulty_numeric_gradient_forward,
        learned="a step to both sides gives each slope to many digits, level places and whole numbers included.",
        returns=("gradient",),
        properties=_steps_are_fair,
    )
]
