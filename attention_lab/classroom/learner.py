"""A learner for the load test: signs in, opens a lesson, runs its cells, and moves its demos."""

import math
import re
import time
from dataclasses import dataclass, field

from attention_lab.classroom.hub_client import Client, HubError
from attention_lab.classroom.hub_config import LESSONS

DEMO = "al-explorer"
PICTURE = re.compile(r'<div class="al[" ]')  # what the HTML of a demo's picture begins with
ERROR = 'class="al-error"'
PAUSE = 0.1  # seconds between two steps of a hand


@dataclass
class Learner:
    """One of the class, with what happened to them.

    Attributes
    ----------
    ready, ran : float or None
        Seconds until their server answered, and from then until all cells had run.
    updates : list of float
        Seconds from the move of a slider to the changed picture.
    failures : list of str
    """

    name: str
    lesson: str  # the name of a notebook's file
    ready: float | None = None
    ran: float | None = None
    cells: int = 0
    demos: int = 0
    updates: list = field(default_factory=list)
    failures: list = field(default_factory=list)

    def start(self, hub, is_over):
        """Sign in and wait for a server."""
        start = time.perf_counter()
        self.client = Client(hub.address, is_over)
        self.client.sign_in(self.name, hub.password)
        self.client.ask_for_server(self.name)
        self.client.wait_for_server(self.name)
        self.client.open_server(self.name)
        self.ready = time.perf_counter() - start

    def run(self):
        """Open the lesson and run every cell, as JupyterLab's "Run All" does: it stops where one fails."""
        path = f"{LESSONS}/{self.lesson}"
        sources = code_cells(self.client.contents(path)["content"])
        self.kernel = self.client.start_kernel(path)
        start = time.perf_counter()
        with self.kernel.connected():
            for number, source in sources:
                said = self.kernel.run(source)
                if said:
                    raise HubError(f"cell {number}: {said[:300]}")
                self.cells += 1
        self.ran = time.perf_counter() - start

    def move(self, steps):
        """Take a slider of each demo so many steps, each after the last has shown."""
        with self.kernel.connected():
            for demo, picture, slider in find_sliders(self.kernel.widgets):
                self.demos += 1
                before = len(self.updates)
                for values in walk(self.kernel.widgets[slider], steps):
                    seconds = self.kernel.move(slider, values, picture)
                    self.updates += [] if seconds is None else [seconds]
                    time.sleep(PAUSE)
                label = self.kernel.widgets[slider]["description"]
                if len(self.updates) == before:
                    raise HubError(f"'{label}' moved {steps} steps and its picture did not change")
                if any(ERROR in str(state.get("value")) for state in parts(self.kernel.widgets, demo)):
                    raise HubError(f"'{label}' moved and its demo shows an error")


def code_cells(notebook):
    """Number and source of each cell of code that is not empty; the number counts all cells from 1."""
    joined = ((number, cell["cell_type"], "".join(cell["source"])) for number, cell in enumerate(notebook["cells"], 1))
    return [(number, source) for number, kind, source in joined if kind == "code" and source.strip()]


def find_sliders(widgets):
    """Of each demo its id, that of its picture, and that of its first slider that can be moved."""
    found = []
    for demo, state in widgets.items():
        if DEMO in (state.get("_dom_classes") or ()):
            inside = list(_named_parts(widgets, demo))
            pictures = [name for name, part in inside if PICTURE.match(str(part.get("value")))]
            sliders = [name for name, part in inside if _can_move(part)]
            found += zip([demo], pictures, sliders)
    return found


def parts(widgets, name):
    """The states of a widget and of all within it."""
    return [state for _, state in _named_parts(widgets, name)]


def walk(state, steps):
    """The values of a slider on its way up and down again, step by step, as messages say them."""
    low, high, at, name, value = _scale(state)
    direction = 1 if at < high else -1
    for _ in range(steps):
        if not low <= at + direction <= high:
            direction = -direction
        at = min(max(at + direction, low), high)
        yield {name: value(at)}


def _named_parts(widgets, name):
    state = widgets.get(name, {})
    yield name, state
    for child in state.get("children", ()):
        yield from _named_parts(widgets, child.removeprefix("IPY_MODEL_"))


def _can_move(state):
    if not state.get("_model_name", "").endswith("SliderModel") or state.get("disabled"):
        return False
    low, high, *_ = _scale(state)
    return high > low


def _scale(state):
    """Lowest, highest and present stop of a slider, counted in its steps; what it calls its value; the value there."""
    kind = state["_model_name"]
    if kind == "SelectionSliderModel":
        return 0, len(state["_options_labels"]) - 1, state["index"], "index", lambda at: at
    low, step = state["min"], state["step"]
    high = math.floor((state["max"] - low) / step + 1e-9)
    if kind == "FloatLogSliderModel":
        at = round((math.log(state["value"], state["base"]) - low) / step)
        return 0, high, at, "value", lambda at: state["base"] ** (low + at * step)
    return 0, high, round((state["value"] - low) / step), "value", lambda at: low + at * step
