"""Runs a learner's function so that nothing it does can hurt: no endless loop, no exit, no noise."""

import builtins
import ctypes
import io
import linecache
import threading
import time
import traceback
import warnings
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass

import numpy as np

LIMIT = 5.0  # seconds for all cases of a check together, where the exercise gives no others


@dataclass
class Outcome:
    """What came of one call: a value, or an error, or nothing in time; and its arguments, as the call left them."""

    value: object = None
    error: BaseException | None = None
    late: bool = False
    printed: str = ""
    args: tuple = ()


def run_all(function, calls, limit=None):
    """Call the function once for each tuple of arguments, until the time is up: `limit` seconds, or LIMIT.

    Returns
    -------
    list of Outcome
        One a call; the last is ``late`` if the function had to be stopped, and the calls after it are left out.
    """
    deadline = time.monotonic() + (limit or LIMIT)
    outcomes = []
    for args in calls:
        outcomes.append(run(function, args, max(0.01, deadline - time.monotonic())))
        if outcomes[-1].late:
            break
    return outcomes


def run(function, args, seconds):
    """Call the function in a thread of its own and wait for it, at most so many seconds."""
    outcome, printed = Outcome(args=args), _Printed()
    thread = threading.Thread(target=_call, args=(function, args, outcome), daemon=True)
    with redirect_stdout(printed), warnings.catch_warnings(), _no_keyboard():
        warnings.simplefilter("ignore")
        thread.start()
        with suppress(KeyboardInterrupt):  # the stop button: end the function, keep the notebook
            thread.join(seconds)
        if thread.is_alive():
            _stop(thread)
            outcome = Outcome(late=True)
    outcome.printed = printed.getvalue()
    return outcome


def line_of(error, function):
    """The line of the learner's code at which the error arose, or None."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return linecache.getline(file, frames[-1].lineno).strip() or None if frames else None


@contextmanager
def _no_keyboard():
    """Let `input` raise: it would wait for an answer that nobody can give while the check runs."""

    def refuse(*args):
        raise EOFError("nobody can type while a check runs")

    own, builtins.input = builtins.input, refuse
    try:
        yield
    finally:
        builtins.input = own


class _TimeUp(BaseException):
    """Raised inside the learner's thread: `except Exception` does not catch it."""


class _Printed(io.StringIO):
    """Keeps the first 2,000 characters: a loop that prints for ever must not fill the memory."""

    def write(self, text):
        super().write(text[: max(0, 2000 - self.tell())])
        return len(text)


def _call(function, args, outcome):
    try:
        with np.errstate(all="ignore"):
            outcome.value = function(*args)
    except _TimeUp:
        pass
    except BaseException as error:  # sys.exit and KeyboardInterrupt too: they would end the kernel's work
        outcome.error = error


def _stop(thread):
    """Raise `_TimeUp` in the thread until it ends. One that is deep in C code is left behind, as a daemon."""
    for _ in range(20):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_TimeUp))
        thread.join(0.05)
        if not thread.is_alive():
            return
