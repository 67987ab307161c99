"""What holds for every input, tried on many."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import causal_mask, log_softmax, scaled_dot_product_attention, softmax

TRIES = settings(max_examples=60, deadline=None, derandomize=True)
SIZES = st.integers(1, 7)
small = st.floats(-9, 9, width=32)
finite = st.floats(-500, 500, width=32)
scores = arrays(np.float64, array_shapes(min_dims=1, max_dims=3, max_side=6), elements=finite)
hidden_scores = arrays(np.float64, array_shapes(max_dims=3, max_side=6), elements=finite | st.just(-np.inf))


@st.composite
def inputs(draw):
    """query, key and value of one head, all sizes free."""
    n_q, n_k, d_k, d_v = (draw(SIZES) for _ in range(4))
    return [draw(arrays(np.float64, shape, elements=small)) for shape in ((n_q, d_k), (n_k, d_k), (n_k, d_v))]


@TRIES
@given(hidden_scores)
def test_rows_sum_to_one_or_are_empty(x):
    weights = softmax(x)
    seeing = (x > -np.inf).any(-1)
    assert ((weights >= 0) & (weights <= 1)).all()
    assert (weights[x == -np.inf] == 0).all()
    assert_allclose(weights.sum(-1), np.where(seeing, 1, 0), rtol=1e-13)


@TRIES
@given(scores, st.floats(-1000, 1000, width=32))
def test_a_shift_changes_nothing(x, shift):
    assert_allclose(softmax(x + shift), softmax(x), rtol=1e-9, atol=1e-200)
    assert_allclose(log_softmax(x + shift), log_softmax(x), atol=1e-9)


@TRIES
@given(hidden_scores)
def test_log_softmax_is_the_logarithm_of_softmax(x):
    logs = log_softmax(x)
    assert (logs <= 0).all()
    assert_allclose(np.exp(logs), softmax(x), rtol=1e-10, atol=1e-300)


@TRIES
@given(hidden_scores)
def test_a_larger_score_has_no_smaller_weight(x):
    order = np.argsort(x, axis=-1)
    assert (np.diff(np.take_along_axis(softmax(x), order, -1), axis=-1) >= 0).all()


@TRIES
@given(inputs())
def test_output_is_weights_times_value_within_its_range(qkv):
    output, weights = scaled_dot_product_attention(*qkv)
    assert_array_equal(output, weights @ qkv[2])
    assert_allclose(weights.sum(-1), 1, rtol=1e-13)
    assert (output >= qkv[2].min(0) - 1e-12).all()
    assert (output <= qkv[2].max(0) + 1e-12).all()


@TRIES
@given(inputs(), st.randoms(use_true_random=False))
def test_permuted_tokens_give_permuted_rows(qkv, random):
    query, key, value = qkv
    rows, columns = (random.sample(range(len(a)), len(a)) for a in (query, key))
    output, weights = scaled_dot_product_attention(query, key, value)
    permuted = scaled_dot_product_attention(query[rows], key[columns], value[columns])
    assert_allclose(permuted[0], output[rows], rtol=1e-9, atol=1e-12)
    assert_allclose(permuted[1], weights[rows][:, columns], rtol=1e-9, atol=1e-12)


@TRIES
@given(inputs(), st.data())
def test_a_changed_future_never_changes_the_past(qkv, data):
    query, key, value = qkv
    n_q, n_k = len(query), len(key)
    changed = data.draw(st.integers(0, n_k - 1))
    number = data.draw(st.floats(-1e6, 1e6))
    new_key, new_value = key.copy(), value.copy()
    new_key[changed:], new_value[changed:] = number, number
    past = ~causal_mask(n_q, n_k)[:, changed]
    for then, now in zip(
        scaled_dot_product_attention(query, key, value, is_causal=True),
        scaled_dot_product_attention(query, new_key, new_value, is_causal=True),
    ):
        assert_array_equal(then[past], now[past])


@TRIES
@given(inputs(), st.floats(0.125, 8, width=32))
def test_scale_is_a_factor_of_the_query(qkv, scale):
    query, key, value = qkv
    scaled = scaled_dot_product_attention(query * scale, key, value)[1]
    assert_allclose(
        scaled_dot_product_attention(query, key, value, scale=scale / query.shape[1] ** 0.5)[1], scaled, atol=1e-9
    )


@TRIES
@given(inputs(), st.data())
def test_a_constant_bias_on_a_row_changes_nothing(qkv, data):
    bias = data.draw(arrays(np.float64, (len(qkv[0]), 1), elements=st.floats(2, 100, width=32)))
    for ours, theirs in zip(scaled_dot_product_attention(*qkv, bias), scaled_dot_product_attention(*qkv)):
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
