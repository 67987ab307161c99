"""The command ``attention-lab``: the reader's own copy of the lessons, JupyterLab, and what goes with them."""

import os
import sys

from attention_lab.command.arguments import parse


def main(argv=None):
    """Run the command.

    Parameters
    ----------
    argv : list of str, optional
        What was typed after the command's name; ``sys.argv`` knows it without.

    Returns
    -------
    int
        0 where all went well, 1 where something could not be done or is to be mended, 2 where the arguments make no
        sense, 130 after Ctrl+C. Errors are sentences on standard error.

    Examples
    --------
    >>> main(["--version"])  # doctest: +ELLIPSIS
    attention-lab ...
    0
    """
    for stream in filter(None, (sys.stdout, sys.stderr)):
        if hasattr(stream, "reconfigure"):  # a pipe may know no ü
            stream.reconfigure(errors="backslashreplace")
    try:
        options = parse(sys.argv[1:] if argv is None else argv)
        status = options.run(options)
        print(end="", flush=True)  # an error of writing shows here; without an output nothing is said
        return status
    except SystemExit as end:
        return _status(end.code)
    except BrokenPipeError:  # the reader of a pipe has gone, as `head` does: no more can be said
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _status(_sentence(error))
    except KeyboardInterrupt:
        return 130


def _status(code):
    """What `sys.exit` would make of it: a number, nothing, or a sentence."""
    if isinstance(code, str):
        print(f"attention-lab: {code}", file=sys.stderr)
        return 1
    return code or 0


def _sentence(error):
    if error.filename is None or error.strerror is None:
        return error.strerror or str(error)
    return f"{error.filename}: {error.strerror}"
