"""The load test without a hub: what becomes of failures, what the table says, which lessons are dealt."""

import json
import os
import socket
import subprocess
import sys
import threading
from argparse import ArgumentTypeError
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from attention_lab.classroom import hub, load
from attention_lab.classroom.hub import HubError, read_learners
from attention_lab.classroom.hub_client import Stopped
from attention_lab.classroom.hub_config import HERE
from attention_lab.classroom.learner import Learner


def class_of(*names):
    return [Learner(name, "02_masks.ipynb") for name in names]


@pytest.mark.parametrize("given", ["0", "10000000000", "", "../x", "a/b", "teacher", "ok -x", "a" * 60])
def test_learners_are_a_number_or_names_of_folders(given):
    with pytest.raises(ArgumentTypeError, match="learners must be"):
        read_learners(given)


def test_learners_are_numbered_so_that_they_sort():
    assert read_learners("12")[::11] == ["learner-01", "learner-12"]
    assert read_learners("zoë zoë bob") == ["zoë", "bob"]


def test_lessons_are_named_by_number_and_without_names_all_that_need_no_weights():
    assert load.choose("05 02") == ["05_positions.ipynb", "02_masks.ipynb"]
    everything = load.choose("")
    assert "00_start_here.ipynb" in everything
    assert not any(name[:2] in ("19", "20") for name in everything)
    with pytest.raises(ArgumentTypeError, match="no lesson 99, x: there are 00, 01"):
        load.choose("99 02 x")


def test_whoever_failed_does_not_go_on_and_the_others_do():
    ada, bob = class_of("ada", "bob")
    did, lines = [], []

    def act(learner):
        did.append(learner.name)
        if learner is ada:
            raise HubError("cell 3: ValueError: no")

    with ThreadPoolExecutor(2) as pool:
        for _ in range(2):
            load._together(pool, "lessons run", [ada, bob], act, lambda text, is_last: lines.append((text, is_last)))
    assert sorted(did) == ["ada", "bob", "bob"]
    assert ada.failures == ["HubError: cell 3: ValueError: no"]
    assert bob.failures == []
    assert [is_last for _, is_last in lines] == [False, True, True]
    assert "2 of 2" in lines[1][0]
    assert "1 of 1" in lines[2][0]


def test_whoever_was_stopped_says_so():
    def act(learner):
        raise Stopped

    (ada,) = class_of("ada")
    load._guarded(ada, act)
    assert ada.failures == ["stopped"]


def test_the_report_counts_and_names_failures_and_its_file_is_json(capsys, tmp_path):
    ada, bob = class_of("ada", "bob")
    ada.ready, ada.ran, ada.cells, ada.updates = 3.0, 20.0, 31, [0.1, 0.2, 0.3]
    bob.failures.append("HubError: cell 3: ValueError: no")
    sizes = {"ada": {"server": 100 * load.MIB, "kernel": 200 * load.MIB}}
    load.report([ada, bob], sizes, tmp_path / "load.json")
    said = capsys.readouterr().out
    assert "FAILED bob, 02_masks.ipynb: HubError: cell 3: ValueError: no\n" in said
    assert "2 learners" in said
    assert "1 failures, 31 cells run" in said
    assert "0.20 s (half of 3 moves)" in said
    assert "server 100 MiB" not in said
    assert "100 MiB for the server and 200 MiB for a kernel" in said
    row = next(line for line in said.splitlines() if line.startswith("ada"))
    assert row.split() == ["ada", "02_masks", "3", "31", "20", "3", "0.20", "0.29", "300"]
    kept = json.loads((tmp_path / "load.json").read_text(), parse_constant=pytest.fail)
    assert kept["summary"]["failures"] == 1
    assert kept["learners"][0]["updates"] == ada.updates


def test_a_report_of_nothing_but_failures_can_be_read(capsys, tmp_path):
    (ada,) = class_of("ada")
    ada.failures.append("HubError: no")
    load.report([ada], {}, tmp_path / "load.json")
    assert "1 learners" in capsys.readouterr().out
    json.loads((tmp_path / "load.json").read_text(), parse_constant=pytest.fail)


def test_what_is_missing_is_named_with_its_command(monkeypatch, tmp_path):
    monkeypatch.setattr(hub, "find_spec", lambda name: None)
    with pytest.raises(HubError, match="attention-lab\\[hub\\]"), hub.serve(tmp_path):
        pass
    monkeypatch.setattr(hub, "find_spec", lambda name: name)
    monkeypatch.setattr(hub.shutil, "which", lambda name, path: None)
    with pytest.raises(HubError, match="npm install .* configurable-http-proxy"), hub.serve(tmp_path):
        pass
    monkeypatch.setattr(hub.shutil, "which", lambda name, path=None: path and name)
    with pytest.raises(HubError, match="Node.js"), hub.serve(tmp_path):
        pass


def test_a_port_that_is_taken_is_said_before_anything_starts(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(hub, "_find_what_it_needs", lambda: "proxy")
    monkeypatch.setattr(hub, "end_in_order", lambda: None)
    with socket.socket() as taken:
        taken.bind((HERE, 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert hub.main([f"--port={port}", f"--folder={tmp_path / 'class'}"]) == 1
    assert f"port {port} cannot be used" in capsys.readouterr().err
    assert hub.main(["--port=99999", f"--folder={tmp_path / 'class'}"]) == 1
    assert not (tmp_path / "class").exists()


def test_memory_is_counted_by_the_home_of_each_learner(tmp_path):
    home = tmp_path / "learners" / "zoë"
    home.mkdir(parents=True)
    wait = "import sys; print(1, flush=True); sys.stdin.read()"
    environ = {**os.environ, "HOME": str(home)}
    kinds = {"server": [sys.executable, "-c", wait], "kernel": [sys.executable, "-c", wait, "ipykernel_launcher"]}
    started = [
        subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for command in kinds.values()
    ]
    try:
        for process in started:
            process.stdout.readline()
        (name, sizes), *others = load.memory(tmp_path).items()
    finally:
        for process in started:
            process.communicate()
    assert name == home.name
    assert not others
    assert all(sizes[kind] > 2**20 for kind in kinds)
    assert load.memory(tmp_path) == {}


def test_ctrl_c_lets_nobody_wait_on(monkeypatch, tmp_path):
    """The learners' waits end with `Stopped` once the class is over, so that the program can end."""
    (ada,) = class_of("ada")
    waits = threading.Event()

    @contextmanager
    def serve(folder):
        yield "hub"

    def start(self, hub, is_over):
        waits.set()
        while not is_over():
            pass
        raise Stopped

    def interrupt(*words, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(load, "serve", serve)
    monkeypatch.setattr(load, "as_completed", lambda waiting: waits.wait(10) and interrupt())
    monkeypatch.setattr(Learner, "start", start)
    with pytest.raises(KeyboardInterrupt):
        load.load(Path(tmp_path), [ada], 1)
    assert ada.failures == ["stopped"]


def test_a_quantile_is_exact_and_nothing_where_nothing_was_measured():
    assert load._quantile(list(range(101)), 95) == pytest.approx(95)
    assert load._quantile([0.2], 95) == 0.2
    assert load._quantile([], 50) is None
