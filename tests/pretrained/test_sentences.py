"""A tiny sentence encoder with made-up weights: the numbers of the equations written out, padded or not."""

import json
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab.pretrained import WeightsMissing, load_minilm
from tests.pretrained.tiny import HEADS, LAYERS, D, bert_tensors, write_bert

SENTENCES = ["the cat sat.", "", "the mat", "the cats sat the mat the cat sat.", "dog"]
AS_IT_IS = {"sha256": None, "tokenizer_sha256": None}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return load_minilm(write_bert(tmp_path_factory.mktemp("bert")), **AS_IT_IS)


def by_hand(ids):
    """The model's equations in float64, head by head, with the names of the file."""
    file = {name: array.astype(float) for name, array in bert_tensors().items()}

    def dense(name, x):
        return x @ file[f"{name}.weight"].T + file[f"{name}.bias"]

    def norm(name, x):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x**2).mean(-1, keepdims=True) + 1e-9)
        return x * file[f"{name}.LayerNorm.weight"] + file[f"{name}.LayerNorm.bias"]

    def one_head(layer, x, columns):
        q, k, v = (dense(f"{layer}.attention.self.{role}", x)[:, columns] for role in ("query", "key", "value"))
        powers = np.exp(q @ k.T / math.sqrt(D / HEADS))
        return powers / powers.sum(-1, keepdims=True) @ v

    x = file["embeddings.word_embeddings.weight"][ids] + file["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm("embeddings", x + file["embeddings.token_type_embeddings.weight"][0])
    for i in range(LAYERS):
        layer, width = f"encoder.layer.{i}", D // HEADS
        heads = [one_head(layer, x, slice(h * width, (h + 1) * width)) for h in range(HEADS)]
        x = norm(f"{layer}.attention.output", x + dense(f"{layer}.attention.output.dense", np.hstack(heads)))
        inner = dense(f"{layer}.intermediate.dense", x)
        inner *= (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        x = norm(f"{layer}.output", x + dense(f"{layer}.output.dense", inner))
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def test_the_vectors_are_those_of_the_equations(model):
    expected = [by_hand(model.ids(sentence)) for sentence in SENTENCES]
    assert_allclose(model.embed(SENTENCES), expected, rtol=0, atol=2e-6)


def test_a_batch_gives_what_each_sentence_gives_alone(model):
    many = SENTENCES * 9
    alone = np.concatenate([model.embed([sentence]) for sentence in SENTENCES] * 9)
    assert_allclose(model.embed(many), alone, rtol=0, atol=1e-6)
    assert model.embed([]).shape == (0, D)
    assert_allclose(np.linalg.norm(model.embed(many), axis=-1), 1, atol=1e-6)


def test_tokens_stand_between_cls_and_sep(model):
    assert model.tokens("The cats") == ["[CLS]", "the", "cat", "##s", "[SEP]"]
    assert model.ids("").tolist() == [2, 3]


def test_a_look_gives_each_head_of_each_layer(model):
    tokens, weights = model.look("the cats sat")
    assert weights.shape == (LAYERS, HEADS, len(tokens), len(tokens))
    assert_allclose(weights.sum(-1), 1, atol=1e-6)
    assert_array_equal(weights[1], model(model.ids("the cats sat"))[1][1])


def test_a_long_sentence_is_cut_and_what_is_no_word_does_no_harm(model):
    long = " ".join(["cat"] * 10_000)
    assert len(model.ids(long)) == 32  # so many positions it has
    assert_array_equal(model.embed([long]), model.embed([" ".join(["cat"] * 30)]))
    assert_array_equal(model.embed(["the\0 cat"]), model.embed(["the cat"]))
    assert np.isfinite(model.embed(["\0", "🙂", " \n"])).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda model: model.embed("the cat"), "write [sentence]"),
        (lambda model: model.embed([b"the cat"]), "a sentence must be a string, got b'the cat'"),
        (lambda model: model.look(None), "a sentence must be a string, got None"),
    ],
)
def test_what_is_no_sentence_is_refused(model, call, said):
    with pytest.raises(TypeError) as caught:
        call(model)
    assert said in str(caught.value)


# ---- the files --------------------------------------------------------------------------------------------------


def test_a_file_that_is_not_the_published_one_is_refused(tmp_path):
    write_bert(tmp_path)
    with pytest.raises(ValueError, match="model.safetensors is damaged or another file"):
        load_minilm(tmp_path)
    with pytest.raises(ValueError, match="tokenizer.json is damaged or another file"):
        load_minilm(tmp_path, sha256=None)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model_type": "roberta"}, "model_type is 'roberta', expected 'bert'"),
        ({"hidden_act": "relu"}, "hidden_act is 'relu', expected 'gelu'"),
        ({"intermediate_size": 24}, "of encoder.blocks.0.feed_forward.up.weight it has (12, 20), expected (12, 24)"),
        ({"num_hidden_layers": 3}, "of encoder.blocks.2.attention.W_q it has nothing, expected (12, 12)"),
    ],
    ids=str,
)
def test_another_architecture_is_refused(tmp_path, changes, said):
    with pytest.raises(ValueError, match="holds another model") as caught:
        load_minilm(write_bert(tmp_path, **changes), **AS_IT_IS)
    assert said in str(caught.value)


def test_a_truncated_file_is_refused(tmp_path):
    path = write_bert(tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match="no whole safetensors file"):
        load_minilm(tmp_path, **AS_IT_IS)


def test_what_is_missing_is_said(tmp_path):
    with pytest.raises(WeightsMissing, match="MiniLM-L6-v2 are not in"):
        load_minilm(tmp_path)
    write_bert(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    del config["layer_norm_eps"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match="lacks 'layer_norm_eps'"):
        load_minilm(tmp_path, **AS_IT_IS)
