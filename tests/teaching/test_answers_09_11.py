"""The answers of lessons 09 to 11, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

from attention_lab import (
    AttentionPooling,
    Encoder,
    KVCache,
    LanguageModel,
    MultiHeadAttention,
    TextClassifier,
    generate,
    next_probabilities,
    parameters,
    scaled_dot_product_attention,
)
from attention_lab.metrics import accuracy
from attention_lab.multi_head import split_heads
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class Deaf(AttentionPooling):
    """Its query stays at zero, whatever is written there."""

    def __call__(self, x):
        return AttentionPooling(len(self.query))(x)


class Backwards(LanguageModel):
    """It reads from the end, so each place sees what comes after it."""

    def __call__(self, ids):
        logits, weights = super().__call__(ids[::-1])
        return logits[::-1], weights


class Forgetful(LanguageModel):
    """It does not look into its caches."""

    def __call__(self, ids, caches=None):
        return super().__call__(ids)


class CachesOutputs(MultiHeadAttention):
    """It keeps what it has computed instead of what it reads."""

    def __call__(self, x, cache):
        output, weights = super().__call__(x, is_causal=True)
        cache.append(split_heads(output, 2), split_heads(output, 2))
        return output, weights


class Concatenating:
    """A cache that copies all it holds at each step."""

    def __init__(self, max_len):
        self.kept, self.nbytes = np.empty((0, 8)), 10_000

    def append(self, key, value):
        self.kept = np.concatenate([self.kept, key])
        return self.kept, self.kept


class WithoutThePrompt:
    """A cache that keeps single tokens alone."""

    def __init__(self, max_len):
        self.kept = 0

    def append(self, key, value):
        self.kept += len(key) if len(key) == 1 else 0
        return np.zeros((self.kept, 1)), None


class OneClassOnly:
    """NumPy, but for a range of zeros: every example then has the same class."""

    def __getattr__(self, name):
        return getattr(np, name)

    def arange(self, n):
        return np.zeros(n, int)


def summed(x, mask=True):
    return np.where(np.reshape(mask, (-1, 1)), x, 0).sum(-2)


def first_row_from_a_word(*sizes, rng):
    return lambda x: (np.concatenate([x[1:2], x[1:]]), [])


def without_mask(*sizes, rng):
    return lambda x, is_causal: Encoder(*sizes, rng=np.random.default_rng(0))(x)


def told_the_truth(model, prompt, num_tokens, **about):
    model(np.array([*prompt, 9]))
    return []


def drawn(model, prompt, num_tokens, **about):
    return generate(model, prompt, num_tokens, cache=False, rng=np.random.default_rng(0))


def of_the_next_place(query, key, value, **about):
    return scaled_dot_product_attention(query, key, np.roll(value, -1, axis=-2), **about)


def cut_at_the_crossing(logits, top_p):
    chances = np.exp(logits)
    return chances * (chances.cumsum() <= top_p)


def tiled(query, key, value, enable_gqa):
    return scaled_dot_product_attention(query, np.tile(key, (3, 1, 1)), np.tile(value, (3, 1, 1)))


# What is asked, the right option, what is broken and how, and the option that is then computed: None if none fits.
ANSWERS = [
    ("loud-pads", "0", "attention", lambda q, k, v, real: scaled_dot_product_attention(q, k, v), "3"),
    ("memory-of-nine", "2 × 5", "attention", lambda q, k, v: (q @ k.T, None), "2 × 9"),
    ("pads-in-the-mean", "[1.5, 0.5]", "masked_mean", lambda x: x.sum(0) / x.any(-1).sum(), "[3, 1]"),
    ("share-of-the-mean", "a quarter as long", "masked_mean", summed, "as long"),
    ("unmasked-pool", "0.88", "AttentionPooling", Deaf, "0.50"),
    ("liked-words", "0.29", "AttentionPooling", Deaf, "0.75"),
    (
        "zero-query",
        "the mean of the words",
        "AttentionPooling",
        lambda d: lambda x: (0 * x[0], None),
        "a vector of zeros",
    ),
    ("cls-or-mean", "their two [CLS] rows", "Encoder", first_row_from_a_word, "neither, the words differ"),
    (
        "two-evaluations",
        "dropout, still on",
        "TextClassifier",
        lambda *sizes, dropout, **about: TextClassifier(*sizes, **about),
        "rounding",
    ),
    (
        "because-masked_mean",
        "a batch must not change a vector",
        "masked_mean",
        summed,
        "long sentences then count more",
    ),
    ("scores-of-words", "none can do it", "masked_mean", lambda x: x.prod(-2), "high ones for “is” and “are”"),
    ("all-one-class", "0.70 and 0.00", "matthews_correlation", accuracy, "0.70 and 0.70"),
    (
        "one-point-apart",
        "in more than half of the tests",
        "accuracy",
        lambda predicted, true: 0.8,
        "in about 1 of 20 tests",
    ),
    ("because-matthews", "blind guesses then give 0", "np", OneClassOnly(), "the MCC is then never negative"),
    ("target-in-the-input", "no, not at that place", "LanguageModel", Backwards, "yes, and the loss goes to 0"),
    (
        "where-the-shift-is",
        "from the slices of the data",
        "causal_mask",
        lambda n: np.tri(n, k=-1, dtype=bool),
        "from the causal mask",
    ),
    ("what-is-read-next", "i, then a", "generate", told_the_truth, "i, then i"),
    ("pads-in-the-loss", "2.8", "perplexity", lambda nats: np.exp(nats[nats > 0.1].mean()), "8.0"),
    ("token-or-letter", "A, with 1.73 a letter", "perplexity", len, "B, 2.0 is less than 9.0"),
    (
        "tied-table",
        "64,000",
        "parameters",
        lambda model: {**parameters(model), "head": np.zeros((64, 1000))},
        "none",
    ),
    ("what-the-keys-carry", "the token before it", "attention", of_the_next_place, "its own token"),
    (
        "temperature-and-cuts",
        "top-k as many, top-p more",
        "next_probabilities",
        lambda logits, temperature, **cut: next_probabilities(logits, **cut),
        "both as many as before",
    ),
    ("top-p-crossing", "2", "next_probabilities", cut_at_the_crossing, "1"),
    ("greedy-circle", "it runs in a circle", "generate", drawn, "as varied as names are"),
    (
        "because-perplexity",
        "cutting the text plays no part",
        "perplexity",
        lambda nats: 27.0,
        "the two are the same anyway",
    ),
    (
        "because-top_p",
        "else there may be nothing left",
        "next_probabilities",
        lambda logits, top_p: np.exp(logits),
        "equal tokens then stay together",
    ),
    (
        "what-is-not-kept",
        "its query",
        "attention",
        lambda q, k, v, is_causal: scaled_dot_product_attention(k, q, v, is_causal=is_causal),
        "its key",
    ),
    ("old-rows", "0 and 6", "Encoder", without_mask, "6 and 6"),
    (
        "what-the-cache-holds",
        "their keys and values",
        "MultiHeadAttention",
        CachesOutputs,
        "the outputs of attention",
    ),
    ("prompt-in-chunks", "equal but for rounding", "LanguageModel", Forgetful, "equal for the first 3 only"),
    ("scores-with-cache", "500,500", "KVCache", lambda max_len: KVCache(1, on_full="slide"), "1,000"),
    ("double-the-context", "about 2 in 100 more", "parameters", lambda block: {}, "twice as much"),
    ("because-cache_append", "concatenating copies the past", "KVCache", Concatenating, None),
    ("drop-the-oldest", "0.50", "KVCache", lambda max_len, on_full: KVCache(4), "0.10"),
    ("ten-more-tokens", "1,055", "KVCache", WithoutThePrompt, "55"),
    (
        "left-padded",
        "only if pads are not counted",
        "LanguageModel",
        lambda *sizes, **about: LanguageModel(*sizes, **about, positions="rotary"),
        "yes, the pads are hidden",
    ),
    ("repeat-or-tile", "0, 1, 2", "attention", tiled, "0, 2, 4"),
    (
        "grouped-compute",
        "the stored keys and values",
        "MultiHeadAttention",
        lambda *sizes, num_kv_heads, **about: MultiHeadAttention(*sizes, **about),
        None,
    ),
    (
        "because-left_pad_positions",
        "the first real token is number 0",
        "attention",
        lambda q, k, v: scaled_dot_product_attention(q, k, v, np.arange(7) >= 3),
        "a place of −1 hides the pads",
    ),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    earlier = {"loud-pads", "memory-of-nine"}
    own = {id for id, item in BANK.items() if item.lesson in ("09", "10", "11")}
    assert {row[0] for row in ANSWERS} == own | earlier
