"""A question of lesson 06, asked again when lesson 17 opens."""

import numpy as np

from attention_lab import FeedForward, LayerNorm
from attention_lab.teaching.questions.question import question


@question(
    "twice-as-deep",
    lesson="06",
    source="M21 Q74 again",
    text="A pre-norm stream passes 24 sublayers, each of which reads it through a norm and adds numbers of variance 1; "
    "its standard deviation goes from 1 to 5. What would it be after 99 sublayers?",
    options={
        "about 5": "The norms stand before the sublayers. They hold what these read, and the stream itself goes on "
        "growing.",
        "about 10": "Variances add up: 1 + 99 = 100, and √100 = 10. Four times the depth is twice the deviation.",
        "about 20": "Four times as deep, four times the variance: from 25 to 100. The standard deviation is its root.",
    },
)
def twice_as_deep():
    rng = np.random.default_rng(0)
    x, norm = rng.normal(size=(10, 48)), LayerNorm(48)
    for _ in range(99):
        x = x + FeedForward(48, 48, rng=rng)(norm(x))
    std = x.std()
    return "about 5" if std < 7 else "about 20" if std > 15 else "about 10"
