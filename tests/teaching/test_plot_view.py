"""The stored picture of a live one: it shows exactly what stands for something, and says of it what the live one says."""

import numpy as np
import pytest

from attention_lab.teaching.side_by_side import still
from attention_lab.teaching.view import View
from tests.teaching.pictures import SENTENCE, words
from tests.teaching.read_figure import maps
from tests.teaching.sentences import unconfirmed

pytestmark = pytest.mark.slow

ROOM = [" "] * 3


def written(picture):
    return " ".join(text.get_text() for text in words(picture))


@pytest.mark.parametrize("heads", [1, 2])
def test_places_kept_free_are_left_out(heads):
    weights = np.pad(np.full((heads, 2, 4), 0.25), ((0, 0), (0, 3), (0, 3)))
    view = View(weights, ["a", "a", *ROOM], [*"wxyz", *ROOM], np.arange(7) < 4, np.arange(7) == 3, query=1)
    picture = still(view)
    for one in maps(picture.figure):
        assert one.values.shape == (2, 4) and one.outlined == {1} and one.hatched("....") == 2
        assert list(one.rows.values()) == ["0:a", "1:a"] and list(one.columns.values()) == [*"wxyz"]
    assert not any(said in written(picture) for said in ("␣", "no visible key", "masked"))
    assert unconfirmed(picture) == []


def test_places_between_names_are_left_out_too_and_an_outline_with_its_row():
    view = View(np.eye(4), ["a", "", "b", " "], [" ", *"xyz"], query=1)
    (one,) = maps(still(view).figure)
    assert one.values.tolist() == np.eye(4)[[0, 2], 1:].tolist() and one.outlined == set()


def test_without_any_name_all_places_are_drawn():
    (one,) = maps(still(View(np.eye(3)[:2], query_tokens=[" ", ""], key_tokens=SENTENCE[:3])).figure)
    assert one.values.shape == (2, 3)
