"""Small language models of surnames: model, loss and settings of those that are stored, one for each seed.

`make weights` trains what is missing and says how well each one tells the test names, beside models that count. Steps
and dropout were chosen by the validation names alone.
"""

import numpy as np

from attention_lab.baselines.ngrams import NGram
from attention_lab.data.surnames import ALPHABET, IGNORED, encode, surnames
from attention_lab.losses import cross_entropy
from attention_lab.metrics import perplexity
from attention_lab.models import LanguageModel
from attention_lab.optimisers import Adam, warmup_cosine
from attention_lab.teaching.stored_models import FOLDER, StoredModels, fit_to_the_end

ORDERS = (2, 4, 6)  # of the n-grams beside them; no order does better on the validation names than 6

STEPS, WARMUP, RATE, EVERY = 3000, 100, 5e-3, 500
DROPOUT, DECAY = 0.1, 0.1


def new_name_model(seed, dtype=np.float32):
    """A language model of surnames that has learned nothing yet: two blocks, four heads, 102,000 parameters.

    Parameters
    ----------
    seed : int
    dtype : dtype

    Returns
    -------
    LanguageModel

    Examples
    --------
    >>> logits, weights = new_name_model(0)([[0, 12, 5, 5]])
    >>> logits.shape, len(weights)
    ((1, 4, 27), 2)
    """
    rng = np.random.default_rng([seed, 0])
    model = LanguageModel(len(ALPHABET), 64, 4, 256, num_layers=2, max_len=16, dropout=DROPOUT, rng=rng, dtype=dtype)
    for block in model.encoder.blocks:  # a block that adds little at first learns faster
        block.attention.W_o *= 0.1
        block.feed_forward.down.weight *= 0.1
    return model


def name_batches(names, seed, size=128, groups=8):
    """Batches without end: names of like length together, so that little is padding.

    Parameters
    ----------
    names : sequence of str
    seed : int
        Draws the order, anew in each round through the names.
    size : int
        Names in a batch.
    groups : int
        Batches that are sorted together.

    Yields
    ------
    inputs, targets : ndarray of int, (size, longest + 1)
        Of `attention_lab.data.surnames.encode`. The last batch of a round may hold fewer.

    Examples
    --------
    >>> inputs, targets = next(name_batches(surnames("train"), seed=0))
    >>> len(inputs), inputs.shape == targets.shape
    (128, True)
    """
    rng = np.random.default_rng([seed, 1])
    while len(names):
        shuffled = rng.permutation(names)
        for start in range(0, len(names), size * groups):
            some = sorted(shuffled[start : start + size * groups], key=len)
            for first in rng.permutation(range(0, len(some), size)):
                yield encode(some[first : first + size])


def name_loss(model, inputs, targets, rng=None):
    """The mean nats of each letter and each end; what stands beyond a name's end does not count."""
    logits, _ = model(inputs, rng=rng)
    return cross_entropy(logits, targets, ignore_index=IGNORED)


def name_perplexity(model, names):
    """The perplexity of names, a symbol each letter and each end, to a LanguageModel or an NGram."""
    return perplexity(model.nats(names) if isinstance(model, NGram) else name_loss(model, *encode(names)))


def train_name_model(seed):
    """Train one model, two to four minutes; it has the parameters of its best validation.

    Parameters
    ----------
    seed : int
        Draws the first parameters, the batches, and what is dropped.

    Returns
    -------
    LanguageModel

    Raises
    ------
    KeyboardInterrupt
        After Ctrl+C: a model that is half trained is none.
    """
    model, validation = new_name_model(seed), encode(surnames("validation"))
    return fit_to_the_end(
        model, name_loss, name_batches(surnames("train"), seed), steps=STEPS, clip=1.0,
        optimizer=Adam(model, RATE, betas=(0.9, 0.99), weight_decay=DECAY),
        schedule=lambda step: warmup_cosine(step, peak=RATE, warmup=min(WARMUP, STEPS), total=STEPS),
        validate=lambda model: name_loss(model, *validation), every=EVERY, rng=np.random.default_rng([seed, 2]),
    )  # fmt: skip


def load_name_model(seed=0, folder=FOLDER):
    """A trained language model of surnames.

    Parameters
    ----------
    seed : int
        0, 1 or 2: which of the three that were trained alike.
    folder : str or path

    Returns
    -------
    LanguageModel
        In float32; its file holds float16.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no such file, or it is damaged: the message says what to type.

    Examples
    --------
    >>> model = load_name_model()
    >>> logits, _ = model(encode(["smit"])[0])
    >>> ALPHABET[logits[0, -1].argmax()]
    'h'
    """
    return NAME_MODELS.load(seed, folder=folder)


def _table(models):
    """The perplexity of each model, those that count first, as lines of a table."""
    counts = {f"{order}-gram": NGram(surnames("train"), order) for order in ORDERS}
    yield f"{'perplexity':14}{'validation':>10}{'test':>8}"
    for name, model in (counts | models).items():
        validation, test = (name_perplexity(model, surnames(split)) for split in ("validation", "test"))
        yield f"{name:14}{validation:10.3f}{test:8.3f}"


NAME_MODELS = StoredModels(
    name="names",
    stem="name_model",
    versions=((0,), (1,), (2,)),
    duration="two to four minutes",
    new=new_name_model,
    train=train_name_model,
    table=_table,
)
