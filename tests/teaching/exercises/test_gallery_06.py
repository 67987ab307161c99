"""The faults of lesson 06's gallery do what the lesson says of them."""

import numpy as np
import pytest

from attention_lab.functional import layer_norm
from attention_lab.teaching.exercises import lesson_06, lesson_06_block, lesson_06_gallery
from attention_lab.teaching.exercises.display import source_of


def draw(rng, *shape):
    return rng.normal(size=shape) / np.sqrt(shape[-2])


@pytest.mark.parametrize("seed", range(3))
def test_without_a_norm_the_stream_grows_with_depth(seed):
    rng = np.random.default_rng(seed)
    x, spreads = rng.normal(size=(2, 11, 13)), []
    for _ in range(8):
        W_q, W_k, W_v = (draw(rng, 13, 13) for _ in range(3))
        W_1, W_2 = draw(rng, 13, 53), draw(rng, 53, 13)
        x = lesson_06_gallery.faulty_a4(x, W_q, W_k, W_v, W_1, np.zeros(53), W_2, np.zeros(13), num_heads=5)
        spreads.append(x.std())
    assert spreads[-1] > 3 * spreads[0] > 3


def test_the_number_of_heads_is_never_used():
    rng = np.random.default_rng(0)
    x, W, W_1, W_2 = rng.normal(size=(7, 5)), draw(rng, 5, 5), draw(rng, 5, 11), draw(rng, 11, 5)
    blocks = [lesson_06_gallery.faulty_a4(x, W, W, W, W_1, np.zeros(11), W_2, np.zeros(5), h) for h in (1, 3)]
    np.testing.assert_array_equal(*blocks)


@pytest.mark.parametrize("seed", range(3))
def test_unit_variance_weights_explode(seed):
    rng = np.random.default_rng(seed)
    start = lesson_06_gallery.faulty_b4(rng, 64, 256)
    update = lesson_06.feed_forward(rng.normal(size=(31, 64)), *start)
    assert 60 < update.std() < 130  # √(64 · 256 / 2) = 90.5


def parts_of_b8(rng, heads=3, d_head=5, d_ff=11):
    d = heads * d_head
    matrices = [draw(rng, heads, d_head, d_head) for _ in range(3)]
    return *matrices, draw(rng, d, d), draw(rng, d, d_ff), draw(rng, d_ff, d), np.ones(d), np.zeros(d)


def test_a_head_that_splits_first_sees_its_own_slice_only():
    rng = np.random.default_rng(0)
    x, parts = rng.normal(size=(7, 15)), parts_of_b8(rng)
    _, weights = lesson_06_gallery.faulty_b8(x, *parts)
    x[:, 10:] = rng.normal(size=(7, 5))
    output, changed = lesson_06_gallery.faulty_b8(x, *parts)
    assert output.shape == (7, 15)
    assert changed.shape == (3, 7, 7)
    np.testing.assert_array_equal(changed[:2], weights[:2])
    assert (changed[2] != weights[2]).all()


def test_a_batch_breaks_it():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="broadcast"):
        lesson_06_gallery.faulty_b8(rng.normal(size=(2, 7, 15)), *parts_of_b8(rng))


def test_a_norm_over_the_sentence_leaks_and_ours_does_not():
    x = np.random.default_rng(0).normal(size=(5, 7))
    later = np.concatenate([x[:4], x[4:] + 3])
    gain, bias = np.ones(7), np.zeros(7)
    for norm, same in ((lesson_06.faulty_norm_a, False), (lesson_06.layer_norm, True), (layer_norm, True)):
        assert np.array_equal(norm(x, gain, bias)[0], norm(later, gain, bias)[0]) == same


def test_the_other_estimate_of_the_variance_shrinks_four_features_to_0_866():
    x = np.array([[1.0, 2.0, 4.0, 8.0]])
    ratio = lesson_06.faulty_norm_b(x, 1, 0) / lesson_06.layer_norm(x, 1, 0)
    np.testing.assert_allclose(ratio, np.sqrt(3 / 4), rtol=1e-4)


def test_adding_the_norm_is_no_identity_for_a_sublayer_of_zeros():
    x = np.array([[3.0, 4.0]])
    norm, zero = lesson_06_block.rms_norm, lesson_06_block.zero
    np.testing.assert_array_equal(lesson_06_block.pre_norm(x, norm, zero), x)
    np.testing.assert_array_equal(lesson_06_block.faulty_pre_norm(x, norm, zero), norm(x))


@pytest.mark.parametrize("name", [name for name in dir(lesson_06_gallery) if name.startswith("faulty_")])
def test_a_fault_of_the_gallery_is_short(name):
    assert len(source_of(getattr(lesson_06_gallery, name)).splitlines()) <= 12
