"""Where the parts of a block and of the whole transformer stand: rows that leave the residual stream and come back."""

from itertools import pairwise
from typing import NamedTuple

from attention_lab.teaching.diagram_parts import Box, Label, Line

ROLES = {"Q": "query", "K": "key", "V": "value"}


class _Sublayer(NamedTuple):
    name: str
    inputs: str  # a letter for each role that the stream plays; none for a plain input
    note: str
    kind: str = "attention"


_SELF = _Sublayer("self-attention", "QKV", "weights (h, n, n)")
_CAUSAL = _Sublayer("causal self-attention", "QKV", "weights (h, n, n)")
_CROSS = _Sublayer("cross-attention", "Q", "weights (h, n, m)")
_FEED = _Sublayer("feed-forward", "", "hidden (n, d_ff)", "feed-forward")
_ENCODER, _DECODER = (_SELF, _FEED), (_CAUSAL, _CROSS, _FEED)


class _Sizes(NamedTuple):
    """Points, along a row from the stream outwards, then downwards."""

    tap: float  # from the stream to the norm
    norm: float
    gap: float  # from the norm to the sublayer
    wide: float
    high: float
    drop: float  # from the sublayer to the line that leads back
    step: float  # from a plus, or the norm after it, to the next row
    detailed: bool

    @property
    def reach(self):
        return self.tap + self.norm + self.gap + self.wide


_ROOMY = _Sizes(tap=34, norm=52, gap=46, wide=130, high=50, drop=18, step=10, detailed=True)
_COMPACT = _Sizes(tap=22, norm=38, gap=16, wide=84, high=34, drop=13, step=6, detailed=False)
_TEXT, _FLAT = 16, 24  # height of bare text, of a box with one line
_COLUMN = 92  # width of the boxes above and below the blocks


# ---- blocks ---------------------------------------------------------------------------------------------------


def encoder_block(norm):
    """Title, sentence and parts: self-attention, then feed-forward."""
    return _block("encoder block", _ENCODER, norm)


def decoder_block(norm):
    """Title, sentence and parts: causal self-attention, cross-attention to the memory, then feed-forward."""
    title, sentence, parts = _block("decoder block", _DECODER, norm)
    cross = find(parts, _CROSS.name)
    memory = Box("memory", cross.beside(1)[0] + 98, cross.y, 76, cross.high, note="(m, d_model)", part="memory")
    return title, sentence, [*parts, memory, *_wires("KV", memory, cross, -1)]


def _block(name, sublayers, norm):
    """The rows between input and output, on a panel."""
    stations, parts = _rows(sublayers, norm, _ROOMY, y=58)
    inlet, last = Box("x", 0, 0, 16, _TEXT, "text"), stations[-1]
    outlet = Box("output", 0, last.below()[1] + 46, 44, _TEXT, "text")
    panel = _panel(-74, _ROOMY.reach + 14, 22, last.below()[1] + 14)
    shapes = [Label("(n, d_model)", box.beside(1)[0] + 6, box.y) for box in (inlet, outlet)]
    shapes += [Label(word, -12, 52 + 12 * i, "right", True) for i, word in enumerate(("residual", "stream"))]
    title, opening = _name(name, norm)
    sentence = f"{opening}: {', then '.join(_formula(sublayer, norm) for sublayer in sublayers)}"
    return title, sentence, [panel, inlet, outlet, *stations, *_stream([inlet, *stations, outlet]), *parts, *shapes]


def _name(name, norm):
    """As a title, and as the beginning of a sentence."""
    if norm is None:
        return (f"{name.capitalize()} without norm",) * 2
    return f"{name.capitalize()}, {norm}-norm", f"{norm.capitalize()}-norm {name}"


def _formula(sublayer, norm):
    inner = "norm(x)" if norm == "pre" else "x"
    added = f"x + {sublayer.name}({inner}{', memory' if sublayer is _CROSS else ''})"
    return f"norm({added})" if norm == "post" else added


def _rows(sublayers, norm, sizes, *, x=0, y=0, side=1):
    """Branches to one side of the stream at x, the first at y: stations on the stream, and all else."""
    stations, parts = [], []
    for sublayer in sublayers:
        plus, branch = _row(sublayer, norm, sizes, x, y, side)
        stations.append(plus)
        parts += branch
        if norm == "post":
            stations.append(Box("norm", x, plus.below()[1] + 30, sizes.norm, 22, "norm", part="norm"))
        y = stations[-1].below()[1] + sizes.step + sizes.high / 2
    return stations, parts


def _row(sublayer, norm, sizes, x, y, side):
    """One branch: a norm where it comes first, the sublayer, and the way back to a plus."""
    words = (sublayer.name, sublayer.note) if sizes.detailed else (sublayer.name.replace("causal ", "causal\n"), "")
    outer = x + side * (sizes.reach - sizes.wide / 2)
    box = Box(words[0], outer, y, sizes.wide, sizes.high, sublayer.kind, words[1], sublayer.name)
    plus = Box("", x, box.below()[1] + sizes.drop, 16, 16, "plus", part="residual")
    parts = [box, Line((box.below(), (outer, plus.y), plus.beside(side)))]
    start = stream = Box("", x, y, 0, sizes.high)  # no box, but the place where the branch leaves
    if norm == "pre":
        start = Box("norm", x + side * (sizes.tap + sizes.norm / 2), y, sizes.norm, sizes.high, "norm", part="norm")
        parts += [start, *_wires("", stream, start, side)]
    return plus, [*parts, *_wires(sublayer.inputs if sizes.detailed else "", start, box, side)]


def _wires(letters, start, end, side, apart=16):
    """Arrows between two boxes of a row, one a letter; a plain one where there is none."""
    if not letters:
        return [Line((start.beside(side), end.beside(-side)))]
    return [
        Line((start.beside(side, dy), end.beside(-side, dy)), ROLES[letter], letter, part=ROLES[letter])
        for letter, dy in _spread(letters, apart)
    ]


def _spread(letters, apart=16):
    """Each letter with its distance from the middle of them all."""
    return [(letter, apart * (i - (len(letters) - 1) / 2)) for i, letter in enumerate(letters)]


def _stream(stations):
    """The thick line. It has a head where it enters a box, none where it meets a plus."""
    return [
        Line((start.below(), end.above()), "stream", head=end.kind != "plus", part="residual")
        for start, end in pairwise(stations)
    ]


def _panel(left, right, top, bottom, part=""):
    return Box("", (left + right) / 2, (top + bottom) / 2, right - left, bottom - top, "panel", part=part)


def find(parts, name):
    """The box of that name."""
    return next(part for part in parts if isinstance(part, Box) and part.part == name)


# ---- the whole ------------------------------------------------------------------------------------------------


def transformer(norm):
    """Title, sentence and parts: an encoder on the left, and a decoder that reads its memory on the right."""
    last = ["norm"] if norm == "pre" else []  # the stream of pre-norm blocks is not normed yet
    far = 2 * _COMPACT.reach + 66
    encoder, left = _stack("encoder", _ENCODER, norm, 0, 1, "m", [*last, "memory"])
    decoder, right = _stack("decoder", _DECODER, norm, far, -1, "n", [*last, "linear", "softmax", "probabilities"])
    wires = _elbows(find(left, "memory"), find(right, _CROSS.name), 1)
    title, opening = _name("transformer", norm)
    reading = decoder.replace("decoder block", "decoder block (with memory)")
    return title, f"{opening}: {encoder}; {reading}", [*left, *right, *wires]


def _stack(name, sublayers, norm, x, side, length, ends):
    """A column, from token ids through the blocks to its ends; first the words for the way it goes."""
    ids = Box("source ids" if name == "encoder" else "target ids", x, 0, 66, 28, "text", f"({length},)")
    embedding = Box("embedding", x, 44, _COLUMN, _FLAT, part="embedding")
    plus = Box("", x, 84, 16, 16, "plus", part="residual")
    positions = Box("positions", x + side * (_COMPACT.reach - 42), 84, 84, _FLAT, part="positions")
    rows, parts = _rows(sublayers, norm, _COMPACT, x=x, y=166, side=side)
    edges = sorted((x - side * 27, x + side * (_COMPACT.reach + 10)))
    panel = _panel(*edges, 120, rows[-1].below()[1] + 12, part=name)
    tail = _tail(ends, x, panel.below()[1], length)
    words = Label(f"N × {name} block", positions.x + side * 42, 134, "right" if side > 0 else "left", True)
    shape = Label(f"({length}, d_model)", x + side * 8, 107, "left" if side > 0 else "right")
    entry = [Line((ids.below(), embedding.above())), Line((positions.beside(-side), plus.beside(side)))]
    stream = [embedding, plus, *rows, *[box for box in tail if box.text in ("norm", "memory", "linear")]]
    after = [Line((a.below(), b.above())) for a, b in pairwise(tail) if a not in stream or b not in stream]
    steps = (ids.text, "embedding + positions", f"N × {name} block", *ends)
    boxes = [panel, ids, embedding, plus, positions, *rows, *tail]
    return " → ".join(steps), [*boxes, *entry, *_stream(stream), *after, *parts, words, shape]


def _tail(ends, x, y, length):
    """What stands below the blocks, one box under the other."""
    looks = {
        "norm": {"high": 22, "wide": _COMPACT.norm, "kind": "norm", "part": "norm"},
        "memory": {"high": 36, "note": f"({length}, d_model)", "part": "memory"},
        "linear": {"high": 36, "note": f"({length}, vocab_size)", "part": "linear"},
        "softmax": {"high": _FLAT, "part": "softmax"},
        "probabilities": {"high": 28, "note": "of the next token", "kind": "text"},
    }
    boxes = []
    for end in ends:
        high = looks[end]["high"]
        boxes.append(Box(end, x, y + 24 + high / 2, **{"wide": _COLUMN} | looks[end]))
        y = boxes[-1].below()[1]
    return boxes


def _elbows(start, end, side):
    """K and V from one box to another that stands higher: across, up, across, without crossing each other."""
    lines = []
    for i, (letter, dy) in enumerate(_spread("KV")):
        a, b = start.beside(side, dy / 2), end.beside(-side, dy)
        turn = b[0] - side * (46 - 12 * i)
        lines.append(Line((a, (turn, a[1]), (turn, b[1]), b), ROLES[letter], letter, part=ROLES[letter], lead=20))
    return lines
