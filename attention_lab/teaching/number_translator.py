"""A small translator of numbers, from English to German: model, loss and settings of the one that is stored.

It has no encoder, so that a word of the source is read as it stands, and one block with one head that writes: whatever
it knows of the source it has from one map of weights. `make weights` trains it where it is missing.
"""

from functools import partial

import numpy as np

from attention_lab.data.number_words import (
    END,
    ENGLISH,
    GERMAN,
    PAD,
    START,
    alignment,
    decode,
    encode,
    english,
    number_pairs,
)
from attention_lab.generation import beam_search
from attention_lab.losses import cross_entropy
from attention_lab.optimisers import Adam, warmup_cosine
from attention_lab.seq2seq import Seq2Seq
from attention_lab.teaching.stored_models import FOLDER, StoredModels, fit_to_the_end

LONGEST = 12  # tokens, start and end among them
SPLITS = ("validation", "test")
STEPS, WARMUP, RATE, SIZE = 1000, 30, 1e-2, 64


def new_number_translator(seed, dtype=np.float32):
    """A translator of numbers that has learned nothing yet: width 16, one head, 5,300 parameters.

    Parameters
    ----------
    seed : int
    dtype : dtype

    Returns
    -------
    Seq2Seq

    Examples
    --------
    >>> logits, (weights,) = new_number_translator(0)([[4, 5, 6]], [[1, 9]])
    >>> logits.shape, weights.shape
    ((1, 2, 35), (1, 1, 2, 3))
    """
    rng = np.random.default_rng(seed)
    sizes = (len(ENGLISH), len(GERMAN), 16, 1, 32)
    model = Seq2Seq(*sizes, encoder_layers=0, max_len=LONGEST, rng=rng, dtype=dtype)
    model.place_source.table *= 0.1  # the words first
    model.place_target.table *= 0.1
    for block in model.decoder.blocks:
        block.self_attention.W_o *= 0.1
        block.feed_forward.down.weight *= 0.1
    return model


def number_arrays(pairs):
    """Pairs of numbers in words as the translator reads them.

    Parameters
    ----------
    pairs : sequence of NumberPair

    Returns
    -------
    source : (len(pairs), n_s) int array
    source_mask : (len(pairs), n_s) bool array
        True = a real word.
    target : (len(pairs), n_t) int array
        From START to END. What is behind it is PAD.

    Examples
    --------
    >>> source, source_mask, target = number_arrays(number_pairs("test"))
    >>> source.shape, target.shape
    ((500, 7), (500, 9))
    """
    source, source_mask = encode([pair.english for pair in pairs], ENGLISH)
    return source, source_mask, encode([pair.german for pair in pairs], GERMAN, ends=True)[0]


def number_batches(pairs, seed, size=SIZE):
    """Batches without end, each drawn from all pairs.

    Parameters
    ----------
    pairs : sequence of NumberPair
    seed : int
    size : int

    Yields
    ------
    source, source_mask, target : ndarray
        Of `number_arrays`.

    Examples
    --------
    >>> source, source_mask, target = next(number_batches(number_pairs("train"), seed=0))
    >>> len(source), len(target)
    (64, 64)
    """
    arrays, rng = number_arrays(pairs), np.random.default_rng([seed, 1])
    while True:
        rows = rng.integers(len(pairs), size=size)
        yield tuple(array[rows] for array in arrays)


def number_loss(model, source, source_mask, target):
    """The mean nats of each German token and each end; what stands behind the end does not count."""
    logits, _ = model(source, target[:, :-1], source_mask)
    return cross_entropy(logits, target[:, 1:], ignore_index=PAD)


def train_number_translator(seed):
    """Train one translator, some seconds.

    Parameters
    ----------
    seed : int
        Draws the first parameters and the batches.

    Returns
    -------
    Seq2Seq

    Raises
    ------
    KeyboardInterrupt
        After Ctrl+C: a model that is half trained is none.
    """
    model = new_number_translator(seed)
    return fit_to_the_end(
        model, number_loss, number_batches(number_pairs("train"), seed), steps=STEPS, clip=1.0,
        optimizer=Adam(model, betas=(0.9, 0.99)),
        schedule=partial(warmup_cosine, peak=RATE, warmup=min(WARMUP, STEPS), total=STEPS),
    )  # fmt: skip


def load_number_translator(seed=0, folder=FOLDER):
    """The trained translator of numbers.

    Parameters
    ----------
    seed : int
        0: there is one.
    folder : str or path

    Returns
    -------
    Seq2Seq
        In float32; its file holds float16.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no such file, or it is damaged: the message says what to type.

    Examples
    --------
    >>> tokens, weights = translate_number(load_number_translator(), 42)
    >>> tokens
    ['zwei', 'und', 'vierzig']
    """
    return TRANSLATOR.load(seed, folder=folder)


def translate_number(model, number, beams=4):
    """Translate a number from English to German, and say where the model read.

    Parameters
    ----------
    model : Seq2Seq
        Of `ENGLISH` and `GERMAN`.
    number : int
        From 0 to 9,999.
    beams : int
        As in `beam_search`.

    Returns
    -------
    tokens : list of str
        What it writes, right or wrong.
    weights : (len(tokens), len(english(number))) ndarray
        What each token's row read of the English words, the mean over the heads of the last block.

    Examples
    --------
    >>> tokens, weights = translate_number(load_number_translator(), 4042)
    >>> "".join(tokens), weights.shape
    ('viertausendzweiundvierzig', (5, 5))
    >>> english(4042)[weights[2].argmax()]
    'two'
    """
    source, _ = encode([english(number)], ENGLISH)
    texts, _ = beam_search(model, source, start=START, end=END, max_len=model.max_len - 1, beams=beams)
    tokens = decode(texts[0, 0], GERMAN)
    target = [[START, *(GERMAN.index(token) for token in tokens)]]
    _, memory_weights = model(source, target)
    return tokens, memory_weights[-1][0].mean(axis=0)[: len(tokens)]


def exact_numbers(model, pairs):
    """The share of numbers that a translator writes without a mistake, always taking the likeliest token."""
    source, source_mask, target = number_arrays(pairs)
    options = {"start": START, "end": END, "max_len": target.shape[1] - 1, "beams": 1}
    texts, _ = beam_search(model, source, source_mask=source_mask, **options)
    return np.mean([decode(text, GERMAN) == pair.german for text, pair in zip(texts[:, 0], pairs, strict=True)])


def aligned_tokens(model, pairs):
    """Where a translator reads most when it writes the right text: is it the word that the token translates?

    Parameters
    ----------
    model : Seq2Seq
    pairs : sequence of NumberPair

    Returns
    -------
    everywhere : float
        The share of German tokens for which it is; "und" has no word and does not count.
    crossed : float
        The same of units and tens around an "und", whose words change places; NaN where no number has them.
    """
    source, source_mask, target = number_arrays(pairs)
    most = model(source, target[:, :-1], source_mask)[1][-1].mean(axis=-3).argmax(axis=-1)  # (len(pairs), n_t)
    found = {True: [], False: []}
    for row, pair in zip(most, pairs, strict=True):
        places = alignment(pair.number)
        cross = {places.index(None) - 1, places.index(None) + 1} if None in places else set()
        for i, place in enumerate(places):
            if place is not None:
                found[i in cross].append(row[i] == place)
    return np.mean(found[True] + found[False]), np.mean(found[True]) if found[True] else np.nan


def _table(models):
    """Exact translations and alignment of each model, as lines of a table."""
    yield f"{'':20}{'exact':>18}{'aligned':>18}{'units and tens':>18}"
    for name, model in models.items():
        columns = zip(*((exact_numbers(model, it), *aligned_tokens(model, it)) for it in map(number_pairs, SPLITS)))
        yield f"{name:20}" + "".join(f"{' / '.join(f'{share:.3f}' for share in column):>18}" for column in columns)


TRANSLATOR = StoredModels(
    name="translator",
    stem="number_translator",
    versions=((0,),),
    duration="some seconds",
    new=new_number_translator,
    train=train_number_translator,
    table=_table,
)
