"""A text that grows where someone looks: in the live widget of a notebook, in a terminal as it is written."""

import math
import sys
import time
from html import escape

from IPython.display import display

from attention_lab.data.given import is_iterable
from attention_lab.runs import progress
from attention_lab.teaching.live import Live

SECONDS = 0.05  # between two pictures of the text


def stream(tokens, decode=str, *, prompt="", about="A text, written token by token. Run this cell to watch it grow."):
    """Write a text token by token, and return it.

    Parameters
    ----------
    tokens : iterable
        Such as `generate` gives. Each is shown as soon as it is there, twenty times a second at most. Interrupting the
        kernel ends the text early, and what was written stays.
    decode : callable
        ``decode(token) -> str``: what a token adds to the text, such as ``"abc".__getitem__``.
    prompt : str
        What the text begins with.
    about : str
        What a reader without a kernel sees in its place.

    Returns
    -------
    str
        The whole text, from the prompt on.

    Raises
    ------
    TypeError
        If `decode` gives something else than a str.

    Examples
    --------
    >>> name = stream([0, 13, 13, 0], "abcdefghijklmnopqrstuvwxyz".__getitem__, prompt="jo")
    joanna
    >>> name
    'joanna'
    """
    if not callable(decode):
        raise TypeError(f"decode must be a function that makes a str of a token, got {decode!r}")
    if not isinstance(prompt, str) or not is_iterable(tokens):
        raise TypeError(f"tokens must be iterable and prompt a str, got {tokens!r:.60} and {prompt!r:.60}")
    written, show = prompt, _where_someone_looks(prompt, about)
    try:
        for token in tokens:
            piece = _piece(decode, token)
            written += piece
            show(written)
    except KeyboardInterrupt:  # the stop button: what was written stays
        pass
    finally:
        show(written, ended=True)
    return written


def _piece(decode, token):
    try:
        piece = decode(token)
    except (TypeError, ValueError, LookupError, Warning) as error:  # a warning, where warnings are errors
        raise ValueError(f"decode cannot read the token {token!r:.60}: {error}") from error
    if not isinstance(piece, str):
        raise TypeError(f"decode must give a str for each token, got {piece!r} for {token!r}")
    return piece


def _where_someone_looks(prompt, about):
    if progress.in_notebook():
        try:
            return _page(prompt, about)
        except Exception:  # no widgets here: the text is worth more than its looks
            pass
    return _lines(prompt)


def _page(prompt, about):
    """In one widget, whose stored form is fixed."""
    live, due = Live(about), -math.inf

    def show(written, ended=False):
        nonlocal due
        now = time.monotonic()
        if ended or now >= due:
            due = now + SECONDS
            live.put(_html(prompt, written[len(prompt) :], ended))

    show(prompt)
    display(live)
    return show


def _lines(prompt):
    """As plain text, each piece behind the last."""
    shown = 0

    def show(written, ended=False):
        nonlocal shown
        sys.stdout.write(written[shown:] + ("\n" if ended else ""))
        sys.stdout.flush()
        shown = len(written)

    show(prompt)
    return show


def _html(prompt, text, ended):
    """The text as it stands: no markup, spaces and line ends kept. A reader with a screen reader hears it once."""
    role = 'role="status"' if ended else 'aria-busy="true"'
    return f'<div class="al-live-text" {role}><b>{escape(prompt)}</b>{escape(text)}</div>'
