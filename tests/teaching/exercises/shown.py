"""What every fault that a gallery prints must be."""

import sys

import numpy as np

from attention_lab.teaching.exercises.display import source_of


def assert_stands_alone(fault, width=105, **given):
    """It is short, and reads nothing of its module but NumPy and what is `given`."""
    source = source_of(fault)
    assert len(source.splitlines()) <= 12
    assert max(map(len, source.splitlines())) <= width
    namespace = {"np": np, **given}
    exec(source, namespace)
    read = set(namespace[fault.__name__].__code__.co_names)
    assert read.isdisjoint(vars(sys.modules[fault.__module__]).keys() - {"np", *given})
