"""Ctrl+C in a command that works in several processes: it ends, and soon, whatever the library behind it waits for."""

import multiprocessing
import os
import signal
import sys
import threading
from contextlib import contextmanager


@contextmanager
def ends_in_time(words, patience=5.0):
    """Within this, Ctrl+C raises KeyboardInterrupt; if the process still lives `patience` seconds later, it is ended.

    joblib stops its processes when it is interrupted, and now and then waits for one of them without end. The process
    then ends without it: it says ``words()``, stops its children and leaves with status 1.

    Parameters
    ----------
    words : callable
        Gives the last line to say.
    patience : float
    """

    def end():
        print(words(), file=sys.stderr, flush=True)
        for child in multiprocessing.active_children():
            child.kill()
            child.join(1)
        os._exit(1)

    def interrupted(number, frame):
        timer = threading.Timer(patience, end)
        timer.daemon = True  # where the process ends by itself, nothing is left to do
        timer.start()
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
