"""Questions of lesson 07: what comes back through softmax, a mask and a norm, and how the tape adds it up."""

import numpy as np

from attention_lab import Tensor, softmax
from attention_lab.functional import layer_norm
from attention_lab.operations import exp, where
from attention_lab.teaching.questions.question import question


@question(
    "saturated-softmax",
    lesson="07",
    source="M22 Q85",
    text="The scores [2, 1, 0, −1] are multiplied by 16 and go through softmax. A gradient comes back through both. "
    "Compared with no multiplication, what arrives at the scores?",
    options={
        "16 times as much": "The factor 16 does come back as a factor 16. But before that the gradient passes softmax, "
        "and there next to nothing is left: each p (1 − p) is below 0.0000002.",
        "about as much": "Dividing by the sum undoes a factor of the exponentials, but not one of the scores: those "
        "weights are [1, 0, 0, 0] to six digits, and no small change of a score moves them.",
        "next to nothing": "About a hundred-thousandth, although it is multiplied by 16 on the way. A saturated "
        "softmax passes on almost no gradient: it stops learning.",
    },
)
def saturated_softmax():
    lengths = []
    for factor in (1, 16):
        scores = Tensor(np.tile([2.0, 1.0, 0.0, -1.0], (4, 1)))
        softmax(factor * scores).backward(np.eye(4))  # one row of the Jacobian each
        lengths.append(np.linalg.norm(scores.grad))
    ratio = lengths[1] / lengths[0]
    if ratio < 0.001:
        return "next to nothing"
    return "about as much" if 0.5 < ratio < 2 else "16 times as much"


@question(
    "whole-jacobian",
    lesson="07",
    source="Q84",
    text="The scores [0, 0] give the weights p = [0.5, 0.5]. The loss is −ln p₂, whose gradient by p is [0, −2]. "
    "What is its gradient by the scores?",
    options={
        "[0, −0.5]": "This is p (1 − p) times [0, −2], the diagonal of the Jacobian alone. But raising the first score "
        "lowers p₂ as well, and those entries stand beside the diagonal.",
        "[0.5, −0.5]": "The whole Jacobian, diag(p) − p pᵀ, times [0, −2]. It is p − t, with t = [0, 1] for the right "
        "answer: the short form that is known for softmax and log together.",
        "[−0.5, 0.5]": "This is t − p, the way to go. A gradient points to where the number grows, so it has the "
        "other sign: p − t.",
    },
)
def whole_jacobian():
    scores = Tensor(np.zeros(2))
    softmax(scores).backward([0, -2])
    return "[" + ", ".join(f"{number:g}" for number in scores.grad).replace("-", "−") + "]"


@question(
    "masked-row-gradient",
    lesson="07",
    source="Q86",
    text="One query of four may see no key. Its weights, 0/0, are NaN; after the division they are replaced by 0, and "
    "the output is finite. Where are the gradients of queries and keys NaN?",
    options={
        "nowhere, all are finite": "What goes forward well should go back well. But the way back passes the division "
        "too: it multiplies a gradient of 0 by 1/0, and that is NaN.",
        "in that query alone": "The NaN does start in its row. But a key's gradient is a sum over all queries, and one "
        "NaN in a sum is enough.",
        "in it and in every key": "0 · 1/0 = NaN on the way back, and each key adds it in; soon every parameter "
        "is NaN. Mend it before the division: divide by 1 where the sum is 0.",
    },
)
def masked_row_gradient():
    rng = np.random.default_rng(0)
    query, key, visible = Tensor(rng.normal(size=(4, 8))), Tensor(rng.normal(size=(6, 8))), np.ones((4, 6))
    visible[2] = 0
    with np.errstate(invalid="ignore", divide="ignore"):
        positive = exp(query @ key.T) * visible
        weights = positive / positive.sum(-1, keepdims=True)
        where(np.isnan(weights.data), 0, weights).backward(rng.normal(size=(4, 6)))
    queries, keys = (np.flatnonzero(np.isnan(x.grad).all(-1)).tolist() for x in (query, key))
    names = {0: "nowhere, all are finite", 1: "in that query alone", 7: "in it and in every key"}
    return names[len(queries + keys)]


@question(
    "backward-twice",
    lesson="07",
    source="Q87",
    text="`x = Tensor(3.0)`, `y = x * x`. Then `y.backward()` is called twice. What is `x.grad`?",
    options={
        "6": "This is the gradient, and what one call gives. A second call does not write over it: `.grad` collects, "
        "so that what comes along several ways adds up.",
        "12": "6 and 6: `.grad` collects, by design. Start anew with a new Tensor; `value_and_grad` does so at each "
        "call, and nothing is left over from the last.",
        "2": "This is the second derivative. But the second call is no derivative of the first; it pulls the same 1 "
        "back through the same tape.",
    },
)
def backward_twice():
    x = Tensor(3.0)
    y = x * x
    y.backward()
    y.backward()
    return f"{float(x.grad):g}"


@question(
    "used-twice",
    lesson="07",
    source="lesson",
    text="`x = Tensor(3.0)`, `y = x * x + 5 * x`. After one `y.backward()`, what is `x.grad`?",
    options={
        "5": "That is what comes back from `5 * x`. If the last one to arrive wrote over the others, 6 would be lost, "
        "which came from `x * x`.",
        "11": "6 from `x * x` and 5 from `5 * x`. Whoever moves x moves y in both ways at once, so gradients of one "
        "tensor add.",
        "30": "6 times 5. Along one way, from operation to operation, gradients do multiply; two ways side by side "
        "add.",
    },
)
def used_twice():
    x = Tensor(3.0)
    (x * x + 5 * x).backward()
    return f"{float(x.grad):g}"


@question(
    "rows-of-jacobian",
    lesson="07",
    source="lesson",
    text="Row i of softmax's Jacobian says how weight i, p_i, changes with each score. What is the sum of this row?",
    options={
        "0": "The sum says what happens when all scores rise together: nothing, as a constant added to all scores "
        "cancels. So no gradient can push all scores the same way.",
        "1": "The weights sum to 1, whatever the scores. For that very reason their changes must cancel; a sum of 1 "
        "would let a weight grow with a constant.",
        "p_i (1 − p_i)": "This is one entry, that of its own score. The others are −p_i p_j, and together they take "
        "away as much as it gives.",
    },
)
def rows_of_jacobian():
    row = np.random.default_rng(0).normal(size=5)
    scores = Tensor(np.tile(row, (5, 1)))
    softmax(scores).backward(np.eye(5))
    sums, p = scores.grad.sum(-1), softmax(row)
    right = {"0": 0, "1": 1, "p_i (1 − p_i)": p * (1 - p)}
    return next(name for name, expected in right.items() if np.allclose(sums, expected))


@question(
    "because-softmax_backward",
    lesson="07",
    source="exercise",
    text="For one row `softmax_backward` returns `weights * (grad - (weights * grad).sum())`. The sum is "
    "subtracted because …",
    options={
        "each score is in every divisor": "Raise one score, and the sum below every weight grows: all other weights "
        "fall. The subtracted term is that; `weights * grad` alone leaves it out.",
        "the result must sum to 1": "It is the weights that sum to 1. The gradient by the scores sums to 0, since "
        "raising all scores together changes nothing.",
        "exp would overflow otherwise": "That is the largest score, which the forward subtracts. On the way back there "
        "is no exp: weights are at most 1, and `weights * grad` stays finite.",
    },
)
def because_softmax_backward():
    rng = np.random.default_rng(0)
    row, grad = rng.normal(size=5), rng.normal(size=5)
    scores = Tensor(row)
    softmax(scores).backward(grad)
    if np.isclose(scores.grad.sum(), 1):
        return "the result must sum to 1"
    if not np.isfinite(softmax(1000 * row) * grad).all():
        return "exp would overflow otherwise"
    p, raised = softmax(row), softmax(row + 0.001 * np.eye(5)[2])
    others_fall = (np.delete(raised - p, 2) < 0).all()
    with_sum, without = (np.allclose(scores.grad, p * (grad - taken)) for taken in ((p * grad).sum(), 0))
    return "each score is in every divisor" if others_fall and with_sum and not without else "no reason at all"


@question(
    "because-layer_norm_backward",
    lesson="07",
    source="exercise",
    text="For one row and gain 1 `layer_norm_backward` returns "
    "`(grad - grad.mean() - normed * (grad * normed).mean()) / root`. "
    "Two means are subtracted because …",
    options={
        "two ways to move x change nothing": "Add a constant to x, or stretch it about its mean: the norm undoes both. "
        "So the gradient has no share along the ones and none along `normed`.",
        "the gradient is normed as well": "Its mean does become 0, which looks like a norm. Its size does not become "
        "1: ten times the incoming gradient is ten times the result.",
        "gain and bias are two parameters": "They have gradients of their own, `grad * normed` and `grad`, summed over "
        "the tokens. Without gain and bias the two means stay.",
    },
)
def because_layer_norm_backward():
    rng = np.random.default_rng(0)
    row, grad, gain, bias = rng.normal(2, 3, size=16), rng.normal(size=16), np.ones(16), np.zeros(16)
    back = []
    for factor in (1, 10):
        x = Tensor(row)
        layer_norm(x, gain, bias, eps=0).backward(factor * grad)
        back.append(x.grad)
    if np.isclose(back[1].std(), back[0].std()):
        return "the gradient is normed as well"
    normed = layer_norm(row, gain, bias, eps=0)
    unmoved = [np.allclose(layer_norm(moved, gain, bias, eps=0), normed) for moved in (row + 1, 2 * row)]
    no_share = np.allclose([back[0].sum(), back[0] @ normed], 0)
    return "two ways to move x change nothing" if all(unmoved) and no_share else "gain and bias are two parameters"
