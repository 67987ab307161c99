"""A question of lesson 04, asked again when lesson 16 opens."""

import numpy as np

from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "positive-queries",
    lesson="04",
    source="M15 again",
    text="A head has d_k = 1, and all of its queries are above 0. 500 tokens read one another. How many of the 500 "
    "keys are the top key of some query?",
    options={
        "one": "A score is query times key. With a positive query the largest key wins, whichever query it is: they "
        "differ only in how sharply they look at it.",
        "two": "So many it is if queries have either sign: the largest key for the positive ones, the smallest for the "
        "negative ones.",
        "up to 500": "500 different queries, but one number each. They can ask for more, not for something else.",
    },
)
def positive_queries():
    query, key = np.random.default_rng(0).normal(size=(2, 500, 1))
    _, weights = attention(np.abs(query), key, key)
    return {1: "one", 2: "two"}.get(len(set(weights.argmax(-1).tolist())), "up to 500")
