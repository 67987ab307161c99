"""Can this kernel run the lessons, and can the page beside it show their sliders? Each fault comes with its mend."""

import os
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PYTHON = "3.11"
# What a kernel needs, with pyproject.toml's lower bounds (a test compares them).
PACKAGES = {"numpy": "2.0", "matplotlib": "3.9", "seaborn": "0.13.2", "ipywidgets": "8.1"}
READY = "Ready: this kernel can run every lesson."
# Where JupyterLab looks for the part of ipywidgets that draws the sliders, below its own environment or the user's.
EXTENSION = Path("labextensions", "@jupyter-widgets", "jupyterlab-manager", "package.json")
LAUNCHERS = re.compile(r"python[\d.]*(\.exe)?|jupyter.*")
IN_A_CELL = "run  %pip install {}  in a cell, then restart the kernel"


def check_environment():
    """Print whether this kernel can run the lessons, and where it cannot, what to type.

    Where all is well it prints one line, the same on every machine. Otherwise it prints one line a thing:
    what is right, and for what is not, the command that mends it.

    Examples
    --------
    >>> check_environment()
    Ready: this kernel can run every lesson.
    """
    packages = [package(name, floor) for name, floor in PACKAGES.items()]
    findings = [python(), *packages, sliders(server_environment())]
    if any(mark == "mend" for mark, _ in findings):
        print("\n".join(f"{mark:<6}{text}" for mark, text in findings))
    else:
        print("\n".join([READY, *(f"{mark:<6}{text}" for mark, text in findings if mark == "note")]))


def python():
    """Whether this Python is new enough, as each finding a mark ("ok", "mend" or "note") and a sentence."""
    have = ".".join(map(str, sys.version_info[:3]))
    if _numbers(have) >= _numbers(PYTHON):
        return "ok", f"Python {have}"
    return "mend", (
        f"Python {have} is older than {PYTHON}: install a newer one, then run  make clean lab PYTHON=/path/to/python  "
        "in the project's folder"
    )


def package(name, bounds, mend=IN_A_CELL):
    """Whether a package is installed, as `bounds` ("2.0" or "8.0,<11") allow; `mend` says how one is installed."""
    command = mend.format(f'"{name}>={bounds}"')
    (floor, _, below), have = bounds.partition(",<"), installed(name)
    if have is None:
        return "mend", f"{name} is missing: {command}"
    if _numbers(have) < _numbers(floor):
        return "mend", f"{name} {have} is older than {floor}: {command}"
    if below and _numbers(have) >= _numbers(below):
        return "mend", f"{name} {have} is too new, it must be below {below}: {command}"
    return "ok", f"{name} {have}"


def sliders(server, mend="run  %pip install {}  in a cell, then start JupyterLab again"):
    """Whether the JupyterLab that serves this kernel can draw ipywidgets: it may live in another environment."""
    here = Path(sys.prefix).resolve()
    if server is None and installed("jupyterlab") is None:
        return "note", (
            "the program that shows this page cannot be seen from here. If sliders appear as plain text, run  "
            "python -m pip install jupyterlab_widgets  in the environment of JupyterLab, then start it again"
        )
    server = server or here
    if any(os.path.exists(folder / EXTENSION) for folder in _extension_folders(server)):  # False where it may not look
        return "ok", "sliders"
    if server == here:
        return "mend", f"sliders: {mend.format('jupyterlab_widgets')}"
    python = server / ("python.exe" if os.name == "nt" else "bin/python3")
    return "mend", (
        f"sliders: JupyterLab runs in another environment, {server}, which cannot draw them. In a terminal run  "
        f'"{python}" -m pip install jupyterlab_widgets  then start JupyterLab again'
    )


def _extension_folders(server):
    """Where a JupyterLab of that environment looks for extensions."""
    listed = [*filter(None, os.environ.get("JUPYTER_PATH", "").split(os.pathsep))]
    try:
        from jupyter_core.paths import SYSTEM_JUPYTER_PATH, jupyter_data_dir

        listed += [jupyter_data_dir(), *SYSTEM_JUPYTER_PATH]
    except ImportError:  # a kernel that Jupyter did not start
        pass
    return [server / "share" / "jupyter", *map(Path, listed)]


def server_environment():
    """The environment of the Jupyter that started this kernel, or None where it cannot be told (VS Code, Colab)."""
    try:
        command = [Path(part) for part in _parent_command()[:2]]
    except Exception:  # not there, not allowed, or psutil is missing: each means that it cannot be told
        return None
    for path in command:
        if path.is_absolute() and path.parent.name in ("bin", "Scripts") and LAUNCHERS.fullmatch(path.name):
            return path.parent.parent.resolve()
    return None


def _parent_command():
    import psutil  # comes with ipykernel

    return psutil.Process().parent().cmdline()


def installed(name):
    """The version of a package, or None where it is missing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _numbers(text):
    """``(3, 11, 2)`` of "3.11.2rc1", enough to compare with a lower bound; nothing where it cannot be read."""
    found = re.match(r"v?(\d+(\.\d+)*)", text)
    return tuple(int(number) for number in found[1].split(".")) if found else ()
