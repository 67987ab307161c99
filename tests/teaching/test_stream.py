"""A text that grows: shown token by token, kept when it is interrupted, and of a fixed stored form."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import attention_lab as lab
from attention_lab.teaching import stream as module
from attention_lab.teaching.stream import SECONDS, stream


@pytest.fixture
def shown(monkeypatch):
    """As in a Jupyter kernel: what was displayed."""
    widgets = []
    monkeypatch.setattr("attention_lab.runs.progress.in_notebook", lambda: True)
    monkeypatch.setattr(module, "display", widgets.append)
    return widgets


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test moves."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: clock.now)
    return clock


def text_of(box):
    return box.body.value


def final(prompt, text):
    return f'<div class="al-live-text" role="status"><b>{prompt}</b>{text}</div>'


def test_a_notebook_shows_one_widget_that_ends_with_the_whole_text(shown, capsys):
    assert stream("nna", prompt="jo") == "jonna"
    (box,) = shown
    assert text_of(box) == final("jo", "nna")
    assert capsys.readouterr() == ("", "")


def test_the_stored_form_does_not_depend_on_the_text(shown):
    for tokens in ("abc", "xyz"):
        stream(tokens, about="a < b")
    one, two = (box._repr_mimebundle_() for box in shown)
    assert one["text/plain"] == two["text/plain"] == "a < b"
    assert one["text/html"] == two["text/html"] == "<p><small>a &lt; b</small></p>"


def test_every_token_is_seen_where_they_come_slowly(shown, clock):
    seen = []

    def tokens():
        for token in "abc":
            clock.now += SECONDS
            yield token
            seen.append(text_of(shown[0]))

    stream(tokens(), prompt="0")
    assert seen == [f'<div class="al-live-text" aria-busy="true"><b>0</b>{text}</div>' for text in ("a", "ab", "abc")]


def test_the_prompt_stands_there_before_the_first_token(shown):
    def tokens():
        assert "<b>once</b></div>" in text_of(shown[0])
        yield "!"

    assert stream(tokens(), prompt="once") == "once!"


def test_a_thousand_tokens_a_second_are_twenty_pictures(shown, clock, monkeypatch):
    pictures = []
    monkeypatch.setattr(module.Live, "put", lambda self, html: pictures.append(html))

    def tokens():
        for _ in range(1000):
            clock.now += 0.001
            yield "x"

    assert stream(tokens()) == 1000 * "x"
    assert 20 <= len(pictures) <= 23  # the first, twenty, the last
    assert pictures[-1] == final("", 1000 * "x")


def test_a_text_is_no_markup_and_keeps_its_spaces(shown):
    pieces = ["<b>", "  two\n", "&amp;"]
    assert stream(pieces, prompt="<i>\n") == "<i>\n<b>  two\n&amp;"
    assert text_of(shown[0]) == final("&lt;i&gt;\n", "&lt;b&gt;  two\n&amp;amp;")
    assert "white-space: pre-wrap" in shown[0].children[0].value  # the sheet that comes with it


def stops_after(pieces, error):
    yield from pieces
    raise error


def test_an_interruption_keeps_what_was_written(shown):
    assert stream(stops_after("ab", KeyboardInterrupt), prompt="0") == "0ab"
    assert text_of(shown[0]) == final("0", "ab")


def test_an_interruption_before_the_first_token(shown):
    assert stream(stops_after("", KeyboardInterrupt)) == ""
    assert text_of(shown[0]) == final("", "")


def test_an_error_is_raised_and_what_was_written_stays_visible(shown):
    with pytest.raises(ZeroDivisionError):
        stream(stops_after("ab", ZeroDivisionError))
    assert text_of(shown[0]) == final("", "ab")


def test_tokens_of_a_model_become_letters(shown):
    letters = ".abcdefg"
    model = lab.LanguageModel(8, 8, 2, 8, num_layers=1, max_len=12, rng=np.random.default_rng(0))
    drawn = list(lab.generate(model, [0], 9, rng=np.random.default_rng(1)))
    tokens = lab.generate(model, [0], 9, rng=np.random.default_rng(1))
    assert lab.stream(tokens, letters.__getitem__) == "".join(letters[token] for token in drawn)


def test_without_a_decoder_tokens_are_shown_as_they_print(shown):
    assert stream([1, 22, np.int64(3)]) == "1223"
    assert stream([]) == ""


@pytest.mark.parametrize(("decode", "words"), [("abc", "decode must be a function"), (None, "got None")])
def test_a_decoder_that_is_none(decode, words):
    with pytest.raises(TypeError, match=words):
        stream([0], decode)


def test_a_decoder_that_gives_no_text(shown):
    with pytest.raises(TypeError, match="decode must give a str for each token, got 5 for 4"):
        stream([4], lambda token: token + 1)


# Elsewhere -------------------------------------------------------------------------------------------------


def test_a_terminal_gets_each_piece_at_once(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    seen = []

    def tokens():
        for token in "ab":
            yield token
            seen.append(out.getvalue())

    assert stream(tokens(), prompt="0") == "0ab"
    assert seen == ["0a", "0ab"]
    assert out.getvalue() == "0ab\n"


def test_a_terminal_keeps_what_was_written_too(capsys):
    assert stream(stops_after("ab", KeyboardInterrupt)) == "ab"
    assert capsys.readouterr().out == "ab\n"


def test_a_widget_that_cannot_be_made_becomes_plain_text(shown, monkeypatch, capsys):
    def no_comm(*args):
        raise RuntimeError("there is no comm")

    monkeypatch.setattr(module, "display", no_comm)
    assert stream("ab") == "ab"
    assert capsys.readouterr().out == "ab\n"
