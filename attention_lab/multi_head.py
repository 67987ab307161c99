"""Multi-head attention: project, split into heads, attend in each, merge, project."""

import math

import numpy as np

from attention_lab.attention import scaled_dot_product_attention
from attention_lab.autodiff import differentiable
from attention_lab.checks import check_flag, check_mask, check_number, check_positions, check_rows, check_size, numeric
from attention_lab.functional import initial, linear
from attention_lab.kv_cache import KVCache
from attention_lab.masks import sliding_window_mask
from attention_lab.positions import rotary_embedding


class MultiHeadAttention:
    """Several attentions side by side, each in its own small space; together as wide as the input.

    head_i = Attention(query W_qⁱ, key W_kⁱ, value W_vⁱ),    output = [head_0, head_1, ...] W_o

    Head i's matrices are the i-th blocks of columns of `W_q`, `W_k` and `W_v`.

    Parameters
    ----------
    d_model : int
        Width of the queries and of the output.
    num_heads : int
        Must divide d_model, unless `d_head` is given.
    num_kv_heads : int, optional
        Grouped heads: how many heads keys and values have, each for num_heads / num_kv_heads consecutive query
        heads. 1 is multi-query attention; `num_heads` if not given.
    d_head : int, optional
        Width of a head (d_k and d_v); d_model / num_heads if not given.
    d_memory : int, optional
        Width of keys and values, where they come from elsewhere; `d_model` if not given.
    bias : bool
        Whether b_q, b_k, b_v and b_o exist; they start at 0.
    dropout : float
        Share of the weights that training drops.
    base, interleaved : float, bool
        Of the rotation, where the call gives `positions`: see `rotary_embedding`.
    rng : numpy.random.Generator, optional
        Draws each matrix from N(0, 1/its number of rows): unit-variance input gives scores of variance 1.
    dtype : dtype
        Of the parameters.

    Raises
    ------
    TypeError, ValueError
        If a size is impossible: the message says which would do.

    Notes
    -----
    Sources: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2; Ainslie et al. 2023, "GQA", section 2.2.

    Examples
    --------
    >>> attend = MultiHeadAttention(64, 4, rng=np.random.default_rng(0))
    >>> output, weights = attend(np.ones((2, 10, 64)))
    >>> output.shape, weights.shape
    ((2, 10, 64), (2, 4, 10, 10))
    """

    parameters = ("W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "b_o")

    def __init__(
        self, d_model, num_heads, *, num_kv_heads=None, d_head=None, d_memory=None, bias=False, dropout=0.0,
        base=10000.0, interleaved=False, rng=None, dtype=np.float32,
    ):  # fmt: skip
        self.d_model, self.num_heads = check_size("d_model", d_model, low=1), check_size("num_heads", num_heads, low=1)
        self.num_kv_heads = _key_heads(self.num_heads, num_kv_heads)
        self.d_head = _head_width(self.d_model, self.num_heads, d_head)
        self.d_memory = self.d_model if d_memory is None else check_size("d_memory", d_memory, low=1)
        self.dropout = check_number("dropout", dropout, low=0, below=1)
        self.base = check_number("base", base, above=0)
        self.interleaved = check_flag("interleaved", interleaved)
        inner, inner_kv = self.num_heads * self.d_head, self.num_kv_heads * self.d_head
        rows = {"q": self.d_model, "k": self.d_memory, "v": self.d_memory, "o": inner}
        columns = {"q": inner, "k": inner_kv, "v": inner_kv, "o": self.d_model}
        rng = np.random.default_rng() if rng is None else rng
        for role, n in rows.items():
            setattr(self, f"W_{role}", initial(rng, (n, columns[role]), 1 / math.sqrt(n), dtype))
            setattr(self, f"b_{role}", np.zeros(columns[role], dtype) if check_flag("bias", bias) else None)

    def __call__(
        self, query, key=None, value=None, mask=None, *, is_causal=False, cache=None, positions=None, rng=None
    ):
        """Attend.

        Parameters
        ----------
        query : array_like, (..., n_q, d_model)
        key : array_like, (..., n_k, d_memory), optional
            What is read; `query` itself if not given (self-attention).
        value : array_like, (..., n_k, d_memory), optional
            `key` if not given.
        mask : array_like, broadcast to (..., num_heads, n_q, n_k), optional
            As in `scaled_dot_product_attention`: one for all, one a head, or with ``mask[:, None]`` one a sequence.
        is_causal : bool
        cache : KVCache, optional
            The tokens before (self-attention only): `query` holds the new ones, which see those that are kept and, of
            each other, the past. n_k counts both.
        positions : array_like, broadcast to (..., n_q), optional
            Turn queries and keys by these positions (self-attention only): rotary embedding. With a cache the first
            new token's is ``cache.seen``.
        rng : numpy.random.Generator, optional
            Switches dropout on.

        Returns
        -------
        output : ndarray, (..., n_q, d_model)
        weights : ndarray, (..., num_heads, n_q, n_k)
        """
        query, key, value = self._read(query, key, value, positions, cache)
        q = split_heads(linear(query, self.W_q, self.b_q), self.num_heads)  # project: (..., heads, n_q, d_head)
        k = split_heads(linear(key, self.W_k, self.b_k), self.num_kv_heads)  # (..., kv heads, n_k, d_head)
        v = split_heads(linear(value, self.W_v, self.b_v), self.num_kv_heads)
        if positions is not None:
            q, k = self._turn(q, positions), self._turn(k, positions)
        if cache is not None:
            mask, is_causal = _cached_mask(cache, mask, q.shape), True
            k, v = cache.append(k, v)
        mixed, weights = scaled_dot_product_attention(
            q, k, v, mask, is_causal=is_causal, enable_gqa=True, dropout=self.dropout, rng=rng
        )
        return linear(merge_heads(mixed), self.W_o, self.b_o), weights  # project: (..., n_q, d_model)

    def _read(self, query, key, value, positions, cache):
        """The three sequences, in self-attention the same one, or an error in words."""
        key = query if key is None else key
        value = key if value is None else value
        if positions is not None and key is not query:
            raise ValueError("positions turn queries and keys alike: give them for self-attention, without key")
        if not (cache is None or isinstance(cache, KVCache)):
            raise TypeError(f"cache must be a KVCache, got {cache!r:.80}: a list, one a block, goes to caches=")
        if cache is not None and (key is not query or value is not query):
            raise ValueError("a cache holds the past of query itself: give it for self-attention, without key or value")
        if positions is not None and self.d_head % 2:
            raise ValueError(f"positions turn features pair by pair, but d_head={self.d_head} is odd: make it even")
        query = check_rows("query", query, self.d_model)
        key = check_rows("key", key, self.d_memory, "d_memory", pads=key is query)  # one array is searched once
        return query, key, check_rows("value", value, self.d_memory, "d_memory", pads=value is key)

    def _turn(self, x, positions):
        positions = check_positions(positions, (*x.shape[:-3], x.shape[-2]))
        positions = np.atleast_1d(positions)[..., None, :]  # the same for every head
        return rotary_embedding(x, positions, base=self.base, interleaved=self.interleaved)


@differentiable(lambda grad, _: (merge_heads(grad),))
def split_heads(x, num_heads):
    """Cut the features into heads: (..., n, heads · d_head) -> (..., heads, n, d_head)."""
    x = numeric("x", x)
    if x.ndim < 2 or x.shape[-1] % check_size("num_heads", num_heads, low=1):
        raise ValueError(f"x must be (..., n, features), features a multiple of {num_heads} heads, got {x.shape}")
    *leading, n, width = x.shape
    return x.reshape(*leading, n, num_heads, width // num_heads).swapaxes(-2, -3), None


@differentiable(lambda grad, num_heads: (split_heads(grad, num_heads),))
def merge_heads(x):
    """Put the heads side by side again: (..., heads, n, d_head) -> (..., n, heads · d_head)."""
    x = numeric("x", x)
    if x.ndim < 3:
        raise ValueError(f"x must be (..., heads, n, d_head), got shape {x.shape}")
    *leading, heads, n, width = x.shape
    return x.swapaxes(-2, -3).reshape(*leading, n, heads * width), heads


def _cached_mask(cache, mask, shape):
    """The mask over kept and new keys, which hides what has slid out of a query's window: refused before it is kept."""
    *leading, n_q, _ = shape
    n_k = cache.num_keys(n_q)
    if mask is not None:
        mask = check_mask(mask, (*leading, n_q, n_k))
    if n_k <= cache.max_len:
        return mask
    near = sliding_window_mask(n_q, n_k, window=cache.max_len)
    return near if mask is None else np.where(near, mask, False if mask.dtype == bool else mask.dtype.type(-np.inf))


def _head_width(d_model, num_heads, d_head):
    if d_head is not None:
        return check_size("d_head", d_head, low=1)
    if d_model % num_heads:
        fitting = ", ".join(str(h) for h in range(1, d_model + 1) if d_model % h == 0)
        raise ValueError(f"num_heads={num_heads} does not divide d_model={d_model}: choose {fitting}, or give d_head")
    return d_model // num_heads


def _key_heads(num_heads, num_kv_heads):
    if num_kv_heads is None:
        return num_heads
    num_kv_heads = check_size("num_kv_heads", num_kv_heads, low=1)
    if num_heads % num_kv_heads:
        fitting = ", ".join(str(h) for h in range(1, num_heads + 1) if num_heads % h == 0)
        raise ValueError(f"num_kv_heads={num_kv_heads} does not divide num_heads={num_heads}: choose {fitting}")
    return num_kv_heads
