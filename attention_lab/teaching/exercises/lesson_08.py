"""Lesson 08: what a model learns from, the next token and how much it surprises."""

import numpy as np

from attention_lab.attention import log_softmax, softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def shift(tokens):
    inputs = tokens[..., :-1]  # what the model reads: nothing follows the last token
    targets = tokens[..., 1:]  # score: what each input is to be followed by
    return inputs, targets


def cross_entropy(logits, targets):
    shifted = logits - logits.max(axis=-1, keepdims=True)  # the largest becomes 0: exp cannot overflow
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))  # normalise
    surprise = -np.take_along_axis(logs, targets[..., None], axis=-1)  # score: the right class alone, (..., 1)
    return surprise.mean()


# shift -----------------------------------------------------------------------------------------------------


@diagnosed(
    "Nothing is shifted: each input is its own target, so a model that copies has a loss of 0 and knows no language. "
    "Targets begin one token later: `tokens[..., 1:]`."
)
def faulty_shift_not(tokens):
    inputs = tokens[..., :-1]
    targets = tokens[..., :-1]  # score: what each input is to be followed by
    return inputs, targets


@diagnosed(
    "Nothing is shifted: all tokens are inputs, and the same tokens are targets. "
    "Inputs end one token sooner, `tokens[..., :-1]`, and targets begin one later, `tokens[..., 1:]`."
)
def faulty_shift_all(tokens):
    return tokens, tokens


@diagnosed(
    "You shift the wrong way: each target is the token before its input, which the model has read already. "
    "Inputs are `tokens[..., :-1]`, targets `tokens[..., 1:]`."
)
def faulty_shift_backwards(tokens):
    return tokens[..., 1:], tokens[..., :-1]


@diagnosed(
    "`np.roll` wraps round: the last input is to be followed by the first token of the sentence. "
    "Nothing follows the last token: leave it out of the inputs, `tokens[..., :-1]`, and take `tokens[..., 1:]`."
)
def faulty_shift_rolls(tokens):
    return tokens, np.roll(tokens, -1, axis=-1)


@diagnosed(
    "You drop a token on one side only, so there is one input more than there are targets. "
    "The last token has no target: inputs are `tokens[..., :-1]`."
)
def faulty_shift_one_side(tokens):
    return tokens, tokens[..., 1:]


@diagnosed(
    "All tokens are targets, and the first of them follows nothing. Targets begin one token later: `tokens[..., 1:]`."
)
def faulty_shift_other_side(tokens):
    return tokens[..., :-1], tokens


@diagnosed(
    "You shift by two, so the token between is never learned. One step is enough: `tokens[..., :-1]` and "
    "`tokens[..., 1:]`."
)
def faulty_shift_by_two(tokens):
    return tokens[..., :-2], tokens[..., 2:]


@diagnosed(
    "You cut the first axis, which holds the sentences of a batch: one sentence is lost, and each is to be followed by "
    "another. Tokens are the last axis: `tokens[..., :-1]`, `tokens[..., 1:]`."
)
def faulty_shift_sentences(tokens):
    return tokens[:-1], tokens[1:]


# cross_entropy ---------------------------------------------------------------------------------------------


@diagnosed(
    "You take the logarithm of a weight that has underflowed to 0, and one such row makes the loss infinite. "
    "Stay with logarithms: `shifted - np.log(sum of np.exp(shifted))` never computes the tiny weight."
)
def faulty_cross_entropy_log_of_softmax(logits, targets):
    return -np.take_along_axis(np.log(softmax(logits)), targets[..., None], axis=-1).mean()


@diagnosed(
    "The small number inside the logarithm puts a floor below it: no mistake costs more than 21 nats, and the worst "
    "ones have no gradient. Leave it out, and stay with logarithms: log softmax is exact."
)
def faulty_cross_entropy_floor(logits, targets):
    return -np.take_along_axis(np.log(softmax(logits) + 1e-9), targets[..., None], axis=-1).mean()


@diagnosed(
    "`exp` overflows for large logits. Subtract each row's largest first, `logits.max(axis=-1, keepdims=True)`: a "
    "constant cancels, and the loss stays as it is."
)
def faulty_cross_entropy_no_shift(logits, targets):
    logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(logs, targets[..., None], axis=-1).mean()


@diagnosed(
    "You sum where the mean belongs, so a longer batch has a larger loss and larger gradients. "
    "Take the mean over all positions: `.mean()`."
)
def faulty_cross_entropy_sum(logits, targets):
    return cross_entropy(logits, targets) * targets.size


@diagnosed("You return one loss for each position. A gradient needs one number: take their mean, `.mean()`.")
def faulty_cross_entropy_no_mean(logits, targets):
    return -np.take_along_axis(log_softmax(logits), targets[..., None], axis=-1)[..., 0]


@diagnosed(
    "You sum over the classes of a one-hot table and take the mean over all its cells, zeros included: too small by "
    "the number of classes. Pick the right class first, then take the mean over positions."
)
def faulty_cross_entropy_mean_of_all(logits, targets):
    return cross_entropy(logits, targets) / logits.shape[-1]


@diagnosed(
    "You divide by the number of sentences, not of positions: longer sentences have a larger loss. "
    "Take the mean over all positions: `.mean()`."
)
def faulty_cross_entropy_by_sentence(logits, targets):
    return cross_entropy(logits, targets) * targets.size / len(targets)


@diagnosed(
    "The softmax goes over positions: a model would win by being sure in one place. "
    "At each position the classes compete, the last axis: `axis=-1`."
)
def faulty_cross_entropy_over_positions(logits, targets):
    return -np.take_along_axis(log_softmax(logits, axis=0), targets[..., None], axis=-1).mean()


@diagnosed(
    "`logs[..., targets]` takes, at each position, the classes of all positions. Each has one right class: "
    "`np.take_along_axis(logs, targets[..., None], axis=-1)`."
)
def faulty_cross_entropy_all_pairs(logits, targets):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    surprise = -logs[..., targets]  # score: the right class alone, (..., 1)
    return surprise.mean()


@diagnosed(
    "`np.arange(len(targets))` counts the first axis alone, so a batch of sentences does not fit. "
    "`np.take_along_axis(logs, targets[..., None], axis=-1)` takes any number of axes."
)
def faulty_cross_entropy_one_sentence(logits, targets):
    return -log_softmax(logits)[np.arange(len(targets)), targets].mean()


@diagnosed(
    "Softmax is taken twice: `logits` become weights, and those go through a softmax again, so the loss can never come "
    "near 0. Take the logarithm of one softmax of the logits."
)
def faulty_cross_entropy_softmax_twice(logits, targets):
    return cross_entropy(softmax(logits), targets)


@diagnosed(
    "The softmax is missing: you take the logits themselves for logarithms of weights, and a model would win by making "
    "all of them large. Subtract `np.log(np.exp(shifted).sum(axis=-1, keepdims=True))`."
)
def faulty_cross_entropy_no_softmax(logits, targets):
    return -np.take_along_axis(logits, targets[..., None], axis=-1).mean()


@diagnosed(
    "The logarithm is missing: you return 1 − the weight, or minus the weight, of the right class. The loss is minus "
    "its logarithm, which grows without end as the weight goes to 0."
)
def faulty_cross_entropy_no_log(logits, targets):
    return -np.take_along_axis(softmax(logits), targets[..., None], axis=-1).mean()


@diagnosed(
    "The sign is turned round: the logarithm of a weight is at most 0, a loss at least 0. Put a minus before it."
)
def faulty_cross_entropy_sign(logits, targets):
    return -cross_entropy(logits, targets)


@diagnosed(
    "You use the logarithm to base 2, which counts bits. The course counts nats: use `np.log`, the inverse of `np.exp`."
)
def faulty_cross_entropy_bits(logits, targets):
    return cross_entropy(logits, targets) / np.log(2)


def _loss_cases():
    rng = np.random.default_rng(11)

    def draw(*shape, scale=1.0):
        return scale * rng.normal(size=shape), rng.integers(0, shape[-1], size=shape[:-1])

    logits, targets = draw(7, 3)
    return [
        draw(5, 7),
        draw(2, 3, 5, scale=3),
        (logits.astype(np.float32), targets),
        (np.array([[0.0, -1e4, 3.0], [2.0, 1.0, -1e3]]), np.array([1, 2])),  # weights that underflow
        (np.array([[1e4, 9999.0, 0.0], [9997.0, 0.0, 1e4]]), np.array([1, 0])),  # an `exp` that would overflow
        draw(2, 5, 3, 11),
    ]


def _token_cases():
    rng = np.random.default_rng(12)
    return [(rng.permutation(19)[:size].reshape(shape),) for size, shape in ((5, (5,)), (14, (2, 7)), (2, (2,)))] + [
        (rng.integers(0, 97, size=(2, 3, 11)),)
    ]


# As the gallery calls it: the name tells what is wrong.
faulty_shift = faulty_shift_not

EXERCISES = [
    Exercise(
        task="Write shift(tokens) -> (inputs, targets): each input (last axis) has as its target the token after it.",
        reference=shift,
        cases=_token_cases(),
        faults=[
            faulty_shift_not,
            faulty_shift_all,
            faulty_shift_backwards,
            faulty_shift_rolls,
            faulty_shift_one_side,
            faulty_shift_other_side,
            faulty_shift_by_two,
            faulty_shift_sentences,
        ],
        hints=(
            "Write the tokens of a short sentence below each other, shifted by one. Which has no partner?",
            "The last token has no target, and the first is nobody's target: both results are one shorter than "
            "`tokens`.",
            "Inputs are `tokens[..., :-1]`, targets `tokens[..., 1:]`; the `...` leaves all other axes alone.",
        ),
        key="# score",
        distractor=faulty_shift_not,
        learned="every input has the token after it as its target, and no sentence lends one to another.",
        returns=("inputs", "targets"),
    ),
    Exercise(
        task="Write cross_entropy(logits, targets): minus the logarithm of the right class's weight, the mean over all "
        "positions, for logits of 10,000 too.",
        reference=cross_entropy,
        cases=_loss_cases(),
        faults=[
            faulty_cross_entropy_log_of_softmax,
            faulty_cross_entropy_floor,
            faulty_cross_entropy_no_shift,
            faulty_cross_entropy_sum,
            faulty_cross_entropy_no_mean,
            faulty_cross_entropy_mean_of_all,
            faulty_cross_entropy_by_sentence,
            faulty_cross_entropy_over_positions,
            faulty_cross_entropy_all_pairs,
            faulty_cross_entropy_one_sentence,
            faulty_cross_entropy_softmax_twice,
            faulty_cross_entropy_no_softmax,
            faulty_cross_entropy_no_log,
            faulty_cross_entropy_sign,
            faulty_cross_entropy_bits,
        ],
        hints=(
            "Which number of a row of logits matters once its softmax is taken? One for each position: its target's.",
            "Take log softmax over the last axis in one go, `shifted - np.log(sum of np.exp(shifted))`: "
            "the logarithm of a weight that underflowed would be -inf.",
            "`np.take_along_axis(logs, targets[..., None], axis=-1)` picks the right class of each position. Then a "
            "minus and `.mean()`.",
        ),
        key="# score",
        distractor=faulty_cross_entropy_all_pairs,
        learned="a weight that underflows still costs what it should, and no sentence counts more for its length.",
        returns=("loss",),
    ),
]
