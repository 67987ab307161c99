"""Small models that are trained once and stored, so that a lesson can open them at once.

    python -m attention_lab.teaching.train_models       (or `make weights`)

trains those that attention_lab/data lacks. A model is in its file when it is finished: after Ctrl+C the same command
goes on with the next one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attention_lab.gradients import parameters
from attention_lab.runs.weights import load_weights, save_weights
from attention_lab.training import fit

FOLDER = Path(__file__).parents[1] / "data"
COMMAND = "python -m attention_lab.teaching.train_models"


@dataclass(frozen=True)
class StoredModels:
    """A family of models that are built and trained alike, each in a file of its own.

    Parameters
    ----------
    name : str
        What the command calls them.
    stem : str
        Of their files: version (2, 0) of "judge" is in judge_2_0.npz.
    versions : sequence of tuple of int
        In what they differ, the seed at the end.
    duration : str
        How long one training takes.
    new : callable
        ``new(*version, dtype=dtype)``: a model that has learned nothing yet.
    train : callable
        ``train(*version)``: a trained one. Interrupted it raises KeyboardInterrupt, as `fit_to_the_end` does.
    table : callable
        ``table(models)``: how well they do, line by line, of a dict from a file's stem to its model.

    Examples
    --------
    >>> from attention_lab import Linear
    >>> def new(seed, dtype=np.float32):
    ...     return Linear(2, 3, rng=np.random.default_rng(seed), dtype=dtype)
    >>> lines = StoredModels("lines", "line", [(0,), (1,)], "no time", new, train=new, table=sorted)
    >>> lines.path(1).name
    'line_1.npz'
    """

    name: str
    stem: str
    versions: Sequence[tuple[int, ...]]
    duration: str
    new: Callable
    train: Callable
    table: Callable

    def path(self, *version, folder=FOLDER):
        """The file of a version, whether it is there or not."""
        return Path(folder) / f"{'_'.join(map(str, (self.stem, *version)))}.npz"

    def load(self, *version, folder=FOLDER):
        """A trained model, in float32.

        Raises
        ------
        FileNotFoundError, ValueError
            If there is no such file, or it is damaged: the message says what to type.
        """
        path = self.path(*version, folder=folder)
        known = [self.path(*each).stem for each in self.versions]
        if version not in self.versions or path.stem not in known:  # True equals 1, and has no file
            raise ValueError(f"there is no model {path.stem} of {version!r}: there are {', '.join(known)}")
        model = self.new(*version, dtype=np.float32)
        try:
            load_weights(model, path)
        except FileNotFoundError:
            raise FileNotFoundError(f"there is no file {path}: {COMMAND} {self.name} trains the model") from None
        except ValueError as error:
            raise ValueError(f"{error}. {COMMAND} {self.name} trains the model anew") from error
        return model

    def save(self, model, *version, folder=FOLDER):
        """Write a model as `load` reads it, in float16: half the bytes of what is trained. Returns the path."""
        half, trained = self.new(*version, dtype=np.float16), parameters(model)
        for name, array in parameters(half).items():
            array[...] = trained[name]
        return save_weights(half, self.path(*version, folder=folder))

    def train_missing(self, folder=FOLDER):
        """Train and store the models that are missing or damaged, one after the other.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl+C, with every model that was finished in its file.
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        for version in self.versions:
            try:
                self.load(*version, folder=folder)
            except (FileNotFoundError, ValueError) as error:
                why = "is missing" if isinstance(error, FileNotFoundError) else "cannot be used"
                file = self.path(*version, folder=folder).name
                print(f"{file} {why}: training takes {self.duration}", flush=True)
                self.save(self.train(*version), *version, folder=folder)

    def report(self, folder=FOLDER):
        """How well the stored models do, line by line."""
        paths = {version: self.path(*version, folder=folder) for version in self.versions}
        return self.table({path.stem: self.load(*version, folder=folder) for version, path in paths.items()})


def fit_to_the_end(model, *arguments, **options):
    """`fit`, and then the model. A model that is half trained is none: after Ctrl+C this raises KeyboardInterrupt."""
    if fit(model, *arguments, **options).stopped == "interrupted":
        raise KeyboardInterrupt
    return model
