"""Differently written right answers to the exercises of lesson 19."""

import math

import numpy as np

from attention_lab import attention_rollout
from tests.teaching.exercises.right import right


@right("rollout")
def by_the_package(weights):
    return attention_rollout(weights)


@right("rollout")
def all_steps_first(weights):
    n = weights.shape[-1]
    steps = 0.5 * weights.mean(1) + 0.5 * np.eye(n)
    if len(steps) == 1:
        return steps[0]
    return np.linalg.multi_dot(steps[::-1])


@right("rollout")
def from_the_last_layer_down(weights):
    n = weights.shape[-1]
    seen = np.eye(n)
    for layer in weights[::-1]:
        seen = seen @ (layer.sum(axis=0) / len(layer) + np.eye(n)) / 2
    return seen


@right("rollout")
def by_einsum(weights):
    reached = np.identity(weights.shape[-1])
    for layer in weights:
        reached = (np.einsum("hij,jk->ik", layer, reached) / layer.shape[0] + reached) / 2
    return reached


@right("rollout")
def token_by_token(weights):
    n = weights.shape[-1]
    reached = [[float(i == k) for k in range(n)] for i in range(n)]
    for layer in weights:
        mean = layer.mean(0)
        reached = [
            [sum((mean[i][j] + (i == j)) / 2 * reached[j][k] for j in range(n)) for k in range(n)] for i in range(n)
        ]
    return reached


@right("top_matches")
def normalised_first(query, documents, k):
    documents = documents / np.linalg.norm(documents, axis=1, keepdims=True)
    query = query / np.linalg.norm(query)
    cosines = (documents * query).sum(1)
    order = np.argsort(cosines)[::-1]
    return order[:k], cosines[order[:k]]


@right("top_matches")
def with_plain_python(query, documents, k):
    def cosine(page):
        return sum(a * b for a, b in zip(page, query)) / math.sqrt(sum(page**2) * sum(query**2))

    ranked = sorted(range(len(documents)), key=lambda i: cosine(documents[i]), reverse=True)[:k]
    return ranked, [cosine(documents[i]) for i in ranked]


@right("top_matches")
def a_part_first(query, documents, k):
    cosines = documents @ query / np.sqrt((documents**2).sum(-1)) / np.sqrt(query @ query)
    part = np.argpartition(-cosines, k - 1)[:k]
    part = part[np.argsort(-cosines[part])]
    return part, cosines[part]


@right("top_matches")
def by_distance_on_the_sphere(query, documents, k):
    unit = documents / np.linalg.norm(documents, axis=-1)[:, None]
    apart = np.linalg.norm(unit - query / np.linalg.norm(query), axis=-1)
    best = np.argsort(apart)[:k]
    return [best, 1 - apart[best] ** 2 / 2]
