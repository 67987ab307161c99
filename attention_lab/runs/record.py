"""The reader's record: which questions were answered and which exercises tried, in a file of the reader's own.

It lies in $ATTENTION_LAB_HOME, or where that is not set in the user's data folder, and never beside the notebooks.
Where the variable is set and empty, as it is under tests, nothing is kept.
"""

import json
from contextlib import suppress

from attention_lab.runs.files import home_folder, whole

KINDS = ("questions", "exercises")
ENTRY = {"times": int, "right": int, "last": bool}  # how often, how often right, and whether it was the last time


def record_file():
    """Where the record is kept, or None where none is."""
    folder = home_folder()
    return None if folder is None else folder / "record.json"


def read_record():
    """What is kept of each kind, by name: ``{"questions": {"divide-by-d": {"times": 2, ...}}, "exercises": {}}``.

    What cannot be read is left out: a damaged file is as good as none.
    """
    path, found = record_file(), None
    with suppress(OSError, ValueError, RecursionError):  # no file, no right to read it, no JSON, no UTF-8
        found = json.loads(path.read_text("utf-8")) if path else None
    found = found if isinstance(found, dict) else {}
    return {kind: _entries(found.get(kind)) for kind in KINDS}


def note(kind, name, right):
    """Count one more answer to a question, or check of an exercise.

    A folder that cannot be written to is no reason to stop a lesson: then nothing is kept.
    """
    path = record_file()
    if path is None:
        return
    kept = read_record()
    old = kept[kind].get(name, {"times": 0, "right": 0})
    kept[kind][name] = {"times": old["times"] + 1, "right": old["right"] + bool(right), "last": bool(right)}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as unfinished:
            unfinished.write_text(json.dumps(kept, indent=1), encoding="utf-8")


def clear_record():
    """Forget all."""
    path = record_file()
    if path is not None:
        path.unlink(missing_ok=True)


def _entries(found):
    """The entries that are such as `note` writes."""
    found = found if isinstance(found, dict) else {}
    return {name: entry for name, entry in found.items() if _is_entry(entry)}


def _is_entry(entry):
    return isinstance(entry, dict) and {name: type(value) for name, value in entry.items()} == ENTRY
