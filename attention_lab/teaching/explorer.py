"""Live demos. One mechanism for all: state -> compute (pure NumPy) -> draw (one string of HTML).

A lesson gives the controls and two small functions. The explorer renders once a change, keeps the controls in
range, shows an error as a red line and goes on, knows when a goal is reached, and carries a PNG twin for readers
without a kernel.
"""

import base64
import html
import math
from contextlib import ExitStack, contextmanager, suppress
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np
from traitlets import TraitError

from attention_lab.data.given import check_function
from attention_lab.teaching import live_heatmap, side_by_side
from attention_lab.teaching.explorer_inputs import complaint, in_words, read_controls, read_goal, read_show
from attention_lab.teaching.heard import Heard
from attention_lab.teaching.widget import LessonWidget, css, style


class Explorer(LessonWidget):
    """Controls above a live picture.

    Parameters
    ----------
    controls : dict of str to widget
        Made by `slider`, `log_slider`, `choice`, `toggle` and `text`, or any ipywidget with a value.
    compute : callable
        ``compute(state) -> view``: pure NumPy; `state` has one attribute a control. A view is a `View`, `Curves`,
        a `Network` or a tuple of them, which are shown side by side.
    draw : callable
        ``draw(view) -> str``: HTML. The default draws any of these.
    clamp : callable, optional
        ``clamp(state, controls, changed)``: keeps the other controls in range when `changed`, a set of names, move.
    goal : (str, callable), optional
        What to try for, and ``reached(state, view) -> bool``.
    twin : callable, optional
        ``twin(view) -> bytes``: the PNG shown where no kernel runs. The default draws any of these.
    show : sequence of str, optional
        Names of the controls that are visible at first; the others are folded away. All, if not given.

    Attributes
    ----------
    controls : dict of str to widget
    state : SimpleNamespace
        The value of every control.
    view : object
        What `compute` gave for this state.
    renders : int
        How often the picture was drawn.
    errors : list of Exception
        What went wrong while drawing; each was shown as a red line.
    reached : bool
        Whether the goal was reached at least once.

    Examples
    --------
    >>> from attention_lab import softmax
    >>> from attention_lab.teaching.view import View
    >>> demo = Explorer(
    ...     {"temperature": log_slider(1.0, 0.1, 10, "temperature")},
    ...     lambda state: View(softmax([[2 / state.temperature, 0.0]])),
    ... )
    >>> demo.set(temperature=0.1)
    >>> demo.view.alt
    "1 × 2 weights; '0' attends most to '0' (1.00)"
    """

    strict = False  # tests set this: an error is raised as well as shown

    def __init__(self, controls, compute, draw=side_by_side.draw, *, clamp=None, goal=None, twin=None, show=None):
        self.controls, self.errors, self.renders, self.reached, self.view = read_controls(controls), [], 0, False, None
        self._compute, self._draw = check_function("compute", compute), check_function("draw", draw)
        self._twin = check_function("twin", side_by_side.twin if twin is None else twin)
        self._clamp = check_function("clamp", (lambda state, controls, changed: None) if clamp is None else clamp)
        self._goal, self._busy = read_goal(goal), False
        self.start_here()
        self._picture = widgets.HTML(layout=widgets.Layout(width="auto"))
        self._status = widgets.HTML(layout=widgets.Layout(flex="1"))
        self._heard = Heard()
        for name, control in self.controls.items():
            control.observe(lambda change, name=name: self._busy or self._render({name}), "value")
        sheet = style(live_heatmap.colour_classes(), css("explorer.css"))
        super().__init__([sheet, *self._panel(show), self._picture, self._heard])
        self._render(set(self.controls))
        self.add_class("al-explorer")

    @property
    def state(self):
        return SimpleNamespace(**{name: control.value for name, control in self.controls.items()})

    @property
    def picture(self):
        """The HTML that is shown."""
        return self._picture.value

    @property
    def message(self):
        """The red line, or nothing."""
        return self._status.value

    def set(self, **values):
        """Move several controls at once, with one render."""
        unknown = values.keys() - self.controls.keys()
        if unknown:
            raise ValueError(f"no control named {', '.join(sorted(unknown))}: there are {', '.join(self.controls)}")
        values = {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}
        before = vars(self.state)
        was_busy, self._busy = self._busy, True
        try:
            self._move(values)
            complaints = (complaint(name, self.controls[name], value) for name, value in values.items())
            error = next(filter(None, complaints), None)
            if error:
                self._move(before)  # all or nothing: what is shown stays what the controls say
                raise error
        finally:
            self._busy = was_busy
        self._render(set(values))

    def start_here(self):
        """Let Reset come back to the present state."""
        self._start = {name: control.value for name, control in self.controls.items()}

    def reset(self):
        """Back to the first picture."""
        self.set(**self._start)

    def static(self):
        """What a reader without a kernel sees."""
        said = {"text/plain": repr(self)}
        if self.view is None:
            return said
        try:
            return said | {"image/png": base64.b64encode(self._twin(self.view)).decode()}
        except Exception as error:  # the sliders still serve, and so does the sentence
            self._report(error)
            return said

    def __repr__(self):
        if self.view is None:
            return "This demo could not be drawn: " + "; ".join(map(in_words, self.errors[-1:]))
        return side_by_side.alt(self.view)

    def _panel(self, show):
        shown = read_show(show, self.controls)
        reset = widgets.Button(description="Reset", tooltip="Back to the first picture")
        reset.on_click(lambda _: self.reset())
        buttons, folded = [reset], [name for name in self.controls if name not in shown]
        grids = [_grid(self.controls[name] for name in shown)]
        if folded:
            more, grid = _fold(_grid(self.controls[name] for name in folded))
            buttons, grids = [reset, more], [*grids, grid]
        row = widgets.HBox([*buttons, self._status]).add_class("al-row")
        self._goal_line = widgets.HTML(layout=widgets.Layout(display="" if self._goal else "none"))
        return [self._goal_line, *grids, row]

    def _move(self, values):
        """Move controls, as often as one may wait for another's range or menu to grow (d_model, heads, head).

        `complaint` says what did not go.
        """
        for _ in range(3):
            for name, value in values.items():
                with suppress(TraitError, TypeError, ValueError):  # as a menu raises for a tuple
                    self.controls[name].value = value
            with suppress(Exception):  # `_render` will meet it again, and report it
                self._clamp(self.state, self.controls, set(values))

    def _render(self, changed):
        self.renders += 1
        self._busy = True  # what clamp moves must not render again
        try:
            with self._picture_first():
                self._clamp(self.state, self.controls, changed)
                state = self.state
                view = self._compute(state)
                self._picture.value = self._draw(view)
            self.view, self._status.value = view, ""
            self._look_at_goal(state)
            self._heard.say(repr(self))
        except Exception as error:
            self._report(error)
        finally:
            self._busy = False

    def _report(self, error):
        self.errors.append(error)
        message = html.escape(in_words(error))
        self._status.value = f'<div class="al-error" role="alert" title="{message}">{message}</div>'
        if self.strict:
            raise error

    @contextmanager
    def _picture_first(self):
        """Send what clamp moved after the picture, which then shows sooner (by a third, at the 95th percentile)."""
        with ExitStack() as held:
            for control in self.controls.values():
                held.enter_context(control.hold_sync())
            yield

    def _look_at_goal(self, state):
        if self._goal:
            text, is_reached = self._goal
            self.reached = self.reached or bool(is_reached(state, self.view))
            mark = "✓ reached" if self.reached else "not yet"
            kind = "al-goal al-reached" if self.reached else "al-goal"
            self._goal_line.value = f'<div class="{kind}"><b>Try:</b> {html.escape(text)} <i>{mark}</i></div>'


def slider(start, low, high, label, *, step=1):
    """A slider of whole numbers, or of numbers where `step` is not whole."""
    kind = widgets.IntSlider if isinstance(step, int) else widgets.FloatSlider
    return _styled(kind(start, min=low, max=high, step=step, description=label))


def log_slider(start, low, high, label):
    """A slider whose steps multiply: as far from 1 to 10 as from 10 to 100."""
    low, high = math.log10(low), math.log10(high)
    return _styled(
        widgets.FloatLogSlider(
            start, base=10, min=low, max=high, step=(high - low) / 60, description=label, readout_format=".2f"
        )
    )


def choice(options, label, start=None):
    """A menu; `options` are texts or (text, value) pairs, `start` a value."""
    menu = widgets.Dropdown(options=options, description=label)
    if start is not None:
        menu.value = start
    return _styled(menu)


def stops(options, label, start=None):
    """A slider over a few given values."""
    stop = widgets.SelectionSlider(options=options, description=label)
    if start is not None:
        stop.value = start
    return _styled(stop)


def toggle(start, label):
    """A box to tick."""
    return _styled(widgets.Checkbox(start, description=label, indent=True))


def text(start, label):
    """A line to type; the picture follows on Enter or when the line is left."""
    return _styled(widgets.Text(start, description=label, continuous_update=False))


def _styled(control):
    control.style.description_width = "92px"
    control.layout.width = "auto"
    return control


def _grid(controls):
    columns = "repeat(auto-fill, minmax(min(290px, 100%), 1fr))"
    layout = widgets.Layout(grid_template_columns=columns, grid_gap="2px 12px")
    return widgets.GridBox(list(controls), layout=layout).add_class("al-controls")


def _fold(grid):
    """A button that shows and hides a grid of controls."""
    button = widgets.ToggleButton(False, description="More controls", tooltip="Show or hide the other controls")

    def unfold(_):
        grid.layout.display = "" if button.value else "none"
        button.description = "Fewer controls" if button.value else "More controls"

    button.observe(unfold, "value")
    grid.layout.display = "none"
    return button, grid
