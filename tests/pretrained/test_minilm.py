"""MiniLM-L6-v2 with its own weights: what is known of it without another library."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lab import parameters
from attention_lab.pretrained import load_minilm
from attention_lab.pretrained.sentences import MINILM
from tests.models import skip_without

skip_without(MINILM)

SENTENCES = ["A man is eating food.", "A man eats a piece of bread.", "The girl carries a baby.", "", "x" * 300, "\0"]


@pytest.fixture(scope="module")
def model():
    return load_minilm()


def test_its_size_is_the_published_one(model):
    assert sum(array.size for array in parameters(model).values()) == 22_713_216 - 384 * 385  # no pooler


def test_sentences_that_mean_the_same_are_near(model):
    near, far = (model.embed(SENTENCES)[:1] @ model.embed(SENTENCES)[1:3].T)[0]
    assert near > 0.7
    assert far < 0.2


def test_a_batch_gives_what_each_sentence_gives_alone(model):
    alone = np.concatenate([model.embed([sentence]) for sentence in SENTENCES])
    assert_allclose(model.embed(SENTENCES), alone, rtol=0, atol=1e-6)


def test_what_is_no_sentence_has_a_defined_vector(model):
    assert model.tokens("") == model.tokens("\0") == ["[CLS]", "[SEP]"]
    assert model.tokens("Unbelievable!") == ["[CLS]", "unbelievable", "!", "[SEP]"]
    long = " ".join(["word"] * 10_000)
    assert len(model.ids(long)) == 256
    assert_allclose(model.embed([long, ""])[1], model.embed(["\0"])[0], atol=1e-6)


def test_a_look_gives_72_heads(model):
    tokens, weights = model.look("The bank of the river.")
    assert weights.shape == (6, 12, len(tokens), len(tokens))
    assert_allclose(weights.sum(-1), 1, atol=1e-5)
