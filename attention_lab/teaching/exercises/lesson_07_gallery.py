"""Lesson 07: for its gallery, faults that no exercise asks for."""

import numpy as np


@np.errstate(invalid="ignore")
def faulty_mask_gradient(grad, scores, mask):
    scores = np.where(mask, scores, -np.inf)  # mask
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)  # normalise
    output = np.where(mask, weights, 0)  # (..., n_q, n_k): where nothing is seen, 0
    to_weights = np.where(mask, grad, 0)  # and back: what is hidden gets nothing
    to_scores = weights * (to_weights - (weights * to_weights).sum(axis=-1, keepdims=True))
    return output, to_scores


def faulty_accumulate(tape, seed):
    grads = {tape[-1][0]: seed}  # a tape: (result, inputs, backward), in the order of making
    for result, inputs, backward in reversed(tape):
        for name, grad in zip(inputs, backward(grads[result])):
            if name in grads:
                grads[name] += grad
            else:
                grads[name] = grad
    return grads
