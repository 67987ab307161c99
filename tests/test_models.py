"""Whole models: what they are made of, what a pad may change, cached = uncached, and that they train."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab.functional import layer_norm
from tests.test_cached_decoding import assert_close, compositions, normal
from tests.test_layers_train import assert_trains

VOCABULARY, CLASSES, D, HEADS, D_FF, N, MAX_LEN = 11, 3, 24, 6, 17, 6, 9
KINDS = ("learned", "sinusoidal", "rotary", "alibi", None)
IDS = np.random.default_rng(0).integers(0, VOCABULARY, (2, N))
every_kind = pytest.mark.parametrize("kind", KINDS)
both_pools = pytest.mark.parametrize("pooling", ["mean", "attention"])


def moved(model):
    """What starts at 0 or 1 is moved away from there, so that it is seen to be used."""
    for i, array in enumerate(lab.parameters(model).values()):
        array += 0.2 * normal(*array.shape, seed=i).astype(array.dtype)
    return model


def language_model(kind="learned", **about):
    about = {"num_layers": 2, "max_len": MAX_LEN, "dtype": np.float64, "rng": np.random.default_rng(0)} | about
    return moved(lab.LanguageModel(VOCABULARY, D, HEADS, D_FF, positions=kind, **about))


def classifier(pooling="mean", **about):
    about = {"max_len": MAX_LEN, "dtype": np.float64, "rng": np.random.default_rng(0)} | about
    return moved(lab.TextClassifier(VOCABULARY, CLASSES, D, HEADS, D_FF, pooling=pooling, **about))


# ---- the language model -----------------------------------------------------------------------------------------


@every_kind
def test_a_language_model_is_its_parts(kind):
    model = language_model(kind, num_layers=1)
    x, table = model.embed.table[IDS], model.embed.table
    if kind == "learned":
        x = x + model.learned.table[:N]
    if kind == "sinusoidal":
        x = x * math.sqrt(D) + lab.positional_encoding(N, D)
    about = {"positions": np.arange(N)} if kind == "rotary" else {}
    mask = lab.alibi_bias(HEADS, N) if kind == "alibi" else None
    x, weights = model.encoder.blocks[0](x, mask, is_causal=True, **about)
    last = model.encoder.final_norm
    logits, all_weights = model(IDS)
    assert_allclose(logits, layer_norm(x, last.gain, last.bias) @ table.T, rtol=1e-9, atol=1e-11)
    assert_array_equal(all_weights[0], weights)
    assert len(all_weights) == 1


def test_one_table_reads_and_writes():
    model = language_model()
    names = list(lab.parameters(model))
    assert names[:2] == ["embed.table", "learned.table"]
    assert not [name for name in names if "head" in name]
    assert language_model("rotary").learned is None
    own = VOCABULARY * D + MAX_LEN * D
    rest = sum(array.size for array in lab.parameters(model.encoder).values())
    assert sum(array.size for array in lab.parameters(model).values()) == own + rest


@every_kind
def test_a_changed_future_changes_no_earlier_logits(kind):
    model, other = language_model(kind), IDS.copy()
    other[:, 4:] = (other[:, 4:] + 1) % VOCABULARY
    assert_array_equal(model(other)[0][:, :4], model(IDS)[0][:, :4])
    assert (model(other)[0][:, 4:] != model(IDS)[0][:, 4:]).all()


@pytest.mark.parametrize(("kind", "kv_heads"), [*((kind, 2) for kind in KINDS), ("rotary", 6), ("alibi", 1)])
def test_cached_is_uncached_for_every_way_to_cut_a_prompt(kv_heads, kind):
    model = language_model(kind, num_kv_heads=kv_heads)
    wanted, wanted_weights = model(IDS)
    caches = model.caches()
    assert [cache.max_len for cache in caches] == [MAX_LEN] * 2
    for chunks in compositions(N):
        for cache in caches:
            cache.reset()
        for n in chunks:
            start = caches[0].seen
            logits, weights = model(IDS[:, start : start + n], caches=caches)
            assert_close(logits, wanted[:, start : start + n], 1e-11)
            for ours, theirs in zip(weights, wanted_weights, strict=True):
                assert_close(ours, theirs[..., start : start + n, : start + n], 1e-11)


@pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "alibi", None])
def test_caches_that_slide_are_a_window_in_every_block(kind):
    model, window = language_model(kind), 3
    x = model._place(model.embed(IDS), np.arange(N))
    near = lab.sliding_window_mask(N, window=window)
    mask = np.where(near, lab.alibi_bias(HEADS, N), -np.inf) if kind == "alibi" else near
    wanted = model.encoder(x, mask, positions=np.arange(N) if kind == "rotary" else None)[0] @ model.embed.table.T
    for chunks in compositions(N)[::2]:
        caches = model.caches(window, on_full="slide")
        got = [model(part, caches=caches)[0] for part in np.split(IDS, np.cumsum(chunks)[:-1], axis=1)]
        assert_close(np.concatenate(got, 1), wanted, 1e-11)
        assert {len(cache) for cache in caches} == {window}


@every_kind
@pytest.mark.parametrize("chunks", [[N], [4, 2], [1] * N], ids=str)
def test_padding_on_the_left_gives_what_each_text_gives_alone(chunks, kind):
    model, pads = language_model(kind), np.array([0, 2])
    real = np.arange(N) >= pads[:, None]
    positions = np.maximum(0, np.cumsum(real, -1) - 1)
    for filler in (0, 7):
        ids, caches, got = np.where(real, IDS, filler), model.caches(), []
        for n in chunks:
            now = slice(caches[0].seen, caches[0].seen + n)
            logits, _ = model(ids[:, now], real[:, : now.stop], caches=caches, positions=positions[:, now])
            got.append(logits)
        for b, count in enumerate(pads):
            assert_close(np.concatenate(got, 1)[b, count:], model(IDS[b, count:])[0], 1e-11)


@every_kind
def test_padding_on_the_right_changes_nothing_before_it(kind):
    model = language_model(kind)
    real = np.arange(N) < np.array([[4], [N]])
    assert_close(model(IDS, real)[0][0, :4], model(IDS[0, :4])[0], 1e-11)
    assert_array_equal(model(IDS, real)[0][1], model(IDS)[0][1])


@pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "alibi", None])
def test_a_text_longer_than_max_len_is_read_where_no_position_was_learned(kind):
    ids = np.arange(3 * MAX_LEN) % VOCABULARY
    logits, _ = language_model(kind)(ids)
    assert np.isfinite(logits).all()
    assert logits.shape == (3 * MAX_LEN, VOCABULARY)


@pytest.mark.parametrize("kind", ["rotary", "sinusoidal"])
def test_a_position_far_away_costs_no_table(kind):
    model = language_model(kind)
    assert np.isfinite(model(IDS, positions=np.arange(N) + 10**12)[0]).all()


@every_kind
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_the_dtype_of_a_language_model_is_that_of_its_parameters(dtype, kind):
    model, exact = language_model(kind, dtype=dtype), language_model(kind)
    caches = model.caches()
    got = np.concatenate([model(IDS[:, :2], caches=caches)[0], model(IDS[:, 2:], caches=caches)[0]], 1)
    whole, weights = model(IDS)
    assert got.dtype == whole.dtype == weights[0].dtype == dtype
    tolerance = {np.float16: 0.2, np.float32: 1e-3}[dtype]
    assert_allclose(got, whole, atol=tolerance)
    assert_allclose(whole, exact(IDS)[0], atol=tolerance)


# ---- the classifier ---------------------------------------------------------------------------------------------

LENGTHS = np.array([N, 1, 4])
TEXTS = np.random.default_rng(1).integers(0, VOCABULARY, (3, N))
REAL = np.arange(N) < LENGTHS[:, None]


@both_pools
def test_a_classifier_is_its_parts(pooling):
    model = classifier(pooling)
    x = model.embed.table[TEXTS] + model.positions.table[:N]
    x, weights = model.encoder(x, REAL[:, None, None])
    if pooling == "attention":
        pooled, share = model.pool(x, REAL)
    else:
        pooled, share = lab.masked_mean(x, REAL), REAL / REAL.sum(-1, keepdims=True)
    logits, all_weights, of_words = model(TEXTS, REAL)
    assert_array_equal(logits, model.head(pooled))
    assert_array_equal(of_words, share)
    assert_array_equal(all_weights, weights)
    assert_allclose(of_words.sum(-1), 1, rtol=1e-12)
    assert ("pool.query" in lab.parameters(model)) == (pooling == "attention")


@both_pools
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_stands_in_a_pad_changes_no_bit(dtype, pooling):
    model = classifier(pooling, num_layers=2, dtype=dtype)
    wanted, _, wanted_share = model(np.where(REAL, TEXTS, 0), REAL)
    for seed in range(5):
        filler = np.random.default_rng(seed).integers(0, VOCABULARY, TEXTS.shape)
        logits, _, share = model(np.where(REAL, TEXTS, filler), REAL)
        assert_array_equal(logits, wanted)
        assert_array_equal(share, wanted_share)
    assert (wanted_share[~REAL] == 0).all()


@both_pools
def test_a_padded_text_gives_what_it_gives_alone(pooling):
    model = classifier(pooling, num_layers=2)
    logits, weights, share = model(TEXTS, REAL)
    for b, n in enumerate(LENGTHS):
        alone = model(TEXTS[b, :n])
        assert_close(logits[b], alone[0], 1e-12)
        assert_close(share[b, :n], alone[2], 1e-12)
        assert_close(weights[1][b, :, :n, :n], alone[1][1], 1e-12)


@both_pools
def test_without_a_mask_every_token_counts(pooling):
    model = classifier(pooling)
    for ours, theirs in zip(model(TEXTS), model(TEXTS, np.ones((3, N), int))):
        assert_array_equal(ours, theirs)


@both_pools
def test_a_text_without_a_real_token_gives_the_bias(pooling):
    model = classifier(pooling)
    logits, _, share = model(TEXTS, REAL & [[True], [False], [True]])
    assert_array_equal(logits[1], model.head.bias)
    assert (share[1] == 0).all()


def test_pooling_the_first_reads_its_row_alone():
    model = classifier("first", num_layers=2)
    logits, _, share = model(TEXTS, REAL)
    x, _ = model.encoder(model.positions(model.embed(TEXTS)), REAL[:, None, None, :])
    assert_allclose(logits, model.head(x[:, 0]), rtol=1e-5, atol=1e-6)
    assert share[:, 0].tolist() == [1.0] * len(TEXTS) and not share[:, 1:].any()


def test_at_the_start_attention_pooling_is_the_mean():
    models = [
        lab.TextClassifier(
            VOCABULARY, CLASSES, D, HEADS, D_FF, max_len=MAX_LEN, pooling=pooling, rng=np.random.default_rng(0)
        )
        for pooling in ("mean", "attention")
    ]
    ours, theirs = (model(TEXTS, REAL) for model in models)
    assert_allclose(ours[0], theirs[0], atol=1e-6)
    assert_allclose(ours[2], theirs[2], atol=1e-7)


@both_pools
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_the_dtype_of_a_classifier_is_that_of_its_parameters(dtype, pooling):
    logits, weights, _ = classifier(pooling, dtype=dtype)(TEXTS, REAL)
    assert logits.dtype == weights[0].dtype == dtype


# ---- dropout, drawing, training ---------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [language_model, classifier])
def test_dropout_is_live_with_a_generator_alone(make):
    model = make(dropout=0.4)
    assert_array_equal(model(IDS)[0], make()(IDS)[0])
    first, again, other = (model(IDS, rng=np.random.default_rng(seed))[0] for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert (first != other).any() and (first != model(IDS)[0]).any()


@pytest.mark.parametrize("make", [language_model, classifier])
def test_dropout_meets_the_words(make):
    model = make(dropout=0.4)
    for name, array in lab.parameters(model).items():
        if name.endswith(("W_o", "down.weight", "down.bias")):
            array[...] = 0  # no block adds anything: what changes was dropped before them
    rows = model(np.full((50, 1), 3), rng=np.random.default_rng(0))[0]
    assert len(np.unique(rows.round(9), axis=0)) > 40


@pytest.mark.parametrize("make", [language_model, classifier])
def test_a_seed_settles_all_parameters(make):
    first, again, other = (make(rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    for name, array in lab.parameters(first).items():
        assert_array_equal(array, lab.parameters(again)[name])
    assert (first.embed.table != other.embed.table).all()


@every_kind
def test_gradients_of_a_language_model_whose_table_is_used_twice(kind):
    real = np.arange(3) >= np.array([[0], [1]])
    model = language_model(kind, num_layers=1, num_kv_heads=2)
    assert_trains(model, lambda model, ids: model(ids, real)[0], IDS[:, :3], entries=4)


@both_pools
def test_gradients_of_a_classifier(pooling):
    assert_trains(classifier(pooling), lambda model, ids: model(ids, REAL)[0], TEXTS, entries=4)


def test_a_cache_is_no_thing_to_train_through():
    def loss(model, ids):
        return lab.cross_entropy(model(ids, caches=model.caches())[0], ids)

    with pytest.raises(TypeError, match="a cache keeps plain arrays: it serves generation, not training"):
        lab.value_and_grad(loss)(language_model(), IDS)
