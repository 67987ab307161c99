"""Layers: each holds its parameters, plain arrays, and its call is the equation.

Weights are drawn so that unit-variance input gives unit-variance output. A result has the floating dtype of the
input, whatever dtype the parameters have.
"""

import math

import numpy as np

from attention_lab.activations import gelu, relu, silu
from attention_lab.checks import check_choice, check_dtype, check_flag, check_number, check_size
from attention_lab.functional import embedding, initial, layer_norm, linear, rms_norm


class Linear:
    """One matrix and one bias for every position.

    Linear(x) = x W + b

    Parameters
    ----------
    d_in, d_out : int
    bias : bool
        Whether there is a b; it starts at 0.
    variance : float
        Of the output, for unit-variance input: W is drawn from N(0, variance / d_in).
    rng : numpy.random.Generator, optional
        Draws W.
    dtype : dtype
        Of the parameters.

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number of at least 1.

    Examples
    --------
    >>> layer = Linear(3, 5, rng=np.random.default_rng(0))
    >>> layer(np.ones((2, 7, 3))).shape
    (2, 7, 5)
    """

    parameters = ("weight", "bias")

    def __init__(self, d_in, d_out, *, bias=True, variance=1.0, rng=None, dtype=np.float32):
        self.d_in, self.d_out = check_size("d_in", d_in, low=1), check_size("d_out", d_out, low=1)
        variance = check_number("variance", check_number("variance", variance, low=0), high=1e6)
        self.weight = initial(rng, (d_in, d_out), math.sqrt(variance / d_in), dtype)
        self.bias = np.zeros(d_out, dtype) if check_flag("bias", bias) else None

    def __call__(self, x):
        """x (..., d_in) -> y (..., d_out)."""
        return linear(x, self.weight, self.bias)


class Embedding:
    """A vector for every token of a vocabulary.

    Embedding(ids)_i = table[ids_i]

    Parameters
    ----------
    vocab_size, d_model : int
    rng : numpy.random.Generator, optional
        Draws the table from N(0, 1/d_model): vectors of length about 1. Multiply by √d_model where entries of
        variance 1 are wanted, as where a positional encoding is added.
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number of at least 1.

    Notes
    -----
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.4.

    Examples
    --------
    >>> Embedding(100, 8, rng=np.random.default_rng(0))([[3, 5, 3]]).shape
    (1, 3, 8)
    """

    parameters = ("table",)

    def __init__(self, vocab_size, d_model, *, rng=None, dtype=np.float32):
        self.vocab_size = check_size("vocab_size", vocab_size, low=1)
        self.d_model = check_size("d_model", d_model, low=1)
        self.table = initial(rng, (vocab_size, d_model), 1 / math.sqrt(d_model), dtype)

    def __call__(self, ids):
        """ids (...), whole numbers -> vectors (..., d_model)."""
        return embedding(ids, self.table)


class LayerNorm:
    """Each position's features with mean 0 and variance 1, then a gain and a bias a feature.

    LayerNorm(x) = (x - mean(x)) / √(var(x) + eps) · gain + bias

    Parameters
    ----------
    d_model : int
    eps : float
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If `d_model` is not a whole number of at least 1.

    Notes
    -----
    Source: Ba et al. 2016, "Layer Normalization", section 3.

    Examples
    --------
    >>> LayerNorm(2)([[1.0, 3.0]]).round(3).tolist()
    [[-1.0, 1.0]]
    """

    parameters = ("gain", "bias")

    def __init__(self, d_model, *, eps=1e-5, dtype=np.float32):
        d_model = check_size("d_model", d_model, low=1)
        self.eps = check_number("eps", eps, low=0)
        self.gain, self.bias = np.ones(d_model, check_dtype(dtype)), np.zeros(d_model, dtype)

    def __call__(self, x):
        """x (..., d_model) -> y (..., d_model)."""
        return layer_norm(x, self.gain, self.bias, self.eps)


class RMSNorm:
    """Each position's features with a mean square of 1, then a gain a feature.

    RMSNorm(x) = x / √(mean(x²) + eps) · gain

    Parameters
    ----------
    d_model : int
    eps : float
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If `d_model` is not a whole number of at least 1.

    Notes
    -----
    Source: Zhang & Sennrich 2019, "Root Mean Square Layer Normalization", equation 4.

    Examples
    --------
    >>> RMSNorm(2)([[3.0, 3.0]]).round(3).tolist()
    [[1.0, 1.0]]
    """

    parameters = ("gain",)

    def __init__(self, d_model, *, eps=1e-6, dtype=np.float32):
        self.eps = check_number("eps", eps, low=0)
        self.gain = np.ones(check_size("d_model", d_model, low=1), check_dtype(dtype))

    def __call__(self, x):
        """x (..., d_model) -> y (..., d_model)."""
        return rms_norm(x, self.gain, self.eps)


# What each activation leaves of the mean square of normal numbers: the layer after it makes up for that.
MEAN_SQUARE = {"relu": 0.5, "gelu": 0.425, "gelu_tanh": 0.425, "swiglu": 0.356}


class FeedForward:
    """Two linear maps with an activation between them, for every position by itself.

    FeedForward(x) = relu(x W₁ + b₁) W₂ + b₂;    with SwiGLU: (silu(x W_g) · x W₁) W₂, biases likewise

    Parameters
    ----------
    d_model, d_ff : int
        Width outside and inside.
    activation : {"relu", "gelu", "gelu_tanh", "swiglu"}
    bias : bool
    rng : numpy.random.Generator, optional
        Draws the weights, the last ones larger by what the activation takes away: unit variance in gives unit
        variance out.
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number of at least 1, or the activation is unknown.

    Notes
    -----
    Sources: Vaswani et al. 2017, "Attention Is All You Need", section 3.3; Shazeer 2020, "GLU Variants Improve
    Transformer", section 2.

    Examples
    --------
    >>> FeedForward(4, 16, rng=np.random.default_rng(0))(np.ones((2, 3, 4))).shape
    (2, 3, 4)
    """

    def __init__(self, d_model, d_ff, activation="relu", *, bias=True, rng=None, dtype=np.float32):
        d_model, d_ff = check_size("d_model", d_model, low=1), check_size("d_ff", d_ff, low=1)
        self.activation = check_choice("activation", activation, tuple(MEAN_SQUARE))
        rng = np.random.default_rng() if rng is None else rng
        about = {"bias": bias, "rng": rng, "dtype": dtype}
        self.gate = Linear(d_model, d_ff, **about) if activation == "swiglu" else None
        self.up = Linear(d_model, d_ff, **about)
        self.down = Linear(d_ff, d_model, variance=1 / MEAN_SQUARE[activation], **about)

    @np.errstate(over="ignore", under="ignore")
    def __call__(self, x):
        """x (..., d_model) -> y (..., d_model)."""
        inner = self.up(x)  # (..., n, d_ff)
        if self.activation == "swiglu":
            inner = silu(self.gate(x)) * inner
        elif self.activation == "relu":
            inner = relu(inner)
        else:
            inner = gelu(inner, approximate=self.activation == "gelu_tanh")
        return self.down(inner)  # (..., n, d_model)
