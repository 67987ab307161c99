"""Before a lesson's first cell, in its kernel: show that the conditions hold, and shift the lesson's seeds."""

import errno
import os
import socket
import sys
from pathlib import Path

import numpy as np

import attention_lab

NOTEBOOK = "__main__"
BATCHES = ("name_batches", "number_batches")  # of the package: they draw by the seed that a lesson hands them
FAR_AWAY = ("192.0.2.1", 9)  # an address kept for examples; connecting a datagram socket sends nothing


def begin(*, threads, shift, walls):
    """Raise unless this kernel is under the conditions asked for; from here on shift the lesson's seeds."""
    wrong = [*_project(), *_threads(threads)]
    if walls:
        wrong += [*_network(), *_folder()]
    if wrong:
        raise RuntimeError(f"the conditions do not hold: {'; '.join(wrong)}")
    np.random.default_rng = shifted(np.random.default_rng, shift)


def shifted(default_rng, shift):
    """A ``default_rng`` that adds to the seeds a notebook's cells give; ``.as_written`` is the one that does not.

    Of a list such as [seed, step] the first number is shifted. What the package draws for itself stays the same.
    """

    def of_lesson(seed=None):
        return default_rng(_other(seed, shift) if _is_lessons(sys._getframe(1)) else seed)

    of_lesson.as_written = default_rng
    return of_lesson


def _is_lessons(frame):
    return frame.f_globals.get("__name__") == NOTEBOOK or frame.f_code.co_name in BATCHES


def _other(seed, shift):
    if isinstance(seed, list | tuple):
        return [_other(seed[0], shift), *seed[1:]]
    return seed + shift if isinstance(seed, int | np.integer) else seed


def _project():
    root = Path.cwd().parent
    if not Path(attention_lab.__file__).is_relative_to(root):
        yield f"the package comes from {attention_lab.__file__}, not from {root}"


def _threads(expected):
    from threadpoolctl import threadpool_info

    expected = min(expected, os.cpu_count() or 1)  # BLAS takes no more threads than there are cores
    for pool in threadpool_info():
        if pool["user_api"] == "blas" and pool["num_threads"] != expected:
            yield f"BLAS has {pool['num_threads']} threads, not {expected}"


def _network():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside:
        try:
            outside.connect(FAR_AWAY)
        except OSError:
            return
    yield "the network can be reached"


def _folder():
    try:
        Path("written").touch()
    except OSError as error:
        if error.errno == errno.EROFS:
            return
    yield f"{Path.cwd()} can be written to"
