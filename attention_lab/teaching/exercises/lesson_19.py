"""Lesson 19: attention rollout, from the maps of all layers to one."""

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def rollout(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)  # (n, n): each token carries itself
    reached = stays
    for layer in weights:  # (heads, n, n), the first layer first
        attended = layer.mean(axis=0)  # (n, n)
        step = (attended + stays) / 2  # mix: half attention, half the stream
        reached = step @ reached  # what a token reads had been reached one layer below
    return reached


@diagnosed(
    "You multiply from the wrong side: your first layer reads what the last one has made. A token reads below itself, "
    "so the new layer stands on the left: `step @ reached`."
)
def faulty_rollout_side(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)
    reached = stays
    for layer in weights:
        step = (layer.mean(axis=0) + stays) / 2
        reached = reached @ step  # what this layer reads
    return reached


@diagnosed(
    "You leave the stream out: in your product a token keeps nothing of itself but what it attends to. "
    "Mix each mean map with the identity: `(attended + stays) / 2`."
)
def faulty_rollout_no_stream(weights):
    reached = np.eye(weights.shape[-1], dtype=weights.dtype)
    for layer in weights:
        reached = layer.mean(axis=0) @ reached
    return reached


@diagnosed(
    lambda got, args: (
        f"Your rows sum to {got[0].sum():.3g}: you add the identity and do not halve, so each layer doubles them. "
        "Divide by 2: half attention, half the stream."
    )
)
def faulty_rollout_not_halved(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)
    reached = stays
    for layer in weights:
        reached = (layer.mean(axis=0) + stays) @ reached
    return reached


@diagnosed(
    "You add the heads up, where each has rows that sum to one: more heads, larger rows. "
    "Take their mean, `layer.mean(axis=0)`."
)
def faulty_rollout_sums_heads(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)
    reached = stays
    for layer in weights:
        reached = (layer.sum(axis=0) + stays) / 2 @ reached
    return reached


@diagnosed(
    "You take the largest head at each cell. Those come from different heads, and rows no longer sum to one. "
    "Take the mean over the heads, `layer.mean(axis=0)`."
)
def faulty_rollout_largest_head(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)
    reached = stays
    for layer in weights:
        reached = (layer.max(axis=0) + stays) / 2 @ reached
    return reached


@diagnosed(
    "You multiply cell by cell, so only what all layers share is left. A token reads tokens that have read others: "
    "that is a matrix product, `step @ reached`."
)
def faulty_rollout_cells(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)
    reached = np.ones_like(stays)
    for layer in weights:
        reached = (layer.mean(axis=0) + stays) / 2 * reached
    return reached


@diagnosed(
    "You take the mean over the layers, as if they stood side by side. They stand on one another: what the second "
    "reads has been mixed by the first. Multiply them."
)
def faulty_rollout_mean_of_layers(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)
    return (weights.mean(axis=(0, 1)) + stays) / 2


@diagnosed(
    "You mix in the identity once, after the product. The stream goes past every layer: add it to each map, before "
    "you multiply."
)
def faulty_rollout_stream_at_the_end(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)
    reached = stays
    for layer in weights:
        reached = layer.mean(axis=0) @ reached
    return (reached + stays) / 2


@diagnosed(
    "Your map is turned round: what reaches token i stands in its column. Rows are the tokens that read, and each row "
    "sums to one: leave the transpose out."
)
def faulty_rollout_turned(weights):
    stays = np.eye(weights.shape[-1], dtype=weights.dtype)
    reached = stays
    for layer in weights:
        reached = (layer.mean(axis=0) + stays) / 2 @ reached
    return reached.T


def _maps():
    rng = np.random.default_rng(19)
    sizes = [(3, 2, 5), (2, 3, 7), (5, 7, 3), (2, 5, 11)]
    cases = [softmax(2 * rng.normal(size=(layers, heads, n, n))) for layers, heads, n in sizes]
    cases.append(cases[0].astype(np.float32))
    return [(case,) for case in cases]


# As the gallery calls them: the name tells what is wrong.
faulty_side = faulty_rollout_side
faulty_stream = faulty_rollout_no_stream

EXERCISES = [
    Exercise(
        task="Write rollout(weights): the weights of all layers, (layers, heads, n, n), the first layer first -> "
        "(n, n), what reaches each token through all of them, if attention and stream carry half each.",
        reference=rollout,
        cases=_maps(),
        faults=[
            faulty_rollout_side,
            faulty_rollout_no_stream,
            faulty_rollout_not_halved,
            faulty_rollout_sums_heads,
            faulty_rollout_largest_head,
            faulty_rollout_cells,
            faulty_rollout_mean_of_layers,
            faulty_rollout_stream_at_the_end,
            faulty_rollout_turned,
        ],
        hints=(
            "One layer first: the mean of its heads tells what each token reads, the identity what it keeps. What does "
            "half and half look like, and what do its rows sum to?",
            "Two layers: token i reads token j in the second, and j has read k in the first. Add over all j: that is a "
            "product of two matrices. Which one stands on the left?",
            "Begin with the identity. For each layer: `step = (layer.mean(axis=0) + stays) / 2`, then "
            "`reached = step @ reached`.",
        ),
        key="# mix",
        distractor=faulty_rollout_side,
        learned="one map for all layers, whose rows sum to one. It knows the weights, and nothing else.",
        returns=("reached",),
    ),
]
