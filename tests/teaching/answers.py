"""One check for every row of a table of answers to the bank's questions."""

import pytest

from attention_lab.teaching.questions import BANK


def check_answer(monkeypatch, id, right, name, broken, then):
    """`id` settles to `right`; with `broken` in the place of `name` to `then`, or to nothing where that is None."""
    item = BANK[id]
    assert item.answer() == right
    monkeypatch.setitem(item.settle.__globals__, name, broken)
    if then is None:
        with pytest.raises((ValueError, StopIteration)):
            item.answer()
    else:
        assert item.answer() == then
