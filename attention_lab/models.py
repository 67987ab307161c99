"""Whole models, each a few lines over blocks: tokens in, logits out."""

import math

import numpy as np

from attention_lab.blocks import Encoder, check_caches
from attention_lab.checks import check_choice, check_positions, check_size, check_text
from attention_lab.functional import dropout as drop
from attention_lab.functional import linear
from attention_lab.kv_cache import KVCache
from attention_lab.layers import Embedding, Linear
from attention_lab.masks import over_keys
from attention_lab.pooling import AttentionPooling, masked_mean, mean_share
from attention_lab.position_bias import alibi_bias
from attention_lab.positions import LearnedPositions, sinusoids


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
    pooling : {"mean", "attention", "first"}
        `masked_mean`, `AttentionPooling`, or the first token's row alone, for texts with a [CLS] in front.
    norm, activation : as in `EncoderBlock`
    dropout : float
        Share dropped in training, of the words' vectors too.
    rng, dtype : as in `EncoderBlock`

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
        self.pooling = check_choice("pooling", pooling, ("mean", "attention", "first"))
        self.embed = Embedding(vocab_size, d_model, rng=rng, dtype=dtype)
        self.positions = LearnedPositions(max_len, d_model, rng=rng, dtype=dtype)
        about = {"norm": norm, "activation": activation, "dropout": dropout, "rng": rng, "dtype": dtype}
        self.encoder, self.dropout = Encoder(num_layers, d_model, num_heads, d_ff, **about), dropout
        self.pool = AttentionPooling(d_model, dtype=dtype) if pooling == "attention" else None
        self.head = Linear(d_model, check_size("num_classes", num_classes, low=1), rng=rng, dtype=dtype)

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
        ids = check_text("ids", ids, self.embed.vocab_size)
        x = drop(self.positions(self.embed(ids)), self.dropout, rng)  # (..., n, d_model)
        x, weights = self.encoder(x, over_keys(mask, ids.shape), rng=rng)
        pooled, share = self._pool(x, mask)
        return self.head(pooled), weights, share

    def _pool(self, x, mask):
        if self.pool is not None:
            return self.pool(x, mask)
        if self.pooling == "first":
            mask = np.arange(x.shape[-2]) == 0
        return masked_mean(x, mask), mean_share(x.shape[:-1], mask)


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
        ids, first = check_text("ids", ids, self.embed.vocab_size), check_caches(caches, len(self.encoder.blocks))[0]
        *batch, n = ids.shape
        n_k = n if first is None else first.num_keys(n)
        if positions is None:
            positions = np.arange(n) + (0 if first is None else first.seen)
        positions = check_positions(positions, ids.shape)
        x = drop(self._place(self.embed(ids), positions), self.dropout, rng)  # (..., n, d_model)
        turned = positions if self.positions == "rotary" else None
        mask = self._biased(over_keys(mask, (*batch, n_k)), n, n_k)
        x, weights = self.encoder(x, mask, is_causal=True, caches=caches, positions=turned, rng=rng)
        return linear(x, self.embed.table.swapaxes(0, 1)), weights

    def caches(self, max_len=None, *, on_full="raise"):
        """Empty caches, one a block, for `max_len` tokens; `on_full` as in `KVCache`."""
        return [KVCache(self.max_len if max_len is None else max_len, on_full=on_full) for _ in self.encoder.blocks]

    def _place(self, x, positions):
        if self.learned is not None:
            if positions.max(initial=0) >= self.max_len:
                raise ValueError(
                    f"the text reaches position {positions.max()}, but the model has learned max_len={self.max_len}, "
                    "from 0 on: give less, or train it with a larger max_len"
                )
            return self.learned(x, positions)
        if self.positions != "sinusoidal":
            return x
        d_model = x.shape[-1]
        return x * math.sqrt(d_model) + sinusoids(positions, d_model).astype(x.dtype)

    def _biased(self, mask, n, n_k):
        """What hides the padding, and the bias that ALiBi adds."""
        if self.positions != "alibi":
            return mask
        bias = alibi_bias(self.encoder.blocks[0].attention.num_heads, n, n_k)
        return bias if mask is None else np.where(mask, bias, -np.inf)
