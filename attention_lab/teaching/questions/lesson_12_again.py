"""A question of lesson 12, asked again when lesson 13 opens."""

from attention_lab.metrics import bleu
from attention_lab.teaching.questions.question import question


@question(
    "long-right-short-wrong",
    lesson="12",
    source="Q118 again",
    text="A sentence of eight tokens is translated without a fault, and of another one, of four tokens, none is right. "
    "What is the BLEU of the two as a corpus?",
    options={
        "50": "That is the mean of 100 and 0. But counts are added up over the corpus first, and the right sentence "
        "has more of them.",
        "73": "8 of 12 single tokens are right, and 7 of 10, 6 of 8, 5 of 6 longer runs: the right sentence counts "
        "more, since it is longer.",
        "0": "A sentence of 0 does not spoil the others. Only a corpus without any right run of four tokens would have "
        "0.",
    },
)
def long_right_short_wrong():
    return f"{bleu(['a b c d e f g h', 'q r s t'], ['a b c d e f g h', 'i j k l']):.0f}"
