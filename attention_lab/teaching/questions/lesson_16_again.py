"""A question of lesson 16, asked again when lesson 17 opens."""

import numpy as np

from attention_lab import EncoderBlock, parameters
from attention_lab.teaching.questions.question import question


@question(
    "core-of-a-small-model",
    lesson="16",
    source="M24 Q123 again",
    text="A block with d_model = 128 and d_ff = 512 reads 128 tokens at once. How do the multiplications of its "
    "matrices compare with those of scores and mixing?",
    options={
        "about as many": "They are level only at n = 6 d, 768 tokens here. Products grow with n · d², scores and "
        "mixing with n² · d: at n = d the first are 6 times as many.",
        "6 times as many": "12 n d² against 2 n² d: the ratio is 6 d / n, so 6 where n = d. Quadratic is what grows in "
        "the end, not what costs most now.",
        "a sixth": "That way round it is at n = 36 d, some 4,600 tokens. At n = d, a token meets 128 others, and "
        "196,608 numbers in matrices.",
    },
)
def core_of_a_small_model():
    block = EncoderBlock(128, 4, 512, rng=np.random.default_rng(0))
    _, weights = block(np.zeros((128, 128)))
    matrices = 128 * sum(array.size for array in parameters(block).values() if array.ndim == 2)
    ratio = matrices / (2 * weights.size * block.attention.d_head)
    return min({"about as many": 1, "6 times as many": 6, "a sixth": 1 / 6}.items(), key=lambda x: abs(x[1] - ratio))[0]
