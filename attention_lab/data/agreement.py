"""Sentences that are right or wrong by one word: does it agree in number with the noun it belongs to?

The keys near the cup are old, *the keys near the cup is old; these keys, *this keys. A wrong sentence is a right one
with one word changed. Each such pair has a twin in which every word is in the other number (*the key near the cups
are old), so each word stands in exactly as many right sentences as wrong ones, and counting words teaches nothing.
One must find the noun that decides. A second noun stands before it or after it, half of the time in another number.
"""

from functools import cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from attention_lab.checks import check_generator, check_size
from attention_lab.data.splits import part, shuffled

SHARES = (8, 1, 2)  # train, validation, test
TWINS = 1375  # two pairs each, four sentences
SEED = 9

# (singular, plural)
NOUNS = [
    *[("key", "keys"), ("box", "boxes"), ("cup", "cups"), ("coin", "coins"), ("door", "doors")],
    *[("lamp", "lamps"), ("book", "books"), ("letter", "letters"), ("picture", "pictures"), ("bottle", "bottles")],
]
DETERMINERS = [("this", "these"), ("that", "those"), ("every", "many")]
VERBS = [("is", "are"), ("was", "were"), ("looks", "look"), ("seems", "seem")]
# The same in both numbers.
ADJECTIVES = ["old", "new", "small", "big", "red", "blue"]
PLACES = ["near", "behind", "beside", "under"]
TIMES = ["today", "now", "often", "sometimes"]


class Pair(NamedTuple):
    """A right sentence and a wrong one, which differ in one word.

    `changed` is that word's place, `subject` that of the noun which decides its number, and `verb` that of the verb,
    the word that is changed in three of four pairs. The places are the same in both sentences.
    """

    right: str
    wrong: str
    changed: int
    subject: int
    verb: int


def agreement(split):
    """Sentences with their labels: half of them right, pairs and twins in the same split.

    Parameters
    ----------
    split : "train", "validation" or "test"

    Returns
    -------
    sentences : list of str
        4,000, 500 or 1,000.
    labels : (len(sentences),) int array
        1 acceptable, 0 not.

    Raises
    ------
    ValueError
        If `split` is none of the three.

    Examples
    --------
    >>> sentences, labels = agreement("test")
    >>> len(sentences), int(labels.sum())
    (1000, 500)
    """
    pairs = agreement_pairs(split)
    rows = [row for pair in pairs for row in ((pair.right, 1), (pair.wrong, 0))]
    rows = shuffled(rows, SEED + 1, key=itemgetter(0))  # the split's own seed would bring its right ones together
    return [sentence for sentence, _ in rows], np.array([label for _, label in rows])


def agreement_pairs(split):
    """The same sentences in pairs, each next to its twin, with the places of the words that matter.

    Parameters
    ----------
    split : "train", "validation" or "test"

    Returns
    -------
    list of Pair

    Raises
    ------
    ValueError
        If `split` is none of the three.

    Examples
    --------
    >>> pair = agreement_pairs("test")[0]
    >>> pair.right, pair.wrong
    ('often today these blue doors behind the doors are red', 'often today this blue doors behind the doors are red')
    >>> words = pair.wrong.split()
    >>> words[pair.changed], words[pair.subject]
    ('this', 'doors')
    """
    return [
        pair for twins in part(_all_twins(), split, SHARES, SEED, key=lambda twins: twins[0].right) for pair in twins
    ]


@cache
def _all_twins():
    return tuple(make_twins(TWINS, np.random.default_rng(SEED)))


def make_twins(num, rng):
    """Draw pairs of sentences with their twins, no sentence twice.

    Parameters
    ----------
    num : int
    rng : numpy.random.Generator

    Returns
    -------
    list of (Pair, Pair)
        The second is the first with every word in the other number.

    Raises
    ------
    TypeError, ValueError
        If `num` is no whole number of at least 0, or `rng` no generator.

    Examples
    --------
    >>> pair, twin = make_twins(1, np.random.default_rng(0))[0]
    >>> pair.right, pair.wrong
    ('now behind the key the pictures look blue', 'now behind the key the pictures looks blue')
    >>> twin.right, twin.wrong
    ('now behind the keys the picture looks blue', 'now behind the keys the picture look blue')
    """
    num, rng = check_size("num", num), check_generator(rng)
    drawn = {}
    while len(drawn) < num:
        pair, twin = _Sentence(rng).twins()
        drawn.setdefault(min(pair.right, twin.right), (pair, twin))
    return list(drawn.values())


class _Sentence:
    """A sentence in the making: words (form, form in the other number), and where those stand that agree."""

    def __init__(self, rng):
        self.rng = rng
        self.words = []
        self.agreeing = []
        number, place_first = self.coin(), self.coin()
        for _ in range(rng.integers(3)):
            self.say(TIMES)  # so that no word's place tells what it does
        if place_first:
            self.place()
        self.subject = self.noun_phrase(number)
        if not place_first:
            self.place()
        self.verb = len(self.words)
        self.agree(VERBS, number)
        self.say(ADJECTIVES)

    def twins(self):
        """Change one word that agrees; then the same in the other number."""
        changed = self.pick(self.agreeing)
        pairs = []
        for words in (self.words, [forms[::-1] for forms in self.words]):
            right = [form for form, _ in words]
            wrong = [*right[:changed], words[changed][1], *right[changed + 1 :]]
            pairs.append(Pair(" ".join(right), " ".join(wrong), changed, self.subject, self.verb))
        return tuple(pairs)

    def place(self):
        """`near the cups`: a noun that the verb has nothing to do with."""
        self.say(PLACES)
        self.say(["the"])
        self.inflect(NOUNS, self.coin())

    def noun_phrase(self, number):
        """`the keys`, `these old keys`; returns the noun's place."""
        has_adjective = self.coin()
        if self.coin():
            self.agree(DETERMINERS, number)
        else:
            self.say(["the"])
        if has_adjective:
            self.say(ADJECTIVES)
        self.inflect(NOUNS, number)
        return len(self.words) - 1

    def agree(self, choices, number):
        self.agreeing.append(len(self.words))
        self.inflect(choices, number)

    def inflect(self, choices, number):
        forms = self.pick(choices)
        self.words.append((forms[number], forms[1 - number]))

    def say(self, choices):
        word = self.pick(choices)
        self.words.append((word, word))

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]

    def coin(self):
        """0 or 1: singular or plural, no or yes."""
        return int(self.rng.integers(2))
