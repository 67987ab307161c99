"""Lesson 09: sentences of different lengths in one array."""

from itertools import zip_longest

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def pad_batch(sequences, pad):
    lengths = np.array([len(sequence) for sequence in sequences])
    longest = lengths.max()
    rows = [list(sequence) + [pad] * (longest - len(sequence)) for sequence in sequences]
    ids = np.array(rows)  # (batch, longest)
    mask = np.arange(longest) < lengths[:, None]  # mask: (batch, longest), True = a real token
    return ids, mask


@diagnosed("The mask is turned round: it is True on the padding. Everywhere in this course True marks a real token.")
def faulty_pad_batch_inverted(sequences, pad):
    ids, mask = pad_batch(sequences, pad)
    return ids, ~mask


@diagnosed(
    "You look for the pad's number in `ids`, but a real token may have that number too, and is then lost. "
    "Only the lengths tell: `np.arange(longest) < lengths[:, None]`."
)
def faulty_pad_batch_by_id(sequences, pad):
    lengths = np.array([len(sequence) for sequence in sequences])
    longest = lengths.max()
    rows = [list(sequence) + [pad] * (longest - len(sequence)) for sequence in sequences]
    ids = np.array(rows)
    mask = ids != pad  # mask: (batch, longest), True = a real token
    return ids, mask


@diagnosed(
    "Your mask says `ids != 0`, but 0 may be a real token, and `pad` another number. "
    "Only the lengths tell: `np.arange(longest) < lengths[:, None]`."
)
def faulty_pad_batch_not_zero(sequences, pad):
    ids, _ = pad_batch(sequences, pad)
    return ids, ids != 0


@diagnosed(
    "You pad on the left. This task asks for the tokens first and the pads behind them: "
    "`sequence + [pad] * (longest - len(sequence))`."
)
def faulty_pad_batch_left(sequences, pad):
    longest = max(map(len, sequences))
    ids = np.array([[pad] * (longest - len(sequence)) + list(sequence) for sequence in sequences])
    return ids, np.arange(longest) >= np.array([[longest - len(sequence)] for sequence in sequences])


@diagnosed(
    "`ids` are right, and the mask belongs to padding on the left. A token is real while its place is below the "
    "length: `np.arange(longest) < lengths[:, None]`."
)
def faulty_pad_batch_mask_left(sequences, pad):
    ids, mask = pad_batch(sequences, pad)
    return ids, mask[:, ::-1]


@diagnosed(
    "You pad to a length that you chose yourself. The longest sentence of this batch decides: "
    "`longest = max(len(sequence) for sequence in sequences)`."
)
def faulty_pad_batch_fixed(sequences, pad):
    ids, mask = pad_batch([*sequences, [pad] * 50], pad)
    return ids[:-1], mask[:-1]


@diagnosed("You fill up with 0, whatever `pad` says. Take the number that is handed in: `[pad] * (longest - length)`.")
def faulty_pad_batch_zeros(sequences, pad):
    return pad_batch(sequences, 0)


@diagnosed(
    "You cut every sentence to the shortest one, as `zip` does, and tokens are lost. "
    "Fill up to the longest one: `itertools.zip_longest`, or pads behind each sentence."
)
def faulty_pad_batch_cuts(sequences, pad):
    shortest = min(map(len, sequences))
    return np.array([list(sequence)[:shortest] for sequence in sequences]), np.ones((len(sequences), shortest), bool)


@diagnosed(
    "Sentences stand in columns, (longest, batch): `zip_longest` turns rows and columns round. "
    "Turn the array back with `.T`: one row for each sentence."
)
def faulty_pad_batch_columns(sequences, pad):
    _, mask = pad_batch(sequences, pad)
    return np.array(list(zip_longest(*sequences, fillvalue=pad))), mask.T


@diagnosed(
    "Your mask counts one pad of each sentence as real: places count from 0, so a sentence of 3 tokens has places "
    "0, 1 and 2. Compare with `<`, not `<=`."
)
def faulty_pad_batch_one_more(sequences, pad):
    ids, mask = pad_batch(sequences, pad)
    return ids, np.arange(ids.shape[-1]) <= mask.sum(axis=-1, keepdims=True)


@diagnosed(
    "All of your mask is True: the lengths are taken once the pads are there already. Note them before, and do not "
    "append to the lists that you are handed: they belong to whoever calls."
)
def faulty_pad_batch_all_real(sequences, pad):
    ids, mask = pad_batch(sequences, pad)
    return ids, np.ones_like(mask)


@diagnosed(
    "An array has no rows of different lengths. Bring all lists to the same length first: "
    "`sequence + [pad] * (longest - len(sequence))`."
)
def faulty_pad_batch_ragged(sequences, pad):
    ids = np.array(sequences)
    return ids, ids != pad


@diagnosed(
    "`ids` holds floats, and a float is no index into a table of embeddings. "
    "Make it of whole numbers: `np.full(shape, pad)`, or `np.zeros(shape, dtype=int)`.",
    when=lambda got, args: np.asarray(got[0]).dtype.kind == "f",  # the numbers themselves are right
)
def faulty_pad_batch_floats(sequences, pad):
    ids, mask = pad_batch(sequences, pad)
    return ids.astype(float), mask


@diagnosed("Your two results come in the other order: the mask stands first. End with `return ids, mask`.")
def faulty_pad_batch_swapped(sequences, pad):
    return pad_batch(sequences, pad)[::-1]


def _whole(ids, mask, sequences, pad):
    return faulty_pad_batch_floats.diagnosis if ids.dtype.kind == "f" else None


_CASES = [
    ([[3, 1, 4], [1, 5], [9, 2, 6, 5, 3]], 0),
    ([[0, 2, 0], [0, 7, 4, 1, 0]], 0),  # 0 is a real token too, as the dot before and after a surname
    ([[5], [8, 2, 1, 8, 2, 8, 4], [4, 5, 9, 4]], 11),
    ([[2, 7, 1], [6, 6, 6]], -1),  # no padding at all
    ([[], [1, 3, 2]], 7),
    ([[4, 4, 2]], 4),
]

EXERCISES = [
    Exercise(
        task="Write pad_batch(sequences, pad) -> (ids, mask): lists of tokens become rows of one array (batch, "
        "longest), filled up with `pad` behind; mask is True at real tokens, some of which may equal `pad`.",
        reference=pad_batch,
        cases=_CASES,
        faults=[
            faulty_pad_batch_inverted,
            faulty_pad_batch_by_id,
            faulty_pad_batch_not_zero,
            faulty_pad_batch_left,
            faulty_pad_batch_mask_left,
            faulty_pad_batch_fixed,
            faulty_pad_batch_zeros,
            faulty_pad_batch_cuts,
            faulty_pad_batch_columns,
            faulty_pad_batch_one_more,
            faulty_pad_batch_all_real,
            faulty_pad_batch_ragged,
            faulty_pad_batch_floats,
            faulty_pad_batch_swapped,
        ],
        hints=(
            "How long must a row be so that every sentence fits, and what tells a pad from a token of the same number?",
            "The lengths tell both: the largest is the length of a row, and a place is real while it is below its own "
            "sentence's length.",
            "`list(sequence) + [pad] * (longest - len(sequence))` for each row, and "
            "`np.arange(longest) < lengths[:, None]` for the mask.",
        ),
        key="# mask",
        distractor=faulty_pad_batch_by_id,
        learned="no token is lost, and the mask knows a pad from a token of the same number.",
        returns=("ids", "mask"),
        properties=_whole,
    ),
]
