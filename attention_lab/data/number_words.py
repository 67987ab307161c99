"""The numbers from 0 to 9,999 in English and in German: a translation in which words change places.

English says tens, then units, with an "and" after hundreds and thousands, and here without hyphens and commas: four
thousand two hundred and forty two. German writes a number as one word, of parts that are the tokens here, and puts
the units first: vier tausend zwei hundert zwei und vierzig. Its "und" (and) stands between units and tens, where
English says nothing, and never where English says "and". "One" is "eins" at the end and "ein" before another part.
"""

from typing import NamedTuple

import numpy as np

from attention_lab.checks import check_flag, check_size, numeric
from attention_lab.data.given import check_list
from attention_lab.data.splits import part, shuffled

NUMBERS = 10_000
CHOSEN = 2750  # of all, so that most numbers are never seen
SHARES = (8, 1, 2)  # train, validation, test
SEED = 28  # one with which 0 is in the training part, since "zero" stands in no other number

SPECIAL = ("<pad>", "<start>", "<end>")
PAD, START, END = range(3)
_SMALL = (
    *("zero null", "one eins", "two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben"),
    *("eight acht", "nine neun", "ten zehn", "eleven elf", "twelve zwölf", "thirteen dreizehn", "fourteen vierzehn"),
    *("fifteen fünfzehn", "sixteen sechzehn", "seventeen siebzehn", "eighteen achtzehn", "nineteen neunzehn"),
)
_TENS = (
    *("twenty zwanzig", "thirty dreißig", "forty vierzig", "fifty fünfzig", "sixty sechzig", "seventy siebzig"),
    *("eighty achtzig", "ninety neunzig"),
)
DICTIONARY = dict(pair.split() for pair in (*_SMALL, *_TENS, "hundred hundert", "thousand tausend", "and und"))
_WORDS = tuple(DICTIONARY)  # 0 to 19, then the tens
ENGLISH = (*SPECIAL, *_WORDS)  # a word's place is its id
GERMAN = (*SPECIAL, *DICTIONARY.values(), "ein")


class NumberPair(NamedTuple):
    """A number, its English words and its German tokens."""

    number: int
    english: list[str]
    german: list[str]


def number_pairs(split):
    """Numbers in both languages, none of them in two splits; together a good quarter of all 10,000.

    Parameters
    ----------
    split : "train", "validation" or "test"

    Returns
    -------
    list of NumberPair
        2,000, 250 or 500.

    Raises
    ------
    ValueError
        If `split` is none of the three.

    Examples
    --------
    >>> number, words, tokens = number_pairs("test")[0]
    >>> number, " ".join(words), "".join(tokens)
    (7780, 'seven thousand seven hundred and eighty', 'siebentausendsiebenhundertachtzig')
    """
    numbers = part(shuffled(range(NUMBERS), SEED)[:CHOSEN], split, SHARES, SEED)
    return [NumberPair(number, english(number), german(number)) for number in numbers]


def english(number):
    """The words of a number from 0 to 9,999, British.

    Parameters
    ----------
    number : int

    Returns
    -------
    list of str

    Raises
    ------
    TypeError, ValueError
        If `number` is no whole number from 0 to 9,999.

    Examples
    --------
    >>> english(4042)
    ['four', 'thousand', 'and', 'forty', 'two']
    """
    thousands, hundreds, rest = _places(number)
    words = [_WORDS[thousands], "thousand"] if thousands else []
    words += [_WORDS[hundreds], "hundred"] if hundreds else []
    return [*words, "and", *_below_hundred(rest)] if words and rest else words or _below_hundred(rest)


def german(number):
    """The tokens of a number from 0 to 9,999: joined, they are the German word.

    Parameters, errors : as in `english`

    Returns
    -------
    list of str

    Examples
    --------
    >>> german(4042), german(1001)
    (['vier', 'tausend', 'zwei', 'und', 'vierzig'], ['ein', 'tausend', 'eins'])
    """
    words = english(number)
    tokens = ["und" if place is None else DICTIONARY[words[place]] for place in alignment(number)]
    return ["ein" if token == "eins" and i + 1 < len(tokens) else token for i, token in enumerate(tokens)]


def alignment(number):
    """For each German token the place of the English word that it translates; None for "und", which has none.

    Parameters, errors : as in `english`

    Returns
    -------
    list of int or None
        As long as ``german(number)``.

    Examples
    --------
    >>> alignment(4042)  # the last two words cross
    [0, 1, 4, None, 3]
    """
    places = [i for i, word in enumerate(english(number)) if word != "and"]
    if len(_below_hundred(_places(number)[-1])) == 2:
        *places, tens, units = places
        places += [units, None, tens]
    return places


def encode(sentences, vocabulary, *, ends=False):
    """Sentences as ids in one array.

    Parameters
    ----------
    sentences : sequence of sequences of str
        Words of the vocabulary.
    vocabulary : ENGLISH or GERMAN
        A word's place is its id.
    ends : bool
        Whether START stands before each sentence and END behind it, as a decoder needs it.

    Returns
    -------
    ids : (len(sentences), longest) int array
        PAD behind shorter ones.
    mask : (len(sentences), longest) bool array
        True = a real token, START and END among them.

    Raises
    ------
    ValueError
        If there is no sentence, or a word is not in the vocabulary.
    TypeError
        If a sentence is a string instead of a list of its words, or `ends` is neither True nor False.

    Examples
    --------
    >>> ids, mask = encode([["zwei", "und", "vierzig"], ["elf"]], GERMAN, ends=True)
    >>> ids.tolist()
    [[1, 5, 33, 25, 2], [1, 14, 2, 0, 0]]
    >>> mask.sum(axis=-1).tolist()
    [5, 3]
    """
    ends, rows = check_flag("ends", ends), [_ids(row, vocabulary) for row in check_list("sentences", sentences)]
    if not rows:
        raise ValueError("sentences is empty: give at least one, such as [['zwei', 'und', 'vierzig']]")
    rows = [[START, *row, END] for row in rows] if ends else rows
    lengths = np.array([[len(row)] for row in rows])
    ids = np.array([row + [PAD] * (lengths.max() - len(row)) for row in rows], dtype=int)
    return ids, np.arange(lengths.max()) < lengths


def decode(ids, vocabulary):
    """The words that a row of ids stands for: a START before them is skipped, the first END or PAD ends them.

    Parameters
    ----------
    ids : (n,) array_like of int
    vocabulary : ENGLISH or GERMAN

    Returns
    -------
    list of str

    Raises
    ------
    TypeError, ValueError
        If `ids` is no row of whole numbers, or one of them stands for no word.

    Examples
    --------
    >>> decode([1, 5, 33, 25, 2, 0], GERMAN)
    ['zwei', 'und', 'vierzig']
    """
    ids, vocabulary = numeric("ids", ids), check_list("vocabulary", vocabulary, str)
    if ids.ndim != 1 or ids.size and ids.dtype.kind not in "iu":
        raise TypeError(
            f"ids must be one row of whole numbers, got shape {ids.shape} of {ids.dtype}: decode row by row"
        )
    if ((ids < 0) | (ids >= len(vocabulary))).any():
        raise ValueError(f"ids must be from 0 to {len(vocabulary) - 1}, one a word, got {ids.tolist()}")
    words = []
    for i in ids[1:] if ids.size and ids[0] == START else ids:
        if i in (PAD, END):
            break
        words.append(vocabulary[i])
    return words


def word_for_word(words):
    """What a dictionary makes of English words, one after the other: the baseline that a translator has to beat.

    Parameters
    ----------
    words : sequence of str

    Returns
    -------
    list of str

    Raises
    ------
    TypeError, ValueError
        As in `encode`.

    Examples
    --------
    >>> word_for_word(["one", "hundred", "and", "forty", "two"])  # right: ein hundert zwei und vierzig
    ['eins', 'hundert', 'und', 'vierzig', 'zwei']
    """
    return [GERMAN[i] for i in _ids(words, ENGLISH, "words")]  # the first 34 of both stand side by side


def _places(number):
    """Thousands, hundreds, and what is below a hundred."""
    number = check_size("number", number)
    if number >= NUMBERS:
        raise ValueError(f"number must be at most {NUMBERS - 1}, got {number}")
    return number // 1000, number // 100 % 10, number % 100


def _below_hundred(number):
    """One English word, or two: tens and units."""
    tens, units = divmod(number, 10)
    if tens < 2:
        return [_WORDS[number]]
    return [_WORDS[18 + tens], _WORDS[units]] if units else [_WORDS[18 + tens]]


def _ids(words, vocabulary, name="sentences"):
    if isinstance(words, str):
        raise TypeError(f"{name}: each must be a list of words, got the string {words[:40]!r}: write .split()")
    vocabulary = check_list("vocabulary", vocabulary, str)
    known, words = vocabulary[len(SPECIAL) :], check_list(name, words, str)
    for word in words:
        if word not in known:
            raise ValueError(f"{word!r} is not one of the {len(known)} words of this vocabulary")
    return [vocabulary.index(word) for word in words]
