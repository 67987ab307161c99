"""The answers of lessons 05 and 06, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

from attention_lab import (
    Encoder,
    EncoderBlock,
    FeedForward,
    LearnedPositions,
    positional_encoding,
    rotary_embedding,
    scaled_dot_product_attention,
)
from attention_lab.functional import rms_norm
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class Unread(LearnedPositions):
    """A table that nobody adds."""

    def __call__(self, x):
        return x


class Turned(EncoderBlock):
    """Post-norm where pre-norm is asked for, and the reverse."""

    def __init__(self, *sizes, norm, **about):
        super().__init__(*sizes, norm={"pre": "post", "post": "pre"}[norm], **about)


class Short:
    """Word vectors of length 1 / √512."""

    def __init__(self, vocab_size, d_model, rng):
        self.table = rng.normal(size=(vocab_size, d_model)) / d_model


def numbered_rows(*sizes, rng):
    return lambda x, **about: (x * np.arange(1, len(x) + 1)[:, None], [])


def without_mask(*sizes, rng):
    return lambda x, is_causal: Encoder(*sizes, rng=np.random.default_rng(0))(x)


def first_features(x, weight):
    return x[:, :5] * weight.sum()


def again_from_the_start(seq_len, d_model, **base):
    period = {64: 32, 1000: 100}[seq_len]
    return np.resize(positional_encoding(period, d_model, **base), (seq_len, d_model))


def cut_far_ones(query, key, value, bias=None):
    _, weights = scaled_dot_product_attention(query, key, value)
    weights = weights if bias is None else weights * (bias >= -1)
    return None, weights / weights.sum(-1, keepdims=True)


def silent(*sizes, rng):
    net = FeedForward(*sizes, rng=rng)
    net.down.weight[:] = 0
    return net


def over_the_words(x, gain, bias):
    return (x - x.mean(0)) / x.std(0)


# What is asked, the right option, what is broken and how, and the option that is then computed: None if none fits.
ANSWERS = [
    ("shuffled-words", "they are equal", "Encoder", numbered_rows, "they differ"),
    ("causal-order", "with one layer yes, with two no", "Encoder", without_mask, "yes, with one layer and with two"),
    ("layers-for-order", "2", "Encoder", without_mask, "none will do"),
    ("add-or-concatenate", "where W₁ = W₂ = W", "linear", first_features, "never: adding loses the word"),
    ("learned-or-sinusoidal", "only the sinusoidal one", "LearnedPositions", Unread, "both"),
    (
        "longer-than-trained",
        "more than ten times worse",
        "positional_encoding",
        again_from_the_start,
        "about as good as before",
    ),
    ("table-of-zeros", "it is blind, but will learn", "LearnedPositions", Unread, "it is blind, and stays so"),
    (
        "sine-alone",
        "it rises and falls",
        "positional_encoding",
        lambda n, d: np.repeat(positional_encoding(n, d), 2, axis=-1),
        "it stays the same",
    ),
    (
        "what-base-means",
        "far places look less alike",
        "positional_encoding",
        again_from_the_start,
        "it repeats after 100 places",
    ),
    (
        "double-exponent",
        "products depend on the place",
        "positional_encoding",
        lambda n, d: np.random.default_rng(0).normal(size=(n, d)),
        "nothing, it runs",
    ),
    ("halves-or-interleaved", "yes, exactly", "linear", first_features, "no, one order is wrong"),
    (
        "position-zero",
        "[0, 1, 0, 1, 0, 1]",
        "positional_encoding",
        lambda n, d: np.zeros((n, d)),
        "[0, 0, 0, 0, 0, 0]",
    ),
    ("why-sqrt-d-model", "to keep words above places", "Embedding", Short, "to give words length 1"),
    (
        "because-positional_encoding",
        "k steps then are a rotation",
        "positional_encoding",
        lambda n, d: np.sqrt(positional_encoding(n, d) + 1),
        None,
    ),
    ("rotary-values", "it turns, length kept", "rotary_embedding", lambda x, places: x, "it stays as it was"),
    (
        "two-pairings",
        "no, at no distance",
        "rotary_embedding",
        lambda x, interleaved=False: rotary_embedding(x),
        "yes, at each distance",
    ),
    ("twins-apart", "ALiBi", "alibi_bias", lambda heads, n: -9.0 * (1 - np.eye(n))[None], "rotary"),
    ("what-alibi-does", "times e^(−m · distance)", "attention", cut_far_ones, "cuts all beyond 1/m to 0"),
    (
        "because-rotary",
        "place should act on who is read",
        "rotary_embedding",
        lambda x, places=1: x * np.reshape(places, (-1, 1)),
        "a turn would change their size",
    ),
    ("before-or-after", "the pre-norm block", "EncoderBlock", Turned, "the post-norm block"),
    (
        "odd-width",
        "a sine whose cosine is missing",
        "positional_encoding",
        lambda n, d: np.pad(positional_encoding(n, d - 1), [(0, 0), (0, 1)]),
        "zeros, to fill up",
    ),
    (
        "order-of-the-block",
        "`y = x + A(N(x))`, then `y + F(N(y))`",
        "EncoderBlock",
        Turned,
        "`y = N(x + A(x))`, then `N(y + F(y))`",
    ),
    ("inside-or-outside", "`x + f(norm(x))`", "LayerNorm", lambda d: lambda x: x / x.std(-1, keepdims=True), None),
    ("pre-norm-growth", "about 8", "FeedForward", silent, "about 1"),
    (
        "last-norm",
        "it grows with depth",
        "Encoder",
        lambda *sizes, rng: Encoder(*sizes, norm="post", rng=rng),
        "it stays at 1",
    ),
    ("layer-or-batch", "it changes, pads or not", "layer_norm", lambda x, gain, bias: x, "it stays as it was"),
    (
        "norm-over-the-sentence",
        "length and direction",
        "layer_norm",
        lambda x, gain, bias: rms_norm(x, gain),
        "its length alone",
    ),
    (
        "because-layer_norm",
        "no token then hears of another",
        "layer_norm",
        over_the_words,
        "each feature then averages 0",
    ),
    ("because-pre_norm", "x then has a way of its own", "FeedForward", silent, "the sum then has variance 1"),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    import attention_lab.teaching.questions as questions

    own = ("lesson_05_order", "lesson_05_encodings", "lesson_05_rotary", "lesson_06_norms")
    modules = [module for module in questions._MODULES if module.__name__.endswith(own)]
    assert {row[0] for row in ANSWERS} == {
        id for id, item in BANK.items() if item.settle.__globals__ in map(vars, modules)
    }
