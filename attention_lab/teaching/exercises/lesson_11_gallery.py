"""Lesson 11: for its gallery, a cache that no exercise asks for, and faults that exercises have already."""

import numpy as np

from attention_lab.teaching.exercises.lesson_04_heads import faulty_repeat_heads_tile
from attention_lab.teaching.exercises.lesson_11_mask import faulty_cached_mask_start


def faulty_cached_step(query, key, value, cache):
    length = cache["length"]
    cache["keys"][length], cache["values"][length] = key, value  # one token of one text: (d_k,), (d_v,)
    cache["length"] = length + 1
    scores = cache["keys"][: length + 1] @ query / np.sqrt(len(query))  # score, scale
    weights = np.exp(scores - scores.max())
    weights = weights / weights.sum()  # normalise
    return weights @ cache["values"][: length + 1]  # mix: (d_v,)


# As the gallery calls them: by the source's row, and without what is wrong.
faulty_b13 = faulty_cached_step
faulty_chunk = faulty_cached_mask_start
faulty_heads = faulty_repeat_heads_tile
