"""The faults of lesson 12's gallery do what the lesson says of them; its references agree with the package."""

import numpy as np
import pytest

import attention_lab
from attention_lab.data import number_words
from attention_lab.metrics import bleu
from attention_lab.teaching.exercises import EXERCISES, lesson_12, lesson_12_bleu, lesson_12_gallery
from tests.teaching.exercises.shown import assert_stands_alone

SHOWN = [
    lesson_12_gallery.faulty_b12,
    lesson_12_gallery.faulty_raw_memory,
    lesson_12_gallery.faulty_causal_memory,
    lesson_12_gallery.faulty_unmasked_memory,
    lesson_12_gallery.faulty_unshifted,
]


@pytest.fixture
def model():
    return attention_lab.Seq2Seq(34, 35, 16, 2, 32, encoder_layers=2, max_len=12, rng=np.random.default_rng(0))


def texts(seed=0, n_s=7, n_t=5):
    """Sources of which the second has two pads, and targets."""
    rng = np.random.default_rng(seed)
    source_mask = np.arange(n_s) < np.array([[n_s], [n_s - 2]])
    source = np.where(source_mask, rng.integers(3, 34, size=(2, n_s)), number_words.PAD)
    return source, rng.integers(3, 35, size=(2, n_t)), source_mask


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault, width=112)


def test_b12_is_right_for_one_text_and_pairs_every_text_with_every_other():
    rng = np.random.default_rng(0)
    target, source = rng.normal(size=(2, 3, 8)), rng.normal(size=(2, 5, 8))
    W = rng.normal(size=(3, 8, 8))
    alone = lesson_12_gallery.faulty_b12(target[0], source[0], *W)
    right = attention_lab.scaled_dot_product_attention(target[0] @ W[0], source[0] @ W[1], source[0] @ W[2])
    for ours, theirs in zip(alone, right):
        np.testing.assert_allclose(ours, theirs)
    output, weights = lesson_12_gallery.faulty_b12(target, source, *W)
    assert (output.shape, weights.shape) == ((2, 3, 2, 2, 8), (2, 3, 2, 5))
    np.testing.assert_allclose(output[0, :, 0, 0], alone[0])  # the wanted ones are among them


def test_raw_embeddings_are_what_a_model_without_an_encoder_reads(model):
    source, target, mask = texts()
    logits, read = lesson_12_gallery.faulty_raw_memory(model, source, target, mask)
    assert np.abs(logits - model(source, target, mask)[0]).max() > 0.1
    model.encoder = None
    np.testing.assert_array_equal(logits, model(source, target, mask)[0])
    assert read.shape == (2, 2, 5, 7)


def test_raw_embeddings_leave_the_encoder_without_a_gradient(model):
    def loss(model, source, target, mask):
        return attention_lab.cross_entropy(lesson_12_gallery.faulty_raw_memory(model, source, target, mask)[0], target)

    _, gradients = attention_lab.value_and_grad(loss)(model, *texts())
    of_encoder = [np.abs(grad).max() for name, grad in gradients.items() if name.startswith("encoder")]
    assert of_encoder
    assert max(of_encoder) == 0
    assert max(np.abs(grad).max() for grad in gradients.values()) > 0


def test_a_causal_cross_attention_hides_what_is_still_to_be_translated(model):
    source, target, mask = texts()
    _, read = lesson_12_gallery.faulty_causal_memory(model, source, target, mask)
    assert ((read > 0) == np.tri(5, 7, dtype=bool)).all()  # the pads are hidden by it as well
    np.testing.assert_array_equal(read[:, :, 0, 0], 1)  # the first token reads the first word, and nothing else
    changed = np.where(np.arange(7) == 4, 3, source)
    assert (changed != source).any(axis=1).all()
    assert not np.allclose(*(model(ids, target, mask)[0][:, 0] for ids in (source, changed)))
    model.encoder = None
    of_first = [lesson_12_gallery.faulty_causal_memory(model, ids, target, mask)[0][:, 0] for ids in (source, changed)]
    np.testing.assert_array_equal(*of_first)


def test_unmasked_pads_of_the_source_are_read_and_change_the_translation(model):
    source, target, mask = texts()
    logits, read = lesson_12_gallery.faulty_unmasked_memory(model, source, target, mask)
    assert (read[1, :, :, 5:] > 0).all()
    alone = model(source[1:, :5], target[1:], mask[1:, :5])[0]
    np.testing.assert_allclose(model(source, target, mask)[0][1:], alone, atol=1e-5)
    assert np.abs(logits[1:] - alone).max() > 1e-3
    np.testing.assert_allclose(logits[:1], model(source, target, mask)[0][:1], atol=1e-5)  # no pads, no difference


@pytest.mark.parametrize("fault", SHOWN[1:4], ids=lambda fault: fault.__name__)
def test_a_faulty_model_can_be_trained(model, fault):
    def loss(model, source, target, mask):
        return attention_lab.cross_entropy(fault(model, source, target, mask)[0], target)

    value, gradients = attention_lab.value_and_grad(loss)(model, *texts())
    assert np.isfinite(value)
    assert np.abs(gradients["head.weight"]).max() > 0


def test_without_a_shift_each_input_is_its_own_target():
    ids, mask = number_words.encode([["elf"], ["zwei", "und", "vierzig"]], number_words.GERMAN, ends=True)
    inputs, targets = lesson_12_gallery.faulty_unshifted(ids, mask)
    assert inputs.tolist() == [[1, 14, 2, 0], [1, 5, 33, 25]]
    assert targets.tolist() == [[1, 14, 2, -1], [1, 5, 33, 25]]
    copier = 100.0 * np.eye(35)[inputs]
    assert attention_lab.cross_entropy(copier, targets, ignore_index=-1) < 1e-6


def test_teacher_forcing_is_the_data_shifted_by_one():
    sentences = [pair.german for pair in number_words.number_pairs("validation")]
    ids, mask = number_words.encode(sentences, number_words.GERMAN)
    inputs, targets = lesson_12.teacher_forcing(ids, mask, number_words.START, number_words.END)
    both, real = number_words.encode(sentences, number_words.GERMAN, ends=True)
    assert inputs.shape == targets.shape == both[:, 1:].shape
    np.testing.assert_array_equal(targets, np.where(real, both, -1)[:, 1:])
    counts = targets >= 0
    np.testing.assert_array_equal(inputs[counts], both[:, :-1][counts])


@pytest.mark.parametrize("seed", range(20))
def test_four_precisions_and_a_penalty_make_bleu(seed):
    rng = np.random.default_rng(seed)
    references = [[f"w{i}" for i in rng.integers(4, size=rng.integers(4, 12))] for _ in range(5)]
    hypotheses = [reference[: rng.integers(2, 12)] + ["w0"] * rng.integers(3) for reference in references]
    precisions = [lesson_12_bleu.clipped_precision(hypotheses, references, n) for n in range(1, 5)]
    c, r = (sum(map(len, corpus)) for corpus in (hypotheses, references))
    penalty = min(1, np.exp(1 - r / c))
    assert bleu(hypotheses, references) == pytest.approx(100 * penalty * np.prod(precisions) ** 0.25, abs=1e-9)


def test_precision_by_hand():
    hypotheses, references, n = EXERCISES["clipped_precision"].cases[0]
    # of five "the" two are right, and "cat"; of "a dog ran" two words: 5 of 9
    assert lesson_12_bleu.clipped_precision(hypotheses, references, n) == 5 / 9
    assert lesson_12_bleu.faulty_clipped_precision_unclipped(hypotheses, references, n) == 8 / 9
