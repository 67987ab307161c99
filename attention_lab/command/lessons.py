"""The lessons that come with the package, and the reader's copies of them.

A copy that the reader changed, or only ran, is theirs and is never written over. A hidden file beside the copies keeps
the digest of what was copied: a copy that still has it was not changed, and a newer lesson may take its place.
"""

import hashlib
import json
import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from attention_lab.runs.files import whole

MEMORY = ".attention-lab.json"  # name of a lesson to SHA-256 of what was last copied


class Copy(NamedTuple):
    """What became of one lesson.

    ``state`` is "new" (it was not there), "same" (it is there as it came), "updated" (a newer one took its place),
    "yours" (the reader changed it, and nothing newer came) or "beside" (the reader changed it, and a fresh one lies
    beside it). ``path`` is where the lesson lies; of "beside", the fresh one.
    """

    name: str
    state: str
    path: Path


def lessons_folder():
    """Where the lessons lie as they came: inside the installed package, or beside it in the repository.

    Raises
    ------
    FileNotFoundError
        If they are in neither place.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "notebooks", package.parent / "notebooks"):
        if any(folder.glob("00_*.ipynb")):
            return folder
    raise FileNotFoundError(f"this installation of attention_lab has no lessons: there are none in {package}")


def lessons():
    """The lessons' files by number: ``{"00": .../00_start_here.ipynb, ...}``."""
    return {path.name[:2]: path for path in sorted(lessons_folder().glob("[0-9][0-9]_*.ipynb"))}


def title(path):
    """The heading that a lesson begins with."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return "".join(notebook["cells"][0]["source"]).partition("\n")[0].removeprefix("# ")


def holds_lessons(folder):
    """Whether lessons were copied into a folder before."""
    return (Path(folder) / MEMORY).is_file()


def copy_lessons(folder):
    """Copy every lesson into a folder, which is made where it is missing.

    Each file is written whole or not at all. What the reader changed is left as it is.

    Parameters
    ----------
    folder : str or path

    Returns
    -------
    list of Copy
        One a lesson, in reading order.

    Raises
    ------
    OSError
        If the folder cannot be made or written to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     states = {copy.state for copy in copy_lessons(place)}
    ...     changed = (Path(place) / "05_positions.ipynb").write_text("mine")
    ...     again = [copy.state for copy in copy_lessons(place)]
    >>> states, again[4:7]
    ({'new'}, ['same', 'yours', 'same'])
    """
    return _copy_each(lessons().values(), folder)


def renew(numbers, folder):
    """Put a fresh copy of each of these lessons beside the reader's, where theirs was changed; as `copy_lessons`."""
    return _copy_each([lessons()[number] for number in numbers], folder, beside_yours=True)


def _copy_each(sources, folder, beside_yours=False):
    folder = Path(folder)
    _make(folder)
    before = _read_memory(folder)
    memory = dict(before)
    try:
        return [_copy(source, folder, memory, beside_yours) for source in sources]
    finally:
        if memory != before:  # without it, more counts as the reader's: never a loss
            with suppress(OSError):
                _write(folder / MEMORY, json.dumps(memory, indent=1).encode())


def _make(folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:  # a file, or a link that leads nowhere
        raise NotADirectoryError(f"{error.filename} is not a folder") from None
    if folder.resolve() == lessons_folder().resolve():
        raise FileExistsError(f"{folder} is where the lessons come from: name another folder")


def _copy(source, folder, memory, beside_yours):
    fresh, target = source.read_bytes(), folder / source.name
    digest, copied, present = hashlib.sha256(fresh).hexdigest(), memory.get(source.name), _digest(target)
    state, path = "yours", target
    if present == digest:
        state = "same"
    elif not os.path.lexists(target) or (present is not None and present == copied):
        state = "new" if present is None else "updated"
        _write(target, fresh)
    elif copied != digest or beside_yours:
        state, path = "beside", _put_beside(target, fresh, digest)
    memory[source.name] = digest
    return Copy(source.name, state, path)


def _put_beside(target, fresh, digest):
    """``05_positions.new.ipynb``, or with a number where that name is taken by something else."""
    for number in count(1):
        path = target.with_name(f"{target.stem}.new{f'-{number}' if number > 1 else ''}{target.suffix}")
        if not os.path.lexists(path):
            _write(path, fresh)
        if _digest(path) == digest:
            return path


def _write(path, content):
    try:
        with whole(path) as unfinished:
            unfinished.write_bytes(content)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _digest(path):
    """The SHA-256 of a file; None where there is none, or none that can be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _read_memory(folder):
    """What was copied before; nothing where that is lost or damaged."""
    try:
        memory = json.loads((folder / MEMORY).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return memory if isinstance(memory, dict) else {}
