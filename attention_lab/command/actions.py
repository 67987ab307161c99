"""What the command does: each takes the options and gives an exit status."""

import os
import shlex
import sys

from attention_lab.command.kernel import no_place
from attention_lab.command.lessons import copy_lessons, lessons, renew, title

SAID = {  # of each state of a copy, what one reads beside the number of lessons
    "new": "copied",
    "updated": "brought up to date",
    "same": "as they came",
    "yours": "changed by you and left alone",
    "beside": "changed by you, with a new one beside",
}


def show_list(options):
    for number, path in lessons().items():
        print(f"{number}  {title(path)}")
    return 0


def copy(options):
    """Copy the lessons, and say what became of them."""
    copies = copy_lessons(options.folder)
    states = [copy.state for copy in copies]
    counts = [f"{states.count(state)} {said}" for state, said in SAID.items() if state in states]
    print(f"{options.folder.resolve()}: {len(copies)} lessons, {', '.join(counts)}.")
    _say_what_lies_beside(copies)
    return 0


def open_lessons(options):
    """Copy the lessons, and run JupyterLab until it is stopped."""
    try:
        from jupyterlab.labapp import LabApp
    except ImportError:
        sys.exit(f"JupyterLab is missing: run  {shlex.quote(sys.executable)} -m pip install jupyterlab")
    if fault := no_place():
        sys.exit(fault)
    copy(options)
    print("Opening JupyterLab. Ctrl+C in this terminal stops it.", flush=True)
    first = lessons()["00"].name
    arguments = [f"--ServerApp.root_dir={options.folder.resolve()}", f"--LabApp.default_url=/lab/tree/{first}"]
    if options.no_browser:
        arguments.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container, say: JupyterLab asks root to insist
        arguments.append("--allow-root")
    LabApp.launch_instance([*arguments, *options.jupyter])
    return 0


def reset(options):
    """Put fresh copies beside the reader's."""
    copies = renew(options.lessons, options.folder)
    for copy in copies:
        match copy.state:
            case "new" | "updated":
                print(f"{copy.path}: fresh.")
            case "same":
                print(f"{copy.path}: still as it came.")
    _say_what_lies_beside(copies)
    return 0


def progress(options):
    """Show the reader's record, or forget it."""
    from attention_lab.teaching.record import record

    kept = record()
    if options.clear:
        kept.clear()
    print(kept)
    return 0


def check(options):
    """Say what is in place; 1 where something is to be mended."""
    from attention_lab.command.check import findings

    marks = []
    for mark, text in findings():
        marks.append(mark)
        print(f"{mark:<6}{text}", flush=True)
    faults = marks.count("mend")
    print(f"{faults} to mend." if faults else "Ready: this environment can run the lessons.")
    return 1 if faults else 0


def _say_what_lies_beside(copies):
    for copy in copies:
        if copy.state == "beside":
            print(f"You changed {copy.name}: it stays as it is. The one that comes with the course: {copy.path}")
