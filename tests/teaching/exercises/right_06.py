"""Differently written right answers to the exercises of lesson 06."""

import math
from functools import reduce

import numpy as np

from attention_lab import functional
from attention_lab.activations import relu
from attention_lab.blocks import after, before
from tests.teaching.exercises.right import right


@right("layer_norm")
def norm_of_the_package(x, gain, bias):
    return functional.layer_norm(x, gain, bias)


@right("layer_norm")
def norm_by_loops(x, gain, bias):
    out = np.zeros(x.shape)
    for at in np.ndindex(*x.shape[:-1]):
        row = [float(number) for number in x[at]]
        mean = sum(row) / len(row)
        spread = math.sqrt(sum((number - mean) ** 2 for number in row) / len(row) + 1e-5)
        out[at] = [(number - mean) / spread * g + b for number, g, b in zip(row, gain, bias)]
    return out


@right("layer_norm")
def norm_by_einsum(x, gain, bias):
    d = x.shape[-1]
    centred = x - np.einsum("...d->...", x)[..., None] / d
    variance = np.einsum("...d,...d->...", centred, centred) / d
    return np.einsum("...d,d->...d", centred / np.sqrt(variance + 1e-5)[..., None], gain) + bias


@right("layer_norm")
def norm_by_the_mean_of_squares(x, gain, bias, eps=1e-5):
    mean = x.mean(-1, keepdims=True)
    return bias + gain * (x - mean) * ((x**2).mean(-1, keepdims=True) - mean**2 + eps) ** -0.5


@right("layer_norm")
def norm_on_a_copy(x, gain, bias):
    out = np.array(x, dtype=np.float32)
    out -= out.mean(axis=-1, keepdims=True)
    out /= np.sqrt(np.square(out).mean(axis=-1, keepdims=True) + 1e-5)
    out *= gain
    out += bias
    return out


@right("layer_norm")
def norm_of_rows(x, gain, bias):
    rows = x.reshape(-1, x.shape[-1])
    normed = (rows.T - rows.mean(axis=1)) / np.sqrt(rows.std(axis=1) ** 2 + 1e-5)
    return (normed.T * gain + bias).reshape(x.shape).tolist()


@right("feed_forward")
def forward_of_the_package(x, W_1, b_1, W_2, b_2):
    return functional.linear(relu(functional.linear(x, W_1, b_1)), W_2, b_2)


@right("feed_forward")
def forward_by_loops(x, W_1, b_1, W_2, b_2):
    out = np.empty(x.shape)
    for at in np.ndindex(*x.shape[:-1]):
        hidden = [max(sum(a * w for a, w in zip(x[at], column)) + b, 0) for column, b in zip(W_1.T, b_1)]
        out[at] = [sum(h * w for h, w in zip(hidden, column)) + b for column, b in zip(W_2.T, b_2)]
    return out


@right("feed_forward")
def forward_by_einsum(x, W_1, b_1, W_2, b_2):
    hidden = np.einsum("...d,df->...f", x, W_1) + b_1
    return np.einsum("...f,fd->...d", np.where(hidden > 0, hidden, 0), W_2) + b_2


@right("feed_forward")
def forward_by_dot(x, W_1, b_1, W_2, b_2):
    hidden = np.dot(x, W_1)  # a matrix on the right: `np.dot` and `@` agree
    hidden = hidden + b_1
    hidden *= hidden > 0
    return np.add(np.dot(hidden, W_2), b_2)


@right("feed_forward")
def forward_with_a_column_of_ones(x, W_1, b_1, W_2, b_2):
    def linear(x, weight, bias):
        ones = np.ones((*x.shape[:-1], 1), x.dtype)
        return np.concatenate([x, ones], axis=-1) @ np.vstack([weight, bias])

    return linear(linear(x, W_1, b_1).clip(0), W_2, b_2)


@right("feed_forward")
def forward_by_weights_first(x, W_1, b_1, W_2, b_2):
    hidden = W_1.T @ np.swapaxes(x, -1, -2) + b_1[:, None]
    hidden = (hidden + np.abs(hidden)) / 2
    return np.swapaxes(W_2.T @ hidden, -1, -2) + b_2


@right("pre_norm")
def pre_norm_in_one_line(x, norm, sublayer):
    return x + sublayer(norm(x))


@right("pre_norm")
def pre_norm_into_the_update(x, norm, sublayer):
    update = np.array(sublayer(norm(x)), dtype=float)
    update += x
    return update


@right("pre_norm")
def pre_norm_on_a_copy(stream, norm, sublayer):
    out = stream.astype(np.float64)
    np.add(out, sublayer(norm(out)), out=out)
    return out


@right("pre_norm")
def pre_norm_of_the_package(x, norm, sublayer, place="pre"):
    return after(x + sublayer(before(x, norm, place)), norm, place)


@right("pre_norm")
def pre_norm_by_composition(x, norm, sublayer):
    return sum([x, reduce(lambda value, step: step(value), (norm, sublayer), x)])


@right("encoder_block")
def block_by_branches(x, attend, forward, norm_1, norm_2, place):
    if place == "pre":
        x = x + attend(norm_1(x))
        return x + forward(norm_2(x))
    x = norm_1(x + attend(x))
    return norm_2(x + forward(x))


@right("encoder_block")
def block_by_a_loop(x, attend, forward, norm_1, norm_2, place):
    for norm, sublayer in ((norm_1, attend), (norm_2, forward)):
        x = x + sublayer(norm(x)) if place == "pre" else norm(x + sublayer(x))
    return x


@right("encoder_block")
def block_of_the_package(x, attend, forward, norm_1, norm_2, place):
    for norm, sublayer in zip((norm_1, norm_2), (attend, forward)):
        x = after(x + sublayer(before(x, norm, place)), norm, place)
    return x


@right("encoder_block")
def block_of_steps(x, attend, forward, norm_1, norm_2, place):
    def nothing(x):
        return x

    def step(x, sublayer, inside, outside):
        return outside(np.add(sublayer(inside(x)), x))

    norms = [(n, nothing) if place == "pre" else (nothing, n) for n in (norm_1, norm_2)]
    return step(step(x, attend, *norms[0]), forward, *norms[1])


@right("encoder_block")
def block_on_a_copy(x, attend, forward, norm_1, norm_2, place):
    stream = x.astype(np.float64)
    stream += attend(norm_1(stream)) if place == "pre" else attend(stream)
    if place == "post":
        stream = norm_1(stream)
    stream += forward(norm_2(stream)) if place == "pre" else forward(stream)
    return stream if place == "pre" else norm_2(stream)
