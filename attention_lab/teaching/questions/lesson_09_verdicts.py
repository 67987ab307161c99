"""Questions of lesson 09, second half: what counting words cannot do, and what a score says."""

import numpy as np

from attention_lab import masked_mean
from attention_lab.metrics import accuracy, matthews_correlation
from attention_lab.teaching.questions.question import question


@question(
    "scores-of-words",
    lesson="09",
    source="lesson",
    text="“the key is old” and “the keys are old” are right, “the key are old” and “the keys is old” are wrong. A bag "
    "of words gives each word a score and adds them up. Which scores put both right ones above both wrong ones?",
    options={
        "high ones for “is” and “are”": "Both verbs stand once in a right and once in a wrong sentence, so right and "
        "wrong rise by the same amount.",
        "none can do it": "The two right ones hold, together, the very words of the two wrong ones: their sums are "
        "equal, whatever the scores. One must see which noun goes with which verb.",
        "low ones for “key” and “are”": "Together these two are wrong, but a sum knows no together: “the keys are old” "
        "loses by “are”, and it is right.",
    },
)
def scores_of_words():
    sentences = ["the key is old", "the keys are old", "the key are old", "the keys is old"]
    words = ["the", "old", "key", "keys", "is", "are"]
    ids = [[words.index(word) for word in sentence.split()] for sentence in sentences]
    scores = np.random.default_rng(0).normal(size=(6, 2000))  # many tries, and first the two that are offered
    scores[:, :2] = np.transpose([[0, 0, 0, 0, 9, 9], [0, 0, -9, 0, 0, -9]])
    sums = 4 * masked_mean(scores[ids])  # (4 sentences, 2000 tries)
    works = sums[:2].min(0) > sums[2:].max(0) + 1e-9
    if not works.any():
        return "none can do it"
    return "low ones for “key” and “are”" if works[1] else "high ones for “is” and “are”"


@question(
    "all-one-class",
    lesson="09",
    source="lesson",
    text="Of 100 sentences 70 are right and 30 wrong. A model says “right” to all of them. What are its accuracy and "
    "its MCC, the correlation of predicted and true classes?",
    options={
        "0.70 and 0.70": "70 hits of 100 make the accuracy. A correlation asks whether one moves with the other, and "
        "a prediction that never moves cannot.",
        "0.70 and 0.40": "0.70 − 0.30 is hits minus misses. But an MCC above 0 needs a prediction that tells the "
        "classes apart, and this one says the same to both.",
        "0.70 and 0.00": "Accuracy pays for the larger class, without a look at the sentence. MCC does not: it is 0 "
        "for whoever says the same to all, or guesses.",
    },
)
def all_one_class():
    true, predicted = np.repeat([1, 0], [70, 30]), np.ones(100, int)
    return f"{accuracy(predicted, true):.2f} and {matthews_correlation(predicted, true):.2f}"


@question(
    "one-point-apart",
    lesson="09",
    source="lesson",
    text="Two models are equally good: each gets any sentence right with probability 0.8, by luck of its own. They are "
    "tested on 200 sentences. How often do their accuracies differ by one point or more?",
    options={
        "in about 1 of 20 tests": "Equal models should score alike, but one point is two sentences of 200. Each count "
        "of hits has a deviation of √(200 · 0.8 · 0.2), which is more than five.",
        "in about 1 of 4 tests": "This would need counts that are steadier than luck allows: their difference has a "
        "deviation of eight sentences, and one point is two.",
        "in more than half of the tests": "In about 85 of 100. A single point on 200 sentences is a tie. Compare "
        "several seeds, or test on more.",
    },
)
def one_point_apart():
    rng = np.random.default_rng(0)
    right, true = rng.random((2, 300, 200)) < 0.8, np.ones(200, bool)  # two models, 300 tests
    first, second = ([accuracy(test, true) for test in model] for model in right)
    share = (np.abs(np.subtract(first, second)) > 0.0099).mean()
    if share > 0.5:
        return "in more than half of the tests"
    return "in about 1 of 20 tests" if share < 0.12 else "in about 1 of 4 tests"


@question(
    "because-matthews",
    lesson="09",
    source="exercise",
    text="Count hits (TP), right refusals (TN), false alarms (FP) and misses (FN). Above the line of the MCC stands "
    "TP · TN − FP · FN, because …",
    options={
        "blind guesses then give 0": "If predictions do not depend on the truth, each row of the table of counts has "
        "the same shares, and TP · TN = FP · FN, however common a class is.",
        "the MCC is then never negative": "It is −1 where each answer is the wrong one: TP and TN are 0 there, and "
        "FP · FN is not.",
        "the rarer class then counts more": "Exchange the names of the two classes and TP becomes TN, FP becomes FN: "
        "the products are the same. Neither class counts more.",
    },
)
def because_matthews():
    rng = np.random.default_rng(0)

    def above(predicted, true):
        TP, TN = ((predicted == true) & (true == kind) for kind in (1, 0))
        FP, FN = ((predicted != true) & (true == kind) for kind in (0, 1))
        return TP.mean() * TN.mean() - FP.mean() * FN.mean()

    true, blind = np.arange(1000) % 10 < 7, np.arange(1000) // 10 % 10 < 9  # 70 and 90 of 100, independent
    if above(~true, true) >= 0:
        return "the MCC is then never negative"
    noisy = np.where(rng.random(1000) < 0.2, ~true, true)
    if not np.isclose(above(noisy, true), above(~noisy, ~true)):
        return "the rarer class then counts more"
    return "blind guesses then give 0" if np.isclose(above(blind, true), 0) else "no reason at all"
