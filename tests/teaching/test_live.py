"""The widget for what changes: it moves for a reader with a kernel, and its stored form never does."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import attention_lab as lab
from attention_lab.teaching import live
from attention_lab.teaching.live import Live, show_training


@pytest.fixture
def shown(monkeypatch):
    """What was displayed."""
    widgets = []
    monkeypatch.setattr(live, "display", widgets.append)
    return widgets


@pytest.fixture
def notebook(monkeypatch):
    """As in a Jupyter kernel."""
    monkeypatch.setattr("attention_lab.runs.progress.in_notebook", lambda: True)


def train(steps=30, **options):
    model = lab.Linear(1, 1, rng=np.random.default_rng(0))
    x = np.ones((2, 1))
    return lab.fit(model, lambda model, x: (model(x) ** 2).mean(), [(x,)], steps=steps, **options)


def points(html):
    return [tuple(map(float, pair.split(","))) for pair in re.search('points="([^"]*)"', html)[1].split()]


def test_the_static_form_is_fixed_and_escaped():
    box = Live("a < b")
    before = box._repr_mimebundle_()
    box.put("<b>new</b>")
    after = box._repr_mimebundle_()
    assert before["text/plain"] == after["text/plain"] == "a < b"
    assert before["text/html"] == after["text/html"] == "<p><small>a &lt; b</small></p>"
    assert box.body.value == "<b>new</b>"


def test_a_notebook_shows_one_bar_that_ends_as_one_line(shown, notebook, capsys):
    history = train()
    (box,) = shown
    assert box.body.value == (
        f'<p class="al-live-end" role="status">30 steps: loss {history.loss[0]:.3g} -&gt; {history.loss[-1]:.3g}</p>'
    )
    assert box.static()["text/plain"] == "Training: 30 steps. Run this cell to watch the loss."
    assert capsys.readouterr() == ("", "")


def test_it_is_shown_before_the_first_step(shown, notebook):
    def batch(step):
        assert len(shown) == 1 and 'value="0"' in shown[0].body.value
        raise KeyboardInterrupt

    model = lab.Linear(1, 1)
    assert lab.fit(model, lambda model, x: model(x).sum(), batch, steps=3).stopped == "interrupted"
    assert "0 of 3 steps, interrupted" in shown[0].body.value


@pytest.mark.parametrize("steps", [0, 1])
def test_short_runs_end_too(shown, notebook, steps):
    train(steps)
    assert f">{steps} step" in shown[0].body.value


def test_a_report_moves_bar_curve_and_words(shown):
    report = show_training(10)
    for step, loss in ((1, 4.0), (2, 1.0), (3, 2.0)):
        report(step, 10, {"loss": loss})
    html = report.live.body.value
    assert '<progress max="10" value="3"' in html
    assert "3 of 10 steps: loss 4 -&gt; 2" in html
    assert points(html) == [(0, 0), (60, 24), (120, 16)]


@pytest.mark.parametrize("losses", [[2.0], [2.0, 2.0], list(range(1000, 0, -1))])
def test_every_curve_stays_in_its_box(shown, losses):
    report = show_training(len(losses))
    for step, loss in enumerate(losses, start=1):
        report(step, len(losses), {"loss": loss})
    drawn = points(report.live.body.value)
    assert 1 <= len(drawn) <= live.POINTS
    assert all(0 <= x <= live.POINTS and 0 <= y <= live.HEIGHT for x, y in drawn)


def test_a_widget_that_cannot_be_made_becomes_one_line(monkeypatch, notebook, capsys):
    def no_comm(*args):
        raise RuntimeError("there is no comm")

    monkeypatch.setattr(live, "display", no_comm)
    train(5)
    assert capsys.readouterr().out.startswith("5 steps: loss ")


def test_outside_a_kernel_no_widget_is_made(shown, monkeypatch):
    shell = SimpleNamespace()  # IPython in a terminal has no kernel
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    train(5)
    assert not shown
