"""How many learners does this machine carry? ``make hub-load LEARNERS=20``.

A class of its own is started. All learners sign in at once, then all run a lesson each, then all move its demos. The
table says what failed, how long everything took, and how much memory a learner needs.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles

from attention_lab.classroom.hub import HubError, end_in_order, processes, read_learners, serve, show
from attention_lab.classroom.hub_client import Stopped
from attention_lab.classroom.learner import Learner
from attention_lab.command.lessons import lessons

NEED_WEIGHTS = ("19", "20")  # left out unless they are named: their weights may not be here
MIB = 2**20


def load(folder, learners, steps, say=show):
    """Let all learners do everything; give the memory of each, by name: that of the server and that of its kernels."""
    over = threading.Event()
    with serve(folder) as hub, ThreadPoolExecutor(len(learners)) as pool:
        try:
            _together(pool, "servers ready", learners, lambda learner: learner.start(hub, over.is_set), say)
            _together(pool, "lessons run", learners, Learner.run, say)
            _together(pool, "demos moved", learners, lambda learner: learner.move(steps), say)
            return memory(folder)
        finally:
            over.set()  # after Ctrl+C nobody waits on


def _together(pool, what, learners, act, say):
    """All learners who have not failed do the same at once; the line that is shown counts those who are done."""
    able = [learner for learner in learners if not learner.failures]
    started = time.perf_counter()
    waiting = [pool.submit(_guarded, learner, act) for learner in able]
    for number, _ in enumerate(as_completed(waiting), 1):
        say(f"{what}: {number} of {len(able)} ({time.perf_counter() - started:.0f} s)", number == len(able))


def _guarded(learner, act):
    try:
        act(learner)
    except Stopped:
        learner.failures.append("stopped")
    except Exception as error:  # each failure is one of this learner, and a line of the report
        learner.failures.append(f"{type(error).__name__}: {error}")


def memory(folder):
    """Bytes of each learner's server and kernels: their share, where what several processes share is divided."""
    import psutil  # comes with ipykernel

    found = {}
    for name, process in processes(folder):
        with suppress(psutil.Error):  # just gone
            if name is None:
                continue
            kind = "kernel" if "ipykernel_launcher" in process.cmdline() else "server"
            info = process.memory_full_info()
            found.setdefault(name, {"server": 0, "kernel": 0})[kind] += getattr(info, "pss", info.uss)
    return found


def summary(learners, sizes):
    """Counts, seconds and MiB of the whole class; of what was measured several times, the median and the most."""
    updates = [seconds for learner in learners for seconds in learner.updates]
    ready = [learner.ready for learner in learners if learner.ready is not None]
    return {
        "learners": len(learners),
        "cores": os.cpu_count(),
        "failures": sum(bool(learner.failures) for learner in learners),
        "cells": sum(learner.cells for learner in learners),
        "updates": len(updates),
        "update_p50": _quantile(updates, 50),
        "update_p95": _quantile(updates, 95),
        "ready": _median_and_most(ready),
        "server_mib": _median_and_most([size["server"] / MIB for size in sizes.values()]),
        "kernel_mib": _median_and_most([size["kernel"] / MIB for size in sizes.values()]),
        "all_mib": sum(sum(size.values()) for size in sizes.values()) / MIB,
    }


def table(learners, sizes):
    """One line a learner."""
    rows = [("learner", "lesson", "ready", "cells", "run", "moves", "p50", "p95", "MiB")]
    for learner in learners:
        p50, p95 = (_spell(_quantile(learner.updates, percent), 2) for percent in (50, 95))
        size = sum(sizes[learner.name].values()) / MIB if learner.name in sizes else None
        row = learner.name, learner.lesson.removesuffix(".ipynb"), _spell(learner.ready), learner.cells
        rows.append((*row, _spell(learner.ran), len(learner.updates), p50, p95, _spell(size)))
    return "\n".join(
        f"{name:<14}{lesson:<33}" + "".join(f"{cell:>7}" for cell in cells) for name, lesson, *cells in rows
    )


def _spell(number, digits=0):
    return "-" if number is None else f"{number:.{digits}f}"


def _quantile(values, percent):
    if len(values) < 2:
        return values[0] if values else None
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def _median_and_most(values):
    return [median(values), max(values)] if values else [None, None]


def choose(given):
    """The files of the lessons named, such as "02 05"; of nothing, all that need no weights."""
    known = lessons()
    unknown = [number for number in given.split() if number not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"no lesson {', '.join(unknown)}: there are {', '.join(known)}")
    numbers = given.split() or [number for number in known if number not in NEED_WEIGHTS]
    return [known[number].name for number in numbers]


def report(learners, sizes, path):
    """Print the table and what failed; write everything to a file."""
    whole = summary(learners, sizes)
    print(f"\n{table(learners, sizes)}\n")
    for learner in learners:
        for failure in learner.failures:
            print(f"FAILED {learner.name}, {learner.lesson}: {failure}")
    print(sentences(whole))
    rows = [{**asdict(learner), "bytes": sizes.get(learner.name)} for learner in learners]
    path.write_text(json.dumps({"summary": whole, "learners": rows}, indent=1), encoding="utf-8")


def sentences(whole):
    """The summary in words."""
    ready, server, kernel = whole["ready"], whole["server_mib"], whole["kernel_mib"]
    p50, p95 = whole["update_p50"], whole["update_p95"]
    return f"""\
{whole["learners"]} learners on {whole["cores"]} cores: {whole["failures"]} failures, {whole["cells"]} cells run
servers ready after {_spell(ready[0])} s (median), {_spell(ready[1])} s (the last)
a demo follows in {_spell(p50, 2)} s (half of {whole["updates"]} moves), {_spell(p95, 2)} s (95 %)
a learner needs {_spell(server[0])} MiB for the server and {_spell(kernel[0])} MiB for a kernel (medians; most \
{_spell(server[1])} and {_spell(kernel[1])}); all together {_spell(whole["all_mib"])} MiB"""


def main(arguments=None):
    options = _parser().parse_args(arguments)
    end_in_order()
    learners = [Learner(name, lesson) for name, lesson in zip(options.learners, cycle(options.lessons))]
    options.json.parent.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            sizes = load(folder, learners, options.steps)
            shutil.copy(Path(folder, "hub.log"), options.json.with_suffix(".log"))
        report(learners, sizes, options.json)
    except KeyboardInterrupt:
        print("\nStopped.")
        return 130
    except (HubError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 1 if any(learner.failures for learner in learners) else 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m attention_lab.classroom.load", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("--learners", default="20", type=read_learners, help="how many, or their names")
    dealt = 'such as "02 05", dealt to the learners in turn; all that need no weights without it'
    parser.add_argument("--lessons", default="", type=choose, help=dealt)
    parser.add_argument("--steps", default=20, type=int, help="by which each demo is moved")
    parser.add_argument("--json", default="test-results/hub-load.json", type=Path, help="where the numbers go")
    return parser


if __name__ == "__main__":
    sys.exit(main())
