"""N-grams: probabilities by hand and by loops over counted text, sums, what longer contexts bring, what is refused."""

import itertools
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from attention_lab.baselines.ngrams import NGram
from attention_lab.metrics import perplexity

SMOOTHINGS = ["kneser-ney", "witten-bell"]
TEXTS = ["ana", "anna", "nab", "banana", ""]


@cache
def random_texts(number):
    """Texts in which a symbol depends on the two before it: enough to estimate discounts from."""
    rng = np.random.default_rng(0)
    likely = rng.dirichlet(np.full(7, 0.3), size=(7, 7)).cumsum(-1)
    drawn = np.zeros((number, 9), int)
    for i in range(2, 9):
        drawn[:, i] = (rng.random((number, 1)) > likely[drawn[:, i - 2], drawn[:, i - 1], :-1]).sum(-1)
    return ["".join("abcdefg"[i] for i in row[2:]) for row in drawn]


def by_loops(texts, order, smoothing):
    """P(symbol, before), straight from the definition on texts written as ^ana$: everything is searched for."""
    texts = [f"^{text}$" for text in texts]
    alphabet = sorted({*"".join(texts)} - {"^"})

    @cache
    def times(gram):
        return sum(text.startswith(gram, i) for text in texts for i in range(len(text)))

    @cache
    def count(gram):
        if smoothing == "witten-bell" or len(gram) == order or gram[0] == "^":
            return times(gram)
        return sum(times(other + gram) > 0 for other in ["^", *alphabet])

    @cache
    def asides(length):
        grams = {text[i : i + length] for text in texts for i in range(len(text) - length + 1)}
        grams |= {text[:length] for text in texts}
        often = Counter(count(gram) for gram in grams if gram != "^" and len(gram) == length)
        if not often[1] or not often[2] or not often[3]:
            return 0.5, 1, 1.5
        share = often[1] / (often[1] + 2 * often[2])
        found = [k - (k + 1) * share * often[k + 1] / often[k] for k in (1, 2, 3)]
        return found if all(0 < aside <= k for k, aside in enumerate(found, 1)) else (0.5, 1, 1.5)

    @cache
    def likely(context, symbol):
        shorter = likely(context[1:], symbol) if context else 1 / len(alphabet)
        counts = {other: count(context + other) for other in alphabet}
        seen = [n for n in counts.values() if n]
        if not seen:
            return shorter
        if smoothing == "witten-bell":
            return (counts[symbol] + len(seen) * shorter) / (sum(seen) + len(seen))
        off = asides(len(context) + 1)
        kept = counts[symbol] - off[min(counts[symbol], 3) - 1] if counts[symbol] else 0
        return (kept + sum(off[min(n, 3) - 1] for n in seen) * shorter) / sum(seen)

    return lambda before, symbol: likely(f"^{before}"[max(0, len(before) + 2 - order) :], symbol or "$")


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("texts", [TEXTS, random_texts(19)], ids=["few", "more"])
def test_by_loops(texts, order, smoothing):
    model, oracle = NGram(texts, order, smoothing=smoothing), by_loops(texts, order, smoothing)
    for before in ("", "a", "bbbb", texts[0], texts[1][:3], texts[2][:2]):
        expected = [oracle(before, symbol) for symbol in model.symbols]
        assert_allclose(model.probabilities(before), expected, rtol=1e-12)


def test_discounts_are_estimated_where_there_is_enough_to_count():
    few, more = (NGram(texts, 3)._asides[2] for texts in (TEXTS, random_texts(19)))
    assert few.tolist() == [0, 0.5, 1, 1.5]
    assert more.tolist() != [0, 0.5, 1, 1.5]


def test_witten_bell_by_hand():
    # Without context a, n, end: 4, 3, 2 times, and 3 kinds. After n: a twice, n once, 2 kinds.
    single = NGram(["ana", "anna"], 1, smoothing="witten-bell").probabilities()
    assert_allclose(single, [5 / 12, 4 / 12, 3 / 12], rtol=1e-15)
    after_n = NGram(["ana", "anna"], 2, smoothing="witten-bell").probabilities("an")
    assert_allclose(after_n, [(2 + 2 * 5 / 12) / 5, (1 + 2 * 4 / 12) / 5, (2 * 3 / 12) / 5], rtol=1e-15)


def test_kneser_ney_by_hand():
    # After how many symbols each was seen: a after ^, n: 2; n after a, n: 2; end after a: 1. Off 1, 2 goes .5, 1.
    model = NGram(["ana", "anna"], 2)
    single = (np.array([2 - 1, 2 - 1, 1 - 0.5]) + 2.5 / 3) / 5
    assert_allclose(model.probabilities("an"), (np.array([2 - 1, 1 - 0.5, 0]) + 1.5 * single) / 3, rtol=1e-15)


def test_a_symbol_seen_after_one_only_is_no_guess_elsewhere():
    texts = ["qu"] * 50 + ["ae", "be", "ce", "de", "fe"]
    models = [NGram(texts, 2, smoothing=smoothing) for smoothing in SMOOTHINGS]
    unseen = [model.probabilities("u") for model in models]  # after u came only the end
    u, e = (models[0].symbols.index(symbol) for symbol in "ue")
    assert unseen[0][e] > unseen[0][u]
    assert unseen[1][u] > unseen[1][e]


@given(
    st.lists(st.text("abc", max_size=6), min_size=1, max_size=8),
    st.integers(1, 5),
    st.sampled_from(SMOOTHINGS),
    st.data(),
)
@settings(max_examples=50, deadline=None)
def test_a_distribution_after_anything(texts, order, smoothing, data):
    model = NGram(texts, order, smoothing=smoothing)
    before = data.draw(st.text("".join(model.symbols[:-1]), max_size=7) if model.symbols[:-1] else st.just(""))
    likely = model.probabilities(before)
    assert likely.shape == (len(model.symbols),)
    assert likely.sum() == pytest.approx(1, abs=1e-12)
    assert (likely > 0).all()


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_every_text_together_has_probability_one(smoothing):
    """No mass leaks: the texts of at most n symbols, and those that go on, share all of it."""
    model = NGram(["ab", "b", "ba", "abb"], 3, smoothing=smoothing)
    whole = [text for n in range(4) for text in itertools.product("ab", repeat=n)]
    ended = sum(np.exp(-model.nats([text]).sum()) for text in whole)
    goes_on = sum(np.exp(-model.nats([text])[:4].sum()) for text in itertools.product("ab", repeat=4))
    assert ended + goes_on == pytest.approx(1, rel=1e-12)


def test_nats_are_those_of_each_symbol_and_end():
    model = NGram(TEXTS, 3)
    expected = []
    for text in ("nab", "", "a"):
        for i, symbol in enumerate([*text, None]):
            expected.append(-np.log(model.probabilities(text[:i])[model.symbols.index(symbol)]))
    assert_allclose(model.nats(["nab", "", "a"]), expected, rtol=1e-15)
    assert len(expected) == 4 + 1 + 2


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_context_helps_where_symbols_depend_on_it(smoothing):
    train, test = random_texts(1000)[:900], random_texts(1000)[900:]
    one, two, three = (perplexity(NGram(train, n, smoothing=smoothing).nats(test)) for n in (1, 2, 3))
    assert three < 0.8 * two < 0.8 * one


def test_kneser_ney_bears_a_long_context():
    train, test = random_texts(400)[:300], random_texts(400)[300:]
    kneser_ney, witten_bell = (perplexity(NGram(train, 6, smoothing=s).nats(test)) for s in SMOOTHINGS)
    assert kneser_ney < witten_bell


def test_words_are_symbols_too():
    texts = [["the", "cat", "sat"], ["the", "dog", "sat"]]
    model = NGram(texts, 2)
    assert model.symbols == ("cat", "dog", "sat", "the", None)
    assert model.probabilities(["the"]).argmax() in (0, 1)
    letters = NGram([["a", "b"], ("b",)], 2)
    assert_allclose(letters.probabilities(["a"]), NGram(["ab", "b"], 2).probabilities("a"))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("ana", 2), TypeError, "texts must be a list but is the string 'ana'"),
        (([], 2), ValueError, "texts is empty"),
        ((["ana"], 0), ValueError, "order must be at least 1, got 0"),
        ((["ana"], 2.0), TypeError, "order must be a whole number"),
        ((["ana"], 2, "laplace"), ValueError, "smoothing must be one of 'kneser-ney', 'witten-bell', got 'laplace'"),
    ],
)
def test_refused(arguments, error, words):
    texts, order, *smoothing = arguments
    with pytest.raises(error, match=words):
        NGram(texts, order, **dict(zip(["smoothing"], smoothing)))


def test_unknown_symbols_are_refused():
    model = NGram(["ana"], 2)
    for ask in (lambda: model.nats(["anx"]), lambda: model.probabilities("x")):
        with pytest.raises(ValueError, match="holds 'x', which is in no text that the model learned from"):
            ask()
    with pytest.raises(ValueError, match="holds None"):
        model.probabilities(["a", None])
    with pytest.raises(TypeError, match="texts must be a list"):
        model.nats("ana")
