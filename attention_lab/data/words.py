"""Words as vectors: a small table of real word vectors, and a tokeniser simple enough to read.

The vectors are looked up, not learned here: word_vectors.npz holds 4,000 common English words of a published model's
embedding table, reduced to 64 numbers each (README.md beside this file says how).
"""

import hashlib
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np

_FOLDER = Path(__file__).parent
_CURLY = str.maketrans("\u2018\u2019\u02bc", "'''")
# The ends of it's, we're, I'll, I've, I'd, I'm: such a word takes the vector of what stands before.
_ENDINGS = ("s", "re", "ll", "ve", "d", "m")


def tokenize(sentence):
    """Split a sentence into lower-cased words; punctuation separates words and is dropped.

    An apostrophe or a joiner inside a word stays (``don't`` is one token, curly becomes straight), a hyphen splits.
    Symbols such as emoji stay. Text without spaces (Chinese, Japanese) stays one token between its punctuation marks.

    Parameters
    ----------
    sentence : str

    Returns
    -------
    list of str

    Raises
    ------
    TypeError
        If `sentence` is not a string.
    ValueError
        If it holds no word.

    Examples
    --------
    >>> tokenize("The cat sat; it didn't move.")
    ['the', 'cat', 'sat', 'it', "didn't", 'move']
    """
    if not isinstance(sentence, str):
        raise TypeError(f"sentence must be a string but is a {type(sentence).__name__}: write 'the cat sat'")
    text = unicodedata.normalize("NFC", sentence.translate(_CURLY).lower())
    parts = "".join(c if _belongs_to_a_word(c) else " " for c in text).split()
    tokens = [word for word in (part.strip("'\u200c\u200d") for part in parts) if word]
    if not tokens:
        raise ValueError(f"sentence holds no word (got {sentence[:40]!r}): write at least one, such as 'the cat sat'")
    return tokens


def vocabulary():
    """The known words, roughly from the most to the least frequent; a word's place in this tuple is its id.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> len(vocabulary())
    4000
    >>> "cat" in vocabulary()
    True
    """
    return _load()[0]


def vector_table():
    """The table that `embed` looks words up in: row i is the vector of word i.

    Returns
    -------
    (n_vocab, 64) float32 array, read-only

    Examples
    --------
    >>> vector_table().shape
    (4000, 64)
    """
    return _load()[2]


def token_ids(tokens):
    """The id of each token: its row in `vector_table`.

    Parameters
    ----------
    tokens : sequence of str

    Returns
    -------
    (n,) integer array

    Raises
    ------
    ValueError
        If a token is not in the vocabulary (an id such as -1 would quietly read the last row), if `tokens` is one
        string, or empty.
    TypeError
        If `tokens` is not a sequence, or a token is not a string.

    Examples
    --------
    >>> token_ids(["the", "cat", "the"]).tolist()
    [2, 2355, 2]
    """
    ids = [_find(token) for token in _checked(tokens)]
    unknown = _unique(token for token, i in zip(tokens, ids, strict=True) if i is None)
    if unknown:
        raise ValueError(
            f"tokens holds words without an id: {unknown}: vocabulary() lists the known ones, "
            "and embed(tokens) gives a made-up vector to the others"
        )
    return np.array(ids, dtype=np.intp)


def embed(tokens):
    """Look up the vector of each token.

    An unknown token gets a made-up vector of typical length that depends on its letters only, so it is the same on
    every machine, and equal tokens have equal vectors. It carries no meaning.

    Parameters
    ----------
    tokens : sequence of str
        Words, such as `tokenize` gives them.

    Returns
    -------
    vectors : (n, 64) float32 array
        A copy: change it as you like.
    unknown : list of str
        The tokens with a made-up vector, each once.

    Raises
    ------
    ValueError
        If `tokens` is one string, or empty.
    TypeError
        If `tokens` is not a sequence, or a token is not a string.

    Examples
    --------
    >>> vectors, unknown = embed(["the", "cat", "zorbled"])
    >>> vectors.shape, unknown
    ((3, 64), ['zorbled'])
    """
    table = vector_table()
    ids = [_find(token) for token in _checked(tokens)]
    rows = [table[i] if i is not None else _made_up(token) for token, i in zip(tokens, ids, strict=True)]
    unknown = _unique(token for token, i in zip(tokens, ids, strict=True) if i is None)
    return np.stack(rows), unknown


def nearest(word, k=5):
    """The k words whose vectors point most nearly the way of this word's: highest cosine first, itself left out.

    Parameters
    ----------
    word : str
    k : int

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If `word` is unknown, or `k` is not between 1 and the number of other words.
    TypeError
        If `word` is not a string, or `k` not an integer.

    Examples
    --------
    >>> nearest("king", 3)
    ['kings', 'queen', 'throne']
    """
    words, _, table = _load()
    if not isinstance(word, str):
        raise TypeError(f"word must be a string but is a {type(word).__name__}: write nearest('cat')")
    if not word:
        raise ValueError("word is empty: write nearest('cat')")
    if not isinstance(k, (int, np.integer)):
        raise TypeError(f"k must be an integer but is {k!r}: write nearest({word!r}, k=5)")
    if not 1 <= k < len(words):
        raise ValueError(f"k must be between 1 and {len(words) - 1} but is {k}")
    own = int(token_ids([word])[0])
    cosine = table @ table[own] / np.linalg.norm(table, axis=-1)
    order = np.argsort(-cosine, kind="stable")
    return [words[i] for i in order[order != own][:k]]


@cache
def _load():
    """The words, their ids and the vector table, read once."""
    words = tuple((_FOLDER / "word_list.txt").read_text("utf-8").split())
    with np.load(_FOLDER / "word_vectors.npz", allow_pickle=False) as archive:
        table = archive["codes"] * archive["scales"][:, None]
    table.flags.writeable = False
    return words, {word: i for i, word in enumerate(words)}, table


def _belongs_to_a_word(character):
    """Letters, marks, numbers, symbols; the apostrophe; the joiners that hold emoji and some scripts together."""
    return unicodedata.category(character)[0] in "LMNS" or character in "'\u200c\u200d"


def _checked(tokens):
    if isinstance(tokens, str):
        raise ValueError(f"tokens must be a list of words but is the string {tokens[:40]!r}: write tokenize(sentence)")
    try:
        empty = len(tokens) == 0
    except TypeError:
        raise TypeError(f"tokens must be a list of words but is a {type(tokens).__name__}") from None
    if empty:
        raise ValueError("tokens is empty: give at least one word, such as ['the', 'cat']")
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"tokens must hold strings but holds {token!r}, a {type(token).__name__}")
    return tokens


def _find(token):
    """The id of a token, of the word before its ending ("cat's"), or None."""
    ids = _load()[1]
    token = token.translate(_CURLY).lower()
    stem, _, ending = token.partition("'")
    return ids.get(token, ids.get(stem) if ending in _ENDINGS else None)


def _made_up(token):
    """A vector from a hash of the letters: no random generator, whose stream could change between versions."""
    text = token.translate(_CURLY).lower().encode("utf-8", "surrogatepass")
    table = vector_table()
    direction = np.frombuffer(hashlib.shake_256(text).digest(table.shape[1]), np.int8).astype(np.float64)
    length = np.median(np.linalg.norm(table, axis=-1))
    return (direction * (length / np.linalg.norm(direction))).astype(np.float32)


def _unique(items):
    return list(dict.fromkeys(items))
