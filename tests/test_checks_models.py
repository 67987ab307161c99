"""What a newcomer may hand to a whole model is refused in words, as in test_checks.py."""

import numpy as np
import pytest

import attention_lab as lab
from tests.test_checks import refused_with

SIZES = (7, 12, 3, 9)


def language_model(kind="learned", **about):
    about = {"num_layers": 2, "max_len": 8, "rng": np.random.default_rng(0)} | about
    return lab.LanguageModel(*SIZES, positions=kind, **about)


def classifier(pooling="mean", **about):
    about = {"max_len": 8, "rng": np.random.default_rng(0)} | about
    return lab.TextClassifier(7, 2, *SIZES[1:], pooling=pooling, **about)


def read_on(kind, **options):
    """Two tokens, then one more with these options."""
    model = language_model(kind)
    caches = model.caches()
    model([[1, 2]], caches=caches)
    return lambda: model([[3]], caches=caches, **options)


MODEL, SINUSOIDAL, CLASSIFIER = language_model(), language_model("sinusoidal"), classifier()
BATCH = [[1, 2, 3], [4, 5, 6]]
PADDING = lab.padding_mask([1, 3])

SHAPES = {
    **{
        f"{name}: {what}": (lambda model=model, ids=ids: model(ids), *words)
        for name, model in (("model", MODEL), ("classifier", CLASSIFIER))
        for what, ids, *words in (
            ("one token", 3, "ids must be (..., n) with n of at least 1, got shape ()"),
            ("no token", [], "ids must be (..., n) with n of at least 1, got shape (0,): begin with a token"),
            ("texts of no token", np.zeros((2, 0), int), "n of at least 1, got shape (2, 0)"),
            ("texts of two lengths", [[1], [1, 2]], "ids must be an array: its rows have different lengths"),
            ("an id too large", [7], "ids must lie between 0 and 6, got 7 to 7"),
            ("an id below 0", [3, -1], "ids must lie between 0 and 6, got -1 to 3"),
        )
    },
    **{
        f"{name}, mask: {what}": (lambda model=model, mask=mask: model(BATCH, mask), *words)
        for name, model in (
            ("model", MODEL),
            ("alibi", language_model("alibi")),
            ("classifier", CLASSIFIER),
            ("attention", classifier("attention")),
        )
        for what, mask, *words in (
            ("one value", True, "mask must have shape (2, 3), True = a real token, got ()"),
            ("too short", np.ones((2, 2), bool), "mask must have shape (2, 3)", "got (2, 2)", "one entry a token"),
            ("a column", np.ones((2, 1), bool), "mask must have shape (2, 3)", "got (2, 1)"),
            ("another batch", np.ones((4, 3), bool), "mask must have shape (2, 3)", "got (4, 3)"),
            ("causal", lab.causal_mask(3), "mask must have shape (2, 3)", "got (3, 3)"),
            ("of scores", PADDING, "got (2, 1, 1, 3)", "of a padding_mask write mask[:, 0, 0]"),
            ("lengths", [1, 2, 3], "mask of integers must hold 0 (hidden) and 1 (may attend)"),
        )
    },
    **{
        f"{kind}, mask of the new token alone": (read_on(kind, mask=[[True]]), "mask must have shape (1, 3)", "(1, 1)")
        for kind in ("rotary", "alibi")
    },
    "text too long": (lambda: MODEL(np.zeros(9, int)), "the text reaches position 8", "max_len=8, from 0 on"),
    "text too long for a classifier": (lambda: CLASSIFIER(np.zeros(9, int)), "x has 9 positions", "max_len=8 rows"),
    "position too far": (read_on("learned", positions=[8]), "the text reaches position 8"),
    "position before 0": (read_on("learned", positions=[-1]), "positions must lie between 0 and 7, got -1 to -1"),
    **{
        f"positions of another text, {kind}": (
            lambda kind=kind: language_model(kind)([1, 2], positions=[0, 1, 2]),
            "positions of shape (3,) must broadcast to (2,)",
        )
        for kind in ("learned", "sinusoidal", "rotary", "alibi", None)
    },
    "position NaN": (lambda: SINUSOIDAL([1, 2], positions=[np.nan, 1]), "positions must be finite"),
    **{
        f"caches {what}": (lambda caches=caches: MODEL([1], caches=caches), "caches must be a list of 2 different KVC")
        for what, caches in (
            ("as a flag", True),
            ("one", lab.KVCache(9)),
            ("none", []),
            ("not called", MODEL.caches),
            ("of another model", language_model(num_layers=1).caches()),
        )
    },
    "caches for no token": (lambda: MODEL.caches(0), "max_len must be at least 1, got 0"),
    "caches that wrap": (lambda: MODEL.caches(on_full="wrap"), "on_full must be one of 'raise', 'slide'"),
    "caches that are full": (
        lambda: MODEL([1, 2, 3], caches=MODEL.caches(2)),
        "the cache is full: it holds 0 of max_len=2 tokens and 3 more came",
    ),
    "odd heads to turn": (
        lambda: lab.LanguageModel(7, 9, 3, 9, num_layers=1, max_len=8, positions="rotary")([1]),
        "d_head=3 is odd: make it even",
    ),
    "kind of positions": (lambda: language_model("rope"), "positions must be one of 'learned', 'sinusoidal', 'rotary'"),
    "no max_len": (lambda: language_model(max_len=0), "max_len must be at least 1, got 0"),
    "no layer": (lambda: language_model(num_layers=0), "num_layers must be at least 1, got 0"),
    "kv heads": (lambda: language_model(num_kv_heads=2), "num_kv_heads=2 does not divide num_heads=3"),
    "dropout": (lambda: language_model(dropout=1), "dropout must be at least 0 and below 1, got 1"),
    "pooling": (lambda: classifier("cls"), "pooling must be one of 'mean', 'attention', 'first', got 'cls'"),
    "no pooling": (lambda: classifier(None), "pooling must be one of 'mean', 'attention', 'first', got None"),
    "classifier dropout": (lambda: classifier(dropout=-1), "dropout must be at least 0 and below 1, got -1"),
    "no classes": (lambda: lab.TextClassifier(7, 0, 12, 3, 9, max_len=8), "num_classes must be at least 1, got 0"),
}

KINDS = {
    "words": (lambda: MODEL("abc"), "ids must hold real numbers"),
    "floats": (lambda: MODEL([1.0]), "ids must be whole numbers, got dtype float64"),
    "vectors": (lambda: CLASSIFIER(np.ones((3, 12))), "ids must be whole numbers, got dtype float64"),
    "booleans": (lambda: CLASSIFIER([True]), "ids must be whole numbers, got dtype bool"),
    "mask of floats": (lambda: MODEL([1, 2], [1.0, 0.0]), "mask must be boolean or 0/1 integers", "mask.astype(bool)"),
    "mask of floats for a classifier": (lambda: CLASSIFIER([1, 2], [1.0, 0.0]), "mask must be boolean"),
    "half a position": (lambda: MODEL([1], positions=[0.5]), "positions must be whole numbers, got dtype float64"),
    "positions in words": (lambda: MODEL([1], positions="rotary"), "positions must hold real numbers"),
    "a seed to draw": (lambda: language_model(rng=3), "rng must be a numpy.random.Generator, got 3"),
    "a seed to drop": (lambda: MODEL([1], rng=3), "rng must be a numpy.random.Generator, got 3"),
    "half a layer": (lambda: language_model(num_layers=1.5), "num_layers must be a whole number, got 1.5"),
    "half a cache": (lambda: MODEL.caches(2.5), "max_len must be a whole number, got 2.5"),
    "dtype": (lambda: classifier(dtype=int), "dtype must be a floating dtype"),
    "list for a block": (
        lambda: MODEL.encoder.blocks[0](np.ones((1, 12)), cache=MODEL.caches()),
        "cache must be a KVCache",
    ),
}


@pytest.mark.parametrize("case", SHAPES)
def test_a_bad_shape_or_value_is_a_value_error_in_words(case):
    call, *words = SHAPES[case]
    refused_with(ValueError, call, words)


@pytest.mark.parametrize("case", KINDS)
def test_the_wrong_kind_is_a_type_error_in_words(case):
    call, *words = KINDS[case]
    refused_with(TypeError, call, words)


def test_what_the_message_says_to_write_works():
    real = PADDING[:, 0, 0]
    for model in (MODEL, CLASSIFIER):
        np.testing.assert_array_equal(model(BATCH, real)[0], model(BATCH, [[1, 0, 0], [1, 1, 1]])[0])


@pytest.mark.parametrize("options", [{"mask": [[True]]}, {"positions": [0, 1]}, {"caches": [1, 2]}], ids=str)
def test_a_refused_call_leaves_the_caches_as_they_were(options):
    caches = MODEL.caches()
    MODEL([[1, 2]], caches=caches)
    with pytest.raises(ValueError, match=next(iter(options))):
        MODEL([[3]], **({"caches": caches} | options))
    np.testing.assert_allclose(MODEL([[3]], caches=caches)[0], MODEL([[1, 2, 3]])[0][:, 2:], atol=1e-5)
