"""Values for arguments: fitting ones by what the docstring says of a kind, and such as nobody should hand over.

Sizes stay small, so that no call can hang or fill the memory; a huge one is so huge that it must be refused.
"""

import datetime
import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np

from attention_lab import Tensor, softmax
from tests.fuzz.shapes import draw

FLOATS = (np.float16, np.float32, np.float64)
INTEGERS = (np.int8, np.int32, np.int64, np.uint8, np.uint64)
DTYPES = (*FLOATS, *INTEGERS, bool, np.longdouble, np.complex64, object, "U3", "S2", "M8[D]", "m8[s]")
NUMBERS = (0.0, 1.0, -1.0, 1e-320, 1e-30, 65504.0, 1e30, 1e300, -1e300, math.nan, math.inf, -math.inf)
SIZES = (0, -1, 1, 2, 3, 2**40, 2**63, 10**30, -(2**70))
SCALARS = (
    *SIZES, *NUMBERS, 1.5, True, False, None, 1j, Fraction(1, 3), Decimal("0.5"), *map(np.float16, NUMBERS[:5]),
    np.int8(3), np.uint64(2), np.bool_(True), np.array(2), np.array(0.5), np.datetime64("2026-01-01"),
)  # fmt: skip
WORDS = (
    "", "3", "cat", "the cat sat", "ü", "猫", "😀", "\0", "\n", "$x_1$", "<b>", "a" * 300, "../x", "05", "relu",
    "\ud800", "İ", "٣", "²", "softmax", "II", "train",
)  # fmt: skip
OTHERS = (
    {}, {"a": 1}, set(), (), [], [[]], [1, [2]], [None], ["a", 1], b"bytes", lambda *_: 0.5, range(3),
    datetime.date(2026, 1, 1), Ellipsis, NotImplemented, slice(2), np.random.RandomState(0),
)  # fmt: skip


def fitting(entry, parameter, example, sizes, rng):
    """A value of the kind that the docstring names; the example's where it names none that is known."""
    kind, known = entry.type, sizes.get(entry.name)
    if "array" in kind and (entry.shape or entry.is_stated or isinstance(example, np.ndarray)):
        shape = draw(entry.shape, sizes, rng) if entry.shape else tuple(rng.integers(1, 5, rng.integers(1, 4)))
        return _array(entry, example, shape, sizes, rng)
    if "Generator" in kind:
        return np.random.default_rng(int(rng.integers(100)))
    if kind.startswith(("{", '"')):
        return choice(rng, _choices(kind))
    if kind.startswith("dtype"):
        return choice(rng, FLOATS)
    if kind.startswith("bool"):
        return bool(rng.integers(2))
    if kind.startswith("int") and (known is not None or rng.random() < 0.5):
        return sizes.setdefault(entry.name, int(rng.integers(1, 7))) if known is None else known
    if kind.startswith("float") and rng.random() < 0.5:
        return float(rng.uniform(0, 1))
    return example if example is not parameter.empty else parameter.default


def _choices(kind):
    return [None if word == "None" else word.strip('"{}') for word in kind.replace(" or ", ", ").split(", ")]


def _array(entry, example, shape, sizes, rng):
    example = np.asarray(example) if isinstance(example, (list, np.ndarray)) else np.zeros(0)
    if "of int" in entry.type or (example.size and example.dtype.kind in "iu" and "of bool" not in entry.type):
        top = min(
            [3, *(sizes[name] for name in ("vocab_size", "num_classes", "source_size", "target_size") if name in sizes)]
        )
        return rng.integers(0, max(top, 1), shape)
    if "of bool" in entry.type or entry.name.endswith("mask") and rng.random() < 0.7:
        return rng.random(shape) < 0.7
    values = rng.standard_normal(shape)
    if "rows sum" in entry.text or "weights" in entry.name or "probabilities" in entry.name:
        values = softmax(values)
    return values.astype(choice(rng, FLOATS) if rng.random() < 0.5 else np.float64)


def wild(value, rng):
    """Something else in its place: half of the time the same array or number with one thing changed."""
    if isinstance(value, (np.ndarray, np.generic)) and rng.random() < 0.7:
        for _ in range(rng.integers(1, 3)):
            value = choice(rng, CHANGES)(np.asarray(value), rng)
        return value
    if isinstance(value, (list, tuple)) and value and rng.random() < 0.5:
        place = int(rng.integers(len(value)))
        return (
            type(value)([*value[:place], wild(value[place], rng), *value[place + 1 :]])
            if type(value) in (list, tuple)
            else value
        )
    if isinstance(value, str) and rng.random() < 0.5:
        return choice(rng, WORDS)
    if isinstance(value, (int, float)) and rng.random() < 0.7:
        return choice(rng, SCALARS)
    return choice(
        rng,
        (_any_array, lambda rng: choice(rng, SCALARS), lambda rng: choice(rng, WORDS), lambda rng: choice(rng, OTHERS)),
    )(rng)


def choice(rng, items):
    return items[int(rng.integers(len(items)))]


# ---- one change of an array -----------------------------------------------------------------------------------------


def _any_array(rng):
    shape = rng.integers(0, 4, rng.integers(0, 6))
    return _as(rng.standard_normal(shape) * 3, choice(rng, DTYPES))


def _as(array, dtype):
    """The array in another dtype, as near as that comes."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        try:
            return (
                array if np.dtype(dtype).kind not in "iuMm" else np.nan_to_num(array.astype(float)).astype(int)
            ).astype(dtype)
        except (TypeError, ValueError, OverflowError, RuntimeError):  # a date in three letters
            return np.zeros(array.shape, dtype)


def _dtype(array, rng):
    return _as(array, choice(rng, DTYPES))


def _entries(array, rng):
    """One entry, or all of them, become an odd number."""
    if array.dtype.kind not in "fiu" or not array.size:
        return array
    number = choice(rng, NUMBERS)
    with np.errstate(all="ignore"):
        array = array.astype(array.dtype if array.dtype.kind == "f" or number == int(np.nan_to_num(number)) else float)
        array[... if rng.random() < 0.3 else tuple(rng.integers(array.shape))] = (
            number if array.dtype.kind == "f" else np.nan_to_num(number, posinf=100, neginf=-100).clip(-100, 100)
        )
    return array


def _row(array, rng):
    if array.ndim and array.size and array.dtype.kind in "fb":
        array = array.copy()
        array[..., :] = choice(rng, (0, 1, np.nan, -np.inf)) if rng.random() < 0.2 else array[..., :1]
    return array


def _layout(array, rng):
    return choice(rng, LAYOUTS)(array)


def _shape(array, rng):
    return choice(rng, SHAPES)(array) if array.ndim else array[None]


def _swapped(array):
    return array.astype(array.dtype.newbyteorder())


def _gaps(array):
    return np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array


def _read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def _flipped(array):
    return array[tuple([slice(None, None, -1)] * array.ndim)]


LAYOUTS = (
    np.asfortranarray,
    np.transpose,
    np.ndarray.tolist,
    np.ma.masked_array,
    _swapped,
    _gaps,
    _read_only,
    _flipped,
)
SHAPES = (
    np.ravel,
    np.atleast_3d,
    lambda a: a[None],
    lambda a: a[..., None],
    lambda a: a[..., 0] if a.shape[-1] else a,
    lambda a: a[:0],
    lambda a: a[..., :0],
    lambda a: a[..., :1],
    lambda a: a[:1],
    lambda a: np.concatenate([a, a], -1),
    lambda a: np.concatenate([a, a], 0),
    lambda a: a.swapaxes(0, -1),
    lambda a: a.ravel()[0] if a.size else a,
)


def _tensor(array, rng):
    return Tensor(array) if array.dtype.kind in "fiub" else array


CHANGES = (_dtype, _entries, _entries, _layout, _shape, _shape, _row)
