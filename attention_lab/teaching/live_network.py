"""A graph as HTML: one inline SVG, its colours from the page's theme, like the line charts."""

import html

from attention_lab.teaching.live_curves import shorten

WIDE, HIGH = 456, 400  # px: a box whose size depends on nothing it shows
EDGE, NODE, WIDEST = 24, 13, 9  # px: around the nodes, half a node, of the widest line


def draw(network, beside=False):
    """`Network` as HTML."""
    title = f'<text class="title" x="{EDGE - NODE}" y="12">{shorten(network.title, WIDE)}</text>'
    parts = "".join([*_lines(network), *_read(network), *_nodes(network), title if network.title else ""])
    note = f" {html.escape(network.note)}" if network.note else ""
    name = f'<b class="query">‘{html.escape(network.tokens[network.query])}’</b>'
    return (
        f'<div class="al" role="group" aria-label="{html.escape(network.alt)}">'
        f'<svg class="chart network" viewBox="0 0 {WIDE} {HIGH}" style="--w:{WIDE}px" aria-hidden="true">{parts}</svg>'
        f'{_legend(network)}<p class="said" style="--rows:3">{name} {html.escape(network.finding())}.{note}</p></div>'
    )


def still(network):
    """The graph as a Picture, for readers without a kernel."""
    from attention_lab.teaching.plot_network import draw as draw_still

    return draw_still(network)


def _at(network, node):
    x, y = network.places[node]
    top = EDGE + (18 if network.title else 0)
    return round(EDGE + x * (WIDE - 2 * EDGE), 1), round(HIGH - EDGE - y * (HIGH - EDGE - top), 1)


def _path(network, i, j, rest=""):
    (x1, y1), (x2, y2) = _at(network, i), _at(network, j)
    return f'<path{rest} d="M{x1:g} {y1:g}L{x2:g} {y2:g}"/>'


def _lines(network):
    return [f'<g class="edges">{"".join(_path(network, i, j) for i, j in network.lines)}</g>']


def _read(network):
    """What the query reads, each line as wide as its weight."""
    widths = {j: round(max(WIDEST * share, 0.5), 1) for j, share in network.read.items()}
    paths = [_path(network, network.query, j, f' stroke-width="{wide:g}"') for j, wide in widths.items()]
    return [f'<g class="read">{"".join(paths)}</g>']


def _nodes(network):
    read = network.read
    for i, token in enumerate(network.tokens):
        x, y = _at(network, i)
        if network.squares[i]:
            shape = f'<rect x="{x - NODE + 1:g}" y="{y - NODE + 1:g}" width="{2 * NODE - 2}" height="{2 * NODE - 2}"/>'
        else:
            shape = f'<circle cx="{x:g}" cy="{y:g}" r="{NODE}"/>'
        kind = "q" if i == network.query else "k" if i in read else ""
        text = f'<text class="mid" x="{x:g}" y="{y:g}">{shorten(token, 4 * NODE)}</text>'
        said = html.escape(f"{token}, {network.kinds[0 if network.squares[i] else 1]}")
        yield f'<g class="node {kind}"><title>{said}: {network.weights[network.query, i]:.3f}</title>{shape}{text}</g>'


def _legend(network):
    """What the shapes and the widths mean."""
    square, circle = map(html.escape, network.kinds)
    shapes = (
        f'<span><i class="sw box"></i>{square}</span><span><i class="sw ring"></i>{circle}</span>'
        if network.squares.any()
        else ""
    )
    read = f'<span><i class="sw wide"></i>reads; so wide: {network.limit:g} or more</span>'
    return f'<div class="key legend">{read}{shapes}</div>'
