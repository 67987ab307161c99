"""A figure of a graph, in the style of the others: what one node reads as lines of its weights' width."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_lab.teaching.caption import drawable, families, shorten, wrap
from attention_lab.teaching.colours import FILL, TEXT
from attention_lab.teaching.layout import DPI, LINE, MARGIN, add_axes, snap, write
from attention_lab.teaching.panel import SIZE
from attention_lab.teaching.picture import Picture

_WIDE, _HIGH, _LEGEND, _WIDEST, _NODE = 342, 290, 16, 7, 17  # points: of a node, its diameter


def draw(network):
    """`Network` as a Picture."""
    wide = _WIDE + 2 * MARGIN
    head = wrap(network.title, _WIDE, size=10, weight="bold") if network.title else []
    top = MARGIN + (14 * len(head) + 4 if head else 0)
    below = top + _HIGH + _LEGEND
    text = wrap(" ".join(filter(None, [f"{network.alt}.", network.note])), _WIDE, SIZE)
    figure = Figure((snap(wide) / 72, snap(below + LINE * len(text) + MARGIN) / 72), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    ax = add_axes(figure, MARGIN, snap(top), snap(_WIDE), snap(_HIGH))
    ax.set(xlim=(-0.05, 1.05), ylim=(-0.06, 1.06))
    ax.axis("off")
    _draw_lines(ax, network)
    _draw_nodes(ax, network)
    write(figure, MARGIN, MARGIN, head, size=10, weight="bold", line=14)
    _draw_legend(figure, network, below - _LEGEND)
    write(figure, MARGIN, below, text, size=SIZE, line=LINE)
    return Picture(figure, network.alt)


def _draw_lines(ax, network):
    for pair in network.lines:
        ax.plot(*network.places[pair].T, color="#c4c4c4", linewidth=0.7, zorder=1)
    for node, share in network.read.items():
        width = max(_WIDEST * share, 0.4)
        ax.plot(*network.places[[network.query, node]].T, color=FILL["key"], linewidth=width, zorder=2)


def _draw_nodes(ax, network):
    read = network.read
    for i, token in enumerate(network.tokens):
        role = "query" if i == network.query else "key" if i in read else None
        colour = TEXT["light"].get(role, "#777777")
        about = {"markersize": _NODE - 2 * bool(network.squares[i]), "zorder": 3, "markeredgecolor": colour}
        about["markeredgewidth"] = 2.2 if role == "query" else 1.2
        ax.plot(*network.places[i], "s" if network.squares[i] else "o", markerfacecolor="white", **about)
        style = {"ha": "center", "va": "center_baseline", "family": families(), "parse_math": False, "zorder": 4}
        weight = "bold" if role == "query" else "normal"
        name = shorten(drawable(token), _NODE + 8)
        ax.text(*network.places[i], name, size=SIZE, color="#222222", weight=weight, **style)


def _draw_legend(figure, network, top):
    """What the shapes and the widths mean."""
    line = Line2D([], [], color=FILL["key"], linewidth=_WIDEST, label=f"reads; so wide: {network.limit:g} or more")
    look = {"linestyle": "", "markerfacecolor": "white", "markeredgecolor": "#777777", "markersize": 8}
    shapes = [Line2D([], [], marker=m, label=drawable(k), **look) for m, k in zip("so", network.kinds, strict=True)]
    legend = figure.legend(
        handles=[line, *(shapes if network.squares.any() else [])], loc="upper left", ncols=3, frameon=False,
        bbox_to_anchor=(MARGIN / 72 / figure.get_figwidth(), 1 - top / 72 / figure.get_figheight()),
        prop={"size": SIZE, "family": families()}, borderpad=0, borderaxespad=0, handlelength=1.6, columnspacing=1.4,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)
