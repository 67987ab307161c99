"""Line charts as HTML: one inline SVG, quick enough to follow a slider, in the page's own theme.

Colours are classes, so the page's theme picks them; each line has its dashes and its name at its end as well.
"""

import html
import math

import numpy as np

from attention_lab.teaching.axis import spread
from attention_lab.teaching.colours import LINES, dashes

WIDE, HIGH = 640, 330  # px of a chart that stands alone: a box whose size depends on nothing it shows
BESIDE = 456  # px of a chart beside another picture: as wide as one map with its labels
LEFT, TOP, BOTTOM = 72, 36, 40  # px around the plot; the maps' rows begin at the same left edge
NAME_ROOM = {WIDE: 136, BESIDE: 104}
MARKS = 16  # names of marks below one another; then they begin at the top again
PITCH, LETTER, REACH = 15, 7.0, 16  # px: from name to name, of a letter, from a line's end to its name
POINTS = 320  # in all lines together; more points carry no number to hover over, which is quicker


def draw(chart, beside=False):
    """`Curves` as HTML, narrower where they stand beside another picture."""
    wide = BESIDE if beside else WIDE
    return (
        f'<div class="al" role="group" aria-label="{html.escape(chart.alt)}">'
        f'<svg class="chart" viewBox="0 0 {wide} {HIGH}" style="--w:{wide}px" aria-hidden="true">'
        f"{Plot(chart, wide).svg()}</svg>{_spoken(chart, 52 if beside else 100)}</div>"
    )


def _spoken(chart, row):
    """The sentence, in a box with room for the longest one: as many rows of so many characters as that needs."""
    longest = len(chart.heading) + len(chart.note) + sum(len(name) + 95 for name in chart.lines)
    words = "; ".join(
        f'<b class="{_class(chart, name)}">‘{html.escape(name)}’</b> {html.escape(words)}'
        for name, words in chart.findings()
    )
    note = f" {html.escape(chart.note)}" if chart.note else ""
    rows = math.ceil(longest / row)
    return f'<p class="said" style="--rows:{rows}">{html.escape(chart.heading)}: {words}.{note}</p>'


def still(chart):
    """The chart as a Picture, for readers without a kernel."""
    from attention_lab.teaching.plot_curves import draw as draw_still

    return draw_still(chart)


class Plot:
    """The parts of a chart as SVG, in px from the upper left corner."""

    def __init__(self, chart, wide):
        self.chart, self.left, self.top = chart, LEFT, TOP + (18 if chart.title else 0)
        self.right, self.bottom, self.wide = wide - NAME_ROOM[wide] - REACH, HIGH - BOTTOM, wide

    def svg(self):
        lines = "".join(self._line(name) for name in self.chart.lines)
        window = f'x="{self.left - 4}" y="{self.top - 4}"'
        wide, high = self.right - self.left + 8, self.bottom - self.top + 8
        inside = f'<svg {window} width="{wide}" height="{high}" viewBox="{self.left - 4} {self.top - 4} {wide} {high}">'
        dots = "".join(self._dots(name) for name in self.chart.lines)
        return f"{self._axes()}{inside}{lines}</svg>{self._marks()}{self._names()}{dots}"

    def across(self, share):
        return self.left + share * (self.right - self.left)

    def down(self, share):
        return self.bottom - share * (self.bottom - self.top)

    def _axes(self):
        chart, parts = self.chart, []
        for value, text in chart.y_axis.ticks().items():
            y = f"{self.down(float(chart.y_axis.at(value))):.1f}"
            zero = ' class="zero"' if value == 0 else ""
            parts.append(f'<path{zero} d="M{self.left} {y}H{self.right}"/>')
            parts.append(f'<text class="end" x="{self.left - 8}" y="{y}">{text}</text>')
        for value, text in chart.x_axis.ticks().items():
            x = f"{self.across(float(chart.x_axis.at(value))):.1f}"
            parts.append(f'<path d="M{x} {self.top}V{self.bottom}"/>')
            parts.append(f'<text class="mid" x="{x}" y="{self.bottom + 14}">{text}</text>')
        base = f'<path class="base" d="M{self.left} {self.bottom}H{self.right}"/>'
        title = f'<text class="title" x="{self.left}" y="12">{self._fit(chart.title)}</text>' if chart.title else ""
        y_label = f'<text x="{self.left}" y="{self.top - 16}">{self._fit(chart.y_label)}</text>'
        x_label = f'<text class="end" x="{self.right}" y="{self.bottom + 31}">{self._fit(chart.x_label)}</text>'
        return f'<g class="axes">{"".join(parts)}{base}{title}{y_label}{x_label}</g>'

    def _fit(self, text):
        return shorten(text, self.wide - self.left)

    def _points(self, name):
        """A line's points in px, (n, 2); far outside is as good as any number there."""
        places = self.chart.places(name)
        return np.stack([self.across(places[:, 0]), self.down(np.clip(places[:, 1], -50, 50))], axis=-1)

    def _line(self, name):
        path, pen = [], "M"
        for x, y in self._points(name).round(1).tolist():
            if y == y:
                path.append(f"{pen}{x:g} {y:g}")
            pen = "L" if y == y else "M"  # after a gap the pen is set down anew
        return f'<path class="line {_class(self.chart, name)}"{_dashes(self.chart, name)} d="{"".join(path)}"/>'

    def _dots(self, name):
        """Points with a number to hover over; and the dots that are seen."""
        points, dots = self._points(name).round(1).tolist(), set(self.chart.dots(name))
        hover = len(points) * len(self.chart.lines) <= POINTS
        parts = []
        for i, (x, y) in enumerate(points):
            if y == y and self.top - 4 <= y <= self.bottom + 4 and (hover or i in dots):
                seen = f'<circle class="dot" cx="{x:g}" cy="{y:g}" r="2.5"/>' if i in dots else ""
                parts.append(f"<g>{seen}{self._bubble(name, i, x, y) if hover else ''}</g>")
        return f'<g class="dots {_class(self.chart, name)}">{"".join(parts)}</g>'

    def _bubble(self, name, i, x, y):
        value = f"{self.chart.lines[name][i]:.4g}".replace("-", "−")
        text = f"{shorten(name, 112)}, {self.chart.x[i]:g}: {value}"
        middle = min(max(x, self.left + 40), self.wide - 100)
        spot = f'<circle class="near" cx="{x:g}" cy="{y:g}" r="7"/>'
        return f'{spot}<text class="mid" x="{middle:g}" y="{y - 14:g}">{text}</text>'

    def _names(self):
        """Each name at its line's end, moved where names would touch; a thin line leads to it."""
        ends, parts = self.chart.ends(), []
        heights = spread([self.down(y) for _, y in ends.values()], PITCH, self.top, self.bottom)
        for (name, (x, y)), height in zip(ends.items(), heights, strict=True):
            lead = f"M{self.across(x):.1f} {self.down(y):.1f}L{self.right + REACH - 4} {height:.1f}"
            text = f'<text x="{self.right + REACH}" y="{height:.1f}">{shorten(name, NAME_ROOM[self.wide])}</text>'
            parts.append(f'<g class="name {_class(self.chart, name)}"><path d="{lead}"/>{text}</g>')
        return "".join(parts)

    def _marks(self):
        """Dotted lines at named places, each name a line lower than the last and on the side that has room."""
        parts = []
        for i, (name, at) in enumerate(self.chart.marked().items()):
            x, (side, off) = self.across(at), ("", 5) if at < 0.6 else ("end", -5)
            parts.append(f'<path d="M{x:.1f} {self.top}V{self.bottom}"/>')
            where = f'x="{x + off:.1f}" y="{self.top + 8 + 14 * (i % MARKS)}"'
            parts.append(f'<text class="{side}" {where}>{shorten(name, 150)}</text>')
        return f'<g class="marks">{"".join(parts)}</g>' if parts else ""


def shorten(text, room):
    """The text, escaped, cut where it would not fit into so many px."""
    most = int(room / LETTER)
    return html.escape(text if len(text) <= most else text[: most - 1] + "…")


def _class(chart, name):
    style = chart.style(name)
    return f"{style}-line" if isinstance(style, str) else f"l{style % len(LINES['light'])}"


def _dashes(chart, name):
    style = chart.style(name)
    pattern = () if isinstance(style, str) else dashes(style)
    return f' stroke-dasharray="{" ".join(f"{2 * part:g}" for part in pattern)}"' if pattern else ""
