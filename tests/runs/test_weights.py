"""Weights in a file: what goes in comes out, and what does not fit changes nothing."""

import os
import pickle
import threading
import zipfile

import numpy as np
import pytest

import attention_lab as lab
from attention_lab.runs import weights


def layer(seed=0, d_in=2, d_out=3, **options):
    return lab.Linear(d_in, d_out, rng=np.random.default_rng(seed), **options)


def snapshot(model):
    return {name: array.copy() for name, array in lab.parameters(model).items()}


def same(model, arrays):
    now = lab.parameters(model)
    return now.keys() == arrays.keys() and all(np.array_equal(now[n], arrays[n]) for n in now)


def refuses(model, path, message, error=ValueError):
    """Nothing has changed when the message comes."""
    before = snapshot(model)
    with pytest.raises(error) as caught:
        lab.load_weights(model, path)
    assert message in str(caught.value)
    assert same(model, before)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_what_was_saved_is_loaded(tmp_path, dtype):
    build = {"num_layers": 2, "d_model": 6, "num_heads": 3, "d_ff": 5, "dtype": dtype}
    first, second = (lab.Encoder(**build, rng=np.random.default_rng(seed)) for seed in (0, 1))
    arrays = lab.parameters(second)
    assert lab.load_weights(second, lab.save_weights(first, tmp_path / "model.npz")) is None
    assert same(second, snapshot(first))
    assert all(array is arrays[name] and array.dtype == dtype for name, array in lab.parameters(second).items())


@pytest.mark.parametrize("given", ["model", "model.npz", "model.v2"])
def test_the_ending_may_be_left_out(tmp_path, given):
    path = lab.save_weights(layer(0), str(tmp_path / given))
    assert path == tmp_path / (given if given.endswith(".npz") else given + ".npz")
    lab.load_weights(other := layer(1), tmp_path / given)
    assert same(other, snapshot(layer(0)))


def test_numpy_reads_the_file_and_writes_one_that_is_read(tmp_path):
    path = lab.save_weights(layer(0), tmp_path / "ours")
    with np.load(path, allow_pickle=False) as file:
        assert sorted(file) == ["bias", "weight"]
        np.savez_compressed(tmp_path / "theirs", **file)
    lab.load_weights(other := layer(1), tmp_path / "theirs")
    assert same(other, snapshot(layer(0)))


def test_equal_weights_give_equal_bytes_at_any_time(tmp_path, monkeypatch):
    now = lab.save_weights(layer(0), tmp_path / "now").read_bytes()
    monkeypatch.setattr(zipfile.time, "localtime", lambda *_: (2001, 2, 3, 4, 5, 6, 5, 34, 0))
    assert lab.save_weights(layer(0), tmp_path / "then").read_bytes() == now


def test_tied_weights_are_stored_once_and_stay_tied(tmp_path):
    def tied(seed):
        first, second = layer(seed), layer(seed + 1)
        second.weight = first.weight
        return [first, second]

    path = lab.save_weights(tied(0), tmp_path / "tied")
    lab.load_weights(model := tied(5), path)
    assert model[0].weight is model[1].weight
    assert same(model, snapshot(tied(0)))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda: layer(1, bias=False), "it has, but the model has not: bias. Build the model as it was saved"),
        (lambda: [layer(1)], "it lacks 0.weight, 0.bias and has, but the model has not: weight, bias"),
        (lambda: lab.Encoder(1, 6, 3, 5), "it lacks blocks.0.attention.W_q, "),
        (lambda: layer(1, d_in=5), "weight has shape (2, 3), but the model has (5, 3)"),
        (
            lambda: layer(1, dtype=np.float16),
            "weight is float32, which float16 cannot hold: build the model",
        ),
    ],
)
def test_a_file_of_another_model_is_refused(tmp_path, model, message):
    refuses(model(), lab.save_weights(layer(0), tmp_path / "file"), message)


def test_a_narrower_dtype_is_widened(tmp_path):
    path = lab.save_weights(layer(0), tmp_path / "file")
    lab.load_weights(wide := layer(1, dtype=np.float64), path)
    assert wide.weight.dtype == np.float64
    assert same(wide, snapshot(layer(0)))


@pytest.mark.parametrize("kind", [int, bool, complex, "S3"])
def test_arrays_that_are_no_weights_are_refused(tmp_path, kind):
    np.savez(tmp_path / "file.npz", weight=np.ones((2, 3), np.float32), bias=np.zeros(3, kind))
    refuses(layer(1), tmp_path / "file", "it holds no weights")


def test_pickled_content_is_refused_and_not_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "sprung"),))

    array = np.array([Trap()], object)
    np.savez(tmp_path / "file.npz", weight=array, bias=array)
    refuses(layer(1), tmp_path / "file", "is no file of weights, or is damaged")
    (tmp_path / "bare.npz").write_bytes(pickle.dumps(Trap()))
    refuses(layer(1), tmp_path / "bare", "is no file of weights, or is damaged")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip at all" * 50, b"\x93NUMPY"])
def test_what_is_no_archive_is_refused(tmp_path, content):
    (tmp_path / "file.npz").write_bytes(content)
    refuses(layer(1), tmp_path / "file", "save it again with save_weights")


def test_every_truncation_is_refused(tmp_path):
    whole = lab.save_weights(layer(0), tmp_path / "whole").read_bytes()
    for length in range(0, len(whole), 7):
        (tmp_path / "file.npz").write_bytes(whole[:length])
        refuses(layer(1), tmp_path / "file", "")


def test_a_changed_byte_is_refused_or_harmless(tmp_path):
    whole, right = lab.save_weights(layer(0), tmp_path / "whole").read_bytes(), snapshot(layer(0))
    for at in range(len(whole)):
        (tmp_path / "file.npz").write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        model, before = layer(1), snapshot(layer(1))
        try:
            lab.load_weights(model, tmp_path / "file")
        except ValueError:
            assert same(model, before)
        else:
            assert same(model, right)  # a byte that says nothing about the arrays


def test_a_header_that_asks_for_too_much_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "file.npz", "w") as archive, archive.open("weight.npy", "w") as entry:
        np.lib.format.write_array_header_1_0(entry, {"descr": "<f4", "fortran_order": False, "shape": (10**7, 10**7)})
    refuses(layer(1), tmp_path / "file", "is damaged")


def test_a_missing_file_and_a_missing_folder_are_named(tmp_path):
    refuses(layer(1), tmp_path / "nowhere", f"there is no file {tmp_path / 'nowhere.npz'}", FileNotFoundError)
    with pytest.raises(FileNotFoundError, match="the folder .*gone does not exist: make it first"):
        lab.save_weights(layer(0), tmp_path / "gone" / "file")
    for path in (None, 3, b"bytes"):
        with pytest.raises(TypeError, match="path must be a string or a path"):
            lab.save_weights(layer(0), path)


def test_a_read_only_array_is_refused_before_anything_changes(tmp_path):
    path = lab.save_weights(layer(0), tmp_path / "file")
    (model := layer(1)).bias.flags.writeable = False
    refuses(model, path, "bias cannot be loaded: the model's array is read-only")


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interrupted_save_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, error):
    path = lab.save_weights(layer(0), tmp_path / "file")
    old = path.read_bytes()

    def interrupted(file, arrays):
        file.write(b"half of it")
        raise error

    monkeypatch.setattr(weights, "_write", interrupted)
    with pytest.raises(error):
        lab.save_weights(layer(1), path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_writers_and_readers_at_once_see_whole_files(tmp_path):
    models, path, wrong = [layer(seed, 40, 40) for seed in range(3)], tmp_path / "file", []
    lab.save_weights(models[0], path)

    def write(model):
        for _ in range(15):
            lab.save_weights(model, path)

    threads = [threading.Thread(target=write, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    reader = layer(9, 40, 40)
    while any(thread.is_alive() for thread in threads):
        lab.load_weights(reader, path)
        if not any(same(reader, snapshot(model)) for model in models):
            wrong.append(snapshot(reader))
    assert not wrong
    assert [file.name for file in tmp_path.iterdir()] == ["file.npz"]
