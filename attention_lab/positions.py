"""Where a token stands, told by its vectors: an encoding added to them, or a turn of queries and keys."""

import math

import numpy as np

from attention_lab.autodiff import differentiable
from attention_lab.checks import (
    check_dtype,
    check_flag,
    check_ids,
    check_number,
    check_positions,
    check_rows,
    check_size,
    finite,
    floating,
)
from attention_lab.functional import embedding, initial


def positional_encoding(seq_len, d_model, *, base=10000.0, dtype=np.float64):
    """Sinusoidal encoding: a clock with d_model / 2 hands, each slower than the one before.

    PE(p, 2i) = sin(p / base^(2i / d_model)),    PE(p, 2i + 1) = cos(p / base^(2i / d_model))

    It is added to the tokens' vectors. PE(p) · PE(p + k) depends on k alone.

    Parameters
    ----------
    seq_len : int
        Number of positions; 0 gives an empty array.
    d_model : int
        Number of features; an odd one leaves the last sine without its cosine.
    base : float
        Sets the slowest hand: the longest wavelength is close to 2π · base.
    dtype : dtype
        Give that of the vectors it is added to: float32 plus float64 is float64.

    Returns
    -------
    ndarray, (seq_len, d_model)

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number or is negative, or `base` is not above 0.

    Notes
    -----
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.

    Examples
    --------
    >>> positional_encoding(2, 4).round(3).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.841, 0.54, 0.01, 1.0]]
    """
    positions = np.arange(check_size("seq_len", seq_len))
    return sinusoids(positions, check_size("d_model", d_model), base).astype(check_dtype(dtype), copy=False)


def sinusoids(positions, d_model, base=10000.0):
    """The rows of `positional_encoding` at positions that were checked, (...) -> (..., d_model)."""
    angle = positions[..., None] * _frequencies(d_model, base)  # (..., ⌈d_model / 2⌉)
    encoding = np.empty((*positions.shape, d_model))
    encoding[..., 0::2] = np.sin(angle)
    encoding[..., 1::2] = np.cos(angle[..., : d_model // 2])
    return encoding


def _rotary_backward(grad, saved):
    cos, sin, interleaved = saved
    return (_turn(grad, cos, -sin, interleaved),)  # turned back


@differentiable(_rotary_backward)
@finite
def rotary_embedding(x, positions=None, *, base=10000.0, interleaved=False):
    """Turn each pair of features by an angle that grows with the position.

    (a, b) -> (a cos pθᵢ - b sin pθᵢ, a sin pθᵢ + b cos pθᵢ),    θᵢ = base^(-2i / d)

    Applied to queries and to keys, and not to values: q · k then depends on the distance of the two alone.

    Parameters
    ----------
    x : array_like, (..., n, d)
        Queries or keys, d even.
    positions : array_like, broadcast to (..., n), optional
        0, 1, 2, ... if not given. With a cache of keys the new tokens begin where the cache ends.
    base : float
        Sets the slowest turn.
    interleaved : bool
        Which features form pair i: 2i and 2i + 1, or (the default) i and i + d/2. Both are in use. Queries and
        keys must be turned the same way, and loaded weights the way they were trained.

    Returns
    -------
    ndarray, (..., n, d)

    Raises
    ------
    TypeError, ValueError
        If d is odd, or `positions` does not fit.

    Notes
    -----
    Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", section 3.2.2
    (interleaved).

    Examples
    --------
    >>> rotary_embedding([[1.0, 0.0], [1.0, 0.0]]).round(3).tolist()    # by 0 and by 1 radian
    [[1.0, 0.0], [0.54, 0.841]]
    """
    x, dtype = floating(x=x)
    if x.ndim < 2 or x.shape[-1] % 2:
        raise ValueError(f"x must be (..., n, d) with an even d, to be turned pair by pair, got shape {x.shape}")
    positions = check_positions(np.arange(x.shape[-2]) if positions is None else positions, x.shape[:-1])
    angle = positions[..., None] * _frequencies(x.shape[-1], base)
    cos, sin = np.cos(angle).astype(x.dtype), np.sin(angle).astype(x.dtype)  # (..., n, d / 2)
    turned = _turn(x, cos, sin, check_flag("interleaved", interleaved))
    return turned.astype(dtype, copy=False), (cos, sin, interleaved)


def _turn(x, cos, sin, interleaved):
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else np.split(x, 2, axis=-1)
    turned = a * cos - b * sin, a * sin + b * cos
    return np.stack(turned, -1).reshape(x.shape) if interleaved else np.concatenate(turned, -1)


class LearnedPositions:
    """A learned vector for each position, added to the tokens' vectors.

    learned(x)_p = x_p + table[p]

    Parameters
    ----------
    max_len : int
        Number of rows. A position beyond has none, and raises.
    d_model : int
    rng : numpy.random.Generator, optional
        Draws the table, N(0, 1/d_model): rows about as long as those of an `Embedding`.
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number of at least 1.

    Notes
    -----
    Source: Gehring et al. 2017, "Convolutional Sequence to Sequence Learning", section 3.1.

    Examples
    --------
    >>> positions = LearnedPositions(16, 4, rng=np.random.default_rng(0))
    >>> positions(np.zeros((2, 5, 4))).shape
    (2, 5, 4)
    """

    parameters = ("table",)

    def __init__(self, max_len, d_model, *, rng=None, dtype=np.float32):
        self.max_len, self.d_model = check_size("max_len", max_len, low=1), check_size("d_model", d_model, low=1)
        self.table = initial(rng, (max_len, d_model), 1 / math.sqrt(d_model), dtype)

    def __call__(self, x, positions=None):
        """Add to each row of x that of its position.

        Parameters
        ----------
        x : array_like, (..., n, d_model)
        positions : array_like of int, broadcast to (..., n), optional
            0, 1, 2, ... if not given.

        Returns
        -------
        ndarray, (..., n, d_model)
        """
        x = check_rows("x", x, self.d_model, may_be_empty=True)
        n = x.shape[-2]
        if positions is None and n > self.max_len:
            raise ValueError(f"x has {n} positions but the table has max_len={self.max_len} rows: it learned no more")
        positions = check_positions(np.arange(n) if positions is None else positions, x.shape[:-1])
        rows = embedding(check_ids("positions", positions, self.max_len), self.table)
        return x + rows.astype(x.dtype if x.dtype.kind == "f" else np.float64)


def _frequencies(d, base):
    """One turning speed a pair of features, from 1 down to nearly 1 / base."""
    return check_number("base", base, above=0) ** (-np.arange(0, d, 2) / d)
