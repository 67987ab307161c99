"""A model's parameters in a file: an .npz archive of plain arrays, whole or not there at all."""

import os
import zipfile
import zlib

import numpy as np
from numpy.lib import format as npy

from attention_lab.gradients import parameters
from attention_lab.runs.files import check_path, whole

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
)


def save_weights(model, path):
    """Write a model's parameters to a file.

    The file appears under its name when it is complete, so an interrupt leaves the old one, if there was one. Equal
    parameters give equal bytes.

    Parameters
    ----------
    model : object
    path : str or path
        ".npz" is added where it is missing.

    Returns
    -------
    pathlib.Path
        What was written.

    Raises
    ------
    TypeError, OSError
        If `path` is no path, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from attention_lab import Linear
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_weights(Linear(2, 3), f"{folder}/layer")
    ...     sorted(np.load(path))
    ['bias', 'weight']
    """
    path = _npz(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist: make it first")
    with whole(path) as unfinished, unfinished.open("xb") as file:
        _write(file, parameters(model))
        file.flush()
        os.fsync(file.fileno())
    return path


def load_weights(model, path):
    """Read what `save_weights` wrote into a model of the same build.

    The model's arrays are written in place and keep their dtype. A file that does not fit changes nothing. Nothing in
    a file is ever run: pickled objects are refused.

    Parameters
    ----------
    model : object
    path : str or path
        ".npz" is added where it is missing.

    Returns
    -------
    None

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    TypeError, ValueError
        If `path` is no path, the file is damaged, or its names, shapes or dtypes are not the model's.

    Examples
    --------
    >>> import tempfile
    >>> from attention_lab import Linear
    >>> first, second = Linear(2, 3), Linear(2, 3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_weights(second, save_weights(first, f"{folder}/layer"))
    >>> np.array_equal(first.weight, second.weight)
    True
    """
    path, arrays = _npz(path), parameters(model)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        stored = _read(path)
    except PermissionError:
        raise
    except DAMAGED as error:
        message = f"{path} is no file of weights, or is damaged ({error}): save it again with save_weights"
        raise ValueError(message) from error
    _check_names(path, stored, arrays)
    for name, array in arrays.items():
        _check_array(f"{path}: {name}", stored[name], array)
    for name, array in arrays.items():
        array[...] = stored[name]


def _npz(path):
    path = check_path(path)
    return path if path.suffix == ".npz" else path.with_name(path.name + ".npz")


def _write(file, arrays):
    """An archive as `numpy.savez` writes it, for any names and without the time of day."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                npy.write_array(entry, array, allow_pickle=False)


def _read(path):
    stored = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with archive.open(name) as entry:
                stored[name.removesuffix(".npy")] = npy.read_array(entry, allow_pickle=False)
    return stored


def _check_names(path, stored, arrays):
    differences = {
        "lacks": [name for name in arrays if name not in stored],
        "has, but the model has not:": [name for name in stored if name not in arrays],
    }
    said = [f"{what} {_some(names)}" for what, names in differences.items() if names]
    if said:
        raise ValueError(f"{path} is of another model: it {' and '.join(said)}. Build the model as it was saved")


def _some(names, most=3):
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _check_array(name, stored, array):
    if stored.shape != array.shape:
        raise ValueError(f"{name} has shape {stored.shape}, but the model has {array.shape}: build it as it was saved")
    if not (stored.dtype.kind == "f" and np.can_cast(stored.dtype, array.dtype)):
        hint = f"build the model with dtype=np.{stored.dtype}" if stored.dtype.kind == "f" else "it holds no weights"
        raise ValueError(f"{name} is {stored.dtype}, which {array.dtype} cannot hold: {hint}")
    if not array.flags.writeable:
        raise ValueError(f"{name} cannot be loaded: the model's array is read-only")
