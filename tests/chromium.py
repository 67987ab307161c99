"""Where Chromium is.

``python -m tests.chromium`` ends with 0 where the browser tests are to run, and otherwise says in one line why not.
"""

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "Chromium was not found"
MEND = "install chromium, or set CHROMIUM=/path/to/it"


def find_chromium():
    """The path of a Chromium, from the variable CHROMIUM or from the search path; None where there is none."""
    return next(filter(None, map(shutil.which, (os.environ.get("CHROMIUM", ""), *NAMES))), None)


def is_required():
    """Whether a missing Chromium is a failure (ATTENTION_LAB_REQUIRE=browser) rather than a line of text."""
    return "browser" in os.environ.get("ATTENTION_LAB_REQUIRE", "").split(",")


def demand():
    """Within a test: leave it out where Chromium is missing, or fail it where that is asked for."""
    import pytest

    if not find_chromium():
        (pytest.fail if is_required() else pytest.skip)(f"{MISSING}: {MEND}")


def main():
    if find_chromium() or is_required():
        return 0
    print(f"{MISSING}, so the browser tests are left out: {MEND}.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
