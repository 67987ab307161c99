"""Every bad input is refused in words: the argument's name, what was expected, what came, what to do."""

import numpy as np
import pytest

import attention_lab as lab
from tests.oracle import random_inputs

Q, K, V = random_inputs()  # (2, 3, 5, 11), (2, 3, 7, 11), (2, 3, 7, 13)
RNG = np.random.default_rng(0)
attend = lab.scaled_dot_product_attention


def with_one(array, number):
    array = array.copy()
    array.flat[3] = number
    return array


def attention_with(**changed):
    arguments = {"query": Q, "key": K, "value": V} | changed
    return lambda: attend(**arguments)


SHAPES = {
    "1-D query": (attention_with(query=Q[0, 0, 0]), "query must have at least 2 axes", "(11,)"),
    "1-D key": (attention_with(key=K[0, 0, 0]), "key must have at least 2 axes", "(11,)"),
    "0-D value": (attention_with(value=1.0), "value must have at least 2 axes", "()"),
    "no queries": (attention_with(query=Q[:, :, :0]), "query is empty", "(2, 3, 0, 11)", "at least one row"),
    "no keys": (attention_with(key=K[:, :, :0], value=V[:, :, :0]), "key is empty", "(2, 3, 0, 11)"),
    "no features": (attention_with(query=Q[..., :0], key=K[..., :0]), "query is empty", "one feature"),
    "no value features": (attention_with(value=V[..., :0]), "value is empty", "(2, 3, 7, 0)"),
    "last axes": (attention_with(key=K[..., :3]), "key has d_k=3 but query has d_k=11: the last axes must match"),
    "lengths": (attention_with(value=V[:, :, :3]), "value has 3 rows but key has 7", "row j of key"),
    "batches": (
        attention_with(value=np.repeat(V, 2, 0)[:3]),
        "(2, 3) and (2, 3) and (3, 3)",
        "query and key and value",
    ),
    "fewer key heads": (attention_with(key=K[:, :2], value=V[:, :2]), "must broadcast", "enable_gqa=True"),
    "gqa of 2-D": (attention_with(query=Q[0, 0], enable_gqa=True), "enable_gqa", "query", "heads", "(5, 11)"),
    "gqa of 2-D key": (attention_with(key=K[0, 0], enable_gqa=True), "enable_gqa", "key", "(7, 11)"),
    "gqa 3 on 2": (attention_with(key=K[:, :2], value=V[:, :2], enable_gqa=True), "query has 3 heads and key has 2"),
    "gqa key, value": (attention_with(value=V[:, :1], enable_gqa=True), "value has 1 heads but key has 3"),
    "gqa no heads": (attention_with(query=Q[:, :0], enable_gqa=True), "query has 0 heads and key has 3"),
    "gqa no key heads": (attention_with(key=K[:, :0], value=V[:, :0], enable_gqa=True), "key has 0"),
    "gqa batches": (attention_with(key=K[[0, 1, 1]], enable_gqa=True), "must broadcast", "(2,) and (3,) and (2,)"),
    "rows of two lengths": (attention_with(query=[[1, 2], [3]]), "query must be an array", "different lengths"),
    "similarity features": (lambda: lab.query_key_similarity(Q, K[..., :3]), "key has d_k=3 but query has d_k=11"),
    "similarity heads": (lambda: lab.query_key_similarity(Q, K[:, :2]), "must broadcast", "(2, 3) and (2, 2)"),
    "similarity 1-D": (lambda: lab.query_key_similarity([1.0], [1.0]), "query must have at least 2 axes", "(1,)"),
    "similarity of no batch": (
        lambda: lab.query_key_similarity(Q[:0], K[:0]),
        "query and key",
        "pair",
        "(0, 3, 5, 11)",
    ),
    "no head axis": (lambda: lab.head_summary([[1.0]]), "weights must be (..., heads, n_q, n_k)", "(1, 1)"),
    "no head": (lambda: lab.head_summary(np.ones((0, 1, 1))), "weights", "not empty", "(0, 1, 1)"),
    "softmax of a number": (lambda: lab.softmax(3.0), "axis=-1 does not exist in x of shape ()"),
    "softmax axis": (lambda: lab.softmax([1.0], axis=1), "axis=1 does not exist in x of shape (1,)"),
    "log_softmax axis": (lambda: lab.log_softmax([1.0], axis=-2), "axis=-2 does not exist in x of shape (1,)"),
    "entropy axis": (lambda: lab.attention_entropy([1.0], axis=1), "axis=1 does not exist in weights of shape (1,)"),
    "effective axis": (lambda: lab.effective_keys([1.0], axis=1), "axis=1 does not exist in weights of shape (1,)"),
    "sparsity of a number": (lambda: lab.attention_sparsity(1.0), "does not exist in weights"),
    "no sequences": (lambda: lab.padding_mask([]), "lengths must have shape (batch,)", "(0,)"),
    "one length": (lambda: lab.padding_mask(3), "lengths must have shape (batch,)", "()"),
    "lengths of two axes": (lambda: lab.padding_mask([[1]]), "lengths must have shape (batch,)", "(1, 1)"),
    "uneven lengths": (lambda: lab.padding_mask([[1], [2, 3]]), "lengths", "different lengths"),
    "nothing to combine": (lambda: lab.combine_masks(None), "at least one mask"),
    "masks that do not fit": (lambda: lab.combine_masks(np.tri(3) > 0, np.tri(2) > 0), "masks", "(3, 3), (2, 2)"),
}

FLOAT_MASK = np.tri(5, 7)
MASKS = {
    "one axis more": (attention_with(mask=np.ones((2, 1, 1, 1, 7), bool)), "mask has 5 axes", "write mask[:, :, 0]"),
    "batch, n_k": (attention_with(mask=np.ones((2, 7), bool)), "(2, 7)", "(2, 3, 5, 7)", "write mask[:, None, None]"),
    "batch, n_q, n_k": (attention_with(mask=np.ones((2, 5, 7), bool)), "(2, 5, 7)", "write mask[:, None]"),
    "batch": (attention_with(mask=np.ones(2, bool)), "(2,)", "(2, 3, 5, 7)", "write mask[:, None, None, None]"),
    "swapped": (attention_with(mask=np.ones((7, 5), bool)), "(7, 5)", "last axes are (n_q, n_k)"),
    "would grow scores": (attention_with(query=Q[:1], key=K[:1], mask=np.ones((2, 1, 5, 7), bool)), "(1, 3, 5, 7)"),
    "one value": (attention_with(mask=True), "mask must broadcast", "(2, 3, 5, 7)", "single value True"),
    "float 0 and 1": (attention_with(mask=FLOAT_MASK), "mask", "mask.astype(bool)", "mask == 0"),
    "float32 0 and 1": (attention_with(mask=FLOAT_MASK.astype("f4")), "mask", "mask.astype(bool)", "mask == 0"),
    "integers": (attention_with(mask=np.full((5, 7), 2)), "mask", "0 (hidden) and 1", "from 2 to 2"),
    "0 and -1": (attention_with(mask=-np.ones((5, 7), int)), "mask", "0 (hidden) and 1", "from -1 to -1"),
    "NaN": (attention_with(mask=with_one(np.zeros((5, 7)), np.nan)), "mask must not hold NaN or +inf", "-inf"),
    "+inf": (attention_with(mask=with_one(np.zeros((5, 7)), np.inf)), "mask must not hold NaN or +inf", "-inf"),
    "combine integers": (lambda: lab.combine_masks([[True]], [[3]]), "masks[1]", "0 (hidden) and 1", "from 3 to 3"),
}

BIG = [a.astype(np.float32) * 1e25 for a in (Q, K)]
VALUES = {
    **{
        f"{name} {number}": (
            attention_with(**{name: with_one(array, number)}),
            f"{name} holds NaN or inf",
            "np.argwhere",
        )
        for name, array in (("query", Q), ("key", K), ("value", V))
        for number in (np.nan, np.inf, -np.inf)
    },
    "overflow": (
        attention_with(query=BIG[0], key=BIG[1], value=V.astype("f4")),
        "query",
        "overflows float32",
        "float64",
    ),
    "overflow to -inf": (lambda: attend(*([[[s * 1e25]]] for s in np.float32([1, -1, 1]))), "overflows float32"),
    "overflow by scale": (attention_with(scale=1e308), "scale=1e+308", "overflows float64"),
    "overflow by bias": (
        attention_with(query=V.astype("f4"), key=V.astype("f4"), value=V.astype("f4"), mask=np.full((7, 7), 1e300)),
        "scores + mask",
    ),
    "softmax NaN": (lambda: lab.softmax([np.nan, 1]), "x must be below +inf and not NaN"),
    "softmax inf": (lambda: lab.softmax([np.inf, 1]), "x must be below +inf and not NaN"),
    "log_softmax NaN": (lambda: lab.log_softmax([np.nan, 1]), "x must be below +inf and not NaN"),
    "log_softmax inf": (lambda: lab.log_softmax([np.inf, 1]), "x must be below +inf and not NaN"),
    "scale NaN": (attention_with(scale=np.nan), "scale must be finite, got nan"),
    "scale inf": (attention_with(scale=-np.inf), "scale must be finite, got -inf"),
    "softcap 0": (attention_with(softcap=0), "softcap must be above 0, got 0"),
    "softcap -1": (attention_with(softcap=-1), "softcap must be above 0, got -1"),
    "softcap NaN": (attention_with(softcap=np.nan), "softcap must be", "got nan"),
    "softcap inf": (attention_with(softcap=np.inf), "softcap must be", "got inf"),
    "dropout 1": (attention_with(dropout=1), "dropout must be at least 0 and below 1, got 1"),
    "dropout -0.1": (attention_with(dropout=-0.1), "dropout must be at least 0 and below 1, got -0.1"),
    "dropout NaN": (attention_with(dropout=np.nan), "dropout must be at least 0 and below 1, got nan"),
    "similarity NaN": (lambda: lab.query_key_similarity(Q, with_one(K, np.nan)), "key holds NaN or inf"),
    "similarity overflow": (lambda: lab.query_key_similarity(*BIG), "query", "overflows float32"),
    **{
        f"{function.__name__} {number}": (
            lambda f=function, n=number: f([[[n, 2.0]]]),
            "weights must be finite",
            "scores",
        )
        for function in (lab.attention_entropy, lab.effective_keys, lab.attention_sparsity, lab.head_summary)
        for number in (-1.0, np.nan, np.inf)
    },
    "share 0": (lambda: lab.attention_sparsity([1.0], share=0), "share must be above 0 and below 1, got 0"),
    "share 1": (lambda: lab.attention_sparsity([1.0], share=1), "share must be above 0 and below 1, got 1"),
    "negative queries": (lambda: lab.causal_mask(-1), "n_queries must be at least 0, got -1"),
    "negative keys": (lambda: lab.causal_mask(1, -2), "n_keys must be at least 0, got -2"),
    "window 0": (lambda: lab.sliding_window_mask(3, window=0), "window must be at least 1, got 0"),
    "prefix -1": (lambda: lab.prefix_mask(3, prefix=-1), "prefix must be at least 0, got -1"),
    "length -1": (lambda: lab.padding_mask([-1, 2]), "lengths must lie between 0 and n_keys=2, got -1 to 2"),
    "length above": (lambda: lab.padding_mask([1, 9], 5), "lengths must lie between 0 and n_keys=5, got 1 to 9"),
}

MASKED = np.ma.masked_array(Q, mask=Q > 0)
KINDS = {
    **{
        f"{name} {what}": (attention_with(**{name: bad}), f"{name} must hold real numbers", got)
        for name in ("query", "key", "value", "mask")
        for what, bad, got in (
            ("string", "abc", "<U3"),
            ("digits", [["1"]], "<U1"),
            ("complex", [[1j]], "complex"),
            ("dict", {}, "object"),
        )
    },
    "None": (attention_with(query=None), "query must hold real numbers", "object"),
    "masked query": (attention_with(query=MASKED), "query is a masked array", "query.filled", "mask="),
    "masked mask": (attention_with(mask=np.ma.ones((5, 7))), "mask is a masked array", "mask.filled"),
    "softmax string": (lambda: lab.softmax("abc"), "x must hold real numbers", "<U3"),
    "log_softmax string": (lambda: lab.log_softmax(["1"]), "x must hold real numbers", "<U1"),
    **{
        f"{name} {bad!r}": (attention_with(**{name: bad}), f"{name} must be a number, got {bad!r}")
        for name in ("scale", "softcap", "dropout")
        for bad in ("0.5", True, [0.5], 1j)
    },
    "dropout None": (attention_with(dropout=None), "dropout must be a number, got None"),
    **{
        f"{name} {bad!r}": (attention_with(**{name: bad}), f"{name} must be True or False, got {bad!r}")
        for name in ("is_causal", "enable_gqa")
        for bad in ("no", 1, None, [True])
    },
    "window is_causal": (
        lambda: lab.sliding_window_mask(3, window=2, is_causal="no"),
        "is_causal must be True or False",
    ),
    **{
        f"rng {bad!r}": (
            attention_with(rng=bad, dropout=dropout),
            "rng must be a numpy.random.Generator",
            "default_rng",
        )
        for bad, dropout in ((3, 0.1), (3, 0.0), ("seed", 0.1), (np.random, 0.1))
    },
    **{
        f"axis {bad!r} {function.__name__}": (lambda f=function, b=bad: f([1.0], axis=b), "axis must be a whole number")
        for function in (lab.softmax, lab.log_softmax, lab.attention_entropy, lab.effective_keys)
        for bad in (None, "0", 0.0, True, (0,))
    },
    "similarity string": (lambda: lab.query_key_similarity("a", K), "query must hold real numbers"),
    "share string": (lambda: lab.attention_sparsity([1.0], share="0.9"), "share must be a number, got '0.9'"),
    "weights string": (lambda: lab.attention_entropy("abc"), "weights must hold real numbers"),
    **{
        f"size {bad!r}": (lambda b=bad: lab.causal_mask(b), "n_queries must be a whole number", repr(bad))
        for bad in (1.5, 3.0, "3", True, None, [3])
    },
    "n_keys": (lambda: lab.causal_mask(3, "3"), "n_keys must be a whole number, got '3'"),
    "window": (lambda: lab.sliding_window_mask(3, window=2.0), "window must be a whole number, got 2.0"),
    "prefix": (lambda: lab.prefix_mask(3, prefix="2"), "prefix must be a whole number, got '2'"),
    "lengths float": (lambda: lab.padding_mask([1.0, 2.0]), "lengths must be whole numbers", "float64"),
    "lengths bool": (lambda: lab.padding_mask([True]), "lengths must be whole numbers", "bool"),
    "lengths string": (lambda: lab.padding_mask(["1"]), "lengths must hold real numbers", "<U1"),
    "padding n_keys": (lambda: lab.padding_mask([1], "5"), "n_keys must be a whole number, got '5'"),
    "combine floats": (
        lambda: lab.combine_masks([[1]], [[0.0]]),
        "masks[1] must be boolean",
        "float64",
        "masks[1] == 0",
    ),
    "combine string": (lambda: lab.combine_masks("causal"), "masks[0] must hold real numbers"),
}


@pytest.mark.parametrize("case", [*SHAPES, *MASKS, *VALUES])
def test_a_bad_shape_or_value_is_a_value_error_in_words(case):
    call, *words = (SHAPES | MASKS | VALUES)[case]
    refused_with(ValueError, call, words)


@pytest.mark.parametrize("case", KINDS)
def test_the_wrong_kind_is_a_type_error_in_words(case):
    call, *words = KINDS[case]
    refused_with(TypeError, call, words)


def refused_with(error, call, words):
    with pytest.raises(error) as caught:
        call()
    assert caught.type is error  # none of its subclasses: those are NumPy's own
    message = str(caught.value)
    for word in words:
        assert word in message, message


def test_no_case_stands_twice():
    assert len(SHAPES | MASKS | VALUES) == len(SHAPES) + len(MASKS) + len(VALUES)


# ---- the remedy that a message names is one -------------------------------------------------------------------


def test_what_the_messages_say_to_write_works():
    query, key, value = Q[0], K[0], V[0]  # (heads or batch = 3, n, features)
    padding = lab.padding_mask([1, 4, 7])  # (3, 1, 1, 7)
    wanted = attend(query, key, value, np.broadcast_to(padding[:, 0], (3, 5, 7)))[1]
    for remedy in (padding[:, 0], padding[:, 0, 0][:, None], padding.astype(float)[:, 0] != 0):
        np.testing.assert_array_equal(attend(query, key, value, remedy)[1], wanted)
    lengths = lab.padding_mask([2, 7])
    wanted = attend(Q, K, V, np.broadcast_to(lengths, (2, 3, 5, 7)))[1]
    for remedy in (lengths[:, 0, 0][:, None, None], np.broadcast_to(lengths[:, 0], (2, 5, 7))[:, None]):
        np.testing.assert_array_equal(attend(Q, K, V, remedy)[1], wanted)


@pytest.mark.parametrize("axes", [2, 3, 4])
@pytest.mark.parametrize("extra", [1, 2])
def test_the_index_named_for_a_mask_with_too_many_axes_gives_one_that_fits(axes, extra):
    arrays = [a[(0,) * (4 - axes)] for a in (Q, K, V)]
    leading = Q.shape[4 - axes : 2]
    mask = np.ones((*leading, *[1] * (extra + 1), 7), bool)
    with pytest.raises(ValueError, match=r"write mask\[") as caught:
        attend(*arrays, mask)
    index = str(caught.value).split("write ")[1].split("]")[0] + "]"
    attend(*arrays, eval(index))


@pytest.mark.parametrize("number", [0.5, 2, np.float16(0.5), np.float32(0.5), np.int64(1)])
def test_every_kind_of_real_number_is_a_number(number):
    attend(Q, K, V, scale=number, softcap=number, dropout=float(number) / 4)


@pytest.mark.parametrize("flag", [True, False, np.True_])
def test_flags_of_numpy_are_flags(flag):
    attend(Q, K, V, is_causal=flag, enable_gqa=flag)


def test_data_frames_are_arrays():
    frame = pytest.importorskip("pandas").DataFrame
    visible = np.tri(5, 7) > 0
    ours = attend(frame(Q[0, 0]), frame(K[0, 0]), frame(V[0, 0]), frame(visible))
    for got, wanted in zip(ours, attend(Q[0, 0], K[0, 0], V[0, 0], visible)):
        np.testing.assert_array_equal(got, wanted)


def test_a_float_mask_that_holds_0_and_1_among_other_numbers_is_a_bias():
    bias = np.array([0, 1, -2.5, -np.inf, 0, 1, 1])
    powers = np.exp(bias) * attend(Q, K, V)[1]
    np.testing.assert_allclose(attend(Q, K, V, bias)[1], powers / powers.sum(-1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_a_float_mask_of_one_constant_is_a_bias(constant):
    np.testing.assert_allclose(attend(Q, K, V, np.full((5, 7), constant))[1], attend(Q, K, V)[1])
