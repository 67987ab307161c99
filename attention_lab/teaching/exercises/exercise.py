"""One exercise: what is asked, what is right, and what is known to go wrong."""

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from textwrap import dedent
from zlib import crc32

from attention_lab.teaching.exercises.display import source_of


@dataclass(eq=False)
class Exercise:
    """An exercise with its bank. Its name and parameters are those of its reference.

    Parameters
    ----------
    task : str
        One sentence: what to write.
    reference : callable
        The clearest right answer.
    cases : list of tuple
        Arguments to try, from plain to extreme. Every axis of an array is a different prime. Functions may be among
        them: they are handed over as they are, and a message tells them by their names.
    faults : list of callable
        Known wrong answers, each marked with `diagnosed`.
    hints : tuple of str
        Three, each says more than the one before.
    key : str
        What the line holds that the gap leaves out: a comment label, ``"# scale"``. Of several, the first.
    distractor : callable
        The fault whose own line joins the shuffled ones.
    learned : str
        What a right answer has shown: said with "Correct".
    returns : tuple of str
        Names of what is returned, one an array.
    properties : callable, optional
        ``properties(*results, *args)`` gives a sentence for the first property that does not hold, or None.
    compares : bool
        Whether a result must equal the reference's. Without it the properties alone decide.
    answer : callable, optional
        What the reference should give, at once: called in its place where the reference takes long.
    parts : tuple
        Classes and functions that the reference is made of: the solution shows them before it.
    writes : tuple of str
        Parameters that are to be written into, and must then hold what they hold after the reference. No other may be.
    refuses : bool
        Whether the reference raises a ValueError for some cases, as an answer must.
    limit : float, optional
        Seconds for all cases together, if more than the runner's own are needed.
    """

    task: str
    reference: Callable
    cases: list
    faults: list
    hints: tuple
    key: str
    distractor: Callable
    learned: str
    returns: tuple = ("result",)
    properties: Callable | None = None
    compares: bool = True
    answer: Callable | None = None
    parts: tuple = ()
    writes: tuple = ()
    refuses: bool = False
    limit: float | None = None
    attempts: int = 0
    hints_given: int = 0

    @property
    def name(self):
        return self.reference.__name__

    @property
    def is_homework(self):
        """Whether it is handed in for marks: then ``ATTENTION_LAB_HOMEWORK`` names it, and its help is closed."""
        return self.name in os.environ.get("ATTENTION_LAB_HOMEWORK", "").split()

    @property
    def or_hint(self):
        """How a sentence ends that has a hint to offer; it has none where hints are closed."""
        return "" if self.is_homework else f", or ask `hint.{self.name}()`"

    @cached_property
    def parameters(self):
        return list(inspect.signature(self.reference).parameters)

    @property
    def signature(self):
        return f"{self.name}({', '.join(self.parameters)})"

    def gap(self):
        """The reference as the learner's own function, with ``...`` in place of the key step."""
        own = source_of(self.reference).replace(f"def {self.name}(", f"def my_{self.name}(", 1)
        lines = own.splitlines()
        at = next(i for i, line in enumerate(lines) if self.key in line)
        return "\n".join([*lines[:at], _leave_out(lines[at]), *lines[at + 1 :]])

    @cached_property
    def lines(self):
        """The lines of the reference's body, in their order."""
        return body(self.reference)

    @cached_property
    def odd_line(self):
        """The line of the distractor that goes wrong: the only one there with a label."""
        (line,) = [line for line in body(self.distractor) if "  # " in line]
        return line

    @cached_property
    def shuffled(self):
        """The reference's lines and the odd one, in an order that is always the same and never a right one."""
        mixed = sorted([*self.lines, self.odd_line], key=lambda line: crc32(line.encode()))
        while [line for line in mixed if line in self.lines][-1] == self.lines[-1]:
            mixed = mixed[-1:] + mixed[:-1]
        return mixed


def diagnosed(diagnosis, when=None):
    """Mark a known fault with what to tell the learner whose numbers equal its numbers: cause, then next step.

    Parameters
    ----------
    diagnosis : str or callable
        The text, or ``diagnosis(got, args) -> str`` where it quotes the learner's own result.
    when : callable, optional
        ``when(got, args)``: whether a wrong result shows this fault, where numbers differ from learner to learner.
    """

    def mark(function):
        function.diagnosis, function.when = diagnosis, when
        return function

    return mark


def body(function):
    """The lines of a function's body, those of a block inside it indented."""
    return dedent("\n".join(source_of(function).splitlines()[1:])).splitlines()


def _leave_out(line):
    """``scores = scores / d  # scale`` becomes ``scores = ...  # scale``; a ``return`` is left out the same way."""
    code, label = line.split("  # ", 1)
    kept = code[: code.index("return")] + "return" if "return " in code else code.split(" = ", 1)[0] + " ="
    return f"{kept} ...  # {label}"
