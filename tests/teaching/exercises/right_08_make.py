"""Differently written answers to train_reverse, from the model of the lesson to a matrix that is solved for."""

import math

import numpy as np

import attention_lab as lab
from attention_lab.losses import cross_entropy
from tests.teaching.exercises.right import right


class OfTheLesson:
    """Ten tokens and eight places, whatever comes."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.embedding, self.positions = lab.Embedding(10, 16, rng=rng), lab.LearnedPositions(8, 16, rng=rng)
        self.block = lab.EncoderBlock(16, 1, 64, rng=rng)
        self.norm, self.to_logits = lab.LayerNorm(16), lab.Linear(16, 10, rng=rng)

    def __call__(self, tokens):
        x, weights = self.block(self.positions(self.embedding(tokens)))
        return self.to_logits(self.norm(x)), weights


@right("train_reverse")
def trained_as_in_the_lesson(inputs, targets, unseen):
    def loss(model, x, y):
        logits, _ = model(x)
        return cross_entropy(logits, y)

    def batch(step):
        pick = np.random.default_rng(step).integers(len(inputs), size=32)
        return inputs[pick], targets[pick]

    model = OfTheLesson()
    lab.fit(model, loss, batch, steps=300, optimizer=lab.Adam(model, lr=0.01))
    return model(unseen)[0].argmax(-1)


@right("train_reverse")
def trained_with_sines_and_two_heads(inputs, targets, unseen):
    rng = np.random.default_rng()  # another model each time
    classes = int(inputs.max()) + 1
    layers = [lab.Embedding(classes, 32, rng=rng), lab.MultiHeadAttention(32, 2, rng=rng), lab.Linear(32, classes)]
    places = lab.positional_encoding(inputs.shape[1], 32, dtype=np.float32)

    def logits(model, tokens):
        embed, attend, out = model
        return out(attend(embed(tokens) * math.sqrt(32) + places)[0])

    order = [rng.permutation(len(inputs)) for _ in range(10)]
    batches = [(inputs[at], targets[at]) for rows in order for at in np.array_split(rows, 31)]
    about = {"steps": len(batches), "optimizer": lab.Adam(layers, lr=0.01), "clip": 1.0}
    lab.fit(layers, lambda model, x, y: cross_entropy(logits(model, x), y), batches, **about)
    return logits(layers, unseen).argmax(-1).tolist()


@right("train_reverse")
def trained_by_a_loop_of_ones_own(inputs, targets, unseen):
    """Adam written out, on all examples in their order; no shuffling."""
    rng, parts = np.random.default_rng(3), {}
    classes, n = inputs.max() + 1, inputs.shape[1]
    parts["embedding"], parts["positions"] = lab.Embedding(classes, 16, rng=rng), lab.LearnedPositions(n, 16, rng=rng)
    parts["attention"], parts["out"] = lab.MultiHeadAttention(16, 1, rng=rng), lab.Linear(16, classes, rng=rng)
    model = type("Model", (), {})()
    vars(model).update(parts)

    def logits(model, tokens):
        x = model.embedding(tokens)
        placed = model.positions(x)
        return model.out(model.attention(placed, placed, x)[0])

    gradients_of = lab.value_and_grad(lambda model, x, y: cross_entropy(logits(model, x), y))
    m, v = ({name: np.zeros_like(array) for name, array in lab.parameters(model).items()} for _ in "mv")
    for step in range(1, 251):
        at = slice(32 * step % 960, 32 * step % 960 + 32)
        _, gradients = gradients_of(model, inputs[at], targets[at])
        for name, array in lab.parameters(model).items():
            m[name] = 0.9 * m[name] + 0.1 * gradients[name]
            v[name] = 0.999 * v[name] + 0.001 * gradients[name] ** 2
            array -= 0.02 * m[name] / (1 - 0.9**step) / (np.sqrt(v[name] / (1 - 0.999**step)) + 1e-8)
    return logits(model, unseen).argmax(axis=-1).astype(float)


def one_hot(tokens, classes):
    return np.eye(classes)[tokens].reshape(len(tokens), -1)


@right("train_reverse")
def softmax_regression(inputs, targets, unseen):
    """No attention: which token stands where decides, and that is a matrix."""
    classes, n = inputs.max() + 1, inputs.shape[1]
    x, wanted = one_hot(inputs, classes), np.eye(classes)[targets]
    W = np.zeros((n * classes, n * classes))
    for _ in range(100):
        weights = lab.softmax((x @ W).reshape(wanted.shape))
        W += 20 * x.T @ (weights * -1 + wanted).reshape(len(x), -1) / len(x)
    return (one_hot(unseen, classes) @ W).reshape(*unseen.shape, classes).argmax(-1)


@right("train_reverse")
def least_squares(inputs, targets, unseen):
    classes = inputs.max() + 1
    W, *_ = np.linalg.lstsq(one_hot(inputs, classes), one_hot(targets, classes), rcond=None)
    return (one_hot(unseen, classes) @ W).reshape(*unseen.shape, classes).argmax(-1)
