"""What the exercises say: a sentence or a piece of source, as plain text and as something nicer to look at."""

import ast
import inspect
import re
import textwrap
from dataclasses import dataclass
from html import escape

from IPython.display import display

_LOOKS = {  # a sign, a word for screen readers and a colour: never colour alone
    "correct": ("✓", "var(--jp-success-color1, #388e3c)"),
    "not attempted": ("○", "var(--jp-border-color0, #9e9e9e)"),
    "wrong": ("✗", "var(--jp-warn-color1, #f57c00)"),
    "error": ("!", "var(--jp-error-color1, #d32f2f)"),
    "note": ("→", "var(--jp-brand-color1, #1976d2)"),
}


@dataclass(frozen=True)
class Said:
    """One message to the learner.

    Parameters
    ----------
    message : str
        Plain text, with `code` between backticks.
    status : str
        ``"note"``, or what a check found: ``"not attempted"``, ``"correct"``, ``"wrong"`` or ``"error"``.
    """

    message: str
    status: str = "note"

    @property
    def passed(self):
        """Whether this is the verdict of a check that found nothing wrong."""
        return self.status == "correct"

    def __str__(self):
        return self.message

    __repr__ = __str__

    def html(self):
        """The message as one box; the colours follow JupyterLab's theme."""
        sign, colour = _LOOKS[self.status]
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(self.message))
        box = f"max-width:70ch;margin:2px 0;padding:4px 10px;border-left:4px solid {colour};line-height:1.45"
        return f'<div role="status" style="{box}"><span aria-hidden="true">{sign}</span> {text}</div>'

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": self.message, "text/html": self.html()}


@dataclass(frozen=True)
class Source:
    """A piece of Python to read: shown with colours where Markdown is, as it stands elsewhere."""

    code: str

    def __str__(self):
        return self.code

    __repr__ = __str__

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": self.code, "text/markdown": f"```python\n{self.code}\n```"}


def show_source(function):
    """Show how a function is written, without its decorators and its docstring.

    Parameters
    ----------
    function : callable
        A function written in Python. One named ``faulty_...`` is shown as ``faulty``: its name tells too much.

    Raises
    ------
    TypeError
        If Python has no source for it.

    Examples
    --------
    >>> from attention_lab.teaching.exercises.lesson_03 import effective_keys
    >>> show_source(effective_keys)  # doctest: +ELLIPSIS
    def effective_keys(weights):
    ...
    """
    code, name = source_of(function), function.__name__
    if name.startswith("faulty_"):
        code = code.replace(name, "faulty")
    display(Source(code))  # at once, so that a cell may go on to run the function


def source_of(function):
    """The text of a function from ``def`` on, without its docstring, at the left margin."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise TypeError(f"function must be one that is written in Python, got {function!r}") from None
    lines = text.rstrip().splitlines()
    definition = ast.parse(text).body[0]
    if not isinstance(definition, ast.FunctionDef):
        return "\n".join(lines)
    if ast.get_docstring(definition) is not None:
        docstring = definition.body[0]
        del lines[docstring.lineno - 1 : docstring.end_lineno]
    return "\n".join(lines[definition.lineno - 1 :])
