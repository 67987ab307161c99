"""The course's own demo: attention over the words of a sentence."""

import math
from dataclasses import dataclass

import numpy as np

from attention_lab.attention import scaled_dot_product_attention, scaled_scores
from attention_lab.data import words
from attention_lab.masks import causal_mask, combine_masks, prefix_mask, sliding_window_mask
from attention_lab.multi_head import split_heads
from attention_lab.position_bias import alibi_bias
from attention_lab.positions import positional_encoding, rotary_embedding
from attention_lab.teaching.explore_controls import clamp, controls, is_cross, key_length
from attention_lab.teaching.explorer import Explorer
from attention_lab.teaching.view import View, number_repeats

SENTENCE = "the cat sat on the mat because it was tired"
PAD = "[pad]"


def explore_attention(sentence=SENTENCE, show=("length", "heads", "mask", "query"), goal=None, **start):
    """Attention over a sentence of your own, with a slider for everything that shapes it.

    Parameters
    ----------
    sentence : str
        English words. Each is looked up in a table of real word vectors.
    show : sequence of str
        Names of the controls that are visible at first: ``sentence``, ``memory`` (words for the keys and values;
        without any they come from the sentence), ``length``, ``key_length``, ``d_model``, ``heads``, ``head``,
        ``positions``, ``mask``, ``size`` (of a window or prefix), ``padding``, ``hide_padding``, ``divisor``,
        ``temperature``, ``query``, ``stage``, ``projection``, ``norms``, ``colours``, ``seed``. The others are
        folded away.
    goal : (str, callable), optional
        As in `Explorer`.
    **start
        Values of controls at the start, by name.

    Returns
    -------
    Explorer

    Raises
    ------
    ValueError
        If a name is unknown, or a value is out of its range.

    Examples
    --------
    >>> demo = explore_attention("the cat sat", mask="causal")
    >>> demo.view.weights[0].sum(-1).round(6).tolist()
    [1.0, 1.0, 1.0]
    >>> demo.set(query=0)
    >>> demo.view.alt
    "3 × 3 weights; 'the' attends most to 'the' (1.00)"
    """
    if not isinstance(sentence, str):
        raise TypeError(f"sentence must be a text, got {sentence!r}")
    demo = Explorer(controls(sentence), attend, clamp=clamp, goal=goal, show=show)
    if start:
        demo.set(**start)
        demo.start_here()
    return demo


def attend(state):
    """The arrays behind the picture."""
    queries, keys, note = _read(state)
    q, k = _project(queries, keys, state)  # (heads, n_q, d_k), (heads, n_k, d_k)
    padded = np.arange(k.shape[1]) >= k.shape[1] - state.padding
    visible = _mask(state, q.shape[1], k.shape[1], padded)
    values, titles = _pick_heads(_stage(state, q, k, visible), state.head)
    is_masked = state.stage in ("masked", "weights")
    return View(
        values,
        query_tokens=queries.tokens,
        key_tokens=keys.tokens,
        mask=visible if is_masked else None,
        padded=padded & state.hide_padding & is_masked,
        titles=titles,
        query=state.query,
        kind="weights" if state.stage == "weights" else "scores",
        limit=_limit(state, values),
        note=note,
    )


def _read(state):
    """Queries and keys, and what to say about unknown words. Of one sentence, queries are its last positions."""
    n_q, n_k = state.length, key_length(state, state.length)
    if is_cross(state):
        queries, keys = _embed("sentence", n_q, 0, state), _embed("memory", n_k, state.padding, state)
    else:
        both = _embed("sentence", max(n_q, n_k), state.padding, state)
        queries, keys = both.last(n_q), both.last(n_k)
    unknown = dict.fromkeys([*queries.unknown, *keys.unknown])
    return queries, keys, f"Not in the table, so given a made-up vector: {', '.join(unknown)}." if unknown else ""


@dataclass
class _Row:
    """Words in a row."""

    tokens: list
    vectors: np.ndarray  # (n, d_model)
    positions: np.ndarray  # (n,)
    unknown: list

    def last(self, n):
        return _Row(self.tokens[-n:], self.vectors[-n:], self.positions[-n:], self.unknown)


def _embed(name, n, padding, state):
    """The first n words of a text, over and over where there are fewer, the last of them padding."""
    try:
        found = words.tokenize(getattr(state, name))
    except ValueError as error:  # it calls every text a sentence
        raise ValueError(str(error).replace("sentence", name, 1)) from None
    tokens = (found * math.ceil(n / len(found)))[:n]
    vectors, unknown = words.embed(tokens)
    vectors = vectors[:, : state.d_model]  # the widest directions come first
    if padding:
        tokens, vectors[-padding:] = [*tokens[:-padding], *[PAD] * padding], 0
    vectors = _equal_lengths(vectors) if state.norms == "equal" else vectors
    if state.positions == "sinusoidal":
        vectors = vectors + positional_encoding(n, state.d_model, dtype=vectors.dtype)
    return _Row(number_repeats(tokens), vectors, np.arange(n), unknown)


def _equal_lengths(vectors):
    """Every word as long as √d: a mean square of 1, as after a normalisation. Zero vectors stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors * (math.sqrt(vectors.shape[-1]) / np.where(length == 0, 1, length))


def _project(queries, keys, state):
    """Queries and keys a head: slices of the words themselves, or of two random projections."""
    q, k, d = queries.vectors, keys.vectors, state.d_model
    if state.projection != "words as they are":
        W_q, W_k = np.random.default_rng(state.seed).normal(0, 1 / math.sqrt(d), size=(2, d, d)).astype(np.float32)
        q, k = q @ W_q, k @ W_k
    q, k = split_heads(q, state.heads), split_heads(k, state.heads)
    if state.positions == "rotary":
        q, k = rotary_embedding(q, queries.positions), rotary_embedding(k, keys.positions)
    return q, k


def _stage(state, q, k, visible):
    """What stands in the cells, (heads, n_q, n_k). A bias joins after the scale, before the mask."""
    if state.stage == "scores":
        return scaled_scores(q, k, 1.0)
    divisor = {"1": 1, "√d_k": math.sqrt(q.shape[-1]), "d_k": q.shape[-1]}[state.divisor]
    scale, bias = 1 / (divisor * state.temperature), 0.0
    if state.positions == "ALiBi":
        bias = alibi_bias(len(q), q.shape[1], k.shape[1]).astype(q.dtype)
    if state.stage == "weights":
        mask = np.where(visible, bias, -np.inf) if state.positions == "ALiBi" else visible
        return scaled_dot_product_attention(q, k, k, mask, scale=scale)[1]
    scores = scaled_scores(q, k, scale)
    return scores + bias if state.stage == "masked" else scores


def _mask(state, n_q, n_k, padded):
    pattern = {
        "none": lambda: None,
        "causal": lambda: causal_mask(n_q, n_k),
        "window": lambda: sliding_window_mask(n_q, n_k, window=state.size),
        "prefix": lambda: prefix_mask(n_q, n_k, prefix=state.size),
    }[state.mask]()
    real = ~padded if state.hide_padding else np.ones(n_k, bool)
    return np.broadcast_to(combine_masks(pattern, real[None]), (n_q, n_k))


def _pick_heads(values, head):
    if head == "all":
        return values, [f"head {h}" for h in range(len(values))] if len(values) > 1 else [""]
    if head in ("mean", "max"):
        return getattr(values, head)(0)[None], [f"{head} of the heads"]
    return values[int(head)][None], [f"head {head}"]


def _limit(state, values):
    if state.stage != "weights":
        return None
    return 1.0 if state.colours == "0 to 1" else max(float(values.max()), 1e-6)
