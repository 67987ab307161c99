"""Differently written right answers to the exercises of lesson 08."""

import math

import numpy as np

from attention_lab import functional, log_softmax
from attention_lab.losses import cross_entropy
from attention_lab.optimisers import warmup_cosine
from tests.teaching.exercises.right import right


@right("shift")
def shift_in_one_line(tokens):
    return tokens[..., :-1], tokens[..., 1:]


@right("shift")
def shift_by_delete(tokens):
    return np.delete(tokens, -1, axis=-1), np.delete(tokens, 0, axis=-1)


@right("shift")
def shift_by_roll(tokens):
    n = tokens.shape[-1] - 1
    return [tokens[..., :n].copy(), np.roll(tokens, -1, axis=-1)[..., :n].copy()]


@right("shift")
def shift_by_windows(tokens):
    pairs = np.lib.stride_tricks.sliding_window_view(tokens, 2, axis=-1)
    return pairs[..., 0], pairs[..., 1]


@right("shift")
def shift_by_take(tokens):
    at = np.arange(tokens.shape[-1] - 1)
    return np.take(tokens, at, axis=-1).tolist(), np.take(tokens, at + 1, axis=-1).tolist()


@right("cross_entropy")
def loss_of_the_package(logits, targets):
    return cross_entropy(logits, targets)


@right("cross_entropy")
def loss_by_loops(logits, targets):
    rows, picks = logits.reshape(-1, logits.shape[-1]).tolist(), targets.ravel().tolist()
    losses = []
    for row, pick in zip(rows, picks):
        top = max(row)
        losses.append(top + math.log(sum(math.exp(number - top) for number in row)) - row[pick])
    return sum(losses) / len(losses)


@right("cross_entropy")
def loss_by_logaddexp(logits, targets):
    total = np.logaddexp.reduce(logits, axis=-1)
    return np.mean(total - np.take_along_axis(logits, targets[..., None], -1)[..., 0])


@right("cross_entropy")
def loss_by_one_hot(logits, targets):
    one_hot = np.eye(logits.shape[-1])[targets]
    return -(one_hot * log_softmax(logits)).sum() / targets.size


@right("cross_entropy")
def loss_of_flat_rows(logits, targets):
    logs = log_softmax(logits).reshape(-1, logits.shape[-1])
    return -logs[np.arange(targets.size), targets.ravel()].mean()


@right("dropout")
def dropout_of_the_package(x, rate, rng):
    return functional.dropout(x, rate, rng)


@right("dropout")
def dropout_by_where(x, rate, rng=None):
    if rng is None:
        return x
    return np.where(rng.uniform(size=x.shape) > rate, x / (1 - rate), 0)


@right("dropout")
def dropout_by_coins(x, rate, rng):
    if rng is None or not rate:
        return x.copy()
    return rng.binomial(1, 1 - rate, x.shape) * x * (1 / (1 - rate))


@right("dropout")
def dropout_on_a_copy(x, rate, rng):
    out = x.astype(np.float32)
    if rng is not None:
        out[rng.random(x.shape, dtype=np.float32) < rate] = 0
        out /= 1 - rate
    return out


@right("dropout")
def dropout_by_places(x, rate, rng):
    if rng is None:
        return x.tolist()
    out = x.ravel() / (1 - rate)
    out[rng.choice(x.size, round(rate * x.size), replace=False)] = 0
    return out.reshape(x.shape)


@right("warmup_cosine")
def rate_by_branches(step, peak, warmup, total):
    if step < warmup:
        return peak * (step + 1) / (warmup + 1)
    if step > total:
        return 0
    return 0.5 * peak * (1 + np.cos(np.pi * (step - warmup) / (total - warmup)))


@right("warmup_cosine")
def rate_of_the_package(step, peak, warmup, total):
    return warmup_cosine(step, peak=peak, warmup=warmup, total=total)


@right("warmup_cosine")
def rate_by_interpolation(step, peak, warmup, total):
    rise = np.interp(step, [-1, warmup], [0, 1])
    return peak * rise * np.cos(np.pi / 2 * np.interp(step, [warmup, total], [0, 1])) ** 2


@right("warmup_cosine")
def rate_by_a_sine(step, peak, warmup, total):
    left = np.clip((total - step) / (total - warmup), 0, 1)
    return np.array(peak * np.sin(left * np.pi / 2) ** 2 * np.clip((step + 1) / (warmup + 1), 0, 1))


@right("adam_step")
def adam_with_named_rates(parameter, grad, m, v, step, lr, betas=(0.9, 0.999), eps=1e-8):
    m = betas[0] * m + (1 - betas[0]) * grad
    v = betas[1] * v + (1 - betas[1]) * grad**2
    mean, square = m / (1 - betas[0] ** step), v / (1 - betas[1] ** step)
    return parameter - lr * mean / (square**0.5 + eps), m, v


@right("adam_step")
def adam_on_copies(parameter, grad, m, v, step, lr):
    parameter, m, v = parameter.astype(float), m.astype(float), v.astype(float)
    m += 0.1 * (grad - m)
    v += 0.001 * (np.square(grad) - v)
    parameter -= lr * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return parameter, m, v


@right("adam_step")
def adam_with_one_corrected_rate(parameter, grad, m, v, step, lr):
    m, v = 0.9 * m + 0.1 * grad, 0.999 * v + 0.001 * grad * grad
    rate = lr * math.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    return [parameter - rate * m / (np.sqrt(v) + 1e-8), m, v]


@right("adam_step")
def adam_by_loops(parameter, grad, m, v, step, lr):
    out = np.zeros((3, *parameter.shape))
    for at in np.ndindex(parameter.shape):
        mean, square = 0.9 * m[at] + 0.1 * grad[at], 0.999 * v[at] + 0.001 * grad[at] ** 2
        root = math.sqrt(square / (1 - math.pow(0.999, step))) + 1e-8
        out[(slice(None), *at)] = parameter[at] - lr * mean / (1 - math.pow(0.9, step)) / root, mean, square
    return tuple(out)
