"""The controls of `explore_attention`, and how one keeps the others in range."""

from attention_lab.data import words
from attention_lab.teaching.explorer import choice, log_slider, slider, stops, text, toggle

MAX_LENGTH = 64
MASKS = ("none", "causal", "window", "prefix")
POSITIONS = ("none", "sinusoidal", "rotary", "ALiBi")
STAGES = ("weights", "masked", "scaled", "scores")
DIVISORS = ("1", "√d_k", "d_k")
D_MODELS = (16, 32, 48, 64)
_HEADS = (1, 2, 3, 4, 6, 8, 12, 16)


def controls(sentence):
    length = word_count(sentence) or 1
    return {
        "sentence": text(sentence, "sentence"),
        "memory": text("", "memory"),
        "length": slider(length, 1, MAX_LENGTH, "length n"),
        "key_length": stops(["same", *range(1, MAX_LENGTH + 1)], "key length"),
        "d_model": stops(D_MODELS, "d_model", D_MODELS[-1]),
        "heads": choice(_heads(D_MODELS[-1], "none"), "heads"),
        "head": choice(["all", "mean", "max", "0"], "show head"),
        "positions": choice(POSITIONS, "positions"),
        "mask": choice(MASKS, "mask"),
        "size": slider(3, 1, MAX_LENGTH, "mask size"),
        "padding": slider(0, 0, MAX_LENGTH - 1, "padded keys"),
        "hide_padding": toggle(True, "mask the padding"),
        "divisor": choice(DIVISORS, "divide by", "√d_k"),
        "temperature": log_slider(1.0, 0.1, 10, "temperature"),
        "query": slider(min(7, length - 1), 0, MAX_LENGTH - 1, "query row"),
        "stage": choice(STAGES, "stage"),
        "projection": choice(["words as they are", "random W_q, W_k"], "project"),
        "norms": choice(["equal", "as they are"], "lengths"),
        "colours": choice(["0 to 1", "0 to largest"], "colours"),
        "seed": slider(0, 0, 99, "seed"),
    }


def clamp(state, controls, changed):
    if "sentence" in changed and "length" not in changed:
        controls["length"].value = word_count(state.sentence) or state.length
    n_q = controls["length"].value
    n_k = key_length(state, n_q)
    controls["query"].max = n_q - 1  # its value follows
    controls["padding"].max = n_k - 1
    controls["size"].max = n_k
    controls["size"].disabled = state.mask not in ("window", "prefix")
    controls["hide_padding"].disabled = controls["padding"].value == 0
    controls["seed"].disabled = state.projection == "words as they are"
    heads = _heads(state.d_model, state.positions)
    _offer(controls["heads"], heads, max(h for h in heads if h <= state.heads))
    _offer(controls["head"], ("all", "mean", "max", *map(str, range(controls["heads"].value))), "all")


def key_length(state, n_q):
    """As many keys as asked for; else as the memory has words, or as there are queries."""
    if state.key_length != "same":
        return state.key_length
    return (word_count(state.memory) or 1) if is_cross(state) else n_q


def is_cross(state):
    """Whether keys and values come from a text of their own."""
    return bool(state.memory.strip())


def word_count(sentence):
    """As many positions as the sentence has words; 0 where it has none, which the explorer will show as an error."""
    try:
        return min(MAX_LENGTH, len(words.tokenize(sentence)))
    except ValueError:
        return 0


def _heads(d_model, positions):
    """Numbers of heads that share out d_model; rotary turns pairs of features, so each head needs an even number."""
    part = 2 if positions == "rotary" else 1
    return tuple(heads for heads in _HEADS if d_model % (heads * part) == 0)


def _offer(menu, options, otherwise):
    """Give a menu its options; a value that is no longer among them gives way."""
    if menu.options != options:
        kept = menu.value if menu.value in options else otherwise
        menu.options, menu.value = options, kept
