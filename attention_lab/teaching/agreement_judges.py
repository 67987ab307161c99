"""Judges of agreement: is each word of a sentence in the number of its noun? One block or two, stored for three seeds.

A judge reads its verdict from the first row alone, that of a token [CLS] which stands before every sentence. `make
weights` trains what is missing. Both sizes have the same settings, chosen by the validation sentences.
"""

from functools import cache, partial

import numpy as np

from attention_lab.data.agreement import agreement
from attention_lab.losses import cross_entropy
from attention_lab.metrics import matthews_correlation
from attention_lab.models import TextClassifier
from attention_lab.optimisers import Adam, warmup_cosine
from attention_lab.teaching.stored_models import FOLDER, StoredModels, fit_to_the_end

LONGEST = 11  # tokens, [CLS] among them
STEPS, WARMUP, RATE, SIZE = 1200, 30, 6e-3, 64


@cache
def _ids():
    words = {word for sentence in agreement("train")[0] for word in sentence.split()}
    return {word: i for i, word in enumerate(("<pad>", "[CLS]", *sorted(words)))}


def spell(sentences):
    """Sentences of the agreement task as ids, with [CLS] in front.

    Parameters
    ----------
    sentences : sequence of str

    Returns
    -------
    ids : (len(sentences), 11) int array
        0 is padding.
    mask : (len(sentences), 11) bool array
        True = a real token.

    Raises
    ------
    ValueError
        If a word is not of the task, or a sentence has more than 10.

    Examples
    --------
    >>> ids, mask = spell(["the key is old", "the keys near the cup are old"])
    >>> mask.sum(axis=-1).tolist()
    [5, 8]
    """
    known = _ids()
    rows = [sentence.split() for sentence in sentences]
    for row in rows:
        if strange := [word for word in row if word not in known]:
            raise ValueError(f"{strange[0]!r} is no word of the agreement task: see attention_lab/data/agreement.py")
        if len(row) >= LONGEST:
            raise ValueError(f"a sentence has at most {LONGEST - 1} words, got {len(row)}: {' '.join(row)!r}")
    ids = np.array([[1, *(known[word] for word in row), *[0] * (LONGEST - 1 - len(row))] for row in rows])
    return ids.reshape(-1, LONGEST).astype(int), ids.reshape(-1, LONGEST) > 0


def new_judge(num_layers, seed, dtype=np.float32):
    """A judge that has learned nothing yet: width 48, four heads.

    Parameters
    ----------
    num_layers : int
    seed : int
    dtype : dtype

    Returns
    -------
    TextClassifier

    Examples
    --------
    >>> logits, weights, pooled = new_judge(2, seed=0)(*spell(["the key is old"]))
    >>> logits.shape, len(weights)
    ((1, 2), 2)
    """
    rng, sizes = np.random.default_rng(seed), (len(_ids()), 2, 48, 4, 64)
    return TextClassifier(*sizes, num_layers=num_layers, max_len=LONGEST, pooling="first", rng=rng, dtype=dtype)


def judge_loss(judge, ids, mask, labels):
    """The cross-entropy of the verdicts: 1 is right, 0 is wrong."""
    return cross_entropy(judge(ids, mask)[0], labels)


def judge_mcc(judge, split):
    """The Matthews correlation of a judge's verdicts with the labels of a split."""
    sentences, labels = agreement(split)
    return matthews_correlation(judge(*spell(sentences))[0].argmax(-1), labels)


def train_judge(num_layers, seed):
    """Train one judge, half a minute.

    Parameters
    ----------
    num_layers : int
    seed : int
        Draws the first parameters and the batches.

    Returns
    -------
    TextClassifier

    Raises
    ------
    KeyboardInterrupt
        After Ctrl+C: a model that is half trained is none.
    """
    judge, (sentences, labels) = new_judge(num_layers, seed), agreement("train")
    ids, mask = spell(sentences)
    rows = (np.random.default_rng([seed, step]).integers(len(ids), size=SIZE) for step in range(STEPS))
    return fit_to_the_end(
        judge, judge_loss, ((ids[chosen], mask[chosen], labels[chosen]) for chosen in rows), steps=STEPS, clip=1.0,
        optimizer=Adam(judge, betas=(0.9, 0.99)),
        schedule=partial(warmup_cosine, peak=RATE, warmup=min(WARMUP, STEPS), total=STEPS),
    )  # fmt: skip


def load_judge(num_layers, seed=0, folder=FOLDER):
    """A trained judge of agreement.

    Parameters
    ----------
    num_layers : 1 or 2
    seed : int
        0, 1 or 2: which of the three that were trained alike.
    folder : str or path

    Returns
    -------
    TextClassifier
        In float32; its file holds float16.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no such judge, no such file, or it is damaged: the message says what to type.

    Examples
    --------
    >>> judge = load_judge(num_layers=2)
    >>> logits, *_ = judge(*spell(["the keys near the cup are old", "the keys near the cup is old"]))
    >>> logits.argmax(axis=-1).tolist()
    [1, 0]
    """
    return JUDGES.load(num_layers, seed, folder=folder)


def _table(judges):
    """The MCC of each judge, as lines of a table."""
    yield f"{'MCC':20}{'validation':>10}{'test':>8}"
    for name, judge in judges.items():
        yield f"{name:20}{judge_mcc(judge, 'validation'):10.3f}{judge_mcc(judge, 'test'):8.3f}"


JUDGES = StoredModels(
    name="judges",
    stem="agreement_judge",
    versions=tuple((num_layers, seed) for num_layers in (1, 2) for seed in (0, 1, 2)),
    duration="half a minute",
    new=new_judge,
    train=train_judge,
    table=_table,
)
