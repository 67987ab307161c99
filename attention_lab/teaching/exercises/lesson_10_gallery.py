"""Lesson 10: for its gallery, faults around a language model that no exercise asks for.

`faulty_targets` and `faulty_batch` stand in for `attention_lab.data.surnames.encode`.
"""

import numpy as np


def faulty_forward(model, ids):
    x = model.learned(model.embed(ids))  # (..., n, d_model)
    x, weights = model.encoder(x)  # (..., n, d_model)
    return x @ model.embed.table.swapaxes(0, 1), weights  # logits, (..., n, vocab_size)


def faulty_targets(names):
    ids = np.zeros((len(names), max(map(len, names)) + 1), int)
    targets = np.full(ids.shape, -1)  # -1: nothing is to be said there
    for row, name in enumerate(names):
        text = [".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in "." + name]
        ids[row, : len(text)] = targets[row, : len(text)] = text
    return ids, targets


def faulty_batch(names):
    longest = max(map(len, names)) + 2
    rows = [f".{name}.".ljust(longest, ".") for name in names]
    ids = np.array([[".abcdefghijklmnopqrstuvwxyz".index(letter) for letter in row] for row in rows])
    return ids[:, :-1], ids[:, 1:]
