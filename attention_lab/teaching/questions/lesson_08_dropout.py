"""Questions of lesson 08, second half: what dropout does to weights, scores, outputs and the loss."""

import numpy as np

from attention_lab import cross_entropy, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.functional import dropout
from attention_lab.teaching.questions.question import question


@question(
    "dropout-rows",
    lesson="08",
    source="Q88",
    text="In training a tenth of the attention weights is dropped, at random. What do the rows of weights that are "
    "mixed now sum to?",
    options={
        "1 in every row": "Softmax gave rows that sum to 1, but dropout comes after it and nothing norms them again. "
        "Only an evaluation, which drops nothing, has exactly 1 in every row.",
        "1 on average, single rows vary": "What is kept is divided by 0.9, so the expected sum stays 1. Single rows "
        "lie above or below, by 0.1 or so with twenty keys: meant so, and no fault.",
        "0.9 on average, single rows vary": "This would be so if weights were only dropped. What is kept is divided by "
        "0.9 at once, so that training and evaluation agree on average.",
    },
)
def dropout_rows():
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(2000, 16)), rng.normal(size=(20, 16)), rng.normal(size=(20, 4))
    _, weights = attention(query, key, value, dropout=0.1, rng=rng)
    sums = weights.sum(-1)
    if np.allclose(sums, 1):
        return "1 in every row"
    names = {"1.0": "1 on average, single rows vary", "0.9": "0.9 on average, single rows vary"}
    return names[f"{sums.mean():.1f}"]


@question(
    "drop-scores",
    lesson="08",
    source="Q89",
    text="So that rows still sum to 1, someone drops scores instead of weights: a dropped score becomes 0, then comes "
    "softmax. The scores of a row are −1, −2, −3 and −4. What does a dropped key get?",
    options={
        "weight 0, it is gone": "A weight of 0 is gone; a score of 0 is a score like others. e⁰ = 1, and here that is "
        "more than any key has that was kept.",
        "the largest weight of all": "e⁰ = 1 is above e⁻¹: what is dropped is read most. And under a mask a hidden "
        "score that is dropped is 0 · (−∞), which is NaN. So weights are dropped.",
        "the weight it had before": "Softmax is untouched by a constant added to all scores, not by one score that "
        "changes: with 0 instead of −4 this key is more than 50 times as heavy against the others.",
    },
)
def drop_scores():
    scores, rng = np.array([-1.0, -2, -3, -4]), np.random.default_rng(0)
    for _ in range(20):
        dropped = dropout(scores, 0.25, rng)
        if (dropped == 0).sum() == 1:
            weights, key = softmax(dropped), int(np.flatnonzero(dropped == 0)[0])
            break
    if weights[key] == 0:
        return "weight 0, it is gone"
    return "the largest weight of all" if weights.argmax() == key else "the weight it had before"


@question(
    "weights-or-outputs",
    lesson="08",
    source="Q90",
    text="Dropout of 0.1 stands once on the attention weights, and once on the output of attention instead. Twenty "
    "keys are read. What share of the output's numbers is exactly 0?",
    options={
        "0.1 and 0.1": "Both drop a tenth, and both keep the expected output, so they look the same. But a number of "
        "the output is a sum over twenty keys, and it is 0 only if all twenty are dropped.",
        "none and 0.1": "A dropped weight removes one key's whole value from a sum of twenty; a dropped output removes "
        "a feature, whatever was read. The same mean, two different things.",
        "0.1 and none": "The other way round: a zero among the weights is one summand less, and nineteen or so are "
        "left. A zero in the output is the output.",
    },
)
def weights_or_outputs():
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(500, 16)), rng.normal(size=(20, 16)), rng.normal(size=(20, 16))
    of_weights, _ = attention(query, key, value, dropout=0.1, rng=rng)
    of_output = dropout(attention(query, key, value)[0], 0.1, rng)
    shares = [f"{(output == 0).mean():.1f}".replace("0.0", "none") for output in (of_weights, of_output)]
    return " and ".join(shares)


@question(
    "validation-below-training",
    lesson="08",
    source="Q91",
    text="A model with dropout is being trained. Its loss on the validation set is lower than on the training set, "
    "which seems to be the wrong way round. What is the first thing to suspect?",
    options={
        "the validation set leaked": "A model that has seen the validation set does no better on it than on the rest "
        "of its training set. In the computed example no sentence is in both, and the gap is there.",
        "the validation set is easier": "It may be, where sets are small. In the computed example both are drawn alike "
        "and have the same loss when evaluated alike; only the training loss was taken otherwise.",
        "dropout, on in training only": "The training loss is taken with a part of the weights missing. Evaluate the "
        "training set as well, without dropout: the gap is gone, and can be judged anew.",
    },
)
def validation_below_training():
    rng, places, vectors = np.random.default_rng(0), np.eye(8), np.eye(10)  # a model by hand that reverses 8 digits

    def loss(ids, **about):
        output, _ = attention(50 * places[::-1], places, vectors[ids], **about)
        return cross_entropy(8 * output, ids[:, ::-1])

    training, validation = rng.integers(10, size=(200, 8)), rng.integers(10, size=(200, 8))
    if (training[:, None] == validation).all(-1).any():
        return "the validation set leaked"
    dropped, evaluated = loss(training, dropout=0.3, rng=rng), loss(training)
    easier = loss(validation) < 0.9 * evaluated
    return "dropout, on in training only" if dropped > 2 * evaluated and not easier else "the validation set is easier"


@question(
    "because-dropout",
    lesson="08",
    source="exercise",
    text="`dropout` divides what it keeps by `1 - rate`, because …",
    options={
        "the expected value then stays": "A number x becomes x / (1 − rate) with probability 1 − rate, which is x on "
        "average. What comes after reads the same level in training and in evaluation.",
        "a row of weights then sums to 1": "Only on average. Which weights are dropped is drawn anew each time, and "
        "the divisor does not ask how much they weighed.",
        "the variance then stays": "It grows: at rate 0.5, zeros and doubled numbers of mean 0 have twice the "
        "variance. Dividing by √(1 − rate) would keep that, and lose the mean.",
    },
)
def because_dropout():
    rng = np.random.default_rng(0)
    weights = softmax(rng.normal(size=(5000, 20)))
    if np.allclose(dropout(weights, 0.5, rng).sum(-1), 1):
        return "a row of weights then sums to 1"
    numbers = rng.normal(size=100_000)
    if np.isclose(dropout(numbers, 0.5, rng).var(), 1, atol=0.1):
        return "the variance then stays"
    mean = dropout(numbers + 1, 0.5, rng).mean()
    return "the expected value then stays" if np.isclose(mean, 1, atol=0.05) else "no reason at all"
