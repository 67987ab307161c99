"""Encoder and decoder: read one sequence, write another, and look back at the first for every token."""

import numpy as np

from attention_lab.blocks import Decoder, Encoder
from attention_lab.checks import check_size, check_text
from attention_lab.functional import dropout as drop
from attention_lab.layers import Embedding, Linear
from attention_lab.masks import over_keys
from attention_lab.positions import LearnedPositions


class Seq2Seq:
    """Write a target, one token after the other, while reading a source.

    encode:  source -> embed + positions -> encoder blocks -> memory
    decode:  target -> embed + positions -> decoder blocks, which read the memory -> linear -> logits

    logits_i belong to the token after target token i. Every decoder block reads the same memory: what leaves the last
    encoder block.

    Parameters
    ----------
    source_size, target_size : int
        Sizes of the two vocabularies.
    d_model, num_heads, d_ff : int
    encoder_layers : int
        With 0 the memory is embedding and position alone: a word is read as it is, without its neighbours.
    decoder_layers : int
    max_len : int
        The longest source and the longest target: so many positions are learned for each.
    norm, activation, dropout, rng, dtype : as in `EncoderBlock`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or a choice is unknown.

    Notes
    -----
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.

    Examples
    --------
    >>> model = Seq2Seq(30, 40, 32, 4, 64, max_len=12, rng=np.random.default_rng(0))
    >>> logits, memory_weights = model(np.ones((2, 5), int), np.ones((2, 3), int))
    >>> logits.shape, memory_weights[0].shape
    ((2, 3, 40), (2, 4, 3, 5))
    """

    def __init__(
        self, source_size, target_size, d_model, num_heads, d_ff, *, encoder_layers=1, decoder_layers=1, max_len,
        norm="pre", activation="relu", dropout=0.0, rng=None, dtype=np.float32,
    ):  # fmt: skip
        rng = np.random.default_rng() if rng is None else rng
        about, sizes = {"rng": rng, "dtype": dtype}, (d_model, num_heads, d_ff)
        self.embed_source, self.embed_target = (Embedding(n, d_model, **about) for n in (source_size, target_size))
        self.place_source, self.place_target = (LearnedPositions(max_len, d_model, **about) for _ in range(2))
        self.head, self.dropout = Linear(d_model, target_size, **about), dropout
        about |= {"norm": norm, "activation": activation, "dropout": dropout}
        has_encoder = check_size("encoder_layers", encoder_layers) > 0
        self.encoder = Encoder(encoder_layers, *sizes, **about) if has_encoder else None
        self.decoder = Decoder(decoder_layers, *sizes, **about)

    def __call__(self, source, target, source_mask=None, target_mask=None, *, rng=None):
        """Read the source, and say what follows each token of the target.

        Parameters
        ----------
        source : array_like of int, (..., n_s)
        target : array_like of int, (..., n_t)
            What is written so far; in training the true target, shifted by one: it begins with a start token.
        source_mask, target_mask : array_like of bool, (..., n_s) and (..., n_t), optional
            True = a real token.
        rng : numpy.random.Generator, optional
            Switches dropout on.

        Returns
        -------
        logits : ndarray, (..., n_t, target_size)
        memory_weights : list of ndarray, (..., heads, n_t, n_s)
            Of the cross-attention, one a decoder block.
        """
        memory, _ = self.encode(source, source_mask, rng=rng)
        logits, _, memory_weights = self.decode(target, memory, source_mask, target_mask, rng=rng)
        return logits, memory_weights

    def encode(self, source, mask=None, *, rng=None):
        """source (..., n_s) -> memory (..., n_s, d_model), and weights (..., heads, n_s, n_s), one a block, in a list."""
        source = check_text("source", source, self.embed_source.vocab_size)
        memory = drop(self.place_source(self.embed_source(source)), self.dropout, rng)
        if self.encoder is None:
            return memory, []
        return self.encoder(memory, over_keys(mask, source.shape), rng=rng)

    def decode(self, target, memory, source_mask=None, target_mask=None, *, rng=None):
        """target (..., n_t) and memory -> logits (..., n_t, target_size), weights and memory weights, one a block."""
        target = check_text("target", target, self.embed_target.vocab_size)
        x = drop(self.place_target(self.embed_target(target)), self.dropout, rng)
        masks = over_keys(target_mask, target.shape), over_keys(source_mask, memory.shape[:-1])
        x, weights, memory_weights = self.decoder(x, memory, *masks, rng=rng)
        return self.head(x), weights, memory_weights
