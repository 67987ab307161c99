"""Blocks and stacks: attention and feed-forward on one residual stream, with a norm before or after each, or none."""

import numpy as np

from attention_lab.autodiff import Tensor
from attention_lab.checks import check_choice, check_leading, check_mask, check_number, check_rows, check_size
from attention_lab.functional import dropout as drop
from attention_lab.kv_cache import KVCache
from attention_lab.layers import FeedForward, LayerNorm
from attention_lab.multi_head import MultiHeadAttention

NORMS = ("pre", "post", None)


class EncoderBlock:
    """Attention, then a feed-forward net, each added to the stream it reads.

    pre:  x = x + attention(norm(x)),    x = x + feed_forward(norm(x))
    post: x = norm(x + attention(x)),    x = norm(x + feed_forward(x))

    With ``is_causal=True`` it is the block of a language model.

    Parameters
    ----------
    d_model, num_heads, d_ff : int
    num_kv_heads, d_head : int, optional
        Heads of keys and values, and features of one head, as in `MultiHeadAttention`.
    norm : {"pre", "post", None}
        Where the norms stand. None leaves them out, and the stream grows with depth.
    activation : str
        As in `FeedForward`.
    dropout : float
        Share dropped in training, of the attention weights and of what each sublayer adds.
    rng : numpy.random.Generator, optional
        Draws the parameters.
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or `norm` is unknown.

    Notes
    -----
    Sources: Vaswani et al. 2017, "Attention Is All You Need", section 3.1 (post); Xiong et al. 2020, "On Layer
    Normalization in the Transformer Architecture", section 3 (both).

    Examples
    --------
    >>> block = EncoderBlock(64, 4, 256, rng=np.random.default_rng(0))
    >>> x, weights = block(np.ones((2, 10, 64)))
    >>> x.shape, weights.shape
    ((2, 10, 64), (2, 4, 10, 10))
    """

    def __init__(
        self, d_model, num_heads, d_ff, *, num_kv_heads=None, d_head=None, norm="pre", activation="relu", dropout=0.0,
        rng=None, dtype=np.float32,
    ):  # fmt: skip
        self.d_model, rng = d_model, np.random.default_rng() if rng is None else rng
        self.norm, self.dropout = check_choice("norm", norm, NORMS), check_number("dropout", dropout, low=0, below=1)
        about = {"num_kv_heads": num_kv_heads, "d_head": d_head, "dropout": dropout, "rng": rng, "dtype": dtype}
        self.attention = MultiHeadAttention(d_model, num_heads, **about)
        self.feed_forward = FeedForward(d_model, d_ff, activation, rng=rng, dtype=dtype)
        self.norm_1, self.norm_2 = _norms(2, norm, d_model, dtype)

    def __call__(self, x, mask=None, *, is_causal=False, cache=None, positions=None, rng=None):
        """x (..., n, d_model) -> x (..., n, d_model), weights (..., heads, n, n_k); rest as in `MultiHeadAttention`."""
        x = check_rows("x", x, self.d_model, pads=self.norm == "pre")  # a norm finds NaN itself
        about = {"mask": mask, "is_causal": is_causal, "cache": cache, "positions": positions, "rng": rng}
        attended, weights = self.attention(before(x, self.norm_1, self.norm), **about)
        x = after(x + drop(attended, self.dropout, rng), self.norm_1, self.norm)
        forwarded = self.feed_forward(before(x, self.norm_2, self.norm))
        return after(x + drop(forwarded, self.dropout, rng), self.norm_2, self.norm), weights


class DecoderBlock:
    """Causal self-attention, then cross-attention to a memory, then a feed-forward net.

    pre:  x = x + self_attention(norm(x)),  x = x + cross_attention(norm(x), memory),  x = x + feed_forward(norm(x))
    post: as in `EncoderBlock`

    The memory is read as it is: an `Encoder` norms what it hands over.

    Parameters
    ----------
    d_model, num_heads, d_ff : int
    d_memory : int, optional
        Width of the memory; `d_model` if not given.
    norm, activation, dropout, rng, dtype : as in `EncoderBlock`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or `norm` is unknown.

    Notes
    -----
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.1 (post).

    Examples
    --------
    >>> block = DecoderBlock(64, 4, 256, rng=np.random.default_rng(0))
    >>> x, weights, memory_weights = block(np.ones((2, 3, 64)), memory=np.ones((2, 7, 64)))
    >>> x.shape, weights.shape, memory_weights.shape
    ((2, 3, 64), (2, 4, 3, 3), (2, 4, 3, 7))
    """

    def __init__(
        self, d_model, num_heads, d_ff, *, d_memory=None, norm="pre", activation="relu", dropout=0.0, rng=None,
        dtype=np.float32,
    ):  # fmt: skip
        self.d_model, rng = d_model, np.random.default_rng() if rng is None else rng
        self.norm, self.dropout = check_choice("norm", norm, NORMS), check_number("dropout", dropout, low=0, below=1)
        about = {"dropout": dropout, "rng": rng, "dtype": dtype}
        self.self_attention = MultiHeadAttention(d_model, num_heads, **about)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, d_memory=d_memory, **about)
        self.feed_forward = FeedForward(d_model, d_ff, activation, rng=rng, dtype=dtype)
        self.norm_1, self.norm_2, self.norm_3 = _norms(3, norm, d_model, dtype)

    def __call__(self, x, memory, mask=None, memory_mask=None, *, is_causal=True, positions=None, rng=None):
        """Read what stands before, then the memory.

        Parameters
        ----------
        x : array_like, (..., n_q, d_model)
        memory : array_like, (..., n_k, d_memory)
        mask : array_like, broadcast to (..., heads, n_q, n_q), optional
            Of the self-attention, beside the causal one.
        memory_mask : array_like, broadcast to (..., heads, n_q, n_k), optional
            Of the cross-attention: the memory's padding.
        is_causal, positions, rng
            As in `MultiHeadAttention`; `positions` turn the self-attention.

        Returns
        -------
        x : ndarray, (..., n_q, d_model)
        weights : ndarray, (..., heads, n_q, n_q)
        memory_weights : ndarray, (..., heads, n_q, n_k)
        """
        about = {"mask": mask, "is_causal": is_causal, "positions": positions, "rng": rng}
        x = check_rows("x", x, self.d_model, pads=self.norm == "pre")
        memory = check_rows("memory", memory, self.cross_attention.d_memory, "d_memory")
        attended, weights = self.self_attention(before(x, self.norm_1, self.norm), **about)
        x = after(x + drop(attended, self.dropout, rng), self.norm_1, self.norm)
        memory_mask = _check_memory_mask(memory_mask, x, memory, self.cross_attention.num_heads)
        asking = before(x, self.norm_2, self.norm)
        read, memory_weights = self.cross_attention(asking, memory, mask=memory_mask, rng=rng)
        x = after(x + drop(read, self.dropout, rng), self.norm_2, self.norm)
        forwarded = self.feed_forward(before(x, self.norm_3, self.norm))
        return after(x + drop(forwarded, self.dropout, rng), self.norm_3, self.norm), weights, memory_weights


class Encoder:
    """Encoder blocks, one after the other; pre-norm ones with a last norm after them.

    Parameters
    ----------
    num_layers : int
    d_model, num_heads, d_ff : int
    num_kv_heads, norm, activation, dropout, rng, dtype : as in `EncoderBlock`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or `norm` is unknown.

    Examples
    --------
    >>> encoder = Encoder(3, 64, 4, 256, rng=np.random.default_rng(0))
    >>> x, weights = encoder(np.ones((2, 10, 64)))
    >>> x.shape, len(weights), weights[0].shape
    ((2, 10, 64), 3, (2, 4, 10, 10))
    """

    def __init__(
        self, num_layers, d_model, num_heads, d_ff, *, num_kv_heads=None, norm="pre", activation="relu", dropout=0.0,
        rng=None, dtype=np.float32,
    ):  # fmt: skip
        rng = np.random.default_rng() if rng is None else rng
        about = {"norm": norm, "activation": activation, "dropout": dropout, "rng": rng, "dtype": dtype}
        about["num_kv_heads"] = num_kv_heads
        layers = range(check_size("num_layers", num_layers, low=1))
        self.blocks = [EncoderBlock(d_model, num_heads, d_ff, **about) for _ in layers]
        self.final_norm = LayerNorm(d_model, dtype=dtype) if norm == "pre" else None

    def __call__(self, x, mask=None, *, is_causal=False, caches=None, positions=None, rng=None):
        """x (..., n, d_model) -> x (..., n, d_model), list of weights (..., heads, n, n_k), one a block.

        `caches` is a list of `KVCache`, one a block; `mask`, `is_causal`, `positions` and `rng` as in `EncoderBlock`.
        """
        weights = []
        for step in self.steps(x, mask, is_causal=is_causal, caches=caches, positions=positions, rng=rng):
            x, of_block = step
            weights.append(of_block)
        return x if self.final_norm is None else self.final_norm(x), weights

    def steps(self, x, mask=None, *, is_causal=False, caches=None, positions=None, rng=None):
        """Block by block: yields what it makes of x, (..., n, d_model), before any last norm, and its weights."""
        for block, cache in zip(self.blocks, check_caches(caches, len(self.blocks))):
            x, weights = block(x, mask, is_causal=is_causal, cache=cache, positions=positions, rng=rng)
            yield x, weights


class Decoder:
    """Decoder blocks, one after the other; pre-norm ones with a last norm after them.

    Parameters
    ----------
    num_layers : int
    d_model, num_heads, d_ff : int
    d_memory, norm, activation, dropout, rng, dtype : as in `DecoderBlock`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or `norm` is unknown.

    Examples
    --------
    >>> decoder = Decoder(2, 64, 4, 256, rng=np.random.default_rng(0))
    >>> x, weights, memory_weights = decoder(np.ones((2, 3, 64)), memory=np.ones((2, 7, 64)))
    >>> x.shape, len(weights), memory_weights[0].shape
    ((2, 3, 64), 2, (2, 4, 3, 7))
    """

    def __init__(
        self, num_layers, d_model, num_heads, d_ff, *, d_memory=None, norm="pre", activation="relu", dropout=0.0,
        rng=None, dtype=np.float32,
    ):  # fmt: skip
        rng = np.random.default_rng() if rng is None else rng
        about = {"norm": norm, "activation": activation, "dropout": dropout, "rng": rng, "dtype": dtype}
        layers = range(check_size("num_layers", num_layers, low=1))
        self.blocks = [DecoderBlock(d_model, num_heads, d_ff, d_memory=d_memory, **about) for _ in layers]
        self.final_norm = LayerNorm(d_model, dtype=dtype) if norm == "pre" else None

    def __call__(self, x, memory, mask=None, memory_mask=None, *, is_causal=True, positions=None, rng=None):
        """As `DecoderBlock`; of both kinds of weights a list, one entry a block."""
        weights, memory_weights = [], []
        for block in self.blocks:
            x, own, read = block(x, memory, mask, memory_mask, is_causal=is_causal, positions=positions, rng=rng)
            weights.append(own)
            memory_weights.append(read)
        return x if self.final_norm is None else self.final_norm(x), weights, memory_weights


def before(x, norm, place):
    """What a sublayer reads: the normed stream in a pre-norm block, else the stream itself."""
    return norm(x) if place == "pre" else x


def after(x, norm, place):
    """What becomes of the sum: in a post-norm block it is normed."""
    return norm(x) if place == "post" else x


def check_caches(caches, num_layers):
    """One cache a block, each of its own: or as many times None."""
    if caches is None:
        return [None] * num_layers
    are_caches = isinstance(caches, list | tuple) and all(isinstance(cache, KVCache) for cache in caches)
    if not are_caches or not len(caches) == len(set(map(id, caches))) == num_layers:
        raise ValueError(f"caches must be a list of {num_layers} different KVCaches, one a block, got {caches!r:.80}")
    seen = [cache.seen for cache in caches]
    if len(set(seen)) > 1:
        raise ValueError(f"caches have seen {seen} tokens, but must hold the same text: reset each, and read it anew")
    return caches


def _check_memory_mask(mask, x, memory, num_heads):
    """The mask of the cross-attention, refused under the name it has here."""
    check_leading(x=x, memory=memory)
    leading = np.broadcast_shapes(x.shape[:-2], memory.shape[:-2])
    scores_shape = (*leading, num_heads, x.shape[-2], memory.shape[-2])
    if mask is not None:
        check_mask(mask.data if isinstance(mask, Tensor) else mask, scores_shape, "memory_mask")
    return mask


def _norms(count, place, d_model, dtype):
    return [None if place is None else LayerNorm(d_model, dtype=dtype) for _ in range(count)]
