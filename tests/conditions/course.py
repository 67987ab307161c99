"""Run the whole course under other conditions: ``make test-conditions``, or ``python -m tests.conditions.course``.

Every lesson runs from a copy of the project that cannot be written to, in a folder whose name has spaces and letters
beyond ASCII, with no network. The runs differ in the threads of BLAS and in the seeds. A lesson's claims are cells that
raise, so a lesson that runs through keeps them; its digits are not compared.
"""

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.lessons.execute import LessonError, find_notebooks
from tests.models import left_out

ROOT = Path(__file__).parents[2]
FOLDER = Path("Jürgen Müller", "Ein Kurs für alle, 注意")  # below a home of that name
RUNS = (
    {"threads": 1, "shift": 0},
    {"threads": 2, "shift": 0},
    {"threads": 1, "shift": 1000},
    {"threads": 1, "shift": 2000},
    {"threads": 1, "shift": 3000},
)
# Namespaces of its own: a network that is only loopback, and a view of the files in which the folder is read-only.
WALLS = 'ip link set lo up && mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'
SPACES = (["unshare", "--net", "--mount"], ["unshare", "--map-root-user", "--net", "--mount"])
HELD = "no network, a read-only copy"
NOT_HELD = "network and folder as they are (unshare is missing or not permitted)"


def walls(folder):
    """What a command line begins with, so that it runs without network and cannot write to the folder; else nothing."""
    for spaces in SPACES if shutil.which("unshare") else ():
        command = [*spaces, "sh", "-c", WALLS, str(folder)]
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    return []


def copy_project(folder):
    """A copy of what a lesson needs. The package is compiled, since nothing can be stored there later."""
    for name in ("attention_lab", "notebooks", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    compileall.compile_dir(folder / "attention_lab", quiet=2)


def run_lesson(name, run, folder, inside):
    """What failed in one lesson, in a line; nothing where all is well."""
    environment = {
        "HF_HOME": str(Path.home() / ".cache" / "huggingface"),
        **{key: kept for key, kept in os.environ.items() if key != "ATTENTION_LAB_HOME"},  # a record is kept, at home
        "HOME": str(folder.parent),
        "PYTHONPATH": str(folder),
        **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(run["threads"])),
    }
    conditions = json.dumps({**run, "walls": bool(inside)})
    command = [*inside, sys.executable, "-m", "tests.conditions.lesson", name, conditions]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines() or [f"{name}: the process ended with status {done.returncode}"]
    return "\n".join(line for line in lines if line.startswith(name)) or f"{name}: {lines[-1]}"


def run_course(names, run, folder, inside):
    """The failures of a run; a line is printed for each lesson that ends."""
    pool = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // run["threads"]))
    try:
        jobs = {pool.submit(timed, run_lesson, name, run, folder, inside): name for name in names}
        failures = []
        for job in as_completed(jobs):
            failed, seconds = job.result()
            print(f"  FAILED  {failed}" if failed else f"  ok      {jobs[job]} ({seconds:.0f} s)", flush=True)
            failures += [failed] if failed else []
        return failures
    finally:
        pool.shutdown(cancel_futures=True)


def timed(function, *arguments):
    start = time.perf_counter()
    return function(*arguments), time.perf_counter() - start


def title(run):
    seeds = f"seeds + {run['shift']}" if run["shift"] else "the lessons' seeds"
    return f"{seeds}, BLAS threads: {run['threads']}"


def table(rows, inside):
    """One row a run, and above them what they share."""
    lines = [f"Each run: {HELD if inside else NOT_HELD}, in '{FOLDER}'", f"{'run':<42}lessons  failed  seconds"]
    for run, total, failed, seconds in rows:
        lines.append(f"{title(run):<42}{total:>7}  {failed:>6}  {seconds:>7.0f}")
    return "\n".join(lines)


def run_all(names, runs):
    """Print what happens and a table; return how many lessons failed."""
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, FOLDER)
        copy_project(folder)
        inside = walls(folder)
        for run in runs:
            print(f"\n{title(run)}", flush=True)
            failures, seconds = timed(run_course, names, run, folder, inside)
            rows.append((run, len(names), len(failures), seconds))
    print(f"\n{table(rows, inside)}")
    return sum(failed for _, _, failed, _ in rows)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m tests.conditions.course", description=__doc__.partition("\n")[0])
    parser.add_argument("lesson", nargs="?", default="", help="the beginning of a file name, such as 05")
    parser.add_argument("--run", type=int, choices=range(1, len(RUNS) + 1), help="one of the runs only")
    options = parser.parse_args(arguments)
    try:
        paths = find_notebooks(options.lesson)
    except LessonError as error:
        parser.error(str(error))
    absent = [] if options.lesson else left_out()
    if absent:
        print(f"left out: {', '.join(path.name for path in absent)} (make models)")
    names = [path.name for path in paths if path not in absent]
    return int(run_all(names, RUNS[options.run - 1 : options.run] if options.run else RUNS) > 0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted")
