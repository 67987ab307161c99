"""What a question is: a text, options that each say something back, and code that finds the right one."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Question:
    """A question whose answer is computed, not written down.

    Parameters
    ----------
    id : str
        How a lesson calls it: ``"divide-by-d"``.
    lesson : str
        The lesson it belongs to: ``"01"``.
    source : str
        Where it comes from: a misconception (M), a question that learners ask (Q), a check (C), a lab (B), a lesson
        or an exercise; ``"M2 Q6"``. With "again" it asks once more what another question of its lesson asks.
    text : str
        The question, plain text with `code` between backticks.
    options : dict of str
        Each option and what is said about it once the answer is locked.
    settle : callable
        Computes something and returns the text of the right option.
    """

    id: str
    lesson: str
    source: str
    text: str
    options: dict[str, str]
    settle: Callable[[], str]

    @property
    def choices(self):
        """The options in an order that is always the same and has nothing to do with which one is right."""
        return sorted(self.options, key=lambda option: sha256(f"{self.id}: {option}".encode()).digest())

    @property
    def working(self):
        """The source of `settle`, without its decorator."""
        decorator, function, body = inspect.getsource(self.settle).partition("\ndef ")
        return (function + body if function else decorator).strip()

    def answer(self):
        """Compute the right option.

        Raises
        ------
        ValueError
            If what `settle` returns is not one of the options.
        """
        found = self.settle()
        if found not in self.options:
            raise ValueError(f"{self.id}: expected one of {self.choices}, computed {found!r}")
        return found


def question(id, *, lesson, source, text, options):
    """Make a `Question` of the function below: it computes the answer and returns the text of the right option."""
    return lambda settle: Question(id, lesson, source, text, options, settle)
