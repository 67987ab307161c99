"""Mistakes that learners make in the exercises of lesson 17, beside those of the bank."""

import math

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("causal_linear_attention", "our function returns one array of shape", never="A known cause")
def returns_the_output_alone(phi_q, phi_k, value):
    return REFERENCE["causal_linear_attention"](phi_q, phi_k, value)[0]


@wrong("causal_linear_attention", "`output` and `state` are right", "`total`")
def keeps_the_last_denominator(phi_q, phi_k, value):
    output, state, total = REFERENCE["causal_linear_attention"](phi_q, phi_k, value)
    return output, state, total * phi_q[-1]


@wrong("causal_linear_attention", "Each of your rows reads the sum over all keys")
def forgets_the_triangle(phi_q, phi_k, value):
    similarity = phi_q @ phi_k.T
    return similarity / similarity.sum(-1, keepdims=True) @ value, phi_k.T @ value, phi_k.sum(0)


@wrong("random_features", "You leave out ‖x‖²/2")
def exponential_alone(x, directions):
    return np.exp(np.einsum("...d,dm->...m", x, directions)) / math.sqrt(directions.shape[1])


@wrong("random_features", "`features`[", never="A known cause")
def cosines(x, directions):
    return np.cos(x @ directions) / math.sqrt(directions.shape[1])


@wrong("longformer_mask", "see only their own window")
def writes_columns_alone(n, window, global_positions):
    position = np.arange(n)
    mask = np.abs(position[:, None] - position) < window
    mask[:, global_positions] = True
    return mask


@wrong("longformer_mask", "Every cell of `mask` is turned round")
def hides_what_is_asked_for(n, window, global_positions):
    return ~REFERENCE["longformer_mask"](n, window, global_positions)


@wrong("two_step_mask", "knows nothing of token", never="A known cause")
def a_window_that_is_too_narrow(n):
    back = np.arange(n)[:, None] - np.arange(n)
    return (back >= 0) & ((back < 2) | (back % (math.isqrt(n - 1) + 1) == 0))


@wrong("two_step_mask", "Row", "are allowed for n = 11", never="A known cause")
def twice_the_window(n):
    back, step = np.arange(n)[:, None] - np.arange(n), math.isqrt(n - 1) + 1
    return (back >= 0) & ((back < 2 * step) | (back % step == 0))


@wrong("two_step_mask", "its future")
def sees_one_token_ahead(n):
    return REFERENCE["two_step_mask"](n) | np.eye(n, k=1, dtype=bool)


@wrong("two_step_mask", "You show the whole past")
def shows_all_the_past(n):
    return np.tril(np.ones((n, n), dtype=int))
