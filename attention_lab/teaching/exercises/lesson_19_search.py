"""Lesson 19: the nearest of many vectors, by cosine."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def top_matches(query, documents, k):
    lengths = np.linalg.norm(documents, axis=-1)  # (documents,)
    dots = documents @ query  # score: (documents,)
    cosines = dots / (lengths * np.linalg.norm(query))  # normalise: both lengths
    best = np.argsort(-cosines)[:k]  # (k,), the nearest first
    return best, cosines[best]


@diagnosed(
    "You rank by the dot product, so long vectors win. Divide by the lengths of both, "
    "`np.linalg.norm(documents, axis=-1)` and `np.linalg.norm(query)`."
)
def faulty_top_matches_dot(query, documents, k):
    dots = documents @ query
    best = np.argsort(-dots)[:k]
    return best, dots[best]


@diagnosed(
    "You divide by the query's length alone, and that is the same for all: long documents still win. "
    "Divide by each document's length, too."
)
def faulty_top_matches_query_length(query, documents, k):
    dots = documents @ query
    cosines = dots / np.linalg.norm(query)  # normalise: the query
    best = np.argsort(-cosines)[:k]
    return best, cosines[best]


@diagnosed(
    "Your order is right, but your scores are no cosines: they still hold the query's length. "
    "Divide by `np.linalg.norm(query)`, too."
)
def faulty_top_matches_document_length(query, documents, k):
    cosines = documents @ query / np.linalg.norm(documents, axis=-1)
    best = np.argsort(-cosines)[:k]
    return best, cosines[best]


@diagnosed(
    "You return the worst k: `np.argsort` puts the smallest first. Sort the negative cosines, `np.argsort(-cosines)`."
)
def faulty_top_matches_worst(query, documents, k):
    cosines = documents @ query / (np.linalg.norm(documents, axis=-1) * np.linalg.norm(query))
    best = np.argsort(cosines)[:k]
    return best, cosines[best]


@diagnosed(
    "You have the right k, but the nearest stands last. Take `np.argsort(-cosines)[:k]`: from the largest cosine down."
)
def faulty_top_matches_upwards(query, documents, k):
    cosines = documents @ query / (np.linalg.norm(documents, axis=-1) * np.linalg.norm(query))
    best = np.argsort(cosines)[-k:]
    return best, cosines[best]


@diagnosed(
    "You sort by the size of the cosine without its sign: a vector that points the other way is far, not near. "
    "Leave `np.abs` out."
)
def faulty_top_matches_both_ways(query, documents, k):
    cosines = documents @ query / (np.linalg.norm(documents, axis=-1) * np.linalg.norm(query))
    best = np.argsort(-np.abs(cosines))[:k]
    return best, cosines[best]


@diagnosed(
    "You rank by distance, which for vectors of different lengths is another order: a long one is far in any "
    "direction. Rank by the cosine."
)
def faulty_top_matches_distance(query, documents, k):
    cosines = documents @ query / (np.linalg.norm(documents, axis=-1) * np.linalg.norm(query))
    best = np.argsort(np.linalg.norm(documents - query, axis=-1))[:k]
    return best, cosines[best]


@diagnosed(
    "You normalise each feature over all documents: `axis=0` is the axis of the documents. The length of a document is "
    "taken over its features, `axis=-1`."
)
def faulty_top_matches_columns(query, documents, k):
    columns = documents / np.linalg.norm(documents, axis=0)
    cosines = columns @ query / np.linalg.norm(query)
    best = np.argsort(-cosines)[:k]
    return best, cosines[best]


@diagnosed(
    "You return the cosines before the places. Which documents they are comes first, how near they are second: "
    "`return best, cosines[best]`."
)
def faulty_top_matches_swapped(query, documents, k):
    cosines = documents @ query / (np.linalg.norm(documents, axis=-1) * np.linalg.norm(query))
    best = np.argsort(-cosines)[:k]
    return cosines[best], best


def _vectors():
    rng = np.random.default_rng(20)
    sizes = [(11, 3, 5), (13, 7, 2), (5, 2, 3), (17, 11, 7)]
    cases = []
    for documents, features, k in sizes:
        lengths = rng.uniform(0.2, 5, size=(documents, 1))
        cases.append((3 * rng.normal(size=features), lengths * rng.normal(size=(documents, features)), k))
    return cases


# As the gallery calls it: the name tells what is wrong.
faulty_search = faulty_top_matches_dot

EXERCISES = [
    Exercise(
        task="Write top_matches(query, documents, k): a vector (d,) and vectors (documents, d) -> which k documents "
        "are nearest to the query by cosine, the nearest first, (k,), and their cosines, (k,).",
        reference=top_matches,
        cases=_vectors(),
        faults=[
            faulty_top_matches_dot,
            faulty_top_matches_query_length,
            faulty_top_matches_document_length,
            faulty_top_matches_worst,
            faulty_top_matches_upwards,
            faulty_top_matches_both_ways,
            faulty_top_matches_distance,
            faulty_top_matches_columns,
            faulty_top_matches_swapped,
        ],
        hints=(
            "The cosine of two vectors is their dot product, divided by both lengths. One matrix product gives the dot "
            "products with all documents.",
            "`np.argsort` gives places, the smallest value first. What do you sort, so that the largest cosine stands "
            "first?",
            "`cosines = documents @ query / (np.linalg.norm(documents, axis=-1) * np.linalg.norm(query))`, then "
            "`best = np.argsort(-cosines)[:k]`, and both `best` and `cosines[best]` go out.",
        ),
        key="# normalise",
        distractor=faulty_top_matches_query_length,
        learned="search is one matrix product and a sort, once texts are vectors.",
        returns=("best", "cosines"),
    ),
]
