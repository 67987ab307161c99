"""Mistakes that learners make in the exercises of lesson 13, beside those of the bank."""

from collections import Counter

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("best_span", "2 results are expected", never="A known cause")
def returns_the_cell(start, end, longest):
    return np.triu(start[:, None] + end).argmax() + np.array(0)


@wrong("best_span", "`last` is 0 and should be 4, given start (7,)", never="You multiply")
def ignores_the_logits(start, end, longest):
    return 0, len(start) - len(end)


@wrong("best_span", "Your results hold floats", "make them of whole numbers", never="A known cause")
def makes_floats_of_the_words(start, end, longest):
    first, last = REFERENCE["best_span"](start, end, longest)
    return float(first), float(last)


@wrong("best_span", "Your function returns map; 2 results are expected", never="Called again")
def maps_to_whole_numbers(start, end, longest):
    return map(int, REFERENCE["best_span"](start, end, longest))


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


def words(predicted, right):
    """How many words are common, how many were said and how many were right."""
    said, asked = Counter(predicted.split()), Counter(right.split())
    return (said & asked).total(), said.total(), asked.total()


@wrong("word_f1", "You divide by the shorter answer alone", never="recall alone")
def divides_by_the_shorter(predicted, right):
    common, said, asked = words(predicted, right)
    return common / min(said, asked) if said and asked else float(said == asked)


@wrong("word_f1", "You divide by the longer answer alone", never="precision alone")
def divides_by_the_longer(predicted, right):
    common, said, asked = words(predicted, right)
    return common / max(said, asked) if said and asked else float(said == asked)


@wrong("word_f1", "`f1` is", "given predicted 'cold front garden", never="recall alone")
def rounds_to_a_whole_number(predicted, right):
    return float(round(REFERENCE["word_f1"](predicted, right)))


@wrong("word_f1", "`f1` is of dtype bool, which holds no fractions", never="recall alone")
def asks_whether_there_is_any(predicted, right):
    return bool(REFERENCE["word_f1"](predicted, right))


@wrong("word_f1", "`f1` is 1 and should be 0.769", never="exact match")
def asks_whether_it_stands_in_it(predicted, right):
    return float(right in predicted)
