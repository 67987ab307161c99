"""Lesson 11: what a new token may see and where it stands, in a text that is kept and in a batch padded on the left."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def cached_mask(n_new, n_kept):
    query = n_kept + np.arange(n_new)  # mask: where the new tokens stand
    key = np.arange(n_kept + n_new)  # what is kept, then the new tokens
    return key <= query[:, None]  # (n_new, n_kept + n_new): itself and what came before it


def left_pad_positions(mask):
    counted = np.cumsum(mask, axis=-1)  # mask: real tokens so far, itself included
    positions = counted - 1  # the first real token stands at 0
    return np.maximum(positions, 0)  # pads are read by no one: any position will do that exists


# cached_mask -----------------------------------------------------------------------------------------------


@diagnosed(
    "Your mask begins at the first key, so a new token sees as little as if nothing were kept. New query i is token "
    "n_kept + i of the text: it sees n_kept + i + 1 keys."
)
def faulty_cached_mask_start(n_new, n_kept):
    query = np.arange(n_new)  # mask: where the new tokens stand
    key = np.arange(n_kept + n_new)
    return key <= query[:, None]


@diagnosed(
    "Your mask is square, and there are more keys than queries: each new query reads what is kept as well. "
    "Give it n_kept + n_new columns."
)
def faulty_cached_mask_square(n_new, n_kept):
    return np.tri(n_new, dtype=bool)


@diagnosed(
    "Every new query sees every key. For one new token that is right; of several, the first ones would see those that "
    "follow, and copy them. Compare positions: `key <= query`."
)
def faulty_cached_mask_all(n_new, n_kept):
    return np.ones((n_new, n_kept + n_new), dtype=bool)


@diagnosed(
    "New tokens see what is kept and none of the new ones, not even themselves. "
    "Token n_kept + i sees up to its own position: `key <= query`."
)
def faulty_cached_mask_kept_only(n_new, n_kept):
    return np.tile(np.arange(n_kept + n_new) < n_kept, (n_new, 1))


@diagnosed(
    "New tokens see each other and nothing of what is kept, so the cache is never read. "
    "The columns of what is kept, the first n_kept, are True in every row."
)
def faulty_cached_mask_new_only(n_new, n_kept):
    return np.concatenate([np.zeros((n_new, n_kept), bool), np.tri(n_new, dtype=bool)], axis=1)


@diagnosed("One key short: a token may see itself too. Compare with `<=`, not with `<`.")
def faulty_cached_mask_not_itself(n_new, n_kept):
    return np.arange(n_kept + n_new) < n_kept + np.arange(n_new)[:, None]


@diagnosed(
    "One key too many: each new token sees the one that follows it, which is what it is to say. "
    "Token n_kept + i sees keys up to n_kept + i, and `np.tri` takes k = n_kept."
)
def faulty_cached_mask_one_ahead(n_new, n_kept):
    return np.tri(n_new, n_kept + n_new, k=n_kept + 1, dtype=bool)


@diagnosed(
    "Rows and columns have changed places: a row is a new query, a column a key. "
    "The shape is (n_new, n_kept + n_new): `query[:, None]` makes the rows."
)
def faulty_cached_mask_turned(n_new, n_kept):
    return cached_mask(n_new, n_kept).T


@diagnosed(
    "You make a row for every token, kept ones too. Their queries have been answered and are gone: "
    "only the last n_new rows are asked for."
)
def faulty_cached_mask_all_rows(n_new, n_kept):
    return np.tri(n_kept + n_new, dtype=bool)


# left_pad_positions ----------------------------------------------------------------------------------------


@diagnosed(
    "You number the columns, pads too: a text in a batch then stands elsewhere than alone, and goes on otherwise. "
    "Count real tokens only: `np.cumsum(mask, axis=-1) - 1`."
)
def faulty_left_pad_positions_columns(mask):
    return np.broadcast_to(np.arange(mask.shape[-1]), mask.shape)


@diagnosed(
    "Pads have 0, and real tokens still have the number of their column. The first real token stands at 0: "
    "count the mask, `np.cumsum(mask, axis=-1) - 1`."
)
def faulty_left_pad_positions_columns_of_real(mask):
    return np.arange(mask.shape[-1]) * mask


@diagnosed(
    "You begin at 1: where the mask is True for the first time, its running sum is 1. "
    "Positions begin at 0: take 1 away, and let no pad fall below 0."
)
def faulty_left_pad_positions_from_one(mask):
    return np.cumsum(mask, axis=-1)


@diagnosed(
    "Pads get −1, which as an index is the last row of a table of positions, and for a rotation a step backwards. "
    "Give them 0: `np.maximum(positions, 0)`."
)
def faulty_left_pad_positions_negative(mask):
    return np.cumsum(mask, axis=-1) - 1


@diagnosed(
    "Pads count down below 0, and a table of positions has no such rows. Real tokens are right. "
    "Give pads 0: `np.maximum(positions, 0)`."
)
def faulty_left_pad_positions_counts_down(mask):
    return np.arange(mask.shape[-1]) - mask.argmax(axis=-1, keepdims=True)


@diagnosed(
    "You count down the columns, from text to text. Each text counts its own tokens, along the last axis: `axis=-1`."
)
def faulty_left_pad_positions_first_axis(mask):
    counted = np.cumsum(mask, axis=0)  # mask: real tokens so far, itself included
    positions = counted - 1
    return np.maximum(positions, 0)


@diagnosed("`np.cumsum` without an axis counts on from text to text, in one row. Each text begins at 0: say `axis=-1`.")
def faulty_left_pad_positions_flat(mask):
    return np.maximum(np.cumsum(mask) - 1, 0)


@diagnosed(
    "`mask.argmax(axis=-1)` gives one start a text, (batch,), which stands below the columns, not beside the rows. "
    "Keep the axis, `mask.argmax(axis=-1, keepdims=True)`, and let no pad fall below 0."
)
def faulty_left_pad_positions_lost_axis(mask):
    return np.maximum(np.arange(mask.shape[-1]) - mask.argmax(axis=-1), 0)


@diagnosed(
    "You count from the right end, so that a text's last token is 0 and every new token moves all others. "
    "Positions count from a text's first token: `np.cumsum(mask, axis=-1) - 1`."
)
def faulty_left_pad_positions_from_the_end(mask):
    counted = np.cumsum(mask[..., ::-1], axis=-1)[..., ::-1]
    return np.maximum(counted - 1, 0) * mask


@diagnosed(
    "You count the pads: `mask` is True at real tokens, and those are what a position counts. "
    "Take `mask` as it is, without `~` or `1 -`."
)
def faulty_left_pad_positions_counts_pads(mask):
    return np.maximum(np.cumsum(1 - mask.astype(int), axis=-1) - 1, 0)


@diagnosed(
    "You give pads position 1. That harms no text, since a pad is hidden; but here 0 is asked for: "
    "`np.maximum(positions, 0)`."
)
def faulty_left_pad_positions_ones(mask):
    return np.where(mask, np.cumsum(mask, axis=-1) - 1, 1)


def _masks():
    def padded(*pads, n, dtype=bool):
        return (np.arange(n) >= np.array(pads)[..., None]).astype(dtype)

    return [
        (padded(3, 0, 5, n=7),),
        (padded(2, 0, 1, 4, 3, n=11),),
        (padded(2, n=5)[0],),  # one text alone
        (padded([1, 6, 3], [0, 2, 5], n=7),),
        (padded(4, 1, n=5, dtype=int),),
    ]


# As the gallery calls it: the name tells what is wrong.
faulty_chunk = faulty_cached_mask_start

EXERCISES = [
    Exercise(
        task="Write cached_mask(n_new, n_kept): which of n_kept + n_new keys may each of n_new new queries see? The "
        "new tokens come after those that are kept. True = may attend, shape (n_new, n_kept + n_new).",
        reference=cached_mask,
        cases=[(3, 5), (1, 7), (5, 0), (7, 2), (2, 11)],
        faults=[
            faulty_cached_mask_start,
            faulty_cached_mask_square,
            faulty_cached_mask_all,
            faulty_cached_mask_kept_only,
            faulty_cached_mask_new_only,
            faulty_cached_mask_not_itself,
            faulty_cached_mask_one_ahead,
            faulty_cached_mask_turned,
            faulty_cached_mask_all_rows,
        ],
        hints=(
            "Five tokens are kept and three come. Which place in the text has the first of the three, and how many "
            "keys may it see?",
            "New query i is token n_kept + i of the text. Keys are numbered from 0 to n_kept + n_new - 1.",
            "`n_kept + np.arange(n_new)` are the queries' places: make a column of them with `[:, None]`, and compare "
            "`np.arange(n_kept + n_new) <=` that.",
        ),
        key="# mask",
        distractor=faulty_cached_mask_start,
        learned="all that is kept is visible, and of the new tokens the past: the last rows of the whole text's mask.",
        returns=("mask",),
    ),
    Exercise(
        task="Write left_pad_positions(mask): each token's position in its own text, from mask (..., n), where True "
        "is a real token and pads stand on the left. The first real token has position 0, and so have pads.",
        reference=left_pad_positions,
        cases=_masks(),
        faults=[
            faulty_left_pad_positions_columns,
            faulty_left_pad_positions_columns_of_real,
            faulty_left_pad_positions_from_one,
            faulty_left_pad_positions_negative,
            faulty_left_pad_positions_counts_down,
            faulty_left_pad_positions_first_axis,
            faulty_left_pad_positions_flat,
            faulty_left_pad_positions_lost_axis,
            faulty_left_pad_positions_from_the_end,
            faulty_left_pad_positions_counts_pads,
            faulty_left_pad_positions_ones,
        ],
        hints=(
            "A text of 4 tokens has 3 pads on its left. Which positions had its tokens when it stood alone?",
            "`np.cumsum(mask, axis=-1)` counts the real tokens so far, itself included. How far is that from the "
            "position, and what does it give at a pad?",
            "`np.maximum(np.cumsum(mask, axis=-1) - 1, 0)`.",
        ),
        key="# mask",
        distractor=faulty_left_pad_positions_first_axis,
        learned="a text has the same positions in a batch as alone, however many pads stand before it.",
        returns=("positions",),
    ),
]
