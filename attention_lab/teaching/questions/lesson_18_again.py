"""A question of lesson 18, asked again when lesson 19 opens."""

import numpy as np

from attention_lab import softmax
from attention_lab.teaching.questions.question import question


@question(
    "kernel-with-signs",
    lesson="18",
    source="Q133 again",
    text="A convolution takes −1, 2 and −1 times three neighbours, and adds. Can one head of attention, whose scores "
    "hang on positions alone, have these three numbers as its weights?",
    options={
        "yes, if the scores are learned": "Learned or not, scores go through a softmax. What comes out is positive and "
        "sums to one: these three sum to 0, and two are negative.",
        "no, not with a softmax": "Weights are positive and sum to one: such a head is a smoothing kernel. It takes "
        "two heads and W_o to subtract one from the other.",
        "yes, if two scores are negative": "A negative score is only a small one: its weight is still above 0. The "
        "sign of a score says nothing about the sign of a weight.",
    },
)
def kernel_with_signs():
    scores = np.random.default_rng(0).normal(scale=10, size=(1000, 3))
    weights = softmax(scores)
    if np.allclose(weights.sum(-1), 1) and weights.min() >= 0:
        return "no, not with a softmax"
    negative = (weights < 0) & (scores < 0)
    return "yes, if two scores are negative" if negative.any() else "yes, if the scores are learned"
