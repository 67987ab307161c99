"""Lesson 06: what a block does to each position by itself, layer norm and the feed-forward net."""

import math

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def layer_norm(x, gain, bias):
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)  # normalise
    spread = np.sqrt(variance + 1e-5)  # (..., n, 1): above 0 even where all features are equal
    normed = (x - mean) / spread  # (..., n, d): mean 0 and variance 1
    return normed * gain + bias  # one gain and one bias a feature


def feed_forward(x, W_1, b_1, W_2, b_2):
    hidden = np.maximum(x @ W_1 + b_1, 0)  # project: (..., n, d_ff); what is negative becomes 0
    update = hidden @ W_2 + b_2  # (..., n, d_model)
    return update  # what a block adds to its stream


# layer_norm ------------------------------------------------------------------------------------------------


@diagnosed(
    "You take one mean and one variance of the whole sentence, so each token is told of every other, later ones too: "
    "the future leaks. Take them over the features alone, the last axis: `axis=-1`."
)
def faulty_layer_norm_over_sentence(x, gain, bias):
    mean, variance = x.mean(axis=(-2, -1), keepdims=True), x.var(axis=(-2, -1), keepdims=True)  # normalise
    spread = np.sqrt(variance + 1e-5)
    normed = (x - mean) / spread
    return normed * gain + bias


@diagnosed(
    "You take mean and variance of each feature over the tokens, as batch norm does: a token's numbers then depend on "
    "its neighbours and on padding. Take them of each token over its features, the last axis: `axis=-1`."
)
def faulty_layer_norm_over_tokens(x, gain, bias):
    tokens = tuple(range(x.ndim - 1))
    normed = (x - x.mean(axis=tokens, keepdims=True)) / np.sqrt(x.var(axis=tokens, keepdims=True) + 1e-5)
    return normed * gain + bias


@diagnosed(
    "The mean has lost its axis: (n,) stands below the features, not below the tokens. "
    "Keep it with `keepdims=True`, so that (n, 1) is taken from (n, d) row by row."
)
def faulty_layer_norm_lost_axis(x, gain, bias):
    normed = (x - x.mean(axis=-1)) / np.sqrt(x.var(axis=-1) + 1e-5)
    return normed * gain + bias


@diagnosed(
    lambda got, args: (
        f"You divide the squares by d − 1 = {args[0].shape[-1] - 1}, as for a sample: with d = {args[0].shape[-1]} "
        f"features every number shrinks to {math.sqrt(1 - 1 / args[0].shape[-1]):.3f} of itself. "
        "The features are all there are, so divide by d: `x.var` without `ddof`, and 1e-5 inside the root."
    )
)
def faulty_layer_norm_ddof(x, gain, bias):
    mean, spread = x.mean(axis=-1, keepdims=True), x.std(axis=-1, ddof=1, keepdims=True)
    normed = (x - mean) / (spread + 1e-5)
    return normed * gain + bias


@diagnosed(
    "You add 1e-5 to the standard deviation, outside the root, which shows where the features are nearly equal. "
    "It belongs to the variance: `np.sqrt(variance + 1e-5)`."
)
def faulty_layer_norm_eps_outside(x, gain, bias):
    normed = (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + 1e-5)
    return normed * gain + bias


@diagnosed(
    "Nothing is added to the variance: features that are nearly equal are blown up, and equal ones give 0/0. "
    "Add the small number inside the root: `np.sqrt(variance + 1e-5)`."
)
def faulty_layer_norm_no_eps(x, gain, bias):
    normed = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
    return normed * gain + bias


@diagnosed(
    "You divide by the variance, which grows with the square of x, so a larger x comes out smaller. "
    "Divide by its root, the standard deviation: `np.sqrt(variance + 1e-5)`."
)
def faulty_layer_norm_no_root(x, gain, bias):
    normed = (x - x.mean(axis=-1, keepdims=True)) / (x.var(axis=-1, keepdims=True) + 1e-5)
    return normed * gain + bias


@diagnosed(
    "The mean is still there: you divide by the root of the mean square, which is RMS norm. "
    "Subtract each token's mean first, then divide by the spread around it."
)
def faulty_layer_norm_no_centring(x, gain, bias):
    normed = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)
    return normed * gain + bias


@diagnosed(
    "You divide by the mean absolute deviation, which is no standard deviation: the variance does not become 1. "
    "Square the differences, take their mean, then the root."
)
def faulty_layer_norm_absolute(x, gain, bias):
    centred = x - x.mean(axis=-1, keepdims=True)
    normed = centred / (np.abs(centred).mean(axis=-1, keepdims=True) + 1e-5)
    return normed * gain + bias


@diagnosed("Gain and bias have changed places: multiply by `gain`, add `bias`. A new layer has gain 1 and bias 0.")
def faulty_layer_norm_swapped(x, gain, bias):
    normed = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
    return normed * bias + gain


@diagnosed("The gain multiplies your bias as well: you add before you multiply. First `* gain`, then `+ bias`.")
def faulty_layer_norm_bias_first(x, gain, bias):
    normed = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
    return (normed + bias) * gain


# feed_forward ----------------------------------------------------------------------------------------------


@diagnosed(
    "Nothing stands between the two maps, and two linear maps in a row are one: (x W₁) W₂ = x (W₁ W₂). "
    "Set what is negative to 0 before the second: `np.maximum(..., 0)`."
)
def faulty_feed_forward_no_activation(x, W_1, b_1, W_2, b_2):
    return (x @ W_1 + b_1) @ W_2 + b_2


@diagnosed(
    "The activation comes last, so the net can only add: no number it returns is negative. "
    "It belongs between the two maps, on `x @ W_1 + b_1`."
)
def faulty_feed_forward_activation_last(x, W_1, b_1, W_2, b_2):
    return np.maximum((x @ W_1 + b_1) @ W_2 + b_2, 0)


@diagnosed(
    "The activation comes first and throws away what is negative in x before any weight sees it. "
    "Project first, then take `np.maximum` of the result."
)
def faulty_feed_forward_activation_first(x, W_1, b_1, W_2, b_2):
    return (np.maximum(x, 0) @ W_1 + b_1) @ W_2 + b_2


@diagnosed("The second bias is missing: each of the two maps has its own. Add `b_2` to what you return.")
def faulty_feed_forward_one_bias(x, W_1, b_1, W_2, b_2):
    return np.maximum(x @ W_1 + b_1, 0) @ W_2


@diagnosed(
    "The first bias comes after the activation, so it cannot move the point where a feature switches on. "
    "Add it inside: `np.maximum(x @ W_1 + b_1, 0)`."
)
def faulty_feed_forward_bias_after(x, W_1, b_1, W_2, b_2):
    return (np.maximum(x @ W_1, 0) + b_1) @ W_2 + b_2


@diagnosed(
    "You use softmax between the maps: it makes every hidden feature compete with the others for a sum of 1. "
    "Here each is on its own: what is positive stays as it is, the rest becomes 0, `np.maximum(..., 0)`."
)
def faulty_feed_forward_softmax(x, W_1, b_1, W_2, b_2):
    hidden = softmax(x @ W_1 + b_1)  # project: (..., n, d_ff)
    update = hidden @ W_2 + b_2
    return update


@diagnosed(
    "x is added already, and whoever calls a sublayer adds it once more. "
    "Return what the second map gives, without `x +`: the residual belongs to the block."
)
def faulty_feed_forward_residual(x, W_1, b_1, W_2, b_2):
    return x + np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2


@diagnosed(
    "The weight stands on the left, so it would mix positions (rows of x) in place of features. "
    "Features are the last axis: write `x @ W_1`, so that every token goes through the map by itself."
)
def faulty_feed_forward_weight_first(x, W_1, b_1, W_2, b_2):
    return W_2 @ np.maximum(W_1 @ x + b_1, 0) + b_2


@diagnosed(
    "The first weight does not fit x: you transpose it, as libraries do that keep (d_out, d_in), or W_2 stands there. "
    "Here W_1 is (d_in, d_out): write `x @ W_1`, without `.T`."
)
def faulty_feed_forward_torch_transpose(x, W_1, b_1, W_2, b_2):
    return np.maximum(x @ W_1.T + b_1, 0) @ W_2.T + b_2


@diagnosed("Python's `max` asks which of two whole arrays is the larger. `np.maximum(..., 0)` compares cell by cell.")
def faulty_feed_forward_python_max(x, W_1, b_1, W_2, b_2):
    return max(x @ W_1 + b_1, 0) @ W_2 + b_2


def _norm_cases():
    rng = np.random.default_rng(6)
    gain, bias = 1 + 0.5 * rng.normal(size=7), rng.normal(size=7)
    return [
        (1 + 2 * rng.normal(size=(3, 7)), gain, bias),
        (3 * rng.normal(size=(2, 3, 7)) - 1, gain, bias),
        (5 * rng.normal(size=(2, 5, 3, 11)), rng.normal(size=11), rng.normal(size=11)),
        tuple(array.astype(np.float32) for array in (3 * rng.normal(size=(5, 7)), gain, bias)),
        (rng.integers(-5, 6, size=(5, 7)), gain, bias),
        (1e-3 * rng.normal(size=(3, 7)), gain, bias),  # the small number inside the root counts here
        (np.array([[3.0], [0.0], [-2.0]]) + np.zeros(7), gain, bias),  # equal features
    ]


def _forward_cases():
    rng = np.random.default_rng(7)

    def draw(*shape, d_ff):
        d = shape[-1]
        return tuple(rng.normal(size=size) for size in (shape, (d, d_ff), (d_ff,), (d_ff, d), (d,)))

    whole = (rng.integers(-3, 4, size=(5, 3)), *draw(5, 3, d_ff=7)[1:])
    floats = tuple(array.astype(np.float32) for array in draw(2, 5, d_ff=3))
    return [draw(3, 5, d_ff=11), draw(2, 3, 7, d_ff=13), draw(2, 5, 7, 3, d_ff=11), floats, whole]


# As the gallery calls them: the name tells what is wrong.
faulty_norm_a = faulty_layer_norm_over_sentence
faulty_norm_b = faulty_layer_norm_ddof

EXERCISES = [
    Exercise(
        task="Write layer_norm(x, gain, bias): each token's features with mean 0 and variance 1 (1e-5 added to the "
        "variance), then times gain, plus bias.",
        reference=layer_norm,
        cases=_norm_cases(),
        faults=[
            faulty_layer_norm_over_sentence,
            faulty_layer_norm_over_tokens,
            faulty_layer_norm_lost_axis,
            faulty_layer_norm_ddof,
            faulty_layer_norm_eps_outside,
            faulty_layer_norm_no_eps,
            faulty_layer_norm_no_root,
            faulty_layer_norm_no_centring,
            faulty_layer_norm_absolute,
            faulty_layer_norm_swapped,
            faulty_layer_norm_bias_first,
        ],
        hints=(
            "A token's norm may know that token alone. Which axis of x holds its features, which hold other tokens?",
            "Take mean and variance over `axis=-1` with `keepdims=True`: one of each a token. The variance is the mean "
            "of the squared differences, as `x.var` gives it.",
            "`(x - mean) / np.sqrt(variance + 1e-5)`: the small number stands inside the root. Then `* gain + bias`.",
        ),
        key="# normalise",
        distractor=faulty_layer_norm_over_sentence,
        learned="every token is normed by its own features, so no other token, and no later one, can reach it.",
    ),
    Exercise(
        task="Write feed_forward(x, W_1, b_1, W_2, b_2): two linear maps with ReLU between them, for each token.",
        reference=feed_forward,
        cases=_forward_cases(),
        faults=[
            faulty_feed_forward_no_activation,
            faulty_feed_forward_activation_last,
            faulty_feed_forward_activation_first,
            faulty_feed_forward_one_bias,
            faulty_feed_forward_bias_after,
            faulty_feed_forward_softmax,
            faulty_feed_forward_residual,
            faulty_feed_forward_weight_first,
            faulty_feed_forward_torch_transpose,
            faulty_feed_forward_python_max,
        ],
        hints=(
            "Features are the last axis. On which side of `@` must the weight stand, so that no two tokens mix?",
            "Each map is `x @ W + b`. ReLU keeps what is positive and makes the rest 0; where does it stand?",
            "`hidden = np.maximum(x @ W_1 + b_1, 0)`, then `hidden @ W_2 + b_2`. Nothing comes after the second map.",
        ),
        key="# project",
        distractor=faulty_feed_forward_softmax,
        learned="every token goes through the same two maps by itself, and what stands between them is not linear.",
    ),
]
