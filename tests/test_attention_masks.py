"""What a mask does inside attention: its forms agree, nothing hidden leaks, and a row that sees nothing is zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attention_lab import causal_mask, combine_masks, padding_mask, scaled_dot_product_attention
from tests.oracle import random_inputs

FLOATS = (np.float16, np.float32, np.float64)
FORMS = {
    "boolean": lambda visible: visible,
    "integer": lambda visible: visible.astype(int),
    "unsigned": lambda visible: visible.astype(np.uint8),
    "list": lambda visible: visible.tolist(),
    "float16 bias": lambda visible: np.where(visible, np.float16(0), np.float16(-np.inf)),
    "float32 bias": lambda visible: np.where(visible, np.float32(0), np.float32(-np.inf)),
    "float64 bias": lambda visible: np.where(visible, 0, -np.inf),
}


def both(arrays, *args, **options):
    """Output and weights, checked for dtype and for NaN on the way."""
    results = scaled_dot_product_attention(*arrays, *args, **options)
    for result in results:
        assert result.dtype == arrays[0].dtype
        assert np.isfinite(result).all()
    return results


# ---- the forms of a mask -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(7,), (1, 7), (5, 1), (5, 7), (3, 5, 7), (3, 1, 7), (2, 1, 1, 7), (2, 3, 5, 7)])
def test_forms_agree_and_broadcast(form, shape):
    arrays = random_inputs()
    visible = np.random.default_rng(3).random(shape) < 0.6
    wanted = both(arrays, np.broadcast_to(visible, (2, 3, 5, 7)))
    assert (wanted[1][~np.broadcast_to(visible, wanted[1].shape)] == 0).all()
    for ours, theirs in zip(both(arrays, FORMS[form](visible)), wanted):
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("n_q", "n_k"), [(5, 5), (3, 7), (1, 7), (7, 3)])
def test_is_causal_is_the_causal_mask_aligned_to_the_end(n_q, n_k):
    arrays = random_inputs(n_q=n_q, n_k=n_k)
    flag, mask = both(arrays, is_causal=True), both(arrays, causal_mask(n_q, n_k))
    assert_array_equal(flag[0], mask[0])
    assert_array_equal(flag[1], mask[1])
    assert (flag[1][..., -1, :] > 0).all()  # the last query sees every key
    assert_array_equal(flag[1] > 0, np.broadcast_to(np.tri(n_q, n_k, n_k - n_q, dtype=bool), flag[1].shape))


def test_the_last_queries_alone_give_the_last_rows():
    query, key, value = random_inputs(n_q=7)
    whole = both((query, key, value), is_causal=True)
    for n in (1, 2, 5):
        last = both((query[..., -n:, :], key, value), is_causal=True)
        assert_allclose(last[0], whole[0][..., -n:, :], rtol=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_is_causal_and_mask_are_joined_by_and(form):
    arrays = random_inputs(n_q=7)
    visible = padding_mask([4, 7])
    joined = both(arrays, combine_masks(visible, causal_mask(7)))
    for ours, theirs in zip(both(arrays, FORMS[form](visible), is_causal=True), joined):
        assert_array_equal(ours, theirs)


def test_hiding_keys_equals_leaving_them_out():
    query, key, value = random_inputs()
    kept = [0, 2, 5]
    hidden = both((query, key, value), np.isin(np.arange(7), kept))
    short = both((query, key[..., kept, :], value[..., kept, :]))
    assert_allclose(hidden[0], short[0], rtol=1e-13)
    assert_allclose(hidden[1][..., kept], short[1], rtol=1e-13)


def test_softcap_acts_after_the_scale_and_before_the_mask():
    bias = np.random.default_rng(0).standard_normal((1, 7)) * 9
    key = np.arange(7.0)[:, None]
    weights = scaled_dot_product_attention([[4.0]], key, key, bias, scale=0.5, softcap=3.0)[1]
    powers = np.exp(3 * np.tanh(4 * 0.5 * key.T / 3) + bias)
    assert_allclose(weights, powers / powers.sum(), rtol=1e-13)
    capped = scaled_dot_product_attention([[4.0]], key, key, np.arange(7) < 3, softcap=3.0)[1]
    assert (capped[:, 3:] == 0).all()


# ---- nothing hidden leaks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("form", ["is_causal", *FORMS])
@pytest.mark.parametrize(("n_q", "n_k"), [(7, 7), (5, 7), (7, 5)])
def test_a_changed_future_leaves_the_past_bit_equal(dtype, form, n_q, n_k):
    query, key, value = random_inputs(dtype=dtype, n_q=n_q, n_k=n_k)
    options = {"is_causal": True} if form == "is_causal" else {"mask": FORMS[form](causal_mask(n_q, n_k))}
    before = both((query, key, value), **options)
    for changed in range(n_k):
        new_key, new_value = key.copy(), value.copy()
        new_key[..., changed, :] = 50
        new_value[..., changed, :] = -900
        after = both((query, new_key, new_value), **options)
        past = np.arange(n_q) + n_k - n_q < changed
        for then, now in zip(before, after):
            assert_array_equal(then[..., past, :], now[..., past, :])
        assert (before[0][..., ~past, :] != after[0][..., ~past, :]).any(-1).all()  # whoever sees it, notices


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_causal", [False, True])
def test_changed_padding_changes_nothing(dtype, form, is_causal):
    query, key, value = random_inputs(dtype=dtype)
    lengths = np.array([3, 6])
    mask = FORMS[form](padding_mask(lengths, 7))
    before = both((query, key, value), mask, is_causal=is_causal)
    for item, length in enumerate(lengths):
        key[item, :, length:] = 50
        value[item, :, length:] = -900
    for then, now in zip(before, both((query, key, value), mask, is_causal=is_causal)):
        assert_array_equal(then, now)


def test_a_query_changes_its_own_row_only():
    query, key, value = random_inputs()
    before = both((query, key, value))
    query[..., 2, :] += 1
    after = both((query, key, value))
    assert_array_equal((before[0] != after[0]).any((0, 1, 3)), np.arange(5) == 2)


# ---- rows without a visible key ----------------------------------------------------------------------------

SOME_ROWS = np.arange(5)[:, None] % 2 * np.ones(7) > 0  # rows 0, 2, 4 see nothing
EMPTY = {  # arguments, sizes, and which rows of which items see no key
    **{f"{form} rows": ((make(SOME_ROWS), False), 5, 7, [0, 2, 4]) for form, make in FORMS.items()},
    **{f"{form} all": ((make(np.zeros(7, bool)), False), 5, 7, [0, 1, 2, 3, 4]) for form, make in FORMS.items()},
    "causal, more queries than keys": ((None, True), 7, 5, [0, 1]),
    "causal mask, more queries than keys": ((causal_mask(7, 5), False), 7, 5, [0, 1]),
    "length 0": ((padding_mask([0, 0], 7), False), 5, 7, [0, 1, 2, 3, 4]),
    **{
        f"{form} left padding + causal": ((make(np.arange(5) >= 2), True), 5, 5, [0, 1]) for form, make in FORMS.items()
    },
    "combined": ((combine_masks(causal_mask(5), np.arange(5) >= 2), False), 5, 5, [0, 1]),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", EMPTY)
@pytest.mark.parametrize("options", [{}, {"softcap": 2.0}, {"dropout": 0.5}, {"scale": 0.0}, {"scale": 100}])
def test_a_row_without_a_visible_key_is_zero(dtype, case, options):
    (mask, is_causal), n_q, n_k, empty = EMPTY[case]
    arrays = random_inputs(dtype=dtype, n_q=n_q, n_k=n_k)
    rng = np.random.default_rng(0) if "dropout" in options else None
    output, weights = both(arrays, mask, is_causal=is_causal, rng=rng, **options)
    rows = np.isin(np.arange(n_q), empty)
    assert (output[..., rows, :] == 0).all()
    assert (weights[..., rows, :] == 0).all()
    if "dropout" not in options:
        assert_allclose(weights[..., ~rows, :].sum(-1, dtype=float), 1, rtol=2e-3)


@pytest.mark.parametrize("dtype", FLOATS)
def test_length_zero_in_one_item_leaves_the_others_alone(dtype):
    arrays = random_inputs(dtype=dtype)
    output, weights = both(arrays, padding_mask([0, 7]))
    assert (weights[0] == 0).all()
    assert (output[0] == 0).all()
    for ours, theirs in zip((output, weights), both(arrays)):
        assert_array_equal(ours[1], theirs[1])


def test_a_row_without_a_visible_key_in_grouped_heads():
    query, key, value = random_inputs(heads=6, kv_heads=2)
    output, weights = both((query, key, value), SOME_ROWS, enable_gqa=True)
    assert (output[..., ::2, :] == 0).all()
    assert (weights[..., ::2, :] == 0).all()


# ---- the smallest finite number as a mask ------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("mask_dtype", FLOATS)
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("times", [1, 2])
def test_finite_minimum_hides_without_a_warning(dtype, mask_dtype, is_causal, times):
    arrays = random_inputs(dtype=dtype, n_q=7)
    visible = np.array([0, 1, 1, 0, 1, 1, 0], bool)
    smallest = np.finfo(mask_dtype).min
    mask = np.where(visible, mask_dtype(0), smallest)
    with np.errstate(over="ignore"):
        mask = mask if times == 1 else mask + mask  # the sum overflows to -inf
    assert mask.dtype == mask_dtype
    _, weights = both(arrays, mask, is_causal=is_causal)
    rows = slice(1, None) if is_causal else slice(None)  # row 0 would see key 0 alone
    assert (weights[..., rows, ~visible] == 0).all()
    assert_allclose(weights[..., rows, :].sum(-1, dtype=float), 1, rtol=2e-3)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("number", [-1e4, -1e9, -1e30, -1e300])
def test_any_large_negative_number_works_on_any_dtype(dtype, number):
    _, weights = both(random_inputs(dtype=dtype), np.where(np.arange(7) < 4, 0, number))
    assert (weights[..., 4:] == 0).all()
    assert_allclose(weights.sum(-1, dtype=float), 1, rtol=2e-3)


def test_finite_minimum_added_to_a_very_negative_score_is_hidden():
    query, key = np.full((1, 1), -1e18, np.float32), np.array([[1e18], [0]], np.float32)
    mask = np.array([np.finfo(np.float32).min, 0])
    assert both((query, key, key), mask)[1].tolist() == [[0, 1]]
