"""The faults of lesson 15's gallery do what the lesson says of them; its reference packs documents as the package."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab.data.documents import ID_OF, PAD, documents, encode
from attention_lab.tasks.documents import HierarchicalClassifier
from attention_lab.teaching.exercises import lesson_15_gallery as gallery
from attention_lab.teaching.exercises.lesson_15_arrays import pad_documents
from tests.teaching.exercises.shown import assert_stands_alone


@pytest.mark.parametrize("fault", [gallery.faulty_share, gallery.faulty_cut], ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_stands_alone(fault):
    assert_stands_alone(fault)


@pytest.fixture(scope="module")
def model():
    model = HierarchicalClassifier(33, 3, 8, 2, 8, max_words=9, dtype=np.float64, rng=np.random.default_rng(0))
    for i, array in enumerate((model.norm.bias, model.word_pool.query, model.sentence_pool.query)):
        array += np.random.default_rng(i).normal(size=8)
    return model


def test_padded_sentences_take_weight_without_their_mask_and_only_then(model):
    ids, mask = encode(documents("test")[:3])
    ids, mask = ids[:, :14] * mask[:, :14], mask[:, :14]
    full = mask.any(-1).all(-1)
    bare, share = gallery.faulty_share(model, ids, mask)
    assert_allclose(bare[full], model(ids, mask)[0][full], rtol=1e-9)  # nothing padded, nothing wrong
    room = ((0, 0), (0, 6), (0, 0))
    wide = gallery.faulty_share(model, np.pad(ids, room), np.pad(mask, room))
    assert (wide[1][:, 14:] > 0).all() and np.abs(wide[0] - bare)[full].min() > 1e-4
    assert (model(np.pad(ids, room), np.pad(mask, room))[2][:, 14:] == 0).all()
    assert share.shape == (3, 14)


def test_the_cut_keeps_the_first_words_and_leaves_no_trace(model):
    ids, mask = encode(documents("test")[:3])
    cut_ids, cut_mask = gallery.faulty_cut(ids, mask, 20)
    assert cut_mask.sum((1, 2)).tolist() == [20, 20, 20]
    for row, here, whole, real in zip(cut_ids, cut_mask, ids, mask, strict=True):
        assert_array_equal(row[here], whole[real][:20])
    assert_allclose(model(cut_ids, cut_mask)[2].sum(-1), 1)
    assert_array_equal(gallery.faulty_cut(ids, mask)[1], mask)  # 512 words are enough for these


def test_the_reference_packs_as_the_package_does():
    papers = documents("test")[:7]
    rows = [[[ID_OF[word] for word in sentence.split()] for sentence in paper.sentences] for paper in papers]
    for got, wanted in zip(pad_documents(rows, PAD), encode(papers), strict=True):
        assert_array_equal(got, wanted)
