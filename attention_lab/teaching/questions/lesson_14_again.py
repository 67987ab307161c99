"""A question of lesson 14, asked again when lesson 15 opens."""

import numpy as np

from attention_lab.teaching.questions.question import question


@question(
    "three-on-noise",
    lesson="14",
    source="Q122 again",
    text="Each value of a series is drawn anew, with mean 0 and variance 4. One forecast repeats the last value, "
    "another gives the mean of the last two. What are their mean squared errors?",
    options={
        "8.0 and 6.0": "Each misses by the variance of what comes, 4, and by its own on top: 4 for one value, 2 for "
        "the mean of two. The more it averages, the nearer it comes to the constant's 4.",
        "8.0 and 8.0": "Two values know as little as one, that is true. But their mean varies less, and a forecast "
        "pays for its own variance too.",
        "4.0 and 4.0": "That is what the constant 0 pays. A forecast that moves with the past pays for its moves as "
        "well.",
    },
)
def three_on_noise():
    noise = np.random.default_rng(0).normal(scale=2, size=400_000)
    copied = ((noise[2:] - noise[1:-1]) ** 2).mean()
    averaged = ((noise[2:] - (noise[1:-1] + noise[:-2]) / 2) ** 2).mean()
    return f"{copied:.1f} and {averaged:.1f}"
