"""Differently written right answers to the exercises of lesson 17."""

import math

import numpy as np

from attention_lab import block_mask, causal_mask, dilated_mask, linear_attention, sliding_window_mask
from attention_lab import longformer_mask as of_the_package
from tests.teaching.exercises.right import right


@right("causal_linear_attention")
def by_running_sums(phi_q, phi_k, value):
    states = np.cumsum(phi_k[:, :, None] * value[:, None, :], axis=0)
    totals = np.cumsum(phi_k, axis=0)
    output = np.einsum("nm,nmd->nd", phi_q, states) / np.einsum("nm,nm->n", phi_q, totals)[:, None]
    return output, states[-1], totals[-1]


@right("causal_linear_attention")
def by_all_pairs(phi_q, phi_k, value):
    similarity = np.tril(phi_q @ phi_k.T)
    return similarity / similarity.sum(-1, keepdims=True) @ value, phi_k.T @ value, phi_k.sum(0)


@right("causal_linear_attention")
def in_place(phi_q, phi_k, value):
    state, total = np.zeros((phi_k.shape[1], value.shape[1]), value.dtype), np.zeros(phi_k.shape[1], phi_k.dtype)
    output = np.empty_like(value)
    for i in range(len(phi_q)):
        state += phi_k[i][:, None] * value[i]
        total += phi_k[i]
        output[i] = phi_q[i] @ state
        output[i] /= phi_q[i] @ total
    return [output, state, total]


@right("causal_linear_attention")
def by_the_package(phi_q, phi_k, value):
    before = [np.where(x > 1, x - 1, np.log(np.minimum(x, 1))) for x in (phi_q, phi_k)]  # elu + 1, undone
    return linear_attention(*before, value, is_causal=True), phi_k.T @ value, phi_k.sum(axis=0)


@right("random_features")
def as_a_mean_of_products(x, directions):
    return np.exp(x @ directions - np.sum(x**2, -1, keepdims=True) / 2) / directions.shape[1] ** 0.5


@right("random_features")
def by_einsum(x, directions):
    projected = np.einsum("...d,dm->...m", x, directions)
    half = np.einsum("...d,...d->...", x, x)[..., None] / 2
    return np.exp(projected - half - math.log(directions.shape[1]) / 2)


@right("random_features")
def factor_by_factor(x, directions):
    lengths = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.exp(x @ directions) * np.exp(-(lengths**2) / 2) * directions.shape[1] ** -0.5


@right("random_features")
def feature_by_feature(x, directions):
    columns = [np.exp(x @ w - (x * x).sum(-1) / 2) for w in directions.T]
    return np.stack(columns, axis=-1) / np.sqrt(len(columns))


@right("longformer_mask")
def from_the_package(n, window, global_positions):
    return of_the_package(n, window=window, global_positions=global_positions)


@right("longformer_mask")
def by_writing_into_it(n, window, global_positions):
    mask = sliding_window_mask(n, window=window, is_causal=False)
    mask[global_positions] = True
    mask[:, global_positions] = True
    return mask


@right("longformer_mask")
def cell_by_cell(n, window, global_positions):
    named = set(global_positions.tolist())
    return [[abs(i - j) < window or i in named or j in named for j in range(n)] for i in range(n)]


@right("longformer_mask")
def with_zeros_and_ones(n, window, global_positions):
    mask = np.tri(n, k=window - 1, dtype=int) * np.tri(n, k=window - 1, dtype=int).T
    mask[global_positions, :] = mask[:, global_positions] = 1
    return mask


@right("two_step_mask")
def a_window_and_long_steps(n):
    step = math.ceil(math.sqrt(n))
    return sliding_window_mask(n, window=step) | dilated_mask(n, window=step, dilation=step)


@right("two_step_mask")
def blocks_and_their_last_tokens(n):
    step, position = math.ceil(n**0.5), np.arange(n)
    own_block, last = block_mask(n, block_size=step), position % step == step - 1
    return (own_block | last) & causal_mask(n)


@right("two_step_mask")
def window_and_last_tokens(n):
    step, position = math.isqrt(n - 1) + 1, np.arange(n)
    mask = (sliding_window_mask(n, window=step) | (position % step == step - 1)) & causal_mask(n)
    return mask.astype(int)


@right("two_step_mask")
def without_itself(n):
    """The residual stream carries a token past the layer."""
    step = math.isqrt(n - 1) + 1
    return [[0 < i - j < step or (i > j and (i - j) % step == 0) for j in range(n)] for i in range(n)]
