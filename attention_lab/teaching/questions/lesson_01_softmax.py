"""Questions of lesson 01, second half: from scores to weights, and the whole function."""

import math

import numpy as np

from attention_lab import log_softmax, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "divide-by-the-sum",
    lesson="01",
    source="Q11",
    text="Someone leaves out the exponential and makes weights of the scores [2, −1, −1] by `s / s.sum()`. The result "
    "is …",
    options={
        "weights that sum to 1": "It works for positive scores, which is why it looks natural; scores have both "
        "signs, and these add up to nothing.",
        "no finite number at all": "The sum is 0. Scores have both signs, so a sum can be anything; exp makes all of "
        "them positive first and keeps their order.",
        "[0.5, 0.25, 0.25]": "These are the absolute values over their sum; that would count a score of −3 as much as "
        "one of 3.",
    },
)
def divide_by_the_sum():
    scores = np.array([2.0, -1.0, -1.0])
    with np.errstate(divide="ignore"):
        weights = scores / scores.sum()
    if not np.isfinite(weights).any():
        return "no finite number at all"
    return "[0.5, 0.25, 0.25]" if np.allclose(weights, [0.5, 0.25, 0.25]) else "weights that sum to 1"


@question(
    "shift-or-scale",
    lesson="01",
    source="M3 Q12",
    text="First 5 is added to all scores of a row. Then, instead, all are multiplied by 2. Which of the two changes "
    "the weights?",
    options={
        "only adding": "Adding 5 makes every exp larger, but by the same factor e⁵, and the sum below it too: it "
        "cancels.",
        "only multiplying": "Softmax looks at differences. Adding a constant leaves them alone, multiplying doubles "
        "them, and the row becomes sharper.",
        "both": "Both change the numbers that enter, but a common summand is a common factor of every exp, and it "
        "cancels in the division.",
        "neither": "Weights are relative, so it seems that only ratios of scores count; exp turns differences into "
        "ratios, and doubling changes differences.",
    },
)
def shift_or_scale():
    scores = np.array([1.0, 2.0, 4.0])
    added = not np.allclose(softmax(scores + 5), softmax(scores))
    multiplied = not np.allclose(softmax(scores * 2), softmax(scores))
    if added and multiplied:
        return "both"
    return "only adding" if added else "only multiplying" if multiplied else "neither"


@question(
    "exactly-zero",
    lesson="01",
    source="Q13",
    text="`softmax` of the float32 scores [0, −200]: what is the second weight?",
    options={
        "tiny, but above 0": "On paper exp is never 0. float32 has no number that small: below about exp(−103) there "
        "is only zero.",
        "exactly 0": "exp(−200) is smaller than any positive float32, so it becomes 0: weights of exactly zero do "
        "occur, without a mask.",
        "NaN": "Overflow can end in NaN, by dividing infinity by infinity; underflow ends in a harmless zero.",
    },
)
def exactly_zero():
    weight = softmax(np.array([0, -200], np.float32))[1]
    return "NaN" if np.isnan(weight) else "exactly 0" if weight == 0 else "tiny, but above 0"


@question(
    "softmax-axis",
    lesson="01",
    source="Q14",
    text="`scores` has shape (4 queries, 6 keys), and someone writes `softmax(scores, axis=0)`. What holds now?",
    options={
        "each query spends 1 in all": "This is what attention means, and what the last axis gives; axis 0 runs over "
        "the queries.",
        "each key receives 1 in all": "Axis 0 runs over the queries, so it is the columns that sum to 1: queries now "
        "compete for keys, and rows sum to anything.",
        "both": "Rows and columns can both sum to 1 in a square matrix; with 4 rows and 6 columns the totals would be "
        "4 and 6.",
    },
)
def softmax_axis():
    scores = np.random.default_rng(0).normal(size=(4, 6))
    weights = softmax(scores, axis=0)
    rows, columns = np.allclose(weights.sum(1), 1), np.allclose(weights.sum(0), 1)
    return "both" if rows and columns else "each query spends 1 in all" if rows else "each key receives 1 in all"


@question(
    "four-sizes",
    lesson="01",
    source="Q15",
    text="query (3, 8), key (7, 8), value (7, 5). What is the shape of the output?",
    options={
        "(3, 5)": "A row for each query, as wide as a value. Query and key share d_k, key and value share n_k, the "
        "rest is free.",
        "(7, 5)": "The values have this shape, but they are what is read; each of the three queries gets one mixture.",
        "an error": "Three equal shapes are only the usual case; the product of the weights (3, 7) and the values (7, "
        "5) is defined.",
    },
)
def four_sizes():
    try:
        output, _ = attention(np.ones((3, 8)), np.ones((7, 8)), np.ones((7, 5)))
    except ValueError:
        return "an error"
    return str(output.shape)


@question(
    "self-or-cross",
    lesson="01",
    source="Q16",
    text="`mix(x, y)` makes queries from x, keys and values from y, and lets x read y. What has to be changed in it "
    "to get self-attention?",
    options={
        "nothing: call `mix(x, x)`": "Self-attention is the same function with one sequence in both places; only the "
        "origin of keys and values differs.",
        "the score": "The two names suggest two formulas, but a score is a query times a key, wherever either comes "
        "from.",
        "the matrices W_q and W_k must be equal": "One sequence does not mean one matrix: a token asks for something "
        "else than what it offers, also in its own sentence.",
    },
)
def self_or_cross():
    rng = np.random.default_rng(0)
    x, (W_q, W_k, W_v) = rng.normal(size=(5, 8)), rng.normal(size=(3, 8, 8)) / 3
    mixed, _ = attention(x @ W_q, x @ W_k, x @ W_v)  # mix(x, y) with y = x
    tied, _ = attention(x @ W_q, x @ W_q, x @ W_v)
    by_hand = []
    for token in x:
        scores = np.array([(token @ W_q) @ (other @ W_k) for other in x]) / math.sqrt(8)
        by_hand.append(sum(weight * (other @ W_v) for weight, other in zip(softmax(scores), x, strict=True)))
    if np.allclose(mixed, by_hand):
        return "nothing: call `mix(x, x)`"
    return "the matrices W_q and W_k must be equal" if np.allclose(tied, by_hand) else "the score"


@question(
    "exp-overflows",
    lesson="01",
    source="Q17",
    text="Softmax is written as `np.exp(s) / np.exp(s).sum()` and gets s = [1000, 0] in float64. What comes out?",
    options={
        "[1, 0]": "This is the right answer, and what subtracting the row's maximum first gives; here exp(1000) is "
        "infinite.",
        "[nan, 0]": "exp passes the largest float64 at about 710, and infinity divided by infinity is not a number.",
        "[inf, 0]": "The numerator is indeed infinite, but so is the sum below it, and their quotient has no value.",
    },
)
def exp_overflows():
    scores = np.array([1000.0, 0.0])
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.exp(scores) / np.exp(scores).sum()
    return "[" + ", ".join(f"{weight:.0f}" for weight in weights) + "]"


@question(
    "bias-on-keys",
    lesson="01",
    source="Q18",
    text="The same vector b is added to every key of a sentence. What changes?",
    options={
        "nothing": "Each score grows by q · b, the same for the whole row, and softmax ignores what a row has in "
        "common.",
        "the weights and the output": "All scores do change. They change by the same amount along a row, though, and "
        "only differences within a row count.",
        "the weights, but not the output": "The output is a mean by these weights and moves when they move; here "
        "neither does.",
    },
)
def bias_on_keys():
    query, key, value = np.random.default_rng(0).normal(size=(3, 6, 4))
    output, weights = attention(query, key, value)
    new_output, new_weights = attention(query, key + np.array([1.0, -2.0, 0.5, 3.0]), value)
    if np.allclose(weights, new_weights) and np.allclose(output, new_output):
        return "nothing"
    return "the weights, but not the output" if np.allclose(output, new_output) else "the weights and the output"


@question(
    "kernel-regression",
    lesson="01",
    source="Q19",
    text="An old way to smooth data weights each point by exp(−distance² / 2) and divides by the sum. All keys have "
    "the same length. Compared with `softmax(q · k)`, these weights are …",
    options={
        "the same": "−|q − k|²/2 is q · k minus |q|²/2 and |k|²/2; both are the same for the whole row here, and "
        "softmax ignores them. Attention is kernel regression.",
        "in the opposite order": "A distance is large where a dot product is small, but the distance carries a minus "
        "sign, which turns the order round.",
        "in the same order, but flatter": "They do rank the keys alike; and as the two scores differ by a constant of "
        "the row, they agree in full.",
    },
)
def kernel_regression():
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=4), rng.normal(size=(6, 4))
    key /= np.linalg.norm(key, axis=-1, keepdims=True)
    by_distance = softmax(-np.sum((query - key) ** 2, -1) / 2)
    by_product = softmax(key @ query)
    if np.allclose(by_distance, by_product):
        return "the same"
    same_order = np.array_equal(by_distance.argsort(), by_product.argsort())
    return "in the same order, but flatter" if same_order else "in the opposite order"


@question(
    "because-attention",
    lesson="01",
    source="exercise",
    text="The scores are divided by √d_k before the softmax, because …",
    options={
        "their spread grows like √d_k": "A sum of d_k independent terms has standard deviation √d_k; after the "
        "division it is near 1, whatever the head's size.",
        "the weights would not sum to 1": "Softmax makes every row sum to 1, however large its scores are, so this "
        "needs no divisor.",
        "exp would overflow": "Large scores can overflow exp, but subtracting the row's maximum takes care of that "
        "for scores of any size.",
    },
)
def because_attention():
    rng = np.random.default_rng(0)
    spreads = []
    for d_k in (16, 64, 256):
        query, key = rng.normal(size=(2, 200, d_k))
        spreads.append(np.std(query @ key.T) / math.sqrt(d_k))
        weights = softmax(query @ key.T)  # without the divisor
        if not np.isfinite(weights).all():
            return "exp would overflow"
        if not np.allclose(weights.sum(-1), 1):
            return "the weights would not sum to 1"
    return "their spread grows like √d_k" if np.allclose(spreads, 1, atol=0.1) else "no reason at all"


@question(
    "because-softmax",
    lesson="01",
    source="exercise",
    text="The row's maximum is subtracted before exp, because …",
    options={
        "exp could overflow otherwise": "The largest exponent becomes 0, so nothing overflows, and the common factor "
        "cancels in the division: the weights stay as they were.",
        "the weights would not sum to 1": "The division by the sum does that, with or without the subtraction, as "
        "long as exp is finite.",
        "the row becomes sharper": "Sharpness comes from the differences between scores, and subtracting one number "
        "from all of them keeps every difference.",
    },
)
def because_softmax():
    small, large = np.array([1.0, 2.0, 4.0]), np.array([1000.0, 0.0])
    unshifted = np.exp(small) / np.exp(small).sum()
    if not np.isclose(unshifted.sum(), 1):
        return "the weights would not sum to 1"
    if not np.allclose(unshifted, softmax(small)):
        return "the row becomes sharper"
    with np.errstate(over="ignore"):
        overflows = np.isinf(np.exp(large)).any() and np.isfinite(softmax(large)).all()
    return "exp could overflow otherwise" if overflows else "no reason at all"


@question(
    "because-log_softmax",
    lesson="01",
    source="exercise",
    text="`log_softmax(x)` is not written as `np.log(softmax(x))`, because …",
    options={
        "a weight can underflow to 0, and log 0 is −inf": "The logarithm itself is a harmless number such as −1000; "
        "only the detour through the weight loses it.",
        "the two differ by a constant": "A forgotten normaliser would be a constant, but both are normalised: for "
        "ordinary scores they agree to the last digits.",
        "a logarithm of numbers below 1 is not defined": "It is negative, not undefined; only the logarithm of 0 has "
        "no finite value.",
    },
)
def because_log_softmax():
    ordinary, extreme = np.array([1.0, 2.0, 4.0]), np.array([0.0, -1000.0])
    detour = np.log(softmax(ordinary))
    if np.isnan(detour).any():
        return "a logarithm of numbers below 1 is not defined"
    if not np.allclose(detour, log_softmax(ordinary)):
        return "the two differ by a constant"
    with np.errstate(divide="ignore"):
        lost = np.isinf(np.log(softmax(extreme))).any() and np.isfinite(log_softmax(extreme)).all()
    return "a weight can underflow to 0, and log 0 is −inf" if lost else "no reason at all"
