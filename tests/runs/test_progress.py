"""Who is told of a run, how often, and in which words."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import attention_lab as lab
from attention_lab.runs import progress

LINE = (np.ones((2, 1)), np.ones((2, 1)))


class Clock:
    """Time that passes only when it is told to."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress.time, "monotonic", clock)
    return clock


class Screen(io.StringIO):
    def __init__(self, terminal=True):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


def run(steps, clock, seconds, **options):
    """A run whose steps take that long."""

    def loss(model, x, y):
        clock.now += seconds
        return ((model(x) - y) ** 2).mean()

    return lab.fit(lab.Linear(1, 1, rng=np.random.default_rng(0)), loss, [LINE], steps=steps, **options)


@pytest.mark.parametrize(("seconds", "most"), [(0.0, 2), (0.01, 12), (0.033, 40), (1.0, 101)])
def test_at_most_ten_reports_a_second(clock, seconds, most):
    calls = []
    run(100, clock, seconds, progress=lambda *args: calls.append((clock.now, *args)))
    assert most * 0.6 <= len(calls) <= most
    assert calls[0][1:3] == (1, 100)
    assert calls[-1][1:3] == (100, 100)
    assert calls[-1][3]["stopped"] == "finished"
    assert all("stopped" not in call[3] for call in calls[:-1])
    gaps = np.diff([call[0] for call in calls[:-1]])
    assert (gaps >= 0.1 - 1e-9).all()


@pytest.mark.parametrize("steps", [0, 1])
def test_a_short_run_reports_its_end_only(clock, steps):
    calls = []
    history = run(steps, clock, 0.0, progress=lambda *args: calls.append(args))
    assert len(calls) == 1
    assert calls[0][:2] == (steps, steps)
    assert calls[0][2]["stopped"] == "finished"
    assert steps == 0 or calls[0][2]["loss"] == history.loss[-1]


def test_metrics_hold_the_validation_once_there_is_one(clock):
    calls = []
    run(4, clock, 1.0, validate=lambda model: 0.5, every=2, progress=lambda *args: calls.append(args[2]))
    assert ["validation" in metrics for metrics in calls] == [False, True, True, True]


def test_a_failed_run_is_reported_as_failed(clock):
    calls = []
    with pytest.raises(ValueError, match="batches is empty"):
        lab.fit(
            lab.Linear(1, 1), lambda model, x: model(x).sum(), [], steps=3, progress=lambda *args: calls.append(args)
        )
    assert calls[-1][2]["stopped"] == "failed"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ((600, 600, {"loss": 0.05, "stopped": "finished"}), "600 steps: loss 1.23 -> 0.05"),
        ((1, 1, {"loss": 0.05, "stopped": "finished"}), "1 step: loss 1.23 -> 0.05"),
        ((0, 0, {"loss": np.nan, "stopped": "finished"}), "0 steps"),
        ((7, 600, {"loss": 0.5}), "7 of 600 steps: loss 1.23 -> 0.5"),
        ((7, 600, {"loss": 0.5, "stopped": "interrupted"}), "7 of 600 steps, interrupted: loss 1.23 -> 0.5"),
        ((7, 9, {"loss": 0.5, "validation": 1 / 3}), "7 of 9 steps: loss 1.23 -> 0.5, validation 0.333"),
    ],
)
def test_words_of_a_report(call, words):
    line = progress.Line()
    line(1, 600, {"loss": 1.2345})
    assert line(*call) == words


def test_a_terminal_gets_one_line_after_two_seconds(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    run(5, clock, 0.9)
    text = screen.getvalue()
    assert text.count("\n") == 1 and text.endswith("\n")
    assert text.startswith("\r3 of 5 steps")
    assert text.rsplit("\r", 1)[1].startswith("5 steps: loss ")
    widths = [len(part.rstrip("\n")) for part in text.split("\r")[1:]]
    assert widths == sorted(widths)  # what stood there is covered


@pytest.mark.parametrize(("seconds", "terminal"), [(0.1, True), (0.9, False)])
def test_a_short_run_and_no_terminal_get_nothing(clock, monkeypatch, capsys, seconds, terminal):
    monkeypatch.setattr(sys, "stderr", screen := Screen(terminal))
    run(5, clock, seconds)
    assert screen.getvalue() == capsys.readouterr().out == ""
    monkeypatch.setattr(sys, "stderr", None)
    run(5, clock, seconds)


def test_a_kernel_without_widgets_prints_one_line(clock, monkeypatch, capsys):
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "attention_lab.teaching.live", None)
    run(5, clock, 0.1)
    out = capsys.readouterr().out
    assert out.startswith("5 steps: loss ") and out.count("\n") == 1
