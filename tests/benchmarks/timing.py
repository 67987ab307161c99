"""Calls that take turns, so that what else the machine does falls on all of them; and how a cost grows."""

import random
import statistics
import time

import numpy as np


def take_turns(calls, rounds, warm=2, prepared=False):
    """Median milliseconds of each call: by the clock, and of the processor.

    Each round has an order of its own: what a call leaves behind, as JAX does, slows down whichever comes next.
    With ``prepared=True`` each call returns what is then timed.
    """
    times, shuffle = {name: [] for name in calls}, random.Random(0).sample
    for _ in range(rounds + warm):
        for name in shuffle(list(calls), len(calls)):
            call = calls[name]() if prepared else calls[name]
            start = time.perf_counter(), time.process_time()
            call()
            end = time.perf_counter(), time.process_time()
            times[name].append([1000 * (after - before) for before, after in zip(start, end)])
    medians = {name: [statistics.median(column) for column in zip(*taken[warm:])] for name, taken in times.items()}
    return {name: {"clock": clock, "processor": processor} for name, (clock, processor) in medians.items()}


def exponent(sizes, costs):
    """The p of cost = c · size^p that fits best: 1 is linear, 2 is quadratic."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
