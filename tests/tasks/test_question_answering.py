"""Memory network and span pointer: equations by loops, padding, order, gradients, and the choice of a span."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_lab import cross_entropy, parameters, value_and_grad
from attention_lab.operations import log
from attention_lab.tasks.question_answering import MemoryNetwork, SpanPointer, best_span, place_in_sentence

SENTENCES = np.array([[[3, 9, 4], [7, 9, 0], [3, 5, 8]], [[6, 2, 1], [5, 0, 0], [0, 0, 0]]])
QUESTION = np.array([[1, 3, 0, 0], [2, 5, 6, 1]])


def assert_gradients(loss, model, data, names, **near):
    """Of each parameter some entries, against central differences."""
    _, gradients = value_and_grad(loss)(model, *data)
    for name in names:
        array, gradient = parameters(model)[name], gradients[name]
        for at in np.random.default_rng(3).choice(array.size, size=min(array.size, 12), replace=False):
            place = np.unravel_index(at, array.shape)
            was, values = array[place], []
            for step in (1e-5, -1e-5):
                array[place] = was + step
                values.append(float(loss(model, *data)))
            array[place] = was
            np.testing.assert_allclose(gradient[place], (values[0] - values[1]) / 2e-5, err_msg=name, **near)


def memory(hops=1, **about):
    about = {"max_sentences": 5, "hops": hops, "rng": np.random.default_rng(1), "dtype": np.float64} | about
    return MemoryNetwork(11, 7, 13, **about)


def pointer(**about):
    about = {"max_sentences": 5, "max_words": 7, "rng": np.random.default_rng(2), "dtype": np.float64} | about
    return SpanPointer(11, 6, 2, 10, **about)


# ---- memory network ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_memory_by_loops(hops):
    model = memory(hops)
    logits, read = model(SENTENCES, QUESTION)
    assert logits.shape == (2, 7) and len(read) == hops and read[0].shape == (2, 3)
    for story, asked, got in zip(SENTENCES, QUESTION, zip(logits, *read, strict=True), strict=True):
        told = [[i for i in sentence if i] for sentence in story if sentence.any()]
        state = sum(model.question.table[i] for i in asked if i)
        for hop in range(hops):
            key, value = (
                [sum(model.memories[k].table[i] for i in words) + model.ages[k].table[len(told) - 1 - n]
                 for n, words in enumerate(told)] for k in (hop, hop + 1)
            )  # fmt: skip
            shares = np.exp([state @ one for one in key])
            shares /= shares.sum()
            np.testing.assert_allclose(got[1 + hop][: len(told)], shares, rtol=1e-10)
            assert not got[1 + hop][len(told) :].any()
            state = state + shares @ np.array(value)
        np.testing.assert_allclose(got[0], state @ model.head.weight + model.head.bias, rtol=1e-10)


def test_padding_changes_nothing():
    model = memory(2)
    plain = model(SENTENCES, QUESTION)
    padded = model(np.pad(SENTENCES, ((0, 0), (0, 2), (0, 4))), np.pad(QUESTION, ((0, 0), (0, 3))))
    np.testing.assert_allclose(padded[0], plain[0], rtol=1e-12)
    for one, other in zip(padded[1], plain[1], strict=True):
        np.testing.assert_allclose(one[:, :3], other, rtol=1e-12)
        assert not one[:, 3:].any()


def test_words_have_no_order_and_sentences_have_one():
    model = memory()
    logits = model(SENTENCES[:1], QUESTION[:1])[0]
    np.testing.assert_allclose(model(SENTENCES[:1, :, ::-1], QUESTION[:1])[0], logits, rtol=1e-12)
    assert np.abs(model(SENTENCES[:1, ::-1], QUESTION[:1])[0] - logits).max() > 1e-3
    for age in model.ages:
        age.table[:] = 0
    heap = model(SENTENCES[:1], QUESTION[:1])
    turned = model(SENTENCES[:1, ::-1], QUESTION[:1])
    np.testing.assert_allclose(turned[0], heap[0], rtol=1e-12)
    np.testing.assert_allclose(turned[1][0][:, ::-1], heap[1][0], rtol=1e-12)


def test_memory_gradients_and_a_loss_on_the_weights():
    model = memory(2)

    def loss(model, sentences, question, place, fact):
        logits, weights = model(sentences, question)
        return cross_entropy(logits, place) - log((weights[0] * fact).sum(axis=-1)).mean()

    data = SENTENCES, QUESTION, np.array([3, 1]), np.array([[0, 1, 0], [1, 0, 0]])
    assert_gradients(loss, model, data, parameters(model), rtol=1e-5, atol=1e-8)


def test_memory_refuses():
    for sentences in (SENTENCES, SENTENCES[0, 0], SENTENCES[:, :0]):  # too many, no axis of sentences, none
        with pytest.raises(ValueError, match=r"sentences must be \(\.\.\., n, words\), n from 1 to 2, got shape"):
            memory(max_sentences=2)(sentences, QUESTION)
    with pytest.raises(ValueError, match="question must lie between 0 and 10"):
        memory()(SENTENCES, QUESTION + 9)
    with pytest.raises(ValueError, match="sentences must lie between 0 and 10"):
        memory()(SENTENCES + 5, QUESTION)
    with pytest.raises(ValueError, match="hops must be at least 1"):
        memory(0)
    assert memory(dtype=np.float32)(SENTENCES, QUESTION)[0].dtype == np.float32


# ---- span pointer -----------------------------------------------------------------------------------------------

IDS = np.array([[3, 9, 4, 7, 5], [6, 2, 1, 8, 8]])
SENTENCE = np.array([[0, 1, 1, 1, 2], [0, 1, 2, 2, 2]])


def test_pointer_shapes_and_pads():
    model = pointer()
    start, end, weights = model(QUESTION, IDS, SENTENCE)
    assert start.shape == end.shape == (2, 5) and [one.shape for one in weights] == [(2, 2, 5, 5)] * 2
    mask = np.arange(8) < 5
    noise = np.pad(IDS, ((0, 0), (0, 3)), constant_values=9)
    for pads in (np.pad(IDS, ((0, 0), (0, 3))), noise):
        padded = model(np.pad(QUESTION, ((0, 0), (0, 2))), pads, np.pad(SENTENCE, ((0, 0), (0, 3))), mask)
        for one, other in zip(padded[:2], (start, end), strict=True):
            np.testing.assert_allclose(one[:, :5], other, rtol=1e-10)
            assert (one[:, 5:] == -np.inf).all()


def test_the_question_reaches_every_word_and_has_no_order():
    model = pointer()
    start, end, _ = model(QUESTION, IDS, SENTENCE)
    other = model(QUESTION + 1, IDS, SENTENCE)
    assert (np.abs(other[0] - start) > 1e-6).all() and (np.abs(other[1] - end) > 1e-6).all()
    np.testing.assert_allclose(model(QUESTION[:, ::-1], IDS, SENTENCE)[0], start, rtol=1e-10)


def test_places_begin_anew_with_each_sentence():
    assert place_in_sentence(np.array([0, 1, 1, 1, 2, 4, 4])).tolist() == [0, 0, 1, 2, 0, 0, 1]
    assert place_in_sentence(SENTENCE).tolist() == [[0, 0, 1, 2, 0], [0, 0, 0, 1, 2]]


def test_pointer_gradients():
    model, mask = pointer(num_layers=1), np.arange(5) < np.array([[5], [4]])
    assert "question.table" not in parameters(model)  # one table for question and text

    def loss(model, first, last):
        start, end, _ = model(QUESTION, IDS, SENTENCE, mask)
        return cross_entropy(start, first) + cross_entropy(end, last)

    data = np.array([1, 0]), np.array([3, 2])
    names = ("embed.table", "sentence.table", "word.table", "head.weight", "encoder.blocks.0.attention.W_q")
    assert_gradients(loss, model, data, names, rtol=1e-4, atol=1e-7)


def test_pointer_refuses():
    with pytest.raises(ValueError, match="sentence must lie between 0 and 4"):
        pointer()(QUESTION, IDS, SENTENCE + 3)
    with pytest.raises(ValueError, match="sentence has 3 words in a row, more than max_words=2"):
        pointer(max_words=2)(QUESTION, IDS, SENTENCE)
    with pytest.raises(ValueError, match="mask must have shape"):
        pointer()(QUESTION, IDS, SENTENCE, np.ones(4, bool))
    with pytest.raises(ValueError, match=r"sentence must have the shape of ids, \(2, 5\), got \(2, 4\)"):
        pointer()(QUESTION, IDS, SENTENCE[:, :4])


# ---- spans ------------------------------------------------------------------------------------------------------

LOGITS = st.integers(1, 9).flatmap(lambda n: st.tuples(*[arrays(float, (2, n), elements=st.integers(-9, 9))] * 2))


@settings(deadline=None)
@given(LOGITS, st.one_of(st.none(), st.integers(1, 10)))
def test_best_span_by_brute_force(pair, longest):
    start, end = pair
    first, last, score = best_span(start, end, longest=longest)
    for s, e, *found in zip(start, end, first, last, score, strict=True):
        n = len(s)
        spans = [(i, j) for i in range(n) for j in range(i, n) if longest is None or j - i < longest]
        best = max(spans, key=lambda span: s[span[0]] + e[span[1]])  # the first of equals
        assert (found[0], found[1]) == best and found[2] == s[best[0]] + e[best[1]]


def test_spans_where_some_words_are_hidden():
    start, end = np.array([-np.inf, 1, 0, -np.inf]), np.array([9, -np.inf, 2, -np.inf])
    assert [float(part) for part in best_span(start, end)] == [1, 2, 3]
    assert best_span(start.astype(np.float16), end)[0].shape == ()


@pytest.mark.parametrize(("dtype", "large"), [(np.int8, 100), (bool, True), (np.float16, 60000)])
def test_a_sum_of_small_numbers_does_not_overflow(dtype, large):
    logits = np.array([0, large], dtype)
    first, last, score = best_span(logits, logits)
    assert (first, last, score) == (1, 1, 2 * large)


def test_best_span_refuses():
    with pytest.raises(ValueError, match=r"one shape \(\.\.\., n\), n at least 1, got \(3,\) and \(2,\)"):
        best_span([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="n at least 1"):
        best_span([], [])
    with pytest.raises(ValueError, match="longest must be at least 1"):
        best_span([1.0], [1.0], longest=0)
    with pytest.raises(ValueError, match="no span is possible"):
        best_span([-np.inf, 1], [1, -np.inf])
    with pytest.raises(ValueError, match="start holds NaN"):
        best_span([np.nan, 1], [1, 2])
