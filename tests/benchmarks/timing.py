"""Calls that take turns, so that what else the machine does falls on all of them; and how a cost grows."""

import statistics
import time

import numpy as np


def take_turns(calls, rounds, warm=2, prepared=False):
    """Median milliseconds of each call: by the clock, and of the processor.

    With ``prepared=True`` each call returns what is then timed.
    """
    times = {name: [] for name in calls}
    for _ in range(rounds + warm):
        for name, call in calls.items():
            call = call() if prepared else call
            start = time.perf_counter(), time.process_time()
            call()
            end = time.perf_counter(), time.process_time()
            times[name].append([1000 * (after - before) for before, after in zip(start, end)])
    medians = {name: [statistics.median(column) for column in zip(*taken[warm:])] for name, taken in times.items()}
    return {name: {"clock": clock, "processor": processor} for name, (clock, processor) in medians.items()}


def exponent(sizes, costs):
    """The p of cost = c · size^p that fits best: 1 is linear, 2 is quadratic."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
