"""Lesson 07: from the gradient of the weights back to that of the scores."""

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def softmax_backward(grad, weights):
    mean = (weights * grad).sum(axis=-1, keepdims=True)  # mix: (..., 1), the gradient's mean by the weights
    above = grad - mean  # (..., n): what all scores share moves no weight
    return weights * above  # (..., n): a weight of 0 lets nothing through


@diagnosed(
    "w (1 − w) is the diagonal of the Jacobian alone: how a weight changes with its own score. It changes with the "
    "others' too, by −wᵢ wⱼ. Subtract the gradient's weighted mean first: `weights * (grad - mean)`."
)
def faulty_softmax_backward_diagonal(grad, weights):
    slope = weights * (1 - weights)
    return slope * grad


@diagnosed(
    "Nothing is subtracted, so a row of your gradient does not sum to 0, as if one weight could grow and no other "
    "shrink. Subtract `(weights * grad).sum(axis=-1, keepdims=True)` from `grad` first."
)
def faulty_softmax_backward_no_sum(grad, weights):
    return weights * grad


@diagnosed(
    "You sum over queries, so one row's weights reach into another's gradient. "
    "Each row has a softmax of its own: sum over the keys, the last axis, `axis=-1`."
)
def faulty_softmax_backward_first_axis(grad, weights):
    mean = (weights * grad).sum(axis=0, keepdims=True)
    return weights * (grad - mean)


@diagnosed(
    "You take one sum of the whole array. Each row has a softmax and a mean of its own: `axis=-1, keepdims=True`."
)
def faulty_softmax_backward_one_sum(grad, weights):
    return weights * (grad - (weights * grad).sum())


@diagnosed(
    "The sums have lost their axis: (n_q,) stands below the keys, not below the rows. "
    "Keep it with `keepdims=True`, so that (n_q, 1) is taken from (n_q, n_k) row by row."
)
def faulty_softmax_backward_lost_axis(grad, weights):
    return weights * (grad - (weights * grad).sum(axis=-1))


@diagnosed(
    "You subtract the plain mean, in which every key counts alike. A key counts by its weight: "
    "`(weights * grad).sum(axis=-1, keepdims=True)`."
)
def faulty_softmax_backward_plain_mean(grad, weights):
    mean = grad.mean(axis=-1, keepdims=True)  # mix: (..., 1), the gradient's mean
    above = grad - mean
    return weights * above


@diagnosed(
    "You divide the weighted sum by the number of keys as well. The weights sum to 1, so their sum is the mean "
    "already: `.sum(...)` in place of `.mean(...)`."
)
def faulty_softmax_backward_mean_of_products(grad, weights):
    return weights * (grad - (weights * grad).mean(axis=-1, keepdims=True))


@diagnosed(
    "You sum the gradient without the weights. How much a row gains is each key's gradient times its weight, summed: "
    "`(weights * grad).sum(axis=-1, keepdims=True)`."
)
def faulty_softmax_backward_plain_sum(grad, weights):
    return weights * (grad - grad.sum(axis=-1, keepdims=True))


@diagnosed(
    "The Jacobian has the wrong sign off its diagonal: a weight falls when another's score rises. "
    "It is diag(w) − w wᵀ, with a minus: `weights * (grad - mean)` without building it."
)
def faulty_softmax_backward_plus(grad, weights):
    jacobian = weights[..., None] * (np.eye(weights.shape[-1]) + weights[..., None, :])
    return (jacobian @ grad[..., None])[..., 0]


@diagnosed(
    "`np.diag` and `np.outer` make one Jacobian of one row: of several rows, `np.diag` takes a diagonal and `np.outer` "
    "pairs all numbers. No Jacobian is needed: `weights * (grad - mean)`, with one mean a row."
)
def faulty_softmax_backward_one_jacobian(grad, weights):
    jacobian = np.diag(weights) - np.outer(weights, weights)
    return grad @ jacobian


@diagnosed(
    "You take a softmax of `weights`, but they are weights already: the forward kept its result, not the scores. "
    "Use them as they are."
)
def faulty_softmax_backward_of_scores(grad, weights):
    weights = softmax(weights)
    return weights * (grad - (weights * grad).sum(axis=-1, keepdims=True))


@diagnosed(
    "The sign is turned round: a key whose weight should grow gets a smaller score. "
    "Take the mean from the gradient, `grad - mean`, not the gradient from the mean."
)
def faulty_softmax_backward_sign(grad, weights):
    return weights * ((weights * grad).sum(axis=-1, keepdims=True) - grad)


@diagnosed(
    "The last factor is missing: you return how far `grad` lies above its mean, as if every key had weight 1. "
    "Multiply by `weights`: a key that is not read gets no gradient."
)
def faulty_softmax_backward_no_factor(grad, weights):
    return grad - (weights * grad).sum(axis=-1, keepdims=True)


def _rows_sum_to_zero(to_scores, grad, weights):
    """The same number added to every score of a row changes no weight."""
    sums = to_scores.astype(float).sum(axis=-1).ravel()
    worst = sums[np.abs(sums).argmax()]
    if abs(worst) <= 1e-4:
        return None
    return (
        f"A row of the result should sum to 0, since the same number added to all its scores moves no weight, and "
        f"yours sums to {worst:.3g}. Before you multiply by `weights`, subtract what the row gets on average."
    )


def _cases():
    rng = np.random.default_rng(7)

    def draw(*shape, scale=1.0):
        return rng.normal(size=shape), softmax(scale * rng.normal(size=shape))

    grad, weights = draw(3, 7)
    weights[1] = 0  # a query that may see no key
    return [
        draw(5, 7),
        draw(2, 3, 5),
        draw(7),
        (grad, weights),
        tuple(array.astype(np.float32) for array in draw(3, 5)),
        draw(3, 2, 5, 7, scale=16),  # one key takes nearly all
    ]


# As the gallery calls it: the name tells what is wrong.
faulty_softmax = faulty_softmax_backward_diagonal

EXERCISES = [
    Exercise(
        task="Write softmax_backward(grad, weights): the gradient of the scores, from the gradient of the weights and "
        "the weights themselves; each row (last axis) is a softmax of its own.",
        reference=softmax_backward,
        cases=_cases(),
        faults=[
            faulty_softmax_backward_diagonal,
            faulty_softmax_backward_no_sum,
            faulty_softmax_backward_first_axis,
            faulty_softmax_backward_one_sum,
            faulty_softmax_backward_lost_axis,
            faulty_softmax_backward_plain_mean,
            faulty_softmax_backward_mean_of_products,
            faulty_softmax_backward_plain_sum,
            faulty_softmax_backward_plus,
            faulty_softmax_backward_one_jacobian,
            faulty_softmax_backward_of_scores,
            faulty_softmax_backward_sign,
            faulty_softmax_backward_no_factor,
        ],
        hints=(
            "Add the same number to every score of a row: which weight changes? So what must a row of the gradient "
            "sum to?",
            "∂wᵢ/∂sⱼ is wᵢ (1 − wᵢ) for i = j, else −wᵢ wⱼ. Sum gradᵢ · ∂wᵢ/∂sⱼ over i, and take wⱼ outside.",
            "What stays in the brackets is `grad` less its mean by the weights, "
            "`(weights * grad).sum(axis=-1, keepdims=True)`.",
        ),
        key="# mix",
        distractor=faulty_softmax_backward_plain_mean,
        learned="each row sums to 0: what one score gains the others lose, and a row that has settled passes nothing.",
        returns=("to_scores",),
        properties=_rows_sum_to_zero,
    )
]
