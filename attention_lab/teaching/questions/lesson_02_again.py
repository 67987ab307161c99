"""A question of lesson 02, asked again when lesson 18 opens."""

import numpy as np

from attention_lab import softmax
from attention_lab.teaching.questions.question import question


@question(
    "hidden-after-the-softmax",
    lesson="02",
    source="Q27 again",
    text="Five keys with equal scores and values. Softmax runs over all, then three weights are set to 0. What do the "
    "weights sum to, and how long is the output, compared with a mask before the softmax?",
    options={
        "0.40, and 0.4 times as long": "The three hidden keys keep what they took. With the mask before, the two that "
        "are left would have 0.5 each.",
        "1.00, and as long": "Softmax makes a sum of 1 over all five. Nothing hands on what is deleted afterwards.",
        "0.60, and 0.6 times as long": "That is what was deleted. Two keys of five are left.",
    },
)
def hidden_after_the_softmax():
    after, before = softmax([1.0] * 5), softmax([1.0] * 2 + [-np.inf] * 3)
    after[2:] = 0
    total, length = after.sum(), (after @ np.ones(5)) / (before @ np.ones(5))  # of values that are all 1
    return f"{total:.2f}, and {'as long' if np.isclose(length, 1) else f'{length:.1f} times as long'}"
