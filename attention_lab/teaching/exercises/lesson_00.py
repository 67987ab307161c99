"""Lesson 00: how alike are the words of a sentence?"""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def similarity(x):
    lengths = np.sqrt((x * x).sum(axis=-1, keepdims=True))  # (..., n, 1)
    directions = x / lengths  # scale
    return directions @ np.swapaxes(directions, -2, -1)  # score: (..., n, n)


def _longest(got, args):
    return f"{np.abs(got).max():.3g}"


@diagnosed(
    lambda got, args: (
        f"`np.dot` pairs every item of a batch with every other: {args[0].shape} in gives {np.shape(got)} out, so "
        "sentences read each other. Use `@`, which works on one matrix of the stack at a time."
    )
)
def faulty_similarity_dot_on_stacks(x):
    lengths = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    directions = x / lengths
    return np.dot(directions, np.swapaxes(directions, -2, -1))


@diagnosed(
    "`.T` turns all axes round, the batch axis too, so a stack of sentences no longer fits. "
    "Swap the last two axes only: `np.swapaxes(directions, -2, -1)`."
)
def faulty_similarity_transpose_all(x):
    lengths = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    directions = x / lengths
    return directions @ directions.T


@diagnosed(
    "Nothing is transposed: both factors are (n, d), and `@` pairs the last axis of the first with the last but one of "
    "the second. Swap the last two axes of the second: `np.swapaxes(directions, -2, -1)`."
)
def faulty_similarity_no_transpose(x):
    lengths = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    directions = x / lengths
    return directions @ directions


@diagnosed(
    "`array.transpose(-2, -1)` swaps two axes in another library; in NumPy it must list every axis. "
    "Write `np.swapaxes(directions, -2, -1)`."
)
def faulty_similarity_torch_transpose(x):
    lengths = np.sqrt((x * x).sum(axis=-1, keepdims=True))
    directions = x / lengths
    return directions @ directions.transpose(-2, -1)


@diagnosed(
    lambda got, args: (
        f"These are plain dot products: the largest is {_longest(got, args)}, and a cosine is at most 1, "
        "because long rows win by their length alone. Divide every row by its length first."
    )
)
def faulty_similarity_not_scaled(x):
    return x @ np.swapaxes(x, -2, -1)


@diagnosed(
    "You divide by one length of the whole array, so a row compared with itself does not give 1. "
    "Give every row its own length: sum over the last axis, with `axis=-1, keepdims=True`."
)
def faulty_similarity_one_length(x):
    length = np.sqrt((x * x).sum())
    directions = x / length
    return directions @ np.swapaxes(directions, -2, -1)


@diagnosed(
    "You give length 1 to the columns (one feature over all words), not to the rows. "
    "Sum over the features, the last axis: `axis=-1`."
)
def faulty_similarity_columns(x):
    lengths = np.sqrt((x * x).sum(axis=-2, keepdims=True))
    directions = x / lengths
    return directions @ np.swapaxes(directions, -2, -1)


@diagnosed(
    "You divide by the squared length, so long rows become short. The length is the square root of the sum of squares: "
    "wrap the sum in `np.sqrt`."
)
def faulty_similarity_squared_lengths(x):
    lengths = (x * x).sum(axis=-1, keepdims=True)  # (..., n, 1)
    directions = x / lengths
    return directions @ np.swapaxes(directions, -2, -1)


@diagnosed(
    "The lengths have lost their axis: (n,) stands below the features, not below the rows. "
    "Keep it with `keepdims=True`, so that (n, 1) divides (n, d) row by row."
)
def faulty_similarity_lost_axis(x):
    lengths = np.sqrt((x * x).sum(axis=-1))
    directions = x / lengths
    return directions @ np.swapaxes(directions, -2, -1)


@diagnosed(
    "Whole numbers went in and your array of directions holds whole numbers too, so every fraction was cut to 0. "
    "Make it of floats: `np.empty(x.shape)`, or let `x / lengths` make it."
)
def faulty_similarity_into_integers(x):
    directions = np.empty_like(x)
    directions[...] = x / np.sqrt((x * x).sum(axis=-1, keepdims=True))
    return directions @ np.swapaxes(directions, -2, -1)


def _cases():
    rng = np.random.default_rng(0)
    uneven = rng.normal(size=(7, 5)) * np.array([1e4, 1, 0.1, 1e3, 1, 10, 1])[:, None]
    return [
        (rng.normal(size=(5, 3)),),
        (rng.normal(size=(2, 5, 7)),),
        (rng.normal(size=(2, 3, 7, 5)),),
        (rng.integers(1, 9, size=(5, 3)),),
        (rng.normal(size=(3, 11)).astype(np.float32),),
        (uneven,),
    ]


# As the gallery calls them: by the source's row, since the name tells what is wrong.
faulty_b1 = faulty_similarity_dot_on_stacks
faulty_b6 = faulty_similarity_torch_transpose

EXERCISES = [
    Exercise(
        task="Write similarity(x): the cosine of every pair of rows of x (..., n, d), as an array (..., n, n).",
        reference=similarity,
        cases=_cases(),
        faults=[
            faulty_similarity_not_scaled,
            faulty_similarity_dot_on_stacks,
            faulty_similarity_no_transpose,
            faulty_similarity_transpose_all,
            faulty_similarity_torch_transpose,
            faulty_similarity_one_length,
            faulty_similarity_columns,
            faulty_similarity_squared_lengths,
            faulty_similarity_lost_axis,
            faulty_similarity_into_integers,
        ],
        hints=(
            "A cosine compares directions, not lengths. What must happen to every row before the dot products?",
            "The length of a row is the square root of its summed squares: one number a row, (..., n, 1). Keep that 1.",
            "Divide x by those lengths, then multiply the result by itself with its last two axes swapped: `a @ aᵀ`, "
            "where `np.swapaxes(a, -2, -1)` is the transpose of every matrix in a stack.",
        ),
        key="# scale",
        distractor=faulty_similarity_squared_lengths,
        learned="every row has cosine 1 with itself, whatever its length and however many sentences are stacked.",
    )
]
