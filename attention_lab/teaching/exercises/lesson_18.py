"""Lesson 18: attention along the edges of a graph, and a convolution written as attention to positions."""

import math

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def neighbour_attention(query, key, value, neighbours):
    output = np.zeros((len(query), value.shape[-1]), value.dtype)
    for i, near in enumerate(neighbours):
        scores = key[near] @ query[i]  # score: (degree,), along the edges alone
        scores = scores / math.sqrt(query.shape[-1])  # scale
        weights = np.exp(scores - scores.max())
        weights = weights / weights.sum()  # normalise: over the neighbours
        output[i] = weights @ value[near]  # mix: (d_v,)
    return output


def offset_weights(scores, n):
    radius = len(scores) // 2
    offset = np.arange(n) - np.arange(n)[:, None]  # (n, n): key minus query
    shown = scores[np.clip(offset + radius, 0, 2 * radius)]  # score: by distance alone
    shown = np.where(np.abs(offset) <= radius, shown, -np.inf)  # mask
    weights = np.exp(shown - shown.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)  # normalise: over the keys that are there


# neighbour_attention ---------------------------------------------------------------------------------------


def _rows(query, key, value, neighbours, score=None, weigh=None):
    """The reference with another score or other weights."""
    score = score or (lambda i, near: key[near] @ query[i] / math.sqrt(query.shape[-1]))
    weigh = weigh or (lambda scores: np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum())
    return np.stack([weigh(score(i, near)) @ value[near] for i, near in enumerate(neighbours)])


@diagnosed(
    "You let the neighbours ask and the node answer: `query[near] @ key[i]`. Each row is what node i reads, so its own "
    "query asks, and the neighbours offer their keys: `key[near] @ query[i]`."
)
def faulty_neighbour_attention_asks_back(query, key, value, neighbours):
    output = np.zeros((len(query), value.shape[-1]), value.dtype)
    for i, near in enumerate(neighbours):
        scores = query[near] @ key[i]  # score: (degree,), one a neighbour
        scores = scores / np.sqrt(query.shape[-1])
        weights = np.exp(scores - scores.max())
        weights = weights / weights.sum()
        output[i] = weights @ value[near]
    return output


@diagnosed(
    "You give each neighbour the same weight, as a mean does, so it does not matter what they hold. "
    "Weigh each by the softmax of its score, `key[near] @ query[i]`."
)
def faulty_neighbour_attention_mean(query, key, value, neighbours):
    rows = []
    for near in neighbours:
        rows.append(value[near].mean(axis=0))
    return np.stack(rows)


@diagnosed(
    "Your rows are sums: a node with many neighbours gets a long vector. Divide the exponentials by their sum over the "
    "neighbours, so that the weights of each node sum to one."
)
def faulty_neighbour_attention_sums(query, key, value, neighbours):
    return _rows(query, key, value, neighbours, weigh=lambda scores: np.exp(scores - scores.max()))


@diagnosed(
    "You divide by the sum over all nodes, also those that are no neighbours. "
    "Take the sum over the neighbours alone: `weights.sum()` of the few scores along the edges."
)
def faulty_neighbour_attention_over_all(query, key, value, neighbours):
    rows = []
    for i, near in enumerate(neighbours):
        scores = key @ query[i] / math.sqrt(query.shape[-1])
        weights = np.exp(scores - scores.max())
        weights = weights / weights.sum()
        rows.append(weights[near] @ value[near])
    return np.stack(rows)


@diagnosed("You do not divide the scores by √d_k, so the softmax is too sharp. Write `/ math.sqrt(query.shape[-1])`.")
def faulty_neighbour_attention_unscaled(query, key, value, neighbours):
    return _rows(query, key, value, neighbours, score=lambda i, near: key[near] @ query[i])


@diagnosed(
    "You mix the keys. The keys only say how much to read; what is read are the values: `weights @ value[near]`."
)
def faulty_neighbour_attention_mixes_keys(query, key, value, neighbours):
    return _rows(query, key, key, neighbours)


@diagnosed(
    "You read the first nodes instead of the neighbours: `key[:len(near)]` takes as many, but not those. "
    "Index by the list itself: `key[near]` and `value[near]`."
)
def faulty_neighbour_attention_first_nodes(query, key, value, neighbours):
    return _rows(query, key, value, [np.arange(len(near)) for near in neighbours])


# offset_weights --------------------------------------------------------------------------------------------


@diagnosed(
    "Your map is turned round: the score of the key on the left stands at the key on the right. The offset is key "
    "minus query: `np.arange(n) - np.arange(n)[:, None]`."
)
def faulty_offset_weights_flipped(scores, n):
    return offset_weights(scores[::-1], n)


@diagnosed(
    "You normalise first and cut off afterwards, so rows at the border sum to less than one. Divide by the sum of what "
    "is left: mask first, then normalise each row."
)
def faulty_offset_weights_border(scores, n):
    kernel = np.exp(scores) / np.exp(scores).sum()
    offset = np.arange(n) - np.arange(n)[:, None]
    radius = len(scores) // 2
    inside = np.abs(offset) <= radius
    return np.where(inside, kernel[np.clip(offset + radius, 0, 2 * radius)], 0)


@diagnosed(
    "At the border your rows go on at the other end, as if the tokens stood in a ring. What lies outside is no key: "
    "mask it, `np.abs(offset) <= radius`, instead of counting round."
)
def faulty_offset_weights_ring(scores, n):
    kernel, radius = np.exp(scores - scores.max()), len(scores) // 2
    weights = np.zeros((n, n), scores.dtype)
    for k, weight in enumerate(kernel):
        weights[np.arange(n), (np.arange(n) + k - radius) % n] += weight
    return weights / weights.sum(axis=-1, keepdims=True)


@diagnosed(
    "You use the scores themselves as weights, so some are below zero. A softmax takes their exponentials first: "
    "`np.exp(scores)`."
)
def faulty_offset_weights_linear(scores, n):
    weights = _banded(scores, n)
    return weights / weights.sum(axis=-1, keepdims=True)


@diagnosed(
    "You normalise over the queries: your columns sum to one. Each row is what one query reads: sum over the keys, "
    "`axis=-1, keepdims=True`."
)
def faulty_offset_weights_columns(scores, n):
    weights = _banded(np.exp(scores - scores.max()), n)
    return weights / weights.sum(axis=0)


@diagnosed(
    "You show the keys outside too, with the score of the outermost offset: `np.clip` only keeps the index legal. "
    "Set their weight to 0 where `np.abs(offset) > radius`."
)
def faulty_offset_weights_clipped(scores, n):
    radius = len(scores) // 2
    offset = np.arange(n) - np.arange(n)[:, None]
    shown = scores[np.clip(offset + radius, 0, 2 * radius)]
    shown = np.where(np.abs(offset) < n, shown, -np.inf)  # mask
    weights = np.exp(shown - shown.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


@diagnosed(
    "Your rows are not divided by anything, so they do not sum to one. "
    "Divide each by the sum of its weights, `weights.sum(axis=-1, keepdims=True)`."
)
def faulty_offset_weights_bare(scores, n):
    return _banded(np.exp(scores - scores.max()), n)


@diagnosed(
    "You subtract no maximum: `exp` overflows at a score of 710 in float64, 89 in float32, and inf / inf is NaN. "
    "Subtract each row's largest score first."
)
def faulty_offset_weights_no_maximum(scores, n):
    offset = np.arange(n) - np.arange(n)[:, None]
    radius = len(scores) // 2
    with np.errstate(over="ignore", invalid="ignore"):
        powers = np.exp(scores[np.clip(offset + radius, 0, 2 * radius)])
        weights = np.where(np.abs(offset) <= radius, powers, 0)
        return weights / weights.sum(axis=-1, keepdims=True)


@diagnosed(
    "You subtract the largest of all scores. A row at the border may not see it: all its exponentials are then 0, and "
    "0 / 0 is NaN. Hide first, then subtract the largest that the row sees, `shown.max(axis=-1, keepdims=True)`."
)
def faulty_offset_weights_one_maximum(scores, n):
    weights = _banded(np.exp(scores - scores.max()), n)
    with np.errstate(invalid="ignore"):
        return weights / weights.sum(axis=-1, keepdims=True)


def _banded(kernel, n):
    """Cell (i, j) holds kernel[j - i + radius], or 0 outside."""
    radius = len(kernel) // 2
    return sum(k * np.eye(n, k=at - radius, dtype=kernel.dtype) for at, k in enumerate(kernel) if abs(at - radius) < n)


def _graphs():
    rng = np.random.default_rng(18)
    cases = []
    for n, d, d_v in ((7, 3, 5), (5, 11, 2), (13, 2, 3)):
        near = [np.flatnonzero((rng.random(n) < 0.4) | (np.arange(n) == i)) for i in range(n)]
        cases.append((rng.normal(size=(n, d)), rng.normal(size=(n, d)), rng.normal(size=(n, d_v)), near))
    query, key, value, near = cases[0]
    cases.append((300 * query, 300 * key, value, near))  # scores too large for exp
    cases.append((*(x.astype(np.float32) for x in (query, key, value)), near))
    return cases


def _kernels():
    rng = np.random.default_rng(19)
    cases = [(2 * rng.normal(size=size), n) for size, n in ((3, 7), (5, 11), (7, 5), (1, 3))]
    large = (300 * cases[0][0], 7), (np.array([0.0, 5.0, 1000.0]), 7)  # for exp; the last row does not see the largest
    return [*cases, *large, (cases[1][0].astype(np.float32), 13)]


# As the gallery calls them: the name tells what is wrong.
faulty_reading = faulty_neighbour_attention_asks_back
faulty_kernel = faulty_offset_weights_border
faulty_graph = faulty_neighbour_attention_mean

EXERCISES = [
    Exercise(
        task="Write neighbour_attention(query, key, value, neighbours): query and key (n, d_k), value (n, d_v), and "
        "for each node an array of the nodes that it reads, itself among them -> output (n, d_v). No score that is not "
        "on an edge.",
        reference=neighbour_attention,
        cases=_graphs(),
        faults=[
            faulty_neighbour_attention_asks_back,
            faulty_neighbour_attention_mean,
            faulty_neighbour_attention_sums,
            faulty_neighbour_attention_over_all,
            faulty_neighbour_attention_unscaled,
            faulty_neighbour_attention_mixes_keys,
            faulty_neighbour_attention_first_nodes,
        ],
        hints=(
            "Node i asks, its neighbours answer. Which rows of `key` belong to them, and how many scores are there?",
            "`key[near]` is (degree, d_k): one product with `query[i]` gives all scores of node i. The softmax runs "
            "over these few.",
            "`scores = key[near] @ query[i] / math.sqrt(query.shape[-1])`, then exp, divided by the sum, then "
            "`weights @ value[near]`.",
        ),
        key="# score",
        distractor=faulty_neighbour_attention_asks_back,
        learned="as many scores as there are edges, and the same numbers as with a mask.",
        returns=("output",),
    ),
    Exercise(
        task="Write offset_weights(scores, n): scores (2r + 1,) of the offsets -r to r, key minus query -> the weights "
        "(n, n) of an attention that sees only these keys, and looks at nothing but where they stand.",
        reference=offset_weights,
        cases=_kernels(),
        faults=[
            faulty_offset_weights_flipped,
            faulty_offset_weights_border,
            faulty_offset_weights_ring,
            faulty_offset_weights_linear,
            faulty_offset_weights_columns,
            faulty_offset_weights_clipped,
            faulty_offset_weights_bare,
            faulty_offset_weights_no_maximum,
            faulty_offset_weights_one_maximum,
        ],
        hints=(
            "Which score belongs to query i and key j? It depends on j - i alone, and there is none beyond r.",
            "Make the (n, n) array of j - i. Look the scores up with j - i + r, and give no weight where |j - i| > r.",
            "`shown = np.where(np.abs(offset) <= radius, scores[...], -np.inf)`, then `np.exp` of it less each "
            "row's largest, divided by the sum over the keys.",
        ),
        key="# score",
        distractor=faulty_offset_weights_clipped,
        learned="a convolution whose kernel is a softmax; at the border it is divided by less.",
        returns=("weights",),
    ),
]
