"""A question of lesson 19, asked again when lesson 20 opens."""

import numpy as np

from attention_lab.teaching.questions.question import question


@question(
    "three-times-as-long-a-query",
    lesson="19",
    source="Q137 again",
    text="A thousand documents are vectors of length 1. Someone forgets to normalise a query: its vector is 3 times as "
    "long. The documents are ranked by the dot product with it. What becomes of their order?",
    options={
        "it stays": "Every score is 3 times its cosine, and one factor for all changes no order. Had the documents "
        "kept their own lengths, each would have had another factor.",
        "it turns round": "That takes a negative factor. The query is longer, not turned.",
        "near ones lose": "All scores grow by the same factor, the near ones by as much as the far ones: 0.9 and 0.3 "
        "become 2.7 and 0.9.",
    },
)
def three_times_as_long_a_query():
    rng = np.random.default_rng(0)
    documents, query = rng.normal(size=(1000, 16)), rng.normal(size=16)
    documents /= np.linalg.norm(documents, axis=-1, keepdims=True)
    cosines = documents @ query / np.linalg.norm(query)
    orders = np.argsort(-cosines), np.argsort(-documents @ (3 * query))
    if np.array_equal(*orders):
        return "it stays"
    return "it turns round" if np.array_equal(orders[0], orders[1][::-1]) else "near ones lose"
