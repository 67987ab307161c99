"""From key press to changed picture, in a real browser: our demos beside `interact` with `seaborn.heatmap`.

``make bench-sliders``, or ``python -m tests.benchmarks.sliders [--json FILE] [--presses 30]``. The rows take turns, so
that what else the machine does falls on all of them. "changed" is the page's tree, "painted" the next frame with its
images decoded. Compare rows of one run, not of different runs.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))  # also when it is run as a script

from attention_lab import explore_attention, heatmap, softmax
from attention_lab.teaching import live_heatmap
from attention_lab.teaching.view import View
from tests.browser.demo import Demo
from tests.browser.lab import Lab, Notebook, launch, poll, serve, write_notebook

OURS = {"4 heads of 16 × 16": {"heads": 4, "length": 16}, "1 head of 64 × 64": {"heads": 1, "length": 64}}
THEIRS = "interact + sns.heatmap, 4 heads of 16 × 16"
INTERACT = """
import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from ipywidgets import FloatLogSlider, IntSlider, interact
from attention_lab import softmax

@interact(length=IntSlider(16, 1, 64), temperature=FloatLogSlider(1, min=-1, max=1, step=0.05))
def show(length, temperature):
    q, k = np.random.default_rng(0).normal(size=(2, 4, length, 16))
    weights = softmax(q @ k.swapaxes(-1, -2) / (4 * temperature))
    figure, axes = plt.subplots(1, 4, figsize=(16, 4))
    for ax, head in zip(axes, weights):
        sns.heatmap(head, vmin=0, vmax=1, ax=ax)
    plt.show()
"""
WATCH = """(root, selector) => {
    const look = () => { const found = root.querySelector(selector); return found && (found.src || found.innerHTML); };
    const before = look(), times = window.sliderTimes = {};
    addEventListener('keydown', () => { times.key = performance.now(); }, { capture: true, once: true });
    const observer = new MutationObserver(async () => {
        const now = look();
        if (!times.key || !now || now === before) return;
        observer.disconnect();
        times.changed = performance.now();
        await Promise.all([...root.querySelectorAll('img')].map(image => image.decode().catch(() => {})));
        requestAnimationFrame(() => requestAnimationFrame(() => { times.painted = performance.now(); }));
    });
    observer.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ['src'] });
}"""
ROUNDS, WARM_UPS = 3, 3


class Row:
    """One picture and one of its sliders, with the times of its key presses."""

    def __init__(self, name, root, slider, selector):
        self.name, self.root, self.selector, self.times = name, root, selector, []
        self.handle = next(handle for label, handle in Demo(root).sliders().items() if label.startswith(slider))

    def press(self, count):
        """Press keys, five steps to the left, then five to the right. The first few only warm up."""
        self.handle.scroll_into_view_if_needed()
        for i in range(-WARM_UPS, count):
            key = "ArrowLeft" if (i + WARM_UPS) % 10 < 5 else "ArrowRight"
            self.root.evaluate(WATCH, self.selector)
            self.handle.press(key)
            page = self.root.page
            times = poll(
                lambda page=page: page.evaluate("() => sliderTimes.painted && sliderTimes"),
                30,
                f"{self.name}: no change",
            )
            if i >= 0:
                self.times.append((times["changed"] - times["key"], times["painted"] - times["key"]))

    def summary(self):
        changed, painted = np.percentile(self.times, [50, 95], axis=0).T.round().tolist()
        names = "changed_p50", "changed_p95", "painted_p50", "painted_p95"
        return {"row": self.name, "presses": len(self.times)} | dict(zip(names, [*changed, *painted], strict=True))


def measure(presses):
    """The times of each row in the browser."""
    show = "('length', 'temperature')"
    cells = [f"explore_attention(show={show}, **{start})" for start in OURS.values()]
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        root.mkdir()
        write_notebook(root / "sliders.ipynb", "from attention_lab import explore_attention", *cells, INTERACT)
        with serve(root, Path(scratch)) as address, launch() as browser:
            notebook = Notebook(Lab(browser, address), "sliders.ipynb")
            notebook.run_all()
            rows = list(_rows(notebook.page))
            for _ in range(ROUNDS):
                for row in rows:
                    row.press(presses // ROUNDS)
            notebook.close()
    return [row.summary() for row in rows]


def _rows(page):
    ours, theirs = page.locator(".al-explorer"), page.locator(".widget-interact")
    for slider, what in (("temperature", "values change"), ("length", "length changes")):
        for i, name in enumerate(OURS):
            yield Row(f"{name}, {what}", ours.nth(i), slider, ".al")
        yield Row(f"{THEIRS}, {what}", theirs, slider, "img")


def kernel():
    """What the kernel does for one render of ours, and how much it sends."""
    found = {}
    for name, start in OURS.items():
        demo = explore_attention(**start)
        seconds = [_seconds(lambda demo=demo, t=t: demo.set(temperature=t)) for t in np.linspace(0.5, 2, 40)]
        milliseconds = np.percentile(seconds, [50, 95]) * 1000
        found[name] = {
            "kernel_p50": round(milliseconds[0], 1),
            "kernel_p95": round(milliseconds[1], 1),
            "bytes": len(demo.picture.encode()),
        }
    return found


def large():
    """Seconds for 256 × 256 weights, which show no numbers: as a live picture and as a figure."""
    weights = softmax(np.random.default_rng(0).normal(size=(256, 256)))
    live = _seconds(lambda: live_heatmap.draw(View(weights)))
    figure = _seconds(lambda: heatmap(weights)._repr_mimebundle_())
    return {"live": round(live, 3), "figure": round(figure, 3)}


def _seconds(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the numbers to this file as well")
    parser.add_argument("--presses", type=int, default=30, help="key presses a row (30)")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    report = {"load_before": round(load, 2), "kernel": kernel(), "large": large(), "rows": measure(options.presses)}
    rows = report["rows"]
    slowest = {"values": rows[2]["changed_p50"], "length": rows[5]["changed_p50"]}
    print(f"{'ms, p50 / p95':62} {'changed':>13} {'painted':>13}  quicker than interact")
    for i, row in enumerate(rows):
        row["ratio"] = round(slowest["values" if i < 3 else "length"] / row["changed_p50"], 1)
        pairs = [f"{row[f'{what}_p50']:.0f} / {row[f'{what}_p95']:.0f}" for what in ("changed", "painted")]
        print(f"{row['row']:62} {pairs[0]:>13} {pairs[1]:>13}  {row['ratio']:.1f} ×")
    for name, item in report["kernel"].items():
        print(f"{name}: kernel {item['kernel_p50']} / {item['kernel_p95']} ms, {item['bytes']:,} bytes a picture")
    print(f"256 × 256: {report['large']['live']} s live, {report['large']['figure']} s as a figure")
    print(f"load before: {load:.1f} on {os.cpu_count()} cores")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
