"""A question of lesson 17, asked again when lesson 18 opens."""

import numpy as np

from attention_lab import sliding_window_mask
from attention_lab.teaching.questions.question import question


@question(
    "reach-of-four-layers",
    lesson="17",
    source="Q128 again",
    text="Each token sees 6 keys under a causal window, itself and 5 before it, in each of 4 layers. Of how many "
    "tokens can the last of 50 know in the end?",
    options={
        "21": "Each layer adds w − 1 = 5 new tokens: 6, 11, 16, 21. In general L(w − 1) + 1.",
        "24": "4 times 6 counts three tokens twice: the oldest key of a layer is where the layer below begins.",
        "6": "So many it reads itself. But what it reads has read others, one layer below.",
        "all 50": "It would take 10 layers: 10 · 5 + 1 = 51. Four reach less than half of them.",
    },
)
def reach_of_four_layers():
    mask = sliding_window_mask(50, window=6)
    reached = np.count_nonzero(np.linalg.matrix_power(mask.astype(int), 4)[-1])
    return f"{'all ' if reached == 50 else ''}{reached}"
