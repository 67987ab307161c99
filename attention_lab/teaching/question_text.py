"""What the widgets say of a question, as HTML and as plain text: it asked, an answer judged, all of it explained."""

import re
from html import escape


def asked(question, number=""):
    """The question and its options as lines of plain text, and as HTML. Nothing tells which option is right."""
    choices = question.choices
    lines = [number + plain(question.text), *(f"  ( ) {plain(choice)}" for choice in choices)]
    items = "".join(f"<li>{as_html(choice)}</li>" for choice in choices)
    return lines, f"<p><strong>{number}{as_html(question.text)}</strong></p><ul>{items}</ul>"


def verdict(question, chosen):
    """Whether the choice is right, None where no answer could be computed, and the HTML that says so and why."""
    answer, error = _computed(question)
    if error:
        return None, error
    if chosen == answer:
        parts = [_said("right", "Right:", chosen, question)]
    else:
        parts = [_said("wrong", "Not so:", chosen, question), _said("right", "It is:", answer, question)]
    return chosen == answer, f'<div role="status">{"".join(parts)}{_working(question)}</div>'


def explained(question, letters=None):
    """The HTML that says which option is right, and of each why. Options may have letters, by which they are called."""
    answer, error = _computed(question)
    if error:
        return error
    name = {option: letters[option] if letters else "so" for option in question.choices}
    parts = [_said("right", f"It is {name[answer]}:", answer, question)]
    parts += [
        _said("wrong", f"Not {name[option]}:", option, question) for option in question.choices if option != answer
    ]
    return f'<div role="status">{"".join(parts)}{_working(question)}</div>'


def as_html(text):
    """Text as HTML, with `code` between backticks."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def plain(text):
    return text.replace("`", "")


def _computed(question):
    """The right option, or the HTML that says what went wrong."""
    try:
        return question.answer(), None
    except Exception as error:  # whatever went wrong, the reader sees it where the answer would stand
        text = f"The answer could not be computed. {type(error).__name__}: {error}"
        return None, f'<p class="al-q-error" role="alert">{escape(text)}</p>'


def _said(kind, opening, option, question):
    mark = {"right": "✓", "wrong": "✗"}[kind]
    head = f'<b><span aria-hidden="true">{mark}</span> {opening}</b> <q>{as_html(option)}</q>'
    return f'<div class="al-q-said al-q-{kind}"><p>{head}</p><p>{as_html(question.options[option])}</p></div>'


def _working(question):
    code = f"<pre><code>{escape(question.working)}</code></pre>"
    return f"<details><summary>How it was computed</summary>{code}</details>"
