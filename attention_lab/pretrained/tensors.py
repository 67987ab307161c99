"""Arrays in a safetensors file: read where they lie on the disk, written whole or not at all.

A file is 8 bytes (how long the header is), the header (JSON: each array's dtype, shape and place), then the numbers.
Nothing in it can run.
"""

import hashlib
import json
import math
import mmap
import os
import uuid

import numpy as np

from attention_lab.gradients import parameters
from attention_lab.pretrained.files import check_digest

ALIGNED = 64  # bytes: the numbers begin there, as BLAS likes them


def read_tensors(path, sha256=None):
    """Map a file's float32 arrays into memory: what is not used is not read.

    Parameters
    ----------
    path : str or path
    sha256 : str, optional
        Hexadecimal, the whole or its beginning. A file that has another one is refused.

    Returns
    -------
    tensors : dict of str to ndarray
        They can be written to: the change stays in memory.
    metadata : dict of str to str

    Raises
    ------
    ValueError
        If the file is not the one expected, is cut off, or is no safetensors file.
    """
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size < 8:
            raise ValueError(f"{path} is no safetensors file: it is shorter than a header")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    if sha256 is not None:
        check_digest(path, hashlib.sha256(content).hexdigest(), sha256)
    try:
        start = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:start].decode())
        metadata = header.pop("__metadata__", {})
        floats = {name: entry for name, entry in header.items() if entry["dtype"] == "F32"}
        return {name: _array(content, start, entry) for name, entry in floats.items()}, metadata
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"{path} is no whole safetensors file ({error}): get it again") from error


def _array(content, start, entry):
    (begin, end), shape = entry["data_offsets"], entry["shape"]
    if not 0 <= begin <= end <= len(content) - start or end - begin != 4 * math.prod(shape):
        raise ValueError(f"an array of shape {shape} does not fit the bytes {begin} to {end}")
    return np.frombuffer(content, "<f4", math.prod(shape), start + begin).reshape(shape)


def write_tensors(folder, stem, shapes, arrays, metadata):
    """Write float32 arrays one after the other, never all in memory. The file appears when it is complete.

    Parameters
    ----------
    folder : pathlib.Path
        Made if it is not there.
    stem : str
        The file is called ``{stem}.{first half of its SHA-256}.safetensors``, by which it is checked later.
    shapes : dict of str to tuple
    arrays : iterable of ndarray
        In the order of `shapes`.
    metadata : dict of str to str

    Returns
    -------
    pathlib.Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    unfinished, digest = folder / f".{stem}.{uuid.uuid4().hex}", hashlib.sha256()
    try:
        with open(unfinished, "wb") as file:
            for chunk in _chunks(shapes, arrays, metadata):
                digest.update(chunk)
                file.write(chunk)
        path = folder / f"{stem}.{digest.hexdigest()[:32]}.safetensors"
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def _chunks(shapes, arrays, metadata):
    header, end = {"__metadata__": metadata}, 0
    for name, shape in shapes.items():
        begin, end = end, end + 4 * math.prod(shape)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % ALIGNED)
    yield len(text).to_bytes(8, "little") + text
    for (name, shape), array in zip(shapes.items(), arrays, strict=True):
        if array.shape != tuple(shape):
            raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
        yield np.ascontiguousarray(array, "<f4").data.cast("B")


def fill(model, arrays, path):
    """Give a model its parameters: the arrays themselves, without a copy.

    Raises
    ------
    ValueError
        If one is missing or has another shape: the file is of another architecture. No parameter has changed then.
    """
    for name, array in parameters(model).items():
        got = arrays[name].shape if name in arrays else "nothing"
        if got != array.shape:
            raise ValueError(f"{path} holds another model: of {name} it has {got}, expected {array.shape}")
    for name in parameters(model):
        *parts, last = name.split(".")
        part = model
        for step in parts:
            part = part[int(step)] if step.isdigit() else getattr(part, step)
        setattr(part, last, arrays[name])
