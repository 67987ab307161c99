"""Words, then sentences: what the model is made of, what padding may change, and that it trains."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import Encoder, LayerNorm, parameters, softmax
from attention_lab.tasks.documents import HierarchicalClassifier
from tests.differences import normal
from tests.test_checks import refused_with
from tests.test_layers_train import assert_trains

VOCABULARY, CLASSES, D, HEADS, D_FF, WORDS = 11, 3, 10, 2, 13, 7
IDS = np.random.default_rng(0).integers(1, VOCABULARY, (2, 5, WORDS))
LENGTHS = np.array([[7, 1, 4, 2, 0], [3, 6, 0, 0, 0]])  # sentences of 0 words are padding
MASK = np.arange(WORDS) < LENGTHS[..., None]
both = pytest.mark.parametrize("pooling", ["attention", "mean"])


def classifier(pooling="attention", **about):
    """A model in which everything that starts at 0 or 1 is moved away from there."""
    about = {"max_words": WORDS, "dtype": np.float64, "rng": np.random.default_rng(0), **about}
    model = HierarchicalClassifier(VOCABULARY, CLASSES, D, HEADS, D_FF, pooling=pooling, **about)
    for i, array in enumerate(parameters(model).values()):
        array += 0.4 * normal(*array.shape, seed=i).astype(array.dtype)
    return model


def by_hand(model, ids, lengths):
    """One document, its sentences one by one, no padding anywhere: the equations written out."""
    vectors, shares = [], []
    for row, length in zip(ids, lengths, strict=True):
        if length == 0:
            continue
        x, _ = model.encoder(model.embed.table[row[:length]] + model.positions.table[:length])
        share = softmax(x @ model.word_pool.query / np.sqrt(D)) if model.word_pool else np.full(length, 1 / length)
        vectors, shares = [*vectors, model.norm(share @ x)], [*shares, share]
    s = np.array(vectors)
    share = softmax(s @ model.sentence_pool.query / np.sqrt(D)) if model.sentence_pool else np.full(len(s), 1 / len(s))
    return share @ s @ model.head.weight + model.head.bias, shares, share


@both
def test_it_is_its_equations(pooling):
    model = classifier(pooling)
    logits, of_words, of_sentences = model(IDS, MASK)
    for i in range(2):
        wanted, words, sentences = by_hand(model, IDS[i], LENGTHS[i])
        assert_allclose(logits[i], wanted, rtol=1e-9)
        assert_allclose(of_sentences[i][LENGTHS[i] > 0], sentences, rtol=1e-9)
        for got, share, length in zip(of_words[i], words, LENGTHS[i], strict=False):
            assert_allclose(got[:length], share, rtol=1e-9)
            assert (got[length:] == 0).all()


@both
def test_weights_sum_to_one_on_both_levels_where_there_is_anything(pooling):
    _, of_words, of_sentences = classifier(pooling)(IDS, MASK)
    assert_allclose(of_words.sum(-1), LENGTHS > 0, atol=1e-12)
    assert_allclose(of_sentences.sum(-1), 1, rtol=1e-12)
    assert (of_sentences[LENGTHS == 0] == 0).all()
    product = of_words * of_sentences[..., None]  # what a word counts in the document
    assert_allclose(product.sum((-1, -2)), 1, rtol=1e-12)
    if pooling == "mean":
        assert_allclose(of_words[0, 0], 1 / 7)
        assert_allclose(of_sentences[1, :2], 1 / 2)


@both
def test_what_stands_on_a_pad_changes_nothing(pooling):
    model, other = classifier(pooling), np.where(MASK, IDS, 0)
    for got, wanted in zip(model(other, MASK), model(IDS, MASK), strict=True):
        assert_array_equal(got, wanted)


@both
def test_more_padding_changes_nothing(pooling):
    model = classifier(pooling, max_words=WORDS + 2)
    logits, of_words, of_sentences = model(IDS, MASK)
    room = ((0, 0), (0, 3), (0, 2))
    wide = model(np.pad(IDS, room, constant_values=4), np.pad(MASK, room))
    assert_allclose(wide[0], logits, rtol=1e-9)
    assert_allclose(wide[1][:, :5, :WORDS], of_words, rtol=1e-9, atol=1e-15)
    assert_allclose(wide[2][:, :5], of_sentences, rtol=1e-9, atol=1e-15)
    assert (wide[1][:, :, WORDS:] == 0).all() and (wide[2][:, 5:] == 0).all()


@both
def test_an_empty_document_is_finite_and_says_the_bias(pooling):
    model = classifier(pooling)
    with np.errstate(all="raise"):
        logits, of_words, of_sentences = model(IDS, np.zeros_like(MASK))
    assert_allclose(logits, np.tile(model.head.bias, (2, 1)), rtol=1e-12)
    assert (of_words == 0).all() and (of_sentences == 0).all()


def test_documents_of_a_batch_and_sentences_of_a_document_do_not_read_one_another():
    model, other = classifier(), IDS.copy()
    other[0, 0] = other[0, 0] % (VOCABULARY - 1) + 1  # another first sentence
    was, now = model(IDS, MASK), model(other, MASK)
    assert_array_equal(now[0][1], was[0][1])
    assert_array_equal(now[1][0, 1:], was[1][0, 1:])  # words of the other sentences keep their weights
    assert (now[0][0] != was[0][0]).all() and (now[2][0, :4] != was[2][0, :4]).all()


def test_the_order_of_sentences_plays_no_part_that_of_words_does():
    model, order = classifier(), [3, 1, 0, 4, 2]
    logits, _, of_sentences = model(IDS)
    shuffled, _, turned = model(IDS[:, order])
    assert_allclose(shuffled, logits, rtol=1e-9)
    assert_allclose(turned, of_sentences[:, order], rtol=1e-9)
    assert np.abs(model(IDS[..., ::-1])[0] - logits).min() > 1e-3


def test_without_a_mask_every_word_is_real_and_leading_axes_are_free():
    model = classifier()
    for got, wanted in zip(model(IDS), model(IDS, np.ones_like(MASK)), strict=True):
        assert_array_equal(got, wanted)
    for got, wanted in zip(model(IDS[0], MASK[0].astype(int)), model(IDS, MASK), strict=True):
        assert_allclose(got, wanted[0], rtol=1e-12)


@both
def test_it_trains(pooling):
    model = HierarchicalClassifier(
        VOCABULARY, CLASSES, D, HEADS, D_FF, max_words=WORDS, pooling=pooling, dtype=np.float64, num_layers=2,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    assert_trains(model, lambda model, ids, mask: model(ids, mask), IDS, MASK)


def test_parameters_and_dtype():
    model = HierarchicalClassifier(VOCABULARY, CLASSES, D, HEADS, D_FF, max_words=WORDS, rng=np.random.default_rng(0))
    assert [result.dtype for result in model(IDS, MASK)] == [np.float32] * 3
    own = {name.split(".")[0] for name in parameters(model)}
    assert own == {"embed", "positions", "encoder", "word_pool", "norm", "sentence_pool", "head"}
    count = lambda model: sum(array.size for array in parameters(model).values())  # noqa: E731
    parts = count(Encoder(1, D, HEADS, D_FF)) + count(LayerNorm(D)) + 2 * D + D * CLASSES + CLASSES
    assert count(model) == VOCABULARY * D + WORDS * D + parts
    assert count(classifier("mean")) == count(model) - 2 * D


def test_dropout_only_with_a_generator():
    model = classifier(dropout=0.5)
    assert_array_equal(model(IDS, MASK)[0], model(IDS, MASK)[0])
    drawn = [model(IDS, MASK, rng=np.random.default_rng(seed))[0] for seed in (1, 1, 2)]
    assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).all()


@pytest.mark.parametrize(
    ("error", "call", "words"),
    [
        (ValueError, lambda: classifier("max"), ["pooling", "'attention'", "'max'"]),
        (ValueError, lambda: classifier()(IDS[0, 0]), ["ids", "(..., sentences, words)", "(7,)", "ids[None]"]),
        (ValueError, lambda: classifier()(np.zeros((2, 0, 3), int)), ["ids", "one sentence", "(2, 0, 3)"]),
        (ValueError, lambda: classifier()(IDS + 5), ["ids", "between 0 and 10"]),
        (TypeError, lambda: classifier()(IDS, MASK.astype(float)), ["mask", "boolean"]),
        (ValueError, lambda: classifier()(IDS, MASK[:, :, 0]), ["mask", "(2, 5, 7)", "(2, 5)"]),
        (ValueError, lambda: classifier(max_words=5)(IDS), ["ids has 7 words", "max_words=5"]),
    ],
)
def test_wrong_arguments(error, call, words):
    refused_with(error, call, words)
