"""The sentence that Part I follows by eye, with vectors of four numbers set by hand (nothing here was learned)."""

import numpy as np

WORDS = ("the", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired")
FEATURES = ("animal", "thing", "doing", "points back")

# One row a word, one column a feature: (10, 4).
VECTORS = np.array(
    [
        [0, 0, 0, 0],  # the
        [2, 0, 0, 0],  # cat
        [0, 0, 2, 0],  # sat
        [0, 0, 0, 0],  # on
        [0, 0, 0, 0],  # the
        [0, 2, 0, 0],  # mat
        [0, 0, 0, 0],  # because
        [0, 0, 0, 2],  # it
        [0, 0, 1, 0],  # was
        [1, 0, 1, 0],  # tired
    ],
    dtype=float,
)

# What a word looks for, by what it is: an animal looks for a doing, a doing for an animal,
# and a word that points back looks for an animal.
W_q = np.array(
    [
        [0, 0, 1, 0],  # animal
        [0, 0, 0, 0],  # thing
        [1, 0, 0, 0],  # doing
        [2, 0, 0, 0],  # points back
    ],
    dtype=float,
)
W_k = np.eye(4)  # a word offers what it is

for _array in (VECTORS, W_q, W_k):
    _array.flags.writeable = False  # the lessons share them
