"""Repeat one case: ``python -m tests.fuzz softmax 17`` (and a seed, if it was not 0)."""

import os
import sys
import tempfile
import traceback

from tests.fuzz.cases import describe, draw_case
from tests.fuzz.judge import judge
from tests.fuzz.public import subjects


def main(name, number, seed="0"):
    os.environ["ATTENTION_LAB_HOME"] = ""
    os.chdir(tempfile.mkdtemp())
    case = draw_case(subjects()[name], int(number), int(seed))
    print(describe(case))
    returned, fault = judge(case)
    print(f"returned: {returned}; fault: {fault or 'none'}")
    if not returned:
        traceback.print_exception(case.error)


if __name__ == "__main__":
    main(*sys.argv[1:])
