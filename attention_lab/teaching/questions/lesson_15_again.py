"""A question of lesson 15, asked again when lesson 16 opens."""

import numpy as np

from attention_lab import Encoder
from attention_lab.teaching.questions.question import question


@question(
    "thirty-by-thirty",
    lesson="15",
    source="lesson again",
    text="A text of 30 sentences of 30 words. Each word scores the words of its own sentence; then the 30 sentences "
    "score one another. How many times fewer scores is that than all words with all words?",
    options={
        "about 29 times": "27,000 within the sentences, 900 between them, against 810,000. The second level costs "
        "next to nothing.",
        "about 2 times": "Two levels do not share the work in halves: within the sentences there are 30 times fewer "
        "scores than before, and the second level adds a thirtieth of that.",
        "about 900 times": "So many times fewer are in a single sentence. There are 30 of them.",
    },
)
def thirty_by_thirty():
    encoder, x = Encoder(1, 4, 1, 4, rng=np.random.default_rng(0)), np.ones((30, 30, 4), np.float32)
    together, *levels = (encoder(part)[1][0].size for part in (x.reshape(900, 4), x, x[:, 0]))
    return f"about {together / sum(levels):.0f} times"
