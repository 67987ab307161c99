"""Lesson 13: from two logits a word to the span that answers."""

import numpy as np

from attention_lab.attention import softmax
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import not_whole


def best_span(start, end, longest):
    n = len(start)
    together = start[:, None] + end[None, :]  # score: (n, n), row = first word, column = last word
    words = np.arange(n)[None, :] - np.arange(n)[:, None] + 1  # how many words from the first to the last
    allowed = (words >= 1) & (words <= longest)  # mask
    best = np.where(allowed, together, -np.inf).argmax()  # counted along all rows
    return best // n, best % n


def _of(together, allowed):
    best, n = np.where(allowed, together, -np.inf).argmax(), len(together)
    return best // n, best % n


def _words(n):
    return np.arange(n)[None, :] - np.arange(n)[:, None] + 1


@diagnosed(
    "You take the best start and the best end apart, and the end may then stand before the start, or far behind it. "
    "Look for the best pair: `start[:, None] + end[None, :]`, with pairs that are no span at -inf."
)
def faulty_best_span_apart(start, end, longest):
    return start.argmax(), end.argmax()


@diagnosed(
    "Spans may end before they begin: of the pairs you hide only the long ones. From word 5 to word 3 there are −1 "
    "words: ask for at least 1 as well, `(words >= 1) & (words <= longest)`."
)
def faulty_best_span_backwards(start, end, longest):
    n = len(start)
    together = start[:, None] + end[None, :]
    words = np.arange(n)[None, :] - np.arange(n)[:, None] + 1
    allowed = words <= longest  # mask
    best = np.where(allowed, together, -np.inf).argmax()
    return best // n, best % n


@diagnosed(
    "Your spans may be longer than allowed: only those that end before they begin are hidden. "
    "Ask for at most `longest` words too: `(words >= 1) & (words <= longest)`."
)
def faulty_best_span_unlimited(start, end, longest):
    return _of(start[:, None] + end[None, :], _words(len(start)) >= 1)


@diagnosed(
    "An answer of a single word is left out: there the first word is the last one, `first == last`. "
    "Allow spans of 1 word: `words >= 1`."
)
def faulty_best_span_no_single(start, end, longest):
    words = _words(len(start))
    return _of(start[:, None] + end[None, :], (words >= 2) & (words <= longest))


@diagnosed(
    "The longest spans that are allowed are left out, or one word too many is let in. From word 3 to word 5 there are "
    "3 words, `last - first + 1`: compare that with `longest`."
)
def faulty_best_span_one_longer(start, end, longest):
    words = _words(len(start))
    return _of(start[:, None] + end[None, :], (words >= 1) & (words <= longest + 1))


@diagnosed(
    "You allow one word less than `longest`. A span of `longest` words is allowed: `words <= longest`, where "
    "`words = last - first + 1`."
)
def faulty_best_span_one_shorter(start, end, longest):
    words = _words(len(start))
    return _of(start[:, None] + end[None, :], (words >= 1) & (words <= max(1, longest - 1)))


@diagnosed(
    "You choose the best start first, and then an end for it. The best pair may begin elsewhere: "
    "compare all pairs by their sum."
)
def faulty_best_span_start_first(start, end, longest):
    first = start.argmax()
    return first, first + end[first : first + longest].argmax()


@diagnosed(
    "You choose the best end first, and then a start for it. The best pair may end elsewhere: "
    "compare all pairs by their sum."
)
def faulty_best_span_end_first(start, end, longest):
    last = end.argmax()
    low = max(0, last - longest + 1)
    return low + start[low : last + 1].argmax(), last


@diagnosed(
    "Start and end have changed places: your table has the last word in its rows. Write `start[:, None] + "
    "end[None, :]`, so that the row is the first word."
)
def faulty_best_span_transposed(start, end, longest):
    words = _words(len(start))
    return _of(end[:, None] + start[None, :], (words >= 1) & (words <= longest))


@diagnosed(
    "You hide a pair by a sum of 0, but sums may all be negative, and then a hidden pair wins. "
    "Hide with -inf: `np.where(allowed, together, -np.inf)`."
)
def faulty_best_span_zeros(start, end, longest):
    words = _words(len(start))
    hidden = (start[:, None] + end[None, :]) * ((words >= 1) & (words <= longest))
    return hidden.argmax() // len(start), hidden.argmax() % len(start)


@diagnosed(
    "You multiply the two logits, and two that are far below zero give a large product. Logits are logarithms: they "
    "add where probabilities multiply, `start[:, None] + end[None, :]`."
)
def faulty_best_span_product(start, end, longest):
    words = _words(len(start))
    return _of(start[:, None] * end[None, :], (words >= 1) & (words <= longest))


@diagnosed(
    "You add probabilities: then one sure end outweighs a start that is all but impossible. Add the logits "
    "themselves, which multiplies the probabilities."
)
def faulty_best_span_adds_probabilities(start, end, longest):
    words = _words(len(start))
    return _of(softmax(start)[:, None] + softmax(end)[None, :], (words >= 1) & (words <= longest))


@diagnosed(
    "The last word that you return is one too far, as a slice would want it. Here both words belong to the span: "
    "return `best % n` as it is."
)
def faulty_best_span_open_end(start, end, longest):
    first, last = best_span(start, end, longest)
    return first, last + 1


def _whole(first, last, *args):
    return not_whole(first, last)


def _cases():
    rng = np.random.default_rng(31)

    def draw(n):
        return rng.normal(scale=2, size=n), rng.normal(scale=2, size=n)

    return [
        (np.array([-5.0, -2, 4, 0, 0, 2, 0]), np.array([-2.0, 5, 0, 1, 3, 0, 0]), 3),  # two argmaxes: from 2 to 1
        (np.array([0.0, 3, 0, 0, 0, 0, 2]), np.array([0.0, 0, 1, 0, 0, 3, 0]), 3),  # the best pair is too long
        (*draw(11), 11),
        (np.array([-9.0, -2, -7, -5, -8]), np.array([-6.0, -3, -1, -9, -4]), 5),  # all below zero
        (*draw(13), 1),
        (*draw(17), 5),
        (*draw(23), 7),
        (*draw(29), 2),
    ]


EXERCISES = [
    Exercise(
        task="Write best_span(start, end, longest) -> first, last: of two logits a word, (n,) each, the span with the "
        "largest sum start[first] + end[last], of at least 1 and at most `longest` words.",
        reference=best_span,
        cases=_cases(),
        faults=[
            faulty_best_span_apart,
            faulty_best_span_backwards,
            faulty_best_span_unlimited,
            faulty_best_span_no_single,
            faulty_best_span_one_longer,
            faulty_best_span_one_shorter,
            faulty_best_span_start_first,
            faulty_best_span_end_first,
            faulty_best_span_transposed,
            faulty_best_span_zeros,
            faulty_best_span_product,
            faulty_best_span_adds_probabilities,
            faulty_best_span_open_end,
        ],
        hints=(
            "Three words make a table of 3 × 3 pairs, first word down, last word across. Which of the 9 are spans?",
            "Put the sum of the two logits into each cell, -inf into those that are no span or too long, and take the "
            "largest.",
            "`words = np.arange(n)[None, :] - np.arange(n)[:, None] + 1`; allowed is `(words >= 1) & (words <= "
            "longest)`; `argmax` counts along all rows: `best // n`, `best % n`.",
        ),
        key="# mask",
        distractor=faulty_best_span_backwards,
        learned="the pair is chosen together, and never ends before it begins.",
        returns=("first", "last"),
        properties=_whole,
    ),
]
