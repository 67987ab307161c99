"""Questions of lesson 03, first half: what a map shows, and what it hides."""

import numpy as np

from attention_lab import attention_entropy, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "sharp-or-blurred-head",
    lesson="03",
    source="Q35",
    text="One head's map is sharp, the other's blurred. Which head's removal changes the output more?",
    options={
        "the sharp one's": "A clear pattern looks like a purpose, but what a head adds also depends on its values, "
        "which no map shows.",
        "the blurred one's": "A blurred head does move the output where its values are large, but with other values "
        "it is the other way round.",
        "the maps do not say": "The same two maps give either answer, depending on the values behind them. To know, "
        "remove a head and look.",
    },
)
def sharp_or_blurred_head():
    sharp, blurred = softmax(8 * np.eye(6)), softmax(0.1 * np.eye(6))
    value = np.random.default_rng(0).normal(size=(6, 4)) + 1
    wins = []
    for sharp_size, blurred_size in ((1.0, 0.1), (0.1, 1.0)):  # the same maps, other values
        changes = [np.linalg.norm(sharp @ value * sharp_size), np.linalg.norm(blurred @ value * blurred_size)]
        wins.append(int(np.argmax(changes)))
    return {(0, 0): "the sharp one's", (1, 1): "the blurred one's"}.get(tuple(wins), "the maps do not say")


@question(
    "mean-of-two-heads",
    lesson="03",
    source="Q36",
    text="Head 1 puts all its weight on one key, head 2 all on another: both have entropy 0. The two maps are "
    "averaged. What is the entropy of the mean?",
    options={
        "0.00": "The mean of two zeros is zero, but it is the weights that were averaged, and half here, half there "
        "is no longer certain.",
        "0.69": "ln 2: the mean shows a head that hesitates between two keys, and neither head does. An average can "
        "show what no head has.",
        "1.39": "This is ln 4, four keys with an even share; two heads with one key each make only two.",
    },
)
def mean_of_two_heads():
    heads = np.array([[1.0, 0, 0, 0], [0, 0, 1.0, 0]])
    return f"{attention_entropy(heads.mean(0)):.2f}"


@question(
    "first-column",
    lesson="03",
    source="M10 Q37",
    text="Six words, a causal mask, and all scores equal: no word prefers any other. What is the mean weight of the "
    "first column?",
    options={
        "0.17": "One sixth would be an even share of six columns. But early rows have few visible keys, and the first "
        "key is in every row.",
        "0.41": "Row i gives it 1/i, and the mean of 1, 1/2, … 1/6 is 0.41. A bright first column comes with the "
        "mask; look at the last row instead.",
        "1.00": "This is its weight in the first row, where nothing else is visible; the later rows share out more "
        "widely.",
    },
)
def first_column():
    nothing = np.zeros((6, 4))
    _, weights = attention(nothing, nothing, nothing, is_causal=True)
    return f"{weights[:, 0].mean():.2f}"


@question(
    "softmax-of-weights",
    lesson="03",
    source="Q38",
    text="A row of weights is [0.9, 0.05, 0.03, 0.02]. Before it is drawn, it goes through softmax once more. What "
    "becomes of the 0.9?",
    options={
        "0.90": "Softmax of something that sums to 1 already seems to do nothing, but it takes weights for scores, "
        "and these lie close together.",
        "0.44": "Weights differ by less than 1, and scores that close give an almost even row: the picture hides a "
        "clear choice.",
        "0.99": "A second softmax seems to sharpen, as it does for widely spread scores; numbers between 0 and 1 it "
        "flattens.",
    },
)
def softmax_of_weights():
    return f"{softmax([0.9, 0.05, 0.03, 0.02])[0]:.2f}"


@question(
    "first-row",
    lesson="03",
    source="Q39",
    text="Under a causal mask the first row of the map is [1, 0, 0, …]. What could make it different?",
    options={
        "other queries and keys": "They decide every row that has a choice; the first word sees one key, and softmax "
        "of one score is 1.",
        "a higher temperature": "It flattens rows by shrinking differences between scores, and one visible score has "
        "nothing to differ from.",
        "nothing": "One key is visible, and the row has to sum to 1. It says nothing about the word, so leave it out "
        "when you judge a map.",
    },
)
def first_row():
    rng = np.random.default_rng(0)
    forced = {}
    for name, scale in (("other queries and keys", 0.5), ("a higher temperature", 0.001)):
        query, key = 5 * rng.normal(size=(2, 100, 6, 4))
        _, weights = attention(query, key, key, is_causal=True, scale=scale)
        forced[name] = (weights[:, 0, 0] == 1).all()
    return next((name for name, still in forced.items() if not still), "nothing")


@question(
    "dense-by-design",
    lesson="03",
    source="Q43",
    text="Random queries and keys, d_k = 64, 256 keys, scores divided by √d_k. How large is a row's largest weight, "
    "on average?",
    options={
        "above 0.5": "Trained heads can be that sharp, but chance does not put one of 256 scores that far ahead of "
        "all the others.",
        "between 0.1 and 0.5": "With a dozen keys it would be there; 256 keys all get something, and together they "
        "get most.",
        "below 0.1": "Every key gets some weight: soft attention is dense by design, and a map in which each word "
        "reads each is no fault.",
    },
)
def dense_by_design():
    query, key = np.random.default_rng(0).normal(size=(2, 256, 64))
    _, weights = attention(query, key, key)
    largest = weights.max(-1).mean()
    return "above 0.5" if largest > 0.5 else "below 0.1" if largest < 0.1 else "between 0.1 and 0.5"


@question(
    "rollout-and-values",
    lesson="03",
    source="Q44",
    text="Attention rollout multiplies the maps of all layers to say how much each word matters. The first word's "
    "value is set to zero, and queries and keys stay. Its share in the rollout …",
    options={
        "falls to 0": "It adds nothing any more, so this would be a measure of cause; rollout reads weights only, and "
        "those did not move.",
        "stays as it was": "Rollout multiplies weights and sees no value. A word that adds nothing keeps its share, "
        "so remove words to learn causes.",
        "goes to the other words": "Softmax would share it out again if the key were hidden; a zero value leaves all "
        "weights in place.",
    },
)
def rollout_and_values():
    query, key, value = np.random.default_rng(0).normal(size=(3, 2, 6, 4))  # two layers
    without = value.copy()
    without[:, 0] = 0
    shares = []
    for values in (value, without):
        _, (first, second) = attention(query, key, values)
        shares.append((second @ first)[-1])
    if np.allclose(*shares):
        return "stays as it was"
    return "falls to 0" if shares[1][0] == 0 else "goes to the other words"
