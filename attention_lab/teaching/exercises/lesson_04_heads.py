"""Lesson 04: features into heads, and one key head for several query heads."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def split_heads(x, num_heads):
    *leading, n, width = x.shape
    heads = x.reshape(*leading, n, num_heads, width // num_heads)  # (..., n, heads, d_head)
    return heads.swapaxes(-2, -3)  # project: (..., heads, n, d_head)


def repeat_heads(key, num_heads):
    group = num_heads // key.shape[-3]  # how many query heads share a key head
    shared = np.arange(num_heads) // group  # score: the key head of each query head, 0, 0, 1, 1, ...
    return key[..., shared, :, :]  # (..., num_heads, n, d_head)


# split_heads -----------------------------------------------------------------------------------------------


@diagnosed(
    "You reshape straight to (heads, n, d_head), which cuts the words into heads: head 0 gets the first words whole. "
    "Reshape to (n, heads, d_head) first, then swap words and heads."
)
def faulty_split_heads_reshape_only(x, num_heads):
    *leading, n, width = x.shape
    heads = x.reshape(*leading, num_heads, n, width // num_heads)
    return heads


@diagnosed(
    "The heads still stand behind the words, (n, heads, d_head), so attention would compare heads within a word. "
    "Swap the two axes: `heads.swapaxes(-2, -3)`."
)
def faulty_split_heads_not_swapped(x, num_heads):
    *leading, n, width = x.shape
    return x.reshape(*leading, n, num_heads, width // num_heads)


@diagnosed(
    "You deal the features out like cards: head 0 gets every `num_heads`-th. A head owns a block of neighbouring "
    "features: reshape to (n, num_heads, d_head), in that order."
)
def faulty_split_heads_deals_out(x, num_heads):
    *leading, n, width = x.shape
    heads = x.reshape(*leading, n, width // num_heads, num_heads)
    return np.moveaxis(heads, -1, -3)


@diagnosed(
    "You swap heads and features, the last two axes, and the words stay in front of both. "
    "Words and heads change places: axes -2 and -3."
)
def faulty_split_heads_wrong_axes(x, num_heads):
    *leading, n, width = x.shape
    heads = x.reshape(*leading, n, num_heads, width // num_heads)
    return heads.swapaxes(-1, -2)  # project


@diagnosed(
    "The heads stand before the batch: (heads, batch, n, d_head). A single sentence comes out right. "
    "Stack them just before the words, on axis -3, so that any leading axes stay in front."
)
def faulty_split_heads_before_the_batch(x, num_heads):
    return np.stack(np.split(x, num_heads, axis=-1))


@diagnosed(
    "You cut the words apart, not the features: `np.split` works on the axis that it is given, 0 if none is. "
    "Cut the last axis: `axis=-1`."
)
def faulty_split_heads_cuts_words(x, num_heads):
    return np.stack(np.split(x, num_heads), axis=-3)


@diagnosed(
    "A `transpose` that lists three axes, as (1, 0, 2), fits one sentence; a batch makes a fourth axis. "
    "Count from the end, and leading axes stay where they are: `heads.swapaxes(-2, -3)`."
)
def faulty_split_heads_three_axes(x, num_heads):
    *leading, n, width = x.shape
    heads = x.reshape(*leading, n, num_heads, width // num_heads)
    return heads.transpose(1, 0, 2)


@diagnosed(
    "A `transpose` that lists four axes, as (0, 2, 1, 3), fits one batch; one sentence alone has three axes. "
    "Count from the end, and any number of leading axes will do: `heads.swapaxes(-2, -3)`."
)
def faulty_split_heads_four_axes(x, num_heads):
    *leading, n, width = x.shape
    heads = x.reshape(*leading, n, num_heads, width // num_heads)
    return heads.transpose(0, 2, 1, 3)


# repeat_heads ----------------------------------------------------------------------------------------------


@diagnosed(
    "You tile: 0, 1, 0, 1, ..., so neighbouring query heads read different key heads and most read one they were not "
    "trained with. Repeat each key head in place, 0, 0, 1, 1, ...: divide by the size of a group, without remainder."
)
def faulty_repeat_heads_tile(key, num_heads):
    shared = np.arange(num_heads) % key.shape[-3]  # score
    return key[..., shared, :, :]


@diagnosed(
    "You repeat every key head `num_heads` times, which gives num_heads · kv_heads of them. "
    "A key head serves one group: repeat it `num_heads // key.shape[-3]` times."
)
def faulty_repeat_heads_too_often(key, num_heads):
    return np.repeat(key, num_heads, axis=-3)


@diagnosed(
    "You repeat the first axis. Without a batch that is the heads; with one it is the sentences. "
    "Count from the end: the heads are axis -3."
)
def faulty_repeat_heads_first_axis(key, num_heads):
    return np.repeat(key, num_heads // key.shape[-3], axis=0)


@diagnosed(
    "You repeat the words, so every key would be met several times in its row. "
    "The heads are one axis further to the left: `axis=-3`."
)
def faulty_repeat_heads_words(key, num_heads):
    return np.repeat(key, num_heads // key.shape[-3], axis=-2)


@diagnosed(
    "`np.tile` with one number repeats the last axis, the features. "
    "Use `np.repeat` with `axis=-3`: each head in place, and nothing else."
)
def faulty_repeat_heads_tiles_features(key, num_heads):
    return np.tile(key, num_heads // key.shape[-3])


@diagnosed(
    "`np.repeat` without an axis lays the whole array out in one row first. Say which axis it shall repeat: `axis=-3`."
)
def faulty_repeat_heads_flattens(key, num_heads):
    return np.repeat(key, num_heads // key.shape[-3])


@diagnosed(
    "All query heads read key head 0, which is multi-query attention and only right with one key head. "
    "Query head h belongs to key head h // group."
)
def faulty_repeat_heads_first_only(key, num_heads):
    return np.repeat(key[..., :1, :, :], num_heads, axis=-3)


@diagnosed(
    "The key heads come back as they went in, too few for the query heads. Repeat each one for the query heads that "
    "share it: `num_heads // key.shape[-3]` times, along axis -3."
)
def faulty_repeat_heads_unchanged(key, num_heads):
    return key.copy()


def _split_cases():
    rng = np.random.default_rng(40)
    shapes = [(5, 6, 2), (2, 7, 15, 3), (2, 3, 7, 55, 5), (3, 14, 2), (3, 7, 1)]  # n, heads · d_head, heads
    cases = [(rng.normal(size=shape), num_heads) for *shape, num_heads in shapes]
    return [*cases, (rng.normal(size=(11, 35)).astype(np.float32), 5)]


def _repeat_cases():
    rng = np.random.default_rng(41)
    shapes = [(2, 5, 3, 6), (2, 3, 5, 7, 6), (2, 5, 3, 7, 10), (3, 7, 2, 3), (1, 5, 3, 2)]  # kv heads, n, d, heads
    cases = [(rng.normal(size=shape), num_heads) for *shape, num_heads in shapes]
    return [*cases, (rng.normal(size=(3, 7, 5)).astype(np.float32), 12)]


EXERCISES = [
    Exercise(
        task="Write split_heads(x, num_heads): cut the features of x (..., n, heads · d_head) into heads, "
        "(..., heads, n, d_head). Head i gets the i-th block of neighbouring features.",
        reference=split_heads,
        cases=_split_cases(),
        faults=[
            faulty_split_heads_reshape_only,
            faulty_split_heads_not_swapped,
            faulty_split_heads_deals_out,
            faulty_split_heads_wrong_axes,
            faulty_split_heads_before_the_batch,
            faulty_split_heads_cuts_words,
            faulty_split_heads_three_axes,
            faulty_split_heads_four_axes,
        ],
        hints=(
            "Draw one word's features as a row of boxes. Which of them belong to head 0?",
            "`reshape` may cut the last axis in two, (..., n, heads, d_head), without moving a number. Which two axes "
            "must then change places?",
            "`x.reshape(*x.shape[:-1], num_heads, -1)` cuts, `.swapaxes(-2, -3)` brings the heads before the words.",
        ),
        key="# project",
        distractor=faulty_split_heads_wrong_axes,
        learned="each head has all words and its own block of their features, whatever axes stand in front.",
    ),
    Exercise(
        task="Write repeat_heads(key, num_heads): give each of num_heads query heads its key head, from key "
        "(..., kv_heads, n, d_head) to (..., num_heads, n, d_head). Neighbouring query heads share one.",
        reference=repeat_heads,
        cases=_repeat_cases(),
        faults=[
            faulty_repeat_heads_tile,
            faulty_repeat_heads_too_often,
            faulty_repeat_heads_first_axis,
            faulty_repeat_heads_words,
            faulty_repeat_heads_tiles_features,
            faulty_repeat_heads_flattens,
            faulty_repeat_heads_first_only,
            faulty_repeat_heads_unchanged,
        ],
        hints=(
            "Six query heads, two key heads: write down which key head each query head reads.",
            "0, 0, 0, 1, 1, 1: query head h reads key head h // 3, where 3 is the size of a group.",
            "`group = num_heads // key.shape[-3]`; then index axis -3 by `np.arange(num_heads) // group`, or write "
            "`np.repeat(key, group, axis=-3)`.",
        ),
        key="# score",
        distractor=faulty_repeat_heads_tile,
        learned="neighbouring query heads share a key head, as in the weights of every grouped model.",
    ),
]
