"""Beam search: one beam is greedy, enough beams are all texts, and every score is the probability it says it is."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab import beam_search
from tests.test_models import moved

SOURCE_SIZE, SIZE, START, END, N_S, MAX_LEN = 9, 5, 0, 2, 4, 7
SOURCE = np.random.default_rng(0).integers(0, SOURCE_SIZE, (3, N_S))
REAL = np.arange(N_S) < np.array([[N_S], [1], [3]])
ABOUT = {"start": START, "end": END}


def transformer(size=SIZE, seed=0, dtype=np.float64, max_len=MAX_LEN):
    about = {"max_len": max_len, "rng": np.random.default_rng(seed), "dtype": dtype}
    return moved(lab.Seq2Seq(SOURCE_SIZE, size, 8, 2, 9, **about))


def recurrent(kind):
    def make(size=SIZE, seed=0, dtype=np.float64):
        about = {"attention": kind, "rng": np.random.default_rng(seed), "dtype": dtype}
        return moved(lab.RecurrentSeq2Seq(SOURCE_SIZE, size, 8, **about))

    return make


MODELS = {"transformer": transformer, "additive": recurrent("additive"), "dot": recurrent("dot")}
every_model = pytest.mark.parametrize("name", MODELS)


class Table:
    """Of this one all probabilities are written down: what follows depends on the token before alone."""

    def __init__(self, chances):
        self.log, self.embed_target = np.log(chances), lab.Embedding(len(chances), 1)
        self.reads = []

    def encode(self, source, source_mask=None):
        return np.zeros((*np.shape(source), 1)), []

    def decode(self, target, memory, source_mask=None):
        self.reads.append(np.array(target))
        return self.log[target], [], []


def until_the_end(text):
    text = list(text)
    return tuple(text[: text.index(END) + 1] if END in text else text)


def score(model, source, text, real=None):
    """The sum of log-probabilities of a text, by one pass over the whole of it."""
    read = np.array([START, *text[:-1]])
    logs = lab.log_softmax(model(source, read, real)[0])
    return logs[np.arange(len(text)), list(text)].sum()


def every_text(size, max_len):
    """Each once: what ends, and what has no end within max_len."""
    return sorted({until_the_end(text) for text in product(range(size), repeat=max_len)})


def greedy(model, source, max_len, real=None):
    text = [START]
    while len(text) <= max_len and text[-1] != END:
        text.append(int(model(source, np.array(text), real)[0][-1].argmax()))
    return text[1:]


# ---- one beam, all beams ----------------------------------------------------------------------------------------


@every_model
def test_one_beam_is_greedy(name):
    lengths = set()
    for seed in range(6):
        model = MODELS[name](seed=seed)
        for source in SOURCE:
            texts, scores = beam_search(model, source, max_len=6, beams=1, **ABOUT)
            wanted = greedy(model, source, 6)
            assert texts.tolist() == [wanted]
            assert_allclose(scores, [score(model, source, wanted)], rtol=1e-10)
            lengths.add(len(wanted))
    assert len(lengths) > 1  # some end sooner than others


@every_model
@pytest.mark.parametrize(("size", "max_len"), [(3, 1), (3, 3), (4, 3), (5, 2)])
def test_enough_beams_find_every_text_in_order(max_len, size, name):
    model = MODELS[name](size)
    wanted = every_text(size, max_len)
    scores = np.array([score(model, SOURCE[0], text) for text in wanted])
    best = np.argsort(-scores)
    for beams in (len(wanted), 3 * size**max_len):  # more beams than texts: there are no more
        texts, found = beam_search(model, SOURCE[0], max_len=max_len, beams=beams, **ABOUT)
        assert [until_the_end(text) for text in texts] == [wanted[i] for i in best]
        assert_allclose(found, scores[best], rtol=1e-10)
    assert math.fsum(np.exp(found)) == pytest.approx(1, abs=1e-12)


def test_more_beams_find_what_one_misses():
    chances = np.array([[0.0, 0.6, 0.0, 0.4], [0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.9, 0.1]])
    with np.errstate(divide="ignore"):
        model = Table(chances)
    narrow, wide = (beam_search(model, [0], max_len=2, beams=beams, **ABOUT) for beams in (1, 2))
    assert (narrow[0].tolist(), wide[0].tolist()) == ([[1, 1]], [[3, 2], [1, 1]])
    assert_allclose(np.exp(narrow[1]), [0.3], rtol=1e-12)
    assert_allclose(np.exp(wide[1]), [0.36, 0.3], rtol=1e-12)


# ---- scores, ends -----------------------------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("beams", [2, 3, 7])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
def test_scores_are_the_logarithms_of_probabilities_and_the_best_stands_first(length_penalty, beams, name):
    model = MODELS[name]()
    about = {"max_len": 6, "beams": beams, "length_penalty": length_penalty}
    texts, scores = beam_search(model, SOURCE, source_mask=REAL, **about, **ABOUT)
    assert texts.shape[:2] == scores.shape == (3, beams)
    assert scores.dtype == np.float64
    for b in range(3):
        written = [until_the_end(text) for text in texts[b]]
        assert len(set(written)) == beams
        assert_allclose(scores[b], [score(model, SOURCE[b], text, REAL[b]) for text in written], rtol=1e-9)
        ranks = [own / len(text) ** length_penalty for own, text in zip(scores[b], written)]
        assert ranks == sorted(ranks, reverse=True)


@every_model
def test_after_its_end_a_text_is_filled_with_ends(name):
    ended = open_ = 0
    for seed in range(4):
        texts, _ = beam_search(MODELS[name](seed=seed), SOURCE, max_len=5, beams=6, **ABOUT)
        for text in texts.reshape(-1, texts.shape[-1]).tolist():
            written = until_the_end(text)
            assert set(text[len(written) :]) <= {END}
            ended, open_ = ended + (written[-1] == END), open_ + (END not in written)
    assert ended and open_


def test_what_has_ended_is_not_extended_and_costs_no_more():
    certain = np.array([[0.0, 0.5, 0.5], [0.0, 0.7, 0.3], [0.0, 1.0, 0.0]])  # behind an end a 1 would follow for sure
    with np.errstate(divide="ignore"):
        texts, scores = beam_search(Table(certain), [0], max_len=4, beams=3, **ABOUT)
    assert texts.tolist() == [[2, 2, 2, 2], [1, 1, 1, 1], [1, 2, 2, 2]]
    assert_allclose(np.exp(scores), [0.5, 0.5 * 0.7**3, 0.5 * 0.3], rtol=1e-12)


def test_when_all_have_ended_nothing_more_is_read():
    with np.errstate(divide="ignore"):
        model = Table(np.array([[0.0, 0.4, 0.6], [0.0, 0.0, 1.0], [0.0, 0.5, 0.5]]))
    texts, _ = beam_search(model, [[0], [0]], max_len=50, beams=2, **ABOUT)
    assert texts.tolist() == [[[2, 2], [1, 2]]] * 2
    assert [read.shape for read in model.reads] == [(2, 1, 1), (2, 2, 2)]


@every_model
@pytest.mark.parametrize("max_len", range(1, 6))
def test_no_text_is_longer_than_max_len(max_len, name):
    texts, scores = beam_search(MODELS[name](), SOURCE, max_len=max_len, beams=3, **ABOUT)
    assert texts.shape[:2] == scores.shape == (3, 3)
    assert texts.shape[-1] == max_len or (texts[..., -1] == END).all()
    assert texts.shape[-1] <= max_len


def test_a_text_may_fill_every_position_that_was_learned():
    texts, _ = beam_search(transformer(), SOURCE, max_len=MAX_LEN, beams=9, **ABOUT)
    assert texts.shape[-1] == MAX_LEN


def test_one_token_may_both_begin_and_end():
    texts, scores = beam_search(transformer(), SOURCE[0], start=END, end=END, max_len=3, beams=4)
    assert texts.shape == (4, 3)
    logs = lab.log_softmax(transformer()(SOURCE[0], [END, *texts[0, :-1]])[0])
    written = until_the_end(texts[0])
    assert scores[0] == pytest.approx(sum(logs[i, token] for i, token in enumerate(written)), rel=1e-10)


# ---- ranking, ties ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length_penalty", "wanted"),
    [  # log 0.5 = -0.69 by 1 token; log 0.4 · 1/2 · 1/2 = log 0.1 = -2.30 by 3: -0.77 each at 1, -0.26 at 2
        (0.0, [[2, 2, 2], [1, 1, 1]]),
        (1.0, [[2, 2, 2], [1, 1, 1]]),
        (2.0, [[1, 1, 1], [2, 2, 2]]),
    ],
)
def test_ranking_with_a_length_penalty_by_hand(length_penalty, wanted):
    with np.errstate(divide="ignore"):
        model = Table(
            np.array([[0.0, 0.4, 0.5, 0.1], [0.0, 0.5, 0.1, 0.4], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
        )
    texts, scores = beam_search(model, [0], max_len=3, beams=2, length_penalty=length_penalty, **ABOUT)
    assert texts.tolist() == wanted
    by_hand = {(2, 2, 2): math.log(0.5), (1, 1, 1): math.log(0.4 * 0.5 * 0.5)}
    assert_allclose(scores, [by_hand[tuple(text)] for text in wanted], rtol=1e-12)


def test_the_end_counts_as_a_token_of_the_length():
    with np.errstate(divide="ignore"):
        model = Table(np.array([[0.0, 0.7, 0.3], [0.0, 0.9, 0.1], [0.0, 0.0, 1.0]]))
    texts, scores = beam_search(model, [0], max_len=2, beams=3, length_penalty=1.0, **ABOUT)
    # log 0.63 / 2 = -0.23; log 0.3 / 1 = -1.20; log 0.07 / 2 = -1.33, and without its end / 1 the last by far
    assert texts.tolist() == [[1, 1], [2, 2], [1, 2]]
    assert_allclose(scores, np.log([0.63, 0.3, 0.07]), rtol=1e-12)


@pytest.mark.parametrize(("size", "beams"), [(4, 5), (40, 97)])
def test_of_equal_texts_the_lower_ids_come_first(beams, size):
    wanted = [[END, END], *([a, b] for a in range(size) if a != END for b in range(size))][:beams]
    for source in ([0], [[0]] * 3):
        texts, scores = beam_search(Table(np.full((size, size), 1 / size)), source, max_len=2, beams=beams, **ABOUT)
        assert_array_equal(texts, np.broadcast_to(wanted, texts.shape))
        assert_allclose(np.exp(scores[..., 0]), 1 / size, rtol=1e-12)
        assert_allclose(np.exp(scores[..., 1:]), 1 / size**2, rtol=1e-12)


# ---- batches, masks, dtypes -------------------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("leading", [(), (1,), (3,), (2, 3)], ids=str)
def test_a_batch_is_one_by_one(leading, name):
    model = MODELS[name]()
    source, real = (np.resize(a, (*leading, N_S)) for a in (SOURCE, REAL))
    texts, scores = beam_search(model, source, source_mask=real, max_len=5, beams=4, **ABOUT)
    assert texts.shape[:-1] == scores.shape == (*leading, 4)
    for place in np.ndindex(leading):
        n = real[place].sum()
        alone, own = beam_search(model, source[place][:n], max_len=5, beams=4, **ABOUT)
        assert_array_equal(texts[place][:, : alone.shape[1]], alone)
        assert (texts[place][:, alone.shape[1] :] == END).all()
        assert_allclose(scores[place], own, rtol=1e-10)


@every_model
def test_a_padded_token_of_the_source_changes_nothing(name):
    model = MODELS[name]()
    wanted, scores = beam_search(model, SOURCE, source_mask=REAL, max_len=5, **ABOUT)
    other = np.where(REAL, SOURCE, 7)
    for mask in (REAL, REAL.astype(int).tolist()):
        texts, found = beam_search(model, other.tolist(), source_mask=mask, max_len=5, **ABOUT)
        assert_array_equal(texts, wanted)
        assert_array_equal(found, scores)
    _, one_for_all = beam_search(model, SOURCE, source_mask=REAL[2], max_len=5, **ABOUT)
    assert_allclose(one_for_all[2], scores[2], rtol=1e-10)


@every_model
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_narrow_floats_find_what_float64_finds(dtype, name):
    texts, scores = beam_search(MODELS[name](dtype=dtype), SOURCE, max_len=4, beams=3, **ABOUT)
    _, wanted = beam_search(MODELS[name](), SOURCE, max_len=4, beams=3, **ABOUT)
    assert scores.dtype == np.float64
    assert texts.dtype.kind == "i"
    assert_allclose(scores, wanted, atol={np.float16: 0.1, np.float32: 1e-4}[dtype])


def test_a_batch_of_no_source_gives_no_text():
    texts, scores = beam_search(transformer(), np.zeros((0, N_S), int), max_len=5, **ABOUT)
    assert texts.shape[0] == scores.shape[0] == texts.size == 0
