"""Bad sizes and inputs of layers, positions and blocks are refused in words, as in test_checks.py."""

import numpy as np
import pytest

import attention_lab as lab
from attention_lab import activations, functional
from attention_lab.multi_head import merge_heads, split_heads
from tests.test_checks import refused_with

X = np.random.default_rng(0).standard_normal((2, 5, 6)).astype(np.float32)
MEMORY = X[:, :3, :4]
ONES, ZEROS, W = np.ones(6), np.zeros(6), np.ones((6, 4))
heads = lab.MultiHeadAttention
attend, odd, block = heads(6, 3), heads(6, 2), lab.EncoderBlock(6, 3, 7)
decoder = lab.DecoderBlock(6, 3, 7, d_memory=4)
learned = lab.LearnedPositions(5, 6)
bucket = lab.relative_position_bucket
RESERVED = "rng must be a numpy.random.Generator, got 3: write np.random.default_rng(seed)"
MASKED = np.ma.masked_equal(X, 0)
FLOATING = "dtype must be a floating dtype such as np.float32"

SIZES = {
    "heads do not divide": (lambda: heads(6, 4), "num_heads=4 does not divide d_model=6: choose 1, 2, 3, 6", "d_head"),
    "more heads than features": (lambda: heads(6, 12), "num_heads=12 does not divide d_model=6: choose 1, 2, 3, 6"),
    "heads of a block": (lambda: lab.EncoderBlock(6, 4, 7), "num_heads=4 does not divide d_model=6"),
    "heads of a decoder": (lambda: lab.Decoder(2, 6, 4, 7), "num_heads=4 does not divide d_model=6"),
    "no heads": (lambda: heads(6, 0), "num_heads must be at least 1, got 0"),
    "kv heads do not divide": (
        lambda: heads(12, 6, num_kv_heads=4),
        "num_kv_heads=4 does not divide num_heads=6: choose 1, 2, 3, 6",
    ),
    "more kv heads": (lambda: heads(12, 6, num_kv_heads=12), "num_kv_heads=12 does not divide num_heads=6"),
    "no kv heads": (lambda: heads(6, 3, num_kv_heads=0), "num_kv_heads must be at least 1, got 0"),
    "no head width": (lambda: heads(6, 3, d_head=0), "d_head must be at least 1, got 0"),
    "no memory width": (lambda: heads(6, 3, d_memory=0), "d_memory must be at least 1, got 0"),
    "no width": (lambda: heads(0, 1), "d_model must be at least 1, got 0"),
    "no inputs": (lambda: lab.Linear(0, 3), "d_in must be at least 1, got 0"),
    "no outputs": (lambda: lab.Linear(3, -1), "d_out must be at least 1, got -1"),
    "no vocabulary": (lambda: lab.Embedding(0, 3), "vocab_size must be at least 1, got 0"),
    "no vector": (lambda: lab.Embedding(3, 0), "d_model must be at least 1, got 0"),
    "no rows": (lambda: lab.LearnedPositions(0, 3), "max_len must be at least 1, got 0"),
    "no features": (lambda: lab.LayerNorm(0), "d_model must be at least 1, got 0"),
    "no rms features": (lambda: lab.RMSNorm(0), "d_model must be at least 1, got 0"),
    "no inner width": (lambda: lab.FeedForward(6, 0), "d_ff must be at least 1, got 0"),
    "no outer width": (lambda: lab.FeedForward(0, 6), "d_model must be at least 1, got 0"),
    "no layers": (lambda: lab.Encoder(0, 6, 3, 7), "num_layers must be at least 1, got 0"),
    "negative length": (lambda: lab.positional_encoding(-1, 4), "seq_len must be at least 0, got -1"),
    "negative width": (lambda: lab.positional_encoding(4, -1), "d_model must be at least 0, got -1"),
    "no slopes": (lambda: lab.alibi_slopes(0), "num_heads must be at least 1, got 0"),
    "3 buckets": (lambda: bucket(1, num_buckets=3), "num_buckets must be at least 4, got 3"),
    "1 bucket": (lambda: bucket(1, num_buckets=1, bidirectional=False), "num_buckets must be at least 2, got 1"),
    "near maximum": (lambda: bucket(1, max_distance=8), "max_distance must be at least 9, got 8"),
    "bias buckets": (lambda: lab.RelativePositionBias(2, num_buckets=3), "num_buckets must be at least 4, got 3"),
}

WIDTHS = {
    "query width": (lambda: attend(X[..., :4]), "query has 4 features, shape (2, 5, 4): expected d_model=6"),
    "key width": (lambda: attend(X, MEMORY), "key has 4 features, shape (2, 3, 4): expected d_memory=6"),
    "value width": (lambda: attend(X, X, X[..., :4]), "value has 4 features, shape (2, 5, 4): expected d_memory=6"),
    "memory not given": (lambda: heads(6, 3, d_memory=4)(X), "key has 6 features", "expected d_memory=4"),
    "query of one token": (lambda: attend(X[0, 0]), "query must be (..., length, d_model), got shape (6,)"),
    "key of one token": (lambda: attend(X, X[0, 0]), "key must be (..., length, d_memory), got shape (6,)"),
    "value rows": (lambda: attend(X, X, X[:, :3]), "value has 3 rows but key has 5"),
    "key batch": (lambda: attend(X, X[[0, 1, 1]]), "must broadcast, got (2,) and (3,) and (3,) for query and key"),
    "no tokens": (lambda: attend(X[:, :0]), "query is empty", "at least one row"),
    "query NaN": (lambda: attend(X * np.nan), "query holds NaN or inf"),
    **{
        f"{norm} block's width": (
            lambda n=norm: lab.EncoderBlock(6, 3, 7, norm=n)(X[..., :4]),
            "has 4 features, shape (2, 5, 4): expected d",
            "=6 on the last axis",
        )
        for norm in ("pre", "post", None)
    },
    "memory width": (lambda: decoder(X, X), "memory has 6 features, shape (2, 5, 6): expected d_memory=4"),
    "memory of one token": (lambda: decoder(X, X[0, 0, :4]), "memory must be (..., length, d_memory)", "(4,)"),
    "memory batch": (lambda: decoder(X, MEMORY[[0, 1, 1]]), "must broadcast, got (2,) and (3,) for x and memory"),
    "target's mask for the memory": (
        lambda: decoder(X, MEMORY, None, np.tri(5) > 0),
        "memory_mask of shape (5, 5) does not fit scores of shape (2, 3, 5, 3)",
    ),
    "memory mask without heads": (
        lambda: decoder(X, MEMORY, None, np.ones((2, 3), bool)),
        "memory_mask of shape (2, 3)",
        "write memory_mask[:, None, None]",
    ),
    "memory mask of floats": (
        lambda: decoder(X, MEMORY, None, np.tri(5, 3)),
        "memory_mask",
        "memory_mask.astype(bool)",
    ),
    "mask for each sequence": (lambda: attend(X, mask=np.ones((2, 5, 5), bool)), "(2, 5, 5)", "write mask[:, None]"),
    "padding mask without batch": (lambda: attend(X[0], mask=lab.padding_mask([5])), "mask has 4 axes", "mask[:, 0]"),
    "linear width": (lambda: functional.linear(X, W.T), "x has 6 features, shape (2, 5, 6): expected d_in=4"),
    "linear of a number": (lambda: functional.linear(3.0, W), "x is a single number, shape (): expected d_in=6"),
    "weight axes": (lambda: functional.linear(X, ONES), "weight must have shape (d_in, d_out), got (6,)"),
    "bias width": (lambda: functional.linear(X, W, ONES), "bias must have shape (4,), one number a feature, got (6,)"),
    "bias number": (lambda: functional.linear(X, W, 1.0), "bias must have shape (4,), one number a feature, got ()"),
    "gain width": (lambda: functional.layer_norm(X, ONES[:5], ONES), "x has 6 features", "expected d=5"),
    "gain number": (lambda: functional.rms_norm(X, 1.0), "gain must have shape (d,), one number a feature, got ()"),
    "no gain": (lambda: functional.rms_norm(X[..., :0], []), "gain must have shape (d,)", "got (0,)"),
    "norm bias width": (lambda: functional.layer_norm(X, ONES, ONES[:5]), "bias must have shape (6,)", "got (5,)"),
    "norm width": (lambda: lab.LayerNorm(4)(X), "x has 6 features", "expected d=4"),
    "rms norm width": (lambda: lab.RMSNorm(4)(X), "x has 6 features", "expected d=4"),
    "table axes": (lambda: functional.embedding([0], ONES), "table must have shape (vocab_size, d_model), got (6,)"),
    "split width": (lambda: split_heads(X, 4), "x must be (..., n, features), features a multiple of 4 heads, got (2"),
    "split by none": (lambda: split_heads(X, 0), "num_heads must be at least 1, got 0"),
    "merge two axes": (lambda: merge_heads(X[0]), "x must be (..., heads, n, d_head), got shape (5, 6)"),
}

POSITIONS = {
    "odd width": (lambda: lab.rotary_embedding(X[..., :5]), "x must be", "even d", "(2, 5, 5)"),
    "one token": (lambda: lab.rotary_embedding(X[0, 0]), "x must be (..., n, d)", "(6,)"),
    "odd heads": (lambda: odd(X, positions=np.arange(5)), "pair by pair", "d_head=3 is odd"),
    "positions of a memory": (
        lambda: attend(X, X[:, :3], positions=np.arange(5)),
        "positions turn queries and keys alike",
        "self-attention",
    ),
    "four positions": (lambda: lab.rotary_embedding(X, range(4)), "positions of shape (4,)", "(2, 5)", "a row of x"),
    "positions for three": (lambda: lab.rotary_embedding(X, np.ones((3, 5))), "positions of shape (3, 5)", "(2, 5)"),
    "positions that grow x": (lambda: lab.rotary_embedding(X[0], np.ones((2, 5))), "(2, 5) must broadcast to (5,)"),
    "heads: four positions": (lambda: attend(X, positions=range(4)), "positions of shape (4,)", "(2, 5): one a row"),
    "uneven positions": (lambda: attend(X, positions=[[1], [2, 3]]), "positions must be an array", "different lengths"),
    "endless position": (lambda: lab.rotary_embedding(X, [0, 1, np.inf, 2, 3]), "positions must be finite"),
    "NaN position": (lambda: attend(X, positions=[np.nan] * 5), "positions must be finite"),
    "too long": (lambda: lab.LearnedPositions(4, 6)(X), "x has 5 positions but the table has max_len=4 rows"),
    "row too far": (lambda: learned(X, [0, 1, 2, 3, 5]), "positions must lie between 0 and 4, got 0 to 5"),
    "row before 0": (lambda: learned(X, [-1, 1, 2, 3, 4]), "positions must lie between 0 and 4, got -1 to 4"),
    "rows that grow x": (lambda: learned(X[0], np.zeros((2, 5), int)), "(2, 5) must broadcast to (5,)"),
    "learned width": (lambda: learned(MEMORY), "x has 4 features, shape (2, 3, 4): expected d_model=6"),
    "learned of one token": (lambda: learned(X[0, 0]), "x must be (..., length, d_model), got shape (6,)"),
    "id too far": (lambda: functional.embedding([0, 6], W), "ids must lie between 0 and 5, got 0 to 6"),
    "id before 0": (lambda: lab.Embedding(6, 4)([-1]), "ids must lie between 0 and 5, got -1 to -1"),
    **{
        f"base {base}": (lambda b=base: lab.positional_encoding(3, 4, base=b), f"base must be above 0, got {base}")
        for base in (0, -1.0, np.nan, np.inf)
    },
    "rotary base": (lambda: lab.rotary_embedding(X, base=0), "base must be above 0, got 0"),
    "heads' base": (lambda: heads(6, 3, base=0), "base must be above 0, got 0"),
}

VALUES = {
    "eps": (lambda: functional.layer_norm(X, ONES, ZEROS, -1e-5), "eps must be at least 0, got -1e-05"),
    "rms eps": (lambda: functional.rms_norm(X, ONES, np.nan), "eps must be at least 0, got nan"),
    "LayerNorm eps": (lambda: lab.LayerNorm(3, eps=-1), "eps must be at least 0, got -1"),
    "variance": (lambda: lab.Linear(3, 3, variance=-1), "variance must be at least 0, got -1"),
    **{
        f"{name} dropout {rate}": (lambda m=make, r=rate: m(r), "dropout must be at least 0 and below 1")
        for name, make in {
            "heads": lambda rate: heads(6, 3, dropout=rate),
            "block": lambda rate: lab.EncoderBlock(6, 3, 7, dropout=rate),
            "decoder": lambda rate: lab.DecoderBlock(6, 3, 7, dropout=rate),
            "bare": lambda rate: functional.dropout(X, rate),
        }.items()
        for rate in (1, -0.1, np.nan)
    },
    **{
        f"norm {norm!r}": (lambda n=norm: lab.EncoderBlock(6, 3, 7, norm=n), "norm must be one of 'pre', 'post', None")
        for norm in ("Pre", "none", True, ["pre"], np.ones(2))
    },
    **{
        f"activation {kind!r}": (
            lambda k=kind: lab.FeedForward(6, 7, k),
            "activation must be one of 'relu', 'gelu', 'gelu_tanh', 'swiglu', got",
        )
        for kind in ("tanh", None, ["relu"], np.array(["relu"]))
    },
}

KINDS = {
    **{
        f"{name} {bad!r}": (lambda m=make, b=bad: m(b), f"{name} must be a whole number, got {bad!r}")
        for name, make in {
            "d_model": lambda size: heads(size, 1),
            "num_heads": lambda size: heads(6, size),
            "num_kv_heads": lambda size: heads(6, 1, num_kv_heads=size),
            "d_head": lambda size: heads(6, 1, d_head=size),
            "d_memory": lambda size: heads(6, 1, d_memory=size),
            "d_ff": lambda size: lab.FeedForward(6, size),
            "d_in": lambda size: lab.Linear(size, 3),
            "d_out": lambda size: lab.Linear(3, size),
            "vocab_size": lambda size: lab.Embedding(size, 3),
            "max_len": lambda size: lab.LearnedPositions(size, 3),
            "num_layers": lambda size: lab.Encoder(size, 6, 3, 7),
            "seq_len": lambda size: lab.positional_encoding(size, 3),
            "num_buckets": lambda size: lab.RelativePositionBias(2, num_buckets=size),
        }.items()
        for bad in (2.0, "2", True, [2])
    },
    **{
        f"{make.__name__} rng": (lambda m=make, a=sizes: m(*a, rng=3), RESERVED)
        for make, sizes in {
            lab.Linear: (3, 3),
            lab.Embedding: (3, 3),
            lab.LearnedPositions: (3, 3),
            lab.FeedForward: (3, 3),
            lab.RelativePositionBias: (3,),
            heads: (6, 3),
            lab.EncoderBlock: (6, 3, 7),
            lab.DecoderBlock: (6, 3, 7),
            lab.Encoder: (2, 6, 3, 7),
            lab.Decoder: (2, 6, 3, 7),
        }.items()
    },
    **{
        f"{name} call rng": (call, RESERVED)
        for name, call in {
            "heads": lambda: attend(X, rng=3),
            "block": lambda: block(X, rng=3),
            "decoder": lambda: decoder(X, MEMORY, rng=3),
            "dropout": lambda: functional.dropout(X, 0.5, 3),
        }.items()
    },
    **{
        f"{make.__name__} dtype {bad!r}": (lambda m=make, a=sizes, b=bad: m(*a, dtype=b), FLOATING, repr(bad))
        for make, sizes in {
            lab.Linear: (3, 3),
            lab.LayerNorm: (3,),
            lab.RMSNorm: (3,),
            heads: (6, 3),
            lab.Encoder: (2, 6, 3, 7),
            lab.positional_encoding: (3, 3),
        }.items()
        for bad in (int, "float33", None, complex)
    },
    **{
        f"{name} flag": (call, f"{name} must be True or False, got")
        for name, call in {
            "bias": lambda: heads(6, 3, bias=1),
            "interleaved": lambda: lab.rotary_embedding(X, interleaved="yes"),
            "approximate": lambda: activations.gelu(X, "tanh"),
            "bidirectional": lambda: bucket(1, bidirectional=1),
            "is_causal": lambda: block(X, is_causal=1),
        }.items()
    },
    "Linear bias": (lambda: lab.Linear(3, 3, bias=None), "bias must be True or False, got None"),
    "heads' interleaved": (lambda: heads(6, 3, interleaved=1), "interleaved must be True or False, got 1"),
    "base": (lambda: lab.positional_encoding(3, 4, base="10000"), "base must be a number, got '10000'"),
    "heads' base": (lambda: heads(6, 3, base=None), "base must be a number, got None"),
    "eps": (lambda: functional.rms_norm(X, ONES, "small"), "eps must be a number, got 'small'"),
    "no query": (lambda: attend(None), "query must hold real numbers", "object"),
    "masked query": (lambda: attend(MASKED), "query is a masked array", "query.filled"),
    "masked key": (lambda: attend(X, MASKED), "key is a masked array"),
    "complex value": (lambda: attend(X, X, X * 1j), "value must hold real numbers", "complex64"),
    "no memory": (lambda: decoder(X, None), "memory must hold real numbers", "object"),
    "masked memory": (lambda: decoder(X, MASKED), "memory is a masked array"),
    "memory mask": (lambda: decoder(X, MEMORY, None, "all"), "memory_mask must hold real numbers"),
    "text": (lambda: lab.LayerNorm(6)("abc"), "x must hold real numbers", "<U3"),
    "objects": (lambda: activations.relu([None]), "x must hold real numbers", "object"),
    "ids text": (lambda: lab.Embedding(6, 4)(["the"]), "ids must hold real numbers", "<U3"),
    "ids floats": (lambda: lab.Embedding(6, 4)([1.0]), "ids must be whole numbers, got dtype float64"),
    "ids flags": (lambda: lab.Embedding(6, 4)([True]), "ids must be whole numbers, got dtype bool"),
    "positions text": (lambda: attend(X, positions="abc"), "positions must hold real numbers"),
    "positions flags": (lambda: attend(X, positions=np.ones(5, bool)), "positions must be numbers, got dtype bool"),
    "row floats": (lambda: learned(X, np.arange(5.0)), "positions must be whole numbers, got dtype float64"),
    "distance floats": (lambda: bucket(1.0), "relative_position must be whole numbers", "float64"),
    "distance flags": (lambda: bucket([True]), "relative_position must be whole numbers", "bool"),
}


@pytest.mark.parametrize("case", [*SIZES, *WIDTHS, *POSITIONS, *VALUES])
def test_a_bad_size_shape_or_value_is_a_value_error_in_words(case):
    call, *words = (SIZES | WIDTHS | POSITIONS | VALUES)[case]
    refused_with(ValueError, call, words)


@pytest.mark.parametrize("case", KINDS)
def test_the_wrong_kind_is_a_type_error_in_words(case):
    call, *words = KINDS[case]
    refused_with(TypeError, call, words)


def test_no_case_stands_twice():
    cases = (SIZES, WIDTHS, POSITIONS, VALUES)
    assert len(SIZES | WIDTHS | POSITIONS | VALUES) == sum(map(len, cases))


def test_what_the_messages_say_to_write_works():
    for num_heads in (1, 2, 3, 6):
        heads(6, num_heads)(X)
    heads(6, 4, d_head=2)(X)
    attend(X, mask=np.ones((2, 5, 5), bool)[:, None])
    attend(X[0], mask=lab.padding_mask([5])[:, 0])
    decoder(X, MEMORY, None, np.ones((2, 3), bool)[:, None, None])


@pytest.mark.parametrize("dtype", ["float16", "f4", "d", np.dtype(np.float64), ">f4"])
def test_a_dtype_may_be_written_in_every_way(dtype):
    assert heads(6, 3, dtype=dtype).W_q.dtype == dtype
    assert lab.positional_encoding(3, 4, dtype=dtype).dtype == dtype


def test_sizes_of_numpy_are_sizes():
    layer = heads(np.int64(6), np.uint8(3), num_kv_heads=np.int16(1))
    assert layer(X)[1].shape == (2, 3, 5, 5)
    many = heads(np.uint8(6), np.uint8(100), num_kv_heads=np.uint8(50), d_head=np.int8(100))
    assert (many.W_o.shape, many.W_k.shape) == ((10_000, 6), (6, 5_000))
    assert lab.alibi_slopes(np.uint8(200)).shape == (200,)
