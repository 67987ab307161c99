"""Lesson 08: train a model of one's own on a rule that only examples tell."""

import numpy as np

from attention_lab.layers import Embedding, Linear
from attention_lab.losses import cross_entropy
from attention_lab.multi_head import MultiHeadAttention
from attention_lab.optimisers import Adam
from attention_lab.positions import LearnedPositions
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.training import fit

WANTED = 0.95  # the share of unseen tokens that must be right


class Reverser:
    def __init__(self, n_tokens, n, rng):
        self.embedding, self.positions = Embedding(n_tokens, 16, rng=rng), LearnedPositions(n, 16, rng=rng)
        self.attention, self.to_logits = MultiHeadAttention(16, 1, rng=rng), Linear(16, n_tokens, rng=rng)

    def __call__(self, tokens):
        x, _ = self.attention(self.positions(self.embedding(tokens)))  # (batch, n, 16)
        return self.to_logits(x)  # (batch, n, n_tokens)

    def loss(self, inputs, targets):
        return cross_entropy(self(inputs), targets)


def train_reverse(inputs, targets, unseen):
    rng = np.random.default_rng(0)
    model = Reverser(inputs.max() + 1, inputs.shape[1], rng)
    picks = rng.integers(len(inputs), size=(200, 32))  # which examples each step reads
    batches = ((inputs[pick], targets[pick]) for pick in picks)  # score: what is read, what should come out
    fit(model, Reverser.loss, batches, steps=200, optimizer=Adam(model, lr=0.02))
    return model(unseen).argmax(-1)


# What wrong tokens tell -------------------------------------------------------------------------------------


def _answer(inputs, targets, unseen):
    """The right tokens: the names are read off the examples."""
    names = np.zeros(inputs.max() + 1, int)
    names[inputs[:, ::-1]] = targets
    return names[unseen[:, ::-1]]


def _share(got, wanted):
    """The share of equal tokens; 0 where there is not one whole number for each."""
    got = np.asarray(got)
    return (got == wanted).mean() if got.shape == wanted.shape and (got % 1 == 0).all() else 0.0


def _percent(got, args):
    return f"{_share(got, _answer(*args)):.0%}"


def _by_rule(got, args):
    return _share(got, args[2][:, ::-1]) > 0.9


def _copied(got, args):
    return _share(got, args[2]) > 0.9


def _turned_twice(got, args):
    return _share(got, _answer(*args)[:, ::-1]) > 0.9


def _scores(got, args):
    return np.ndim(got) == 3 and np.shape(got)[:2] == args[2].shape


def _one_token(got, args):
    return np.shape(got) == args[2].shape and np.ptp(got) == 0


def _by_heart(got, args):
    known = set(map(bytes, args[1].astype(int)))
    return np.shape(got) == args[2].shape and all(bytes(row) in known for row in np.asarray(got).astype(int))


def _guessed(got, args):
    share = _share(got, _answer(*args))
    return 0 < share < 2 / (args[0].max() + 1)


# Known faults: told by what they show, since no two trained models give the same numbers ----------------------


@diagnosed(
    "You return `unseen` turned round: you wrote the rule down, in your answer or in the targets of your loss. The "
    "examples of the second case follow another one: learn it from them, with `targets` in the loss.",
    when=_by_rule,
)
def faulty_train_reverse_by_rule(inputs, targets, unseen):
    return unseen[:, ::-1]


@diagnosed(
    "Your model copies: it returns `unseen` as it came, so in its loss the inputs are their own targets. "
    "Take the loss between its logits and `targets`.",
    when=_copied,
)
def faulty_train_reverse_copies(inputs, targets, unseen):
    model = _begun(inputs)
    picks = np.random.default_rng(1).integers(len(inputs), size=(60, 32))
    batches = ((inputs[pick], inputs[pick]) for pick in picks)  # score: what is read, what should come out
    fit(model, Reverser.loss, batches, steps=60, optimizer=Adam(model, lr=0.02))
    return model(unseen).argmax(-1)


@diagnosed(
    "Each token is right, but stands at the other end: something is turned round once too often. `targets` are turned "
    "already: take them as they come, in the loss and in the answer.",
    when=_turned_twice,
)
def faulty_train_reverse_turned_twice(inputs, targets, unseen):
    model = _begun(inputs)
    picks = np.random.default_rng(1).integers(len(inputs), size=(60, 32))
    batches = ((inputs[pick], targets[pick, ::-1]) for pick in picks)
    fit(model, Reverser.loss, batches, steps=60, optimizer=Adam(model, lr=0.02))
    return model(unseen).argmax(-1)


@diagnosed(
    "You return a score for each possible token: the last axis is one too many. "
    "The answer is the token with the largest score, `logits.argmax(-1)`.",
    when=_scores,
)
def faulty_train_reverse_scores(inputs, targets, unseen):
    return _begun(inputs)(unseen)


@diagnosed(
    lambda got, args: (
        f"You return one token for all, {np.ravel(got)[0]:g}, and {_percent(got, args)} are right: the model knows no "
        "more than which token comes most often. Does its answer depend on `unseen`? If it does, lower the learning "
        "rate: too large a step can end there."
    ),
    when=_one_token,
)
def faulty_train_reverse_one_token(inputs, targets, unseen):
    return np.full_like(unseen, np.bincount(targets.ravel()).argmax())


@diagnosed(
    lambda got, args: (
        f"{_percent(got, args)} of the unseen tokens are right. Every row that you return is the target of some "
        "example: you look up what you know by heart, and no unseen sequence is among the examples. Train a model with "
        "positions: it learns where a token comes from and what it is called, and that holds for new sequences too."
    ),
    when=_by_heart,
)
def faulty_train_reverse_by_heart(inputs, targets, unseen):
    nearest = [(inputs == row).sum(axis=1).argmax() for row in unseen]
    return targets[nearest]


@diagnosed(
    lambda got, args: (
        f"{_percent(got, args)} of the unseen tokens are right, and guessing gives {1 / (args[0].max() + 1):.0%}: "
        "nothing was learned. Is the model trained before it answers, the same one? Does its loss fall? Do inputs and "
        "targets stay pairs when you draw a batch?"
    ),
    when=_guessed,
)
def faulty_train_reverse_untrained(inputs, targets, unseen):
    return _begun(inputs)(unseen).argmax(-1)


def _begun(inputs):
    return Reverser(inputs.max() + 1, inputs.shape[1], np.random.default_rng(0))


def _enough(predicted, inputs, targets, unseen):
    """A sentence where too few unseen tokens are right."""
    if (predicted % 1 != 0).any():
        return "`predicted` holds fractions, but a token is a name. Give each token a score, then take `argmax(-1)`."
    share = _share(predicted, _answer(inputs, targets, unseen))
    if share >= WANTED:
        return None
    return (
        f"{share:.0%} of the {unseen.size:,} unseen tokens are right, and {WANTED:.0%} are asked for. Print the loss "
        "of the last steps. Far above 0: train longer, or with a larger learning rate (0.01), and see that the model "
        "knows positions. Near 0: it knows the examples by heart, so take all of them, or a smaller model."
    )


def _examples(n, names, seed):
    """Sequences of n tokens, no two alike, and what becomes of them: turned round, each token under its new name."""
    rng, n_tokens = np.random.default_rng(seed), len(names)
    numbers = rng.choice(n_tokens**n, size=997 + 199, replace=False)
    sequences = numbers[:, None] // n_tokens ** np.arange(n) % n_tokens  # the digits of each number
    return sequences[:997], np.array(names)[sequences[:997, ::-1]], sequences[997:]


EXERCISES = [
    Exercise(
        task="Write train_reverse(inputs, targets, unseen): train a model of your own on the examples, inputs (batch, "
        "n) with targets (batch, n), and return its tokens for unseen (m, n). 95 % must be right, in 30 seconds.",
        reference=train_reverse,
        cases=[_examples(7, range(10), seed=1), _examples(5, (3, 6, 0, 7, 1, 4, 2, 5), seed=2)],
        faults=[
            faulty_train_reverse_by_rule,
            faulty_train_reverse_copies,
            faulty_train_reverse_turned_twice,
            faulty_train_reverse_scores,
            faulty_train_reverse_one_token,
            faulty_train_reverse_by_heart,
            faulty_train_reverse_untrained,
        ],
        hints=(
            "The lesson has all the parts: a model with positions and attention, a loss, batches, `fit`. What must "
            "the loss compare, if only the examples tell the rule?",
            "`cross_entropy(model(x), y)`, where x and y are the same rows of `inputs` and `targets`. Sizes come from "
            "the arguments: n is `inputs.shape[1]`, and there are `inputs.max() + 1` tokens.",
            "Draw 32 rows for each of 300 steps, `rng.integers(len(inputs), size=32)`, train with "
            "`Adam(model, lr=0.01)`, then return `model(unseen).argmax(-1)`.",
        ),
        key="# score",
        distractor=faulty_train_reverse_copies,
        learned="your model learned both rules from examples alone, and they hold on sequences it has never seen.",
        returns=("predicted",),
        properties=_enough,
        compares=False,
        answer=_answer,
        parts=(Reverser,),
        limit=30.0,
    ),
]
