"""Minutes of a town's meetings: was the bridge approved, was it rejected, or is that still open? One sentence tells.

"the council approved the new bridge near the school" decides. Around it stand sentences with the same words in other
places: "the board rejected the school near the bridge" is no vote on the bridge, and "the bridge was closed" no vote at
all. Each document comes in three versions, one a class, in which the same words stand in other places. So counting a
document's words teaches nothing.
"""

from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from attention_lab.checks import check_generator, check_size
from attention_lab.data.given import check_list
from attention_lab.data.splits import part

CLASSES = ("rejected", "approved", "open")
SHARES = (8, 1, 2)  # train, validation, test
TRIPLETS = 1100  # three documents each
SENTENCES = (12, 18)  # the fewest and the most
SEED = 15

TOPIC = "bridge"
VOTES = 0.3  # share of votes among the sentences that decide nothing
NEAR_TOPIC = 0.5  # share of the bridge among the places that other votes name

BODIES = ["council", "board", "mayor", "committee", "town"]
VERBS = ["rejected", "approved"]
THINGS = ["school", "library", "station", "market", "museum", "garden"]
ADJECTIVES = ["old", "new", "small", "large"]
ACTS = ["discussed", "visited"]
STATES = ["closed", "empty", "busy", "quiet"]
TIMES = ["today", "yesterday", "again", "later"]
_USED = chain(("the", "near", "is", "was", TOPIC), BODIES, VERBS, THINGS, ADJECTIVES, ACTS, STATES, TIMES)
WORDS = ("<pad>", *sorted(_USED))
PAD = 0
ID_OF = {word: i for i, word in enumerate(WORDS)}


class Document(NamedTuple):
    """What a document says and what is to be found in it.

    `label` is a place in CLASSES, `planted` that of the sentence in which the three versions differ most: the vote on
    the bridge, or in an open document the same words as a vote on something else.
    """

    sentences: tuple
    label: int
    planted: int


def documents(split):
    """Documents, each next to the two others that consist of the same words.

    Parameters
    ----------
    split : "train", "validation" or "test"

    Returns
    -------
    list of Document
        2,400, 300 or 600, a third of each class.

    Raises
    ------
    ValueError
        If `split` is none of the three.

    Examples
    --------
    >>> found = documents("test")[1]
    >>> len(found.sentences), CLASSES[found.label], found.sentences[found.planted]
    (18, 'approved', 'the board approved the old bridge near the school')
    """
    triplets = part(_all_triplets(), split, SHARES, SEED, key=lambda triplet: " ".join(triplet[0].sentences))
    return list(chain.from_iterable(triplets))


@cache
def _all_triplets():
    return tuple(make_triplets(TRIPLETS, np.random.default_rng(SEED)))


def make_triplets(num, rng, *, sentences=SENTENCES):
    """Draw documents in three versions, no document twice.

    Parameters
    ----------
    num : int
    rng : numpy.random.Generator
    sentences : (int, int)
        The fewest and the most sentences of a document, at least 2.

    Returns
    -------
    list of (Document, Document, Document)
        Rejected, approved, open.

    Raises
    ------
    TypeError, ValueError
        If `num` or a number of sentences is no such whole number, the fewest are more than the most, or `rng` is no
        generator.

    Examples
    --------
    >>> for version in make_triplets(1, np.random.default_rng(0), sentences=(2, 2))[0]:
    ...     print(f"{CLASSES[version.label]}: {'; '.join(version.sentences)}")
    rejected: the committee rejected the new bridge near the school; the town approved the garden
    approved: the committee approved the new bridge near the school; the town rejected the garden
    open: the committee approved the new school near the bridge; the town rejected the garden
    """
    num, rng = check_size("num", num), check_generator(rng)
    if not isinstance(sentences, tuple | list) or len(sentences) != 2:
        raise TypeError(f"sentences must be (fewest, most), got {sentences!r}")
    fewest, most = (check_size("sentences", size, low=2) for size in sentences)
    if fewest > most:
        raise ValueError(f"sentences is {(fewest, most)}: expected (fewest, most)")
    drawn, seen = [], set()
    while len(drawn) < num:
        triplet = _triplet(rng, int(rng.integers(fewest, most + 1)))
        texts = {document.sentences for document in triplet}
        if not texts & seen:
            drawn.append(triplet)
            seen |= texts
    return drawn


def encode(texts):
    """Documents as one array: a row of ids a sentence, filled up with pads, and whole sentences of pads at the end.

    Parameters
    ----------
    texts : sequence of Document, or of sequences of str
        Each str a sentence.

    Returns
    -------
    ids : (documents, sentences, words) int array
    mask : (documents, sentences, words) bool array
        True at real words; a sentence without one is padding.

    Raises
    ------
    TypeError
        If `texts` is one document instead of a list of them.
    ValueError
        If a word is not in WORDS, or there is no document.

    Examples
    --------
    >>> ids, mask = encode([["the bridge is closed", "again"], ["today the board visited the school"]])
    >>> ids.shape, mask.sum(axis=-1).tolist()
    ((2, 2, 6), [[4, 1], [6, 0]])
    """
    is_one, texts = isinstance(texts, Document), check_list("texts", texts)
    if is_one or any(isinstance(text, str) for text in texts):
        raise TypeError("texts must be a list of documents, each a list of sentences: of one document write [document]")
    rows = [[line.split() for line in check_list("texts", getattr(text, "sentences", text), str)] for text in texts]
    if not rows:
        raise ValueError("texts is empty: give at least one document")
    unknown = sorted({word for row in rows for sentence in row for word in sentence} - set(WORDS[1:]))
    if unknown:
        raise ValueError(f"texts holds words that no document has: {', '.join(unknown)}: WORDS lists the known ones")
    longest = max(len(sentence) for row in rows for sentence in [[PAD], *row])  # of an empty document one pad is left
    ids = np.full((len(rows), max(1, *map(len, rows)), longest), PAD)
    for row, sentences in zip(ids, rows, strict=True):
        for line, sentence in zip(row, sentences, strict=False):
            line[: len(sentence)] = [ID_OF[word] for word in sentence]
    return ids, ids != PAD


def _triplet(rng, length):
    """Draw lines of three versions each, then their order."""
    verb = int(rng.integers(2))  # of the version that is open
    body, thing, near = _pick(rng, BODIES), _noun(rng, TOPIC), _pick(rng, THINGS)
    planted = [f"the {body} {word} the {thing} near the {near}" for word in VERBS]
    planted.append(f"the {body} {VERBS[verb]} the {thing.replace(TOPIC, near)} near the {TOPIC}")
    rival = _vote(rng)
    lines = [planted, [rival.format(word) for word in (VERBS[1], VERBS[0], VERBS[1 - verb])]]
    for _ in range(length - 2):
        lines.append([_vote(rng).format(_pick(rng, VERBS)) if rng.random() < VOTES else _remark(rng)] * 3)
    order = rng.permutation(length).tolist()
    versions = zip(*(lines[i] for i in order), strict=True)
    return tuple(Document(sentences, label, order.index(0)) for label, sentences in enumerate(versions))


def _vote(rng):
    """A vote on anything but the bridge, its verb left out."""
    thing, other = (str(word) for word in rng.choice(THINGS, 2, replace=False))
    place = TOPIC if rng.random() < NEAR_TOPIC else other
    return f"the {_pick(rng, BODIES)} {{}} the {_noun(rng, thing)}{_near(rng, place)}"


def _remark(rng):
    """What is no vote; half of it is about the bridge."""
    noun = _noun(rng, TOPIC if rng.random() < 0.5 else _pick(rng, THINGS))
    if rng.random() < 0.5:
        return f"the {_pick(rng, BODIES)} {_pick(rng, ACTS)} the {noun}{_near(rng, _pick(rng, THINGS))}"
    time = f"{_pick(rng, TIMES)} " if rng.random() < 0.5 else ""
    return f"{time}the {noun} {_pick(rng, ['is', 'was'])} {_pick(rng, STATES)}"


def _near(rng, place):
    return f" near the {place}" if rng.random() < 0.5 else ""


def _noun(rng, noun):
    return f"{_pick(rng, ADJECTIVES)} {noun}" if rng.random() < 0.5 else noun


def _pick(rng, choices):
    return choices[rng.integers(len(choices))]
