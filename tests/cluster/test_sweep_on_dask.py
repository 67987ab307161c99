"""The line that hands the sweep to Dask, on a cluster of two local processes: the optional job `make test-dask`."""

import joblib
import pytest
from distributed import Client, LocalCluster

from attention_lab.teaching.sweep import run_cell, sweep

CELLS = [(4, 32, 0.1, 0), (8, 32, 0.0, 1)]


@pytest.fixture(scope="module")
def address():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def test_dask_gives_the_rows_of_this_process(address, tmp_path):
    with Client(address) as client, joblib.parallel_config(backend="dask"):
        rows = sweep(tmp_path / "sweep.csv", CELLS)
        log = client.run_on_scheduler(lambda dask_scheduler: [str(key) for key, *_ in dask_scheduler.transition_log])
    assert rows == [run_cell(*cell) for cell in CELLS]
    assert any("run_cell" in key for key in log), log
