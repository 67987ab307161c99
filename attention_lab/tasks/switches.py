"""A lamp and its switch: a state that every token may turn, for a recurrent net and for attention to follow."""

import numpy as np

from attention_lab.blocks import Encoder
from attention_lab.checks import check_choice, check_generator, check_size, check_text
from attention_lab.hybrids import GRU
from attention_lab.layers import Embedding, Linear
from attention_lab.masks import causal_mask
from attention_lab.positions import positional_encoding

READERS = ("GRU", "attention")


def switches(size, n, *, rng):
    """Draw texts of n tokens, 1 where a switch is pressed, and whether the light is on after each.

    on_t = (pressed_0 + ... + pressed_t) mod 2

    Parameters
    ----------
    size, n : int
        Texts, and tokens of each.
    rng : numpy.random.Generator

    Returns
    -------
    pressed, on : ndarray of int, (size, n)

    Raises
    ------
    TypeError, ValueError
        If a size is no whole number of at least 1.

    Examples
    --------
    >>> pressed, on = switches(1, 6, rng=np.random.default_rng(1))
    >>> pressed.tolist(), on.tolist()
    ([[0, 1, 1, 1, 0, 0]], [[0, 1, 0, 1, 1, 1]])
    """
    shape = check_size("size", size, low=1), check_size("n", n, low=1)
    pressed = check_generator(rng).integers(0, 2, shape)
    return pressed, pressed.cumsum(axis=-1) % 2


class SwitchReader:
    """Say after each token whether the light is on.

    embed -> a GRU, or + positions and causal blocks of attention -> one linear layer

    Parameters
    ----------
    d_model : int
    reader : {"GRU", "attention"}
    num_layers : int
        Of attention.
    rng, dtype : as in `Linear`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or the reader is unknown.

    Notes
    -----
    The task is known as parity. For what attention lacks there: Hahn 2020, "Theoretical Limitations of Self-Attention
    in Neural Sequence Models".

    Examples
    --------
    >>> model = SwitchReader(16, "GRU", rng=np.random.default_rng(0))
    >>> model(np.ones((2, 5), int)).shape
    (2, 5, 2)
    """

    def __init__(self, d_model, reader, *, num_layers=1, rng=None, dtype=np.float32):
        about = {"rng": np.random.default_rng() if rng is None else rng, "dtype": dtype}
        self.embed, self.head = Embedding(2, d_model, **about), Linear(d_model, 2, **about)
        recurrent = check_choice("reader", reader, READERS) == "GRU"
        self.gru = GRU(d_model, d_model, **about) if recurrent else None
        self.encoder = None if recurrent else Encoder(num_layers, d_model, 2, 2 * d_model, **about)

    def __call__(self, pressed):
        """pressed (..., n) of 0 and 1 -> logits (..., n, 2)."""
        x = self.embed(check_text("pressed", pressed, 2))
        n, d_model = x.shape[-2:]
        if self.gru is not None:
            return self.head(self.gru(x))
        x = x + positional_encoding(n, d_model, dtype=x.dtype)
        return self.head(self.encoder(x, causal_mask(n))[0])
