"""What an argument must be. Each message names the argument, says what was expected and got, and what to do."""

import math
from functools import wraps
from numbers import Integral, Real

import numpy as np


def floating(**arrays):
    """The arrays in one working dtype (at least float32), then the dtype that goes back to the caller."""
    read = {name: numeric(name, array) for name, array in arrays.items()}
    dtype = np.result_type(*read.values())
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    working = np.promote_types(dtype, np.float32)  # float16 has too few digits to sum in
    return *(array.astype(working, copy=False) for array in read.values()), dtype


def numeric(name, array):
    """An array of real numbers; whatever would silently lose something on the way is refused."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost: write {name}.filled(0) and give mask=")
    try:
        array = np.asarray(array)
    except ValueError as error:
        raise ValueError(f"{name} must be an array: its rows have different lengths") from error
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got dtype {array.dtype}")
    return array


def check_number(name, value, *, low=-math.inf, above=-math.inf, below=math.inf, high=math.inf):
    """A finite number with low <= number < below and above < number <= high, as a float."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_, np.timedelta64)):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:  # a whole number of more than 308 digits
        number = math.inf
    if not (low <= number < below and above < number <= high):
        named = ("at least", low), ("above", above), ("below", below), ("at most", high)
        limits = [f"{word} {limit}" for word, limit in named if math.isfinite(limit)]
        raise ValueError(f"{name} must be {' and '.join(limits) or 'finite'}, got {value}")
    return number


def check_size(name, value, *, low=0, below=2**31):
    """A whole number that is at least `low`, and below what no memory holds; of what takes none, `below` is inf."""
    if not isinstance(value, Integral) or isinstance(value, (bool, np.bool_, np.timedelta64)):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if not low <= value < below:
        raise ValueError(f"{name} must be {f'at least {low}' if value < low else 'below 2**31'}, got {value}")
    return int(value)


def check_flag(name, value):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_axis(name, array, axis):
    if not -array.ndim <= check_size("axis", axis, low=-math.inf, below=math.inf) < array.ndim:
        raise ValueError(f"axis={axis} does not exist in {name} of shape {array.shape}")
    return axis


def check_generator(rng):
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, got {rng!r}: write np.random.default_rng(seed)")
    return rng


def check_attention_shapes(query, key, value, enable_gqa=False):
    """query (..., n_q, d_k), key (..., n_k, d_k), value (..., n_k, d_v): not empty, and fitting."""
    check_sequences(query=query, key=key, value=value)
    check_same_features(query, key)
    n_k, n_v = key.shape[-2], value.shape[-2]
    if n_k != n_v:
        raise ValueError(f"value has {n_v} rows but key has {n_k}: row j of value belongs to row j of key")
    if enable_gqa:
        check_heads(query, key, value)
    else:
        check_leading("Fewer key heads than query heads need enable_gqa=True", query=query, key=key, value=value)


def check_sequences(**arrays):
    """Each (..., length, features), with at least one row and one feature."""
    for name, array in arrays.items():
        if array.ndim < 2:
            raise ValueError(f"{name} must have at least 2 axes (length, features), got shape {array.shape}")
        if 0 in array.shape[-2:]:
            raise ValueError(f"{name} is empty, shape {array.shape}: expected at least one row and one feature")


def check_finite(**arrays):
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds NaN or inf: np.argwhere(~np.isfinite({name})) finds them")


def finite(forward):
    """Let a forward compute without warnings; where its result is not finite, an error names what is to blame."""

    @wraps(forward)
    @np.errstate(all="ignore")
    def checked(*args, **options):
        result, saved = forward(*args, **options)
        if not (np.isfinite(result.sum()) or np.isfinite(result).all()):  # the sum alone is quicker, and mostly enough
            given = {**dict(zip(forward.__code__.co_varnames, args)), **options}
            given = {name: value for name, value in given.items() if np.asarray(value).dtype.kind == "f"}
            check_finite(**given)
            raise ValueError(f"{', '.join(given)}: too large, {forward.__name__} would overflow {result.dtype}")
        return result, saved

    return checked


def check_same_features(query, key):
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(f"key has d_k={key.shape[-1]} but query has d_k={query.shape[-1]}: the last axes must match")


def check_leading(hint="An axis of 1 serves all", /, **arrays):
    shapes = [array.shape[:-2] for array in arrays.values()]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(
            f"the axes before (length, features) must broadcast, got {' and '.join(map(str, shapes))} for "
            f"{' and '.join(arrays)}. {hint}"
        ) from None


def check_heads(query, key, value):
    for name, array in (("query", query), ("key", key), ("value", value)):
        if array.ndim < 3:
            raise ValueError(f"enable_gqa needs {name} of shape (..., heads, length, features), got {array.shape}")
    heads, kv_heads = query.shape[-3], key.shape[-3]
    if kv_heads != value.shape[-3]:
        raise ValueError(f"value has {value.shape[-3]} heads but key has {kv_heads}: they come in pairs")
    if 0 in (heads, kv_heads) or heads % kv_heads:
        raise ValueError(f"query has {heads} heads and key has {kv_heads}: the second must divide the first")
    check_leading(query=query[..., 0, :, :], key=key[..., 0, :, :], value=value[..., 0, :, :])


def check_mask(mask, scores_shape, name="mask"):
    """A mask as booleans, or as finite and -inf numbers to add; never one that would be read wrongly."""
    mask = numeric(name, mask)
    _check_mask_shape(name, mask, scores_shape)
    if mask.dtype.kind == "f":
        return check_bias(name, mask)
    return as_visible(name, mask)


def as_visible(name, mask):
    """A boolean mask; 0/1 integers count as one. A mask of floats is refused: it would be an additive bias."""
    mask = numeric(name, mask)
    if mask.dtype.kind == "f":
        raise TypeError(
            f"{name} must be boolean or 0/1 integers, got dtype {mask.dtype}: write {name}.astype(bool) if 1 means "
            f"'may attend', {name} == 0 if it is a bias of 0 and -inf"
        )
    if mask.dtype != bool and not np.isin(mask, (0, 1)).all():
        got = f"got values from {mask.min()} to {mask.max()}"
        raise ValueError(f"{name} of integers must hold 0 (hidden) and 1 (may attend), {got}")
    return mask.astype(bool, copy=False)


def check_bias(name, bias):
    zero, one = bias == 0, bias == 1
    if (zero | one).all() and zero.any() and one.any():
        raise ValueError(
            f"{name} holds floats 0 and 1. Floats are added to the scores, so these would hide nothing: write "
            f"{name}.astype(bool) if 1 means 'may attend', {name} == 0 if 1 means 'hide'"
        )
    if not (bias < np.inf).all():
        raise ValueError(f"{name} must not hold NaN or +inf: use -inf to hide a key and 0 to leave it")
    return bias


def _check_mask_shape(name, mask, scores_shape):
    axes, shape = len(scores_shape), mask.shape
    if mask.ndim == 0:
        raise ValueError(f"{name} must broadcast to the scores' shape {scores_shape}, got the single value {mask}")
    if mask.ndim > axes:
        index = ", ".join([":"] * (axes - 2) + ["0"] * (mask.ndim - axes))
        raise ValueError(
            f"{name} has {mask.ndim} axes, shape {shape}, but the scores have {axes}, shape {scores_shape}: "
            f"write {name}[{index}], or give query, key and value a head axis"
        )
    if not _fits(shape, scores_shape):
        missing, hint = axes - mask.ndim, "its last axes are (n_q, n_k), and an axis of 1 serves all"
        if _fits((shape[0], *[1] * missing, *shape[1:]), scores_shape):
            hint = f"if its first axis is the batch, write {name}[:{', None' * missing}]"
        raise ValueError(f"{name} of shape {shape} does not fit scores of shape {scores_shape}: {hint}")


def _fits(shape, scores_shape):
    """Whether a mask of this shape broadcasts to the scores, and does not make them larger."""
    try:
        return np.broadcast_shapes(shape, scores_shape) == scores_shape
    except ValueError:
        return False


def check_features(name, shape, width, what="d_in"):
    """Whether an array of that shape is (..., width)."""
    if not shape or width not in (None, shape[-1]):
        got = f"has {shape[-1]} features" if shape else "is a single number"
        raise ValueError(f"{name} {got}, shape {shape}: expected {what}={width} on the last axis")


def check_rows(name, array, width, what="d_model", pads=False, may_be_empty=False):
    """A finite array (..., length, width), where `pads` may hold anything; or a Tensor of that shape as it is."""
    array = array if hasattr(array, "backward") else numeric(name, array)
    if array.ndim < 2:
        raise ValueError(f"{name} must be (..., length, {what}), got shape {array.shape}")
    check_features(name, array.shape, width, what)
    check_sequences(**{} if may_be_empty else {name: array})
    check_finite(**{} if pads or hasattr(array, "backward") else {name: array})
    return array


def check_positions(positions, rows):
    """Finite numbers that broadcast to `rows`, the shape (..., n) of what has these positions."""
    positions = numeric("positions", positions)
    if positions.dtype == bool:
        raise TypeError("positions must be numbers, got dtype bool")
    if not _fits(positions.shape, rows):
        raise ValueError(f"positions of shape {positions.shape} must broadcast to {rows}: one a row of x")
    if not np.isfinite(positions).all():
        raise ValueError("positions must be finite")
    return positions


def check_ids(name, ids, vocab_size):
    """Whole numbers from 0 to vocab_size - 1; a negative one would silently count from the end."""
    ids = numeric(name, ids)
    ids = ids if ids.size else ids.astype(int)  # to NumPy [] holds floats
    if ids.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers, got dtype {ids.dtype}")
    if ids.size and not 0 <= ids.min() <= ids.max() < vocab_size:
        raise ValueError(f"{name} must lie between 0 and {vocab_size - 1}, got {ids.min()} to {ids.max()}")
    return ids


def check_text(name, ids, vocab_size):
    """Ids of texts, (..., n), of at least one token each."""
    ids = numeric(name, ids)
    if ids.ndim == 0 or ids.shape[-1] == 0:
        raise ValueError(f"{name} must be (..., n) with n of at least 1, got shape {ids.shape}: begin with a token")
    return check_ids(name, ids, vocab_size)


def check_real(mask, tokens, name="mask"):
    """A mask over tokens of shape (..., n), True = real: one for all texts, or one a text."""
    mask = as_visible(name, mask)
    if mask.shape[-1:] != tokens[-1:] or not _fits(mask.shape, tokens):
        hint = "of a padding_mask write mask[:, 0, 0]" if mask.ndim > 2 else "one entry a token that is read"
        raise ValueError(f"{name} must have shape {tokens}, True = a real token, got {mask.shape}: {hint}")
    return mask


def check_memory(memory, width, target):
    """A memory (..., n_s, width) of at least one row, which a target (..., n_t, width) can read."""
    memory = check_rows("memory", memory, width)
    check_leading(target=target, memory=memory)
    return memory


def check_choice(name, value, choices):
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def check_dtype(dtype):
    try:
        read = None if dtype is None else np.dtype(dtype)  # to NumPy None is float64
    except (TypeError, ValueError, SyntaxError):
        read = None
    if read is None or read.kind != "f":
        raise TypeError(f"dtype must be a floating dtype such as np.float32, got {dtype!r}")
    return read
