"""Lesson 07: the gradient of layer norm, where each feature also moves the mean and the spread."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def layer_norm_backward(grad, normed, root, gain):
    pull = grad * gain  # (..., n, d): the gradient of the normed features
    shift = pull.mean(axis=-1, keepdims=True)  # (..., n, 1): moving all features alike moves the mean, nothing else
    stretch = normed * (pull * normed).mean(axis=-1, keepdims=True)  # normalise: drawing them apart is undone too
    return (pull - shift - stretch) / root  # scale: (..., n, d)


def _backward(grad, normed, root, gain, shift=1, stretch=1, axis=-1):
    """The gradient with each of its two means as often as asked for."""
    pull = grad * gain
    along = (pull * normed).mean(axis=axis, keepdims=True)
    return (pull - shift * pull.mean(axis=axis, keepdims=True) - stretch * normed * along) / root


@diagnosed(
    "You divide by the root and leave it at that, as if mean and spread were constants. A feature moves both: subtract "
    "the mean of `pull`, and `normed` times the mean of `pull * normed`."
)
def faulty_layer_norm_backward_root_only(grad, normed, root, gain):
    return grad * gain / root


@diagnosed(
    "The path through the mean is missing: the same number added to all features changes nothing, so a row of the "
    "gradient sums to 0. Subtract `pull.mean(axis=-1, keepdims=True)`."
)
def faulty_layer_norm_backward_no_shift(grad, normed, root, gain):
    return _backward(grad, normed, root, gain, shift=0)


@diagnosed(
    "The path through the spread is missing: a row made twice as long comes out the same, so nothing may pull along "
    "`normed`. Subtract `normed * (pull * normed).mean(axis=-1, keepdims=True)`."
)
def faulty_layer_norm_backward_no_stretch(grad, normed, root, gain):
    return _backward(grad, normed, root, gain, stretch=0)


@diagnosed(
    "You multiply by the gain last. It comes after the norm in the forward, so before it in the backward: "
    "`pull = grad * gain` first, and both means of that."
)
def faulty_layer_norm_backward_gain_last(grad, normed, root, gain):
    return _backward(grad, normed, root, 1) * gain


@diagnosed(
    "The gain is missing. The forward multiplies by it, so the gradient is multiplied as well: "
    "`pull = grad * gain`, before anything else."
)
def faulty_layer_norm_backward_no_gain(grad, normed, root, gain):
    return _backward(grad, normed, root, 1)


@diagnosed(
    "Your means go over the tokens. Each token was normed by its own features, so the backward too takes its means "
    "over the features: `axis=-1`."
)
def faulty_layer_norm_backward_over_tokens(grad, normed, root, gain):
    return _backward(grad, normed, root, gain, axis=-2)


@diagnosed(
    "You take one mean of everything. Each token was normed by itself, so each has two means of its own: "
    "`axis=-1, keepdims=True`."
)
def faulty_layer_norm_backward_one_mean(grad, normed, root, gain):
    return _backward(grad, normed, root, gain, axis=None)


@diagnosed(
    "You subtract sums where means belong: mean and variance divide by d, and their gradients do so too. "
    "Write `.mean(axis=-1, keepdims=True)` in both places."
)
def faulty_layer_norm_backward_sums(grad, normed, root, gain):
    return _backward(grad, normed, root, gain, shift=gain.size, stretch=gain.size)


@diagnosed(
    "The second mean is subtracted from all features alike. It says how far the row is drawn out along `normed`, so it "
    "goes back along it: multiply that mean by `normed`."
)
def faulty_layer_norm_backward_not_along(grad, normed, root, gain):
    pull = grad * gain
    shift = pull.mean(axis=-1, keepdims=True)
    stretch = (pull * normed).mean(axis=-1, keepdims=True)  # normalise: drawing them apart is undone too
    return (pull - shift - stretch) / root


@diagnosed(
    "In the second mean `normed` is missing: it should ask how far the gradient pulls along the row, a product. "
    "Take the mean of `pull * normed`, then multiply by `normed`."
)
def faulty_layer_norm_backward_plain_means(grad, normed, root, gain):
    pull = grad * gain
    shift = pull.mean(axis=-1, keepdims=True)
    return (pull - shift - normed * shift) / root


@diagnosed(
    "You divide by the variance. The forward divides by its root once, and that slope is 1 / root: divide by `root`."
)
def faulty_layer_norm_backward_by_variance(grad, normed, root, gain):
    return _backward(grad, normed, root, gain) / root


@diagnosed(
    "You multiply by the root. A forward that divides by it makes a change of x smaller, and its gradient too: "
    "divide by `root`."
)
def faulty_layer_norm_backward_multiplies(grad, normed, root, gain):
    return _backward(grad, normed, root, gain) * root**2


@diagnosed(
    "The means have lost their axis: (n,) stands below the features, not below the tokens. "
    "Keep it with `keepdims=True`, so that (n, 1) is taken from (n, d) row by row."
)
def faulty_layer_norm_backward_lost_axis(grad, normed, root, gain):
    pull = grad * gain
    return (pull - pull.mean(axis=-1) - normed * (pull * normed).mean(axis=-1)) / root


def _cases():
    rng = np.random.default_rng(10)

    def draw(*shape, spread=1.0, dtype=float):
        x = spread * rng.normal(size=shape)
        root = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
        normed = (x - x.mean(axis=-1, keepdims=True)) / root
        arrays = rng.normal(size=shape), normed, root, 1 + 0.5 * rng.normal(size=shape[-1])
        return tuple(array.astype(dtype) for array in arrays)

    return [
        draw(3, 7, spread=2),
        draw(2, 3, 5),
        draw(5, 3, 2, 11, spread=0.3),
        draw(5, 7, spread=3, dtype=np.float32),
        draw(3, 5, spread=0.01),  # the small number inside the root counts here
    ]


EXERCISES = [
    Exercise(
        task="Write layer_norm_backward(grad, normed, root, gain): the gradient of x, where the forward made "
        "normed = (x − mean) / root and normed · gain + bias.",
        reference=layer_norm_backward,
        cases=_cases(),
        faults=[
            faulty_layer_norm_backward_root_only,
            faulty_layer_norm_backward_no_shift,
            faulty_layer_norm_backward_no_stretch,
            faulty_layer_norm_backward_gain_last,
            faulty_layer_norm_backward_no_gain,
            faulty_layer_norm_backward_over_tokens,
            faulty_layer_norm_backward_one_mean,
            faulty_layer_norm_backward_sums,
            faulty_layer_norm_backward_not_along,
            faulty_layer_norm_backward_plain_means,
            faulty_layer_norm_backward_by_variance,
            faulty_layer_norm_backward_multiplies,
            faulty_layer_norm_backward_lost_axis,
        ],
        hints=(
            "Two changes of a row leave its norm as it is: every feature moved alike, and the row made longer. "
            "What must the gradient be along those two?",
            "Nothing: take both parts out of `pull = grad * gain`. The first is its mean; the second is the part along "
            "`normed`, and the mean of `pull * normed` says how large it is.",
            "`(pull - pull.mean(...) - normed * (pull * normed).mean(...)) / root`, both means over the last axis with "
            "`keepdims=True`.",
        ),
        key="# normalise",
        distractor=faulty_layer_norm_backward_not_along,
        learned="what moves all features alike and what draws them apart is taken out, for the norm undoes both.",
        returns=("to_x",),
    )
]
