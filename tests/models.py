"""The weights of the real models: what needs them is left out where they are absent.

``python -m tests.models`` tells pytest which lessons to ignore, and the reader in one line why.
"""

import os
import sys

import pytest

from attention_lab.pretrained import WeightsMissing
from attention_lab.pretrained.chat import SMOLLM2
from attention_lab.pretrained.files import find
from attention_lab.pretrained.sentences import MINILM
from tests.lessons.lesson import NOTEBOOKS, lesson_paths

NEEDS = {"19": MINILM, "20": SMOLLM2}


def why_not(source):
    """Why a model cannot be read, in one sentence; nothing where it is here."""
    try:
        find(source)
    except WeightsMissing as error:
        return str(error).partition(", or ")[0]
    return ""


def skip_without(source):
    """At the top of a file of tests: leave the file out if the model's file is not on this machine."""
    if reason := why_not(source):
        pytest.skip(reason, allow_module_level=True)


def left_out():
    """The lessons that cannot run here; none where ATTENTION_LAB_REQUIRE asks for models, so that they fail."""
    if "models" in os.environ.get("ATTENTION_LAB_REQUIRE", "").split(","):
        return []
    absent = {number for number, source in NEEDS.items() if why_not(source)}
    return [path for path in lesson_paths() if path.name[:2] in absent]


def lessons_that_run():
    """Every committed lesson but those."""
    absent = left_out()
    return [path for path in lesson_paths() if path not in absent]


def main():
    if paths := left_out():
        print(*(f"--ignore={path.relative_to(NOTEBOOKS.parent)}" for path in paths))
        names = " and ".join(path.name[:2] for path in paths)
        print(f"The weights of lessons {names} are not here, so these are left out: make models", file=sys.stderr)


if __name__ == "__main__":
    main()
