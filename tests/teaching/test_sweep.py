"""The sweep of lesson 08: what was computed is never lost, and never depends on how it was computed."""

import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import attention_lab
from attention_lab.teaching import sweep as module
from attention_lab.teaching.sweep import (
    CELLS,
    COLUMNS,
    HEAD_SIZES,
    HEADS,
    SWEEP,
    grid,
    main,
    read_sweep,
    run_cell,
    sweep,
)
from attention_lab.training import History

HEADING = "heads,head_size,dropout,seed,accuracy,loss,parameters\n"
ROW = "4,32,0.0,0,0.5,1.25,21674\n"
# As small as cells can be.
TINY = [(1, 2, 0.0, 0), (2, 3, 0.1, 1), (1, 5, 0.3, 0)]


def made_up(heads, head_size, dropout, seed):
    """A row without a training: every number tells its cell."""
    values = heads, head_size, dropout, seed, round(head_size / 1000 + seed / 10, 3), float(heads), 7
    return dict(zip(COLUMNS, values))


@pytest.fixture
def here(monkeypatch):
    """joblib and run_cell within this process, so that a test can say what a cell does."""
    import joblib

    cells = []

    def run(*cell):
        cells.append(cell)
        return made_up(*cell)

    monkeypatch.setattr(module, "run_cell", run)
    with joblib.parallel_config("threading"):
        yield cells


def stop_after(monkeypatch, count):
    """A `run_cell` that is interrupted after so many cells."""
    left = iter(range(count))

    def run(*cell):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return made_up(*cell)

    monkeypatch.setattr(module, "run_cell", run)


# ---- the committed file ---------------------------------------------------------------------------------------------


def test_the_committed_file_holds_the_whole_sweep_in_order():
    rows = read_sweep()
    assert [module._key(row) for row in rows] == sorted(CELLS)
    assert set(CELLS) == set(product((4, 8, 16), (32, 64, 128), (0.0, 0.1, 0.3), (0, 1, 2)))
    assert all(0 <= row["accuracy"] <= 1 and row["loss"] > 0 for row in rows)


@pytest.mark.parametrize("cell", [(4, 32, 0.0, 0), (4, 32, 0.3, 1)])
def test_a_cell_is_what_the_committed_file_says(cell):
    """Other machines add up in another order: they may differ, but by less than another seed does."""
    heads, head_size, dropout, _ = cell
    rows = {module._key(row): row for row in read_sweep()}
    row = run_cell(*cell)
    assert {name: type(value) for name, value in row.items()} == COLUMNS
    assert module._key(row) == cell
    assert row["parameters"] == rows[cell]["parameters"]
    for column in ("accuracy", "loss"):
        _, spread = grid(rows.values(), dropout, column)
        assert abs(row[column] - rows[cell][column]) <= spread[HEADS.index(heads), HEAD_SIZES.index(head_size)]


def test_a_cell_counts_all_its_parameters():
    d, d_ff, inner = module.D_MODEL, module.D_FF, 2 * 3
    embedded, head = (module.DIGITS + module.LENGTH) * d, (d + 1) * module.DIGITS
    block = 4 * d * inner + 2 * d * d_ff + d_ff + d + 4 * d
    assert run_cell(2, 3, 0.0, 0)["parameters"] == embedded + block + 2 * d + head


def test_a_cell_is_the_same_twice_and_another_with_another_seed_or_dropout():
    first = run_cell(2, 3, 0.1, 0)
    assert run_cell(2, 3, 0.1, 0) == first
    for other in (run_cell(2, 3, 0.1, 1), run_cell(2, 3, 0.3, 0)):
        assert other["loss"] != first["loss"]


def test_cells_of_one_seed_learn_the_same_sequences_and_the_seed_draws_all(monkeypatch):
    seen = []

    def fit(model, loss, batches, *, rng, **_):
        seen.append((batches[0][0].tolist(), model.embed.table.tolist(), rng.random()))
        return History()

    monkeypatch.setattr(module, "fit", fit)
    for cell in ((2, 3, 0.1, 0), (3, 2, 0.3, 0), (2, 3, 0.1, 1)):
        run_cell(*cell)
    first, other_size, other_seed = seen
    assert other_size == first
    assert all(a != b for a, b in zip(first, other_seed))


def test_a_half_trained_model_gives_no_row(monkeypatch):
    """A worker gets Ctrl+C too, and `fit` then returns what was learned so far."""
    monkeypatch.setattr(module, "fit", lambda *_, **__: History(stopped="interrupted"))
    with pytest.raises(KeyboardInterrupt):
        run_cell(1, 2, 0.0, 0)


# ---- going on -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_order_of_the_cells_changes_no_byte(tmp_path):
    for name, cells in (("a", TINY), ("b", TINY[::-1])):
        sweep(tmp_path / name, cells)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert read_sweep(tmp_path / "a") == [run_cell(*cell) for cell in sorted(TINY)]


def test_a_finished_cell_is_in_the_file_before_the_next_one_is(here, tmp_path, monkeypatch):
    path, seen = tmp_path / "sweep.csv", []
    append = module._append
    monkeypatch.setattr(module, "_append", lambda *about: (append(*about), seen.append(len(read_sweep(path)))))
    sweep(path, CELLS[:5])
    assert seen == [1, 2, 3, 4, 5]


def test_what_an_interrupt_left_is_not_computed_again(here, tmp_path, monkeypatch):
    path = tmp_path / "sweep.csv"
    sweep(path, CELLS[:4])
    kept, here[:] = path.read_bytes(), []
    sweep(path, CELLS[:9])
    assert sorted(here) == sorted(CELLS[4:9])
    here.clear()
    assert sweep(path, CELLS[:4]) == sorted((made_up(*cell) for cell in CELLS[:9]), key=module._key)
    assert here == []
    assert all(line in path.read_bytes().splitlines() for line in kept.splitlines())


def test_an_interrupt_is_told_and_loses_no_finished_cell(here, tmp_path, monkeypatch):
    path = tmp_path / "sweep.csv"
    sweep(path, CELLS[:3])
    stop_after(monkeypatch, 0)
    with pytest.raises(SystemExit, match="Interrupted with 3 of 81 cells. The same command goes on."):
        main([str(path)])
    assert len(read_sweep(path)) == 3


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal for a group of processes")
def test_ctrl_c_in_a_terminal_leaves_whole_rows(tmp_path):
    path = tmp_path / "sweep.csv"
    command = [sys.executable, "-m", "attention_lab.teaching.sweep", str(path)]
    folder = Path(attention_lab.__file__).parents[1]
    run = subprocess.Popen(command, cwd=folder, start_new_session=True, stderr=subprocess.PIPE, text=True)
    try:
        limit = time.monotonic() + 60
        while not (path.exists() and len(path.read_text().splitlines()) > 2) and time.monotonic() < limit:
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGINT)
        said = run.communicate(timeout=30)[1]
    finally:
        run.kill()
    rows = read_sweep(path)
    # The terminal interrupts joblib's processes too, which may have words of their own before and after ours.
    assert f"Interrupted with {len(rows)} of 81 cells. The same command goes on.\n" in said
    assert run.returncode == 1
    assert rows[0] == run_cell(*module._key(rows[0]))


# ---- damage ---------------------------------------------------------------------------------------------------------

DAMAGED = {
    "cut off within a number": "8,32,0.0,0,0.5,1.25,376\n"[:-1],
    "cut off between two": "8,32,0.0,0\n",
    "no number": "8,32,0.0,0,0.5,lots,37658\n",
    "one too many": "8,32,0.0,0,0.5,1.25,37658,1\n",
    "empty": "\n",
    "zeros": "\0" * 20,
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("after", ["", ROW.replace("32", "64")])
def test_a_damaged_line_is_named_and_computed_again(here, tmp_path, capsys, line, after):
    path = tmp_path / "sweep.csv"
    text = HEADING + ROW + line + after
    path.write_text(text)
    with pytest.raises(ValueError, match="sweep.csv, line 3 is damaged: python -m attention_lab.teaching.sweep"):
        read_sweep(path)
    assert path.read_text() == text
    rows = sweep(path, [(4, 32, 0.0, 0), (8, 32, 0.0, 0)])
    assert "line 3 is damaged and is computed again" in capsys.readouterr().err
    assert here[0] == (8, 32, 0.0, 0)
    assert rows == read_sweep(path)
    assert made_up(8, 32, 0.0, 0) in rows


def test_a_file_that_is_no_sweep_is_refused_and_kept(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n")
    for call in (sweep, read_sweep):
        with pytest.raises(ValueError, match="notes.txt must begin with the line heads,.*it is no sweep"):
            call(path)
    assert path.read_text() == "my notes\n"


def test_nothing_else_is_left_in_the_folder(here, tmp_path):
    sweep(tmp_path / "sweep.csv", CELLS[:3])
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.csv"]


# ---- reading --------------------------------------------------------------------------------------------------------


def test_the_grid_is_mean_and_spread_over_the_seeds():
    rows = [made_up(*cell) for cell in CELLS[::-1]]
    mean, spread = grid(rows, 0.1)
    np.testing.assert_allclose(mean, np.broadcast_to(np.array(HEAD_SIZES) / 1000 + 0.1, (3, 3)))
    np.testing.assert_allclose(spread, np.full((3, 3), 0.2))
    mean, spread = grid(rows, 0, column="loss")
    np.testing.assert_array_equal(mean, np.broadcast_to(np.array(HEADS, float)[:, None], (3, 3)))
    assert not spread.any()


def test_a_missing_cell_is_named():
    rows = [made_up(*cell) for cell in CELLS if cell != (8, 64, 0.3, 2)]
    with pytest.raises(ValueError, match="1 of 27 cells are missing, the first is heads 8, head_size 64, dropout 0.3"):
        grid(rows, 0.3)
    with pytest.raises(ValueError, match="27 of 27 cells are missing"):
        grid(rows, 0.2)


# ---- the command ----------------------------------------------------------------------------------------------------


def test_a_complete_file_is_left_as_it_is(tmp_path, capsys):
    path = tmp_path / "sweep.csv"
    path.write_bytes(SWEEP.read_bytes())
    main([str(path)])
    assert path.read_bytes() == SWEEP.read_bytes()
    assert "81 cells in" in capsys.readouterr().out


def test_fresh_begins_anew(here, tmp_path):
    path = tmp_path / "sweep.csv"
    path.write_bytes(SWEEP.read_bytes())
    main([str(path), "--fresh"])
    assert len(here) == 81
    assert read_sweep(path) == sorted((made_up(*cell) for cell in CELLS), key=module._key)


@pytest.mark.parametrize("name", ["joblib", "tqdm"])
def test_a_missing_package_is_named_with_the_command(monkeypatch, tmp_path, name):
    monkeypatch.setitem(sys.modules, name, None)
    path = tmp_path / "sweep.csv"
    with pytest.raises(ImportError, match=f'the sweep needs {name}.*python -m pip install "joblib>=1.4" tqdm'):
        sweep(path)
    with pytest.raises(SystemExit, match=f"the sweep needs {name}"):
        main([str(path)])
    assert not path.exists()


def test_reading_and_one_cell_need_no_extra():
    without = "import sys; sys.modules.update(joblib=None, tqdm=None)"
    use = "from attention_lab.teaching.sweep import *; read_sweep(); run_cell(1, 2, 0.0, 0)"
    subprocess.run([sys.executable, "-c", f"{without}; {use}"], check=True, cwd=SWEEP.parents[2])
