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

    Raises
    ------
    TypeError, ValueError
        If a text is none, `settle` is no function, or there are not 2 to 8 options.
    """

    id: str
    lesson: str
    source: str
    text: str
    options: dict[str, str]
    settle: Callable[[], str]

    def __post_init__(self):
        for name in ("id", "lesson", "source", "text"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be a str, got {getattr(self, name)!r}")
        options = self.options
        if not isinstance(options, dict) or not all(isinstance(text, str) for pair in options.items() for text in pair):
            raise TypeError(f"options must be a dict: each option, and what is said about it; got {options!r}")
        if not 2 <= len(options) <= 8:
            raise ValueError(f"options must be 2 to 8, got {len(options)}")
        if not callable(self.settle):
            raise TypeError(f"settle must be a function that returns the right option, got {self.settle!r}")

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
