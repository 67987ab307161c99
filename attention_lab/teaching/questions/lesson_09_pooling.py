"""Questions of lesson 09, first half: one vector for a sentence, and what padding does to it."""

import numpy as np

from attention_lab import AttentionPooling, Encoder, TextClassifier, masked_mean
from attention_lab.teaching.questions.question import question


@question(
    "pads-in-the-mean",
    lesson="09",
    source="Q96",
    text="The two words of a sentence have the vectors [2, 0] and [4, 2], and their mean is [3, 1]. In a batch the "
    "sentence gets two pads, vectors of zeros. What is the plain mean over its four rows?",
    options={
        "[3, 1]": "Zeros add nothing to the sum, so they seem harmless. But a mean divides as well, and now by 4 "
        "instead of 2.",
        "[1.5, 0.5]": "The sum stays and the divisor doubles: a sentence's vector depends on how long its neighbours "
        "in the batch are. A masked mean divides by the number of real words.",
        "[1, 0]": "Pads do pull the mean towards 0, but all its numbers alike: the sum [6, 2] is divided by 4. "
        "Nothing turns, all shrinks.",
    },
)
def pads_in_the_mean():
    words = np.array([[2.0, 0.0], [4.0, 2.0]])
    padded = np.concatenate([words, np.zeros((2, 2))])
    return "[" + ", ".join(f"{number:g}" for number in masked_mean(padded)) + "]"  # without a mask all count


@question(
    "share-of-the-mean",
    lesson="09",
    source="Q96 again",
    text="A sentence of three words is padded to twelve places with zeros. How long is the plain mean over all twelve "
    "rows, compared with the masked mean?",
    options={
        "as long": "The sum of the rows is the same, with zeros or without. What differs is the divisor: 12 and 3.",
        "a third as long": "3 are words and 9 are pads, but the mean divides by all rows: 12, four times as many as "
        "the words.",
        "a quarter as long": "The same sum is divided by 12 instead of 3. In a batch of short sentences only, the same "
        "sentence would have kept its length.",
    },
)
def share_of_the_mean():
    rng, real = np.random.default_rng(0), np.arange(12) < 3
    padded = np.where(real[:, None], rng.normal(size=(12, 8)), 0)
    ratio = np.linalg.norm(masked_mean(padded)) / np.linalg.norm(masked_mean(padded, real))
    names = {1: "as long", 3: "a third as long", 4: "a quarter as long"}
    return names[round(1 / ratio)]


@question(
    "unmasked-pool",
    lesson="09",
    source="Q97",
    text="In attention pooling a learned query gives each of four words the score −2. Four pads, vectors of zeros, are "
    "not masked. What share of the pool's weight goes to the pads?",
    options={
        "0.00": "A vector of zeros seems to add nothing. It adds nothing to the mixture, but its score is 0, and that "
        "takes weight from the words.",
        "0.50": "Four and four would share evenly if their scores were equal. But a pad has score 0, and the words "
        "have −2.",
        "0.88": "Each pad weighs e⁰ = 1, each word e⁻² = 0.14. A word that the query dislikes weighs less than an "
        "empty vector: a pool needs the mask as well.",
    },
)
def unmasked_pool():
    pool = AttentionPooling(1)
    pool.query[:] = -2
    _, weights = pool([[1.0]] * 4 + [[0.0]] * 4)
    return f"{weights[4:].sum():.2f}"


@question(
    "liked-words",
    lesson="09",
    source="Q97 again",
    text="In attention pooling a learned query gives each of three words the score 2. Nine pads, vectors of zeros, are "
    "not masked. What share of the pool's weight goes to the pads?",
    options={
        "0.29": "Each word weighs e² = 7.4, each pad e⁰ = 1: 9 of 31. Even a query that likes the words far better "
        "loses more than a quarter to empty rows, if only there are enough of them.",
        "0.75": "9 of 12 rows are pads, and a mean would give them that. Softmax weighs by e to the score, and the "
        "words' scores are higher.",
        "0.00": "A score of 2 against 0 is a clear preference, not an absolute one. Only a mask makes a weight of 0.",
    },
)
def liked_words():
    pool = AttentionPooling(1)
    pool.query[:] = 2
    _, weights = pool([[1.0]] * 3 + [[0.0]] * 9)
    return f"{weights[3:].sum():.2f}"


@question(
    "zero-query",
    lesson="09",
    source="Q98",
    text="The learned query of attention pooling starts as a vector of zeros. What does it pool before any training?",
    options={
        "a vector of zeros": "Zero times anything is zero, but it is the scores that are zero. The query weighs the "
        "words, and is not multiplied with what is mixed.",
        "the mean of the words": "All scores are 0, so all weights are equal: a mean is attention that prefers "
        "nothing. Training starts there, and learns what to prefer.",
        "the first word": "With equal scores none of them is the largest, and softmax does not break ties: each word "
        "gets the same weight.",
    },
)
def zero_query():
    words = np.random.default_rng(0).normal(size=(5, 8))
    pooled, _ = AttentionPooling(8)(words)
    guesses = {"a vector of zeros": 0 * words[0], "the mean of the words": words.mean(0), "the first word": words[0]}
    return next(name for name, guess in guesses.items() if np.allclose(pooled, guess))


@question(
    "cls-or-mean",
    lesson="09",
    source="Q95",
    text="A token [CLS] is put in front of each sentence; its output row is to stand for the whole. Two sentences of "
    "unlike words go through an untrained block. Which pair is more alike?",
    options={
        "their two [CLS] rows": "The row is mostly [CLS] itself, the same in both, plus a blurred mean. It is a query "
        "like any other: only training on the task makes a summary of it.",
        "the means of their rows": "A mean does blur, but it holds nothing but the sentence. The [CLS] row holds "
        "mostly [CLS], which is the same token in both.",
        "neither, the words differ": "The words differ, but [CLS] does not, and the residual adds it to its row "
        "unchanged: the two rows have a cosine above 0.6.",
    },
)
def cls_or_mean():
    alike = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        block, cls, sentences = Encoder(1, 32, 4, 64, rng=rng), rng.normal(size=(1, 32)), rng.normal(size=(2, 8, 32))
        rows = np.stack([block(np.concatenate([cls, words]))[0] for words in sentences])
        for pair in (rows[:, 0], rows[:, 1:].mean(1)):
            unit = pair / np.linalg.norm(pair, axis=-1, keepdims=True)
            alike.append(unit[0] @ unit[1])
    of_cls, of_mean = np.reshape(alike, (8, 2)).mean(0)
    if max(of_cls, of_mean) < 0.2:
        return "neither, the words differ"
    return "their two [CLS] rows" if of_cls > of_mean else "the means of their rows"


@question(
    "two-evaluations",
    lesson="09",
    source="lesson",
    text="A trained classifier is evaluated twice on the same batch, padding and all. The logits of the second run "
    "differ from the first by far more than rounding. What is the first suspect?",
    options={
        "dropout, still on": "Each run draws anew what is dropped. An evaluation draws nothing: without a generator, "
        "`rng`, our model drops nothing, and both runs agree to the last bit.",
        "pads in the pool": "A fault, and a common one, but a fixed one: the same batch has the same pads, and the "
        "same wrong mean comes out each time.",
        "rounding": "The same operations on the same numbers round the same way. In the computed example two runs "
        "without dropout have a gap of exactly 0.",
    },
)
def two_evaluations():
    rng = np.random.default_rng(0)
    model = TextClassifier(50, 2, 16, 2, 32, max_len=10, dropout=0.3, rng=rng)
    ids = rng.integers(50, size=(4, 10))
    gaps = {}
    for name, about in {"dropout, still on": {"rng": rng}, "pads in the pool": {}}.items():  # none of them is masked
        first, second = (model(ids, **about)[0] for _ in range(2))
        gaps[name] = np.abs(first - second).max()
    return next((name for name, gap in gaps.items() if gap > 0.01), "rounding")


@question(
    "because-masked_mean",
    lesson="09",
    source="exercise",
    text="`masked_mean` divides by the number of real tokens and not by the number of rows, because …",
    options={
        "a batch must not change a vector": "Longer neighbours mean more pads. Divided by all rows, a sentence shrinks "
        "with them; divided by its own tokens it is the same in every batch.",
        "the vector then has length 1": "Norming a vector does that. A mean of the real tokens is as long as they make "
        "it, and the closer they agree, the longer.",
        "long sentences then count more": "Not so: a mean of 4 tokens and a mean of 40 have the same scale. A "
        "plain sum would let long sentences count more.",
    },
)
def because_masked_mean():
    rng, found = np.random.default_rng(0), []
    for rows in (4, 6, 24):
        real = np.arange(rows) < 4
        padded = np.where(real[:, None], np.resize(np.eye(4, 8), (rows, 8)), rng.normal(size=(rows, 8)))
        found.append(masked_mean(padded, real))
    if np.isclose(np.linalg.norm(found[0]), 1):
        return "the vector then has length 1"
    twice = masked_mean(np.tile(np.eye(4, 8), (2, 1)))
    if np.linalg.norm(twice) > 1.1 * np.linalg.norm(found[0]):
        return "long sentences then count more"
    return "a batch must not change a vector" if np.allclose(found, found[0]) else "no reason at all"
