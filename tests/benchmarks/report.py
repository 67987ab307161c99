"""All benchmarks one after the other: on the screen, and in test-results/benchmarks.json.

``make bench``. The sliders are measured in a browser, in the environment of the tests: give its Python to have them
in the same report, ``python -m tests.benchmarks.report --sliders .venv/bin/python``.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from tests.benchmarks import attention

OUT = Path("test-results/benchmarks.json")


def lines_of(python, name):
    """What one benchmark prints, in a process of its own; an error is part of the report and no reason to stop."""
    print(f"\n== {name}", flush=True)
    run = subprocess.run([python, "-m", f"tests.benchmarks.{name}"], capture_output=True, text=True)
    text = run.stdout if run.returncode == 0 else run.stdout + "failed: " + run.stderr[-2000:]
    print(text, flush=True)
    return text.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short lengths of attention only")
    parser.add_argument("--sliders", metavar="PYTHON", help="an interpreter that has the packages of the tests")
    options = parser.parse_args()
    report = {"machine": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    report["load_before"] = os.getloadavg()[0]
    report["attention"] = attention.main(quick=options.quick)
    if not options.quick:
        for name in ("training", "decoding", "pretrained"):
            report[name] = lines_of(sys.executable, name)
    if options.sliders:
        report["sliders"] = lines_of(options.sliders, "sliders")
    report["load_after"] = os.getloadavg()[0]
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"load {report['load_before']:.1f} before, {report['load_after']:.1f} after; written to {OUT}")


if __name__ == "__main__":
    main()
