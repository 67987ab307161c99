"""One matrix of a figure: what a colour means in it, and how its cells, labels and numbers are drawn."""

from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real

import numpy as np
import seaborn
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.patches import Patch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from attention_lab.teaching.caption import digits, drawable, families, number, shorten, width
from attention_lab.teaching.colours import FILL, MASKED, NAN, TEXT, hex_to_rgb, ink, ramp
from attention_lab.teaching.comparing import manner, uniform
from attention_lab.teaching.view import AXES, axis_noun

SIZE = 8  # points, of labels
_AXIS_ROOM = 120  # points; a longer name of an axis ends in an ellipsis
HATCHES = {
    "masked": {"facecolor": MASKED, "edgecolor": "#8a8a8a", "hatch": "/////"},
    "padding": {"facecolor": "#efefef", "edgecolor": "#8a8a8a", "hatch": "...."},
    "broken": {"facecolor": NAN, "edgecolor": "#6b2149", "hatch": "xxxx"},
}
_COLOURS = {kind: ListedColormap(ramp(kind, levels=256) / 255) for kind in ("weights", "signed")}


@dataclass
class Panel:
    """A matrix with its masks, its labels and its scale."""

    values: np.ndarray  # (n_q, n_k)
    visible: np.ndarray  # (n_q, n_k), True = may attend
    real: np.ndarray  # (n_k,), False = padding
    kind: str
    labels: dict  # query and key: one text each
    tokens: dict  # query and key: whether the labels are tokens (else positions)
    norm: Normalize | None = None
    scale: str | float = "unit"
    title: str = ""
    axes: tuple = AXES  # what rows and columns are
    columns: str = "key"  # the role of the columns
    measure: str | None = None  # what a colour stands for, if not for what `kind` says

    def __post_init__(self):
        self.axes = tuple(shorten(drawable(name), _AXIS_ROOM) for name in self.axes)
        if self.kind != "weights":
            self.visible = self.visible & (self.values != -np.inf)
        seen = self.visible & self.real
        self.drawn = seen & np.isfinite(self.values)
        self.broken = seen & ~self.drawn
        self.blind = ~seen.any(axis=1)
        self.uniform, self.manner = uniform(self.values, seen), manner(self.kind, self.measure)
        self.broken_name = "NaN" if np.isnan(self.values[self.broken]).all() else "NaN or infinite"

    @property
    def colours(self):
        return _COLOURS["weights" if self.kind == "weights" else "signed"]

    def name(self, role, index):
        """A query or key in a sentence: ``'cat'``, or ``query 3`` where there are no tokens."""
        label, axis = self.labels[role][index], self.axes[role == "key"]
        return f"'{label}'" if self.tokens[role] else f"{axis_noun(axis)} {label}"

    def colour(self, role):
        """Of the name of an axis: its role's, black where the axes are no query and key."""
        is_role = self.axes[0] == AXES[0]
        return TEXT["light"][self.columns if role == "key" else role] if is_role else "#222222"

    def texts(self):
        """Text of each cell: (n_q, n_k) of str, empty where the cell is hidden."""
        top = abs(self.values[self.drawn]).max(initial=0)
        shown = 2 if self.kind == "weights" else digits(top)
        text = np.full(self.values.shape, "", dtype=object)
        text[self.drawn] = [number(value, shown) for value in self.values[self.drawn]]
        text[self.broken] = [{np.inf: "inf", -np.inf: "−inf"}.get(value, "NaN") for value in self.values[self.broken]]
        return text


def colour_norm(kind, scale, values):
    """What a colour means: limits from the finite cells that are seen, symmetric about zero unless weights."""
    top = scale if isinstance(scale, Real) else abs(values).max(initial=0) or 1.0
    if kind != "weights":
        return Normalize(-top, top)
    if scale == "log":
        smallest = values[values > 0].min(initial=0.1)
        return LogNorm(max(1e-6, 10.0 ** np.floor(np.log10(smallest))), 1.0, clip=True)
    return Normalize(0, 1 if scale == "unit" else top)


def paint(ax, panel, cell, *, annot="auto", query=None):
    """Draw a panel on axes whose cells are `cell` points wide and high. Returns the mesh."""
    norm = panel.norm
    mesh_of = np.where(panel.drawn, panel.values, norm.vmax)
    with _still(ax.figure.canvas.figure):
        seaborn.heatmap(
            np.maximum(mesh_of, norm.vmin),
            mask=~panel.drawn, norm=norm, vmin=norm.vmin, vmax=norm.vmax, cmap=panel.colours, cbar=False,
            xticklabels=False, yticklabels=False, ax=ax, rasterized=mesh_of.size > 4096,
            linewidths=0.6 if min(cell) >= 8 else 0, linecolor="white",
        )  # fmt: skip
    ax.grid(False)
    ax.set_facecolor("none")
    for name, where in hidden_cells(panel).items():
        ax.add_patch(PathPatch(_outline(where), linewidth=0, zorder=0.5, **HATCHES[name]))
    _write_numbers(ax, panel, cell, annot)
    _label_blind_rows(ax, panel, cell)
    if query is not None:
        colour = FILL["query"] if panel.axes[0] == AXES[0] else "#222222"
        _outline_query(ax, query, panel.values.shape[1], min(2, cell[1] / 6), colour)
    return ax.collections[0]


class _StillCanvas(FigureCanvasAgg):
    def draw(self):
        self.figure.stale = False


@contextmanager
def _still(figure):
    """Keep seaborn from drawing the whole figure after each panel, just to see whether labels overlap."""
    canvas = figure.canvas
    _StillCanvas(figure)
    try:
        yield
    finally:
        figure.set_canvas(canvas)
        figure.stale = True


def hidden_cells(panel):
    """The cells that carry a hatch instead of a colour, by name; only the names that occur."""
    cells = {
        "masked": ~panel.visible & panel.real,
        "padding": np.broadcast_to(~panel.real, panel.values.shape),
        "broken": panel.broken,
    }
    return {name: where for name, where in cells.items() if where.any()}


def legend_handles(panels):
    """A swatch for each hatch that occurs in the panels."""
    names = {"masked": "masked (hidden, not zero)", "padding": "padding"}
    names["broken"] = next((panel.broken_name for panel in panels if panel.broken.any()), "")
    found = [name for name in HATCHES if any(name in hidden_cells(panel) for panel in panels)]
    return [Patch(linewidth=0, label=names[name], **HATCHES[name]) for name in found]


def number_size(panel, cell, annot="auto"):
    """Font size of the numbers in the cells, or 0 where they could not be read."""
    if annot not in ("auto", True) or annot == "auto" and (min(cell) < 16 or panel.values.size > 256):
        return 0
    widest = max((width(text, 10) for text in set(panel.texts().flat)), default=0) / 10  # a point of size
    size = min(8, 0.6 * cell[1], (cell[0] - 4) / max(widest, 0.1))
    return size if size >= 5.8 or annot != "auto" else 0


def _write_numbers(ax, panel, cell, annot):
    size = number_size(panel, cell, annot)
    if not size:
        return
    background = panel.colours(panel.norm(panel.values), bytes=True)[..., :3]
    background[panel.broken] = hex_to_rgb(NAN)
    colours, texts = ink(background), panel.texts()
    for row, column in np.argwhere(panel.drawn | panel.broken):
        text = ax.text(
            column + 0.5, row + 0.5, texts[row, column], color=colours[row, column], size=size,
            ha="center", va="center_baseline", family=families()[0], parse_math=False,
        )  # fmt: skip
        if panel.broken[row, column]:  # keeps the hatch away from the letters
            text.set_path_effects([withStroke(linewidth=3, foreground=NAN)])


def _label_blind_rows(ax, panel, cell):
    """Say in the row itself that its query sees no key, where the words fit; the caption says it anyway."""
    label, size = "no visible key", min(SIZE, cell[1])
    if size < 5 or width(label, size) + 4 > cell[0] * panel.values.shape[1]:
        return
    for row in np.flatnonzero(panel.blind):
        ax.text(
            panel.values.shape[1] / 2, row + 0.5, label, size=size, ha="center", va="center_baseline",
            color="#333333", family=families(), bbox={"facecolor": "white", "linewidth": 0, "pad": 1},
        )  # fmt: skip


def _outline(where):
    """One closed path around the cells that are True: a rectangle for each run along a row."""
    steps = np.diff(np.pad(where, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, start = np.nonzero(steps == 1)
    stop = np.nonzero(steps == -1)[1]
    corners = np.stack([[start, row], [stop, row], [stop, row + 1], [start, row + 1], [start, row]])  # (5, 2, runs)
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(corners.transpose(2, 0, 1).reshape(-1, 2), codes * len(row))


def _outline_query(ax, query, n_k, line, colour):
    for edge, wide in (("white", 2 * line), (colour, line)):
        box = Rectangle((0, query), n_k, 1, fill=False, edgecolor=edge, linewidth=wide, zorder=4, clip_on=False)
        ax.add_patch(box)


def label_keys(ax, panel, cell, name=True):
    """Labels and name of the columns, on top."""
    labels = panel.labels["key"]
    flat, step = key_step(panel, cell)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xticks(np.arange(len(labels))[::step] + 0.5)
    ax.set_xticklabels(labels[::step], rotation=0 if flat else 90, **_tick_style())
    ax.tick_params(axis="x", length=0, pad=2)
    if name:
        style = {"size": SIZE, "family": families(), "labelpad": 3, "parse_math": False}
        ax.set_xlabel(panel.axes[1], loc="left", color=panel.colour("key"), **style)


def label_queries(ax, panel, cell, query=None, name=True):
    """Labels and name of the rows, on the left; the outlined query's label in its colour."""
    labels = panel.labels["query"]
    rows = np.arange(len(labels))[:: query_step(panel, cell)]
    if query is not None:  # its label is always there, and has room
        rows = np.append(rows[abs(rows - query) * cell[1] >= SIZE + 2], query)
    ax.set_yticks(rows + 0.5)
    ticks = ax.set_yticklabels([labels[row] for row in rows], rotation=0, va="center", **_tick_style())
    ax.tick_params(axis="y", length=0, pad=3)
    for row, tick in zip(rows, ticks, strict=True):
        if row == query:
            tick.set(color=panel.colour("query"), weight="bold")
    if name:
        style = {"size": SIZE, "family": families(), "labelpad": 3, "parse_math": False}
        ax.set_ylabel(panel.axes[0], loc="top", color=panel.colour("query"), **style)


def _tick_style():
    return {"size": SIZE, "family": families(), "parse_math": False, "color": "#222222"}


def key_step(panel, cell):
    """Whether the key labels lie flat, and which of them are drawn: every first, second, fourth, ..."""
    labels = panel.labels["key"]
    widest = max(width(label) for label in labels) + 4
    if widest <= cell[0] or not panel.tokens["key"]:
        return True, _step(widest, cell[0])
    return False, _step(SIZE + 2, cell[0])


def query_step(panel, cell):
    every = _step(SIZE + 2, cell[1])
    return every if every == 1 or panel.tokens["query"] else _step(2 * SIZE, cell[1])  # numbers need no crowd


def _step(need, room):
    step = 1
    while step * room < need:
        step *= 2
    return step


def bar_ticks(panel, room, upright=True):
    """Positions and texts of a colour bar that is `room` points long; 1/n is named "uniform"."""
    norm = panel.norm
    seen = panel.values[panel.drawn]
    over, under = seen.max(initial=0) > norm.vmax * (1 + 1e-9), seen.min(initial=0) < norm.vmin * (1 + 1e-9)
    if isinstance(norm, LogNorm):
        ticks = 10.0 ** np.arange(round(np.log10(norm.vmin)), 1)
        found = {float(tick): f"{tick:g}" if tick > 1e-5 else "1e−6" if tick < 5e-6 else "1e−5" for tick in ticks}
    else:
        ticks = np.linspace(norm.vmin, norm.vmax, 5 if upright else 3)
        shown = 2 if norm.vmax == 1 else digits(norm.vmax)
        found = {float(tick): number(tick, shown) for tick in ticks}
        if norm.vmax == 1:
            found = {tick: text.removesuffix("0").removesuffix(".0") for tick, text in found.items()}
    if over:
        found[float(ticks[-1])] = "≥ " + found[float(ticks[-1])]
    if under and panel.kind != "weights":
        found[float(ticks[0])] = "≤ " + found[float(ticks[0])]
    if panel.kind == "weights":
        found = _with_uniform(found, panel, 11 / room if upright else 38 / room)
    return found


def _with_uniform(ticks, panel, apart):
    n_k = panel.uniform
    if not n_k or not panel.norm.vmin <= 1 / n_k <= panel.norm.vmax:
        return ticks
    at = float(panel.norm(1 / n_k))
    kept = {tick: text for tick, text in ticks.items() if abs(float(panel.norm(tick)) - at) >= apart}
    return kept | {1 / n_k: f"1/{n_k} uniform"}


def bar_name(panel):
    """The name of a colour bar and of its scale."""
    if panel.kind != "weights":
        noun = panel.measure or {"scores": "score", "signed": "value"}[panel.kind]
        return f"{noun}, ± about zero"
    scales = {"unit": "scale 0 to 1", "shared": "shared scale", "own": "own scale", "log": "log scale"}
    return f"{panel.measure or 'weight'}, {scales.get(panel.scale, 'fixed scale')}"
