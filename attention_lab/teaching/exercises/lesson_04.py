"""Lesson 04: several heads side by side."""

import math

import numpy as np

from attention_lab.attention import scaled_dot_product_attention, softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import worst_sum


def multi_head_attention(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = x @ W_q, x @ W_k, x @ W_v  # each (..., n, heads · d_k)
    shape = (*x.shape[:-1], num_heads, -1)  # (..., n, heads, d_k)
    q, k, v = (a.reshape(shape).swapaxes(-2, -3) for a in (q, k, v))  # project: (..., heads, n, d_k)
    mixed, weights = scaled_dot_product_attention(q, k, v)  # mix: (..., heads, n, d_k)
    merged = mixed.swapaxes(-2, -3).reshape(*x.shape[:-1], -1)  # (..., n, heads · d_k)
    return merged @ W_o, weights  # project: (..., n, d_model)


def _split(x, num_heads, *matrices):
    """Project, then cut the columns into heads."""
    return ((x @ W).reshape(*x.shape[:-1], num_heads, -1).swapaxes(-2, -3) for W in matrices)


def _merge(mixed):
    mixed = mixed.swapaxes(-2, -3)
    return mixed.reshape(*mixed.shape[:-2], -1)


# For the gallery: each written in full ---------------------------------------------------------------------


@diagnosed(
    "The heads are merged without turning the axes back: `reshape` reads head after head, so a row of your output "
    "mixes several words. Swap heads and words first, `mixed.swapaxes(-2, -3)`, and reshape then."
)
def faulty_multi_head_attention_no_transpose(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    shape = (*x.shape[:-1], num_heads, -1)
    q, k, v = (a.reshape(shape).swapaxes(-2, -3) for a in (q, k, v))
    mixed, weights = scaled_dot_product_attention(q, k, v)
    merged = mixed.reshape(*x.shape[:-1], -1)  # (..., n, heads · d_k)
    return merged @ W_o, weights


@diagnosed(
    "You split the input and then project: each head sees its own slice of every word, and most of W_q, W_k and W_v is "
    "never used. Project the whole word first, `x @ W_q`, and split the result into heads."
)
def faulty_multi_head_attention_split_first(x, W_q, W_k, W_v, W_o, num_heads):
    width, d_k = x.shape[-1] // num_heads, W_q.shape[-1] // num_heads
    heads = []
    for i in range(num_heads):
        rows, columns = slice(i * width, (i + 1) * width), slice(i * d_k, (i + 1) * d_k)
        q, k, v = (x[..., rows] @ W[rows, columns] for W in (W_q, W_k, W_v))
        heads.append(scaled_dot_product_attention(q, k, v))
    output = np.concatenate([mixed for mixed, _ in heads], axis=-1) @ W_o
    return output, np.stack([weights for _, weights in heads], axis=-3)


@diagnosed(
    lambda got, args: (
        f"Each head takes d_model // num_heads = {args[0].shape[-1] // args[5]} columns, rounded down, where a head is "
        f"{args[1].shape[-1] // args[5]} wide: features are dropped. Its width is `W_q.shape[-1] // num_heads`."
    )
)
def faulty_multi_head_attention_drops_features(x, W_q, W_k, W_v, W_o, num_heads):
    d_k = x.shape[-1] // num_heads  # rounded down, and nobody is told
    heads = []
    for i in range(num_heads):
        own = slice(i * d_k, (i + 1) * d_k)
        heads.append(scaled_dot_product_attention(x @ W_q[:, own], x @ W_k[:, own], x @ W_v[:, own]))
    merged = np.concatenate([mixed for mixed, _ in heads], axis=-1)
    return merged @ W_o[: num_heads * d_k], np.stack([weights for _, weights in heads], axis=-3)


@diagnosed(
    "The scores are divided by √d_model, but each head multiplies only d_k features, so every head's weights come out "
    "with the wrong sharpness. Divide by the root of a head's own width: `math.sqrt(q.shape[-1])`, after the split."
)
def faulty_multi_head_attention_scale_d_model(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    shape = (*x.shape[:-1], num_heads, -1)
    q, k, v = (a.reshape(shape).swapaxes(-2, -3) for a in (q, k, v))
    mixed, weights = scaled_dot_product_attention(q, k, v, scale=1 / math.sqrt(x.shape[-1]))
    merged = mixed.swapaxes(-2, -3).reshape(*x.shape[:-1], -1)
    return merged @ W_o, weights


# Splitting -------------------------------------------------------------------------------------------------


@diagnosed(
    "You reshape straight to (heads, n, d_k), which cuts the words into heads and not their features: a head gets some "
    "words whole. Reshape to (n, heads, d_k), then swap: `.swapaxes(-2, -3)`."
)
def faulty_multi_head_attention_reshape_only(x, W_q, W_k, W_v, W_o, num_heads):
    shape = (*x.shape[:-2], num_heads, x.shape[-2], -1)
    mixed, weights = scaled_dot_product_attention(*((x @ W).reshape(shape) for W in (W_q, W_k, W_v)))
    return _merge(mixed) @ W_o, weights


@diagnosed(
    "You reshape straight to (heads, n, d_k) and back. The shapes fit and a copy would pass, yet a head reads some "
    "words whole. Swap words and heads both times: after the first reshape, and before the last."
)
def faulty_multi_head_attention_reshape_both(x, W_q, W_k, W_v, W_o, num_heads):
    shape = (*x.shape[:-2], num_heads, x.shape[-2], -1)
    mixed, weights = scaled_dot_product_attention(*((x @ W).reshape(shape) for W in (W_q, W_k, W_v)))
    return mixed.reshape(*x.shape[:-1], -1) @ W_o, weights


@diagnosed(
    "The heads still stand behind the words, so within each word its heads attend to one another, and no word reads "
    "another. Swap words and heads before you attend: `.swapaxes(-2, -3)`."
)
def faulty_multi_head_attention_not_swapped(x, W_q, W_k, W_v, W_o, num_heads):
    shape = (*x.shape[:-1], num_heads, -1)
    mixed, weights = scaled_dot_product_attention(*((x @ W).reshape(shape) for W in (W_q, W_k, W_v)))
    return mixed.reshape(*x.shape[:-1], -1) @ W_o, weights


@diagnosed(
    "You cut the input itself into heads, so no head would see a whole word. Nothing is to be split before it is "
    "projected: `x @ W_q` first, and that result into heads."
)
def faulty_multi_head_attention_reshapes_input(x, W_q, W_k, W_v, W_o, num_heads):
    x = x.reshape(*x.shape[:-1], num_heads, -1).swapaxes(-2, -3)
    mixed, weights = scaled_dot_product_attention(x @ W_q, x @ W_k, x @ W_v)
    return _merge(mixed) @ W_o, weights


@diagnosed(
    "You deal the columns out like cards: every `num_heads`-th goes to the same head. Head i owns the i-th block of "
    "neighbouring columns: reshape the features to (num_heads, d_k), in that order."
)
def faulty_multi_head_attention_deals_out(x, W_q, W_k, W_v, W_o, num_heads):
    shape = (*x.shape[:-1], -1, num_heads)
    q, k, v = (np.moveaxis((x @ W).reshape(shape), -1, -3) for W in (W_q, W_k, W_v))
    mixed, weights = scaled_dot_product_attention(q, k, v)
    return np.moveaxis(mixed, -3, -1).reshape(*x.shape[:-1], -1) @ W_o, weights


@diagnosed(
    "A head's width is taken from the input, d_model // num_heads, and the projection is not that wide. "
    "Take it from what you split: `W_q.shape[-1] // num_heads`, or let `reshape` find it with -1."
)
def faulty_multi_head_attention_width_of_input(x, W_q, W_k, W_v, W_o, num_heads):
    shape = (*x.shape[:-1], num_heads, x.shape[-1] // num_heads)
    q, k, v = ((x @ W).reshape(shape).swapaxes(-2, -3) for W in (W_q, W_k, W_v))
    mixed, weights = scaled_dot_product_attention(q, k, v)
    return _merge(mixed) @ W_o, weights


@diagnosed(
    lambda got, args: (
        f"There is one head only, and its weights have shape {np.shape(got[1])}: `num_heads` is never used. "
        "Split q, k and v into heads before you attend, and merge the heads afterwards."
    )
)
def faulty_multi_head_attention_one_head(x, W_q, W_k, W_v, W_o, num_heads):
    mixed, weights = scaled_dot_product_attention(x @ W_q, x @ W_k, x @ W_v)
    return mixed @ W_o, weights


# Attending and merging -------------------------------------------------------------------------------------


@diagnosed(
    "Every head compares with the keys of head 0, so the heads differ by their queries alone. "
    "Give each head its own block of W_k: split k as you split q."
)
def faulty_multi_head_attention_one_key(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = _split(x, num_heads, W_q, W_k, W_v)
    k = np.repeat(k[..., :1, :, :], num_heads, axis=-3)
    mixed, weights = scaled_dot_product_attention(q, k, v)
    return _merge(mixed) @ W_o, weights


@diagnosed(
    lambda got, args: (
        f"The heads compete: your softmax runs over the heads, so a row of weights sums to {worst_sum(got[1])}. "
        "Each head has its own weights: take softmax over the keys, the last axis."
    )
)
def faulty_multi_head_attention_over_heads(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = _split(x, num_heads, W_q, W_k, W_v)
    weights = softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]), axis=-3)
    return _merge(weights @ v) @ W_o, weights


@diagnosed(
    lambda got, args: (
        f"You normalise over queries: rows should sum to 1, yours sum to {worst_sum(got[1])}. "
        "Take softmax over the keys, the last axis: `axis=-1`."
    )
)
def faulty_multi_head_attention_over_queries(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = _split(x, num_heads, W_q, W_k, W_v)
    weights = softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]), axis=-2)
    return _merge(weights @ v) @ W_o, weights


@diagnosed(
    "The scores are not scaled. A score is a sum of d_k products and spreads as √d_k grows: "
    "divide it by `math.sqrt(q.shape[-1])`, or let `scaled_dot_product_attention` do it."
)
def faulty_multi_head_attention_no_scale(x, W_q, W_k, W_v, W_o, num_heads):
    mixed, weights = scaled_dot_product_attention(*_split(x, num_heads, W_q, W_k, W_v), scale=1)
    return _merge(mixed) @ W_o, weights


@diagnosed(
    "W_o is left out: the heads stand side by side and no head can write to the features of another. "
    "End with one more projection, `merged @ W_o`, which also brings the width back to d_model."
)
def faulty_multi_head_attention_no_output(x, W_q, W_k, W_v, W_o, num_heads):
    mixed, weights = scaled_dot_product_attention(*_split(x, num_heads, W_q, W_k, W_v))
    return _merge(mixed), weights


@diagnosed(
    "W_o waits for heads · d_k features and one head's d_k arrive: the heads are averaged, added up, or one is picked. "
    "Put them side by side instead: swap heads and words, then reshape."
)
def faulty_multi_head_attention_averages(x, W_q, W_k, W_v, W_o, num_heads):
    mixed, weights = scaled_dot_product_attention(*_split(x, num_heads, W_q, W_k, W_v))
    return mixed.mean(axis=-3) @ W_o, weights


def _draw(rng, *lead, n, d_model, d_k, num_heads):
    inner = num_heads * d_k
    x = rng.normal(size=(*lead, n, d_model))
    W_q, W_k, W_v = (rng.normal(size=(d_model, inner)) / math.sqrt(d_model) for _ in range(3))
    return x, 2 * W_q, W_k, W_v, rng.normal(size=(inner, d_model)) / math.sqrt(inner), num_heads


def _cases():
    rng = np.random.default_rng(4)
    *small, heads = _draw(rng, n=5, d_model=3, d_k=7, num_heads=2)
    return [
        _draw(rng, n=3, d_model=7, d_k=5, num_heads=2),
        _draw(rng, 2, n=5, d_model=11, d_k=7, num_heads=3),
        _draw(rng, 2, 3, n=7, d_model=13, d_k=11, num_heads=5),
        (*(array.astype(np.float32) for array in small), heads),
        _draw(rng, n=7, d_model=15, d_k=2, num_heads=3),  # 3 slices of 5: splitting the input first runs too
        _draw(rng, n=3, d_model=5, d_k=7, num_heads=1),
    ]


# As the gallery calls them: by the source's row or by the part, since the name tells what is wrong.
faulty_b2 = faulty_multi_head_attention_split_first
faulty_a2 = faulty_multi_head_attention_drops_features
faulty_merge = faulty_multi_head_attention_no_transpose
faulty_scale = faulty_multi_head_attention_scale_d_model

EXERCISES = [
    Exercise(
        task="Write multi_head_attention(x, W_q, W_k, W_v, W_o, num_heads) -> (output, weights): x (..., n, d_model), "
        "W_q, W_k and W_v (d_model, heads · d_k), W_o (heads · d_k, d_model), weights (..., heads, n, n).",
        reference=multi_head_attention,
        cases=_cases(),
        faults=[
            faulty_multi_head_attention_no_transpose,
            faulty_multi_head_attention_split_first,
            faulty_multi_head_attention_drops_features,
            faulty_multi_head_attention_scale_d_model,
            faulty_multi_head_attention_reshape_only,
            faulty_multi_head_attention_reshape_both,
            faulty_multi_head_attention_not_swapped,
            faulty_multi_head_attention_reshapes_input,
            faulty_multi_head_attention_deals_out,
            faulty_multi_head_attention_width_of_input,
            faulty_multi_head_attention_one_head,
            faulty_multi_head_attention_one_key,
            faulty_multi_head_attention_over_heads,
            faulty_multi_head_attention_over_queries,
            faulty_multi_head_attention_no_scale,
            faulty_multi_head_attention_no_output,
            faulty_multi_head_attention_averages,
        ],
        hints=(
            "Project the whole word, cut the columns into heads, attend in every head at once, put the heads side by "
            "side, project.",
            "(..., n, heads · d_k) is read as (..., n, heads, d_k): head i owns the i-th block of columns. Attention "
            "works on the last two axes: which two must those be, and which axis stands before them?",
            "Split with `.reshape(*x.shape[:-1], num_heads, -1).swapaxes(-2, -3)`, attend, then merge the same way "
            "back: `.swapaxes(-2, -3)` first, then `.reshape(*x.shape[:-1], -1)`. End with `@ W_o`.",
        ),
        key="# project",
        distractor=faulty_multi_head_attention_no_transpose,
        learned="every head reads the whole sentence by weights of its own, and W_o brings together what they found.",
        returns=("output", "weights"),
    )
]
