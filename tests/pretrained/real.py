"""The weights of the real models, for tests that are left out where they are absent: `pytest -rs` says so in a line."""

import pytest

from attention_lab.pretrained import WeightsMissing
from attention_lab.pretrained.files import find


def skip_without(source):
    """At the top of a file of tests: leave the file out if the model's file is not on this machine."""
    try:
        find(source)
    except WeightsMissing as error:
        pytest.skip(str(error).partition(", then")[0], allow_module_level=True)
