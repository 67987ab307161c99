"""What a newcomer may hand to a translator, its parts and its search is refused in words, as in test_checks.py."""

import numpy as np
import pytest

import attention_lab as lab
from attention_lab.masks import over_keys
from tests.test_checks import refused_with

SIZES = {"d_model": 12, "num_heads": 3, "d_ff": 9, "max_len": 6}


def transformer(source_size=9, target_size=7, **about):
    return lab.Seq2Seq(source_size, target_size, **SIZES | about)


def recurrent(source_size=9, target_size=7, d_model=12, **about):
    return lab.RecurrentSeq2Seq(source_size, target_size, d_model, **about)


def search(model=None, source=((3, 4, 5),), **about):
    about = {"start": 1, "end": 2, "max_len": 5, "beams": 3} | about
    return lambda: lab.beam_search(TRANSFORMER if model is None else model, source, **about)


TRANSFORMER, ADDITIVE, GRU = transformer(), lab.AdditiveAttention(4, 5, 6), lab.GRU(4, 5)
MODELS = {"transformer": TRANSFORMER, "additive": recurrent(), "dot": recurrent(attention="dot")}
QUERY, KEY, X, MEMORY = np.ones((2, 3, 4)), np.ones((2, 7, 5)), np.ones((2, 3, 4)), np.ones((2, 3, 12))
BATCH = [[1, 2, 3], [4, 5, 6]]

SHAPES = {
    **{
        f"{name}, {side}: {what}": (
            lambda model=model, ids=ids, side=side: model(*((ids, BATCH) if side == "source" else (BATCH, ids))),
            f"{side} {words}",
        )
        for name, model in MODELS.items()
        for side in ("source", "target")
        for what, ids, words in (
            ("one token", 3, "must be (..., n) with n of at least 1, got shape ()"),
            ("no token", [], "must be (..., n) with n of at least 1, got shape (0,)"),
            ("texts of no token", np.zeros((2, 0), int), "must be (..., n) with n of at least 1, got shape (2, 0)"),
            ("texts of two lengths", [[1], [1, 2]], "must be an array: its rows have different lengths"),
            ("an id below 0", [3, -1], "must lie between 0 and"),
            ("an id too large", [99], f"must lie between 0 and {8 if side == 'source' else 6}, got 99 to 99"),
        )
    },
    **{
        f"{side} too long": (
            lambda pair=pair: TRANSFORMER(*pair),
            f"{side} has 7 tokens, but the model has learned max_len=6 positions: give less",
        )
        for side, pair in (("source", (np.ones(7, int), [1])), ("target", ([1], np.ones(7, int))))
    },
    **{
        f"{name}, batches of two sizes": (
            lambda model=model: model(BATCH, [[1]] * 3),
            "must broadcast, got (3,) and (2,) for target and memory",
        )
        for name, model in MODELS.items()
    },
    **{
        f"{name}, source_mask: {what}": (lambda model=model, mask=mask: model(BATCH, BATCH, mask), *words)
        for name, model in MODELS.items()
        for what, mask, *words in (
            ("one value", True, "source_mask must have shape (2, 3), True = a real token, got ()"),
            (
                "too short",
                np.ones((2, 2), bool),
                "source_mask must have shape (2, 3)",
                "got (2, 2)",
                "one entry a token",
            ),
            ("a column", np.ones((2, 1), bool), "source_mask must have shape (2, 3)", "got (2, 1)"),
            ("another batch", np.ones((4, 3), bool), "source_mask must have shape (2, 3)", "got (4, 3)"),
            ("of scores", lab.padding_mask([1, 3]), "got (2, 1, 1, 3)", "of a padding_mask write mask[:, 0, 0]"),
            ("lengths", [1, 2, 3], "source_mask of integers must hold 0 (hidden) and 1 (may attend)"),
        )
    },
    "target_mask too short": (lambda: TRANSFORMER(BATCH, BATCH, None, [[1, 1]]), "target_mask must have shape (2, 3)"),
    **{
        f"{name}, memory: {what}": (lambda model=model, memory=memory: model.decode(BATCH, memory), *words)
        for name, model in MODELS.items()
        for what, memory, *words in (
            ("a row alone", np.ones(12), "memory must be (..., length, d_model), got shape (12,)"),
            ("without rows", np.ones((2, 0, 12)), "memory is empty, shape (2, 0, 12)", "at least one row"),
            ("too narrow", np.ones((2, 3, 7)), "memory has 7 features", "expected d_model=12 on the last axis"),
            ("another batch", np.ones((3, 3, 12)), "must broadcast, got (2,) and (3,) for target and memory"),
        )
    },
    **{
        f"{name}, mask of another memory": (
            lambda model=model: model.decode(BATCH, MEMORY, np.ones((2, 4), bool)),
            "source_mask must have shape (2, 3)",
            "got (2, 4)",
        )
        for name, model in MODELS.items()
    },
    "no query axis": (lambda: ADDITIVE(QUERY[0, 0], KEY), "query must be (..., length, d_query), got shape (4,)"),
    "no key axis": (lambda: ADDITIVE(QUERY, KEY[0, 0]), "key must be (..., length, d_key), got shape (5,)"),
    "no query": (lambda: ADDITIVE(QUERY[:, :0], KEY), "query is empty, shape (2, 0, 4)"),
    "no key": (lambda: ADDITIVE(QUERY, KEY[:, :0]), "key is empty, shape (2, 0, 5)"),
    "key as query": (lambda: ADDITIVE(KEY, KEY), "query has 5 features", "expected d_query=4 on the last axis"),
    "query as key": (lambda: ADDITIVE(QUERY, QUERY), "key has 4 features", "expected d_key=5 on the last axis"),
    "keys of another batch": (
        lambda: ADDITIVE(QUERY, np.ones((3, 7, 5))),
        "must broadcast, got (2,) and (3,) for query and key",
    ),
    "mask of scores": (lambda: ADDITIVE(QUERY, KEY, np.ones((2, 3, 7), bool)), "mask must have shape (2, 7)"),
    "NaN in a query": (lambda: ADDITIVE(QUERY * np.nan, KEY), "query holds NaN or inf"),
    "a token's features alone": (lambda: GRU(X[0, 0]), "x must be (..., length, d_in), got shape (4,)"),
    "no step": (lambda: GRU(X[:, :0]), "x is empty, shape (2, 0, 4)"),
    "too many features": (lambda: GRU(KEY), "x has 5 features", "expected d_in=4 on the last axis"),
    "mask of another text": (lambda: GRU(X, np.ones((2, 2), bool)), "mask must have shape (2, 3)", "got (2, 2)"),
    "mask over keys": (lambda: over_keys([[1]], (2, 3), "memory_mask"), "memory_mask must have shape (2, 3)"),
    **{
        f"{name}={size}": (lambda make=make, name=name, size=size: make(**{name: size}), f"{name} must be at least")
        for make in (transformer, recurrent)
        for name, size in (("source_size", 0), ("target_size", 0), ("d_model", -2))
    },
    "no decoder": (lambda: transformer(decoder_layers=0), "decoder_layers must be at least 1, got 0"),
    "encoder layers": (lambda: transformer(encoder_layers=-1), "encoder_layers must be at least 0, got -1"),
    "no max_len": (lambda: transformer(max_len=0), "max_len must be at least 1, got 0"),
    "heads": (lambda: transformer(num_heads=5), "num_heads=5 does not divide d_model=12"),
    "norm": (lambda: transformer(norm="layer", encoder_layers=0), "norm must be one of 'pre', 'post', None"),
    "dropout": (lambda: transformer(dropout=1, encoder_layers=0), "dropout must be at least 0 and below 1, got 1"),
    "attention": (
        lambda: recurrent(attention="bahdanau"),
        "attention must be one of 'additive', 'dot', got 'bahdanau'",
    ),
    "no attention": (lambda: recurrent(attention=None), "attention must be one of 'additive', 'dot', got None"),
    **{
        f"additive {name}": (lambda sizes=sizes: lab.AdditiveAttention(*sizes), f"{name} must be at least 1, got 0")
        for name, sizes in (("d_query", (0, 1, 1)), ("d_key", (1, 0, 1)), ("d_hidden", (1, 1, 0)))
    },
    "recurrent d_in": (lambda: lab.GRU(0, 1), "d_in must be at least 1, got 0"),
    "recurrent d_hidden": (lambda: lab.GRU(1, 0), "d_hidden must be at least 1, got 0"),
    "no beam": (search(beams=0), "beams must be at least 1, got 0"),
    "no length": (search(max_len=0), "max_len must be at least 1, got 0"),
    "longer than the positions": (
        search(max_len=7),
        "max_len=7 is more than the 6 positions that the model has learned",
    ),
    "start too large": (search(start=7), "start must lie between 0 and 6, got 7 to 7"),
    "start below 0": (search(start=-1), "start must be at least 0, got -1"),
    "end too large": (search(end=9), "end must lie between 0 and 6, got 9 to 9"),
    "penalty below 0": (search(length_penalty=-1), "length_penalty must be at least 0, got -1"),
    "penalty NaN": (search(length_penalty=np.nan), "length_penalty must be"),
    "search in no token": (search(source=[]), "source must be (..., n) with n of at least 1, got shape (0,)"),
    "search in an unknown token": (search(source=[9]), "source must lie between 0 and 8, got 9 to 9"),
    "search with a mask of another source": (search(source_mask=[[1, 1]]), "source_mask must have shape (1, 3)"),
}

KINDS = {
    **{
        f"{name}, {side}: {what}": (
            lambda model=model, ids=ids, side=side: model(*((ids, BATCH) if side == "source" else (BATCH, ids))),
            f"{side} must {words}",
        )
        for name, model in MODELS.items()
        for side in ("source", "target")
        for what, ids, words in (
            ("words", "ein Haus", "hold real numbers"),
            ("floats", [1.0], "be whole numbers, got dtype float64"),
            ("booleans", [True], "be whole numbers, got dtype bool"),
            ("None", None, "hold real numbers"),
        )
    },
    **{
        f"{name}, mask of floats": (
            lambda model=model: model(BATCH, BATCH, np.ones((2, 3))),
            "source_mask must be boolean or 0/1 integers",
            "source_mask.astype(bool)",
        )
        for name, model in MODELS.items()
    },
    "target_mask of floats": (lambda: TRANSFORMER([1], [1, 2], None, [1.0, 0.0]), "target_mask must be boolean"),
    "memory in words": (lambda: TRANSFORMER.decode([1], "memory"), "memory must hold real numbers"),
    "a seed to drop": (lambda: TRANSFORMER([1], [1], rng=3), "rng must be a numpy.random.Generator, got 3"),
    "a seed to draw": (lambda: recurrent(rng=3), "rng must be a numpy.random.Generator, got 3"),
    "half a layer": (lambda: transformer(encoder_layers=1.5), "encoder_layers must be a whole number, got 1.5"),
    "layers as a flag": (lambda: transformer(decoder_layers=True), "decoder_layers must be a whole number, got True"),
    "dtype": (lambda: recurrent(dtype=int), "dtype must be a floating dtype"),
    "x in words": (lambda: GRU("words"), "x must hold real numbers"),
    "a way in words": (lambda: GRU(X, reverse="yes"), "reverse must be True or False, got 'yes'"),
    "mask of floats for a recurrent layer": (lambda: GRU(X, np.ones((2, 3))), "mask must be boolean"),
    **{
        f"search with {what}": (search(model), "model must be a Seq2Seq or a RecurrentSeq2Seq, got ")
        for what, model in (
            ("a language model", lab.LanguageModel(5, 8, 2, 16, num_layers=1, max_len=9)),
            ("a class", lab.Seq2Seq),
            ("its name", "transformer"),
            ("a decoder", TRANSFORMER.decoder),
        )
    },
    "half a beam": (search(beams=2.5), "beams must be a whole number, got 2.5"),
    "beams as a flag": (search(beams=True), "beams must be a whole number, got True"),
    "no end": (search(end=None), "end must be a whole number, got None"),
    "a word to start": (search(start="<s>"), "start must be a whole number, got '<s>'"),
    "a penalty in words": (search(length_penalty="yes"), "length_penalty must be a number, got 'yes'"),
    "search in words": (search(source=["ein Haus"]), "source must hold real numbers"),
    "search with a mask of floats": (search(source_mask=np.ones((1, 3))), "source_mask must be boolean"),
}


@pytest.mark.parametrize("case", SHAPES)
def test_a_bad_shape_or_value_is_a_value_error_in_words(case):
    call, *words = SHAPES[case]
    refused_with(ValueError, call, words)


@pytest.mark.parametrize("case", KINDS)
def test_the_wrong_kind_is_a_type_error_in_words(case):
    call, *words = KINDS[case]
    refused_with(TypeError, call, words)


@pytest.mark.parametrize("name", MODELS)
def test_what_the_message_says_to_write_works(name):
    real, memory = lab.padding_mask([1, 3])[:, 0, 0], MODELS[name].encode(BATCH)[0]
    for model in (lambda mask: MODELS[name](BATCH, BATCH, mask), lambda mask: MODELS[name].decode(BATCH, memory, mask)):
        np.testing.assert_array_equal(model(real)[0], model([[1, 0, 0], [1, 1, 1]])[0])


def test_a_parameter_that_is_nan_is_not_written_away():
    model = transformer()
    model.head.weight[0, 0] = np.nan
    refused_with(ValueError, search(model), ["NaN"])
