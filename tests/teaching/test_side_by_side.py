"""Several pictures in one demo: each is there, in the page, in the twin and in words."""

import io

import matplotlib.image
import numpy as np
import pytest

from attention_lab.teaching import live_curves, live_heatmap, side_by_side
from attention_lab.teaching.curves import Curves
from attention_lab.teaching.explorer import Explorer, slider
from attention_lab.teaching.view import View
from tests.sweep import idle_controls, sweep
from tests.teaching.test_view import Tags

VIEW, CURVES = View(np.eye(3)), Curves({"a": [1, 2, 3]})


def image(png):
    return matplotlib.image.imread(io.BytesIO(png))


@pytest.mark.parametrize("part", [VIEW, CURVES])
def test_one_picture_is_drawn_as_ever(part):
    module = live_heatmap if part is VIEW else live_curves
    assert side_by_side.draw(part) == module.draw(part) == side_by_side.draw((part,))
    assert side_by_side.alt(part) == part.alt
    assert side_by_side.twin(part) == module.still(part)._bytes("png")


def test_several_are_all_there_and_well_formed():
    tags = Tags()
    tags.feed(side_by_side.draw((VIEW, CURVES)))
    assert (tags.open, tags.wrong) == ([], [])
    assert tags.labels == [f"{VIEW.alt}. {CURVES.alt}", VIEW.alt, CURVES.alt]


def test_the_twin_holds_every_picture_whole():
    one, other = image(side_by_side.twin(VIEW)), image(side_by_side.twin(CURVES))
    both = image(side_by_side.twin((VIEW, CURVES)))
    assert both.shape[:2] == (max(one.shape[0], other.shape[0]), one.shape[1] + other.shape[1])
    assert (both[: one.shape[0], : one.shape[1], :3] == one[..., :3]).all()
    assert (both[: other.shape[0], one.shape[1] :, :3] == other[..., :3]).all()
    three = image(side_by_side.twin((CURVES, CURVES, CURVES)))
    assert three.shape[:2] == (3 * other.shape[0], other.shape[1])


@pytest.mark.parametrize(("wrong", "name"), [(None, "NoneType"), ((), "tuple"), ((VIEW, 3), "int")])
def test_what_is_no_picture_is_refused(wrong, name):
    with pytest.raises(TypeError, match=f"a View, Curves, a Network or a tuple of them, got a {name}"):
        side_by_side.draw(wrong)


def test_a_demo_shows_both_and_its_goal_sees_both(monkeypatch):
    monkeypatch.setattr(Explorer, "strict", True)
    demo = Explorer(
        {"n": slider(3, 1, 20, "n")},
        lambda state: (View(np.eye(state.n)), Curves({"n": np.full(5, state.n)}, limits=(0, 20))),
        goal=("n of 7", lambda state, view: view[1].lines["n"][0] == 7),
    )
    assert repr(demo) == "3 × 3 weights; '0' attends most to '0' (1.00). value over x 0 to 4; 'n' stays at 3.00"
    assert "<table" in demo.picture and "<svg" in demo.picture and not demo.reached
    demo.set(n=7)
    assert demo.reached and demo.static()["image/png"]
    sweep(demo, 20)
    assert idle_controls(demo) == set()
