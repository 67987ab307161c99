"""Questions of lesson 16, second half: a softmax in tiles, and what blockwise attention saves."""

import numpy as np

from attention_lab import blockwise_attention, causal_mask, online_softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


def read(scores, value, tiles):
    """The state after these tiles of one row."""
    state = None
    for keys in tiles:
        state = online_softmax(scores[:, keys], value[keys], state)
    return state


@question(
    "the-old-sum",
    lesson="16",
    source="lesson",
    text="A softmax in tiles. The first tile's largest score is 2, and its sum of exp(score − 2) is 1.5. The next "
    "tile's largest score is 5. What becomes of the 1.5 before the new terms are added?",
    options={
        "1.5 · exp(−3)": "exp(s − 5) = exp(s − 2) · exp(−3), for each term, so for their sum. Seen from a larger "
        "maximum, the old keys are smaller.",
        "it stays 1.5": "Then the old terms would be in units of exp(2) and the new ones in units of exp(5). The old "
        "keys would weigh exp(3) = 20 times too much.",
        "1.5 · exp(3)": "That way round it would have to be if the maximum had fallen by 3. It never falls.",
    },
)
def shrink_the_old():
    scores, value = np.array([[2, 2 + np.log(0.5), 5.0]]), np.eye(3)
    _, total, _ = read(scores, value, [slice(0, 2), slice(2, 3)])
    factor = (total.item() - 1) / 1.5
    return {-3: "1.5 · exp(−3)", 0: "it stays 1.5", 3: "1.5 · exp(3)"}[round(np.log(factor))]


@question(
    "tiles-backwards",
    lesson="16",
    source="lesson",
    text="Read the tiles from the last to the first instead. What changes in the output?",
    options={
        "nothing but rounding": "Maximum and sums do not ask for an order. The factors on the way differ, the end does "
        "not.",
        "what is read first counts less": "It is made smaller more often, that is true: exactly so much that in the "
        "end each key has its softmax weight.",
        "the last tile decides the maximum": "The maximum is that of all tiles so far. After the last one it is the "
        "row's, in whichever order.",
    },
)
def tiles_backwards():
    rng = np.random.default_rng(0)
    scores, value = rng.normal(size=(1, 12)), rng.normal(size=(12, 3))
    tiles = [slice(i, i + 4) for i in range(0, 12, 4)]
    (one, total, mixed), (other, of_total, of_mixed) = (read(scores, value, order) for order in (tiles, tiles[::-1]))
    if not np.allclose(mixed / total, of_mixed / of_total, atol=1e-12):
        return "what is read first counts less"
    return "nothing but rounding" if np.array_equal(one, other) else "the last tile decides the maximum"


@question(
    "exact-or-not",
    lesson="16",
    source="Q124",
    text="400 tokens, float32. How far is the output of blockwise attention from that of the whole matrix?",
    options={
        "as far as rounding goes": "It is the same sum, added in another order: some 1e-7. Neither of the two is the "
        "true one; both are as near to float64.",
        "a few per cent, fewer with larger tiles": "That would be an approximation, as those of lesson 17. Here every "
        "score is computed, and each key gets its softmax weight.",
        "not at all, bit for bit": "In exact arithmetic, yes. In float32 a sum depends a little on the order in which "
        "it is added up.",
    },
)
def exact_or_not():
    arrays = np.random.default_rng(0).normal(size=(3, 400, 16)).astype(np.float32)
    dense, _ = attention(*arrays)
    off = np.abs(blockwise_attention(*arrays) - dense).max()
    if off == 0:
        return "not at all, bit for bit"
    return "as far as rounding goes" if off < 1e-5 else "a few per cent, fewer with larger tiles"


@question(
    "tiles-of-a-causal-map",
    lesson="16",
    source="lesson",
    text="1,024 tokens in tiles of 128 × 128: 64 tiles. Under a causal mask, how many have to be computed?",
    options={
        "36": "1 + 2 + … + 8: the tiles below the diagonal, and the 8 on it, of which half is hidden. The more tiles, "
        "the nearer to a half.",
        "32": "Half of the cells, nearly. But a tile on the diagonal is half visible, and must be computed: 28 below "
        "it and 8 on it.",
        "64": "All of them, if the mask comes after the product, as in lesson 02. Who goes by tiles can leave out "
        "those of which nothing is seen.",
    },
)
def tiles_of_a_causal_map():
    return str(np.count_nonzero(causal_mask(1024).reshape(8, 128, 8, 128).any(axis=(1, 3))))


@question(
    "fewer-multiplications",
    lesson="16",
    source="C64",
    text="Without a mask, how many scores does blockwise attention compute for 512 tokens, in tiles of 64 × 64?",
    options={
        "262,144, as many as the whole matrix": "Every query still meets every key. What it saves is memory, and the "
        "time that traffic with memory takes; not multiplications.",
        "4,096, one tile": "So many exist at a time. The next tile takes their place, until all have been computed.",
        "32,768, a row of tiles": "512 queries times one tile of keys: so many pass in an eighth of the work. There "
        "are 8 tiles of keys.",
    },
)
def fewer_multiplications():
    x, seen = np.random.default_rng(0).normal(size=(512, 4)), 0
    for rows in range(0, 512, 64):
        state = None
        for keys in range(0, 512, 64):
            scores = x[rows : rows + 64] @ x[keys : keys + 64].T
            state = online_softmax(scores, x[keys : keys + 64], state)
            seen += scores.size
        _, total, _ = state  # each exponential is at most 1: a row that has met all keys can sum to 512
        if total.max() > 512:
            return "4,096, one tile"
    return f"{seen:,}, as many as the whole matrix" if seen == attention(x, x, x)[1].size else "4,096, one tile"


@question(
    "twice-as-long",
    lesson="16",
    source="lesson",
    text="A text becomes twice as long. How do these grow: the memory of dense attention, the memory of blockwise "
    "attention, and the scores that either computes?",
    options={
        "4, 2 and 4 times": "The whole matrix is n², a tile has a size of its own, and what remains are inputs and "
        "output, n rows. All n² scores are computed by both.",
        "4, 2 and 2 times": "Memory grows so. But no score is left out: each new token still meets every other.",
        "2, 2 and 4 times": "Dense attention holds its n² scores all at once, so its memory grows like its work.",
    },
)
def twice_as_long():
    def held(n):
        query = np.ones((n, 2))
        _, weights = attention(query, query, query)
        state = read(query @ query.T, query, [slice(i, i + 16) for i in range(0, n, 16)])
        return np.array([weights.nbytes, sum(array.nbytes for array in state), weights.size])

    memory, state, scores = (held(128) / held(64)).astype(int)
    return f"{memory}, {state} and {scores} times"


@question(
    "because-online_softmax",
    lesson="16",
    source="exercise",
    text="`online_softmax` multiplies the old sum and the old mixed values by exp(old maximum − new maximum), "
    "because …",
    options={
        "they are in units of the old maximum": "Each old term is exp(s − old). One factor makes exp(s − new) of all "
        "of them, as if the row had been read with its largest score known.",
        "older keys should count less": "No key counts less: in the end each has its softmax weight.",
        "the sum must stay at most 1": "The sum is at least 1 after any tile, and up to the number of keys. Only the "
        "division at the end makes weights of it.",
    },
)
def because_online_softmax():
    scores, value = np.array([[0.0, 0.0, 1.0, 0.0]]), np.eye(4)
    whole, _ = attention(np.ones((1, 1)), scores.T, value, scale=1.0)
    _, total, mixed = read(scores, value, [slice(0, 2), slice(2, 4)])
    if not np.allclose(mixed / total, whole):
        return "older keys should count less"
    return "they are in units of the old maximum" if total.item() > 1 else "the sum must stay at most 1"
