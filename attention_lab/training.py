"""Training: batch after batch, a step against the gradient, until steps, patience or the reader's time are up."""

import math
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from attention_lab.checks import check_generator, check_number, check_size
from attention_lab.gradients import parameters, value_and_grad
from attention_lab.optimisers import Adam, clip_gradients, first_not_finite, gradient_norm
from attention_lab.runs.progress import Reporter

GROWN = 1e6  # where a parameter is larger, a loss that cannot be computed is laid to that


@dataclass(repr=False, eq=False)
class History:
    """What happened in a run of `fit`.

    ``loss`` (steps,) is each step's loss before the step, ``validation`` what `validate` gave after the steps
    ``validated``, ``stopped`` why the run ended: "finished", "no improvement", "interrupted" or "out of batches".
    """

    loss: np.ndarray = field(default_factory=lambda: np.empty(0))
    validation: np.ndarray = field(default_factory=lambda: np.empty(0))
    validated: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    stopped: str = "finished"

    steps = property(lambda self: len(self.loss), doc="How many steps were made.")

    def __repr__(self):
        return f"History({self.steps} steps, {self.stopped})"  # no loss: its digits differ between machines


def fit(
    model, loss, batches, *, steps, optimizer=None, schedule=None, clip=None, validate=None, every=50, patience=None,
    progress=None, rng=None,
):  # fmt: skip
    """Train a model: for each batch the gradients of its loss, then a step against them.

    Parameters
    ----------
    model : object
        Its `parameters` are written in place.
    loss : callable
        ``loss(model, *batch)`` gives one number.
    batches : iterable or callable
        Of tuples. A list is begun anew when it ends; a generator that ends before `steps` ends the run. A function is
        called with the number of the step, from 0.
    steps : int
    optimizer : Adam or SGD, optional
        ``Adam(model)`` if not given. It counts its steps: a second `fit` with it goes on where the first one stopped,
        in `schedule` and in a function of batches too.
    schedule : callable, optional
        The learning rate as a function of the step, from 0, as with `warmup_cosine`.
    clip : float, optional
        Largest norm of the gradients.
    validate : callable, optional
        ``validate(model)`` gives one number, lower is better. However the run ends, but by an error, the model then has
        the parameters of its best validation.
    every : int
        Steps between two validations; there is one after the last step, too.
    patience : int, optional
        Stop after so many validations in a row that were no better than the best.
    progress : callable, optional
        ``progress(step, total, metrics)``, at most ten times a second and once at the end, where `metrics` says why it
        "stopped". If not given: a live bar in a notebook, a line in a terminal after two seconds, else nothing.
    rng : numpy.random.Generator, optional
        Handed on as ``loss(model, *batch, rng=rng)``: dropout is on.

    Returns
    -------
    History
        Also after an interrupt from the keyboard, with what was learned until then.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it must be.
    FloatingPointError
        If loss or gradients become NaN or infinite: the message names the step and the first parameter concerned.

    Examples
    --------
    >>> from attention_lab import Linear, SGD
    >>> layer = Linear(1, 1, rng=np.random.default_rng(0))
    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> mse = lambda model, x, y: ((model(x) - y) ** 2).mean()
    >>> fit(layer, mse, [(x, 3 * x + 1)], steps=500, optimizer=SGD(layer, lr=0.2))
    History(500 steps, finished)
    >>> float(layer.weight[0, 0].round(3)), float(layer.bias[0].round(3))
    (3.0, 1.0)
    """
    run = _Run(model, loss, optimizer, schedule, clip, rng)
    check = _Validation(model, validate, every, patience)
    draws, stopped = _draws(batches, run.first, check_size("steps", steps)), "failed"
    report = Reporter(progress, steps)
    try:
        for batch in draws:
            run.step(batch)
            if check.after(len(run.losses), steps).hopeless:
                break
            report.step(len(run.losses), {**run.metrics, **check.metrics})
        ended = "finished" if len(run.losses) == steps else "out of batches"
        stopped = "no improvement" if check.hopeless else ended
    except KeyboardInterrupt:
        stopped = "interrupted"
    finally:
        if stopped != "failed":
            check.restore()
        report.end(len(run.losses), {**run.metrics, **check.metrics}, stopped)
    return History(np.array(run.losses), np.array(check.values), np.array(check.steps, int), stopped)


class _Run:
    """One training step after another, each refused where a number is no longer finite."""

    def __init__(self, model, loss, optimizer, schedule, clip, rng):
        for name, function in (("loss", loss), ("schedule", schedule)):
            if not (callable(function) or (function is None and name == "schedule")):
                raise TypeError(f"{name} must be a function, got {function!r}")
        self.model, self.gradients_of, self.schedule = model, value_and_grad(loss), schedule
        self.optimizer = Adam(model) if optimizer is None else optimizer
        if not callable(getattr(self.optimizer, "step", None)):
            raise TypeError(f"optimizer must be an Adam or an SGD, made of the model, got {optimizer!r:.80}")
        if getattr(self.optimizer, "model", model) is not model:
            raise ValueError("optimizer was made for another model: write optimizer=Adam(model)")
        self.clip = None if clip is None else check_number("clip", clip, above=0)
        self.options = {} if rng is None else {"rng": check_generator(rng)}
        self.first, self.losses = getattr(self.optimizer, "steps", 0), []

    metrics = property(lambda self: {"loss": self.losses[-1] if self.losses else math.nan})

    @np.errstate(all="ignore")  # what overflows is told below, with its step and its name
    def step(self, batch):
        step = self.first + len(self.losses)
        if not isinstance(batch, tuple | list):
            hint = "give [(x, y)] to train on one batch, (x,) where the loss takes one argument"
            raise TypeError(f"a batch must be a tuple of what the loss takes, got {type(batch).__name__}: {hint}")
        try:
            value, gradients = self.gradients_of(self.model, *batch, **self.options)
        except Exception as error:
            self._refuse(step, f"the loss cannot be computed ({error})", {}, GROWN, error)
            error.add_note(f"This happened where fit called loss in step {step}, counted from 0.")
            raise
        if not (math.isfinite(value) and math.isfinite(gradient_norm(gradients))):
            self._refuse(step, f"the loss is {value:.3g}", gradients)
            raise FloatingPointError(f"step {step}: the loss is {value}, though every parameter is finite")
        if self.clip is not None:
            gradients, _ = clip_gradients(gradients, self.clip)
        self.optimizer.step(gradients, None if self.schedule is None else self.schedule(step))
        self.losses.append(value)

    def _refuse(self, step, what, gradients, beyond=math.inf, cause=None):
        """Name the first parameter that is not finite, or else the first gradient; silent where all are."""
        for whose, arrays in (("", parameters(self.model)), ("the gradient of ", gradients)):
            name = first_not_finite(arrays, beyond)
            if name is not None:
                reaches = f"{whose}{name} has come to {np.abs(arrays[name]).max():.3g}"
                hint = "lower the learning rate, warm it up, clip the gradients, or look at the batch"
                raise FloatingPointError(f"step {step}: {what}, and {reaches}: {hint}") from cause


class _Validation:
    """What `validate` said, and the parameters of the time when it said the best."""

    def __init__(self, model, validate, every, patience):
        if not (validate is None or callable(validate)):
            raise TypeError(f"validate must be a function of the model, got {validate!r}")
        if patience is not None and validate is None:
            raise ValueError("patience needs validate: without a validation nothing can stop improving")
        self.model, self.validate, self.every = model, validate, check_size("every", every, low=1)
        self.patience = math.inf if patience is None else check_size("patience", patience, low=1)
        self.values, self.steps, self.best, self.kept, self.since = [], [], math.inf, None, 0

    hopeless = property(lambda self: self.since >= self.patience)
    metrics = property(lambda self: {"validation": self.values[-1]} if self.values else {})

    def after(self, step, total):
        if self.validate is not None and (step % self.every == 0 or step == total):
            self._look(step)
        return self

    def _look(self, step):
        value = float(self.validate(self.model))
        if math.isnan(value):
            raise FloatingPointError(f"validate gave NaN after {step} steps")
        self.values, self.steps = [*self.values, value], [*self.steps, step]
        self.since += 1
        if value < self.best:
            self.kept = {name: array.copy() for name, array in parameters(self.model).items()}
            self.best, self.since = value, 0

    def restore(self):
        for name, array in parameters(self.model).items() if self.kept else ():
            array[...] = self.kept[name]


def _draws(batches, first, total):
    """As many batches as there are steps, or fewer where they cannot be begun anew."""
    if callable(batches):
        return map(batches, range(first, first + total))
    try:
        iter(batches)
    except TypeError:
        raise TypeError(f"batches must be an iterable of tuples or a function of the step, got {batches!r}") from None
    return (batch for _, batch in zip(range(total), _again_and_again(batches)))


def _again_and_again(batches):
    for rounds in count():
        batch = None
        for batch in batches:
            yield batch
        if batch is None and rounds == 0:
            raise ValueError("batches is empty: there is nothing to train on")
        if batch is None or iter(batches) is batches:
            return
