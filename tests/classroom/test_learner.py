"""The learner of the load test, without a hub: what it reads in widgets, and how it moves them."""

import json

import ipywidgets as widgets
import pytest

from attention_lab import explore_attention
from attention_lab.classroom.hub_client import Kernel, read_message
from attention_lab.classroom.learner import ERROR, code_cells, find_sliders, parts, walk
from attention_lab.teaching.explorer import Explorer, log_slider, slider, stops, text
from attention_lab.teaching.view import View

SLIDERS = {
    "whole numbers": slider(3, 1, 5, "n"),
    "at its end": slider(5, 1, 5, "n"),
    "numbers": slider(0.5, 0.0, 1.0, "p", step=0.25),
    "steps that multiply": log_slider(1.0, 0.1, 10, "t"),
    "a last step that is shorter": widgets.IntSlider(8, min=1, max=10, step=4),
    "given values": stops([1, 8, 64], "width", 64),
}


def states(widget):
    """What a page knows of a widget and of all within it."""
    found = {widget.model_id: json.loads(json.dumps(widget.get_state(), default=lambda w: f"IPY_MODEL_{w.model_id}"))}
    for child in getattr(widget, "children", ()):
        found |= states(child)
    return found


@pytest.mark.parametrize("name", SLIDERS)
def test_a_walk_stays_in_range_and_every_step_moves(name):
    moved = SLIDERS[name]
    seen = [moved.value]
    for values in walk(states(moved)[moved.model_id], 12):
        moved.set_state(values)
        (key, value), *_ = values.items()
        assert getattr(moved, key) == pytest.approx(value), "the widget takes the value as it is"
        assert moved.value != seen[-1]
        seen.append(moved.value)
    assert len(set(seen)) > 2, "up and down, not to and fro"


def test_a_demo_is_found_with_its_picture_and_its_first_slider():
    demo = explore_attention(show=("length", "heads"))
    assert find_sliders(states(widgets.VBox([demo]))) == [
        (demo.model_id, demo._picture.model_id, demo.controls["length"].model_id)
    ]


def test_a_slider_that_cannot_be_moved_is_passed_over():
    held, alone, free = slider(1, 1, 5, "held"), slider(1, 1, 1, "alone"), slider(1, 1, 5, "free")
    held.disabled = True
    demo = Explorer({"held": held, "alone": alone, "free": free}, lambda state: View([[state.free / 5]]))
    assert [name for *_, name in find_sliders(states(demo))] == [free.model_id]


def test_what_has_no_slider_or_is_no_demo_is_left_out():
    wordy = Explorer({"word": text("a", "word")}, lambda state: View([[0.5]]))
    assert find_sliders(states(wordy) | states(widgets.VBox([slider(1, 1, 5, "n")]))) == []


def test_an_error_in_a_demo_is_seen():
    demo = Explorer({"n": slider(1, 1, 5, "n")}, lambda state: View([[1 / (3 - state.n)]]))

    def shows_error():
        return any(ERROR in str(part.get("value")) for part in parts(states(demo), demo.model_id))

    assert not shows_error()
    demo.set(n=3)
    assert shows_error()


def test_cells_of_code_are_numbered_as_a_reader_counts():
    cells = [("markdown", "# A"), ("code", ["a = 1\n", "a"]), ("code", "  \n"), ("code", "b")]
    notebook = {"cells": [{"cell_type": kind, "source": source} for kind, source in cells]}
    assert code_cells(notebook) == [(2, "a = 1\na"), (4, "b")]


@pytest.mark.parametrize("buffers", [[], [b"\x00\xff"], [b"", b"abc"]])
def test_messages_with_binary_parts_are_read(buffers):
    from jupyter_server.services.kernels.connection.base import serialize_binary_message

    message = {"channel": "iopub", "content": {"text": "ü"}}
    assert read_message(serialize_binary_message({**message, "buffers": buffers})) == message
    assert read_message(json.dumps(message)) == message


class Socket:
    """Answers to one question: each is (type, content), "idle" at the end."""

    def __init__(self, *answers):
        self.answers, self.sent = [*answers, ("status", {"execution_state": "idle"})], []

    def send(self, text):
        self.sent.append(json.loads(text))

    def recv(self):
        kind, content = self.answers.pop(0)
        parent = {"msg_id": self.sent[-1]["header"]["msg_id"]}
        return json.dumps(
            {"channel": "iopub", "header": {"msg_type": kind}, "parent_header": parent, "content": content}
        )


def kernel_with(*answers):
    class Client:
        home, is_over = "/user/ada/", staticmethod(lambda: False)

    kernel = Kernel(Client(), "k")
    kernel._socket = Socket(*answers)
    return kernel


def update(widget, **state):
    return "comm_msg", {"comm_id": widget, "data": {"method": "update", "state": state}}


def test_a_cell_tells_what_it_failed_with_and_what_it_wrote_to_stderr():
    quiet = ("stream", {"name": "stdout", "text": "hello"})
    assert kernel_with(quiet).run("x") == ""
    loud = ("stream", {"name": "stderr", "text": "careful\n"})
    error = ("error", {"ename": "ValueError", "evalue": "no"})
    assert kernel_with(quiet, loud, error).run("x") == "careful; ValueError: no"


def test_a_move_is_timed_to_the_watched_picture_alone():
    kernel = kernel_with(update("line", value="b"), update("picture", layout="wide"))
    kernel.widgets = {"n": {"value": 1}}
    assert kernel.move("n", {"value": 2}, "picture") is None
    assert kernel.widgets == {"n": {"value": 2}, "line": {"value": "b"}, "picture": {"layout": "wide"}}
    kernel = kernel_with(update("picture", layout="wide"), update("picture", value="c"))
    kernel.widgets = {"n": {"value": 1}}
    assert kernel.move("n", {"value": 2}, "picture") > 0
