"""Lesson 05: positions told by turning queries and keys."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import apart


def rotary(x, positions):
    half = x.shape[-1] // 2
    angle = positions[:, None] / 10000 ** (np.arange(half) / half)  # scale: (n, d / 2), a slower turn for each pair
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)  # (n, d / 2)
    a, b = x[..., :half], x[..., half:]  # pair i is made of features i and i + d / 2
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)  # mix: (..., n, d)


def _turn(x, angle):
    """Turn each pair of halves by its angle."""
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)], axis=-1)


def _angle(x, positions, factor=1):
    half = x.shape[-1] // 2
    return positions[:, None] / 10000 ** (factor * np.arange(half) / half)


# The turn --------------------------------------------------------------------------------------------------


@diagnosed(
    "Both sines carry a plus, which is no turn: lengths change. One of the two must be negative: "
    "(a cos − b sin, a sin + b cos)."
)
def faulty_rotary_sign(x, positions):
    half = x.shape[-1] // 2
    angle = positions[:, None] / 10000 ** (np.arange(half) / half)
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos + b * sin, a * sin + b * cos], axis=-1)  # mix: (..., n, d)


@diagnosed(
    "You turn the other way round: the minus stands at the second sine. Scores would not notice, but weights that were "
    "trained the usual way would. Write (a cos − b sin, a sin + b cos)."
)
def faulty_rotary_backwards(x, positions):
    return _turn(x, -_angle(x, positions))


@diagnosed(
    "`a` is overwritten before it has been used up: the second line reads the turned a, not the old one. "
    "Compute both halves from the old a and b, under new names, and join them then."
)
def faulty_rotary_overwrites(x, positions):
    angle = _angle(x, positions)
    a, b = np.split(x, 2, axis=-1)
    a = a * np.cos(angle) - b * np.sin(angle)
    b = a * np.sin(angle) + b * np.cos(angle)
    return np.concatenate([a, b], axis=-1)


@diagnosed(
    "Only the first half is turned; the second comes out as it went in. A turn moves both features of a pair: "
    "the second becomes a sin + b cos."
)
def faulty_rotary_first_half(x, positions):
    angle = _angle(x, positions)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), b], axis=-1)


@diagnosed(
    "Each feature is multiplied by the cosine of its angle, and its partner never comes in: lengths shrink. "
    "Mix the two features of a pair: (a cos − b sin, a sin + b cos)."
)
def faulty_rotary_cosine_only(x, positions):
    angle = _angle(x, positions)
    return x * np.cos(np.concatenate([angle, angle], axis=-1))


@diagnosed(
    "You add an encoding to x. Rotary adds nothing: it turns each pair of features by its angle, so lengths stay and "
    "scores tell the distance. Multiply by cosines and sines."
)
def faulty_rotary_adds(x, positions):
    angle = _angle(x, positions)
    return x + np.concatenate([np.sin(angle), np.cos(angle)], axis=-1)


# Pairs and angles ------------------------------------------------------------------------------------------


@diagnosed(
    "You pair neighbours, features 2i and 2i + 1. That is rotary too, but another one: here pair i is features i and "
    "i + d / 2. Cut the last axis in two halves, `x[..., :half]` and `x[..., half:]`."
)
def faulty_rotary_neighbours(x, positions):
    angle = _angle(x, positions)
    a, b = x[..., 0::2], x[..., 1::2]
    turned = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return np.stack(turned, axis=-1).reshape(x.shape)


@diagnosed(
    "You cut neighbours apart, 0::2 and 1::2, and put the results together as halves, so features change their places. "
    "Cut and join the same way: here `x[..., :half]`, `x[..., half:]` and `np.concatenate`."
)
def faulty_rotary_mixed_pairs(x, positions):
    angle = _angle(x, positions)
    a, b = x[..., 0::2], x[..., 1::2]
    turned = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return np.concatenate(turned, axis=-1)


@diagnosed(
    "Every pair turns by the same angle, the position itself. Each pair has its own speed: "
    "divide the position by 10000 ** (i / half) for pair i."
)
def faulty_rotary_one_angle(x, positions):
    return _turn(x, positions[:, None])


@diagnosed(
    "The exponent is doubled: with pairs numbered i = 0, 1, 2, ... it is 2i / d, which is i / half already. "
    "Divide by 10000 ** (np.arange(half) / half)."
)
def faulty_rotary_doubled_exponent(x, positions):
    return _turn(x, _angle(x, positions, factor=2))


@diagnosed(
    "The exponent is halved, or the base is 100, which is the same. The base is 10,000 and the exponent 2i / d, "
    "that is, i divided by the number of pairs: `np.arange(half) / half`."
)
def faulty_rotary_halved_exponent(x, positions):
    return _turn(x, _angle(x, positions, factor=0.5))


@diagnosed(
    "Your angle does not know the position: every row is turned alike, so no distance can show. "
    "Multiply each pair's speed by the row's position: `positions[:, None]` makes a column of them."
)
def faulty_rotary_by_feature(x, positions):
    half = x.shape[-1] // 2
    return _turn(x, np.arange(half) / 10000 ** (np.arange(half) / half))


@diagnosed(
    "Positions and speeds meet on the same axis: (n,) with (d / 2,). Make the positions a column, "
    "`positions[:, None]`, and the division gives a table (n, d / 2)."
)
def faulty_rotary_no_column(x, positions):
    half = x.shape[-1] // 2
    return _turn(x, positions / 10000 ** (np.arange(half) / half))


@diagnosed(
    "You count the rows, 0, 1, 2, ..., and never look at `positions`. New words that join a cache start later: "
    "use the numbers that are handed in."
)
def faulty_rotary_counts_rows(x, positions):
    return _turn(x, _angle(x, np.arange(x.shape[-2])))


def _keeps_lengths(turned, x, positions):
    """A turn changes no length."""
    before, after = (np.linalg.norm(array.astype(float), axis=-1) for array in (x, turned))
    off = np.abs(after - before)
    if off.max() <= 1e-3 * before.max():
        return None
    row = np.unravel_index(off.argmax(), off.shape)
    went, came = apart(before[row], after[row])
    return (
        f"A turn keeps lengths, and your row {', '.join(map(str, row))} went in {went} long and came out "
        f"{came} long. Check that each pair becomes (a cos − b sin, a sin + b cos), with the same angle."
    )


def _cases():
    rng = np.random.default_rng(5)
    return [
        (rng.normal(size=(5, 6)), np.array([4, 0, 7, 1, 30])),
        (rng.normal(size=(2, 7, 10)), np.arange(50, 57)),
        (rng.normal(size=(2, 3, 5, 14)), np.arange(5)),
        (rng.normal(size=(3, 10)).astype(np.float32), np.array([2, 3, 4])),
        (rng.normal(size=(7, 22)), np.array([9, 9, 8, 100, 3, 0, 1])),
    ]


EXERCISES = [
    Exercise(
        task="Write rotary(x, positions): turn each row of x (..., n, d) by its position (n,). Pair i is features i "
        "and i + d / 2, its angle p / 10000^(2i / d), and (a, b) becomes (a cos − b sin, a sin + b cos).",
        reference=rotary,
        cases=_cases(),
        faults=[
            faulty_rotary_sign,
            faulty_rotary_backwards,
            faulty_rotary_overwrites,
            faulty_rotary_first_half,
            faulty_rotary_cosine_only,
            faulty_rotary_adds,
            faulty_rotary_neighbours,
            faulty_rotary_mixed_pairs,
            faulty_rotary_one_angle,
            faulty_rotary_doubled_exponent,
            faulty_rotary_halved_exponent,
            faulty_rotary_by_feature,
            faulty_rotary_no_column,
            faulty_rotary_counts_rows,
        ],
        hints=(
            "d features are d / 2 pairs, and each pair is a point in a plane. By which angle is pair i of the row at "
            "position p to be turned?",
            "The angles are a table (n, d / 2): a column of positions, `positions[:, None]`, divided by a row, "
            "`10000 ** (np.arange(half) / half)`. The first half of the features holds every a, the second every b.",
            "`a, b = x[..., :half], x[..., half:]`; then join `a * cos - b * sin` and `a * sin + b * cos` with "
            "`np.concatenate(..., axis=-1)`.",
        ),
        key="# mix",
        distractor=faulty_rotary_sign,
        learned="every pair is turned by its own angle, no length changes, and scores will tell the distance alone.",
        properties=_keeps_lengths,
    )
]
