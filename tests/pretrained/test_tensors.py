"""Arrays in a safetensors file: those of the library are read, ours are read by the library, and nothing half is."""

import hashlib
import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import load_file, save_file

from attention_lab import Linear, parameters
from attention_lab.functional import UNDRAWN
from attention_lab.pretrained.tensors import fill, read_tensors, write_tensors
from tests.pretrained.tiny import numbers

ARRAYS = {"a": numbers(3, 5), "b": numbers(7, seed=1), "c": numbers(2, 3, 5, seed=2)}
SHAPES = {name: array.shape for name, array in ARRAYS.items()}


@pytest.fixture
def path(tmp_path):
    """The arrays, written by the library."""
    path = tmp_path / "arrays.safetensors"
    save_file(ARRAYS | {"whole": np.arange(3)}, path, {"made": "by hand"})
    return path


def assert_same(got, expected=ARRAYS):
    assert got.keys() == expected.keys()
    for name, array in expected.items():
        assert_array_equal(got[name], array, strict=True)


def test_what_the_library_writes_is_read(path):
    tensors, metadata = read_tensors(path)
    assert_same(tensors)  # whole numbers are no weights
    assert metadata == {"made": "by hand"}


def test_what_is_written_the_library_reads(tmp_path):
    path = write_tensors(tmp_path / "new" / "folder", "mine", SHAPES, iter(ARRAYS.values()), {"sizes": "é"})
    assert_same(load_file(path))
    tensors, metadata = read_tensors(path)
    assert_same(tensors)
    assert metadata == {"sizes": "é"}
    assert all(array.ctypes.data % 4 == 0 for array in tensors.values())


def test_a_file_carries_its_own_sum_and_is_the_same_every_time(tmp_path):
    path = write_tensors(tmp_path, "mine", SHAPES, ARRAYS.values(), {})
    stem, digest, _ = path.name.split(".")
    assert (stem, digest) == ("mine", hashlib.sha256(path.read_bytes()).hexdigest()[:32])
    read_tensors(path, digest)
    assert write_tensors(tmp_path, "mine", SHAPES, ARRAYS.values(), {}) == path
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("arrays", [list(ARRAYS.values())[:2], [numbers(5, 3), *list(ARRAYS.values())[1:]]])
def test_a_write_that_fails_leaves_nothing(tmp_path, arrays):
    with pytest.raises(ValueError, match="shorter|a has shape"):
        write_tensors(tmp_path, "mine", SHAPES, arrays, {})
    assert not list(tmp_path.iterdir())


def test_an_array_in_another_order_is_written_as_it_reads(tmp_path):
    array = np.asfortranarray(ARRAYS["a"])
    assert_same(read_tensors(write_tensors(tmp_path, "mine", {"a": (3, 5)}, [array], {}))[0], {"a": ARRAYS["a"]})


def test_a_change_stays_in_memory(path):
    before = path.read_bytes()
    tensors, _ = read_tensors(path)
    tensors["a"][:] = 7
    assert path.read_bytes() == before
    assert_same(read_tensors(path)[0])


def test_an_altered_file_is_refused(path):
    content = bytearray(path.read_bytes())
    digest = hashlib.sha256(content).hexdigest()
    read_tensors(path, digest)
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="damaged or another file"):
        read_tensors(path, digest)


@pytest.mark.parametrize("kept", [0, 7, 8, 40, -1])
def test_a_truncated_file_is_refused_even_without_its_sum(path, kept):
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ValueError, match="no (whole )?safetensors file"):
        read_tensors(path)


def entry(**changes):
    return {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes}


@pytest.mark.parametrize(
    "header",
    [
        entry(data_offsets=[0, 12]),
        entry(data_offsets=[-8, 0]),
        entry(data_offsets=[8, 16]),
        entry(data_offsets=[0]),
        entry(shape=[-2]),
        entry(shape="2"),
        {"a": {}},
        {"a": 3},
        [1],
        "a",
    ],
    ids=str,
)
def test_a_header_that_lies_is_refused(tmp_path, header):
    text = json.dumps(header).encode()
    path = tmp_path / "lies.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(8))
    with pytest.raises(ValueError, match="no whole safetensors file"):
        read_tensors(path)


# ---- into a model -----------------------------------------------------------------------------------------------


class Pair:
    def __init__(self):
        self.first, self.rest = Linear(2, 3, rng=UNDRAWN), [Linear(3, 5, bias=False, rng=UNDRAWN)]


GIVEN = {"first.weight": numbers(2, 3), "first.bias": numbers(3), "rest.0.weight": numbers(3, 5)}


def test_a_model_gets_the_arrays_themselves():
    model = Pair()
    fill(model, GIVEN | {"of another kind": numbers(2)}, "here")
    got = parameters(model)
    assert list(got) == list(GIVEN)
    assert all(got[name] is array for name, array in GIVEN.items())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rest.0.weight": numbers(5, 3)}, r"of rest.0.weight it has \(5, 3\), expected \(3, 5\)"),
        ({}, "it has nothing"),
    ],
)
def test_another_architecture_is_refused_before_anything_changes(change, said):
    model = Pair()
    before = dict(parameters(model))
    with pytest.raises(ValueError, match=f"here holds another model: .*{said}"):
        fill(model, {"first.weight": GIVEN["first.weight"], "first.bias": GIVEN["first.bias"]} | change, "here")
    assert all(before[name] is array for name, array in parameters(model).items())
