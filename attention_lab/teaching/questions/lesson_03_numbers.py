"""Questions of lesson 03, second half: what the numbers mean."""

import math

import numpy as np

from attention_lab import attention_entropy, effective_keys, query_key_similarity, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "weight-or-contribution",
    lesson="03",
    source="M11 Q40",
    text="A query gives weight 0.9 to a value of length 0 and 0.1 to a value of length 5. Which of the two "
    "contributes more to the output?",
    options={
        "the one with weight 0.9": "The map shows only the weight. What arrives is weight times value, and 0.9 times "
        "nothing is nothing.",
        "the one with weight 0.1": "It adds a vector of length 0.5, the other one of length 0: a bright cell can be "
        "an empty one.",
        "both the same": "Weight and length could balance out, but one of the products is zero here.",
    },
)
def weight_or_contribution():
    weights, value = np.array([0.9, 0.1]), np.array([[0.0, 0.0], [3.0, 4.0]])
    bright, pale = np.linalg.norm(weights[:, None] * value, axis=-1)
    if math.isclose(bright, pale):
        return "both the same"
    return "the one with weight 0.9" if bright > pale else "the one with weight 0.1"


@question(
    "unique-weights",
    lesson="03",
    source="M12 Q41",
    text="Eight keys, values of three numbers. You know the values and one query's output. Could other weights, with "
    "another favourite key, have given the same output?",
    options={
        "no": "An output seems to be the trace of its weights, but three numbers and a total of 1 are four conditions "
        "on eight weights.",
        "yes, exactly": "Eight weights meet only four conditions, so there is room to move without moving the output. "
        "A map is one explanation among many.",
        "only roughly": "Similar values would give similar outputs; here the agreement is to rounding, because whole "
        "directions of change cancel.",
    },
)
def unique_weights():
    rng = np.random.default_rng(0)
    value, weights = rng.normal(size=(8, 3)), softmax(rng.normal(size=8) / 2)
    conditions = np.column_stack([value, np.ones(8)]).T  # the output, and a total of 1
    unnoticed = np.linalg.svd(conditions)[2][4:]  # the directions that change none of them
    gaps = []
    for step in rng.normal(size=(200, 4)) @ unnoticed:
        other = weights + step * np.min(weights[step < 0] / -step[step < 0])  # as far as weights stay >= 0
        if other.argmax() != weights.argmax():
            gaps.append(np.abs(other @ value - weights @ value).max())
    return "no" if not gaps else "yes, exactly" if min(gaps) < 1e-12 else "only roughly"


@question(
    "entropy-absolute",
    lesson="03",
    source="M13 Q42",
    text="A row spreads its attention evenly over 4 keys, another one evenly over 64. How do their entropies compare?",
    options={
        "they are equal": "Both are as even as can be, and the entropy divided by ln n would be 1 for both; entropy "
        "itself is ln n.",
        "the second is larger": "ln 4 = 1.39 against ln 64 = 4.16: an entropy means little without n. exp(entropy) "
        "reads as keys, 4 and 64.",
        "the second is smaller": "Each weight is smaller, but there are more of them, and entropy measures how hard "
        "it is to guess the key.",
    },
)
def entropy_absolute():
    few, many = (attention_entropy(softmax(np.zeros(n))) for n in (4, 64))
    if math.isclose(few, many):
        return "they are equal"
    return "the second is larger" if many > few else "the second is smaller"


@question(
    "because-entropy",
    lesson="03",
    source="exercise",
    text="In −Σ w ln w a weight of exactly 0 counts as 0, because …",
    options={
        "w ln w goes to 0 as w does": "ln w falls without end, but more slowly than w does: a key that is never read "
        "adds no uncertainty.",
        "ln 0 is 0": "ln 1 is 0; ln 0 is minus infinity, and 0 times that is NaN if nobody defines it.",
        "the row would not sum to 1 otherwise": "The sum of the weights does not depend on how the entropy treats a "
        "zero.",
    },
)
def because_entropy():
    with np.errstate(divide="ignore"):
        if np.log(0.0) == 0:
            return "ln 0 is 0"
    small = 10.0 ** -np.arange(2, 13, 2)
    terms = -small * np.log(small)
    vanishes = (np.diff(terms) < 0).all() and terms[-1] < 1e-10 and attention_entropy([1.0, 0.0, 0.0]) == 0
    return "w ln w goes to 0 as w does" if vanishes else "no reason at all"


@question(
    "because-effective_keys",
    lesson="03",
    source="exercise",
    text="exp(entropy) is read as a number of keys, because …",
    options={
        "an even row over m keys gives m": "ln m is its entropy, and exp undoes the logarithm. An uneven row counts "
        "like an even one with the same entropy.",
        "it counts the weights above 0": "It does for even rows; a row such as [0.9, 0.05, 0.05] has three weights "
        "above 0 and about one and a half effective keys.",
        "it is at least n / 2": "A row with all its weight on one key has exp(0) = 1, however many keys there are.",
    },
)
def because_effective_keys():
    even = [effective_keys(np.repeat([1 / m, 0], [m, 8 - m])) for m in range(1, 9)]
    if min(even) >= 4:
        return "it is at least n / 2"
    uneven = np.array([0.9, 0.05, 0.05])
    if math.isclose(effective_keys(uneven), np.sum(uneven > 0)):
        return "it counts the weights above 0"
    return "an even row over m keys gives m" if np.allclose(even, range(1, 9)) else "no reason at all"


@question(
    "because-similarity_summary",
    lesson="03",
    source="exercise",
    text="The summary of queries and keys takes q · k / √d_k and not the bare dot product, because …",
    options={
        "softmax sees these numbers": "Mean and extremes then say how sharp the rows can become, and heads of "
        "different d_k can be compared.",
        "they lie between −1 and 1": "Cosines do; a scaled score divides by √d_k and not by the lengths, so it can "
        "pass 1.",
        "their mean is always 0": "It is near 0 for random vectors, but trained queries and keys often point the same "
        "way on the whole.",
    },
)
def because_similarity_summary():
    query, key = np.random.default_rng(0).normal(size=(2, 20, 16)) + 0.5
    summary = query_key_similarity(query, key)
    if summary["min"] >= -1 and summary["max"] <= 1:
        return "they lie between −1 and 1"
    if abs(summary["mean"]) < 0.01:
        return "their mean is always 0"
    _, weights = attention(query, key, key)
    scores = query @ key.T / math.sqrt(16)
    seen = np.allclose(softmax(scores), weights) and math.isclose(scores.max(), summary["max"])
    return "softmax sees these numbers" if seen else "no reason at all"


@question(
    "weights-from-output",
    lesson="03",
    source="M12 Q41 again",
    text="Three keys have the values 0, 2 and 4, one number each. Attention gives 2. Which of the three had the "
    "largest weight?",
    options={
        "the first and third": "Half of 0 and half of 4 do make 2. But so does a weight of 1 on the second, and the "
        "output does not tell the two apart.",
        "the second": "Its value is the output, so all weight on it would do. But half on the first and half on the "
        "third make 2 as well, without it.",
        "it cannot be told": "Weights of 0, 1, 0 and of ½, 0, ½ both give 2, and so does all that lies between. From "
        "what attention gives, nobody can tell where it looked.",
    },
)
def weights_from_output():
    value, found = np.array([0.0, 2.0, 4.0]), set()
    for weights in np.random.default_rng(0).dirichlet(np.ones(3), size=2000):
        weights = (weights + weights[::-1]) / 2  # as much on the first as on the third
        if np.isclose(weights @ value, 2):
            found.add("the second" if weights.argmax() == 1 else "the first and third")
    return found.pop() if len(found) == 1 else "it cannot be told"


@question(
    "same-entropy",
    lesson="03",
    source="M13 Q42 again",
    text="Two rows of weights have the same entropy, 2.08 nats. One row has 8 keys, the other 168. Which of them is "
    "the more choosy, for its number of keys?",
    options={
        "both alike": "Their entropy is the same, and both read as 8 keys, as exp(2.08) tells. But 8 of 8 are all "
        "there are, and 8 of 168 are few.",
        "the one with 8 keys": "It has the fewer keys, but it uses every one of them alike: 2.08 is ln 8, the most "
        "that 8 keys can have.",
        "the one with 168 keys": "2.08 is ln 8, the most that 8 keys can have, and less than half of ln 168 = 5.12. An "
        "entropy means little without n.",
    },
)
def same_entropy():
    even = np.full(8, 1 / 8)
    few, many = (attention_entropy(row) / math.log(len(row)) for row in (even, np.pad(even, (0, 160))))
    if math.isclose(few, many):
        return "both alike"
    return "the one with 168 keys" if many < few else "the one with 8 keys"
