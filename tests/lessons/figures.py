"""Every figure of a lesson has a sentence, which can be seen below it and says what is drawn; all text can be read.

Most sentences are computed; `tests.teaching.sentences` reads them. What a lesson says in its own words stands here
with what has to hold of the figure: a new one needs an entry.
"""

import re
from contextlib import contextmanager

import numpy as np

from attention_lab.teaching.lesson import has_demo
from attention_lab.teaching.picture import Picture
from tests.lessons.rules_outputs import PICTURES
from tests.teaching.pictures import too_faint
from tests.teaching.read_figure import Chart, is_near, maps, words_below
from tests.teaching.sentences import unconfirmed

OWN = {  # sentence, and what has to hold of the figure: (figure, match) -> bool
    r"Seed 0: each query reads the key at the other end, the anti-diagonal":
        lambda figure, _: (_map(figure).argmax(axis=1) == np.arange(len(_map(figure)))[::-1]).all(),
    r"Share of unseen digits right: the mean of three seeds, and how far the seeds are apart":
        lambda figure, _: all(((one.values >= 0) & (one.values <= 1)).all() for one in maps(figure)),
    r"An untrained head, the first ten of 50 random tokens: statistics of it say nothing":
        lambda figure, _: _map(figure).shape == (10, 10) and (_map(figure).sum(axis=1) < 1).all(),
    r"After 8 tokens the first four rows are what they were after 4":
        lambda figure, _: np.allclose(*(one.values[:4] for one in maps(figure)), equal_nan=True)
        and np.isnan(_map(figure)[4:]).all(),
    r"(\d+) of (\d+) questions read the supporting fact most":
        lambda figure, said: _read_their_fact(maps(figure)[0], *map(int, said.groups())),
    r"(\d+) tiles are visible in full, (\d+) in part, (\d+) not at all":
        lambda figure, said: [(_map(figure) == 1).sum(), (_map(figure) < 1).sum(), np.isnan(_map(figure)).sum()]
        == [int(number) for number in said.groups()],
    r"Cosines: ('.+') and ('.+') ([\d.]+), ('.+') and ('.+') ([\d.]+)":
        lambda figure, said: all(_holds(figure, *said.groups()[i : i + 3]) for i in (0, 3)),
    r"Thousandths by which the vector turns without a head: on average the last layer's heads matter most\.":
        lambda figure, _: _map(figure).mean(axis=1).argmax() == len(_map(figure)) - 1,
    r"Shares of each row's largest; of the words, ('.+') is missed most":
        lambda figure, said: _is_missed_most(maps(figure)[0], said[1]),
    r"Induction score of (\d+) heads in (\d+) layers; largest in layer (\d+), head (\d+)":
        lambda figure, said: (*_map(figure).shape, *np.unravel_index(_map(figure).T.argmax(), _map(figure).T.shape))
        == tuple(int(number) for number in said.groups()),
    r"Weight on token 0 by head and layer in the first round: ([\d.]+) on average, three texts":
        lambda figure, said: is_near(said[1], _map(figure).mean()),
    r"'(.+)' is named from block (\d+) on, '(.+)' at the end":
        lambda figure, said: _is_named(maps(figure)[0], *said.groups()),
    r"Length of what each block reads: at block (\d+) the first token's jumps to over (\d+) times the others'":
        lambda figure, said: _jumps(Chart(figure.axes[0]), *map(int, said.groups())),
}  # fmt: skip


@contextmanager
def watched():
    """The pictures that are made meanwhile."""
    made, init = [], Picture.__init__

    def note(self, figure, alt):
        init(self, figure, alt)
        made.append(self)

    Picture.__init__ = note
    try:
        yield made
    finally:
        Picture.__init__ = init


def look_at(cell, pictures):
    """Raise where a cell's picture is missing, has no sentence below it or one that is not so, or too faint a text."""
    committed = sum(any(kind in output.get("data", {}) for kind in PICTURES) for output in cell.outputs)
    if len(pictures) < committed and not has_demo(cell):
        raise AssertionError(f"cell {cell.number} shows {committed} pictures, and makes {len(pictures)} Pictures")
    for picture in pictures:
        if " ".join(picture.alt.removesuffix(".").split()) not in words_below(picture.figure):
            raise AssertionError(f"cell {cell.number}: its sentence is not seen below the figure: {picture.alt!r}")
        if wrong := [] if _is_so(picture) else unconfirmed(picture):
            raise AssertionError(f"cell {cell.number}: the figure does not bear out what its sentence says: {wrong}")
        if faint := too_faint(picture):
            raise AssertionError(f"cell {cell.number}: texts with too little contrast: {faint}")


def _is_so(picture):
    """Whether a sentence is one of those above, and holds."""
    said = ((re.fullmatch(words, picture.alt), holds) for words, holds in OWN.items())
    return any(match and holds(picture.figure, match) for match, holds in said)


def _map(figure):
    return maps(figure)[0].values


def _holds(figure, row, column, text):
    (one,) = maps(figure)
    return is_near(text, one.values[one.find(row, one.rows)[0], one.find(column, one.columns)[0]])


def _is_missed_most(one, word):
    """In the last row, which is what taking words away shows."""
    return one.values[-1].argmax() == one.find(word, one.columns)[0]


def _is_named(one, word, block, last):
    """Below each column stands what it reads and what it says."""
    says = {name.rpartition("→")[2].strip(): place for place, name in one.columns.items()}
    late = [row for row, name in one.rows.items() if name.isdigit() and int(name) >= int(block)]
    return one.values[late, says[word]].min() > 0.5 and one.values[:, says[last]].argmax() == len(one.values) - 1


def _read_their_fact(one, right, total):
    """Each row is called by its fact's number."""
    facts = {row: int(re.search(r"fact (\d+)", name)[1]) for row, name in one.rows.items()}
    found = sum(np.nanargmax(one.values[row]) == fact for row, fact in facts.items())
    return (found, len(facts)) == (right, total)


def _jumps(chart, block, times):
    """More than so many times as long, and far less one block earlier."""
    read = next(iter(chart.scales(chart.ax.yaxis)))
    first, others = (read(line[:, 1]) for line in chart.lines.values())
    ratio = first / others
    return times < ratio[block] < 3 * times and ratio[block - 1] < ratio[block] / 3
