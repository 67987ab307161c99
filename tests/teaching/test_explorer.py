"""The mechanism of the live demos: one render a change, errors shown, goals reached, a twin for readers."""

import base64
import io
import re

import matplotlib.image
import numpy as np
import pytest

from attention_lab import softmax
from attention_lab.teaching.explorer import Explorer, choice, log_slider, slider, stops, text, toggle
from attention_lab.teaching.heard import Heard
from attention_lab.teaching.view import View
from tests.sweep import idle_controls, sweep


def compute(state):
    if state.n == 13:
        raise ValueError("n must not be <13>")
    return View(softmax(np.arange(state.n * state.n, dtype=float).reshape(state.n, -1) / state.t), query=state.query)


def clamp(state, controls, changed):
    controls["query"].max = state.n - 1


def make(**options):
    controls = {
        "n": slider(4, 1, 20, "n"),
        "t": log_slider(1.0, 0.1, 10, "t"),
        "query": slider(0, 0, 3, "query"),
    }
    return Explorer(controls, compute, clamp=clamp, **options)


def test_one_change_is_one_render():
    demo = make()
    assert demo.renders == 1
    demo.controls["n"].value = 9
    assert demo.renders == 2
    demo.set(n=6, t=2.0, query=5)
    assert demo.renders == 3
    assert (demo.state.n, demo.state.t, demo.state.query) == (6, 2.0, 5)


def test_a_clamped_control_does_not_render_again():
    demo = make()
    demo.set(n=10, query=9)
    before = demo.renders
    demo.controls["n"].value = 3
    assert demo.state.query == 2
    assert demo.renders == before + 1
    assert demo.view.query == 2


def test_set_may_name_controls_in_any_order():
    demo = make()
    demo.set(query=15, n=16)
    assert demo.state.query == 15


def test_an_error_is_a_red_line_and_the_demo_goes_on():
    demo = make()
    good = demo.picture
    demo.controls["n"].value = 13
    assert [str(error) for error in demo.errors] == ["n must not be <13>"]
    assert "n must not be &lt;13&gt;" in demo.message and 'role="alert"' in demo.message
    assert demo.picture == good
    demo.controls["n"].value = 5
    assert demo.message == "" and demo.picture != good


def test_a_strict_demo_raises(monkeypatch):
    monkeypatch.setattr(Explorer, "strict", True)
    demo = make()
    with pytest.raises(ValueError, match="must not be"):
        demo.set(n=13)
    demo.set(n=5)
    assert demo.renders == 3


def test_reset_comes_back_to_the_start():
    demo = make()
    start = demo.picture
    demo.set(n=13)
    demo.set(n=7, query=2)
    demo.reset()
    assert demo.picture == start and demo.message == ""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"m": 3}, "no control named m: there are n, t, query"),
        ({"n": "four"}, "n must be a number, got 'four'"),
        ({"n": "4"}, "n must be a number, got '4'"),
        ({"n": None}, "n must be a number, got None"),
        ({"n": True}, "n must be a number, got True"),
        ({"n": 8.5}, "n must be a whole number, got 8.5"),
        ({"t": np.nan}, "t must lie between"),
        ({"n": np.arange(3)}, "n must be a number"),
        ({"n": 21}, "n must lie between 1 and 20"),
        ({"t": 2.0, "n": 21}, "n must lie between 1 and 20"),
        ({"t": 11.0}, "t must lie between 0.1 and 10"),
        ({"query": 4}, "query must lie between 0 and 3"),
    ],
)
def test_set_refuses_what_it_cannot_do(values, message):
    demo = make()
    before, picture = demo.state, demo.picture
    with pytest.raises((ValueError, TypeError), match=message):
        demo.set(**values)
    assert (demo.state, demo.picture, demo.renders) == (before, picture, 1)  # all or nothing
    demo.set(n=np.int64(5), t=np.float32(0.5))
    assert demo.view.weights.shape == (1, 5, 5)


@pytest.mark.parametrize("value", ["c", None, 1, np.arange(2)])
def test_a_menu_lists_its_choices(value):
    demo = Explorer({"m": choice(["a", "b"], "m")}, lambda state: View([[1.0]]))
    with pytest.raises(ValueError, match="m cannot be .*: choose one of 'a', 'b'"):
        demo.set(m=value)
    assert demo.state.m == "a"


def test_a_box_and_a_line_say_what_they_hold():
    demo = Explorer({"b": toggle(True, "b"), "s": text("hi", "s")}, lambda state: View([[1.0]]))
    demo.set(b=np.False_)
    assert demo.state.b is False
    for values in ({"b": "yes"}, {"s": 3}):
        with pytest.raises(TypeError, match="must be a (bool|str), such as"):
            demo.set(**values)


def test_a_menu_that_another_control_fills_may_be_set_with_it_and_comes_back():
    def fill(state, controls, changed):
        kept = state.head if state.head < state.heads else 0
        if len(controls["head"].options) != state.heads:
            controls["head"].options, controls["head"].value = range(state.heads), kept

    controls = {"head": choice([0], "head"), "heads": slider(1, 1, 8, "heads")}
    demo = Explorer(controls, lambda state: View([[1.0]]), clamp=fill)
    demo.set(head=5, heads=8)
    demo.start_here()
    demo.set(heads=2)
    demo.reset()
    assert (demo.state.head, demo.state.heads) == (5, 8)


def test_a_broken_clamp_is_a_red_line_however_it_is_met():
    def broken(state, controls, changed):
        if state.n == 3:
            raise RuntimeError("three")

    demo = Explorer({"n": slider(1, 1, 9, "n")}, lambda state: View([[1.0]]), clamp=broken)
    demo.set(n=3)
    assert "RuntimeError: three" in demo.message
    demo.controls["n"].value = 4
    assert demo.message == ""


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make(show="n"), r"show must be a sequence of names.*got 'n'"),
        (lambda: make(show=5), "show must be a sequence of names"),
        (lambda: make(show=(None,)), "show names no control: None"),
        (lambda: make(goal="win"), "goal must be a text and a function"),
        (lambda: make(goal=("win", None)), "goal must be a text and a function"),
        (lambda: Explorer([slider(1, 0, 3, "x")], compute), "controls must be a dict.*got a list"),
        (lambda: Explorer({"n": 3}, compute), "controls must hold a text and a widget.*'n': 3"),
        (lambda: Explorer({3: slider(1, 0, 3, "x")}, compute), "controls must hold a text and a widget"),
    ],
)
def test_a_demo_made_wrongly_is_refused(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_a_name_shown_twice_is_one_control():
    grids = [child for child in make(show=("n", "n")).children if "al-controls" in child._dom_classes]
    assert [len(grid.children) for grid in grids] == [1, 2]


def test_what_compute_forgot_is_said():
    demo = Explorer({"n": slider(1, 1, 9, "n")}, lambda state: None)
    assert "compute must return a View, Curves, a Network or a tuple of them, got a NoneType" in demo.message


def test_a_twin_that_fails_leaves_the_sentence():
    demo = make(twin=lambda view: 1 / 0)
    assert demo.static() == {"text/plain": demo.view.alt} and "ZeroDivisionError" in demo.message


def test_a_printed_demo_is_its_sentence():
    assert repr(make()) == "4 × 4 weights; '0' attends most to '3' (0.64)"


def test_a_screen_reader_is_told_the_new_sentence_by_a_line_that_stays():
    demo = make()
    line, sheet = demo.children[-1].children
    before = line.value
    assert 'role="status"' in before and repr(demo) in sheet.value
    demo.set(n=9)
    assert line.value == before and repr(demo) in sheet.value and "9 × 9" in sheet.value
    other = make()
    assert sheet.value.partition("{")[0] != other.children[-1].children[1].value.partition("{")[0]  # each its own


@pytest.mark.parametrize("text", ['"', "</style><script>", "a\\b", "x\ny", "\x00", "😀", "}*{display:none"])
def test_what_is_told_stays_one_string(text):
    said = Heard()
    said.say(text)
    inside = said.children[1].value.partition('content:"')[2].removesuffix('"}</style>')
    assert not set('"<\n\x00') & set(inside)
    plain = re.sub(r"\\([0-9a-f]+) ", lambda found: chr(int(found[1], 16)), inside)
    assert plain == text.replace("\x00", "\ufffd")


def test_a_goal_is_reached_once_and_stays_reached():
    demo = make(goal=("make n 9", lambda state, view: state.n == 9))
    assert not demo.reached
    demo.set(n=9)
    assert demo.reached
    demo.set(n=4)
    assert demo.reached


def test_hidden_controls_are_folded_away():
    demo = make(show=("n",))
    grids = [child for child in demo.children if "al-controls" in child._dom_classes]
    assert [len(grid.children) for grid in grids] == [1, 2]
    assert grids[1].layout.display == "none"
    with pytest.raises(ValueError, match="show names no control: size"):
        make(show=("n", "size"))


def test_static_form_is_the_same_twice_and_true():
    demo = make()
    first, second = demo.static(), make().static()
    assert first == second
    assert first["text/plain"] == "4 × 4 weights; '0' attends most to '3' (0.64)"
    picture = matplotlib.image.imread(io.BytesIO(base64.b64decode(first["image/png"])))
    assert min(picture.shape[:2]) > 100


def test_static_form_stays_when_the_first_picture_failed():
    broken = Explorer({"n": slider(1, 1, 2, "n")}, lambda state: 1 / 0)
    assert "could not be drawn" in broken.static()["text/plain"]


def test_an_own_draw_and_twin_serve_other_pictures():
    class Said:
        alt = "two words"

    own = Explorer({"a": toggle(True, "a")}, lambda state: Said(), lambda view: "<p>two</p>", twin=lambda view: b"png")
    assert own.picture == "<p>two</p>"
    assert own.static() == {"text/plain": "two words", "image/png": base64.b64encode(b"png").decode()}


def test_control_makers_keep_their_start():
    made = [choice(["a", "b"], "x", "b"), stops([1, 4], "x", 4), text("hi", "x"), slider(0.5, 0.0, 1.0, "x", step=0.1)]
    assert [control.value for control in made] == ["b", 4, "hi", 0.5]
    assert all(control.description == "x" for control in made)


def test_the_sweep_finds_an_idle_control_and_an_error(monkeypatch):
    monkeypatch.setattr(Explorer, "strict", True)
    idle = Explorer({"a": slider(0, 0, 9, "a"), "b": slider(0, 0, 9, "b")}, lambda state: View([[state.a, 1.0]]))
    assert idle_controls(idle) == {"b"}
    with pytest.raises(ValueError, match="must not be"):
        sweep(make())
