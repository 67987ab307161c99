"""Attention beside recurrent nets: loops over single numbers, what a pad may change, and that all of it trains."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from tests.differences import assert_gradients
from tests.test_cached_decoding import assert_close, normal
from tests.test_layers_train import assert_trains
from tests.test_models import moved

SOURCE_SIZE, TARGET_SIZE, D, N_S, N_T = 11, 7, 5, 6, 4
TOLERANCE = {np.float16: 2e-2, np.float32: 1e-5, np.float64: 0}
LEADING = [(), (1,), (3,), (2, 3), (2, 1, 3)]
SOURCE = np.random.default_rng(0).integers(0, SOURCE_SIZE, (3, N_S))
TARGET = np.random.default_rng(1).integers(0, TARGET_SIZE, (3, N_T))
LENGTHS = np.array([N_S, 1, 4])
REAL = np.arange(N_S) < LENGTHS[:, None]
every_kind = pytest.mark.parametrize("kind", ["additive", "dot"])
both_ways = pytest.mark.parametrize("reverse", [False, True])
both_masks = pytest.mark.parametrize("mask", [None, REAL])


def about(dtype=np.float64):
    return {"rng": np.random.default_rng(0), "dtype": dtype}


def additive():
    return moved(lab.AdditiveAttention(4, 5, 3, **about()))


def gru():
    return moved(lab.GRU(4, 5, **about()))


def translator(kind, dtype=np.float64):
    return moved(lab.RecurrentSeq2Seq(SOURCE_SIZE, TARGET_SIZE, D, attention=kind, **about(dtype)))


# ---- additive attention -----------------------------------------------------------------------------------------

QUERY, KEY, X = normal(2, 3, 4), normal(2, N_S, 5, seed=1), normal(3, N_S, 4)
SHOWN = np.arange(N_S) < np.array([[4], [N_S]])


@pytest.mark.parametrize("mask", [None, SHOWN])
def test_additive_attention_by_loops(mask):
    attention = additive()
    output, weights = attention(QUERY, KEY, mask)
    for b, i in np.ndindex(2, 3):
        powers = []
        for j in range(N_S):
            inner = QUERY[b, i] @ attention.W_q.weight + KEY[b, j] @ attention.W_k.weight
            score = sum(v * math.tanh(x) for v, x in zip(attention.v[:, 0], inner))
            powers.append(math.exp(score) if mask is None or mask[b, j] else 0.0)
        wanted = np.array(powers) / sum(powers)
        assert_allclose(weights[b, i], wanted, rtol=1e-12)
        assert_allclose(output[b, i], sum(w * row for w, row in zip(wanted, KEY[b])), rtol=1e-12)


@pytest.mark.parametrize("leading", LEADING, ids=str)
def test_additive_attention_with_any_leading_axes(leading):
    attention, query, key = additive(), normal(*leading, 3, 4), normal(*leading, N_S, 5, seed=1)
    output, weights = attention(query, key)
    assert output.shape == (*leading, 3, 5)
    for place in np.ndindex(leading):
        alone = attention(query[place], key[place])
        assert_close(output[place], alone[0])
        assert_close(weights[place], alone[1])


def test_one_key_sequence_serves_many_query_sequences():
    attention = additive()
    assert_close(attention(QUERY, KEY[:1])[0], attention(QUERY, np.tile(KEY[:1], (2, 1, 1)))[0])


def test_a_query_that_sees_no_key_reads_zeros_with_finite_gradients():
    attention, none = additive(), np.array([[False] * N_S, [True] * N_S])
    output, weights = attention(QUERY, KEY, none)
    assert not output[0].any() and not weights[0].any()
    assert_close(output[1], attention(QUERY, KEY)[0][1])
    to_query, to_key = assert_gradients(lambda *x: attention(*x, none), QUERY, KEY)
    assert not to_query[0].any() and not to_key[0].any()


def test_what_stands_in_a_hidden_key_changes_no_bit():
    attention, other = additive(), np.where(SHOWN[..., None], KEY, 77)
    for ours, theirs in zip(attention(QUERY, KEY, SHOWN), attention(QUERY, other, SHOWN)):
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize("mask", [None, SHOWN])
def test_gradients_of_additive_attention(mask):
    assert_gradients(lambda *x: additive()(*x, mask), QUERY, KEY)
    assert_trains(additive(), lambda model, *x: model(*x, mask), QUERY, KEY, entries=5)


def test_the_weights_are_a_plain_array_beside_tensors_too():
    for query, key in ((QUERY, KEY), (lab.Tensor(QUERY), lab.Tensor(KEY)), (QUERY.tolist(), KEY.tolist())):
        output, weights = additive()(query, key, SHOWN)
        assert type(weights) is np.ndarray
        assert_array_equal(weights, additive()(QUERY, KEY, SHOWN)[1])
        assert isinstance(output, lab.Tensor) == isinstance(query, lab.Tensor)


# ---- the recurrent layer ----------------------------------------------------------------------------------------


@both_masks
@both_ways
def test_a_gru_step_by_step(reverse, mask):
    layer = gru()
    (W, b), (U, c) = ((part.weight, part.bias) for part in (layer.of_input, layer.of_state))
    states = layer(X, mask, reverse=reverse)
    for text in range(3):
        h = [0.0] * 5
        for t in reversed(range(N_S)) if reverse else range(N_S):
            if mask is None or mask[text, t]:
                x, u = X[text, t] @ W + b, np.array(h) @ U + c
                r = [1 / (1 + math.exp(-x[k] - u[k])) for k in range(5)]
                z = [1 / (1 + math.exp(-x[5 + k] - u[5 + k])) for k in range(5)]
                n = [math.tanh(x[10 + k] + r[k] * u[10 + k]) for k in range(5)]
                h = [(1 - z[k]) * n[k] + z[k] * h[k] for k in range(5)]
            assert_allclose(states[text, t], h, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("gate", "wanted"), [(-50, math.tanh(0.7)), (0, 0.75 * math.tanh(0.7)), (50, 0)])
def test_the_second_gate_keeps_the_state(gate, wanted):
    layer = lab.GRU(1, 1, **about())
    for array in lab.parameters(layer).values():
        array[...] = 0
    layer.of_input.bias[1:] = gate, 0.7  # z = σ(gate), n = tanh(0.7): at gate 0 the state halves its way, 1/2, 3/4
    assert_allclose(layer([[0.0], [0.0]])[1], [wanted], atol=1e-15)


@pytest.mark.parametrize("leading", [*LEADING, (0,)], ids=str)
@both_ways
def test_a_gru_with_any_leading_axes(reverse, leading):
    layer, x, real = gru(), normal(*leading, N_S, 4), np.resize(REAL, (*leading, N_S))
    states = layer(x, real, reverse=reverse)
    assert states.shape == (*leading, N_S, 5)
    for place in np.ndindex(leading):
        assert_close(states[place], layer(x[place], real[place], reverse=reverse))


@both_ways
def test_a_pad_leaves_the_state_alone_wherever_it_stands(reverse):
    layer, real = gru(), np.array([0, 1, 0, 1, 1, 0], bool)
    states = layer(np.where(real[:, None], X[0], np.nan), real, reverse=reverse)
    assert_close(states[real], layer(X[0, real], reverse=reverse))
    assert_array_equal(states[2], states[3 if reverse else 1])
    assert_array_equal(states[5 if reverse else 0], np.zeros(5))
    assert_array_equal(layer(X[0], real.astype(int).tolist(), reverse=reverse), states)
    assert not layer(X, np.zeros(N_S, bool), reverse=reverse).any()


@both_masks
@both_ways
def test_gradients_of_a_gru(reverse, mask):
    assert_gradients(lambda x: gru()(x, mask, reverse=reverse), X)
    assert_trains(gru(), lambda model, x: model(x, mask, reverse=reverse), X, entries=8)


# ---- the recurrent translator -----------------------------------------------------------------------------------


@every_kind
def test_a_translator_is_its_parts(kind):
    model = translator(kind)
    x, y = model.embed_source.table[SOURCE], model.embed_target.table[TARGET]
    memory = model.forwards(x, REAL) + model.backwards(x, REAL, reverse=True)
    h, wanted, wanted_weights = np.tanh(memory[:, 0] @ model.first.weight + model.first.bias), [], []
    for t in range(N_T):
        token = model.writer.of_input(y[:, t])
        if kind == "additive":
            read, weights = model.additive(h[:, None], memory, REAL)
            token = token + model.of_read(read[:, 0])
        h = model.writer.step(token, h)
        if kind == "dot":
            read, weights = lab.scaled_dot_product_attention(h[:, None], memory, memory, REAL[:, None])
        wanted.append(model.head(h) + model.head_of_read(read[:, 0]))
        wanted_weights.append(weights)
    logits, memory_weights = model(SOURCE, TARGET, REAL)
    assert_close(logits, np.stack(wanted, 1))
    assert_close(memory_weights[0], np.stack(wanted_weights, 2))


@every_kind
def test_to_call_is_to_encode_and_to_decode(kind):
    model = translator(kind)
    memory, weights = model.encode(SOURCE, REAL)
    logits, own_weights, memory_weights = model.decode(TARGET, memory, REAL)
    assert weights == own_weights == []
    assert_array_equal(model(SOURCE, TARGET, REAL)[0], logits)
    assert_array_equal(model(SOURCE.tolist(), TARGET.tolist(), REAL.astype(int).tolist())[0], logits)
    assert_array_equal(model.decode(TARGET, memory.tolist(), REAL)[0], logits)
    assert memory_weights[0].shape == (3, 1, N_T, N_S)
    assert type(memory_weights[0]) is np.ndarray
    assert len(lab.parameters(model)) == (23 if kind == "additive" else 19)  # none is shared


@every_kind
@pytest.mark.parametrize("leading", [*LEADING, (0,)], ids=str)
def test_a_translator_with_any_leading_axes(leading, kind):
    model = translator(kind)
    source, target, real = (np.resize(a, (*leading, a.shape[-1])) for a in (SOURCE, TARGET, REAL))
    logits, memory_weights = model(source, target, real)
    assert logits.shape == (*leading, N_T, TARGET_SIZE)
    assert memory_weights[0].shape == (*leading, 1, N_T, N_S)
    for place in np.ndindex(leading):
        assert_close(logits[place], model(source[place], target[place], real[place])[0])


@every_kind
@pytest.mark.parametrize("real", [None, REAL])
def test_one_text_serves_a_batch_of_the_other(real, kind):
    model, row = translator(kind), None if real is None else real[2]
    wanted = model(np.tile(SOURCE[2], (3, 1)), TARGET, row)[0]
    assert_close(model(SOURCE[2], TARGET, row)[0], wanted)
    assert_close(model(SOURCE, TARGET[0], real)[0], model(SOURCE, np.tile(TARGET[0], (3, 1)), real)[0])


@every_kind
def test_what_stands_in_a_pad_of_the_source_changes_no_bit(kind):
    model = translator(kind)
    wanted, wanted_weights = model(np.where(REAL, SOURCE, 0), TARGET, REAL)
    for filler in range(1, SOURCE_SIZE):
        logits, memory_weights = model(np.where(REAL, SOURCE, filler), TARGET, REAL)
        assert_array_equal(logits, wanted)
        assert_array_equal(memory_weights, wanted_weights)
    assert not memory_weights[0][:, 0].swapaxes(1, 2)[~REAL].any()


@every_kind
@pytest.mark.parametrize(("before", "behind"), [(0, 0), (0, 5), (2, 0), (3, 1)])
def test_a_padded_source_gives_what_it_gives_alone(before, behind, kind):
    model = translator(kind)
    source, real = (np.pad(a, [(0, 0), (before, behind)]) for a in (SOURCE, REAL))
    logits, memory_weights = model(source, TARGET, real)
    for b, n in enumerate(LENGTHS):
        alone, alone_weights = model(SOURCE[b, :n], TARGET[b])
        assert_close(logits[b], alone)
        assert_close(memory_weights[0][b, ..., before : before + n], alone_weights[0])


@every_kind
def test_of_a_source_without_a_real_token_nothing_is_read(kind):
    model, none = translator(kind), np.zeros((3, N_S), bool)
    logits, memory_weights = model(SOURCE, TARGET, none)
    assert_array_equal(model((SOURCE + 1) % SOURCE_SIZE, TARGET, none)[0], logits)
    assert not memory_weights[0].any()


@every_kind
@pytest.mark.parametrize("first", range(1, N_T))
def test_a_later_token_changes_no_earlier_logit(first, kind):
    model, other = translator(kind), TARGET.copy()
    other[:, first:] = (other[:, first:] + 1) % TARGET_SIZE
    ours, theirs = (model(SOURCE, target, REAL)[0] for target in (TARGET, other))
    assert_array_equal(ours[:, :first], theirs[:, :first])
    assert (ours[:, first:] != theirs[:, first:]).all()
    assert_close(model(SOURCE, TARGET[:, :first], REAL)[0], ours[:, :first])


@every_kind
@pytest.mark.parametrize("real", [None, REAL, np.arange(N_S) >= LENGTHS[:, None] - 1])
def test_gradients_of_a_translator(real, kind):
    assert_trains(translator(kind), lambda model, *data: model(*data)[0], SOURCE, TARGET, real, entries=2)


# ---- dtypes -----------------------------------------------------------------------------------------------------

CALLS = {
    "attention": lambda dtype: additive()(QUERY.astype(dtype), KEY.astype(dtype), SHOWN),
    "gru": lambda dtype: [gru()(X.astype(dtype), REAL)],
    "additive": lambda dtype: translator("additive", dtype)(SOURCE, TARGET, REAL),
    "dot": lambda dtype: translator("dot", dtype)(SOURCE, TARGET, REAL),
}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", CALLS)
def test_the_dtype_is_that_of_the_input_or_of_the_parameters(name, dtype):
    for ours, theirs in zip(CALLS[name](dtype), CALLS[name](np.float64)):
        assert (ours[0] if isinstance(ours, list) else ours).dtype == dtype
        assert_allclose(ours, theirs, atol=TOLERANCE[dtype])


@every_kind
def test_user_settings_of_floating_point_errors_do_not_reach_inside(kind):
    model = translator(kind, np.float16)
    for array in lab.parameters(model).values():
        assert array.dtype == np.float16
        array *= np.float16(1e-3)  # the gates multiply numbers too small for float16
    with np.errstate(all="raise"):
        model(SOURCE, TARGET, REAL)
