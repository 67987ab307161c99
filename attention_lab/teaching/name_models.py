"""Small language models of surnames, trained once and stored, so that a lesson can open them at once.

    python -m attention_lab.teaching.name_models        (or `make names`)

trains the models that attention_lab/data lacks, one for each seed, and says how well each one tells the test names,
beside models that count. A model is in its file when it is finished: after Ctrl+C the same command goes on with the
next one. Steps and dropout were chosen by the validation names alone.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from attention_lab.data.surnames import ALPHABET, IGNORED, encode, surnames
from attention_lab.gradients import parameters
from attention_lab.losses import cross_entropy
from attention_lab.metrics import perplexity
from attention_lab.models import LanguageModel
from attention_lab.baselines.ngrams import NGram
from attention_lab.optimisers import Adam, warmup_cosine
from attention_lab.training import fit
from attention_lab.weights import load_weights, save_weights

FOLDER = Path(__file__).parents[1] / "data"
COMMAND = "python -m attention_lab.teaching.name_models"
SEEDS = (0, 1, 2)
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
    history = fit(
        model, name_loss, name_batches(surnames("train"), seed), steps=STEPS, clip=1.0,
        optimizer=Adam(model, RATE, betas=(0.9, 0.99), weight_decay=DECAY),
        schedule=lambda step: warmup_cosine(step, peak=RATE, warmup=min(WARMUP, STEPS), total=STEPS),
        validate=lambda model: name_loss(model, *validation), every=EVERY, rng=np.random.default_rng([seed, 2]),
    )  # fmt: skip
    if history.stopped == "interrupted":
        raise KeyboardInterrupt
    return model


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
    model, path = new_name_model(seed), _path(folder, seed)
    try:
        load_weights(model, path)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}: {COMMAND} {seed} trains the model") from None
    except ValueError as error:
        raise ValueError(f"{error}. {COMMAND} {seed} trains the model anew") from error
    return model


def save_name_model(model, seed, folder=FOLDER):
    """Write a model as `load_name_model` reads it, in float16: half the bytes, and no perplexity changes by 0.01."""
    half = new_name_model(seed, np.float16)
    trained = parameters(model)
    for name, array in parameters(half).items():
        array[...] = trained[name]
    return save_weights(half, _path(folder, seed))


def train_name_models(seeds=SEEDS, folder=FOLDER):
    """Train and store the models that are missing or damaged, one after the other.

    Parameters
    ----------
    seeds : sequence of int
    folder : str or path
        Made if it is not there.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl+C, with every model that was finished in its file.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        try:
            load_name_model(seed, folder)
        except (FileNotFoundError, ValueError) as error:
            why = "is missing" if isinstance(error, FileNotFoundError) else "cannot be used"
            print(f"{_path(folder, seed).name} {why}: training takes some minutes", flush=True)
            save_name_model(train_name_model(seed), seed, folder)


def _path(folder, seed):
    return Path(folder) / f"name_model_{seed}.npz"


def _table(seeds, folder):
    """The perplexity of each model, those that count first, as lines of a table."""
    models = {f"{order}-gram": NGram(surnames("train"), order) for order in ORDERS}
    models |= {_path(folder, seed).stem: load_name_model(seed, folder) for seed in seeds}
    yield f"{'perplexity':14}{'validation':>10}{'test':>8}"
    for name, model in models.items():
        validation, test = (name_perplexity(model, surnames(split)) for split in ("validation", "test"))
        yield f"{name:14}{validation:10.3f}{test:8.3f}"


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog=COMMAND, description="Train the language models of surnames that are missing."
    )
    parser.add_argument("seeds", nargs="*", type=int, default=SEEDS, help="of the models (0 1 2)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the models are (%(default)s)")
    parser.add_argument("--fresh", action="store_true", help="begin anew: forget what was trained")
    options = parser.parse_args(arguments)
    paths = [_path(options.folder, seed) for seed in options.seeds]
    for path in paths if options.fresh else ():
        path.unlink(missing_ok=True)
    try:
        train_name_models(options.seeds, options.folder)
    except KeyboardInterrupt:
        finished = sum(path.exists() for path in paths)
        sys.exit(f"Interrupted with {finished} of {len(paths)} models. {COMMAND} goes on.")
    for line in _table(options.seeds, options.folder):
        print(line)


if __name__ == "__main__":
    main()
