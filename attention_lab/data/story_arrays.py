"""The stories as arrays of ids: a sentence a row for a memory, or question and text in one row for a pointer."""

import re
from typing import NamedTuple

import numpy as np

from attention_lab.checks import check_size
from attention_lab.data.given import check_text
from attention_lab.data.squad import answer_words, word_spans
from attention_lab.data.stories import MENTIONS, MOVES, OPENINGS, PEOPLE, PLACES, QUESTIONS, THINGS

SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)")
_TEXTS = (*OPENINGS, *PEOPLE, *PLACES, *THINGS, *MOVES, *MENTIONS, *QUESTIONS, "the took")
# Ids: padding, the place to point at where there is no answer, a word that was never read, and the words.
WORDS = ("<pad>", "<none>", "<unknown>", *sorted({w for t in _TEXTS for w in re.findall(r"\w+", t.lower())}))
ID_OF = {word: i for i, word in enumerate(WORDS)}
NONE, UNKNOWN = ID_OF["<none>"], ID_OF["<unknown>"]


class Words(NamedTuple):
    """The words of a text, where they stand in it, and which sentence they belong to."""

    words: list
    spans: list
    sentence: list


def split_words(text):
    """The words of a text, in lower case, with their places and their sentences.

    Parameters
    ----------
    text : str

    Returns
    -------
    Words

    Examples
    --------
    >>> split_words("Ben ran. Anna went on.").sentence
    [0, 0, 1, 1, 1]
    """
    spans = word_spans(text)
    ends = [match.start() for match in SENTENCE_END.finditer(text)]
    sentence = [sum(end <= start for end in ends) for start, _ in spans]
    numbers = {old: new for new, old in enumerate(dict.fromkeys(sentence))}  # a sentence without a word is none
    return Words([text[a:b].lower() for a, b in spans], spans, [numbers[s] for s in sentence])


def as_memory(examples):
    """Each sentence a row of ids.

    Parameters
    ----------
    examples : sequence of Example

    Returns
    -------
    sentences : (batch, n, words) int array
    question : (batch, words) int array
        Both filled up with 0.

    Raises
    ------
    ValueError
        If there is no example.
    """
    stories = _stories(examples)
    n = max(1, *(max(story.sentence, default=-1) + 1 for story in stories))  # of a text without a word a row of pads
    longest = max((story.sentence.count(s) for story in stories for s in story.sentence), default=1)
    sentences = np.zeros((len(stories), n, longest), int)
    for rows, story in zip(sentences, stories, strict=True):
        for number in set(story.sentence):
            words = [word for word, s in zip(story.words, story.sentence, strict=True) if s == number]
            rows[number, : len(words)] = _ids(words)
    return sentences, _filled([_ids(split_words(example.question).words) for example in examples])


class Rows(NamedTuple):
    """One row a question, and the words to point at.

    question (batch, words), ids, sentence and mask (batch, n), first and last (batch,). Place 0 of a row holds <none>:
    who points at it says that there is no answer.
    """

    question: np.ndarray
    ids: np.ndarray
    sentence: np.ndarray
    mask: np.ndarray
    first: np.ndarray
    last: np.ndarray


def as_rows(examples):
    """The whole text in one row of ids, with the words of the first answer.

    Parameters
    ----------
    examples : sequence of Example

    Returns
    -------
    Rows

    Raises
    ------
    ValueError
        If there is no example.
    """
    stories = _stories(examples)
    ends = [_ends(example, story) for example, story in zip(examples, stories, strict=True)]
    ids = _filled([[NONE, *_ids(story.words)] for story in stories])
    sentence = _filled([[0, *(1 + number for number in story.sentence)] for story in stories])
    mask = np.arange(ids.shape[1]) < np.array([[1 + len(story.words)] for story in stories])
    question = _filled([_ids(split_words(example.question).words) for example in examples])
    return Rows(question, ids, sentence, mask, *np.array(ends).T)


def _stories(examples):
    stories = [split_words(example.context) for example in examples]
    if not stories:
        raise ValueError("examples is empty: give at least one")
    return stories


def _ends(example, story):
    """The places in a row of the answer's first and last word."""
    if not example.answers:
        return 0, 0
    text, start = example.answers[0]
    first, last = answer_words(story.spans, start, text)
    return 1 + first, 1 + last


def span_text(context, first, last):
    """What stands from place `first` to place `last` of a row: "" for place 0.

    Parameters
    ----------
    context : str
    first, last : int
        Places in the row that `as_rows` makes of it.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there are no such places, or the last one stands before the first.

    Examples
    --------
    >>> span_text("Ben entered the old hall.", 4, 5)
    'old hall'
    """
    spans = word_spans(check_text("context", context))
    first, last = check_size("first", first, low=-1), check_size("last", last, low=-1)
    if not 0 <= first <= last <= len(spans):
        raise ValueError(f"first and last must be 0 <= first <= last <= {len(spans)}, got {first} and {last}")
    return "" if first == 0 else context[spans[first - 1][0] : spans[last - 1][1]]


def _ids(words):
    return [ID_OF.get(word, UNKNOWN) for word in words]


def _filled(rows):
    """Rows of different lengths as one array, filled up with 0."""
    filled = np.zeros((len(rows), max(1, *map(len, rows))), int)
    for row, values in zip(filled, rows, strict=True):
        row[: len(values)] = values
    return filled
