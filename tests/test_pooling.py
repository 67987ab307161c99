"""One vector for a text: means over real tokens, and what one learned query reads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import AttentionPooling, Tensor, masked_mean, parameters, softmax
from attention_lab.pooling import mean_share
from tests.differences import assert_gradients, normal
from tests.test_checks import refused_with
from tests.test_layers_train import assert_trains

X = normal(2, 3, 7, 5)
LENGTHS = np.array([[7, 1, 4], [2, 7, 0]])
REAL = np.arange(7) < LENGTHS[..., None]  # (2, 3, 7); one text has no real token at all
ANYTHING = pytest.mark.parametrize("anything", [np.nan, np.inf, -np.inf, 1e300, 0.0])


def with_pads(anything):
    return np.where(REAL[..., None], X, anything)


def pool_of(scale=1.0, d=5):
    pool = AttentionPooling(d, dtype=np.float64)
    pool.query[:] = scale * normal(d, seed=4)
    return pool


# ---- the mean ---------------------------------------------------------------------------------------------------


def test_the_mean_is_that_of_the_real_tokens():
    got = masked_mean(X, REAL)
    assert got.shape == (2, 3, 5)
    for place in np.ndindex(2, 3):
        wanted = X[place][: LENGTHS[place]].mean(0) if LENGTHS[place] else np.zeros(5)
        assert_allclose(got[place], wanted, rtol=1e-12, atol=1e-15)
    assert_allclose(masked_mean(X), X.mean(-2), rtol=1e-12, atol=1e-15)


def test_a_closed_form():
    assert masked_mean([[1.0, 0.0], [3.0, 4.0], [9.0, 9.0]], [True, True, False]).tolist() == [2, 2]
    assert masked_mean([[1, 0], [3, 4], [9, 9]], [1, 0, 0]).tolist() == [1, 0]
    assert masked_mean([[5.0]], [False]).tolist() == [0]


def test_gaps_and_a_mask_that_all_texts_share():
    mask = np.array([0, 1, 0, 0, 1, 1, 0], bool)
    assert_allclose(masked_mean(X, mask), X[..., mask, :].mean(-2), rtol=1e-12, atol=1e-15)


@ANYTHING
def test_a_pad_may_hold_anything(anything):
    with np.errstate(all="raise"):
        assert_array_equal(masked_mean(with_pads(anything), REAL), masked_mean(X, REAL))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_is_kept(dtype):
    got = masked_mean(X.astype(dtype), REAL)
    assert got.dtype == dtype
    assert_allclose(got, masked_mean(X.astype(dtype).astype(float), REAL), rtol=4 * np.finfo(dtype).eps, atol=1e-3)
    assert masked_mean([[1, 2]]).dtype == np.float64


def test_float16_is_summed_in_float32():
    assert masked_mean(np.full((4096, 1), 60000, np.float16)).tolist() == [60000]
    for n in (11, 22, 41, 5000):  # 1 / 11 in float16, eleven times, is not 1
        assert masked_mean(np.ones((n, 1), np.float16)).tolist() == [1]


def test_shares_are_what_the_mean_multiplies_with():
    share = mean_share(X.shape[:-1], REAL)
    assert_allclose((share[..., None] * X).sum(-2), masked_mean(X, REAL), rtol=1e-12, atol=1e-15)
    assert_allclose(share.sum(-1), LENGTHS > 0, rtol=1e-12)
    assert (share[~REAL] == 0).all()
    assert_array_equal(mean_share((2, 4)), np.full((2, 4), 0.25))


@pytest.mark.parametrize("mask", [None, REAL, REAL.astype(int), REAL[0, 2]], ids=["none", "a text", "0 and 1", "all"])
def test_gradients_of_the_mean(mask):
    (to_x,) = assert_gradients(lambda x: masked_mean(x, mask), X)
    if mask is not None:
        assert (to_x[~np.broadcast_to(np.asarray(mask, bool), X.shape[:-1])] == 0).all()


def test_gradients_where_a_pad_is_not_a_number():
    x = np.array([[1.0, 2.0], [np.nan, np.inf]])
    tensor = Tensor(x)
    masked_mean(tensor, [True, False]).sum().backward()
    assert tensor.grad.tolist() == [[1, 1], [0, 0]]


# ---- attention ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [None, REAL, REAL[0, 2]], ids=["none", "a text", "all"])
def test_a_query_of_zeros_reads_the_mean(mask):
    pooled, weights = AttentionPooling(5)(X, mask)
    assert_allclose(pooled, masked_mean(X, mask), rtol=1e-12, atol=1e-15)
    assert_allclose(weights, mean_share(X.shape[:-1], mask), rtol=1e-12, atol=1e-15)


def test_the_query_weighs_by_a_softmax_of_its_scores():
    pool = pool_of(3.0)
    pooled, weights = pool(X, REAL)
    wanted = softmax(np.where(REAL, X @ pool.query / 5**0.5, -np.inf))
    assert_allclose(weights, wanted, rtol=1e-11, atol=1e-15)
    assert_allclose(pooled, (wanted[..., None] * X).sum(-2), rtol=1e-11, atol=1e-14)
    assert (weights[1, 2] == 0).all() and (pooled[1, 2] == 0).all()


def test_a_query_along_one_feature_finds_it():
    pool = AttentionPooling(3, dtype=np.float64)
    pool.query[:] = [0, 2000, 0]
    pooled, weights = pool(np.eye(3))
    assert weights.tolist() == [0, 1, 0]
    assert pooled.tolist() == [0, 1, 0]


@ANYTHING
def test_a_pad_may_hold_anything_here_too(anything):
    pool = pool_of()
    for ours, theirs in zip(pool(with_pads(anything), REAL), pool(X, REAL)):
        assert_array_equal(ours, theirs)


def test_the_order_of_the_tokens_does_not_matter():
    pool, order = pool_of(), np.random.default_rng(1).permutation(7)
    (ours, weights), (theirs, their_weights) = pool(X[..., order, :], REAL[..., order]), pool(X, REAL)
    assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)
    assert_allclose(weights, their_weights[..., order], rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes_of_attention_pooling(dtype):
    for own in (np.float32, np.float64):
        pooled, weights = AttentionPooling(5, dtype=own)(X.astype(dtype), REAL)
        assert pooled.dtype == weights.dtype == dtype
    assert AttentionPooling(2)([[1, 2], [3, 4]])[0].dtype == np.float64


@pytest.mark.parametrize("mask", [None, REAL], ids=["none", "a text"])
def test_gradients_of_attention_pooling(mask):
    assert_trains(pool_of(), lambda pool, x: pool(x, mask), X, entries=5)
    assert_gradients(lambda x: pool_of()(x, mask)[0], X)
    assert list(parameters(AttentionPooling(5))) == ["query"]


# ---- what is refused ---------------------------------------------------------------------------------------------

POOL = AttentionPooling(5)
PADDING = np.ones((2, 1, 1, 7), bool)
BOTH = {
    "one text too many": (X[:1], REAL, "mask must have shape (1, 3, 7), True = a real token, got (2, 3, 7)"),
    "no axis": (X, True, "mask must have shape (2, 3, 7)", "got ()"),
    "one a text": (X[0], [True, False, True], "mask must have shape (3, 7)", "got (3,)", "one entry a token"),
    "a column": (X[0], np.ones((3, 1), bool), "mask must have shape (3, 7)", "got (3, 1)"),
    "one a feature": (X[0], np.ones((3, 7, 5), bool), "mask must have shape (3, 7)", "got (3, 7, 5)"),
    "a padding_mask": (X[:, 0], PADDING, "got (2, 1, 1, 7)", "of a padding_mask write mask[:, 0, 0]"),
    "lengths": (X[0, 0], np.arange(7), "mask of integers must hold 0 (hidden) and 1 (may attend)", "from 0 to 6"),
}


@pytest.mark.parametrize("pool", [masked_mean, POOL], ids=["mean", "attention"])
@pytest.mark.parametrize("case", BOTH)
def test_a_mask_that_does_not_fit(case, pool):
    x, mask, *words = BOTH[case]
    refused_with(ValueError, lambda: pool(x, mask), words)


def test_what_the_message_says_to_write_works():
    assert_array_equal(masked_mean(X[:, 0], PADDING[:, 0, 0]), masked_mean(X[:, 0]))


@pytest.mark.parametrize("pool", [masked_mean, POOL], ids=["mean", "attention"])
def test_the_wrong_kind(pool):
    refused_with(TypeError, lambda: pool(X, REAL.astype(float)), ["mask must be boolean or 0/1 integers"])
    refused_with(TypeError, lambda: pool(X, "all"), ["mask must hold real numbers"])
    refused_with(TypeError, lambda: pool("text"), ["x must hold real numbers"])


def test_shapes_that_are_no_text():
    refused_with(ValueError, lambda: masked_mean([1.0, 2.0]), ["x must be (..., n, d)"])
    refused_with(ValueError, lambda: masked_mean(X[:, :, :0]), ["n of at least 1", "(2, 3, 0)"])
    refused_with(ValueError, lambda: POOL(X[0, 0, 0]), ["x must be (..., length, d_model), got shape (5,)"])
    refused_with(ValueError, lambda: POOL(X[..., :3]), ["x has 3 features", "expected d_model=5"])
    refused_with(ValueError, lambda: POOL(X[:, :, :0]), ["empty"])
    refused_with(ValueError, lambda: AttentionPooling(0), ["d_model must be at least 1, got 0"])
    refused_with(TypeError, lambda: AttentionPooling(3, dtype=int), ["dtype must be a floating dtype"])
