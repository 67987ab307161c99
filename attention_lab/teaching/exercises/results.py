"""Reads what a function returned and compares it with what was expected; every difference is a sentence."""

import inspect
from numbers import Real

import numpy as np

RTOL, ATOL = 1e-4, 1e-5


def describe(exercise, args):
    """The arguments of a case in a few words: ``query (3, 5), key (7, 5), value (7, 11)``, or ``norm centre``."""
    return ", ".join(_describe(name, arg) for name, arg in zip(exercise.parameters, args))


def as_results(exercise, value, expected, case):
    """What was returned as arrays of the expected kind and shape, and a sentence if that cannot be.

    Returns
    -------
    results : list of ndarray
        One for each name in ``exercise.returns``.
    sentence : str or None
    """
    names = exercise.returns
    expected = list(expected) if len(names) > 1 else [expected]
    if value is None:
        return [], f"Your function returns None: end it with `return {', '.join(names)}`. This was with {case}."
    values, sentence = _parts(value, names, expected) if len(names) > 1 else ([value], None)
    results = []
    for name, part, wanted in zip(names, values, expected):
        array, sentence = _as_array(name, part)
        sentence = sentence or _shape(name, part, array, np.asarray(wanted), case) or _kind(name, array, wanted, case)
        if sentence:
            return results, sentence
        results.append(array)
    return results, sentence


def compare(exercise, results, expected, case):
    """A sentence on the first result that differs from what was expected, or None."""
    expected = list(expected) if len(exercise.returns) > 1 else [expected]
    wrong = [i for i, (got, wanted) in enumerate(zip(results, expected)) if not close(got, wanted)]
    if not wrong:
        return None
    at = wrong[-1] if len(wrong) == len(results) else wrong[0]  # the last comes earlier in the computation
    name, got, wanted = exercise.returns[at], results[at], np.asarray(expected[at])
    if wanted.dtype.kind == "f" and got.dtype.kind != "f" and (wanted % 1).any():
        return (
            f"`{name}` is of dtype {got.dtype}, which holds no fractions, given {case}. Look where it is made: "
            "`dtype=float` gives an array that takes them; `np.zeros_like` and a write into an array keep its dtype."
        )
    if wanted.dtype == bool and (got.astype(bool) == ~wanted).all():
        return (
            f"Every cell of `{name}` is turned round, given {case}. Here True = may attend: add a `~`, or remove one."
        )
    got_there = np.equal(got, wanted)  # so is -inf, whose distance from itself is NaN
    gap = np.abs(np.where(got_there, 0, got).astype(float) - np.where(got_there, 0, wanted).astype(float))
    index = np.unravel_index(gap.argmax(), gap.shape)
    place = f"[{', '.join(map(str, index))}]" if index else ""
    right = [f"`{exercise.returns[i]}`" for i in range(len(results)) if i not in wrong]
    said = f"{' and '.join(right)} {'is' if len(right) == 1 else 'are'} right. " if right else ""
    yours, theirs = apart(got[index], wanted[index])
    return (
        f"{said}`{name}`{place} is {yours} and should be {theirs}, given {case}. "
        f"Print each step for that place and compare it with a calculation by hand{exercise.or_hint}."
    )


def written(exercise, args, expected, case):
    """A sentence on the first argument that was to be written into and holds something else, or None."""
    for name, got, wanted in zip(exercise.parameters, args, expected):
        if name in exercise.writes and not close(got, wanted):
            return (
                f"What you return is right, but `{name}` does not hold it after the call, given {case}: the next call "
                f"would read what stood there before. Write into the array itself, as `{name}[...] = ...` does; "
                f"`{name} = ...` gives the name to another array."
            )
    return None


def unchanged(arg, original):
    """Whether an array, a list, or a list of arrays is what it was before the call; no other thing can be changed."""
    if isinstance(original, np.ndarray):
        return np.array_equal(arg, original, equal_nan=arg.dtype.kind == "f")
    if isinstance(original, list) and any(isinstance(part, np.ndarray) for part in original):
        return len(arg) == len(original) and all(map(unchanged, arg, original))
    return not isinstance(original, list) or arg == original


def refusal(outcome, error, case):
    """A sentence unless a case that has no right result was refused, as the reference refuses it with this error."""
    if isinstance(outcome.error, ValueError):
        return None
    does = "returns None" if outcome.value is None else "returns a result"
    if outcome.error:
        does = f"stops with {type(outcome.error).__name__}: {error_text(outcome.error)}"
    return (
        f"There is no right result here, and your function {does}, given {case}. Look first, and refuse in words: "
        f'`raise ValueError("{error_text(error)}")`.'
    )


def close(got, wanted):
    """Equal within rounding; NaN equals NaN."""
    got, wanted = _read(got), _read(wanted)
    if got.shape != wanted.shape or not {got.dtype.kind, wanted.dtype.kind} <= set("biuf"):
        return False
    return np.allclose(got.astype(float), wanted.astype(float), rtol=RTOL, atol=ATOL, equal_nan=True)


def same(exercise, one, other):
    """Whether two outcomes are equal: the same results, or the same error down to its numbers."""
    if one.late or other.late:
        return False
    if one.error or other.error:
        texts = [f"{type(error).__name__} {error_text(error)}" for error in (one.error, other.error)]
        return texts[0] == texts[1]
    values, many = (one.value, other.value), len(exercise.returns) > 1
    if many and not all(isinstance(value, (tuple, list, np.ndarray)) for value in values):
        return False  # a generator or a `map` is empty once it has been read: it would differ from itself
    try:
        ones, others = (list(value) if many else [value] for value in values)
        return len(ones) == len(others) and all(close(a, b) for a, b in zip(ones, others))
    except Exception:  # an object that refuses to be read
        return False


def error_text(error):
    """The first line of an error's message, at most 160 characters of it."""
    try:
        return (str(error).strip().splitlines() or ["without a message"])[0][:160]
    except Exception:
        return "without a message"


def _describe(name, arg):
    if callable(arg):
        return f"{name} {getattr(arg, '__name__', type(arg).__name__)}"
    if isinstance(arg, list) and arg and all(isinstance(part, np.ndarray) for part in arg):
        return f"{_describe(name, arg[0])} and {len(arg) - 1} more"
    if not isinstance(arg, np.ndarray):
        return f"{name} {arg!r}" if isinstance(arg, str) else f"{name} {arg}"
    if arg.ndim == 1 and arg.size <= 8 and arg.dtype.kind in "bi":
        return f"{name} {arg.tolist()}"
    return f"{name} {arg.shape}" + ("" if arg.dtype in (np.float64, bool) else f" of {arg.dtype}")


def _parts(value, names, expected):
    wanted = f"`return {', '.join(names)}`"
    if not isinstance(value, (tuple, list)) and not (isinstance(value, np.ndarray) and value.shape == (len(names),)):
        shape = f"one array of shape {np.shape(value)}" if isinstance(value, np.ndarray) else type(value).__name__
        return [], f"Your function returns {shape}; {len(names)} results are expected: end it with {wanted}."
    if len(value) != len(names):
        return [], f"Your function returns {len(value)} results; {len(names)} are expected: end it with {wanted}."
    shapes, found = [np.shape(part) for part in expected], [_shape_of(part) for part in value]
    if found != shapes and found[::-1] == shapes:
        return [], f"The shapes say that your results come in the other order: end it with {wanted}."
    return list(value), None


def _shape_of(part):
    """The shape of a result, or None where it cannot be read: that is said later."""
    try:
        return np.shape(part)
    except Exception:
        return None


def _as_array(name, part):
    if part is None:
        return None, f"`{name}` is None: a step does not return what it computes. Check the line that makes it."
    if isinstance(part, (str, bytes, dict, set)):
        return None, f"`{name}` is of type {type(part).__name__}: return a NumPy array of numbers instead."
    if inspect.isroutine(part):
        return None, f"`{name}` is a function that was not called: put brackets after its name."
    try:
        array = _read(part)
    except ValueError:
        if isinstance(part, tuple):
            return None, _things(name, part)
        return None, f"`{name}` has rows of different lengths: every row of an array must be as long as the others."
    if array.dtype.kind not in "biuf":
        kind = array.dtype if array.ndim else type(part).__name__
        return None, f"`{name}` holds no real numbers (type {kind}): return a NumPy array of numbers."
    return array, None


def _read(part):
    """An array of numbers, of fractions too: NumPy knows them as objects alone."""
    array = np.asarray(part)
    if array.dtype != object or not all(isinstance(entry, Real) for entry in array.flat):
        return array
    array = np.array(array.tolist())
    return array.astype(float) if array.dtype == object else array


def _shape(name, part, array, wanted, case):
    if array.shape == wanted.shape:
        return None
    if isinstance(part, tuple) and len(part) and np.shape(part[0]) == wanted.shape:
        return _things(name, part)
    step = "Print the shape after each line: the first that surprises you holds the fault."
    if array.ndim != wanted.ndim:
        axes = "That is 1 axis" if array.ndim == 1 else f"Those are {array.ndim} axes"
        step = f"{axes} in place of {wanted.ndim}. {step}"
    return f"`{name}` has shape {array.shape} and should have {wanted.shape}, given {case}. {step}"


def _things(name, part):
    if len(part) == 1:
        return f"Your function returns `{name}` inside a tuple: take away the comma that stands after it."
    return f"Your function returns {len(part)} things; only `{name}` is expected: return that one alone."


def _kind(name, array, wanted, case):
    """A mask must be boolean, or integers 0 and 1; numbers must be finite, but where the right result is not."""
    if np.asarray(wanted).dtype == bool:
        if array.dtype.kind == "f":
            return (
                f"`{name}` holds floats ({array.dtype}), and a float mask is added to the scores instead of hiding. "
                "Return booleans: a comparison such as `a <= b` gives them, `.astype(bool)` makes them of 0 and 1."
            )
        if array.dtype.kind in "iu" and not np.isin(array, (0, 1)).all():
            return f"`{name}` holds {array.min()} to {array.max()}: return True where a query may attend, else False."
        return None
    bad = ~np.isfinite(array) & (array != wanted)
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        place = f"[{', '.join(map(str, index))}]" if index else ""
        return (
            f"`{name}`{place} is {array[index]}, given {case}; {bad.sum()} of {array.size} are not finite. "
            "Such a number comes from 0/0, log 0, an `exp` that overflows or a mask of -inf: print what goes into each."
        )
    return None


def apart(got, wanted):
    """Two numbers, in as many digits as tell them apart: three, if those will do."""
    pairs = ([_number(value, digits) for value in (got, wanted)] for digits in range(3, 18))
    return next(pair for pair in pairs if pair[0] != pair[1])


def _number(value, digits):
    return str(bool(value)) if np.asarray(value).dtype == bool else f"{float(value) + 0:.{digits}g}"  # -0 is 0


def worst_sum(weights):
    """The row sum that is farthest from 1, in a few digits."""
    sums = np.asarray(weights, float).sum(axis=-1).ravel()
    worst = sums[np.abs(sums - 1).argmax()]
    return f"{worst:.3g}" if abs(worst - 1) > 5e-3 else f"1 {'-' if worst < 1 else '+'} {abs(worst - 1):.0e}"


def not_whole(*results):
    """Results that serve as indices must be whole numbers."""
    if any(result.dtype.kind == "f" for result in results):
        return "Your results hold floats, and a float is no index into a table: make them of whole numbers."
    return None


def uneven_rows(weights, scores):
    """Rows must sum to one: to rounding in float64, more loosely where float32 is involved."""
    exact = weights.dtype == np.float64 and np.asarray(scores).dtype != np.float32
    off = np.abs(weights.astype(float).sum(axis=-1) - 1).max()
    if off <= (1e-11 if exact else 1e-4):
        return None
    return (
        f"Rows should sum to 1 and yours sum to {worst_sum(weights)}. "
        "Divide each row by its own sum, over the last axis and with nothing added to it."
    )
