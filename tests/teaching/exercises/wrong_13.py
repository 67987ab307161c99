"""Mistakes that learners make in the exercises of lesson 13, beside those of the bank."""

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("best_span", "2 results are expected", never="A known cause")
def returns_the_cell(start, end, longest):
    return np.triu(start[:, None] + end).argmax() + np.array(0)


@wrong("best_span", "should be", never="A known cause")
def ignores_the_logits(start, end, longest):
    return 0, len(start) - len(end)


@wrong("read_memory", "changes its input `keys`")
def clears_the_slots(question, keys, values, real):
    state = REFERENCE["read_memory"](question, keys, values, real)
    keys[~real] = 0
    return state


@wrong("read_memory", "`state` has shape", never="A known cause")
def keeps_a_query_axis(question, keys, values, real):
    state, weights = REFERENCE["read_memory"](question, keys, values, real)
    return state[:, None], weights


@wrong("word_f1", "should be", never="A known cause")
def always_half(predicted, right):
    return 0.5 + 0 * len(predicted + right)


@wrong("word_f1", "`f1` is of type str")
def returns_a_text(predicted, right):
    return f"{REFERENCE['word_f1'](predicted, right):.2f}"
