"""The reader's record: which questions were answered and which exercises tried, in a file of the reader's own.

It lies in $ATTENTION_LAB_HOME, or where that is not set in the user's data folder, and never beside the notebooks.
Where the variable is set and empty, as it is under tests, nothing is kept.

Each answer is one line of JSON, ``["questions", "divide-by-d", true]``, put at the end in one write: so two notebooks
that are open at the same time lose nothing of each other's.
"""

import json
import os
from contextlib import suppress

from attention_lab.runs.files import home_folder

KINDS = ("questions", "exercises")
_REFUSED = set()  # files of which the last write failed


def record_file():
    """Where the record is kept, or None where none is."""
    folder = home_folder()
    return None if folder is None else folder / "record.jsonl"


def read_record():
    """What is kept of each kind, by name: ``{"questions": {"divide-by-d": {"times": 2, ...}}, "exercises": {}}``.

    Of each how often it was tried, how often right, and whether it was the last time. What cannot be read is left out:
    a damaged line is as good as none.
    """
    path, lines = record_file(), []
    found = {kind: {} for kind in KINDS}
    with suppress(OSError):  # no file, or no right to read it
        lines = path.read_bytes().splitlines() if path else []
    for line in lines:
        kind, name, right = _read(line)
        if kind is not None:
            old = found[kind].get(name, {"times": 0, "right": 0})
            found[kind][name] = {"times": old["times"] + 1, "right": old["right"] + right, "last": right}
    return found


def note(kind, name, right):
    """Count one more answer to a question, or check of an exercise.

    A folder that cannot be written to is no reason to stop a lesson: then nothing is kept.
    """
    path = record_file()
    if path is None:
        return
    line = "\n" + json.dumps([kind, name, bool(right)])  # a line that was cut off before does not take it along
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            file.write(line.encode())
        _REFUSED.discard(path)
    except OSError:
        _REFUSED.add(path)


def is_writable():
    """Whether an answer would be kept, as far as that can be told without writing one."""
    path = record_file()
    if path is None or path in _REFUSED:
        return False
    nearest = next((place for place in (path, *path.parents) if os.path.exists(place)), path)
    return os.access(nearest, os.W_OK) and os.path.isfile(nearest) == (nearest == path)


def clear_record():
    """Forget all.

    Raises
    ------
    OSError
        If there is a record that cannot be deleted; the message names the file.
    """
    path = record_file()
    if path is None:
        return
    try:
        path.unlink(missing_ok=True)
    except NotADirectoryError:  # where its folder should be lies a file: there is no record
        pass
    except OSError as error:
        raise type(error)(f"your record cannot be deleted: {path} ({error.strerror or error})") from error


def _read(line):
    """Kind, name and whether it was right, of a line such as `note` writes; else None three times."""
    with suppress(ValueError, RecursionError):  # no JSON, no UTF-8
        match json.loads(line):
            case [str(kind), str(name), bool(right)] if kind in KINDS:
                return kind, name, right
    return None, None, None
