"""How far a long run has come: told where someone looks, and not more often than an eye can follow."""

import math
import sys
import time

SECONDS = 0.1  # between two reports
QUIET = 2.0  # a run that is over sooner needs no line in a terminal


class Reporter:
    """Calls ``progress(step, total, metrics)``: after the first step, then at most ten times a second, and at the end.

    The last call's metrics hold ``"stopped"``, the reason. Without a `progress` it is a live widget in a notebook,
    one rewritten line in a terminal, and nothing elsewhere.
    """

    def __init__(self, progress, total):
        if not (progress is None or callable(progress)):
            raise TypeError(f"progress must be a function of (step, total, metrics), got {progress!r}")
        self.total, self._next = total, -math.inf
        self.progress = _where_someone_looks(total) if progress is None else progress

    def step(self, step, metrics):
        now = time.monotonic()
        if now >= self._next and step < self.total:
            self._next = now + SECONDS
            self.progress(step, self.total, metrics)

    def end(self, step, metrics, stopped):
        self.progress(step, self.total, {**metrics, "stopped": stopped})


class Line:
    """What a progress report says, as one line: where the loss began and where it is."""

    first = None

    def __call__(self, step, total, metrics):
        self.first = metrics["loss"] if self.first is None else self.first
        stopped, validation = metrics.get("stopped"), metrics.get("validation")
        words = f"{step} step{'' if step == 1 else 's'}" if stopped == "finished" else f"{step} of {total} steps"
        words += "" if stopped in (None, "finished") else f", {stopped}"
        if step:
            words += f": loss {self.first:.3g} -> {metrics['loss']:.3g}"
        return words if validation is None else f"{words}, validation {validation:.3g}"


def _where_someone_looks(total):
    if in_notebook():
        try:
            from attention_lab.teaching.live import show_training

            return show_training(total)
        except Exception:  # no widgets here: a picture that fails must not stop the training
            return _last_line()
    if sys.stderr is not None and sys.stderr.isatty():
        return _terminal(sys.stderr)
    return lambda step, total, metrics: None


def in_notebook():
    """Whether this is a Jupyter kernel; where nothing has loaded IPython it is not."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None


def _last_line():
    line = Line()

    def report(step, total, metrics):
        words = line(step, total, metrics)
        if "stopped" in metrics:
            print(words)

    return report


def _terminal(stream):
    """One line, written over itself, from the third second on."""
    line, start, written = Line(), time.monotonic(), 0

    def report(step, total, metrics):
        nonlocal written
        words = line(step, total, metrics)
        if written or time.monotonic() - start >= QUIET:
            end = "\n" if "stopped" in metrics else ""
            stream.write(f"\r{words.ljust(written)}{end}")
            stream.flush()
            written = len(words)

    return report
