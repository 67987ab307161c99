"""Attention beside other nets: the recurrent translator that attention was invented for, and attention on a graph."""

import math

import numpy as np

from attention_lab.activations import sigmoid, tanh
from attention_lab.attention import scaled_dot_product_attention, softmax
from attention_lab.autodiff import Tensor
from attention_lab.checks import (
    as_visible,
    check_choice,
    check_flag,
    check_leading,
    check_memory,
    check_real,
    check_rows,
    check_size,
    check_text,
)
from attention_lab.functional import initial, linear
from attention_lab.layers import Embedding, Linear
from attention_lab.multi_head import MultiHeadAttention
from attention_lab.operations import stack, where


class AdditiveAttention:
    """Score each pair of query and key by a small net, instead of by a dot product.

    score(q, k) = vᵀ tanh(W_q q + W_k k),   attention = softmax(score + mask) values

    The values are the keys. Every pair needs a vector of its own: memory n_q × n_k × d_hidden.

    Parameters
    ----------
    d_query, d_key, d_hidden : int
    rng, dtype : as in `Linear`

    Raises
    ------
    TypeError, ValueError
        If a size is no whole number of at least 1.

    Notes
    -----
    Source: Bahdanau, Cho & Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and Translate",
    section A.1.2.

    Examples
    --------
    >>> attention = AdditiveAttention(8, 6, 16, rng=np.random.default_rng(0))
    >>> output, weights = attention(np.ones((2, 3, 8)), np.ones((2, 5, 6)))
    >>> output.shape, weights.shape
    ((2, 3, 6), (2, 3, 5))
    """

    parameters = ("v",)

    def __init__(self, d_query, d_key, d_hidden, *, rng=None, dtype=np.float32):
        for name, size in {"d_query": d_query, "d_key": d_key, "d_hidden": d_hidden}.items():
            check_size(name, size, low=1)
        rng = np.random.default_rng() if rng is None else rng
        self.W_q, self.W_k = (Linear(d, d_hidden, bias=False, rng=rng, dtype=dtype) for d in (d_query, d_key))
        self.v = initial(rng, (d_hidden, 1), 1 / math.sqrt(d_hidden), dtype)

    @np.errstate(under="ignore")
    def __call__(self, query, key, mask=None):
        """query (..., n_q, d_query), key (..., n_k, d_key) -> output (..., n_q, d_key), weights (..., n_q, n_k).

        mask (..., n_k): True = a real token.
        """
        query = check_rows("query", query, self.W_q.d_in, "d_query")
        key = check_rows("key", key, self.W_k.d_in, "d_key")
        check_leading(query=query, key=key)
        asked, offered = self.W_q(query)[..., :, None, :], self.W_k(key)[..., None, :, :]
        scores = linear(tanh(asked + offered), self.v)[..., 0]  # (..., n_q, n_k)
        if mask is not None:
            scores = where(check_real(mask, key.shape[:-1])[..., None, :], scores, -np.inf)
        weights = softmax(scores)
        return weights @ key, weights.data if isinstance(weights, Tensor) else weights


class GRU:
    """A recurrent layer with gates: the state after each token, made from the token and the state before.

    r = σ(x W_r + h U_r)    z = σ(x W_z + h U_z)    n = tanh(x W_n + r (h U_n))    h' = (1 - z) n + z h

    Each W has a bias, each U has one too.

    Parameters
    ----------
    d_in, d_hidden : int
    rng, dtype : as in `Linear`

    Raises
    ------
    TypeError, ValueError
        If a size is no whole number of at least 1.

    Notes
    -----
    Source: Cho et al. 2014, "Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine
    Translation", section 2.3; the reset gate r stands behind the product, as in PyTorch.

    Examples
    --------
    >>> layer = GRU(4, 8, rng=np.random.default_rng(0))
    >>> layer(np.ones((2, 5, 4))).shape
    (2, 5, 8)
    """

    def __init__(self, d_in, d_hidden, *, rng=None, dtype=np.float32):
        rng = np.random.default_rng() if rng is None else rng
        self.d_hidden = check_size("d_hidden", d_hidden, low=1)
        self.of_input, self.of_state = (Linear(d, 3 * d_hidden, rng=rng, dtype=dtype) for d in (d_in, d_hidden))

    def __call__(self, x, mask=None, *, reverse=False):
        """x (..., n, d_in) -> states (..., n, d_hidden). A pad, where mask (..., n) is False, leaves the state alone.

        With ``reverse=True`` it reads from the last token to the first.
        """
        x = check_rows("x", x, self.of_input.d_in, "d_in", pads=True)
        real = np.ones(x.shape[:-1], bool)
        if mask is not None:
            real = real & check_real(mask, real.shape)
        x = self.of_input(where(real[..., None], x, 0))  # a pad may hold anything, NaN too
        state, states = np.zeros((*x.shape[:-2], self.d_hidden), x.dtype), []
        way = -1 if check_flag("reverse", reverse) else 1
        for i in range(x.shape[-2])[::way]:
            state = where(real[..., i, None], self.step(x[..., i, :], state), state)
            states.append(state)
        return stack(*states[::way], axis=-2)

    @np.errstate(under="ignore")
    def step(self, x, state):
        """One step: x (..., 3 d_hidden), what `of_input` makes of a token, and the state (..., d_hidden)."""
        d, h = self.d_hidden, self.of_state(state)
        reset, keep = sigmoid(x[..., :d] + h[..., :d]), sigmoid(x[..., d : 2 * d] + h[..., d : 2 * d])
        new = tanh(x[..., 2 * d :] + reset * h[..., 2 * d :])
        return new + keep * (state - new)


class RecurrentSeq2Seq:
    """Translate with recurrent nets: one reads both ways, one writes, and attention is the way between them.

    additive (Bahdanau), the state before asks:  read = attention(h_{t-1}),   h_t = GRU([y_{t-1}, read], h_{t-1})
    dot (Luong), the new state asks:             h_t = GRU(y_{t-1}, h_{t-1}),  read = attention(h_t)

    logits_t = W [h_t, read]. The memory is the sum of the states of both directions; h_0 is made from its row at the
    first real token, where the way back has read the whole source.

    Parameters
    ----------
    source_size, target_size, d_model : int
    attention : {"additive", "dot"}
    rng, dtype : as in `Linear`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or `attention` is unknown.

    Notes
    -----
    Sources: as in `AdditiveAttention`; Luong, Pham & Manning 2015, "Effective Approaches to Attention-based Neural
    Machine Translation", section 3.1. Its score is not scaled; ours is divided by √d_model.

    Examples
    --------
    >>> model = RecurrentSeq2Seq(30, 40, 16, attention="dot", rng=np.random.default_rng(0))
    >>> logits, memory_weights = model(np.ones((2, 5), int), np.ones((2, 3), int))
    >>> logits.shape, memory_weights[0].shape
    ((2, 3, 40), (2, 1, 3, 5))
    """

    def __init__(self, source_size, target_size, d_model, *, attention="additive", rng=None, dtype=np.float32):
        for name, size in {"source_size": source_size, "target_size": target_size}.items():
            check_size(name, size, low=1)
        rng = np.random.default_rng() if rng is None else rng
        about = {"rng": rng, "dtype": dtype}
        self.kind = check_choice("attention", attention, ("additive", "dot"))
        self.embed_source, self.embed_target = (Embedding(n, d_model, **about) for n in (source_size, target_size))
        self.forwards, self.backwards, self.writer = (GRU(d_model, d_model, **about) for _ in range(3))
        self.first = Linear(d_model, d_model, **about)
        self.additive = AdditiveAttention(d_model, d_model, d_model, **about) if attention == "additive" else None
        self.of_read = Linear(d_model, 3 * d_model, bias=False, **about) if attention == "additive" else None
        self.head, self.head_of_read = (Linear(d_model, target_size, bias=bias, **about) for bias in (True, False))

    def __call__(self, source, target, source_mask=None, target_mask=None):
        """As `Seq2Seq`, but without dropout. The target needs no mask: no step reads a later one."""
        memory, _ = self.encode(source, source_mask)
        logits, _, memory_weights = self.decode(target, memory, source_mask, target_mask)
        return logits, memory_weights

    def encode(self, source, source_mask=None):
        """source (..., n_s), source_mask (..., n_s) -> memory (..., n_s, d_model), and an empty list of weights."""
        x = self.embed_source(check_text("source", source, self.embed_source.vocab_size))
        if source_mask is not None:
            source_mask = check_real(source_mask, x.shape[:-1], "source_mask")
        return self.forwards(x, source_mask) + self.backwards(x, source_mask, reverse=True), []

    def decode(self, target, memory, source_mask=None, target_mask=None):
        """target (..., n_t), memory (..., n_s, d_model) -> logits (..., n_t, target_size), and lists of weights.

        The first is empty, the other holds the memory's, (..., 1, n_t, n_s). `source_mask`
        and `target_mask` as in the call.
        """
        x = self.embed_target(check_text("target", target, self.embed_target.vocab_size))
        memory = check_memory(memory, x.shape[-1], x)
        given = ("source_mask", source_mask, memory), ("target_mask", target_mask, x)
        source_mask, _ = (mask if mask is None else check_real(mask, of.shape[:-1], name) for name, mask, of in given)
        state, states, reads, weights = self._first_state(x, memory, source_mask), [], [], []
        x = self.writer.of_input(x)  # (..., n_t, 3 d_model)
        for i in range(x.shape[-2]):
            token = x[..., i, :]
            if self.additive is None:
                state = self.writer.step(token, state)
                read, row = self._read(state, memory, source_mask)
            else:
                read, row = self._read(state, memory, source_mask)
                state = self.writer.step(token + self.of_read(read), state)
            for kept, new in ((states, state), (reads, read), (weights, row)):
                kept.append(new)
        logits = self.head(stack(*states, axis=-2)) + self.head_of_read(stack(*reads, axis=-2))
        return logits, [], [np.stack(weights, axis=-2)[..., None, :, :]]

    def _first_state(self, x, memory, mask):
        """h_0, (..., d_model), one for each text that x holds."""
        row = memory[..., 0, :]
        if mask is not None:
            is_first = np.arange(memory.shape[-2]) == mask.argmax(-1)[..., None]
            row = where(is_first[..., None], memory, 0).sum(-2)
        leading = np.broadcast_shapes(x.shape[:-2], memory.shape[:-2])
        return tanh(self.first(row)) + np.zeros((*leading, 1), x.dtype)

    def _read(self, state, memory, mask):
        """What one state reads from the memory, (..., d_model), and how much from where, (..., n_s)."""
        query = state[..., None, :]
        if self.additive is None:
            over_queries = None if mask is None else mask[..., None, :]
            read, weights = scaled_dot_product_attention(query, memory, memory, over_queries)
        else:
            read, weights = self.additive(query, memory, mask)
        return read[..., 0, :], weights[..., 0, :]


class GraphAttention:
    """Attention over a graph: each node reads its neighbours, and itself.

    output = MultiHeadAttention(x, mask = adjacency or identity)

    The graph is the mask. All n² scores are computed and most are hidden: it is for small graphs.

    Parameters
    ----------
    d_model, num_heads : int
    self_loops : bool
        Whether a node reads itself too. Without, a node that has no neighbour gives zeros.
    rng, dtype : as in `MultiHeadAttention`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible: the message says which would do.

    Notes
    -----
    The idea is that of Veličković et al. 2018, "Graph Attention Networks"; the score is the scaled dot product.

    Examples
    --------
    >>> layer = GraphAttention(8, 2, rng=np.random.default_rng(0))
    >>> output, weights = layer(np.ones((3, 8)), [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> weights[0].round(1).tolist()  # in head 0
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """

    def __init__(self, d_model, num_heads, *, self_loops=True, rng=None, dtype=np.float32):
        self.attention = MultiHeadAttention(d_model, num_heads, rng=rng, dtype=dtype)
        self.self_loops = check_flag("self_loops", self_loops)

    def __call__(self, x, adjacency):
        """x (..., n, d_model), adjacency (..., n, n) -> output (..., n, d_model), weights (..., num_heads, n, n).

        adjacency[i, j] True or 1: node i reads node j. One graph may serve a batch of features.
        """
        x, adjacency = check_rows("x", x, self.attention.d_model), as_visible("adjacency", adjacency)
        n = x.shape[-2]
        leading = zip(adjacency.shape[-3::-1], x.shape[-3::-1])  # each axis of the graphs serves one of x
        if adjacency.shape[-2:] != (n, n) or adjacency.ndim > x.ndim or any(a not in (1, b) for a, b in leading):
            raise ValueError(f"adjacency must be ({n}, {n}), or one a graph of x {x.shape}, got {adjacency.shape}")
        if self.self_loops:
            adjacency = adjacency | np.eye(n, dtype=bool)
        return self.attention(x, mask=adjacency[..., None, :, :])
