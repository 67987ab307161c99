"""Asked again after lesson 13, with other words: what a lesson of later on recalls."""

from attention_lab.metrics import answer_f1
from attention_lab.teaching.questions.question import question


@question(
    "one-word-of-two",
    lesson="13",
    source="lesson again",
    text="The right answer is “garden”. A model points at “the green garden”. What is the F1 of the words, after the "
    "usual normalisation?",
    options={
        "1.00": "The answer is in there, and no word of it is missing: the recall is 1. But one of the two words that "
        "count was not asked for.",
        "0.67": "“the” is dropped, so one of two words is right, and the one right word was found: 2 · ½ · 1 / (½ + "
        "1). The exact match is 0.",
        "0.50": "This is the precision with “the” dropped. F1 is its harmonic mean with the recall, which is 1.",
    },
)
def one_word_of_two():
    return f"{answer_f1('the green garden', ['garden']):.2f}"
