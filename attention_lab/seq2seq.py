"""Encoder and decoder: read one sequence, write another, and look back at the first for every token."""

import numpy as np

from attention_lab.blocks import Decoder, Encoder
from attention_lab.checks import check_memory, check_size, check_text
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
        given = {"source_size": source_size, "target_size": target_size, "decoder_layers": decoder_layers}
        for name, size in given.items():
            check_size(name, size, low=1)
        rng = np.random.default_rng() if rng is None else rng
        about, sizes = {"rng": rng, "dtype": dtype}, (d_model, num_heads, d_ff)
        self.embed_source, self.embed_target = (Embedding(n, d_model, **about) for n in (source_size, target_size))
        self.place_source, self.place_target = (LearnedPositions(max_len, d_model, **about) for _ in range(2))
        self.max_len = self.place_target.max_len
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

    def encode(self, source, source_mask=None, *, rng=None):
        """source (..., n_s) -> memory (..., n_s, d_model), and a list of weights, one a block.

        `source_mask` and `rng` as in the call.
        """
        memory = self._read("source", source, self.embed_source, self.place_source, rng)
        mask = over_keys(source_mask, memory.shape[:-1], "source_mask")
        if self.encoder is None:
            return memory, []
        return self.encoder(memory, mask, rng=rng)

    def decode(self, target, memory, source_mask=None, target_mask=None, *, rng=None):
        """target (..., n_t), memory (..., n_s, d_model) -> logits (..., n_t, target_size), and two lists.

        They hold weights (..., heads, n_t, n_t) and memory weights (..., heads, n_t, n_s), one a block. `source_mask`,
        `target_mask` and `rng` as in the call.
        """
        x = self._read("target", target, self.embed_target, self.place_target, rng)
        memory = check_memory(memory, self.embed_target.d_model, x)
        mask = over_keys(target_mask, x.shape[:-1], "target_mask")
        memory_mask = over_keys(source_mask, memory.shape[:-1], "source_mask")
        x, weights, memory_weights = self.decoder(x, memory, mask, memory_mask, rng=rng)
        return self.head(x), weights, memory_weights

    def _read(self, name, ids, embed, place, rng):
        ids = check_text(name, ids, embed.vocab_size)
        if ids.shape[-1] > self.max_len:
            raise ValueError(
                f"{name} has {ids.shape[-1]} tokens, but the model has learned max_len={self.max_len} positions: give "
                "less, or train it with a larger max_len"
            )
        return drop(place(embed(ids)), self.dropout, rng)
