"""Lesson 05: distances told by the scores, as a straight penalty or by a table of buckets."""

import math

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def alibi_bias(slopes, n):
    position = np.arange(n)
    distance = np.abs(position[:, None] - position)  # (n, n): how far apart query and key are
    return -slopes[:, None, None] * distance  # scale: (heads, n, n)


def relative_bucket(distance, num_buckets, max_distance):
    exact = num_buckets // 2  # as many distances have a bucket of their own
    share = np.log(np.maximum(distance, exact) / exact) / math.log(max_distance / exact)  # 0 at exact, 1 at the maximum
    far = exact + (share * (num_buckets - exact)).astype(int)  # scale: the other buckets, wider and wider
    far = np.minimum(far, num_buckets - 1)  # whatever is beyond shares the last one
    return np.where(distance < exact, distance, far)


def _far(distance, num_buckets, max_distance):
    """How many buckets beyond the exact ones, with a fraction and without a bound."""
    exact = num_buckets // 2
    share = np.log(np.maximum(distance, exact) / exact) / math.log(max_distance / exact)
    return share * (num_buckets - exact)


# alibi_bias ------------------------------------------------------------------------------------------------


@diagnosed(
    "The sign is missing, so far keys are preferred. Distance is to cost something: put a minus before the slope."
)
def faulty_alibi_bias_sign(slopes, n):
    position = np.arange(n)
    distance = np.abs(position[:, None] - position)
    return slopes[:, None, None] * distance  # scale: (heads, n, n)


@diagnosed(
    "Your distance has a sign: later keys get a bonus in place of a penalty. "
    "How far is a distance without direction: take `np.abs` of it."
)
def faulty_alibi_bias_signed(slopes, n):
    position = np.arange(n)
    return -slopes[:, None, None] * (position[:, None] - position)


@diagnosed(
    "Later keys cost nothing: you cut their distance off at 0. A mask may hide them, the bias should not care: "
    "take `np.abs` of the difference."
)
def faulty_alibi_bias_past_only(slopes, n):
    position = np.arange(n)
    return -slopes[:, None, None] * np.maximum(position[:, None] - position, 0)


@diagnosed(
    "You add the two positions, so a word far down the text is punished for reading its neighbour. "
    "The distance is their difference: `position[:, None] - position`."
)
def faulty_alibi_bias_sum(slopes, n):
    position = np.arange(n)
    return -slopes[:, None, None] * (position[:, None] + position)


@diagnosed(
    "These are the factors e^(−slope · distance) that the weights end up with. A bias is added before softmax, which "
    "takes the exponential itself: leave `np.exp` out."
)
def faulty_alibi_bias_factors(slopes, n):
    position = np.arange(n)
    return np.exp(-slopes[:, None, None] * np.abs(position[:, None] - position))


@diagnosed(
    "Your penalty grows with the square of the distance. ALiBi is a straight line, as the name says (linear biases): "
    "use the distance itself."
)
def faulty_alibi_bias_squared(slopes, n):
    position = np.arange(n)
    return -slopes[:, None, None] * (position[:, None] - position) ** 2


@diagnosed(
    "The slopes, (heads,), meet the last axis, the keys. Give them two more axes, `slopes[:, None, None]`: "
    "(heads, 1, 1) with (n, n) makes (heads, n, n)."
)
def faulty_alibi_bias_no_axes(slopes, n):
    position = np.arange(n)
    return -slopes * np.abs(position[:, None] - position)


@diagnosed(
    "Slopes as a column, (heads, 1), meet the queries, of which there are n. One more axis makes room for both: "
    "`slopes[:, None, None]`."
)
def faulty_alibi_bias_one_axis(slopes, n):
    position = np.arange(n)
    return -slopes[:, None] * np.abs(position[:, None] - position)


# relative_bucket -------------------------------------------------------------------------------------------


@diagnosed(
    lambda got, args: (
        f"Far distances overflow the table: your largest bucket is {np.max(got)}, and {args[1]} buckets end at "
        f"{args[1] - 1}. Everything beyond max_distance shares the last one: `np.minimum(far, num_buckets - 1)`."
    )
)
def faulty_relative_bucket_overflows(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    share = np.log(np.maximum(distance, exact) / exact) / math.log(max_distance / exact)
    far = exact + (share * (num_buckets - exact)).astype(int)
    return np.where(distance < exact, distance, far)


@diagnosed(
    "Every distance has a bucket of its own until the table ends: there is no logarithmic half, and all far distances "
    "fall together too early. From num_buckets // 2 on, let the buckets widen up to max_distance."
)
def faulty_relative_bucket_no_logarithm(distance, num_buckets, max_distance):
    return np.minimum(distance, num_buckets - 1)


@diagnosed(
    "The far half grows in a straight line: its buckets are all equally wide. "
    "Take logarithms of the distance over `exact`, and of max_distance over `exact`."
)
def faulty_relative_bucket_straight_line(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    share = (np.maximum(distance, exact) - exact) / (max_distance - exact)
    far = np.minimum(exact + (share * (num_buckets - exact)).astype(int), num_buckets - 1)
    return np.where(distance < exact, distance, far)


@diagnosed(
    "The far half begins at bucket 0 again, so far distances share the buckets of near ones. "
    "The first `exact` buckets are taken: start at `exact + ...`."
)
def faulty_relative_bucket_starts_again(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    far = np.minimum(_far(distance, num_buckets, max_distance).astype(int), num_buckets - 1)
    return np.where(distance < exact, distance, far)


@diagnosed(
    "The logarithmic half is spread over all buckets, so it reaches the last one long before max_distance. "
    "Only `num_buckets - exact` buckets are left for it."
)
def faulty_relative_bucket_too_steep(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    share = np.log(np.maximum(distance, exact) / exact) / math.log(max_distance / exact)
    far = np.minimum(exact + (share * num_buckets).astype(int), num_buckets - 1)
    return np.where(distance < exact, distance, far)


@diagnosed(
    "You round to the nearest bucket, so each begins too early. A bucket is entered when it is reached: "
    "cut the fraction off with `.astype(int)`."
)
def faulty_relative_bucket_rounds(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    far = np.rint(exact + _far(distance, num_buckets, max_distance)).astype(int)
    return np.where(distance < exact, distance, np.minimum(far, num_buckets - 1))


@diagnosed(
    "Far distances wrap round: the remainder of a division sends them back to the buckets of near ones. "
    "Whatever is beyond belongs into the last bucket: `np.minimum(far, num_buckets - 1)`."
)
def faulty_relative_bucket_wraps(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    far = (exact + _far(distance, num_buckets, max_distance).astype(int)) % num_buckets
    return np.where(distance < exact, distance, far)


@diagnosed(
    "You never divide by log(max_distance / exact), so max_distance plays no part. "
    "The share of the way there is log(distance / exact) divided by that."
)
def faulty_relative_bucket_no_maximum(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    share = np.log(np.maximum(distance, exact) / exact)  # 0 at exact
    far = np.minimum(exact + (share * (num_buckets - exact)).astype(int), num_buckets - 1)
    return np.where(distance < exact, distance, far)


def _in_the_table(bucket, distance, num_buckets, max_distance):
    """Every distance must find a row of the table."""
    outside = (bucket < 0) | (bucket >= num_buckets)
    if not outside.any():
        return None
    at = tuple(np.argwhere(outside)[0])
    if bucket[at] < 0:
        return (
            f"Distance {distance[at]} falls into bucket {bucket[at]:g}, and the table begins at 0. A near distance is "
            "its own bucket: choose it with `np.where`, and let no logarithm of less than `exact` come in."
        )
    return (
        f"Distance {distance[at]} falls into bucket {bucket[at]:g}, and the table ends at {num_buckets - 1}. "
        "Bound the buckets: whatever is beyond max_distance shares the last one."
    )


def _bucket_cases():
    rng = np.random.default_rng(50)
    return [
        (np.array([0, 3, 4, 5, 6, 8, 19]), 8, 20),
        (np.arange(77).reshape(7, 11), 32, 128),
        (rng.integers(0, 10_000, size=(2, 5, 13)), 32, 128),
        (rng.integers(0, 60, size=(3, 7)), 7, 40),
        (np.array([0, 1, 29, 30, 31, 500, 10_000]), 16, 30),
    ]


def _alibi_cases():
    rng = np.random.default_rng(51)
    return [(rng.uniform(0.1, 1, size=heads), n) for heads, n in ((2, 5), (3, 7), (7, 3), (5, 11), (2, 1))]


# As the gallery calls them: by the source's row or by the part, since the name tells what is wrong.
faulty_bucket = faulty_relative_bucket_overflows

EXERCISES = [
    Exercise(
        task="Write alibi_bias(slopes, n) -> (heads, n, n): minus a head's slope (heads,) times the distance between "
        "query and key, to be added to the scores.",
        reference=alibi_bias,
        cases=_alibi_cases(),
        faults=[
            faulty_alibi_bias_sign,
            faulty_alibi_bias_signed,
            faulty_alibi_bias_past_only,
            faulty_alibi_bias_sum,
            faulty_alibi_bias_factors,
            faulty_alibi_bias_squared,
            faulty_alibi_bias_no_axes,
            faulty_alibi_bias_one_axis,
        ],
        hints=(
            "One table of distances serves all heads; only the slope differs.",
            "`position[:, None] - position` compares every query with every key. A distance has no sign.",
            "Three axes: slopes as (heads, 1, 1), `slopes[:, None, None]`, times the distances (n, n). The result is a "
            "penalty, so it is negative.",
        ),
        key="# scale",
        distractor=faulty_alibi_bias_sign,
        learned="each head pays for distance at its own price, whatever the length of the text.",
        returns=("bias",),
    ),
    Exercise(
        task="Write relative_bucket(distance, num_buckets, max_distance): a bucket for each distance (whole numbers "
        "from 0). The first num_buckets // 2 distances have one each; the others are logarithmic up to max_distance.",
        reference=relative_bucket,
        cases=_bucket_cases(),
        faults=[
            faulty_relative_bucket_overflows,
            faulty_relative_bucket_no_logarithm,
            faulty_relative_bucket_straight_line,
            faulty_relative_bucket_starts_again,
            faulty_relative_bucket_too_steep,
            faulty_relative_bucket_rounds,
            faulty_relative_bucket_wraps,
            faulty_relative_bucket_no_maximum,
        ],
        hints=(
            "Two halves: near distances are their own bucket, far ones share. Write both for every distance and choose "
            "with `np.where`.",
            "Let `exact = num_buckets // 2`. How far between exact and max_distance a distance lies is "
            "log(distance / exact) / log(max_distance / exact): 0 at the start, 1 at the end, more beyond.",
            "`far = exact + (share * (num_buckets - exact)).astype(int)`, at most `num_buckets - 1`. Inside the "
            "logarithm, `np.maximum(distance, exact)` keeps small distances from log 0.",
        ),
        key="# scale",
        distractor=faulty_relative_bucket_no_maximum,
        learned="near distances are told apart, far ones share, and none falls off the table.",
        returns=("bucket",),
        properties=_in_the_table,
    ),
]
