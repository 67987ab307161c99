"""Lesson 17: a window with global positions; and a pattern of one's own that reaches everything in two layers."""

import math

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def longformer_mask(n, window, global_positions):
    position = np.arange(n)
    near = np.abs(position[:, None] - position) < window  # (n, n): on both sides, itself included
    is_global = np.isin(position, global_positions)  # (n,)
    return near | is_global[:, None] | is_global  # mask: near, or a global query, or a global key


def two_step_mask(n):
    step = math.isqrt(n - 1) + 1  # √n, rounded up
    position = np.arange(n)
    back = position[:, None] - position  # (n, n): how far back the key lies
    near = (back >= 0) & (back < step)  # (n, n): the last few
    far = (back >= 0) & (back % step == 0)  # mask: and then in long steps
    return near | far


# longformer_mask -------------------------------------------------------------------------------------------


@diagnosed(
    "Your global positions are seen by all, but see only their own window: nothing comes in there. "
    "Make their rows visible too: `is_global[:, None]`."
)
def faulty_longformer_mask_columns(n, window, global_positions):
    position = np.arange(n)
    near = np.abs(position[:, None] - position) < window
    is_global = np.isin(position, global_positions)
    return near | is_global  # mask: near, or a global key


@diagnosed(
    "Your global positions see all, but are seen only from nearby: nothing comes out of there. "
    "Make their columns visible too: `is_global` without a second axis."
)
def faulty_longformer_mask_rows(n, window, global_positions):
    position = np.arange(n)
    near = np.abs(position[:, None] - position) < window
    is_global = np.isin(position, global_positions)
    return near | is_global[:, None]


@diagnosed(
    "You show a global position to global positions alone: row and column must both be global. "
    "One of them is enough: join them by `|`."
)
def faulty_longformer_mask_both(n, window, global_positions):
    position = np.arange(n)
    near = np.abs(position[:, None] - position) < window
    is_global = np.isin(position, global_positions)
    return near | (is_global[:, None] & is_global)


@diagnosed(
    lambda got, args: (
        f"Your window is one too wide on each side: with window {args[1]} the distance may be {args[1] - 1} at most. "
        "A token is at distance 0 from itself: use `< window`."
    )
)
def faulty_longformer_mask_one_more(n, window, global_positions):
    position = np.arange(n)
    near = np.abs(position[:, None] - position) <= window
    is_global = np.isin(position, global_positions)
    return near | is_global[:, None] | is_global


@diagnosed(
    "A token does not see itself: your distances start at 1. Its own place is at distance 0 and belongs to the window: "
    "ask for `< window` alone."
)
def faulty_longformer_mask_not_itself(n, window, global_positions):
    position = np.arange(n)
    distance = np.abs(position[:, None] - position)
    near = (distance > 0) & (distance < window)
    is_global = np.isin(position, global_positions)
    return near | is_global[:, None] | is_global


@diagnosed(
    "Your window shows the past alone. Here it reaches to both sides: take the absolute distance, "
    "`np.abs(position[:, None] - position)`."
)
def faulty_longformer_mask_past(n, window, global_positions):
    position = np.arange(n)
    distance = position[:, None] - position
    near = (distance >= 0) & (distance < window)
    is_global = np.isin(position, global_positions)
    return near | is_global[:, None] | is_global


@diagnosed(
    "You join window and global positions by and, so only what is both is left. A key is visible for either reason: "
    "join them by `|`."
)
def faulty_longformer_mask_and(n, window, global_positions):
    position = np.arange(n)
    near = np.abs(position[:, None] - position) < window
    is_global = np.isin(position, global_positions)
    return near & (is_global[:, None] | is_global)


# two_step_mask ---------------------------------------------------------------------------------------------


def allowed(n):
    """The most keys that a row may show."""
    return 2 * (math.isqrt(n - 1) + 1)


def reached_in_two(mask):
    """What each token knows of after two layers. The residual stream carries a token past each layer."""
    known = mask.astype(bool) | np.eye(len(mask), dtype=bool)
    return known.astype(int) @ known > 0


@diagnosed(
    "You show the whole past: that reaches everything in one layer, at the full price. "
    "Show few keys, chosen so that the tokens behind them have seen the others."
)
def faulty_two_step_mask_all(n):
    return np.tri(n, dtype=bool)


@diagnosed(
    "Your pattern is a window alone. Two layers of w keys reach 2w − 1 tokens, and no further. "
    "Give a part of the keys to long steps: of √n, say."
)
def faulty_two_step_mask_window(n):
    back = np.arange(n)[:, None] - np.arange(n)
    return (back >= 0) & (back < allowed(n))  # mask: as many of the last ones as are allowed


@diagnosed(
    "Your pattern takes long steps alone: two of them are a long step again, and what lies between is never met. "
    "Add a window that is as wide as the step."
)
def faulty_two_step_mask_steps(n):
    back = np.arange(n)[:, None] - np.arange(n)
    return (back >= 0) & (back % (math.isqrt(n - 1) + 1) == 0)


@diagnosed(
    "Each token sees token 0, which shall hand on what it knows. But token 0 is the first: under a causal mask it sees "
    "itself alone. Pass messages through tokens that stand after what they collect."
)
def faulty_two_step_mask_first(n):
    back = np.arange(n)[:, None] - np.arange(n)
    near = (back >= 0) & (back < math.isqrt(n - 1) + 1)
    return near | (np.arange(n) == 0)


@diagnosed(
    "You collect at the first token of each block, which stands before all others of its block and has not seen them. "
    "The last one of a block has: take that."
)
def faulty_two_step_mask_first_of_block(n):
    step, position = math.isqrt(n - 1) + 1, np.arange(n)
    past = position <= position[:, None]
    same = position // step == position[:, None] // step
    return past & (same | (position % step == 0))


@diagnosed(
    "Your pattern shows the future: it is the same to both sides. Here the mask is causal: "
    "ask for `back >= 0` in each of its parts."
)
def faulty_two_step_mask_both_sides(n):
    step, back = math.isqrt(n - 1) + 1, np.arange(n)[:, None] - np.arange(n)
    return (np.abs(back) < step) | (back % step == 0)


def _reaches(mask, n):
    """A sentence on the first thing that the pattern lacks, or None."""
    mask = mask.astype(bool)
    if np.triu(mask, 1).any():
        row, column = np.argwhere(np.triu(mask, 1))[0]
        return f"Row {row} shows key {column}, its future. Here the mask is causal: no key after the query."
    if mask.sum(axis=-1).max() > allowed(n):
        row = int(mask.sum(axis=-1).argmax())
        return f"Row {row} shows {mask[row].sum()} keys; {allowed(n)} are allowed for n = {n}, twice √n rounded up."
    missing = np.tri(n, dtype=bool) & ~reached_in_two(mask)
    if missing.any():
        row = int(missing.sum(axis=-1).argmax())
        return (
            f"After two layers token {row} knows nothing of token {missing[row].argmax()}, nor of "
            f"{missing[row].sum() - 1} others. Which keys does it see, and what have those seen in the layer before?"
        )
    return None


# As the gallery calls it: the name tells what is wrong.
faulty_window = faulty_longformer_mask_not_itself

EXERCISES = [
    Exercise(
        task="Write longformer_mask(n, window, global_positions) -> (n, n), True = may attend: a window to both sides, "
        "|i - j| < window, and a few global positions that see all and are seen by all.",
        reference=longformer_mask,
        cases=[
            (11, 2, np.array([0])),
            (7, 3, np.array([1, 5])),
            (13, 1, np.array([12, 4, 6])),
            (5, 2, np.array([4])),
        ],
        faults=[
            faulty_longformer_mask_columns,
            faulty_longformer_mask_rows,
            faulty_longformer_mask_both,
            faulty_longformer_mask_one_more,
            faulty_longformer_mask_not_itself,
            faulty_longformer_mask_past,
            faulty_longformer_mask_and,
        ],
        hints=(
            "There are three reasons why query i may see key j. Which are they, and is one of them enough?",
            "`np.isin(np.arange(n), global_positions)` tells which positions are global. As a column, `[:, None]`, it "
            "speaks of queries, as a row of keys.",
            "`near | is_global[:, None] | is_global`, with `near = np.abs(position[:, None] - position) < window`.",
        ),
        key="# mask",
        distractor=faulty_longformer_mask_columns,
        learned="a window for all, and a few positions through which any two tokens are two steps apart.",
        returns=("mask",),
    ),
    Exercise(
        task="Write two_step_mask(n) -> (n, n), True = may attend: a causal pattern of your own that shows at most "
        "2⌈√n⌉ keys a row, so that after two layers every token knows of all before it.",
        reference=two_step_mask,
        cases=[(11,), (16,), (47,), (101,)],
        faults=[
            faulty_two_step_mask_all,
            faulty_two_step_mask_window,
            faulty_two_step_mask_steps,
            faulty_two_step_mask_first,
            faulty_two_step_mask_first_of_block,
            faulty_two_step_mask_both_sides,
        ],
        hints=(
            "100 tokens, 20 keys a row. A message needs one layer to get near, and one for the rest of the way. How "
            "would you write a number up to 99 with two digits?",
            "Any distance is a multiple of ⌈√n⌉ and a rest below it. Which keys must a row show for the multiple, "
            "which for the rest?",
            "With `back = i - j` and `step = math.isqrt(n - 1) + 1`: show `0 <= back < step`, and those where "
            "`back % step == 0`.",
        ),
        key="# mask",
        distractor=faulty_two_step_mask_window,
        learned="two layers reach everything, and the visible cells grow as n√n instead of n².",
        returns=("mask",),
        properties=_reaches,
        compares=False,
    ),
]
