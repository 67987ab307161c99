"""Switching a head off: what is lost is what that head added, and all is as before afterwards."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import EncoderBlock, MultiHeadAttention
from attention_lab.multi_head import split_heads
from attention_lab.pretrained import without_head


def attend_and_x(**about):
    attend = MultiHeadAttention(24, 6, rng=np.random.default_rng(0), **about)
    return attend, np.random.default_rng(1).normal(size=(2, 5, 24))


@pytest.mark.parametrize("about", [{}, {"bias": True}, {"num_kv_heads": 2}, {"d_head": 7}])
def test_what_is_lost_is_what_the_head_adds(about):
    attend, x = attend_and_x(**about)
    if attend.b_o is not None:
        attend.b_o[:] = 1
    whole, weights = attend(x)
    for head in range(6):
        with without_head(attend, head) as same:
            less, seen = same(x)
        rows = slice(head * attend.d_head, (head + 1) * attend.d_head)
        group = head // (6 // attend.num_kv_heads)
        value = split_heads(x @ attend.W_v + (0 if attend.b_v is None else attend.b_v), attend.num_kv_heads)[:, group]
        assert_allclose(whole - less, weights[:, head] @ value @ attend.W_o[rows], atol=1e-5)
        assert_array_equal(seen, weights)


def test_the_heads_together_are_the_whole_output():
    attend, x = attend_and_x()
    whole, _ = attend(x)
    lost = 0
    for head in range(6):
        with without_head(attend, head):
            lost = lost + whole - attend(x)[0]
    assert_allclose(lost, whole, atol=1e-5)


def test_the_matrix_is_put_back_and_never_written_to():
    attend, _ = attend_and_x()
    matrix, before = attend.W_o, attend.W_o.copy()
    matrix.setflags(write=False)
    with without_head(attend, 2):
        assert attend.W_o.dtype == np.float32
        assert not attend.W_o[8:12].any()
        assert_array_equal(np.delete(attend.W_o, slice(8, 12), 0), np.delete(before, slice(8, 12), 0))
    assert attend.W_o is matrix
    with pytest.raises(KeyError), without_head(attend, 2):
        raise KeyError
    assert attend.W_o is matrix
    assert_array_equal(matrix, before)


def test_several_heads_at_once():
    block = EncoderBlock(24, 6, 32, rng=np.random.default_rng(0))
    x = np.random.default_rng(1).normal(size=(5, 24))
    with without_head(block.attention, 0), without_head(block.attention, 5):
        both, _ = block(x)
        assert not block.attention.W_o[:4].any()
        assert not block.attention.W_o[20:].any()
    for head in (0, 5):
        with without_head(block.attention, head):
            assert not np.allclose(block(x)[0], both)


def test_what_is_refused():
    attend, _ = attend_and_x()
    for head, said in ((6, "head=6 does not exist: expected 0 to 5"), (-1, "head must be at least 0")):
        with pytest.raises(ValueError, match=said), without_head(attend, head):
            pass
    with pytest.raises(TypeError, match="head must be a whole number"), without_head(attend, 1.0):
        pass
    block = EncoderBlock(24, 6, 32, rng=np.random.default_rng(0))
    with pytest.raises(TypeError, match="attention must be the MultiHeadAttention of a block"), without_head(block, 0):
        pass
