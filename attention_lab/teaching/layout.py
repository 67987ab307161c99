"""Where the parts of a figure stand: sizes in points, measured from the texts, so that nothing overlaps or is cut."""

import math

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import NullLocator

from attention_lab.teaching import panel as panels_
from attention_lab.teaching.caption import families, width, wrap
from attention_lab.teaching.panel import SIZE

DPI = 100
MARGIN, NAME, BAR, LINE = 9, 13, 9, 11.5  # points: edge, an axis name, thickness of a colour bar, a line of caption
LARGEST_CELL, WIDEST_CELL = 34, 48


def compose(panels, columns, *, room, bars="right", title=None, sentence="", annot="auto", query=None, arrows=False):
    """A figure of panels in rows of `columns`, each at most about `room` points wide and high."""
    sheet = Sheet(panels, columns, room, bars, gap=26 if arrows else 14)
    heading = wrap(title, sheet.width - 2 * MARGIN, size=10, weight="bold") if title else []
    legend = panels_.legend_handles(panels)
    lines = wrap(sentence, sheet.width - 2 * MARGIN, SIZE) if sentence else []
    top = MARGIN + (14 * len(heading) + 4 if heading else 0)
    below = top + sheet.height + 4
    height = below + (15 if legend else 0) + LINE * len(lines) + MARGIN

    figure = Figure((snap(sheet.width) / 72, snap(height) / 72), dpi=DPI, facecolor="white", layout="none")
    FigureCanvasAgg(figure)
    sheet.draw(figure, top, annot, query, arrows)
    write(figure, MARGIN, MARGIN, heading, size=10, weight="bold", line=14)
    if legend:
        _place_legend(figure, legend, below)
    write(figure, MARGIN, below + (15 if legend else 0), lines, size=SIZE, line=LINE)
    return figure


class Sheet:
    """The block of panels with their labels and colour bars."""

    def __init__(self, panels, columns, room, bars, gap):
        self.panels, self.columns, self.bars, self.gap = panels, columns, bars, gap
        self.rows = math.ceil(len(panels) / columns)
        sizes = [cell_size(panel, room) for panel in panels]
        self.cells = [(wide, max(high for _, high in sizes)) for wide, _ in sizes]  # rows go on from panel to panel
        self.sizes = [
            (cell[0] * panel.values.shape[1], cell[1] * panel.values.shape[0])
            for cell, panel in zip(self.cells, panels, strict=True)
        ]
        self.title = 14 if any(panel.title for panel in panels) else 0
        self.heads = [_key_height(panel, cell) for panel, cell in zip(panels[:columns], self.cells, strict=False)]
        self._place()

    def _place(self):
        """Left edges, top edges and the size of the whole, all in points."""
        labels = max(width(label) for panel in self.panels[:: self.columns] for label in panel.labels["query"])
        x = MARGIN + NAME + labels + 7
        self.left = []
        for column in range(self.columns):
            self.left.append(snap(x))
            x += self._column_width(column) + self.gap
        self.right = x - self.gap
        if self.bars == "right":
            self.right = max(self.right, self.left[0] + width(self.panels[0].axes[1]))
        self.top, y = [], 0
        for row in range(self.rows):
            y += self.title + (NAME + max(self.heads) if row == 0 else 0)
            self.top.append(snap(y))
            y += self._block(row * self.columns) + (38 if self.bars == "below" else 0) + 10
        self.bar_length = min(max(y - 10 - self.top[0], 96), 200)
        self.height = max(y, self.top[0] + (self.bar_length + 8 if self.bars == "right" else 72))
        self.width = max(self.right + self._bar_room() + MARGIN, 290)

    def _block(self, i):
        """Height that a panel takes: a bar below it leaves room for the name on its left."""
        return max(self.sizes[i][1], width(self.panels[i].axes[0]) if self.bars == "below" else 0)

    def _column_width(self, column):
        members = range(column, len(self.panels), self.columns)
        widest = max(max(self.sizes[i][0], width(self.panels[i].title, 9, "bold")) for i in members)
        return max(widest, 96) if self.bars == "below" else widest

    def _bar_room(self):
        if self.bars == "below":
            return 12  # half a number sticks out
        texts = panels_.bar_ticks(self.panels[0], self.bar_length).values()
        return 12 + max(BAR + 5 + max(width(text) for text in texts), width(panels_.bar_name(self.panels[0])))

    def draw(self, figure, down, annot, query, arrows):
        for i, panel in enumerate(self.panels):
            row, column = divmod(i, self.columns)
            x, y = self.left[column], snap(down + self.top[row])
            ax = add_axes(figure, x, y, *self.sizes[i])
            mesh = panels_.paint(ax, panel, self.cells[i], annot=annot, query=query)
            self._label(ax, i, query)
            head = NAME + max(self.heads) if row == 0 else 0
            write(figure, x, y - head - self.title, [panel.title], size=9, weight="bold", line=14)
            if self.bars == "below":
                length = max(self.sizes[i][0], 90)
                _colour_bar(figure, mesh, panel, (x, y + self._block(i) + 8, length, 7), upright=False)
            if arrows and i:
                middle = x - self.gap / 2, y + self.sizes[i][1] / 2 - 8
                write(figure, *middle, ["→"], size=13, line=0, ha="center", color="#555555")
        if self.bars == "right":
            box = (self.right + 12, snap(down + self.top[0]), BAR, self.bar_length)
            _colour_bar(figure, mesh, self.panels[0], box, upright=True)

    def _label(self, ax, i, query):
        """Labels along the top and the left edge; an axis name wherever it has room, and once at least."""
        row, column = divmod(i, self.columns)
        panel, cell, (wide, high) = self.panels[i], self.cells[i], self.sizes[i]
        if row == 0:
            room = max(wide, 96 if self.bars == "below" else 0) + self.gap
            named = column == 0 or width(panel.axes[1]) < room or panel.columns != "key"
            panels_.label_keys(ax, panel, cell, name=named)
        if column == 0:
            panels_.label_queries(ax, panel, cell, query, name=row == 0 or high > width(panel.axes[0]))


def cell_size(panel, room):
    """Width and height of a cell in points, whole pixels: square where that reads well, wider for words and numbers."""
    n_q, n_k = panel.values.shape
    wide = min(LARGEST_CELL, room / n_k)
    high = min(LARGEST_CELL, room / n_q, max(2 * wide, 14))
    wants = [max(width(text, 7.5) for text in set(panel.texts().flat)) + 6 if n_q * n_k <= 256 and high >= 16 else 0]
    wants += [max(width(label) for label in panel.labels["key"]) + 6] if panel.tokens["key"] else []
    for want in wants:
        if wide < want <= WIDEST_CELL and want * n_k <= 1.25 * room:
            wide = want
    return snap(wide), snap(high)


def on_axes(ax, panel, *, title=None, sentence="", annot="auto", query=None):
    """The same picture on somebody's axes: its colour bar takes room from them, legend and caption hang below."""
    bar = ax.figure.colorbar(ScalarMappable(panel.norm, panel.colours), ax=ax)
    box = ax.get_window_extent()
    wide, high = box.width * 72 / ax.figure.dpi, box.height * 72 / ax.figure.dpi
    cell = (wide / panel.values.shape[1], high / panel.values.shape[0])
    _label_bar(bar, panel, high, upright=True)
    panels_.paint(ax, panel, cell, annot=annot, query=query)
    panels_.label_keys(ax, panel, cell)
    panels_.label_queries(ax, panel, cell, query)
    if title:
        ax.set_title(title, loc="left", size=10, weight="bold", family=families(), parse_math=False)
    legend = panels_.legend_handles([panel])
    if legend:
        ax.legend(handles=legend, loc="upper left", bbox_to_anchor=(0, -6 / high), **_legend_style())
    text = "\n".join(wrap(sentence, wide + 50, SIZE))  # it may run on below the colour bar
    ax.annotate(
        text, (0, 0), xycoords="axes fraction", xytext=(0, -22 if legend else -6), textcoords="offset points",
        va="top", size=SIZE, family=families(), color="#222222", parse_math=False,
    )  # fmt: skip


def add_axes(figure, x, y, wide, high):
    """Axes at so many points from the left and from the top."""
    total_wide, total_high = figure.get_size_inches() * 72
    return figure.add_axes([x / total_wide, 1 - (y + high) / total_high, wide / total_wide, high / total_high])


def snap(points):
    """The nearest length of whole pixels: cells of one size, lines without blur."""
    return max(1, round(points * DPI / 72)) * 72 / DPI


def _key_height(panel, cell):
    flat, step = panels_.key_step(panel, cell)
    return 2 + (SIZE + 1 if flat else max(width(label) for label in panel.labels["key"][::step]))


def write(figure, x, y, lines, *, line, ha="left", color="#222222", **style):
    wide, high = figure.get_size_inches() * 72
    for i, text in enumerate(lines):
        at = x / wide, 1 - (y + i * line) / high
        figure.text(*at, text, va="top", ha=ha, color=color, family=families(), parse_math=False, **style)


def _place_legend(figure, handles, y):
    wide, high = figure.get_size_inches() * 72
    anchor = (MARGIN / wide, 1 - y / high)
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=anchor, ncols=len(handles), **_legend_style())


def _legend_style():
    return {
        "frameon": False, "borderpad": 0, "borderaxespad": 0, "handlelength": 2, "handleheight": 1.2,
        "columnspacing": 1.4, "labelcolor": "black", "prop": FontProperties(family=families(), size=SIZE),
    }  # fmt: skip


def _colour_bar(figure, mesh, panel, box, upright):
    bar = figure.colorbar(mesh, cax=add_axes(figure, *box), orientation="vertical" if upright else "horizontal")
    _label_bar(bar, panel, box[3] if upright else box[2], upright)


def _label_bar(bar, panel, length, upright):
    ticks = panels_.bar_ticks(panel, length, upright)
    axis = bar.ax.yaxis if upright else bar.ax.xaxis
    axis.set_minor_locator(NullLocator())
    bar.set_ticks(list(ticks), labels=list(ticks.values()))
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2, pad=2, labelsize=SIZE, labelfontfamily=families(), color="#777777", labelcolor="black")
    bar.ax.grid(False)
    style = {"size": SIZE, "family": families(), "color": "#222222"}
    if upright:
        bar.ax.set_title(panels_.bar_name(panel), loc="left", pad=9, **style)
    else:
        if panel.kind != "weights":  # numbers with a sign are wide, and the next bar is near: keep to this one
            first, *_, last = bar.ax.get_xticklabels()
            first.set_ha("left"), last.set_ha("right")
        bar.ax.set_xlabel(panels_.bar_name(panel), loc="left", labelpad=2, **style)
