"""Lesson 09: a score that guessing does not earn."""

import math

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def matthews(predicted, true):
    tp = np.sum((predicted == 1) & (true == 1), dtype=float)  # floats: a product of four large counts is huge
    tn = np.sum((predicted == 0) & (true == 0), dtype=float)
    fp = np.sum((predicted == 1) & (true == 0), dtype=float)
    fn = np.sum((predicted == 0) & (true == 1), dtype=float)
    root = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))  # normalise: four sums, the root of their product
    return (tp * tn - fp * fn) / root if root else 0.0  # one class alone: it tells nothing


def _counts(predicted, true):
    """tp, tn, fp, fn as whole numbers of NumPy."""
    yes, so = predicted == 1, true == 1
    return (yes & so).sum(), (~yes & ~so).sum(), (yes & ~so).sum(), (~yes & so).sum()


def _above(predicted, true):
    tp, tn, fp, fn = map(float, _counts(predicted, true))
    return tp * tn - fp * fn


def _product(predicted, true):
    tp, tn, fp, fn = map(float, _counts(predicted, true))
    return (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)


@diagnosed(
    "That is the accuracy, the share of right answers: where 90 % are of one class, saying that class alone earns 0.9. "
    "Count hits and errors of both classes: (tp · tn − fp · fn) / √(...)."
)
def faulty_matthews_accuracy(predicted, true):
    return (predicted == true).mean()


@diagnosed(
    "That is F1, which never looks at tn: who says 1 to everything scores well where most are 1. "
    "All four counts belong in: (tp · tn − fp · fn) / √(...)."
)
def faulty_matthews_f1(predicted, true):
    tp, _, fp, fn = map(float, _counts(predicted, true))
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0


@diagnosed(
    "That is the precision, hits among what was called 1. It says nothing of what was missed: take all four counts, "
    "(tp · tn − fp · fn) / √(...)."
)
def faulty_matthews_precision(predicted, true):
    tp, _, fp, _ = map(float, _counts(predicted, true))
    return tp / (tp + fp) if tp + fp else 0.0


@diagnosed(
    "The root is missing: you divide by the product itself, and the score shrinks as the data grow. "
    "Divide by its square root, `math.sqrt(...)`."
)
def faulty_matthews_no_root(predicted, true):
    product = _product(predicted, true)
    return _above(predicted, true) / product if product else 0.0


@diagnosed(
    "Two of your four sums are alike: precision's tp + fp stands where recall's tp + fn belongs, or tn's twice. "
    "Each error count occurs twice: (tp + fp) (tp + fn) (tn + fp) (tn + fn)."
)
def faulty_matthews_twice(predicted, true):
    tp = np.sum((predicted == 1) & (true == 1), dtype=float)
    tn = np.sum((predicted == 0) & (true == 0), dtype=float)
    fp = np.sum((predicted == 1) & (true == 0), dtype=float)
    fn = np.sum((predicted == 0) & (true == 1), dtype=float)
    root = math.sqrt((tp + fp) * (tp + fp) * (tn + fn) * (tn + fn))  # normalise: four sums, the root of their product
    return (tp * tn - fp * fn) / root if root else 0.0


@diagnosed(
    "Where only one class is predicted, or only one is true, a sum below the line is 0, and 0 / 0 is NaN. "
    "Such a prediction tells nothing: return 0 if the root is 0."
)
@np.errstate(invalid="ignore")
def faulty_matthews_nan(predicted, true):
    return np.float64(_above(predicted, true)) / np.sqrt(_product(predicted, true))


@diagnosed(
    "Python's own numbers refuse to be divided by 0, which is the root where only one class is predicted, or only one "
    "is true. Such a prediction tells nothing: return 0 if the root is 0."
)
def faulty_matthews_by_zero(predicted, true):
    return _above(predicted, true) / math.sqrt(_product(predicted, true))


@diagnosed(
    "The sign is turned round: right answers, tp · tn, count for the score and errors, fp · fn, against it. "
    "Write tp · tn − fp · fn."
)
def faulty_matthews_sign(predicted, true):
    return -matthews(predicted, true)


@diagnosed(
    "You add fp · fn, so that errors raise the score. They count against it: tp · tn − fp · fn, which is below 0 "
    "for who is mostly wrong."
)
def faulty_matthews_adds(predicted, true):
    tp, tn, fp, fn = map(float, _counts(predicted, true))
    root = math.sqrt(_product(predicted, true))
    return (tp * tn + fp * fn) / root if root else 0.0


@diagnosed(
    "The product of your four sums is beyond 9 · 10¹⁸, where an integer of 64 bits begins anew from below. "
    "Count in floats, `.sum(dtype=float)`, or take the root of each sum."
)
def faulty_matthews_overflow(predicted, true):
    tp, tn, fp, fn = _counts(predicted, true)
    root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return (tp * tn - fp * fn) / root if root else 0.0


@diagnosed(
    "`~` turns every bit of a whole number: `~1` is -2, not 0, so your counts are not those of the other class. "
    "Compare first: `(predicted == 0) & (true == 0)`."
)
def faulty_matthews_bits(predicted, true):
    tp, tn = (predicted & true).sum(), (~predicted & ~true).sum()
    fp, fn = (predicted & ~true).sum(), (~predicted & true).sum()
    product = float(tp + fp) * float(tp + fn) * float(tn + fp) * float(tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(abs(product)) if product else 0.0


def _cases():
    rng = np.random.default_rng(22)

    def draw(n, share, right):
        """True classes of which a share is 1, and predictions of which a share is right."""
        true = (rng.random(n) < share).astype(int)
        return np.where(rng.random(n) < right, true, 1 - true), true

    _, mixed = draw(11, 0.5, 1)
    return [
        (np.array([1, 1, 1, 0, 0, 1, 0]), np.array([1, 1, 0, 0, 0, 1, 1])),
        draw(31, 0.7, 0.8),
        draw(23, 0.3, 0.3),
        (np.ones(11, int), mixed),  # one class alone is predicted
        (mixed, np.zeros(11, int)),  # one class alone is true
        (np.ones(5, int), np.ones(5, int)),
        (mixed, mixed),
        (1 - mixed, mixed),
        draw(200003, 0.5, 0.8),
    ]


EXERCISES = [
    Exercise(
        task="Write matthews(predicted, true): for classes 0 and 1 the correlation (tp · tn − fp · fn) / √((tp + fp) "
        "(tp + fn) (tn + fp) (tn + fn)) of the four counts, and 0 where that is 0 / 0.",
        reference=matthews,
        cases=_cases(),
        faults=[
            faulty_matthews_accuracy,
            faulty_matthews_f1,
            faulty_matthews_precision,
            faulty_matthews_no_root,
            faulty_matthews_twice,
            faulty_matthews_nan,
            faulty_matthews_by_zero,
            faulty_matthews_sign,
            faulty_matthews_adds,
            faulty_matthews_overflow,
            faulty_matthews_bits,
        ],
        hints=(
            "Make a table of two rows and two columns: predicted 1 or 0, true 1 or 0. Which cells are right answers?",
            "tp is predicted 1 and true 1, fn predicted 0 and true 1. When is one of the four sums 0, and so the root?",
            "`np.sum((predicted == 1) & (true == 1), dtype=float)` counts tp, the others likewise; divide by the root "
            "if it is not 0, else return 0.",
        ),
        key="# normalise",
        distractor=faulty_matthews_twice,
        learned="who says the same to everything gets 0, whatever the classes' shares.",
        returns=("correlation",),
    ),
]
