"""Reading a figure back from what is drawn, without the code that drew it: its arrays, its names, its lines."""

import re
from functools import cached_property

import numpy as np
from matplotlib.collections import QuadMesh
from matplotlib.patches import PathPatch, Rectangle

SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
NUMBER = r"−?(?:\d[\d.]*(?: × )?)?(?:10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?(?:e[+−-]?\d+)?"


def value_of(text):
    """A number as the figures write it: ``−0.54``, ``1.6e+03``, ``2.0 × 10⁵``, ``10⁻³``."""
    head, _, power = re.sub(r"^(−?)(?=10[⁻⁰-⁹¹²³])", r"\g<1>1 × ", text).partition(" × 10")
    return float(head.translate(SUPERSCRIPT)) * 10.0 ** int(power.translate(SUPERSCRIPT) or 0)


def rounding_of(text):
    """By how much such a number may be off: half of its last digit, and a little for what is drawn in float32."""
    head = re.match(r"−?\d*\.?\d*", text)[0]
    unit = 10.0 ** -len(head.partition(".")[2])
    scale = abs(value_of(text) / value_of(head)) if re.search("[1-9]", head) else 1.0
    return 0.501 * unit * scale


def is_near(text, value, unseen=0.0):
    """Whether a text is a value, rounded; `unseen` is a difference too small to be drawn."""
    return abs(value_of(text) - value) <= rounding_of(text) + unseen


def words_below(figure):
    """All that is written on the figure itself or hung below its axes, in one line."""
    texts = [*figure.texts, *(text for ax in figure.axes for text in ax.texts)]
    return " ".join(" ".join(text.get_text() for text in texts).split())


def maps(figure):
    """The heatmaps of a figure, in their order. Names stand along the first row and the first column alone."""
    bars = {id(one.colorbar.ax) for ax in figure.axes for one in ax.collections if one.colorbar}
    meshes = [ax for ax in figure.axes if id(ax) not in bars and any(isinstance(c, QuadMesh) for c in ax.collections)]
    found = [Map(ax) for ax in meshes]
    for one in found[1:]:
        one.rows, one.columns = one.rows or found[0].rows, one.columns or found[0].columns
        one.named = {axis: name or found[0].named[axis] for axis, name in one.named.items()}
    return found


class Map:
    """One heatmap: ``values`` with NaN where a cell is hidden, and how its rows and columns are called."""

    def __init__(self, ax):
        self.ax, mesh = ax, next(one for one in ax.collections if isinstance(one, QuadMesh))
        n_q, n_k, _ = mesh.get_coordinates().shape
        cells = np.ma.masked_array(mesh.get_array(), dtype=float).reshape(n_q - 1, n_k - 1)
        self.values = cells.filled(np.nan)
        self.rows = _names(ax.get_yticks(), ax.get_yticklabels())
        self.columns = _names(ax.get_xticks(), ax.get_xticklabels())
        self.named = {"y": ax.get_ylabel(), "x": ax.get_xlabel()}

    @cached_property
    def title(self):
        """The bold words right above it, where it has any."""
        box, written = self.ax.get_position(), [text for text in self.ax.figure.texts if text.get_size() == 9]
        above = [text for text in written if abs(text.get_position()[0] - box.x0) < 1e-6]
        above = [text for text in above if text.get_position()[1] > box.y1]
        return min(above, key=lambda text: text.get_position()[1]).get_text() if above else ""

    @property
    def outlined(self):
        """The rows with a frame around them."""
        return {int(one.get_y()) for one in self.ax.patches if type(one) is Rectangle and not one.get_fill()}

    @property
    def with_a_choice(self):
        """The rows that see several cells; all, where none does."""
        several = (~np.isnan(self.values)).sum(axis=1) > 1
        return np.flatnonzero(several) if several.any() else np.arange(len(self.values))

    def hatched(self, hatch):
        """How many cells carry a hatch: each run of cells is a rectangle of five corners."""
        areas = [one for one in self.ax.patches if isinstance(one, PathPatch) and one.get_hatch() == hatch]
        corners = [area.get_path().vertices.reshape(-1, 5, 2) for area in areas]
        return round(sum(np.ptp(each[:, :, 0], axis=1).sum() for each in corners))

    def find(self, name, names):
        """The places that a name may mean: that of its label or, of one that is not drawn, every place without one."""
        axis, size = ("y", len(self.values)) if names is self.rows else ("x", self.values.shape[1])
        is_token, noun = name.startswith("'"), self.named[axis].split(":")[0] + " "
        if not is_token and not name.startswith(noun):
            return []
        label = name[1:-1] if is_token else name.removeprefix(noun)
        found = [place for place, text in names.items() if text == label]
        if not found and label.isdigit() and not is_token:
            return [int(label)]
        return found or [place for place in range(size) if place not in names]


def _names(ticks, labels):
    return {int(tick): label.get_text() for tick, label in zip(ticks, labels, strict=True)}


class Chart:
    """A line chart: its lines by the names at their ends, and what its axes make of a place."""

    def __init__(self, ax):
        self.ax = ax
        self.lines = {}
        drawn = [line for line in ax.lines if line.get_linewidth() == 1.6]
        leads = [line.get_xydata() for line in ax.lines if line.get_linewidth() == 0.5]
        for text in (text for text in ax.texts if text.get_weight() == "bold"):
            start = next(lead[0] for lead in leads if lead[1, 1] == text.get_position()[1])
            (line,) = [line for line in drawn if line.get_color() == text.get_color() and _ends_at(line, start)][:1]
            drawn.remove(line)
            self.lines[text.get_text()] = line.get_xydata()

    def scales(self, axis):
        """Ways to read a place on an axis that agree with all its ticks: in equal steps, in equal factors, or both."""
        places, texts = axis.get_ticklocs(), [label.get_text() for label in axis.get_ticklabels()]
        ticks = np.array([value_of(text) for text in texts])
        for there, back in ((np.asarray, np.asarray), (np.log10, lambda values: 10.0**values)):
            if there is np.log10 and (ticks <= 0).any():
                continue
            fit = np.polyfit(places, there(ticks), 1)
            if np.allclose(np.polyval(fit, places), there(ticks), atol=1e-6 * np.ptp(there(ticks))):
                yield lambda share, fit=fit, back=back: back(np.polyval(fit, share))


def _ends_at(line, place):
    points = line.get_xydata()
    points = points[np.isfinite(points).all(axis=1)]
    return len(points) and np.allclose(np.clip(points[-1], 0, 1), place)
