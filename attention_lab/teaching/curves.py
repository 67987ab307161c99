"""What a line chart shows, in numbers and in words."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from attention_lab.checks import check_choice, check_number, numeric
from attention_lab.teaching.axis import SCALES, Axis, amount, amounts
from attention_lab.teaching.view import as_note, as_text

MOST = 8  # lines: four colours, each with two dash patterns
DOTS = 40  # points of a line up to which each is a dot
BEYOND = 1e300  # no axis could span larger numbers, nor parts of one


@dataclass
class Curves:
    """Lines over one axis, and a sentence about each.

    Parameters
    ----------
    lines : dict of str to array_like, (n,)
        One to eight lines by name. NaN or infinity leaves a gap, as does a number <= 0 on a logarithmic axis.
    x : array_like, (n,), optional
        Where the points stand: rising numbers; 0, 1, 2, ... if not given.
    x_label, y_label : str
        What the axes measure.
    scale, x_scale : {"linear", "log"}
        Of the y axis and of the x axis.
    limits : (low, high), optional
        A fixed range of y, so that the picture stands still while a slider moves.
    marks : dict of str to number, optional
        Names of places on the x axis, each a dotted line.
    roles : dict of str to {"query", "key", "value"}, optional
        Only for a line that is a query, a key or a value: it takes the colour of that role.
    title, note : str
        Said above the picture, and after its sentence.

    Attributes
    ----------
    x_axis, y_axis : Axis

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong kind, shape or value.

    Examples
    --------
    >>> Curves({"pre": [8, 10, 12], "post": [8, 8, 8]}, x_label="layer", y_label="norm").alt
    "norm over layer 0 to 2; 'pre' rises from 8.00 to 12.0; 'post' stays at 8.00"
    """

    lines: dict
    x: np.ndarray | None = None
    _: KW_ONLY
    x_label: str = ""
    y_label: str = ""
    scale: str = "linear"
    x_scale: str = "linear"
    limits: tuple | None = None
    marks: dict | None = None
    roles: dict | None = None
    title: str = ""
    note: str = ""

    def __post_init__(self):
        for name in ("scale", "x_scale"):
            check_choice(name, getattr(self, name), SCALES)
        for name in ("x_label", "y_label", "title", "note"):
            setattr(self, name, as_note(getattr(self, name)))
        self.lines = _read_lines(self.lines)
        self.x = _read_x(self.x, len(next(iter(self.lines.values()))), self.x_scale)
        self.roles = _read_roles(self.roles, self.lines)
        self.x_axis = Axis.along(self.x, self.x_scale)
        marks = _read_names("marks", self.marks)
        self.marks = {as_text(name): check_number(f"marks[{name!r}]", at) for name, at in marks.items()}
        drawn = np.concatenate([line[self.drawn(name)] for name, line in self.lines.items()])
        self.y_axis = Axis.around(drawn, self.scale) if self.limits is None else _read_limits(self.limits, self.scale)

    def drawn(self, name):
        """Which points of a line are numbers that its axis can show."""
        with np.errstate(invalid="ignore"):
            return np.isfinite(self.lines[name]) & ((self.scale == "linear") | (self.lines[name] > 0))

    def places(self, name):
        """The points of a line in shares of the axes, (n, 2); NaN where there is a gap."""
        y = np.where(self.drawn(name), self.lines[name], np.nan)
        return np.stack([self.x_axis.at(self.x), self.y_axis.at(y)], axis=-1)

    def ends(self):
        """Where each line ends, in shares of the axes, for its name; a line without a number has no end."""
        ends = ((name, self.places(name)[self.drawn(name)][-1:]) for name in self.lines)
        return {name: np.clip(end[0], 0, 1) for name, end in ends if len(end)}

    def dots(self, name):
        """Which points are dots: all of a few, else those without a neighbour to draw a line to."""
        there = np.pad(self.drawn(name), 1)
        few, alone = len(self.x) <= DOTS, there[1:-1] & ~there[:-2] & ~there[2:]
        return np.flatnonzero(there[1:-1] & (few | alone)).tolist()

    def marked(self):
        """Names of the marks that lie on the x axis, and where, in shares of it."""
        log = self.x_scale == "log"
        inside = {name: at for name, at in self.marks.items() if (at > 0 or not log) and self.x_axis.holds(at)}
        return {name: float(self.x_axis.at(at)) for name, at in inside.items()}

    def style(self, name):
        """A line's role or, for the others, their number; the number is that of its colour and dashes."""
        return self.roles.get(name) or [other for other in self.lines if other not in self.roles].index(name)

    @property
    def alt(self):
        """The picture in words."""
        return "; ".join([self.heading, *(f"'{name}' {words}" for name, words in self.findings())])

    @property
    def heading(self):
        y_label, x_label, first, last = self.y_label or "value", self.x_label or "x", self.x[0], self.x[-1]
        if first == last:
            return f"{y_label} at {x_label} {amount_of_x(first)}"
        ends = amount_of_x(first), amount_of_x(last)
        return f"{y_label} over {x_label} {' to '.join(ends if ends[0] != ends[1] else amounts(first, last))}"

    def findings(self):
        """What there is to say of each line: (name, words)."""
        for name in self.lines:
            yield name, ", ".join([self._course(name), *self._oddities(name)])

    def _course(self, name):
        seen = self.drawn(name)
        if not seen.any():
            return "has no number to draw"
        x, y = self.x[seen], self.lines[name][seen]
        first, last = amount(y[0]), amount(y[-1])
        tiny = 1e-6 * abs(y).max()
        if np.ptp(y) <= tiny:
            return f"{'is' if len(y) == 1 else 'stays at'} {first}"
        steps = np.diff(y)
        if (steps >= -tiny).all() or (steps <= tiny).all():
            return f"{'rises' if y[-1] > y[0] else 'falls'} from {' to '.join(amounts(y[0], y[-1]))}"
        words = [f"goes from {first} to {last}"]
        for name_of, at in (("smallest", y.argmin()), ("largest", y.argmax())):
            if abs(y[at] - y[0]) > tiny and abs(y[at] - y[-1]) > tiny:
                words.append(f"{name_of} {amount(y[at])} at {amount_of_x(x[at])}")
        return ", ".join(words)

    def _oddities(self, name):
        line, seen = self.lines[name], self.drawn(name)
        broken = int((~np.isfinite(line)).sum())
        counts = {
            "NaN or infinite": broken,
            "not above 0": len(line) - int(seen.sum()) - broken,
            "outside the picture": int((~self.y_axis.holds(line[seen])).sum()),
        }
        return [f"{n} {'point is' if n == 1 else 'points are'} {what}" for what, n in counts.items() if n]


def amount_of_x(x):
    return f"{x:.0f}".replace("-", "−") if x % 1 == 0 and abs(x) < 1e6 else amount(x)


def _read_lines(lines):
    if not isinstance(lines, dict):
        raise TypeError(f"lines must be a dict, such as {{'norm': y}}, got a {type(lines).__name__}")
    if len({as_text(name) for name in lines}) < len(lines):
        raise ValueError(f"lines has two entries of the same name: {', '.join(map(as_text, lines))}")
    if not 1 <= len(lines) <= MOST:
        raise ValueError(f"lines has {len(lines)} entries: expected 1 to {MOST}, more could not be told apart")
    read = {as_text(name): numeric(f"lines[{name!r}]", line).astype(float) for name, line in lines.items()}
    size = next(iter(read.values())).size
    for name, line in read.items():
        if line.shape != (size,) or not size:
            raise ValueError(f"lines[{name!r}] has shape {line.shape}: expected ({size or 'n'},), one number a point")
    return {name: _bounded(line) for name, line in read.items()}


def _bounded(numbers):
    """What no axis can hold becomes infinite; what none can tell from 0 becomes 0."""
    size = abs(numbers)
    return np.select([size > BEYOND, size < 1 / BEYOND], [np.inf, 0.0], numbers)


def _read_x(x, size, scale):
    x = np.arange(size) if x is None else numeric("x", x)
    if x.shape != (size,):
        raise ValueError(f"x has shape {x.shape}: expected ({size},), one number a point of the lines")
    x = x.astype(float)
    if not (np.isfinite(x) & (abs(x) < BEYOND)).all() or (np.diff(x) <= 1 / BEYOND).any():
        raise ValueError("x must hold finite numbers that rise: sort them, and leave out repeats")
    if scale == "log" and x[0] <= 0:
        raise ValueError(f"x begins at {x[0]:g}: a logarithmic axis needs x above 0, start at 1 for instance")
    return x


def _read_roles(roles, lines):
    roles = {as_text(name): role for name, role in _read_names("roles", roles).items()}
    for name, role in roles.items():
        if name not in lines or role not in ("query", "key", "value"):
            raise ValueError(f"roles must call a line query, key or value, got {name!r}: {role!r}")
    return roles


def _read_names(what, given):
    if not isinstance(given, dict | None):
        raise TypeError(f"{what} must be a dict, one entry a name, got a {type(given).__name__}")
    return given or {}


def _read_limits(limits, scale):
    try:
        low, high = limits
    except (TypeError, ValueError):
        raise TypeError(f"limits must be two numbers, (low, high), got {limits!r}") from None
    low, high = check_number("limits[0]", low), check_number("limits[1]", high)
    if not -BEYOND < low < high < BEYOND or scale == "log" and low <= 0:
        raise ValueError(f"limits must rise{', from above 0' if scale == 'log' else ''}, got ({low:g}, {high:g})")
    return Axis(low, high, scale)
