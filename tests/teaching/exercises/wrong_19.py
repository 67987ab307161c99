"""Mistakes that learners make in the exercises of lesson 19, beside those of the bank."""

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("rollout", "first layer reads what the last one has made")
def goes_from_the_last_layer_on(weights):
    return REFERENCE["rollout"](weights[::-1])


@wrong("rollout", "You leave the stream out")
def multiplies_the_means(weights):
    means = weights.mean(axis=1)
    reached = means[0]
    for layer in means[1:]:
        reached = layer @ reached
    return reached


@wrong("rollout", "shape", never="A known cause")
def takes_the_mean_over_queries(weights):
    return REFERENCE["rollout"](weights).mean(axis=0)


@wrong("rollout", "turned round", never="A known cause")
def keys_in_the_rows(weights):
    return REFERENCE["rollout"](weights).T


@wrong("rollout", "`reached`[", never="A known cause")
def more_stream_than_attention(weights):
    stays = np.eye(weights.shape[-1])
    reached = stays
    for layer in weights:
        reached = (0.25 * layer.mean(axis=0) + 0.75 * stays) @ reached
    return reached


@wrong("top_matches", "our function returns one array of shape", never="A known cause")
def returns_the_places_alone(query, documents, k):
    return REFERENCE["top_matches"](query, documents, k)[0]


@wrong("top_matches", "cosines before the places", never="np.zeros_like")
def returns_them_in_the_other_order(query, documents, k):
    return REFERENCE["top_matches"](query, documents, k)[::-1]


@wrong("top_matches", "so long vectors win")
def sorts_dot_products(query, documents, k):
    dots = (documents * query).sum(-1)
    best = np.argsort(dots)[::-1][:k]
    return best, dots[best]


@wrong("top_matches", "`best` is right", "`cosines`")
def returns_the_first_cosines(query, documents, k):
    best, _ = REFERENCE["top_matches"](query, documents, k)
    cosines = documents @ query / (np.linalg.norm(documents, axis=-1) * np.linalg.norm(query))
    return best, cosines[:k]


@wrong("top_matches", "shape", never="A known cause")
def returns_all_of_them(query, documents, k):
    return REFERENCE["top_matches"](query, documents, len(documents))
