"""Whole models, each a few lines over blocks: tokens in, logits out."""

import math

import numpy as np

from attention_lab.blocks import Encoder
from attention_lab.checks import as_visible, check_choice, check_ids, check_size
from attention_lab.functional import dropout as drop
from attention_lab.functional import linear
from attention_lab.kv_cache import KVCache
from attention_lab.layers import Embedding, Linear
from attention_lab.pooling import AttentionPooling, masked_mean, mean_share
from attention_lab.position_bias import alibi_bias
from attention_lab.positions import LearnedPositions, positional_encoding


class TextClassifier:
    """Read a whole text, then say which class it belongs to.

    embed -> + positions -> blocks -> pool over the real tokens -> one linear layer

    Parameters
    ----------
    vocab_size, num_classes : int
    d_model, num_heads, d_ff : int
    num_layers : int
    max_len : int
        The longest text: so many positions are learned.
    pooling : {"mean", "attention"}
        `masked_mean`, or `AttentionPooling`.
    dropout : float
        Share dropped in training, of the words' vectors too.
    norm, activation, rng, dtype : as in `EncoderBlock`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or a choice is unknown.

    Examples
    --------
    >>> model = TextClassifier(1000, 2, 128, 4, 256, num_layers=1, max_len=50, rng=np.random.default_rng(0))
    >>> logits, weights, share = model(np.zeros((32, 50), int))
    >>> logits.shape, len(weights), share.shape
    ((32, 2), 1, (32, 50))
    """

    def __init__(
        self, vocab_size, num_classes, d_model, num_heads, d_ff, *, num_layers=1, max_len, pooling="mean", norm="pre",
        activation="relu", dropout=0.0, rng=None, dtype=np.float32,
    ):  # fmt: skip
        rng = np.random.default_rng() if rng is None else rng
        check_choice("pooling", pooling or "", ("mean", "attention"))
        self.embed = Embedding(vocab_size, d_model, rng=rng, dtype=dtype)
        self.positions = LearnedPositions(max_len, d_model, rng=rng, dtype=dtype)
        about = {"norm": norm, "activation": activation, "dropout": dropout, "rng": rng, "dtype": dtype}
        self.encoder, self.dropout = Encoder(num_layers, d_model, num_heads, d_ff, **about), dropout
        self.pool = AttentionPooling(d_model, dtype=dtype) if pooling == "attention" else None
        self.head = Linear(d_model, num_classes, rng=rng, dtype=dtype)

    def __call__(self, ids, mask=None, *, rng=None):
        """Classify.

        Parameters
        ----------
        ids : array_like of int, (..., n)
        mask : array_like of bool, (..., n), optional
            True = a real token. A pad is read by nobody and counts nothing in the pool.
        rng : numpy.random.Generator, optional
            Switches dropout on.

        Returns
        -------
        logits : ndarray, (..., num_classes)
        weights : list of ndarray, (..., heads, n, n)
            One a block.
        share : ndarray, (..., n)
            How much each token counts in the pool; sums to one.
        """
        x = drop(self.positions(self.embed(ids)), self.dropout, rng)  # (..., n, d_model)
        x, weights = self.encoder(x, _over_keys(mask), rng=rng)
        if self.pool is None:
            pooled, share = masked_mean(x, mask), mean_share(x.shape[:-1], mask)
        else:
            pooled, share = self.pool(x, mask)
        return self.head(pooled), weights, share


class LanguageModel:
    """Read a text from left to right and say, at every token, what may come next.

    embed -> + positions -> causal blocks -> the embedding's own table, transposed

    logits_i belong to the token after token i: the target is the text shifted by one.

    Parameters
    ----------
    vocab_size, d_model, num_heads, d_ff : int
    num_layers : int
    max_len : int
        The longest text that is meant, and what `caches` has room for. Only learned positions end there.
    num_kv_heads : int, optional
        Grouped heads, as in `MultiHeadAttention`.
    positions : {"learned", "sinusoidal", "rotary", "alibi", None}
    norm, activation, dropout, rng, dtype : as in `EncoderBlock`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or a choice is unknown.

    Notes
    -----
    One table reads and writes words: Press & Wolf 2017, "Using the Output Embedding to Improve Language Models".

    Examples
    --------
    >>> model = LanguageModel(27, 32, 4, 64, num_layers=2, max_len=16, rng=np.random.default_rng(0))
    >>> logits, weights = model([[0, 3, 1, 20]])
    >>> logits.shape, weights[0].shape
    ((1, 4, 27), (1, 4, 4, 4))
    """

    def __init__(
        self, vocab_size, d_model, num_heads, d_ff, *, num_layers, max_len, num_kv_heads=None, positions="learned",
        norm="pre", activation="relu", dropout=0.0, rng=None, dtype=np.float32,
    ):  # fmt: skip
        rng = np.random.default_rng() if rng is None else rng
        self.positions = check_choice("positions", positions, ("learned", "sinusoidal", "rotary", "alibi", None))
        self.max_len, self.dropout = check_size("max_len", max_len, low=1), dropout
        self.embed = Embedding(vocab_size, d_model, rng=rng, dtype=dtype)
        self.learned = LearnedPositions(max_len, d_model, rng=rng, dtype=dtype) if positions == "learned" else None
        about = {"norm": norm, "activation": activation, "dropout": dropout, "rng": rng, "dtype": dtype}
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, num_kv_heads=num_kv_heads, **about)

    def __call__(self, ids, mask=None, *, caches=None, positions=None, rng=None):
        """Read.

        Parameters
        ----------
        ids : array_like of int, (..., n)
            With caches only what is new.
        mask : array_like of bool, (..., n_k), optional
            True = a real token, of all that are read: with caches n_k counts those kept, too.
        caches : list of KVCache, optional
            Of `caches`: what was read before.
        positions : array_like of int, broadcast to (..., n), optional
            Where the tokens stand; if not given 0, 1, 2, ..., or on from what the caches have seen. A padded text needs
            positions that do not count its pads.
        rng : numpy.random.Generator, optional
            Switches dropout on.

        Returns
        -------
        logits : ndarray, (..., n, vocab_size)
        weights : list of ndarray, (..., heads, n, n_k)
            One a block.
        """
        ids = check_ids("ids", ids, self.embed.vocab_size)
        if ids.ndim == 0 or ids.shape[-1] == 0:
            raise ValueError(f"ids must be (..., n) with n of at least 1, got shape {ids.shape}")
        if positions is None:
            positions = (caches[0].seen if caches else 0) + np.arange(ids.shape[-1])
        x = drop(self._place(self.embed(ids), positions), self.dropout, rng)  # (..., n, d_model)
        turned = positions if self.positions == "rotary" else None
        mask = self._mask(mask, ids.shape[-1], caches)
        x, weights = self.encoder(x, mask, is_causal=True, caches=caches, positions=turned, rng=rng)
        return linear(x, self.embed.table.swapaxes(0, 1)), weights

    def caches(self, max_len=None, *, on_full="raise"):
        """Empty caches, one a block, for `max_len` tokens; `on_full` as in `KVCache`."""
        return [KVCache(max_len or self.max_len, on_full=on_full) for _ in self.encoder.blocks]

    def _place(self, x, positions):
        if self.learned is not None:
            return self.learned(x, positions)
        if self.positions != "sinusoidal":
            return x
        d_model = x.shape[-1]
        table = positional_encoding(int(np.max(positions)) + 1, d_model, dtype=x.dtype)
        return x * math.sqrt(d_model) + table[np.asarray(positions)]

    def _mask(self, mask, n, caches):
        """What hides the padding, and the bias that ALiBi adds."""
        mask = _over_keys(mask)
        if self.positions != "alibi":
            return mask
        heads = self.encoder.blocks[0].attention.num_heads
        bias = alibi_bias(heads, n, caches[0].num_keys(n) if caches else n)
        return bias if mask is None else np.where(mask, bias, -np.inf)


def _over_keys(mask):
    """A mask over tokens, (..., n), as one over scores, (..., heads, queries, n): the same for every query."""
    return None if mask is None else as_visible("mask", mask)[..., None, None, :]
