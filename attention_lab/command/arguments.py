"""What may be typed after ``attention-lab``, and which function each of it calls."""

import argparse
import os
from difflib import get_close_matches
from pathlib import Path

import attention_lab
from attention_lab.command import actions
from attention_lab.command.lessons import holds_lessons, lessons

FOLDER = "attention-lab-lessons"
USAGE = """attention-lab [FOLDER] [--copy-only | --no-browser] [-- OPTION ...]
       attention-lab reset LESSON ... [--folder FOLDER]
       attention-lab progress [--clear]
       attention-lab check
       attention-lab --list | --version | --help"""
ABOUT = """Copy the lessons into a folder of yours, and open JupyterLab at the first. What you changed there, or ran, is
never written over: where a lesson is newer than yours, the new one is put beside it."""
MORE = """commands, each with a --help of its own:
  reset     put a fresh copy of a lesson beside yours
  progress  show what you answered and solved, or forget it
  check     say whether everything is in place, and what mends it

exit status: 0 where all went well, 1 where not, 2 where the arguments make no sense"""


def parse(argv):
    """The options, of which ``run`` is the function to call with them; SystemExit where there is nothing to run."""
    words, own = list(argv), []
    if "--" in words:  # what follows is for JupyterLab
        words, own = words[: words.index("--")], words[words.index("--") + 1 :]
    make = COMMANDS.get(words[0]) if words else None
    parser = make() if make else _open()
    options = parser.parse_args(words[1:] if make else words)
    if own and (make or options.run is not actions.open_lessons):
        parser.error("what stands after -- is for JupyterLab, which this does not open")
    folder = getattr(options, "folder", None)
    if folder == "":
        parser.error("FOLDER is empty: this folder is called .")
    if not make:
        _no_command_meant(parser, folder, options)
    options.jupyter, options.folder = own, _folder(folder)
    return options


def _open():
    parser = argparse.ArgumentParser(
        prog="attention-lab",
        usage=USAGE,
        description=ABOUT,
        epilog=MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    where = f"where your copies lie: this folder where it holds them, else ./{FOLDER}"
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help=where)
    parser.set_defaults(run=actions.open_lessons)
    one = parser.add_mutually_exclusive_group()
    for flag, run, text in (
        ("--copy-only", actions.copy, "copy the lessons, and do not open JupyterLab"),
        ("--list", actions.show_list, "list the lessons, and copy nothing"),
    ):
        one.add_argument(flag, dest="run", action="store_const", const=run, help=text)
    one.add_argument("--no-browser", action="store_true", help="serve JupyterLab, and print its address instead")
    parser.add_argument("--version", action="version", version=f"attention-lab {attention_lab.__version__}")
    return parser


def _reset():
    parser = _command("reset", actions.reset, "Put a fresh copy of a lesson beside yours, which stays as it is.")
    parser.add_argument("lessons", nargs="+", metavar="LESSON", type=_lesson, help="its number, such as 05")
    parser.add_argument("--folder", metavar="FOLDER", help=f"where your copies lie, if not here or in ./{FOLDER}")
    return parser


def _progress():
    parser = _command("progress", actions.progress, "Show what you answered and solved so far, lesson by lesson.")
    parser.add_argument("--clear", action="store_true", help="forget it all")
    return parser


def _check():
    return _command("check", actions.check, "Say whether everything is in place, and of what is not, what mends it.")


COMMANDS = {"reset": _reset, "progress": _progress, "check": _check}


def _command(name, run, about):
    parser = argparse.ArgumentParser(prog=f"attention-lab {name}", description=about, allow_abbrev=False)
    parser.set_defaults(run=run)
    return parser


def _lesson(text):
    number = text and text.zfill(2)
    if number not in lessons():
        raise argparse.ArgumentTypeError(f"there is no lesson {text or repr(text)}: attention-lab --list shows them")
    return number


def _no_command_meant(parser, folder, options):
    """``attention-lab chek`` makes no folder of that name, and neither does ``attention-lab 05``."""
    if folder and options.run is actions.show_list:
        parser.error(f"--list takes no FOLDER, got {folder}")
    if not folder or folder != os.path.basename(folder) or os.path.exists(folder):
        return
    near = get_close_matches(folder, [*COMMANDS, "list", "help", "version"], n=1, cutoff=0.75)
    if near:
        meant = near[0] if near[0] in COMMANDS else f"--{near[0]}"
        parser.error(f"did you mean  attention-lab {meant}?  A folder of that name is ./{folder}")
    if folder.zfill(2) in lessons():
        parser.error(f"all lessons open together, without a number. A folder of that name is ./{folder}")


def _folder(given):
    if given is not None:
        return Path(os.path.expanduser(given))
    return Path() if holds_lessons(Path()) else Path(FOLDER)
