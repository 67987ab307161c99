"""Many cases of one subject."""

import contextlib
import re
import signal
from dataclasses import dataclass, field

from tests.fuzz.cases import describe, draw_case
from tests.fuzz.judge import judge


@dataclass
class Found:
    """What many cases of one subject came to. Of faults that read alike the first is shown."""

    subject: object
    seed: int
    returned: int = 0
    faults: dict = field(default_factory=dict)

    def add(self, number, fault, case):
        kind = case.raised_at() or re.sub(r"\d+|'[^']*'", "", fault)[:60]
        self.faults.setdefault(kind, []).append((number, fault, describe(case)))

    def report(self):
        lines = [f"{sum(map(len, self.faults.values()))} faults in {self.subject.name}:"]
        for group in self.faults.values():
            number, fault, call = group[0]
            again = f'make fuzz CASE="{self.subject.name} {number}{f" {self.seed}" if self.seed else ""}"'
            lines.append(f"  {len(group)} x {fault}\n      {call}\n      again: {again}")
        return "\n".join(lines)


def explore(subject, number, seed=0, seconds=None):
    """Judge `number` cases; with `seconds`, a case that takes longer is a fault, too."""
    found = Found(subject, seed)
    for i in range(number):
        case = draw_case(subject, i, seed)
        with _at_most(seconds):
            returned, fault = judge(case)
        found.returned += returned
        if fault:
            found.add(i, fault, case)
    return found


@contextlib.contextmanager
def _at_most(seconds):
    """Let a signal end what computes for longer; where a system has no such signal nothing is limited."""
    if seconds is None or not hasattr(signal, "SIGPROF"):
        yield
        return
    before = signal.signal(signal.SIGPROF, _late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _late(number, frame):
    raise TimeoutError("it hangs")
