"""Encoder and decoder: what they are made of, what a pad or a later token may change, and that all of it trains."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from tests.test_cached_decoding import assert_close
from tests.test_layers_train import assert_trains
from tests.test_models import moved

SOURCE_SIZE, TARGET_SIZE, D, HEADS, D_FF, N_S, N_T, MAX_LEN = 11, 7, 12, 3, 17, 6, 4, 9
SOURCE = np.random.default_rng(0).integers(0, SOURCE_SIZE, (3, N_S))
TARGET = np.random.default_rng(1).integers(0, TARGET_SIZE, (3, N_T))
LENGTHS = np.array([N_S, 1, 4])
REAL = np.arange(N_S) < LENGTHS[:, None]
every_depth = pytest.mark.parametrize("encoder_layers", [0, 1, 2])
every_norm = pytest.mark.parametrize("norm", ["pre", "post", None])


def translator(encoder_layers=1, **about):
    about = {"max_len": MAX_LEN, "dtype": np.float64, "rng": np.random.default_rng(0)} | about
    about["encoder_layers"] = encoder_layers
    return moved(lab.Seq2Seq(SOURCE_SIZE, TARGET_SIZE, D, HEADS, D_FF, **about))


# ---- its parts --------------------------------------------------------------------------------------------------


@every_norm
@every_depth
def test_it_is_its_parts(encoder_layers, norm):
    model = translator(encoder_layers, decoder_layers=2, norm=norm)
    memory = model.embed_source.table[SOURCE] + model.place_source.table[:N_S]
    for i in range(encoder_layers):
        memory, _ = model.encoder.blocks[i](memory, REAL[:, None, None])
    if encoder_layers and norm == "pre":
        memory = model.encoder.final_norm(memory)
    x = model.embed_target.table[TARGET] + model.place_target.table[:N_T]
    hidden = lab.causal_mask(N_T), REAL[:, None, None]
    x, _, first = model.decoder.blocks[0](x, memory, *hidden, is_causal=False)
    x, _, second = model.decoder.blocks[1](x, memory, *hidden, is_causal=False)  # the same memory, once more
    if norm == "pre":
        x = model.decoder.final_norm(x)
    logits, memory_weights = model(SOURCE, TARGET, REAL)
    assert_close(logits, x @ model.head.weight + model.head.bias)
    assert len(memory_weights) == 2
    assert_close(memory_weights[0], first)
    assert_close(memory_weights[1], second)


def test_without_an_encoder_the_memory_is_embedding_and_position_alone():
    model = translator(0)
    memory, weights = model.encode(SOURCE, REAL)
    assert_array_equal(memory, model.embed_source.table[SOURCE] + model.place_source.table[:N_S])
    assert weights == []
    assert not [name for name in lab.parameters(model) if name.startswith("encoder")]


@every_depth
def test_to_call_is_to_encode_and_to_decode(encoder_layers):
    model = translator(encoder_layers, decoder_layers=2)
    memory, own_weights = model.encode(SOURCE, REAL)
    logits, weights, memory_weights = model.decode(TARGET, memory, REAL)
    called, called_weights = model(SOURCE, TARGET, REAL)
    assert_array_equal(called, logits)
    assert_array_equal(called_weights, memory_weights)
    assert len(own_weights) == encoder_layers
    assert {w.shape for w in own_weights} <= {(3, HEADS, N_S, N_S)}
    assert [w.shape for w in weights] == [(3, HEADS, N_T, N_T)] * 2
    assert [w.shape for w in memory_weights] == [(3, HEADS, N_T, N_S)] * 2
    assert_allclose(memory_weights[1].sum(-1), 1, rtol=1e-12)


def test_each_language_has_its_own_table_and_positions():
    shapes = {name: array.shape for name, array in lab.parameters(translator(0)).items()}
    assert shapes["embed_source.table"] == (SOURCE_SIZE, D)
    assert shapes["embed_target.table"] == (TARGET_SIZE, D)
    assert shapes["place_source.table"] == shapes["place_target.table"] == (MAX_LEN, D)
    assert (translator().place_source.table != translator().place_target.table).all()
    assert shapes["head.weight"] == (D, TARGET_SIZE)


def test_a_seed_settles_all_parameters():
    first, again, other = (translator(rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    for name, array in lab.parameters(first).items():
        assert_array_equal(array, lab.parameters(again)[name])
    assert (first.embed_source.table != other.embed_source.table).all()


# ---- leading axes, lists, dtypes --------------------------------------------------------------------------------


@every_depth
@pytest.mark.parametrize("leading", [(), (1,), (3,), (2, 3), (2, 1, 3), (0,)], ids=str)
def test_any_number_of_leading_axes(leading, encoder_layers):
    model = translator(encoder_layers)
    source, target, real = (np.resize(a, (*leading, a.shape[-1])) for a in (SOURCE, TARGET, REAL))
    logits, memory_weights = model(source, target, real)
    assert logits.shape == (*leading, N_T, TARGET_SIZE)
    assert memory_weights[0].shape == (*leading, HEADS, N_T, N_S)
    for place in np.ndindex(leading):
        assert_close(logits[place], model(source[place], target[place], real[place])[0])


@pytest.mark.parametrize("one", ["source", "target"])
def test_one_text_serves_a_batch_of_the_other(one):
    model = translator()
    source, target = {"source": (SOURCE[0], TARGET), "target": (SOURCE, TARGET[0])}[one]
    whole = tuple(np.broadcast_to(a, (3, a.shape[-1])) for a in (source, target))
    assert_close(model(source, target)[0], model(*whole)[0])


def test_lists_and_masks_of_integers():
    model = translator()
    given = SOURCE.tolist(), TARGET.tolist(), REAL.astype(int).tolist(), np.ones((3, N_T), int).tolist()
    assert_array_equal(model(*given)[0], model(SOURCE, TARGET, REAL)[0])
    assert_array_equal(model(SOURCE, TARGET, REAL[2])[0], model(SOURCE, TARGET, np.tile(REAL[2], (3, 1)))[0])
    memory, _ = model.encode(SOURCE)
    assert_array_equal(model.decode(TARGET, memory.tolist())[0], model(SOURCE, TARGET)[0])


@every_norm
@every_depth
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_is_that_of_the_parameters(dtype, encoder_layers, norm):
    model, exact = (translator(encoder_layers, norm=norm, dtype=kind) for kind in (dtype, np.float64))
    memory, _ = model.encode(SOURCE, REAL)
    logits, memory_weights = model(SOURCE, TARGET, REAL)
    assert logits.dtype == memory.dtype == memory_weights[0].dtype == dtype
    tolerance = {np.float16: 0.1, np.float32: 1e-4, np.float64: 0}[dtype]
    assert_allclose(logits, exact(SOURCE, TARGET, REAL)[0], atol=tolerance)


# ---- what a pad may change: nothing -----------------------------------------------------------------------------


@every_depth
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_stands_in_a_pad_of_the_source_changes_no_bit(dtype, encoder_layers):
    model = translator(encoder_layers, decoder_layers=2, dtype=dtype)
    wanted, wanted_weights = model(np.where(REAL, SOURCE, 0), TARGET, REAL)
    for seed in range(5):
        filler = np.random.default_rng(seed).integers(0, SOURCE_SIZE, SOURCE.shape)
        logits, memory_weights = model(np.where(REAL, SOURCE, filler), TARGET, REAL)
        assert_array_equal(logits, wanted)
        assert_array_equal(memory_weights, wanted_weights)
    assert not np.moveaxis(wanted_weights, -1, 2)[:, ~REAL].any()


@every_norm
@every_depth
def test_a_padded_source_gives_what_it_gives_alone(encoder_layers, norm):
    model = translator(encoder_layers, decoder_layers=2, norm=norm)
    for more in range(MAX_LEN - N_S + 1):
        source, real = (np.pad(a, [(0, 0), (0, more)]) for a in (SOURCE, REAL))
        logits, memory_weights = model(source, TARGET, real)
        for b, n in enumerate(LENGTHS):
            alone, alone_weights = model(SOURCE[b, :n], TARGET[b])
            assert_close(logits[b], alone)
            assert_close(memory_weights[1][b, ..., :n], alone_weights[1])


@every_depth
def test_without_a_mask_every_token_counts(encoder_layers):
    model = translator(encoder_layers)
    assert_array_equal(model(SOURCE, TARGET)[0], model(SOURCE, TARGET, np.ones((3, N_S), bool))[0])
    assert (model(SOURCE, TARGET)[0][1] != model(SOURCE, TARGET, REAL)[0][1]).all()


@every_depth
def test_of_a_source_without_a_real_token_nothing_is_read(encoder_layers):
    model, none = translator(encoder_layers), np.zeros((3, N_S), bool)
    logits, memory_weights = model(SOURCE, TARGET, none)
    assert_array_equal(model((SOURCE + 1) % SOURCE_SIZE, TARGET, none)[0], logits)
    assert not memory_weights[0].any()
    real = REAL & [[True], [False], [True]]
    mixed = model(SOURCE, TARGET, real)[0]
    assert_close(mixed[1], logits[1])
    assert_close(mixed[2], model(SOURCE, TARGET, REAL)[0][2])


# ---- what a later token may change: nothing before it -----------------------------------------------------------


@every_depth
@pytest.mark.parametrize("first", range(1, N_T))
def test_a_later_token_changes_no_earlier_logit(first, encoder_layers):
    model, other = translator(encoder_layers, decoder_layers=2), TARGET.copy()
    other[:, first:] = (other[:, first:] + 1) % TARGET_SIZE
    ours, theirs = (model(SOURCE, target, REAL)[0] for target in (TARGET, other))
    assert_array_equal(ours[:, :first], theirs[:, :first])
    assert (ours[:, first:] != theirs[:, first:]).all()


def test_a_shorter_target_gives_the_first_logits():
    model = translator(decoder_layers=2)
    for n in range(1, N_T + 1):
        assert_close(model(SOURCE, TARGET[:, :n], REAL)[0], model(SOURCE, TARGET, REAL)[0][:, :n])


def test_a_pad_of_the_target_is_read_by_no_real_token():
    model, lengths = translator(decoder_layers=2), np.array([N_T, 1, 2])
    real = np.arange(N_T) < lengths[:, None]
    logits, _ = model(SOURCE, TARGET, REAL, real)
    for b, n in enumerate(lengths):
        assert_close(logits[b, :n], model(SOURCE[b], TARGET[b, :n], REAL[b])[0])
    first_hidden = np.arange(N_T) > 0
    _, weights, _ = model.decode(TARGET, model.encode(SOURCE)[0], None, first_hidden)
    assert not weights[0][..., 0].any()  # seen by nobody
    assert weights[1][..., 1:, 1].all()


# ---- dropout, training ------------------------------------------------------------------------------------------


def test_dropout_is_live_with_a_generator_alone():
    model = translator(dropout=0.4)
    assert_array_equal(model(SOURCE, TARGET)[0], translator()(SOURCE, TARGET)[0])
    first, again, other = (model(SOURCE, TARGET, rng=np.random.default_rng(seed))[0] for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert (first != other).any() and (first != model(SOURCE, TARGET)[0]).any()


def test_dropout_meets_the_weights_of_both_stacks():
    model, generator = translator(dropout=0.4, decoder_layers=2), np.random.default_rng(1)
    memory, own_weights = model.encode(SOURCE, rng=generator)
    logits, weights, memory_weights = model.decode(TARGET, memory, rng=generator)
    assert_array_equal(model(SOURCE, TARGET, rng=np.random.default_rng(1))[0], logits)
    for dropped in (*own_weights, *(w[..., -1, :] for w in weights), *memory_weights):  # the last target sees all
        assert 0.2 < (dropped == 0).mean() < 0.6


@pytest.mark.parametrize("side", ["source", "target"])
def test_dropout_meets_the_words_of_both_sides(side):
    model, many = translator(0, dropout=0.4, norm=None), np.full((50, 1), 3)
    for name, array in lab.parameters(model).items():
        if name.endswith(("W_o", "down.weight", "down.bias")):
            array[...] = 0  # no block adds anything: what changes was dropped before them
    if side == "target":
        rows = model(many, many, rng=np.random.default_rng(0))[0]
    else:
        rows = model.encode(many, rng=np.random.default_rng(0))[0]
    assert len(np.unique(rows.round(9), axis=0)) > 40


@every_depth
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_gradients(norm, encoder_layers):
    model, real = translator(encoder_layers, decoder_layers=2, norm=norm), np.arange(N_T) < [[N_T], [2], [3]]
    assert_trains(model, lambda model, *data: model(*data)[0], SOURCE, TARGET, REAL, real, entries=2)


def test_gradients_of_a_pad_and_of_a_source_without_a_real_token_are_zero():
    def loss(model, source, target, real):
        return (model(source, target, real)[0] ** 2).sum()

    source, real = np.where(REAL, SOURCE % 9, 9), REAL & [[True], [True], [False]]
    source[2] = 10
    _, gradients = lab.value_and_grad(loss)(translator(2), source, TARGET, real)
    assert not gradients["embed_source.table"][9:].any()
    assert gradients["embed_source.table"][np.unique(source[real])].all()
    assert all(np.isfinite(gradient).all() for gradient in gradients.values())
