"""Questions of lesson 17, second half: attention without a softmax, what it saves, and what it gives up."""

import numpy as np

from attention_lab import KVCache, linear_attention, linformer_attention, performer_attention
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.exercises.lesson_17 import causal_linear_attention
from attention_lab.teaching.questions.question import question


@question(
    "without-positive-features",
    lesson="17",
    source="Q125",
    text="Linear attention divides by the sum of its similarities φ(q) · φ(k). Someone leaves φ out: the similarity is "
    "q · k itself, with random normal queries and keys. In how many rows is the sum negative?",
    options={
        "in none": "A sum of many numbers need not be positive: here it is q times the sum of all keys, and that is as "
        "often below 0 as above.",
        "in about half": "The sum is q times the sum of all keys, and its sign is a coin toss. Such a row divides by a "
        "negative number, and near 0 it explodes. With positive φ no sum can be negative.",
        "in nearly all": "There is nothing that prefers negative sums: turn a query round, and its sum changes sign.",
    },
)
def without_positive_features():
    query, key = np.random.default_rng(0).normal(size=(2, 1000, 16))
    share = (query @ key.sum(0) < 0).mean()
    return "in none" if share < 0.1 else "in nearly all" if share > 0.9 else "in about half"


@question(
    "break-even",
    lesson="17",
    source="Q126",
    text="A head of d = 64 reads n tokens. Softmax attention multiplies n · n · d numbers twice, linear attention with "
    "m = 64 features n · m · d numbers twice. For which n has the linear one fewer multiplications?",
    options={
        "for every n": "Linear says how a cost grows, not how large it is. At 32 tokens the linear one multiplies "
        "twice as many numbers.",
        "above 64": "n · n against n · m: level at n = m. Below it, linear attention is dearer; and its causal "
        "form goes step by step, which costs time of its own.",
        "above 4,096": "64 · 64 would be right if the features cost m · d a pair of tokens. They cost m · d a token: "
        "the break-even is n = m.",
    },
)
def break_even():
    cheaper = [n for n in range(1, 9000) if 2 * n * 64 * 64 < 2 * n * n * 64]
    first = cheaper[0] - 1
    return "for every n" if not first else f"above {first:,}"


@question(
    "four-times-as-sharp",
    lesson="17",
    source="M25 Q127",
    text="64 queries and keys are drawn, then all are made 4 times as long: scores 16 times as large. What is the mean "
    "of each row's top weight then, with softmax and with linear attention (elu + 1)?",
    options={
        "0.89 and 0.89": "Longer vectors sharpen a softmax, since exp makes ratios of differences. elu + 1 is straight "
        "above 0: 4 times as long is hardly another shape.",
        "0.89 and 0.03": "The softmax picks one key. Linear attention stays near the 1/64 = 0.02 of equal weights: its "
        "similarities grow, but their ratios stay small.",
        "0.11 and 0.02": "So it is before, with the vectors as they were drawn. Softmax is sharpened by length, and "
        "linear attention is not.",
    },
)
def four_times_as_sharp():
    query, key = 4 * np.random.default_rng(0).normal(size=(2, 8, 64, 64))
    _, weights = attention(query, key, key)
    linear = linear_attention(query, key, np.eye(64))  # of a value that is the identity: the weights themselves
    found = weights.max(-1).mean(), linear.max(-1).mean()
    offers = {"0.89 and 0.89": (0.89, 0.89), "0.89 and 0.03": (0.89, 0.03), "0.11 and 0.02": (0.11, 0.02)}
    return next((said for said, numbers in offers.items() if np.allclose(found, numbers, rtol=0, atol=0.02)), None)


@question(
    "what-a-state-keeps",
    lesson="17",
    source="lesson",
    text="Two models write token after token, with heads of width 64. One keeps keys and values, the other is causal "
    "linear attention with its running sums. How much larger is what they keep after 1,000 tokens than after 100?",
    options={
        "10 times, and 10 times": "A cache grows with every token. But a sum of matrices is a matrix of the same size, "
        "however many were added.",
        "10 times, and no larger": "64 · 64 numbers and 64 more, whatever was read: a recurrent network. That is the "
        "gain, and the loss: a thousand tokens must fit in there.",
        "no larger, in both": "A cache without an end keeps 2 · 64 numbers for each token. Only the sums stay as they "
        "are.",
    },
)
def what_a_state_keeps():
    sizes = []
    for n in (100, 1000):
        rows, cache = np.random.default_rng(0).exponential(size=(3, n, 64)), KVCache(n)
        cache.append(*rows[1:])
        _, state, total = causal_linear_attention(*rows)
        sizes.append((cache.nbytes, state.nbytes + total.nbytes))
    (cache, sums), said = np.divide(sizes[1], sizes[0]), "10 times"
    if sums == 1:
        return f"{said}, and no larger" if cache == 10 else "no larger, in both"
    return f"{said}, and {said}"


@question(
    "rank-of-the-weights",
    lesson="17",
    source="lesson",
    text="100 tokens, and linear attention with 8 features. Should each token read itself alone, the weights would "
    "have to be the 100 × 100 identity. What is the largest rank that they can have?",
    options={
        "100": "Each row of the weights is made from one query's 8 features, times the same 8 × 100 numbers of the "
        "keys. More than 8 rows cannot be independent.",
        "8": "The weights are a (100, 8) times an (8, 100) matrix, each row divided by a number. The identity has rank "
        "100: it is out of reach, whatever is learned.",
        "1": "The sum over the keys is taken once. But it is a matrix, and each query reads 8 numbers of its own from "
        "it.",
    },
)
def rank_of_the_weights():
    query, key = np.random.default_rng(0).normal(size=(2, 100, 8))
    return str(np.linalg.matrix_rank(linear_attention(query, key, np.eye(100))))


@question(
    "four-times-the-features",
    lesson="17",
    source="lesson",
    text="A Performer estimates exp(q · k) with random features. The vectors are short, and 64 features become 256. "
    "What becomes of its error?",
    options={
        "a quarter": "A mean of 4 times as many draws has a quarter of the variance. The error is the root of that.",
        "about half": "It falls as 1/√m: twice as exact costs four times as much. And only for short vectors: for long "
        "ones, single draws decide, and the error hardly falls at all.",
        "the same": "So it looks where the vectors are long: single draws decide there. With short ones, each draw "
        "tells a little, and more of them tell more.",
    },
)
def four_times_the_features():
    errors = []
    for m in (64, 256):
        squares, rng = [], np.random.default_rng(m)
        for _ in range(12):
            query, key, value = rng.normal(size=(3, 40, 16)) * [[[0.25]], [[0.25]], [[1]]]
            estimate = performer_attention(query, key, value, num_features=m, rng=rng)
            squares.append(np.square(estimate - attention(query, key, value)[0]).mean())
        errors.append(np.sqrt(np.mean(squares)))
    offers = {"a quarter": 0.25, "about half": 0.5, "the same": 1.0}
    return min(offers, key=lambda said: abs(np.log(errors[1] / errors[0] / offers[said])))


@question(
    "because-causal_linear_attention",
    lesson="17",
    source="exercise",
    text="`causal_linear_attention` keeps a second sum, of φ(k) alone, because …",
    options={
        "rows must sum to one": "Without it each row would be weighted by the sum of its similarities, and that grows "
        "with every token read. Divided by it, the output is a mean of values again.",
        "φ(k) is needed for the next query": "Old keys are in the state, and are not asked for one by one. What is "
        "missing there is how much weight there was in all.",
        "the state could overflow": "It may grow as large without the division: the sum is divided out at each query, "
        "the state itself stays as it is.",
    },
)
def because_causal_linear_attention():
    query, key = np.random.default_rng(0).exponential(size=(2, 50, 8))  # features: positive
    output, _, total = causal_linear_attention(query, key, np.ones((50, 1)))
    bare = query[-1] @ total  # what the last row would be without a division
    return "rows must sum to one" if np.allclose(output, 1) and bare > 10 else "the state could overflow"


@question(
    "because-random_features",
    lesson="17",
    source="exercise",
    text="`random_features` subtracts ‖x‖²/2 inside the exponential, because …",
    options={
        "else the mean is too large": "The mean of exp(w · (q + k)) over normal w is exp(‖q + k‖²/2): q · k, and half "
        "of each squared length on top. The subtraction takes these two away.",
        "else a feature is negative": "An exponential is never negative, whatever stands in it. It is the size of the "
        "mean that goes wrong.",
        "it only keeps numbers small": "It does, but not only: a key's factor differs from key to key. Left out, long "
        "keys get weight that the softmax does not give them.",
    },
)
def because_random_features():
    rng = np.random.default_rng(0)
    query, key = 0.5 * rng.normal(size=(2, 8))
    at_query, at_key = (np.exp(rng_w @ x) for rng_w in [rng.normal(size=(20_000, 8))] for x in (query, key))
    if min(at_query.min(), at_key.min()) < 0:
        return "else a feature is negative"
    bare, wanted = (at_query * at_key).mean(), np.exp(query @ key)
    mended = bare * np.exp(-(query @ query + key @ key) / 2)
    fits = abs(mended / wanted - 1) < 0.1 < bare / wanted - 1
    return "else the mean is too large" if fits else "it only keeps numbers small"


@question(
    "scores-of-mixed-keys",
    lesson="17",
    source="text C",
    text="A head over 512 tokens computes 512 × 512 = 262,144 scores. Linformer mixes the 512 keys into 32, and the "
    "values too. How many scores are left?",
    options={
        "16,384": "512 queries times 32 mixtures, n · k instead of n². With a fixed k, twice as many tokens have twice "
        "as many scores, no longer four times.",
        "1,024": "32 × 32 would need few queries as well. But each token still asks: only what it reads is shorter.",
        "262,144": "So with a mask, which hides what was computed. Here the keys are mixed before anything is scored.",
    },
)
def scores_of_mixed_keys():
    rng = np.random.default_rng(0)
    (query, key, value), mixing = rng.normal(size=(3, 512, 8)), rng.normal(size=(32, 512))
    output, weights = attention(query, mixing @ key, mixing @ value)
    if not np.allclose(output, linformer_attention(query, key, value, mixing, mixing)):
        raise ValueError("Linformer should be attention over the mixtures")
    return f"{weights.size:,}"


@question(
    "mixed-with-the-future",
    lesson="17",
    source="text C",
    text="Linformer mixes 64 keys into 8, and 64 values too, by two learned matrices. Can a model that writes token by "
    "token use it, if the first query is shown the first mixture only?",
    options={
        "no, a mixture holds later tokens": "Each of the 8 is a sum over all 64 places. Whoever reads one reads the "
        "future: Linformer is for encoders, and for one length.",
        "yes, a mask on the 8 is enough": "A mask chooses among mixtures. It cannot take a token out of one that holds "
        "all of them.",
        "yes, only the queries must be in order": "The queries are in order, and still the first one reads what a "
        "sum has brought from the end.",
    },
)
def mixed_with_the_future():
    rng = np.random.default_rng(0)
    (query, key, value), mixing = rng.normal(size=(3, 64, 8)), rng.normal(size=(8, 64)) / 8
    other = value.copy()
    other[-1] += 1  # the last token alone
    first = [linformer_attention(query[:1], key, v, mixing[:1], mixing[:1]) for v in (value, other)]
    return "yes, a mask on the 8 is enough" if np.allclose(*first) else "no, a mixture holds later tokens"
