"""Differently written right answers to the exercises of lessons 04 and 05."""

import math

import numpy as np

import attention_lab
from attention_lab.multi_head import merge_heads, split_heads
from tests.teaching.exercises.right import right


@right("multi_head_attention")
def heads_one_by_one(x, W_q, W_k, W_v, W_o, num_heads):
    d_k = W_q.shape[1] // num_heads
    output, weights = 0, []
    for h in range(num_heads):
        own = slice(h * d_k, (h + 1) * d_k)
        mixed, own_weights = attention_lab.scaled_dot_product_attention(
            x @ W_q[:, own], x @ W_k[:, own], x @ W_v[:, own]
        )
        output = output + mixed @ W_o[own]  # concat @ W_o is the sum of the heads' own shares
        weights.append(own_weights)
    return output, np.stack(weights, axis=-3)


@right("multi_head_attention")
def heads_by_einsum(x, W_q, W_k, W_v, W_o, num_heads):
    W_q, W_k, W_v = (W.reshape(W.shape[0], num_heads, -1) for W in (W_q, W_k, W_v))
    q, k, v = (np.einsum("...nd,dhk->...hnk", x, W) for W in (W_q, W_k, W_v))
    weights = attention_lab.softmax(np.einsum("...hqk,...hnk->...hqn", q, k) / np.sqrt(q.shape[-1]))
    W_o = W_o.reshape(num_heads, -1, W_o.shape[-1])
    return np.einsum("...hqn,...hnk,hkd->...qd", weights, v, W_o), weights


@right("multi_head_attention")
def heads_by_split(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = (np.stack(np.split(x @ W, num_heads, axis=-1), axis=-3) for W in (W_q, W_k, W_v))
    scores = q @ np.moveaxis(k, -1, -2)
    scores /= math.sqrt(W_k.shape[-1] / num_heads)
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed = scores @ v
    return np.concatenate([mixed[..., h, :, :] for h in range(num_heads)], axis=-1) @ W_o, scores


@right("multi_head_attention")
def heads_of_the_package(x, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = (split_heads(x @ W, num_heads) for W in (W_q, W_k, W_v))
    mixed, weights = attention_lab.scaled_dot_product_attention(q, k, v)
    return [(merge_heads(mixed) @ W_o).astype(np.float32), weights.astype(np.float32)]


@right("multi_head_attention")
def heads_by_transposing_lists(x, W_q, W_k, W_v, W_o, num_heads):
    *leading, n, _ = x.shape
    stack = x.reshape(-1, n, x.shape[-1])
    q, k, v = ((stack @ W).reshape(len(stack), n, num_heads, -1).transpose(0, 2, 1, 3) for W in (W_q, W_k, W_v))
    weights = attention_lab.softmax(q @ k.transpose(0, 1, 3, 2) * q.shape[-1] ** -0.5)
    output = (weights @ v).transpose(0, 2, 1, 3).reshape(len(stack), n, -1) @ W_o
    return output.reshape(x.shape), weights.reshape(*leading, num_heads, n, n)


@right("split_heads")
def split_and_stack(x, num_heads):
    return np.stack(np.split(x, num_heads, axis=-1), axis=-3)


@right("split_heads")
def split_by_moving(x, num_heads):
    return np.moveaxis(x.reshape(*x.shape[:-1], num_heads, -1), -2, -3)


@right("split_heads")
def split_by_loops(x, num_heads):
    d = x.shape[-1] // num_heads
    out = np.zeros((*x.shape[:-2], num_heads, x.shape[-2], d), dtype=x.dtype)
    for h in range(num_heads):
        for j in range(d):
            out[..., h, :, j] = x[..., :, h * d + j]
    return out


@right("split_heads")
def split_by_einsum(x, num_heads):
    return np.einsum("...nhd->...hnd", x.reshape(*x.shape[:-1], num_heads, -1))


@right("repeat_heads")
def repeat_in_place(key, num_heads):
    return np.repeat(key, num_heads // key.shape[-3], axis=-3)


@right("repeat_heads")
def repeat_by_list(key, num_heads):
    group = num_heads // key.shape[-3]
    return np.stack([key[..., h // group, :, :] for h in range(num_heads)], axis=-3)


@right("repeat_heads")
def repeat_by_broadcasting(key, num_heads):
    *leading, kv_heads, n, d = key.shape
    wide = np.broadcast_to(key[..., None, :, :], (*leading, kv_heads, num_heads // kv_heads, n, d))
    return wide.reshape(*leading, num_heads, n, d)


@right("repeat_heads")
def repeat_by_take(key, num_heads):
    owners = np.floor(np.linspace(0, key.shape[-3], num_heads, endpoint=False) + 1e-9).astype(int)
    return np.take(key, owners, axis=-3)


@right("positional_encoding")
def encoding_by_loops(seq_len, d_model):
    out = np.zeros((seq_len, d_model))
    for p in range(seq_len):
        for column in range(d_model):
            angle = p / 10000 ** (2 * (column // 2) / d_model)
            out[p, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return out


@right("positional_encoding")
def encoding_by_where(seq_len, d_model):
    column = np.arange(d_model)
    angle = np.arange(seq_len)[:, None] * np.exp(-math.log(10000) * (column - column % 2) / max(d_model, 1))
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


@right("positional_encoding")
def encoding_by_stacking(seq_len, d_model):
    pairs = (d_model + 1) // 2
    angle = np.outer(np.arange(seq_len), 10000.0 ** (-2 * np.arange(pairs) / max(1, d_model)))
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(seq_len, 2 * pairs)[:, :d_model]


@right("positional_encoding")
def encoding_by_a_shifted_sine(seq_len, d_model):
    column = np.arange(d_model)
    angle = np.arange(seq_len).reshape(-1, 1) / np.power(10000, (column // 2 * 2) / max(d_model, 1))
    return np.sin(angle + np.pi / 2 * (column % 2)).astype(np.float32)


@right("positional_encoding")
def encoding_by_complex_numbers(seq_len, d_model):
    turn = np.exp(1j * 10000.0 ** -(np.arange(0, d_model, 2) / (d_model or 1)))
    hands = turn ** np.arange(seq_len)[:, None]  # one turn more at every position
    out = np.zeros((seq_len, d_model))
    out[:, ::2], out[:, 1::2] = hands.imag, hands.real[:, : d_model // 2]
    return out


@right("rotary")
def rotary_by_complex_numbers(x, positions):
    half = x.shape[-1] // 2
    turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(
        1j * np.outer(positions, 10000.0 ** (-np.arange(half) / half))
    )
    return np.concatenate([turned.real, turned.imag], axis=-1)


@right("rotary")
def rotary_by_swapped_halves(x, positions):
    d = x.shape[-1]
    angle = np.tile(positions[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d), 2)
    a, b = np.split(x, 2, axis=-1)
    return x * np.cos(angle) + np.concatenate([-b, a], axis=-1) * np.sin(angle)


@right("rotary")
def rotary_by_matrices(x, positions):
    d, half = x.shape[-1], x.shape[-1] // 2
    turns = np.zeros((len(positions), d, d))
    for i in range(half):
        angle = positions / 10000 ** (2 * i / d)
        turns[:, i, i] = turns[:, i + half, i + half] = np.cos(angle)
        turns[:, i, i + half], turns[:, i + half, i] = -np.sin(angle), np.sin(angle)
    return np.einsum("nij,...nj->...ni", turns, x)


@right("rotary")
def rotary_in_place(x, positions):
    half = x.shape[-1] // 2
    out = np.empty_like(x)
    angle = (positions[:, None] / np.power(10000, np.arange(half) / half)).astype(np.float32)
    out[..., :half] = x[..., :half] * np.cos(angle)
    out[..., :half] -= x[..., half:] * np.sin(angle)
    out[..., half:] = x[..., :half] * np.sin(angle)
    out[..., half:] += x[..., half:] * np.cos(angle)
    return out


@right("rotary")
def rotary_by_loops(x, positions):
    out = x.astype(float)
    for at in np.ndindex(*x.shape[:-1]):
        for i in range(x.shape[-1] // 2):
            angle = positions[at[-1]] * math.exp(-math.log(1e4) * 2 * i / x.shape[-1])
            j = i + x.shape[-1] // 2
            out[at][i] = x[at][i] * math.cos(angle) - x[at][j] * math.sin(angle)
            out[at][j] = x[at][i] * math.sin(angle) + x[at][j] * math.cos(angle)
    return out


@right("rotary")
def rotary_of_the_package(x, positions):
    return attention_lab.rotary_embedding(x, positions)


@right("alibi_bias")
def alibi_by_loops(slopes, n):
    return np.array([[[-slope * abs(i - j) for j in range(n)] for i in range(n)] for slope in slopes])


@right("alibi_bias")
def alibi_by_outer(slopes, n):
    return np.multiply.outer(slopes, -np.abs(np.subtract.outer(np.arange(n), np.arange(n))))


@right("alibi_bias")
def alibi_by_einsum(slopes, n):
    query, key = np.indices((n, n))
    return -np.einsum("h,qk->hqk", slopes, np.abs(query - key)).astype(np.float32)


@right("alibi_bias")
def alibi_by_smaller_difference(slopes, n):
    difference = np.arange(n)[None, :, None] - np.arange(n)
    return np.minimum(difference, -difference) * slopes.reshape(-1, 1, 1)


@right("relative_bucket")
def bucket_by_loops(distance, num_buckets, max_distance):
    exact, out = num_buckets // 2, np.zeros(distance.shape, dtype=int)
    for at in np.ndindex(*distance.shape):
        d = int(distance[at])
        share = math.log(d / exact) / math.log(max_distance / exact) if d >= exact else 0
        out[at] = min(num_buckets - 1, exact + int(share * (num_buckets - exact))) if d >= exact else d
    return out


@right("relative_bucket")
def bucket_by_edges(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    steps = np.arange(1, num_buckets - exact) / (num_buckets - exact)
    edges = [*range(1, exact + 1), *(exact * (max_distance / exact) ** steps)]
    return np.searchsorted(edges, distance, side="right")


@right("relative_bucket")
def bucket_by_base_two(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    octaves = np.log2(np.maximum(distance, 1)) - np.log2(exact)
    far = exact + np.floor(octaves / np.log2(max_distance / exact) * (num_buckets - exact))
    return np.where(distance < exact, distance, np.clip(far, exact, num_buckets - 1))


@right("relative_bucket")
def bucket_by_assignment(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    bucket = distance.copy()
    far = distance >= exact
    ratio = np.emath.logn(max_distance / exact, distance[far] / exact)
    bucket[far] = np.minimum(exact + ratio * (num_buckets - exact), num_buckets - 1)
    return bucket


@right("relative_bucket")
def bucket_of_the_package(distance, num_buckets, max_distance):
    return attention_lab.relative_position_bucket(
        -distance, num_buckets=num_buckets, max_distance=max_distance, bidirectional=False
    )
