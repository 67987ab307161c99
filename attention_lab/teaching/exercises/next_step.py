"""What to do about an error that no known fault explains."""

import re

from attention_lab.teaching.exercises.results import error_text

_STEPS = {  # words of an error that no known fault explains, and what to do about it
    "converted to python scalar": "A `math` function takes one number: use NumPy's, such as `np.exp`, for an array.",
    "truth value of an array": "`if`, `and`, `or` and `not` ask for one truth value of a whole array: `np.where`, `&`, "
    "`|` and `~` work cell by cell.",
    "cannot cast ufunc": "An array of whole numbers cannot hold fractions: write `x = x / y` instead of `x /= y`.",
    "'function'": "A function stands where its result should: call it, as in `norm(x)`.",
    "object is not callable": "Round brackets after a name call it: `[...]` takes an element, `*` makes a product.",
    "positional argument": "Count what stands between the brackets of the call: something is missing, or too much.",
    "bitwise_xor": "`^` is no power in Python: write `**`.",
    "for ^:": "`^` is no power in Python: write `**`.",
    "operand type(s)": "Print the type of both sides: lists, ranges and None do no arithmetic, `np.array(...)` does.",
    "values to unpack": "Print what stands to the right of `=`: a stack has more axes, so `x.shape` has more parts. "
    "`*leading, n, d = x.shape` takes any number of them.",
    "interpreted as an integer": "A size must be a whole number: `/` gives a float, `//` a whole number.",
    "has no attribute": "Check the spelling of what stands after the dot, and the type of what stands before it.",
    "unable to allocate": "Far less memory will do: print the sizes that you ask for.",
    "nobody can type": "Take `input` out: what your function needs comes in as its arguments.",
}
_SHAPES = ("shape", "dimension", "axes", "axis", "size", "broadcast", "index")


def next_step(exercise, error, line):
    """What to do about an error that no known fault explains; the other problems say it themselves."""
    if error is None or isinstance(error, (SystemExit, KeyboardInterrupt, RecursionError)):
        return ""
    if isinstance(error, NameError):
        return " A name is used before a line gives it a value: check its spelling and the order of the lines."
    if re.search(r"\b(raise|assert)\b", line or ""):
        return " That line of yours refuses a case that is legal: give it a result instead."
    text = error_text(error).lower()
    for words, step in _STEPS.items():
        if words in text:
            return f" {step}"
    what = "shapes" if any(word in text for word in _SHAPES) else "values"
    return f" Print the {what} just before that line{exercise.or_hint}."
