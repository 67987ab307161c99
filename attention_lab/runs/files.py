"""The user's own files: the folders in which they are kept, and how one is written whole or not at all."""

import os
import sys
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path


def cache_folder():
    """Where converted files are kept: $ATTENTION_LAB_CACHE, or a folder of our own in the user's cache folder."""
    return _given("ATTENTION_LAB_CACHE") or _of_the_user("Caches", "XDG_CACHE_HOME", ".cache")


def home_folder():
    """Where the reader's record is kept: $ATTENTION_LAB_HOME, or a folder of our own in the user's data folder.

    None where the variable is set and empty, or where nobody is at home: then nothing is kept.
    """
    if os.environ.get("ATTENTION_LAB_HOME") == "":
        return None
    with suppress(RuntimeError):  # a user without a home folder, as in some containers
        return _given("ATTENTION_LAB_HOME") or _of_the_user("Application Support", "XDG_DATA_HOME", ".local/share")
    return None


def check_path(path):
    """The path of a file: a name that the system can write."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a string or a path, got {path!r:.60}")
    try:
        is_name = Path(path).name and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise ValueError(f"path must name a file, got {str(path)!r}")
    return Path(path)


@contextmanager
def whole(path):
    """A path to write to, which becomes `path` in one move at the end; after an error or an interrupt, it is gone.

    Parameters
    ----------
    path : pathlib.Path

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "x.txt")
    ...     with whole(path) as unfinished:
    ...         _ = unfinished.write_text("all of it")
    ...     path.read_text(), len(os.listdir(folder))
    ('all of it', 1)
    """
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _given(variable):
    given = os.environ.get(variable)
    return Path(given).expanduser() if given else None


def _of_the_user(mac, variable, below_home):
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / mac
    else:
        base = os.environ.get(variable) or Path.home() / below_home
    return Path(base) / "attention-lab"
