"""Lesson 17: causal linear attention as a running state, and random features for the softmax's kernel."""

import math

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def causal_linear_attention(phi_q, phi_k, value):
    state, total, rows = 0, 0, []
    for i in range(len(value)):
        state = state + np.outer(phi_k[i], value[i])  # mix: (m, d_v), all values so far
        total = total + phi_k[i]  # (m,)
        rows.append(phi_q[i] @ state / (phi_q[i] @ total))  # normalise: by the similarities of this row
    return np.stack(rows), state, total


def random_features(x, directions):
    projected = x @ directions  # project: (..., n, m)
    half = (x * x).sum(axis=-1, keepdims=True) / 2  # scale: (..., n, 1)
    num_features = directions.shape[-1]
    return np.exp(projected - half) / math.sqrt(num_features)


# causal_linear_attention -----------------------------------------------------------------------------------


@diagnosed(
    "Your rows are sums, not means: they grow with every key that was read. Divide each by the sum of its "
    "similarities, `phi_q[i] @ total`."
)
def faulty_causal_linear_attention_sums(phi_q, phi_k, value):
    state, total, rows = 0, 0, []
    for q, k, v in zip(phi_q, phi_k, value, strict=True):
        state = state + np.outer(k, v)
        total = total + k
        rows.append(q @ state)
    return np.stack(rows), state, total


@diagnosed(
    "Each of your rows reads the sum over all keys, so the first token knows the last one. "
    "Read the state inside the loop: it must hold the keys so far."
)
def faulty_causal_linear_attention_whole_sum(phi_q, phi_k, value):
    state = phi_k.T @ value
    total = phi_k.sum(axis=0)
    return phi_q @ state / (phi_q @ total)[:, None], state, total


@diagnosed(
    "You read the state before the token's own key is in it: a row misses itself, and the first one divides 0 by 0. "
    "Add key and value first, then read."
)
def faulty_causal_linear_attention_reads_first(phi_q, phi_k, value):
    state, total, rows = np.zeros((phi_k.shape[1], value.shape[1])), np.zeros(phi_k.shape[1]), []
    for q, k, v in zip(phi_q, phi_k, value, strict=True):
        rows.append(q @ state / (q @ total))
        state = state + np.outer(k, v)
        total = total + k
    return np.stack(rows), state, total


@diagnosed(
    "You divide by the number of keys, as if each had the same weight. The weights are similarities: divide by their "
    "sum, `phi_q[i] @ total`."
)
def faulty_causal_linear_attention_counts(phi_q, phi_k, value):
    state, total, rows = 0, 0, []
    for q, k, v in zip(phi_q, phi_k, value, strict=True):
        state = state + np.outer(k, v)
        total = total + k
        rows.append(q @ state / (len(rows) + 1))
    return np.stack(rows), state, total


@diagnosed(
    "You divide by the sum of the keys' features, which is the same for every query. How much weight a query gives in "
    "all depends on the query too: divide by `phi_q[i] @ total`."
)
def faulty_causal_linear_attention_without_query(phi_q, phi_k, value):
    state, total, rows = 0, 0, []
    for i in range(len(value)):
        state = state + np.outer(phi_k[i], value[i])
        total = total + phi_k[i]
        rows.append(phi_q[i] @ state / total.sum())  # normalise: by all that was read
    return np.stack(rows), state, total


@diagnosed(
    "Your state holds the newest token alone, so every row is its own value. Add to what is there: "
    "`state = state + np.outer(phi_k[i], value[i])`, and the same for `total`."
)
def faulty_causal_linear_attention_forgets(phi_q, phi_k, value):
    rows = []
    for q, k, v in zip(phi_q, phi_k, value, strict=True):
        state = np.outer(k, v)
        total = k
        rows.append(q @ state / (q @ total))
    return np.stack(rows), state, total


@diagnosed(
    "Your state is turned round, (d_v, m): rows are values and columns features. "
    "Put the key first, `np.outer(phi_k[i], value[i])`, so that `phi_q[i] @ state` gives a value."
)
def faulty_causal_linear_attention_turned(phi_q, phi_k, value):
    output, state, total = causal_linear_attention(phi_q, phi_k, value)
    return output, state.T, total


# random_features -------------------------------------------------------------------------------------------


@diagnosed(
    "You leave out ‖x‖²/2, so long queries and keys get features that are too large: their product estimates "
    "exp(‖q + k‖²/2). Subtract `(x * x).sum(axis=-1, keepdims=True) / 2` inside the exponential."
)
def faulty_random_features_without_length(x, directions):
    projected = x @ directions
    num_features = directions.shape[-1]
    return np.exp(projected) / np.sqrt(num_features, dtype=x.dtype)


@diagnosed(
    "You subtract ‖x‖², twice what is needed: the mean of exp(w · x) is exp(‖x‖²/2). Halve it: "
    "`(x * x).sum(axis=-1, keepdims=True) / 2`."
)
def faulty_random_features_whole_square(x, directions):
    projected = x @ directions
    square = (x * x).sum(axis=-1, keepdims=True)
    num_features = directions.shape[-1]
    return np.exp(projected - square) / np.sqrt(num_features, dtype=x.dtype)


@diagnosed(
    "You take the length of x, where its square belongs. Without the root: `(x * x).sum(axis=-1, keepdims=True) / 2`."
)
def faulty_random_features_length(x, directions):
    projected = x @ directions
    half = np.sqrt((x * x).sum(axis=-1, keepdims=True)) / 2  # scale: half the length
    num_features = directions.shape[-1]
    return np.exp(projected - half) / np.sqrt(num_features, dtype=x.dtype)


@diagnosed(
    "You add ‖x‖²/2, which makes long vectors count even more. It must take away what the mean of exp(w · x) has too "
    "much: subtract it."
)
def faulty_random_features_adds(x, directions):
    half = (x * x).sum(axis=-1, keepdims=True) / 2
    return np.exp(x @ directions + half) / np.sqrt(directions.shape[-1], dtype=x.dtype)


@diagnosed(
    "You sum the squares of all vectors together, so one long vector shrinks the features of all. Each vector has a "
    "length of its own: sum over the last axis, `axis=-1, keepdims=True`."
)
def faulty_random_features_one_length(x, directions):
    return np.exp(x @ directions - (x * x).sum() / 2) / np.sqrt(directions.shape[-1], dtype=x.dtype)


@diagnosed(
    "You do not divide by √m, so the product of two such vectors is a sum over the features, not their mean. "
    "Divide each by `math.sqrt(directions.shape[-1])`."
)
def faulty_random_features_no_mean(x, directions):
    return np.exp(x @ directions - (x * x).sum(axis=-1, keepdims=True) / 2)


@diagnosed(
    "You divide by m, and so does the other side: together that is m². Each side takes its root: "
    "`math.sqrt(directions.shape[-1])`."
)
def faulty_random_features_by_m(x, directions):
    return np.exp(x @ directions - (x * x).sum(axis=-1, keepdims=True) / 2) / directions.shape[-1]


def _states():
    rng = np.random.default_rng(17)
    sizes = [(7, 3, 5), (5, 11, 2), (13, 2, 7), (1, 3, 2)]
    cases = [[rng.exponential(size=(n, m)), rng.exponential(size=(n, m)), rng.normal(size=(n, d))] for n, m, d in sizes]
    cases.append([x.astype(np.float32) for x in cases[0]])
    return [tuple(case) for case in cases]


def _vectors():
    rng = np.random.default_rng(18)
    single, stack = rng.normal(size=(7, 5)), rng.normal(size=(2, 3, 5))
    directions = rng.normal(size=(5, 11))
    return [
        (single, directions),
        (stack, rng.normal(size=(5, 13))),
        (3 * single[:3], directions),
        (single.astype(np.float32), directions.astype(np.float32)),
    ]


# As the gallery calls them: the name tells what is wrong.
faulty_sums = faulty_causal_linear_attention_sums
faulty_past = faulty_causal_linear_attention_whole_sum
faulty_features = faulty_random_features_without_length

EXERCISES = [
    Exercise(
        task="Write causal_linear_attention(phi_q, phi_k, value): features (n, m) of queries and keys, value (n, d_v) "
        "-> output (n, d_v), and what is kept after the last token: the state (m, d_v) and the total (m,).",
        reference=causal_linear_attention,
        cases=_states(),
        faults=[
            faulty_causal_linear_attention_sums,
            faulty_causal_linear_attention_whole_sum,
            faulty_causal_linear_attention_reads_first,
            faulty_causal_linear_attention_counts,
            faulty_causal_linear_attention_without_query,
            faulty_causal_linear_attention_forgets,
            faulty_causal_linear_attention_turned,
        ],
        hints=(
            "Row i is (q_i · the sum of φ(k_j) v_jᵀ) divided by (q_i · the sum of φ(k_j)), over all j up to i. What "
            "changes in these two sums from one token to the next?",
            "Each token adds one matrix and one vector, before its own query reads them: "
            "`np.outer(phi_k[i], value[i])` and `phi_k[i]`.",
            "In the loop: `state = state + np.outer(phi_k[i], value[i])`, `total = total + phi_k[i]`; the row is "
            "`phi_q[i] @ state / (phi_q[i] @ total)`.",
        ),
        key="# mix",
        distractor=faulty_causal_linear_attention_without_query,
        learned="a state of one size holds the whole past, and each row is a mean of the values so far.",
        returns=("output", "state", "total"),
    ),
    Exercise(
        task="Write random_features(x, directions): x (..., n, d) and normal directions (d, m) -> (..., n, m), so that "
        "the product of the features of q and k is on average exp(q · k).",
        reference=random_features,
        cases=_vectors(),
        faults=[
            faulty_random_features_without_length,
            faulty_random_features_whole_square,
            faulty_random_features_length,
            faulty_random_features_adds,
            faulty_random_features_one_length,
            faulty_random_features_no_mean,
            faulty_random_features_by_m,
        ],
        hints=(
            "For normal w the mean of exp(w · x) is exp(‖x‖²/2). Of which vector is exp(w · q) exp(w · k) such an "
            "exponential, and what is its squared length?",
            "‖q + k‖²/2 = q · k + ‖q‖²/2 + ‖k‖²/2: each side takes away its own half. And the mean over m directions "
            "is a sum divided by m: each side takes a root of it.",
            "`np.exp(x @ directions - (x * x).sum(axis=-1, keepdims=True) / 2) / math.sqrt(directions.shape[-1])`.",
        ),
        key="# scale",
        distractor=faulty_random_features_length,
        learned="positive features whose products are, on average, what the softmax exponentiates.",
        returns=("features",),
    ),
]
