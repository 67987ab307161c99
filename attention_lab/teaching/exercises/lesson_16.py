"""Lesson 16: a softmax that reads its row tile by tile."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def online_softmax(scores, value, maximum, total, mixed):
    largest = np.maximum(maximum, scores.max(axis=-1, keepdims=True))  # (n_q, 1)
    shift = np.where(largest == -np.inf, 0, largest)  # mask: no key was seen yet, and -inf - -inf is NaN
    shrink = np.exp(maximum - shift)  # scale: what was read before, in units of the new maximum
    powers = np.exp(scores - shift)  # (n_q, tile), at most 1
    total = shrink * total + powers.sum(axis=-1, keepdims=True)  # normalise: the sum so far
    mixed = shrink * mixed + powers @ value  # mix: (n_q, d_v)
    return largest, total, mixed


def _parts(scores, maximum):
    """The new maximum, what to subtract, the factor for the old, and the exponentials."""
    largest = np.maximum(maximum, scores.max(axis=-1, keepdims=True))
    shift = np.where(largest == -np.inf, 0, largest)
    return largest, np.exp(maximum - shift), np.exp(scores - shift)


@diagnosed(
    "The old sum is added as it was. It is counted in units of the old maximum: where this tile raises the maximum, "
    "multiply it by `np.exp(maximum - largest)` first."
)
def faulty_online_softmax_old_sum(scores, value, maximum, total, mixed):
    largest = np.maximum(maximum, scores.max(axis=-1, keepdims=True))
    shift = np.where(largest == -np.inf, 0, largest)
    shrink = np.exp(maximum - shift)
    powers = np.exp(scores - shift)
    total = total + powers.sum(axis=-1, keepdims=True)  # normalise: the old sum as it was
    mixed = shrink * mixed + powers @ value
    return largest, total, mixed


@diagnosed(
    "The sum shrinks, the mixed values do not: both were counted in units of the old maximum. Multiply `mixed` by the "
    "same factor."
)
def faulty_online_softmax_old_mix(scores, value, maximum, total, mixed):
    largest, shrink, powers = _parts(scores, maximum)
    return largest, shrink * total + powers.sum(axis=-1, keepdims=True), mixed + powers @ value


@diagnosed(
    "You add tiles that are counted in different units. Where a tile raises the maximum, what was read before must be "
    "multiplied by `np.exp(maximum - largest)`: sum and mixed values."
)
def faulty_online_softmax_no_rescale(scores, value, maximum, total, mixed):
    largest, _, powers = _parts(scores, maximum)
    return largest, total + powers.sum(axis=-1, keepdims=True), mixed + powers @ value


@diagnosed(
    "You take the maximum of this tile alone. If an earlier tile had a larger score, the factor for the old is above "
    "1, and may overflow. Take the larger of both: `np.maximum(maximum, ...)`."
)
def faulty_online_softmax_tile_maximum(scores, value, maximum, total, mixed):
    largest = scores.max(axis=-1, keepdims=True)
    shift = np.where(largest == -np.inf, 0, largest)
    shrink, powers = np.exp(maximum - shift), np.exp(scores - shift)
    return largest, shrink * total + powers.sum(axis=-1, keepdims=True), shrink * mixed + powers @ value


@diagnosed(
    "The factor is turned round: it lets the old grow where it should shrink. The new maximum is the larger one, so "
    "`np.exp(maximum - largest)` is at most 1."
)
def faulty_online_softmax_grows(scores, value, maximum, total, mixed):
    largest, shrink, powers = _parts(scores, maximum)
    grow = np.where(shrink > 0, 1 / shrink, 0)
    return largest, grow * total + powers.sum(axis=-1, keepdims=True), grow * mixed + powers @ value


@diagnosed(
    "A row that has seen no key yet becomes NaN: its maximum is -inf, and -inf minus -inf is NaN. Subtract 0 there: "
    "`np.where(largest == -np.inf, 0, largest)`."
)
def faulty_online_softmax_nan(scores, value, maximum, total, mixed):
    largest = np.maximum(maximum, scores.max(axis=-1, keepdims=True))
    shrink, powers = np.exp(maximum - largest), np.exp(scores - largest)
    return largest, shrink * total + powers.sum(axis=-1, keepdims=True), shrink * mixed + powers @ value


@diagnosed(
    "You divide already. The next tile would then be added to a mean, as if all that was read before were one key. "
    "Keep sum and mixed values apart; divide once, after the last tile."
)
def faulty_online_softmax_divides(scores, value, maximum, total, mixed):
    largest, total, mixed = online_softmax(scores, value, maximum, total, mixed)
    return largest, total, mixed / np.where(total == 0, 1, total)


@diagnosed(
    "Only this tile is in your result: what was read before is lost. Add it, multiplied by `np.exp(maximum - largest)`."
)
def faulty_online_softmax_forgets(scores, value, maximum, total, mixed):
    largest, _, powers = _parts(scores, maximum)
    return largest, powers.sum(axis=-1, keepdims=True), powers @ value


@diagnosed(
    "You subtract no maximum: the sums are right until `exp` overflows, at a score of 710 in float64, 89 in float32. "
    "Subtract the largest score so far, and let the old shrink when it rises."
)
def faulty_online_softmax_no_shift(scores, value, maximum, total, mixed):
    powers = np.exp(scores)
    largest, shrink = np.maximum(maximum, scores.max(axis=-1, keepdims=True)), np.where(total > 0, np.exp(maximum), 0)
    back = np.exp(-np.where(largest == -np.inf, 0, largest))
    total = (shrink * total + powers.sum(axis=-1, keepdims=True)) * back
    return largest, total, (shrink * mixed + powers @ value) * back


def _cases():
    rng = np.random.default_rng(16)

    def case(n_q, before, tile, d_v, level=1.0, dtype=np.float64, leading=()):
        scores = level * rng.normal(size=(*leading, n_q, before + tile))
        value = rng.normal(size=(*leading, before + tile, d_v))
        state = np.full((*leading, n_q, 1), -np.inf), np.zeros((*leading, n_q, 1)), np.zeros((*leading, n_q, d_v))
        if before:
            state = online_softmax(scores[..., :before], value[..., :before, :], *state)
        return [x.astype(dtype) for x in (scores[..., before:], value[..., before:, :], *state)]

    hidden, nothing_new, far = case(3, 0, 5, 7), case(3, 7, 5, 2), case(3, 11, 5, 7, level=1e4)
    hidden[0][1] = -np.inf  # the first tile of this row is masked
    nothing_new[0][2] = -np.inf
    cases = [case(5, 11, 3, 7), case(3, 0, 5, 7), case(2, 1, 3, 5), case(5, 7, 3, 2, dtype=np.float32)]
    return [*map(tuple, (*cases, far, hidden, nothing_new, case(3, 7, 5, 11, leading=(2,))))]


EXERCISES = [
    Exercise(
        task="Write online_softmax(scores, value, maximum, total, mixed): one more tile of keys, scores (..., n_q, "
        "tile) and value (..., tile, d_v), joins what was read before -> the new maximum, total and mixed. Before the "
        "first tile they are -inf, 0 and 0.",
        reference=online_softmax,
        cases=_cases(),
        faults=[
            faulty_online_softmax_old_sum,
            faulty_online_softmax_old_mix,
            faulty_online_softmax_no_rescale,
            faulty_online_softmax_tile_maximum,
            faulty_online_softmax_grows,
            faulty_online_softmax_nan,
            faulty_online_softmax_divides,
            faulty_online_softmax_forgets,
            faulty_online_softmax_no_shift,
        ],
        hints=(
            "total is Σ exp(score − maximum) over the keys so far. What happens to each of its terms when the maximum "
            "becomes a larger number?",
            "exp(s − new) = exp(s − old) · exp(old − new): one factor for all that was read before, the sum and the "
            "mixed values. Where no key was seen yet, subtract 0 in place of -inf.",
            "`largest = np.maximum(maximum, scores.max(axis=-1, keepdims=True))`; factor `np.exp(maximum - shift)`, "
            "powers `np.exp(scores - shift)`; then `shrink * total + powers.sum(...)` and "
            "`shrink * mixed + powers @ value`.",
        ),
        key="# scale",
        distractor=faulty_online_softmax_old_sum,
        learned="a softmax needs to see its row once, tile by tile, and keeps two numbers a row.",
        returns=("maximum", "total", "mixed"),
    )
]
