"""Questions of lesson 01, first half: queries, keys, values, and the scores between them."""

import math

import numpy as np

from attention_lab import attention_entropy, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "one-hot-row",
    lesson="01",
    source="Q1",
    text="A query scores 50 with key 2 and 0 with all others. What does attention return for it?",
    options={
        "key 2": "The key is what was found, but it only serves to be found; what is handed over is the value beside "
        "it.",
        "value 2": "All the weight is on place 2, so the mean of the values is value 2: a look-up in a dictionary, "
        "made soft.",
        "the mean of all values": "Every value does enter the mean, but with a weight, and all weights except one are "
        "zero to many digits here.",
    },
)
def one_hot_row():
    rng = np.random.default_rng(0)
    key, value = np.eye(5), rng.normal(size=(5, 5))
    output, _ = attention(50 * key[2:3], key, value, scale=1)
    candidates = {"key 2": key[2], "value 2": value[2], "the mean of all values": value.mean(0)}
    return next(name for name, vector in candidates.items() if np.allclose(output[0], vector))


@question(
    "one-matrix-for-both",
    lesson="01",
    source="Q2",
    text="Twenty tokens, 64 random numbers of variance 1 each. The same matrix W, which keeps that variance, makes "
    "both queries and keys: `x @ W` twice. Where does most of a row's weight go, on average?",
    options={
        "to the token itself": "A vector has a large dot product with itself. With one matrix a token mostly finds "
        "itself; two matrices let it look for something else.",
        "to other tokens": "This is what two separate matrices allow; with one, query and key of a token are the same "
        "vector, and that pair mostly scores highest.",
        "nowhere: the rows are even": "Random vectors do score each other about equally, but each token meets itself "
        "too, and that score stands far above the rest.",
    },
)
def one_matrix_for_both():
    rng = np.random.default_rng(0)
    x, W = rng.normal(size=(20, 64)), rng.normal(size=(64, 64)) / 8
    _, weights = attention(x @ W, x @ W, x)
    if attention_entropy(weights).mean() > 0.95 * math.log(20):
        return "nowhere: the rows are even"
    return "to the token itself" if np.trace(weights) / 20 > 0.5 else "to other tokens"


@question(
    "tied-weights",
    lesson="01",
    source="Q3",
    text="With the same matrix for queries and keys the scores are symmetric: score(i, j) = score(j, i). And the "
    "weights after softmax?",
    options={
        "symmetric as well": "Softmax treats all rows alike, but each row is divided by its own sum, and the sums of "
        "two rows differ.",
        "not symmetric": "Each row is divided by its own sum, so equal scores become unequal weights. Tied matrices "
        "are a restriction, but not a useless one.",
        "symmetric except for the diagonal": "The diagonal often has the largest scores, but it is the sums of the "
        "rows that break the symmetry, everywhere.",
    },
)
def tied_weights():
    x = np.random.default_rng(0).normal(size=(6, 4))
    _, weights = attention(x, x, x)
    if np.allclose(weights, weights.T):
        return "symmetric as well"
    off_diagonal = weights * (1 - np.eye(6))
    return "symmetric except for the diagonal" if np.allclose(off_diagonal, off_diagonal.T) else "not symmetric"


@question(
    "it-and-cat",
    lesson="01",
    source="M5",
    text="“it” gives “cat” the weight 0.7. What weight does “cat” give “it”?",
    options={
        "0.7": "A relation seems to hold both ways, but each word asks with its own query and shares out its own "
        "total: two different rows.",
        "0.3": "The 0.3 left over belongs to the row of “it”, which spends it on other words; the row of “cat” is "
        "another total of 1.",
        "this cannot be told": "Row “it” and row “cat” come from different queries and are normalised apart, so one "
        "number says nothing about the other.",
    },
)
def it_and_cat():
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, 500, 6, 8))  # 500 sentences of six words
    _, weights = attention(query, key, key)
    it_to_cat, cat_to_it = weights[:, 0, 1], weights[:, 1, 0]
    if np.allclose(it_to_cat, cat_to_it):
        return "0.7"
    return "0.3" if np.allclose(it_to_cat + cat_to_it, 1) else "this cannot be told"


@question(
    "rank-of-the-product",
    lesson="01",
    source="Q4",
    text="Scores depend on the product W_q W_kᵀ alone. With d_model = 64 and d_k = 8 it has 64 × 64 entries. What is "
    "its rank?",
    options={
        "64": "A random square matrix of this size has full rank, but this one was squeezed through d_k = 8 on its "
        "way.",
        "8": "Both factors have 8 columns. One free 64 × 64 matrix could do more, but has four times as many numbers "
        "as the two factors here.",
        "16": "Two factors of rank 8 each suggest the sum, but a product never has a higher rank than either of its "
        "factors.",
    },
)
def rank_of_the_product():
    W_q, W_k = np.random.default_rng(0).normal(size=(2, 64, 8))
    return str(np.linalg.matrix_rank(W_q @ W_k.T))


@question(
    "values-plus-100",
    lesson="01",
    source="Q5",
    text="100 is added to every number in every value. Queries and keys stay. What changes?",
    options={
        "the output only": "Weights come from queries and keys. Their rows sum to 1, so a mean of values that all "
        "grew by 100 grows by 100.",
        "the weights and the output": "Larger values seem to attract attention, but no value enters a score: only "
        "keys decide where the weight goes.",
        "the weights only": "Softmax does ignore a constant, but it acts on scores; the values are mixed after it, as "
        "they are.",
    },
)
def values_plus_100():
    query, key, value = np.random.default_rng(0).normal(size=(3, 6, 4))
    output, weights = attention(query, key, value)
    moved_output, moved_weights = attention(query, key, value + 100)
    if np.array_equal(weights, moved_weights):
        return "the output only" if not np.allclose(output, moved_output) else "nothing"
    return "the weights only" if np.allclose(output, moved_output) else "the weights and the output"


@question(
    "divide-by-d",
    lesson="01",
    source="M2 Q6",
    text="Queries and keys have independent entries with variance 1. The scores are divided by d_k, not by √d_k. When "
    "d_k goes from 64 to 512, the weights become …",
    options={
        "sharper": "Longer vectors do have larger dot products. They grow like √d_k, though, and dividing by d_k "
        "takes more than that away.",
        "no different": "Dividing by d_k sounds like taking out the size, but a dot product of random entries has "
        "standard deviation √d_k; √d_k would take it out.",
        "flatter": "The scores' standard deviation is √d_k / d_k = 1/√d_k, which falls as d_k grows; scores close to "
        "one another give even weights.",
    },
)
def divide_by_d():
    rng = np.random.default_rng(0)
    entropies = []
    for d_k in (64, 512):
        query, key = rng.normal(size=(2, 32, d_k))
        _, weights = attention(query, key, key, scale=1 / d_k)
        entropies.append(attention_entropy(weights).mean() / math.log(32))
    if math.isclose(*entropies, abs_tol=1e-4):
        return "no different"
    return "flatter" if entropies[1] > entropies[0] else "sharper"


@question(
    "one-small-draw",
    lesson="01",
    source="Q7",
    text="The product of two 2 × 2 matrices with standard normal entries has entries of variance 2. You draw one pair "
    "and take `np.var` of the four numbers. What do you expect?",
    options={
        "close to 2": "The variance is a fact about all draws together; four numbers of one draw, which even share "
        "their factors, estimate it badly.",
        "anything, from below 0.5 to above 4": "Four numbers that share factors scatter widely. Only many draws "
        "pooled show the 2, so one experiment proves little.",
        "always below 2": "`np.var` of few numbers is indeed low on average, because it measures from their own mean, "
        "but single draws go far above 2.",
    },
)
def one_small_draw():
    a, b = np.random.default_rng(0).normal(size=(2, 4000, 2, 2))
    low, high = np.quantile(np.var(a @ b, axis=(-2, -1)), (0.05, 0.95))
    if low < 0.5 and high > 4:
        return "anything, from below 0.5 to above 4"
    return "always below 2" if high < 2 else "close to 2"


@question(
    "which-d",
    lesson="01",
    source="Q8",
    text="d_model = 64 is split among 4 heads, so d_k = 16. Entries have variance 1. A head's scores are divided by "
    "√d_model instead of √d_k. What is their standard deviation?",
    options={
        "1.0": "This is what √d_k gives: a head's dot product has 16 terms, not 64, so √64 divides by too much.",
        "0.5": "The dot product of 16 terms has standard deviation √16 = 4; divided by √64 = 8 that is half of what "
        "was meant.",
        "2.0": "The factor two is right but not its direction: the divisor is too large, so the scores come out too "
        "small.",
    },
)
def which_d():
    d_model, d_k = 64, 16
    query, key = np.random.default_rng(0).normal(size=(2, 500, d_k))
    return f"{np.std(query @ key.T / math.sqrt(d_model)):.1f}"


@question(
    "cosine-cannot-focus",
    lesson="01",
    source="M4 Q9",
    text="Cosines are used as scores, with no scaling. The best key has cosine 1, the 99 others 0. What weight does "
    "softmax give the best key?",
    options={
        "0.73": "This is e / (e + 1), the share against one other key; here 99 others have a say of 1 each.",
        "0.50": "A perfect match seems to deserve at least half, but a score of 1 is only e times as heavy as a score "
        "of 0, and there are 99 of those.",
        "0.03": "e / (e + 99): bounded scores cannot be far apart, so softmax cannot choose. A factor on the cosines, "
        "learned in some models, mends it.",
    },
)
def cosine_cannot_focus():
    cosines = np.zeros(100)
    cosines[0] = 1
    return f"{softmax(cosines)[0]:.2f}"


@question(
    "additive-scores",
    lesson="01",
    source="Q10",
    text="Additive scores sum tanh(q + k) over d = 32 features for each of 64 × 64 pairs. How large is the array "
    "before that sum, compared with the dot product's scores?",
    options={
        "the same size": "The results do have the same size, but every pair first needs a vector of its own; a matrix "
        "product never builds those vectors.",
        "32 times as large": "Each pair holds all its features before they are summed. A small net for each pair "
        "can express more, and this is its price.",
        "64 times as large": "64 counts queries or keys, and those axes are in both arrays already; what is added is "
        "the axis of features.",
    },
)
def additive_scores():
    query, key = np.random.default_rng(0).normal(size=(2, 64, 32))
    pairs = np.tanh(query[:, None] + key)  # (n_q, n_k, d)
    times = pairs.size // (query @ key.T).size
    return "the same size" if times == 1 else f"{times} times as large"


@question(
    "eps-below-the-line",
    lesson="01",
    source="text C",
    text="A softmax subtracts the row's maximum and takes exp. Then it divides by the sum plus 0.01, so that it never "
    "divides by 0. What does the 0.01 do?",
    options={
        "only harm: rows sum to less than 1": "After the subtraction the largest score is 0 and exp(0) = 1, so a row's "
        "sum is never below 1. There was nothing to guard, and now a little of each row is lost.",
        "nothing, sums are large": "A row of eight scores has a sum between 1 and 8. Of that 0.01 is a per cent or "
        "less, but all rows lose it.",
        "it saves rows whose sum is 0": "No row has such a sum: its maximum is subtracted, so one of its terms is "
        "exp(0) = 1. A row without any key is another case, for the mask to settle.",
    },
)
def eps_below_the_line():
    scores = 5 * np.random.default_rng(0).normal(size=(200, 8))
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    total = exponentials.sum(axis=-1, keepdims=True)
    if total.min() < 0.01:
        return "it saves rows whose sum is 0"
    sums = (exponentials / (total + 0.01)).sum(axis=-1)
    return "only harm: rows sum to less than 1" if (sums < 0.999).all() else "nothing, sums are large"
