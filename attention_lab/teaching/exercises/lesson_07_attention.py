"""Lesson 07: the gradient of attention, back through every step of the forward."""

import math

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def attention_backward(grad, query, key, value, weights):
    to_value = np.swapaxes(weights, -2, -1) @ grad  # mix: (..., n_k, d_v), from every query that read it
    to_weights = grad @ np.swapaxes(value, -2, -1)  # (..., n_q, n_k)
    to_scores = weights * (to_weights - (weights * to_weights).sum(axis=-1, keepdims=True))  # normalise
    to_scores = to_scores / math.sqrt(query.shape[-1])  # scale
    to_query = to_scores @ key  # score: (..., n_q, d_k)
    to_key = np.swapaxes(to_scores, -2, -1) @ query  # (..., n_k, d_k), from every query that asked
    return to_query, to_key, to_value


def _through_softmax(to_weights, weights):
    return weights * (to_weights - (weights * to_weights).sum(axis=-1, keepdims=True))


def _finish(to_scores, grad, query, key, weights):
    """From the gradient of the scores, before the scale, to the three results."""
    to_scores = to_scores / math.sqrt(query.shape[-1])
    return to_scores @ key, np.swapaxes(to_scores, -2, -1) @ query, np.swapaxes(weights, -2, -1) @ grad


# Softmax ---------------------------------------------------------------------------------------------------


@diagnosed(
    "You sum over queries. Each query has a softmax of its own, over the keys: "
    "`(weights * to_weights).sum(axis=-1, keepdims=True)`."
)
def faulty_attention_backward_over_queries(grad, query, key, value, weights):
    to_value = np.swapaxes(weights, -2, -1) @ grad
    to_weights = grad @ np.swapaxes(value, -2, -1)
    to_scores = weights * (to_weights - (weights * to_weights).sum(axis=-2, keepdims=True))  # normalise
    to_scores = to_scores / math.sqrt(query.shape[-1])
    to_query = to_scores @ key
    to_key = np.swapaxes(to_scores, -2, -1) @ query
    return to_query, to_key, to_value


@diagnosed(
    "Softmax has no backward in yours: the gradient of the weights is handed on as if it were that of the scores. "
    "Between the two stands `weights * (to_weights - mean)`, with the mean by the weights."
)
def faulty_attention_backward_no_softmax(grad, query, key, value, weights):
    return _finish(grad @ np.swapaxes(value, -2, -1), grad, query, key, weights)


@diagnosed(
    "The softmax's backward lacks its sum: keys of one query compete, and what one gains the others lose. "
    "Subtract `(weights * to_weights).sum(axis=-1, keepdims=True)` before you multiply by `weights`."
)
def faulty_attention_backward_no_sum(grad, query, key, value, weights):
    return _finish(weights * (grad @ np.swapaxes(value, -2, -1)), grad, query, key, weights)


@diagnosed(
    "You use w (1 − w), the diagonal of softmax's Jacobian alone, so no key answers for the others. "
    "Use all of it: `weights * (to_weights - mean)`, with the mean by the weights."
)
def faulty_attention_backward_diagonal(grad, query, key, value, weights):
    return _finish(weights * (1 - weights) * (grad @ np.swapaxes(value, -2, -1)), grad, query, key, weights)


@diagnosed(
    "You take a softmax of `weights`, but they are weights already: the forward kept its result, not the scores. "
    "Use them as they are."
)
def faulty_attention_backward_softmax_again(grad, query, key, value, weights):
    return attention_backward(grad, query, key, value, softmax(weights))


# Scale -----------------------------------------------------------------------------------------------------


@diagnosed(
    lambda got, args: (
        f"The scale is missing: query and key get gradients {math.sqrt(args[1].shape[-1]):.3g} (√d_k) times too large. "
        "The forward divided the scores, so divide their gradient as well: `/ math.sqrt(d_k)`."
    )
)
def faulty_attention_backward_no_scale(grad, query, key, value, weights):
    to_query, to_key, to_value = attention_backward(grad, query, key, value, weights)
    root = math.sqrt(query.shape[-1])
    return to_query * root, to_key * root, to_value


@diagnosed(
    "The scale reaches `to_query` and not `to_key`. Both come from the gradient of the scores: "
    "divide that one by √d_k, before the two products."
)
def faulty_attention_backward_key_not_scaled(grad, query, key, value, weights):
    to_query, to_key, to_value = attention_backward(grad, query, key, value, weights)
    return to_query, to_key * math.sqrt(query.shape[-1]), to_value


@diagnosed(
    "The scale reaches `to_key` and not `to_query`. Both come from the gradient of the scores: "
    "divide that one by √d_k, before the two products."
)
def faulty_attention_backward_query_not_scaled(grad, query, key, value, weights):
    to_query, to_key, to_value = attention_backward(grad, query, key, value, weights)
    return to_query * math.sqrt(query.shape[-1]), to_key, to_value


@diagnosed(
    "You divide by d_k, or by √d_k twice. The forward divides once by the square root, and so does the backward: "
    "`/ math.sqrt(query.shape[-1])`."
)
def faulty_attention_backward_scaled_twice(grad, query, key, value, weights):
    to_query, to_key, to_value = attention_backward(grad, query, key, value, weights)
    root = math.sqrt(query.shape[-1])
    return to_query / root, to_key / root, to_value


@diagnosed(
    "You multiply by √d_k. The scores were divided by it, so a change of the product moves them less: "
    "divide their gradient too."
)
def faulty_attention_backward_multiplies(grad, query, key, value, weights):
    to_query, to_key, to_value = attention_backward(grad, query, key, value, weights)
    return to_query * query.shape[-1], to_key * query.shape[-1], to_value


# Products --------------------------------------------------------------------------------------------------


@diagnosed(
    "An array (n_q, n_k) stands before one of n_q rows. A value and a key collect from all queries, so turn the "
    "weights or `to_scores` round there, `np.swapaxes(..., -2, -1)`; a query collects from the keys: `to_scores @ key`."
)
def faulty_attention_backward_not_turned(grad, query, key, value, weights):
    return *attention_backward(grad, query, key, value, weights)[:2], weights @ grad


@diagnosed(
    "`value` is not turned round where the gradient of the weights is made: a row of `grad` meets every value in a dot "
    "product, as queries met keys. Write `grad @ np.swapaxes(value, -2, -1)`."
)
def faulty_attention_backward_weights_not_turned(grad, query, key, value, weights):
    return _finish(_through_softmax(grad @ value, weights), grad, query, key, weights)


@diagnosed(
    "The gradients of query and key are returned in the other order. End with `return to_query, to_key, to_value`: "
    "one for each input, in the order of the forward."
)
def faulty_attention_backward_swapped(grad, query, key, value, weights):
    to_query, to_key, to_value = attention_backward(grad, query, key, value, weights)
    return to_key, to_query, to_value


@diagnosed(
    "`.T` turns all axes round, the batch axis too, so a stack no longer fits. "
    "Swap the last two axes only: `np.swapaxes(..., -2, -1)`."
)
def faulty_attention_backward_transpose_all(grad, query, key, value, weights):
    to_value = weights.T @ grad
    to_scores = _through_softmax(grad @ value.T, weights) / math.sqrt(query.shape[-1])
    return to_scores @ key, to_scores.T @ query, to_value


def _cases():
    rng = np.random.default_rng(9)

    def draw(*leading, n_q, n_k, d_k, d_v, dtype=float, hidden=None):
        query, key, value, grad = (
            rng.normal(size=(*leading, *size)).astype(dtype)
            for size in ((n_q, d_k), (n_k, d_k), (n_k, d_v), (n_q, d_v))
        )
        scores = query @ np.swapaxes(key, -2, -1) / math.sqrt(d_k)
        return grad, query, key, value, softmax(scores if hidden is None else np.where(hidden, -np.inf, scores))

    empty = np.arange(3)[:, None] == 1  # the second query may see no key
    return [
        draw(n_q=3, n_k=7, d_k=5, d_v=2),
        draw(2, n_q=3, n_k=5, d_k=7, d_v=11),
        draw(5, 2, n_q=7, n_k=3, d_k=11, d_v=13),
        draw(n_q=5, n_k=7, d_k=3, d_v=2, dtype=np.float32),
        draw(n_q=3, n_k=5, d_k=7, d_v=2, hidden=empty | ~np.tri(3, 5, k=2, dtype=bool)),
    ]


EXERCISES = [
    Exercise(
        task="Write attention_backward(grad, query, key, value, weights) -> (to_query, to_key, to_value), where `grad` "
        "is the gradient of the output and the scores were divided by √d_k.",
        reference=attention_backward,
        cases=_cases(),
        faults=[
            faulty_attention_backward_over_queries,
            faulty_attention_backward_no_softmax,
            faulty_attention_backward_no_sum,
            faulty_attention_backward_diagonal,
            faulty_attention_backward_softmax_again,
            faulty_attention_backward_no_scale,
            faulty_attention_backward_key_not_scaled,
            faulty_attention_backward_query_not_scaled,
            faulty_attention_backward_scaled_twice,
            faulty_attention_backward_multiplies,
            faulty_attention_backward_not_turned,
            faulty_attention_backward_weights_not_turned,
            faulty_attention_backward_swapped,
            faulty_attention_backward_transpose_all,
        ],
        hints=(
            "Go through the forward from its end: mix, normalise, scale, score. A gradient has the shape of what it "
            "belongs to, so shapes tell which factor must be turned round.",
            "For C = A B the gradients are grad Bᵀ for A and Aᵀ grad for B. Here output = weights @ value first, then "
            "softmax backward, then the division by √d_k, then scores = query @ keyᵀ.",
            "`to_weights = grad @ valueᵀ`, through softmax `weights * (to_weights - mean)`, divided by √d_k; then "
            "`to_scores @ key` and `to_scoresᵀ @ query`, and `weightsᵀ @ grad` for the value.",
        ),
        key="# normalise",
        distractor=faulty_attention_backward_over_queries,
        learned="every step of the forward went back in turn, and a query that sees no key gets 0, not NaN.",
        returns=("to_query", "to_key", "to_value"),
    )
]
