"""Differently written right answers to the exercises of lesson 07."""

import math

import numpy as np

import attention_lab
from attention_lab import Tensor, functional, softmax
from tests.teaching.exercises.right import right


@right("softmax_backward")
def softmax_back_in_one_line(grad, weights):
    return weights * (grad - np.sum(weights * grad, -1, keepdims=True))


@right("softmax_backward")
def softmax_back_by_jacobians(grad, weights):
    diagonal = np.eye(weights.shape[-1]) * weights[..., None]
    jacobian = diagonal - weights[..., :, None] * weights[..., None, :]
    return np.einsum("...i,...ij->...j", grad, jacobian)


@right("softmax_backward")
def softmax_back_by_loops(grad, weights):
    out = np.zeros(weights.shape)
    for at in np.ndindex(*weights.shape[:-1]):
        w, g = weights[at], grad[at]
        for i in range(len(w)):
            for j in range(len(w)):
                out[at][j] += g[i] * w[i] * ((i == j) - w[j])
    return out


@right("softmax_backward")
def softmax_back_by_the_tape(grad, weights):
    with np.errstate(divide="ignore"):
        scores = Tensor(np.log(weights))
    softmax(scores).backward(grad)
    return scores.grad


@right("softmax_backward")
def softmax_back_in_place(grad, weights):
    out = weights * grad
    out -= weights * out.sum(axis=-1)[..., np.newaxis]
    return out.tolist()


@right("attention_backward")
def attention_back_by_einsum(grad, query, key, value, weights):
    to_weights = np.einsum("...qv,...kv->...qk", grad, value)
    mean = np.einsum("...qk,...qk->...q", weights, to_weights)
    to_scores = weights * (to_weights - mean[..., None]) * query.shape[-1] ** -0.5
    to_query = np.einsum("...qk,...kd->...qd", to_scores, key)
    return to_query, np.einsum("...qk,...qd->...kd", to_scores, query), np.einsum("...qk,...qv->...kv", weights, grad)


@right("attention_backward")
def attention_back_by_the_output(grad, query, key, value, weights):
    output = weights @ value
    to_scores = grad @ value.swapaxes(-1, -2) - (grad * output).sum(-1, keepdims=True)
    to_scores *= weights
    query, key = query / math.sqrt(query.shape[-1]), key / math.sqrt(key.shape[-1])
    return to_scores @ key, to_scores.swapaxes(-1, -2) @ query, weights.swapaxes(-1, -2) @ grad


@right("attention_backward")
def attention_back_by_loops(grad, query, key, value, weights):
    to_query, to_key, to_value = np.zeros(query.shape), np.zeros(key.shape), np.zeros(value.shape)
    for at in np.ndindex(*weights.shape[:-1]):
        lead, q = at[:-1], at[-1]
        mean = sum(weights[at][k] * (grad[at] @ value[lead][k]) for k in range(key.shape[-2]))
        for k in range(key.shape[-2]):
            slope = weights[at][k] * (grad[at] @ value[lead][k] - mean) / math.sqrt(query.shape[-1])
            to_query[at] += slope * key[lead][k]
            to_key[lead][k] += slope * query[lead][q]
            to_value[lead][k] += weights[at][k] * grad[at]
    return to_query, to_key, to_value


@right("attention_backward")
def attention_back_by_the_tape(grad, query, key, value, weights):
    tensors = [Tensor(array) for array in (query, key, value)]
    attention_lab.scaled_dot_product_attention(*tensors, mask=weights > 0)[0].backward(grad)
    return [tensor.grad for tensor in tensors]


@right("attention_backward")
def attention_back_of_moved_axes(grad, query, key, value, weights):
    def turned(x):
        return np.moveaxis(x, -1, -2)

    to_scores = softmax_back_by_jacobians(turned(value @ turned(grad)), weights) / np.sqrt(key.shape[-1])
    return to_scores @ key, turned(turned(query) @ to_scores), turned(turned(grad) @ weights)


@right("layer_norm_backward")
def norm_back_by_sums(grad, normed, root, gain):
    pull, d = grad * gain, len(gain)
    along = (pull * normed).sum(-1, keepdims=True)
    return (d * pull - pull.sum(-1, keepdims=True) - normed * along) / (d * root)


@right("layer_norm_backward")
def norm_back_by_jacobians(grad, normed, root, gain):
    d = len(gain)
    jacobian = np.eye(d) - 1 / d - normed[..., :, None] * normed[..., None, :] / d
    return (jacobian @ (grad * gain)[..., None])[..., 0] / root


@right("layer_norm_backward")
def norm_back_by_the_tape(grad, normed, root, gain):
    x = Tensor(normed * root)
    functional.layer_norm(x, gain, np.zeros_like(gain)).backward(grad)
    return x.grad


@right("layer_norm_backward")
def norm_back_by_loops(grad, normed, root, gain):
    out = np.empty(grad.shape)
    for at in np.ndindex(*grad.shape[:-1]):
        pull = [g * w for g, w in zip(grad[at], gain)]
        shift = sum(pull) / len(pull)
        along = sum(p * n for p, n in zip(pull, normed[at])) / len(pull)
        out[at] = [(p - shift - n * along) / root[at][0] for p, n in zip(pull, normed[at])]
    return out


@right("layer_norm_backward")
def norm_back_in_place(grad, normed, root, gain):
    out = grad * gain
    along = np.einsum("...d,...d->...", out, normed)[..., None] / out.shape[-1]
    out -= out.mean(axis=-1, keepdims=True)
    out -= normed * along
    out /= root
    return out


@right("numeric_gradient")
def slopes_by_loops(f, x):
    x, gradient, h = np.array(x, dtype=float), np.zeros(x.shape), 1e-6
    for at in np.ndindex(x.shape):
        old = x[at]
        x[at] = old + h
        above = f(x)
        x[at] = old - h
        gradient[at] = (above - f(x)) / (2 * h)
        x[at] = old
    return gradient


@right("numeric_gradient")
def slopes_of_a_flat_copy(f, x, h=1e-4):
    flat, out = x.astype(float).ravel(), []
    for i in range(flat.size):
        up, down = flat.copy(), flat.copy()
        up[i], down[i] = up[i] + h, down[i] - h
        out.append((f(up.reshape(x.shape)) - f(down.reshape(x.shape))) / (up[i] - down[i]))
    return np.array(out).reshape(x.shape).tolist()


@right("numeric_gradient")
def slopes_of_both_sides_apart(f, x):
    h, gradient = 1e-5, np.empty(x.shape)
    for at, _ in np.ndenumerate(x):
        step = np.zeros(x.shape)
        step[at] = h
        forward, backward = (f(x + step) - f(x)) / h, (f(x) - f(x - step)) / h
        gradient[at] = (forward + backward) / 2
    return gradient


@right("numeric_gradient")
def slopes_of_four_points(f, x):
    def slope(step, h=1e-3):
        return (8 * (f(x + h * step) - f(x - h * step)) - f(x + 2 * h * step) + f(x - 2 * h * step)) / (12 * h)

    return np.array([slope(step.reshape(x.shape)) for step in np.identity(x.size)]).reshape(x.shape)
