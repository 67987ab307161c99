"""Linear, Performer and Linformer attention against sums written out, and what each may and may not do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab.autodiff import Tensor
from attention_lab.kernel_attention import CHUNK, random_directions
from tests.differences import assert_gradients
from tests.oracle import random_inputs

Q, K, V = random_inputs()  # (2, 3, 5, 11), (2, 3, 7, 11), (2, 3, 7, 13)
TRIES = settings(max_examples=40, deadline=None, derandomize=True)


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def quadratic(query, key, value, visible=True):
    """The same, with all weights computed."""
    similarity = phi(query) @ phi(key).swapaxes(-1, -2) * visible
    total = similarity.sum(-1, keepdims=True)
    return similarity / np.where(total == 0, 1, total) @ value


def random(n_q, n_k, d=5, d_v=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    shapes = (2, n_q, d), (2, n_k, d), (2, n_k, d_v)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


def performer(query, key, value, num_features=32, seed=0, **options):
    return lab.performer_attention(
        query, key, value, num_features=num_features, rng=np.random.default_rng(seed), **options
    )


# ---- linear ---------------------------------------------------------------------------------------------------


def test_linear_is_its_quadratic_form():
    assert_allclose(lab.linear_attention(Q, K, V), quadratic(Q, K, V), rtol=0, atol=1e-13)


@pytest.mark.parametrize("n_q", [1, 5, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])
@pytest.mark.parametrize("more", [0, 1, 40, CHUNK, -1, -40, -CHUNK - 3])
def test_causal_is_its_quadratic_form_whatever_the_chunks(n_q, more):
    n_k = max(1, n_q + more)
    for dtype, near in ((np.float64, 1e-12), (np.float32, 1e-6)):
        query, key, value = random(n_q, n_k, dtype=dtype)
        output = lab.linear_attention(query, key, value, is_causal=True)
        assert output.dtype == dtype
        expected = quadratic(*(x.astype(float) for x in (query, key, value)), lab.causal_mask(n_q, n_k))
        assert_allclose(output, expected, rtol=0, atol=near)


def test_causal_is_a_state_that_grows():
    query, key, value = random(9, 9)
    state, total, rows = 0, 0, []
    for i in range(9):
        state = state + phi(key[:, i])[..., None] * value[:, i, None]
        total = total + phi(key[:, i])
        of_query = phi(query[:, i])
        rows.append((of_query[..., None] * state).sum(1) / (of_query * total).sum(1, keepdims=True))
    assert_allclose(lab.linear_attention(query, key, value, is_causal=True), np.stack(rows, 1), atol=1e-13)


def test_what_comes_later_changes_no_bit():
    query, key, value = random(3 * CHUNK, 3 * CHUNK, dtype=np.float32)
    before = lab.linear_attention(query, key, value, is_causal=True)
    for at in (1, CHUNK, 2 * CHUNK + 5):
        other = [x.copy() for x in (query, key, value)]
        for x in other:
            x[:, at:] = 50
        assert_array_equal(lab.linear_attention(*other, is_causal=True)[:, :at], before[:, :at])


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("dtype", [bool, int])
def test_hidden_keys_change_nothing(is_causal, dtype):
    mask = lab.padding_mask([4, 7], 7).astype(dtype)  # (2, 1, 1, 7)
    output = lab.linear_attention(Q, K, V, mask, is_causal=is_causal)
    visible = mask.astype(bool) & (lab.causal_mask(5, 7) if is_causal else True)
    assert_allclose(output, quadratic(Q, K, V, visible), atol=1e-13)
    junk = np.where(mask[:, 0, 0, :, None], 0, 90)[:, None]
    assert_array_equal(lab.linear_attention(Q, K + junk, V + junk, mask, is_causal=is_causal), output)


def test_one_mask_for_all():
    mask = np.arange(7) < 3
    for shaped in (mask, mask[None], mask[None, None]):
        assert_allclose(lab.linear_attention(Q, K, V, shaped), quadratic(Q, K, V, mask), atol=1e-13)


def test_a_row_without_a_visible_key_is_zero():
    output = lab.linear_attention(Q, K, V, lab.padding_mask([0, 7], 7))
    assert not output[0].any()
    assert output[1].all()
    early = lab.linear_attention(*random(7, 3), is_causal=True)  # the last 3 of 7 queries see keys
    assert not early[:, :4].any()
    assert early[:, 4:].all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("attend", [lab.linear_attention, performer])
def test_the_dtype_is_kept_and_float16_worked_in_float32(attend, dtype):
    q, k, v = (x.astype(dtype) for x in (Q, K, V))
    output = attend(q, k, v, is_causal=True)
    assert output.dtype == dtype
    wide = attend(*(x.astype(np.float64) for x in (q, k, v)), is_causal=True)
    assert_allclose(output, wide, atol={2: 2e-3, 4: 1e-5, 8: 1e-14}[output.itemsize])


@pytest.mark.parametrize("attend", [lab.linear_attention, performer])
def test_integers_become_float64_and_leading_axes_broadcast(attend):
    assert attend([[1, 2]], [[3, 4], [0, 1]], [[1], [2]]).dtype == np.float64
    for is_causal in (False, True):
        wide = attend(Q, K[:, :1], V[:1], is_causal=is_causal)
        assert_allclose(wide[1, 2], attend(Q[1, 2], K[1, 0], V[0, 2], is_causal=is_causal), atol=1e-12)


@TRIES
@given(st.integers(1, 9), st.integers(1, 9), st.booleans(), st.integers(0, 99))
def test_rows_sum_to_one_where_there_is_a_key(n_q, n_k, is_causal, seed):
    query, key, _ = random(n_q, n_k, seed=seed)
    ones = np.ones((n_k, 2))
    sees = np.arange(n_q) >= n_q - n_k if is_causal else np.ones(n_q, bool)
    for attend in (lab.linear_attention, performer):
        output = attend(query, key, ones, is_causal=is_causal)
        assert_allclose(output, np.broadcast_to(sees[:, None], output.shape), atol=1e-12)


@TRIES
@given(st.integers(0, 99))
def test_the_order_of_the_keys_does_not_matter(seed):
    query, key, value = random(4, 7, seed=seed)
    order = np.random.default_rng(seed).permutation(7)
    for attend in (lab.linear_attention, performer):
        assert_allclose(attend(query, key[:, order], value[:, order]), attend(query, key, value), atol=1e-12)


def test_linear_weights_have_the_rank_of_their_features():
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(2, 40, 3))
    weights = lab.linear_attention(query, key, np.eye(40))
    assert np.linalg.matrix_rank(weights) == 3
    assert np.linalg.matrix_rank(lab.scaled_dot_product_attention(query, key, np.eye(40))[1]) > 3


# ---- Performer ------------------------------------------------------------------------------------------------


def error(num_features, norm, seed):
    """Root of the mean squared difference from softmax attention, for queries and keys of such entries."""
    rng = np.random.default_rng([seed, 1])
    query, key = rng.normal(size=(2, 64, 16)) * norm
    value = rng.normal(size=(64, 8))
    exact, _ = lab.scaled_dot_product_attention(query, key, value)
    return np.sqrt(np.square(performer(query, key, value, num_features, seed) - exact).mean())


def test_the_error_falls_as_one_over_the_root_of_the_features():
    features = [16, 32, 64, 128, 256, 512, 1024]
    errors = [np.mean([error(m, 0.25, seed) for seed in range(12)]) for m in features]
    slope, _ = np.polyfit(np.log(features), np.log(errors), 1)
    assert abs(slope + 0.5) < 0.08


def test_long_queries_and_keys_are_estimated_badly():
    short, long = (np.mean([error(256, norm, seed) for seed in range(6)]) for norm in (0.25, 1.0))
    assert long > 20 * short


def test_directions_are_normal_and_orthogonal_in_blocks():
    d, rng = 16, np.random.default_rng(0)
    directions = random_directions(d, 40, rng)
    assert directions.shape == (d, 40)
    for block in (directions[:, :16], directions[:, 16:32], directions[:, 32:]):
        products = block.T @ block
        assert_allclose(products - np.diag(np.diagonal(products)), 0, atol=1e-12)
    many = random_directions(d, 4000, rng)
    assert abs(many.mean()) < 0.02
    assert abs(many.std() - 1) < 0.02
    assert abs((many**4).mean() - 3) < 0.2  # a normal number's fourth moment
    assert_allclose(many @ many.T / 4000, np.eye(d), atol=0.08)


def test_orthogonal_directions_do_better_than_independent_ones(monkeypatch):
    own = [error(64, 0.25, seed) for seed in range(40)]
    independent = lambda d, num_features, rng: rng.normal(size=(d, num_features))  # noqa: E731
    monkeypatch.setattr("attention_lab.kernel_attention.random_directions", independent)
    others = [error(64, 0.25, seed) for seed in range(40)]
    assert np.mean(own) < 0.95 * np.mean(others)


def test_one_direction_is_its_formula():
    """With a single feature both sums can be written down: the query's factor cancels."""
    query, key, value = random(4, 6, seed=3)
    w = random_directions(5, 1, np.random.default_rng(0))
    scaled = key * 5**-0.25
    weights = np.exp((scaled @ w)[..., 0] - np.square(scaled).sum(-1) / 2)
    expected = (weights[..., None] * value).sum(1, keepdims=True) / weights.sum(-1)[:, None, None]
    assert_allclose(performer(query, key, value, 1), np.broadcast_to(expected, (2, 4, 3)), atol=1e-12)


def test_causal_performer_is_the_prefixes_one_by_one():
    query, key, value = random(6, 8, seed=1)
    whole = performer(query, key, value, is_causal=True)
    for i in range(6):
        alone = performer(query[:, i : i + 1], key[:, : i + 3], value[:, : i + 3])
        assert_allclose(whole[:, i : i + 1], alone, atol=1e-12)


@pytest.mark.parametrize("size", [1e-30, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_inputs_of_any_size_give_finite_rows_that_sum_to_one(size, dtype):
    query, key = (np.random.default_rng(0).normal(size=(2, 40, 16)) * size).astype(dtype)
    ones = np.ones((40, 2), dtype)
    assert_allclose(performer(query, key, ones), 1, atol=1e-3)
    causal = performer(query, key, ones, is_causal=True)
    assert np.isfinite(causal).all()
    assert (np.isclose(causal, 1, atol=1e-3) | (causal == 0)).all()  # what vanished beside later keys is zero


# ---- Linformer ------------------------------------------------------------------------------------------------


def test_linformer_with_identities_is_dense():
    assert_allclose(
        lab.linformer_attention(Q, K, V, np.eye(7), np.eye(7)), lab.scaled_dot_product_attention(Q, K, V)[0]
    )


def test_linformer_reads_mixtures():
    rng = np.random.default_rng(0)
    project_k, project_v = rng.normal(size=(2, 3, 7))
    expected = lab.scaled_dot_product_attention(Q, project_k @ K, project_v @ V)[0]
    assert_allclose(lab.linformer_attention(Q, K, V, project_k, project_v), expected, atol=1e-12)
    means = np.array([[1, 0, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1, 1]]) / [[1], [6]]
    same = np.broadcast_to(K[..., :1, :], K.shape)  # equal keys: a plain mean over the two mixtures
    read = lab.linformer_attention(Q, same, V, means, means)
    assert_allclose(read, np.broadcast_to((means @ V).mean(-2, keepdims=True), read.shape), atol=1e-12)


def test_linformer_keeps_the_dtype():
    for dtype in (np.float16, np.float32):
        assert lab.linformer_attention(*(x.astype(dtype) for x in (Q, K, V)), np.eye(7), np.eye(7)).dtype == dtype


# ---- gradients ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_q", "n_k"), [(3, 3), (3, 5), (5, 3)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_gradients(n_q, n_k, is_causal):
    arrays = random(n_q, n_k, 2, 2)
    assert_gradients(lambda q, k, v: lab.linear_attention(q, k, v, is_causal=is_causal), *arrays)
    assert_gradients(lambda q, k, v: performer(q, k, v, 5, is_causal=is_causal), *arrays)


def test_gradients_over_chunks(monkeypatch):
    monkeypatch.setattr("attention_lab.kernel_attention.CHUNK", 2)
    for sizes in ((5, 5), (3, 6), (6, 3)):
        assert_gradients(lambda q, k, v: lab.linear_attention(q, k, v, is_causal=True), *random(*sizes, 2, 2))


def test_gradients_with_a_mask_and_broadcast():
    query, key, value = random(3, 4, 2, 2)
    mask = np.array([[[1, 1, 0, 1]], [[0, 0, 0, 0]]])
    assert_gradients(lambda q, k, v: lab.linear_attention(q, k, v, mask), query, key, value)
    assert_gradients(lab.linear_attention, query, key[:1], value[0])
    tensors = [Tensor(x) for x in (query, key, value)]
    lab.linear_attention(*tensors, mask).sum().backward()
    assert not any(tensor.grad[1].any() for tensor in tensors)  # a text without a real key
    assert not tensors[1].grad[0, 2].any()  # a hidden key


def test_gradients_of_linformer():
    query, key, value = random(3, 4, 2, 2)
    projections = np.random.default_rng(1).normal(size=(2, 2, 4))
    assert_gradients(lab.linformer_attention, query, key, value, *projections)
