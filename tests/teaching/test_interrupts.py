"""Ctrl+C ends a command, even where what it waits for does not end."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import attention_lab
from attention_lab.teaching.interrupts import ends_in_time

STUCK = """
import multiprocessing, time
from attention_lab.teaching.interrupts import ends_in_time

if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(60,))
    with ends_in_time(lambda: "these are the words", patience=0.3):
        child.start()
        try:
            print(child.pid, flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            time.sleep(60)  # as a library that waits for a process
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signal to one process")
def test_a_process_that_waits_after_an_interrupt_is_ended_with_its_children(tmp_path):
    script = tmp_path / "stuck.py"
    script.write_text(STUCK)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    folder = Path(attention_lab.__file__).parents[1]
    with subprocess.Popen([sys.executable, script], env={**os.environ, "PYTHONPATH": str(folder)}, **pipes) as run:
        try:
            child = int(run.stdout.readline())
            run.send_signal(signal.SIGINT)
            said = run.communicate(timeout=30)[1]
        finally:
            run.kill()
    assert said == "these are the words\n"
    assert run.returncode == 1
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_an_interrupt_that_is_heeded_is_an_ordinary_one(monkeypatch):
    timers = []
    monkeypatch.setattr(
        threading.Timer, "start", lambda timer: timers.append(timer)
    )  # this process goes on living, and must not be ended
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), ends_in_time(str, patience=60):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    assert [timer.interval for timer in timers] == [60] and timers[0].daemon


def test_in_another_thread_nothing_is_changed():
    seen, before = [], signal.getsignal(signal.SIGINT)

    def inside():
        with ends_in_time(str):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert seen == [before]
