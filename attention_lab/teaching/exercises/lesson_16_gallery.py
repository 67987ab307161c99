"""Lesson 16: for its gallery, ways to read a row in tiles that give something else than its softmax."""

import numpy as np


def faulty_first(scores, value, tile):
    outputs = []
    for start in range(0, len(scores), tile):
        keys = slice(start, start + tile)
        powers = np.exp(scores[keys] - scores[keys].max())
        outputs.append(powers / powers.sum() @ value[keys])  # normalise, mix
    return np.mean(outputs, axis=0)


def faulty_second(scores, value, tile):
    maximum, total, mixed = 0.0, 0.0, 0.0
    for start in range(0, len(scores), tile):
        keys = slice(start, start + tile)
        largest = max(maximum, scores[keys].max())
        powers, shrink = np.exp(scores[keys] - largest), np.exp(maximum - largest)  # scale
        maximum, total = largest, shrink * total + powers.sum()  # normalise
        mixed = shrink * mixed + powers @ value[keys]  # mix
    return mixed / total if total else np.zeros(value.shape[-1])


def faulty_third(scores, value, tile):
    maximum, total, mixed = -np.inf, 0.0, 0.0
    for start in range(0, len(scores), tile):
        keys = slice(start, start + tile)
        largest = max(maximum, scores[keys].max())
        powers, shrink = np.exp(scores[keys] - largest), np.exp(maximum - largest)  # scale
        maximum, total = largest, shrink * total + powers.sum()  # normalise
        mixed = shrink * mixed + powers @ value[keys]  # mix
    return mixed / total
