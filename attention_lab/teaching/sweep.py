"""How many heads, how wide, how much dropout: one small task, every combination, three seeds.

    python -m attention_lab.teaching.sweep        (or `make sweep`)

computes what is missing in attention_lab/data/heads_sweep.csv, one cell a processor core. Every finished cell is in
the file at once: after Ctrl+C, or a power cut, the same command goes on where it stopped.

The cells run through joblib. One line hands them to a Dask cluster instead, whose scheduler is at `address`:

    with distributed.Client(address), joblib.parallel_config(backend="dask"):
        sweep()

The task is to reverse 8 digits, learned from 16 sequences only. What is measured is how well the model reverses 256
sequences that it never saw. All cells of one seed learn from the same 16.
"""

import argparse
import os
import sys
from itertools import product
from pathlib import Path

import numpy as np

from attention_lab.blocks import EncoderBlock
from attention_lab.gradients import parameters
from attention_lab.layers import Embedding, LayerNorm, Linear
from attention_lab.losses import cross_entropy
from attention_lab.optimisers import Adam
from attention_lab.positions import LearnedPositions
from attention_lab.runs.files import whole
from attention_lab.teaching.interrupts import ends_in_time
from attention_lab.training import fit

SWEEP = Path(__file__).parents[1] / "data" / "heads_sweep.csv"
COMMAND = "python -m attention_lab.teaching.sweep"
COLUMNS = {
    "heads": int, "head_size": int, "dropout": float, "seed": int, "accuracy": float, "loss": float, "parameters": int,
}  # fmt: skip
KEY = tuple(COLUMNS)[:4]
HEADS, HEAD_SIZES, DROPOUTS, SEEDS = (4, 8, 16), (32, 64, 128), (0.0, 0.1, 0.3), (0, 1, 2)
# The seed changes last, so that the bar's guess of the time is fair, and a whole grid stands after a third of it.
CELLS = [(*cell, seed) for seed, cell in product(SEEDS, product(HEADS, HEAD_SIZES, DROPOUTS))]

DIGITS, LENGTH, D_MODEL, D_FF = 10, 8, 32, 64
LEARNED, UNSEEN, STEPS, RATE = 16, 256, 80, 3e-3


class Reverser:
    """Embedding, learned positions, one encoder block and a linear layer: (..., LENGTH) digits -> logits."""

    def __init__(self, heads, head_size, dropout, rng):
        self.embed = Embedding(DIGITS, D_MODEL, rng=rng)
        self.positions = LearnedPositions(LENGTH, D_MODEL, rng=rng)
        self.block = EncoderBlock(D_MODEL, heads, D_FF, d_head=head_size, dropout=dropout, rng=rng)
        self.norm, self.head = LayerNorm(D_MODEL), Linear(D_MODEL, DIGITS, rng=rng)

    def __call__(self, digits, rng=None):
        x, _ = self.block(self.positions(self.embed(digits)), rng=rng)
        return self.head(self.norm(x))


def run_cell(heads, head_size, dropout, seed):
    """Train one model on a few sequences and measure it on many others; half a second to three.

    Parameters
    ----------
    heads, head_size : int
    dropout : float
        Of the attention weights and of what each sublayer adds.
    seed : int
        Draws the sequences to learn, the first parameters, and what is dropped.

    Returns
    -------
    dict
        The four arguments, then "accuracy" (share of unseen digits at their place) and "loss" (cross-entropy of the
        unseen sequences), both to three digits, and the number of "parameters".

    Raises
    ------
    KeyboardInterrupt
        After Ctrl+C: a model that is half trained gives no row.
    TypeError, ValueError
        If a size is impossible.

    Examples
    --------
    >>> row = run_cell(heads=1, head_size=4, dropout=0.0, seed=0)
    >>> list(row)
    ['heads', 'head_size', 'dropout', 'seed', 'accuracy', 'loss', 'parameters']
    >>> row["parameters"]
    5802
    """
    learned = np.random.default_rng([seed, 0]).integers(DIGITS, size=(LEARNED, LENGTH))
    unseen = np.random.default_rng(2024).integers(DIGITS, size=(UNSEEN, LENGTH))  # the same for every seed
    model = Reverser(heads, head_size, dropout, np.random.default_rng([seed, 1]))
    history = fit(
        model, _loss, [(learned,)], steps=STEPS, optimizer=Adam(model, RATE), progress=lambda *_: None,
        rng=np.random.default_rng([seed, 2]),
    )  # fmt: skip
    if history.stopped == "interrupted":
        raise KeyboardInterrupt
    logits, expected = model(unseen), unseen[:, ::-1]
    measured = (logits.argmax(-1) == expected).mean(), cross_entropy(logits, expected)
    size = sum(array.size for array in parameters(model).values())
    return dict(zip(COLUMNS, (heads, head_size, float(dropout), seed, *(round(float(m), 3) for m in measured), size)))


def _loss(model, digits, rng=None):
    return cross_entropy(model(digits, rng=rng), digits[:, ::-1])


def read_sweep(path=SWEEP):
    """The rows of the file, each a dict as `run_cell` gives it.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    list of dict

    Raises
    ------
    ValueError
        If a line is damaged: the message names it.

    Examples
    --------
    >>> rows = read_sweep()
    >>> len(rows), rows[0]["heads"], rows[0]["head_size"]
    (81, 4, 32)
    """
    rows, damaged = _parse(Path(path))
    if damaged:
        raise ValueError(f"{path}, line {damaged} is damaged: {COMMAND} computes it again")
    return rows


def grid(rows, dropout, column="accuracy"):
    """Mean and spread over the seeds, for every number of heads (rows) and head size (columns).

    Parameters
    ----------
    rows : list of dict
        Of `read_sweep`.
    dropout : float
        One of `DROPOUTS`.
    column : str
        "accuracy" or "loss".

    Returns
    -------
    mean, spread : ndarray, (HEADS, HEAD_SIZES)
        The spread is the largest value minus the smallest: of three seeds a standard deviation would say too much.

    Raises
    ------
    ValueError
        If a cell is missing.

    Examples
    --------
    >>> mean, spread = grid(read_sweep(), dropout=0.1)
    >>> mean.shape, spread.shape
    ((3, 3), (3, 3))
    """
    found = {_key(row): row[column] for row in rows}
    wanted = list(product(HEADS, HEAD_SIZES, [dropout], SEEDS))
    missing = [cell for cell in wanted if cell not in found]
    if missing:
        named = ", ".join(f"{name} {value}" for name, value in zip(KEY, missing[0]))
        raise ValueError(f"{len(missing)} of {len(wanted)} cells are missing, the first is {named}: run {COMMAND}")
    values = np.reshape([found[cell] for cell in wanted], (len(HEADS), len(HEAD_SIZES), len(SEEDS)))
    return values.mean(-1), np.ptp(values, -1)


def sweep(path=SWEEP, cells=CELLS):
    """Compute the cells that the file lacks, on every core or where `joblib.parallel_config` sends them.

    Parameters
    ----------
    path : str or path
        Made if it is not there. Each finished cell is added at once; in the end the rows are put in order.
    cells : list of tuple
        (heads, head_size, dropout, seed).

    Returns
    -------
    list of dict
        As `read_sweep`.

    Raises
    ------
    ImportError
        If joblib or tqdm is missing: the message says what to type.
    ValueError
        If the file has another heading, so that it is no sweep.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sweep(f"{folder}/sweep.csv", cells=[])
    []
    """
    joblib, tqdm = _packages()
    path = Path(path)
    known = {_key(row) for row in _mend(path)}
    missing = [cell for cell in cells if cell not in known]
    # n_jobs=-1 gives each process one thread of BLAS. A batch of one: what was finished is never lost with a neighbour.
    workers = joblib.Parallel(n_jobs=-1, batch_size=1, return_as="generator_unordered")
    results = workers(joblib.delayed(run_cell)(*cell) for cell in missing) if missing else ()
    with tqdm(total=len(cells), initial=len(cells) - len(missing), unit="cell", disable=None) as bar:
        for row in results:
            _append(path, row)
            bar.update()
    rows = sorted(read_sweep(path), key=_key)
    _write(path, rows)  # the same bytes, whatever the order in which the cells were finished
    return rows


def _packages():
    try:
        import joblib
        from tqdm import tqdm
    except ImportError as error:
        message = f'the sweep needs {error.name}, which is missing: run  python -m pip install "joblib>=1.4" tqdm'
        raise ImportError(message, name=error.name) from None
    return joblib, tqdm


def _key(row):
    return tuple(row[name] for name in KEY)


def _line(row):
    return ",".join(str(row[name]) for name in COLUMNS) + "\n"


def _parse(path):
    """The rows that are whole, and the number of the first line that is not, or 0."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines[:1] != [",".join(COLUMNS) + "\n"]:
        raise ValueError(f"{path} must begin with the line {','.join(COLUMNS)}: it is no sweep, name another file")
    rows = [_row(line) for line in lines[1:]]
    return [row for row in rows if row], rows.index(None) + 2 if None in rows else 0


def _row(line):
    """What a line says, or None where it is damaged. One that was cut off may still hold numbers, but not its end."""
    try:
        row = {name: kind(text) for (name, kind), text in zip(COLUMNS.items(), line.split(","), strict=True)}
    except ValueError:
        return None
    return row if _line(row) == line else None


def _mend(path):
    """The whole rows of the file, which holds nothing else afterwards."""
    if not path.exists():
        _write(path, [])
    rows, damaged = _parse(path)
    if damaged:
        print(f"{path.name}, line {damaged} is damaged and is computed again.", file=sys.stderr)
        _write(path, rows)
    return rows


def _write(path, rows):
    """The whole file anew, in one move: an interrupt leaves the old one."""
    with whole(path) as unfinished:
        unfinished.write_text(",".join(COLUMNS) + "\n" + "".join(map(_line, rows)), encoding="utf-8", newline="\n")


def _append(path, row):
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(_line(row))
        file.flush()
        os.fsync(file.fileno())


def main(arguments=None):
    parser = argparse.ArgumentParser(prog=COMMAND, description="Train every cell of the sweep that is still missing.")
    parser.add_argument("path", nargs="?", type=Path, default=SWEEP, help="the file to go on with (%(default)s)")
    parser.add_argument("--fresh", action="store_true", help="begin anew: forget the cells in the file")
    options = parser.parse_args(arguments)
    if options.fresh:
        options.path.unlink(missing_ok=True)
    try:
        with ends_in_time(lambda: _interrupted(options.path)):
            rows = sweep(options.path)
    except ImportError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(_interrupted(options.path))
    print(f"{len(rows)} cells in {options.path}")


def _interrupted(path):
    return f"Interrupted with {len(_parse(path)[0])} of {len(CELLS)} cells. The same command goes on."


if __name__ == "__main__":
    main()
