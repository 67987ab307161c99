"""A question of lesson 05, asked again when lesson 20 opens."""

from attention_lab import positional_encoding
from attention_lab.teaching.questions.question import question


@question(
    "sines-with-themselves",
    lesson="05",
    source="M17 Q58 again",
    text="With d_model = 32 the sinusoidal encoding of a place, times itself, is 16 at every place. Now only its 16 "
    "sines are kept. What is place 0 times itself, and place 2 times itself?",
    options={
        "16.0 and 16.0": "That is what sines and cosines make together: sin² + cos² = 1 for each of 16 pairs. Without "
        "the cosines the sum depends on the place.",
        "8.0 and 8.0": "Half of the numbers are kept, but not half of the sum at each place: sin² swings between 0 and "
        "1, and at place 0 all sines are 0.",
        "0.0 and 2.2": "At place 0 all sines are 0, and elsewhere they are not. With a cosine beside each sine, the "
        "product depends on the distance alone, here 0.",
    },
)
def sines_with_themselves():
    sines = positional_encoding(3, 32)[:, 0::2]
    zero, two = (sines[[0, 2]] ** 2).sum(-1)
    return f"{zero:.1f} and {two:.1f}"
