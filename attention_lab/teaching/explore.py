"""The course's own demo: attention over the words of a sentence."""

import math

import numpy as np

from attention_lab.attention import scaled_dot_product_attention, scaled_scores
from attention_lab.data import words
from attention_lab.masks import causal_mask, combine_masks, prefix_mask, sliding_window_mask
from attention_lab.teaching.explorer import Explorer, choice, log_slider, slider, stops, text, toggle
from attention_lab.teaching.view import View

SENTENCE = "the cat sat on the mat because it was tired"
D_MODEL = 64
MAX_LENGTH = 64
PAD = "[pad]"
MASKS = ("none", "causal", "window", "prefix")
DIVISORS = {"1": lambda d_k: 1, "√d_k": math.sqrt, "d_k": float}


def explore_attention(sentence=SENTENCE, show=("length", "heads", "mask", "query"), goal=None, **start):
    """Attention over a sentence of your own, with a slider for everything that shapes it.

    Parameters
    ----------
    sentence : str
        English words. Each is looked up in a table of real word vectors.
    show : sequence of str
        Names of the controls that are visible at first: ``sentence``, ``length``, ``key_length``, ``heads``, ``head``,
        ``mask``, ``size`` (of a window or prefix), ``padding``, ``hide_padding``, ``divisor``, ``temperature``,
        ``query``, ``stage``, ``projection``, ``norms``, ``colours``, ``seed``. The others are folded away.
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
    demo = Explorer(_controls(sentence), attend, clamp=_clamp, goal=goal, show=show)
    if start:
        demo.set(**start)
        demo.start_here()
    return demo


def attend(state):
    """The arrays behind the picture."""
    tokens, vectors, note = _read(state)
    n_q, n_k = state.length, _key_length(state, state.length)
    query_tokens, key_tokens = tokens[-n_q:], tokens[-n_k:]
    q, k = _project(vectors[-n_q:], vectors[-n_k:], state)  # (heads, n_q, d_k), (heads, n_k, d_k)
    scale = 1 / (DIVISORS[state.divisor](q.shape[-1]) * state.temperature)
    padded = np.array([token == PAD for token in key_tokens])
    mask = _mask(state, n_q, n_k, padded)
    if state.stage == "weights":
        _, values = scaled_dot_product_attention(q, k, k, mask, scale=scale)
    else:
        values = scaled_scores(q, k, 1.0 if state.stage == "scores" else scale)
    values, titles = _pick_heads(values, state.head)
    return View(
        values,
        query_tokens=query_tokens,
        key_tokens=key_tokens,
        mask=mask if state.stage == "weights" else None,
        padded=padded & state.hide_padding & (state.stage == "weights"),
        titles=titles,
        query=state.query,
        kind="weights" if state.stage == "weights" else "scores",
        limit=_limit(state, values),
        note=note,
    )


def _controls(sentence):
    length = _length(sentence) or 1
    return {
        "sentence": text(sentence, "sentence"),
        "length": slider(length, 1, MAX_LENGTH, "length n"),
        "key_length": stops(["same", *range(1, MAX_LENGTH + 1)], "key length"),
        "heads": choice([h for h in (1, 2, 4, 8, 16) if D_MODEL % h == 0], "heads"),
        "head": choice(["all", "mean", "max", "0"], "show head"),
        "mask": choice(MASKS, "mask"),
        "size": slider(3, 1, MAX_LENGTH, "mask size"),
        "padding": slider(0, 0, MAX_LENGTH - 1, "padded keys"),
        "hide_padding": toggle(True, "mask the padding"),
        "divisor": choice(list(DIVISORS), "divide by", "√d_k"),
        "temperature": log_slider(1.0, 0.1, 10, "temperature"),
        "query": slider(min(7, length - 1), 0, MAX_LENGTH - 1, "query row"),
        "stage": choice(["weights", "scaled", "scores"], "stage"),
        "projection": choice(["words as they are", "random W_q, W_k"], "project"),
        "norms": choice(["equal", "as they are"], "lengths"),
        "colours": choice(["0 to 1", "0 to largest"], "colours"),
        "seed": slider(0, 0, 99, "seed"),
    }


def _clamp(state, controls, changed):
    if "sentence" in changed and "length" not in changed:
        controls["length"].value = _length(state.sentence) or state.length
    n_q = controls["length"].value
    n_k = _key_length(state, n_q)
    controls["query"].max = n_q - 1  # its value follows
    controls["padding"].max = n_k - 1
    controls["size"].max = n_k
    controls["size"].disabled = state.mask not in ("window", "prefix")
    controls["hide_padding"].disabled = controls["padding"].value == 0
    controls["seed"].disabled = state.projection == "words as they are"
    heads = ("all", "mean", "max", *map(str, range(state.heads)))
    if controls["head"].options != heads:
        kept = state.head if state.head in heads else "all"
        controls["head"].options, controls["head"].value = heads, kept


def _length(sentence):
    """As many positions as the sentence has words; 0 where it has none, which the explorer will show as an error."""
    try:
        return min(MAX_LENGTH, len(words.tokenize(sentence)))
    except ValueError:
        return 0


def _key_length(state, n_q):
    return n_q if state.key_length == "same" else state.key_length


def _read(state):
    """Tokens of the keys (and queries, the last of them), their vectors, and what to say about unknown words."""
    n = max(state.length, _key_length(state, state.length))
    sentence = words.tokenize(state.sentence)
    tokens = (sentence * math.ceil(n / len(sentence)))[:n]
    vectors, unknown = words.embed(tokens)
    if state.padding:
        tokens, vectors[-state.padding :] = [*tokens[: -state.padding], *[PAD] * state.padding], 0
    note = f"Not in the table, so given a made-up vector: {', '.join(dict.fromkeys(unknown))}." if unknown else ""
    return tokens, _equal_lengths(vectors) if state.norms == "equal" else vectors, note


def _equal_lengths(vectors):
    """Every word as long as √d: a mean square of 1, as after a normalisation. Zero vectors stay zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors * (math.sqrt(D_MODEL) / np.where(length == 0, 1, length))


def _project(query_vectors, key_vectors, state):
    """Queries and keys a head: slices of the words themselves, or of two random projections."""
    if state.projection != "words as they are":
        rng = np.random.default_rng(state.seed)
        W_q, W_k = rng.normal(0, 1 / math.sqrt(D_MODEL), size=(2, D_MODEL, D_MODEL)).astype(np.float32)
        query_vectors, key_vectors = query_vectors @ W_q, key_vectors @ W_k
    return _split(query_vectors, state.heads), _split(key_vectors, state.heads)


def _split(x, heads):
    """(n, d_model) -> (heads, n, d_k)."""
    return x.reshape(len(x), heads, -1).swapaxes(0, 1)


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
