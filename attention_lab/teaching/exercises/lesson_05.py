"""Lesson 05: an encoding of the position, added to the words' vectors."""

import math

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def positional_encoding(seq_len, d_model):
    position = np.arange(seq_len)[:, None]  # (seq_len, 1)
    even = np.arange(0, d_model, 2)  # (pairs,): the numbers 2i
    angle = position / 10000 ** (even / d_model)  # scale: (seq_len, pairs), slower and slower
    encoding = np.empty((seq_len, d_model))
    encoding[:, 0::2] = np.sin(angle)
    encoding[:, 1::2] = np.cos(angle[:, : d_model // 2])  # one less if d_model is odd
    return encoding


def _pairs(angle, d_model, first=np.sin, second=np.cos):
    """Sines in the even columns and cosines in the odd ones."""
    encoding = np.empty((len(angle), d_model))
    encoding[:, 0::2] = first(angle)
    encoding[:, 1::2] = second(angle[:, : d_model // 2])
    return encoding


# For the gallery: each written in full ---------------------------------------------------------------------


@diagnosed(
    "An odd d_model has one sine more than cosines, and your cosines are as many as your sines. "
    "Take as many angles as there are odd columns: `angle[:, : d_model // 2]`."
)
def faulty_positional_encoding_odd(seq_len, d_model):
    position = np.arange(seq_len)[:, None]
    speed = np.exp(-math.log(10000) / d_model * np.arange(0, d_model, 2))
    encoding = np.zeros((seq_len, d_model))
    encoding[:, 0::2] = np.sin(position * speed)
    encoding[:, 1::2] = np.cos(position * speed)
    return encoding


@diagnosed(
    "The i of 2i / d_model numbers pairs, and you number columns: the exponents run up to 2, and a sine and its cosine "
    "turn at different speeds. Number the even columns, `np.arange(0, d_model, 2)`: each is the 2i of its pair."
)
def faulty_positional_encoding_doubled_exponent(seq_len, d_model):
    position = np.arange(seq_len)[:, None]
    column = np.arange(d_model)
    angle = position / 10000 ** (2 * column / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


# Frequencies -----------------------------------------------------------------------------------------------


@diagnosed(
    "The exponent is doubled: `even` holds 0, 2, 4, ... already, so it is 2i and needs no second factor 2. "
    "The last pair should turn nearly 10,000 times slower than the first: divide `even` by d_model, and no more."
)
def faulty_positional_encoding_twice_even(seq_len, d_model):
    position = np.arange(seq_len)[:, None]
    even = np.arange(0, d_model, 2)
    angle = position / 10000 ** (2 * even / d_model)  # scale: (seq_len, pairs)
    encoding = np.empty((seq_len, d_model))
    encoding[:, 0::2] = np.sin(angle)
    encoding[:, 1::2] = np.cos(angle[:, : d_model // 2])
    return encoding


@diagnosed(
    "The exponent is halved, or the base is 100, which is the same. The base is 10,000 and the exponent 2i / d_model, "
    "where i numbers the pairs: count in twos, `np.arange(0, d_model, 2)`."
)
def faulty_positional_encoding_halved_exponent(seq_len, d_model):
    pair = np.arange((d_model + 1) // 2)
    return _pairs(np.arange(seq_len)[:, None] / 10000 ** (pair / d_model), d_model)


@diagnosed(
    "You divide the number of the pair by d_model // 2, which is 2i / d_model only where d_model is even. "
    "Divide 2i by d_model itself: `np.arange(0, d_model, 2) / d_model`."
)
def faulty_positional_encoding_half_rounded(seq_len, d_model):
    pair = np.arange((d_model + 1) // 2)
    return _pairs(np.arange(seq_len)[:, None] / 10000 ** (pair / (d_model // 2)), d_model)


@diagnosed(
    "With d_model = 0 you divide one plain number by 0. No column needs that quotient: let NumPy divide the (empty) "
    "array of columns by d_model, or divide by `max(d_model, 1)`."
)
def faulty_positional_encoding_no_columns(seq_len, d_model):
    speed = np.exp(-math.log(10000.0) / d_model * np.arange(0, d_model, 2))
    return _pairs(np.arange(seq_len)[:, None] * speed, d_model)


@diagnosed(
    "Every column has a speed of its own, so a cosine turns slower than the sine beside it and the two are no hand of "
    "a clock. Both columns of a pair take the even one's exponent, 2i / d_model."
)
def faulty_positional_encoding_cosine_is_slower(seq_len, d_model):
    angle = np.arange(seq_len)[:, None] / 10000 ** (np.arange(d_model) / d_model)
    return np.where(np.arange(d_model) % 2, np.cos(angle), np.sin(angle))


@diagnosed(
    "All pairs turn at the same speed, one radian a position, so positions 6 apart look nearly alike. "
    "Divide the position by 10000 ** (2i / d_model): a slower hand for every pair."
)
def faulty_positional_encoding_one_speed(seq_len, d_model):
    return _pairs(np.arange(seq_len)[:, None] * np.ones((d_model + 1) // 2), d_model)


@diagnosed(
    "Your base is 1,000, and the course's is 10,000: the slow pairs turn too fast. "
    "Write `10000 ** (...)`, with four zeros."
)
def faulty_positional_encoding_base_1000(seq_len, d_model):
    even = np.arange(0, d_model, 2)
    return _pairs(np.arange(seq_len)[:, None] / 1000 ** (even / d_model), d_model)


@diagnosed(
    "You multiply the position by 10000 ** (2i / d_model), so each pair turns faster than the one before, and "
    "neighbours get unrelated numbers. Divide by it."
)
def faulty_positional_encoding_faster(seq_len, d_model):
    even = np.arange(0, d_model, 2)
    return _pairs(np.arange(seq_len)[:, None] * 10000 ** (even / d_model), d_model)


# Columns and positions -------------------------------------------------------------------------------------


@diagnosed(
    "With an odd d_model there are more sines than odd columns, and you want a cosine for each of them. "
    "The last sine has no partner: take one angle less, `angle[:, : d_model // 2]`."
)
def faulty_positional_encoding_too_many_cosines(seq_len, d_model):
    angle = np.arange(seq_len)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    encoding = np.zeros((seq_len, d_model))
    encoding[:, 0::2], encoding[:, 1::2] = np.sin(angle), np.cos(angle)
    return encoding


@diagnosed(
    "Your loop writes a cosine beside every sine, and an odd d_model ends with a sine alone: there is no column i + 1. "
    "Ask first: `if i + 1 < d_model:`."
)
def faulty_positional_encoding_one_column_too_far(seq_len, d_model):
    encoding = np.zeros((seq_len, d_model))
    for p in range(seq_len):
        for i in range(0, d_model, 2):
            angle = p / 10000 ** (i / d_model)
            encoding[p, i], encoding[p, i + 1] = math.sin(angle), math.cos(angle)
    return encoding


@diagnosed(
    "You fill d_model // 2 pairs, and an odd d_model has a sine left over: its last column stays 0. "
    "Run over the even columns, `range(0, d_model, 2)`, and leave out the cosine that has no column."
)
def faulty_positional_encoding_last_column(seq_len, d_model):
    encoding = np.zeros((seq_len, d_model))
    for i in range(d_model // 2):
        angle = np.arange(seq_len) / 10000 ** (2 * i / d_model)
        encoding[:, 2 * i], encoding[:, 2 * i + 1] = np.sin(angle), np.cos(angle)
    return encoding


@diagnosed(
    "The sines fill the first half of the columns and the cosines the second. That carries the same information, but "
    "asked for are neighbours: sines in columns 0, 2, 4, ... (`0::2`), cosines in 1, 3, 5, ... (`1::2`)."
)
def faulty_positional_encoding_halves(seq_len, d_model):
    even = np.arange(0, d_model, 2)
    angle = np.arange(seq_len)[:, None] / 10000 ** (even / d_model)
    return np.concatenate([np.sin(angle), np.cos(angle[:, : d_model // 2])], axis=1)


@diagnosed(
    "Sine stands everywhere. Only with its cosine is it a hand that turns, so that a shift by k is the same turn at "
    "every position: put `np.cos` into the odd columns."
)
def faulty_positional_encoding_sine_only(seq_len, d_model):
    even = np.arange(0, d_model, 2)
    return _pairs(np.arange(seq_len)[:, None] / 10000 ** (even / d_model), d_model, second=np.sin)


@diagnosed(
    "Sine and cosine have changed places: your first row begins 1, 0. Sines go into the even columns, so position 0 is "
    "0, 1, 0, 1, ...: swap the two."
)
def faulty_positional_encoding_swapped(seq_len, d_model):
    even = np.arange(0, d_model, 2)
    return _pairs(np.arange(seq_len)[:, None] / 10000 ** (even / d_model), d_model, np.cos, np.sin)


@diagnosed(
    "Your positions begin at 1, so the first row is that of the second word. Count from 0: `np.arange(seq_len)`."
)
def faulty_positional_encoding_from_one(seq_len, d_model):
    even = np.arange(0, d_model, 2)
    return _pairs(np.arange(1, seq_len + 1)[:, None] / 10000 ** (even / d_model), d_model)


# As the gallery calls them: by the source's row or by the part, since the name tells what is wrong.
faulty_b5 = faulty_positional_encoding_odd
faulty_exponent = faulty_positional_encoding_doubled_exponent

EXERCISES = [
    Exercise(
        task="Write positional_encoding(seq_len, d_model) -> (seq_len, d_model): sin(p / 10000^(2i / d_model)) in "
        "column 2i and the cosine of the same angle in column 2i + 1. Odd and zero sizes must work.",
        reference=positional_encoding,
        cases=[(7, 6), (5, 11), (3, 2), (13, 10), (2, 1), (11, 0), (0, 3)],
        faults=[
            faulty_positional_encoding_odd,
            faulty_positional_encoding_doubled_exponent,
            faulty_positional_encoding_twice_even,
            faulty_positional_encoding_halved_exponent,
            faulty_positional_encoding_half_rounded,
            faulty_positional_encoding_no_columns,
            faulty_positional_encoding_cosine_is_slower,
            faulty_positional_encoding_one_speed,
            faulty_positional_encoding_base_1000,
            faulty_positional_encoding_faster,
            faulty_positional_encoding_too_many_cosines,
            faulty_positional_encoding_one_column_too_far,
            faulty_positional_encoding_last_column,
            faulty_positional_encoding_halves,
            faulty_positional_encoding_sine_only,
            faulty_positional_encoding_swapped,
            faulty_positional_encoding_from_one,
        ],
        hints=(
            "One angle for every position and every pair of columns: which positions, and how fast does pair i turn?",
            "The angle is p / 10000^(2i / d_model). A column of positions divided by a row of speeds gives them all: "
            "`position / 10000 ** (even / d_model)`, where `even` is 0, 2, 4, ...",
            "Fill an empty (seq_len, d_model) array: `encoding[:, 0::2] = np.sin(angle)`, and the cosines into `1::2`. "
            "An odd d_model has one odd column less: `angle[:, : d_model // 2]`.",
        ),
        key="# scale",
        distractor=faulty_positional_encoding_twice_even,
        learned="every pair of columns is one hand of a clock, and any size works, odd or zero.",
    )
]
