"""Blocks and stacks: the equations step by step, growth with depth, what may read what."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import attention_lab as lab
from attention_lab.functional import layer_norm

NORMS = ("pre", "post", None)
D, HEADS, D_FF, N, N_K, D_MEMORY = 10, 2, 17, 7, 11, 13


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


X, MEMORY = normal(2, N, D), normal(2, N_K, D_MEMORY, seed=1)


def with_random_parameters(model, seed=5):
    """The model, its norms and biases moved away from where they start."""
    rng = np.random.default_rng(seed)
    for array in lab.parameters(model).values():
        array += 0.3 * rng.standard_normal(array.shape)
    return model


def encoder_block(norm="pre", **about):
    return with_random_parameters(
        lab.EncoderBlock(D, HEADS, D_FF, norm=norm, rng=np.random.default_rng(0), dtype=np.float64, **about)
    )


def decoder_block(norm="pre", **about):
    about = {"d_memory": D_MEMORY, "rng": np.random.default_rng(0), "dtype": np.float64} | about
    return with_random_parameters(lab.DecoderBlock(D, HEADS, D_FF, norm=norm, **about))


def rms(x):
    return float(np.sqrt((x**2).mean()))


# ---- the equations ----------------------------------------------------------------------------------------------


def normed(x, norm):
    return layer_norm(x, norm.gain, norm.bias)


def test_pre_norm_encoder_block():
    block = encoder_block("pre")
    a, weights = block.attention(normed(X, block.norm_1))
    x = X + a
    x = x + block.feed_forward(normed(x, block.norm_2))
    got = block(X)
    assert_allclose(got[0], x, rtol=1e-12)
    assert_array_equal(got[1], weights)


def test_post_norm_encoder_block():
    block = encoder_block("post")
    a, weights = block.attention(X)
    x = normed(X + a, block.norm_1)
    x = normed(x + block.feed_forward(x), block.norm_2)
    got = block(X)
    assert_allclose(got[0], x, rtol=1e-12)
    assert_array_equal(got[1], weights)


def test_head_size_of_an_encoder_block_is_free_of_d_model():
    block = encoder_block("pre", d_head=11)
    assert block.attention.W_q.shape == (D, HEADS * 11)
    assert block(X)[0].shape == X.shape


def test_block_without_norm_is_that_of_the_source_lab():
    block = lab.EncoderBlock(d_model=64, num_heads=4, d_ff=256, norm=None)
    x = normal(2, 10, 64)
    a, weights = block.attention(x)
    wanted = x + a
    wanted = wanted + block.feed_forward(wanted)
    got = block(x)
    assert_allclose(got[0], wanted, rtol=1e-12)
    assert got[0].shape == (2, 10, 64)
    assert_array_equal(got[1], weights)
    assert block.norm_1 is block.norm_2 is None


@pytest.mark.parametrize("norm", NORMS)
def test_decoder_block(norm):
    block = decoder_block(norm)
    mask, memory_mask = np.random.default_rng(2).random((N, N)) < 0.8, lab.padding_mask([5, N_K])

    def add(x, sublayer, place):
        if norm == "pre":
            return x + sublayer(normed(x, place))
        return x + sublayer(x) if norm is None else normed(x + sublayer(x), place)

    x = add(X, lambda x: block.self_attention(x, mask=mask, is_causal=True)[0], block.norm_1)
    x = add(x, lambda x: block.cross_attention(x, MEMORY, mask=memory_mask)[0], block.norm_2)
    x = add(x, block.feed_forward, block.norm_3)
    got, weights, memory_weights = block(X, MEMORY, mask, memory_mask)
    assert_allclose(got, x, rtol=1e-12, atol=1e-13)
    assert weights.shape == (2, HEADS, N, N)
    assert_array_equal(np.triu(weights, 1), 0)
    assert memory_weights.shape == (2, HEADS, N, N_K)
    assert (memory_weights[0, ..., 5:] == 0).all()
    assert block(X, MEMORY, is_causal=False)[1].all()


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh", "swiglu"])
def test_blocks_hand_their_activation_to_the_feed_forward_net(activation):
    for block in (encoder_block(activation=activation), decoder_block(activation=activation)):
        assert block.feed_forward.activation == activation


# ---- a zero sublayer --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["pre", None])
def test_with_zero_sublayers_a_block_is_the_identity(norm):
    encoder, decoder = encoder_block(norm), decoder_block(norm)
    for block in (encoder, decoder):
        for name, array in lab.parameters(block).items():
            if name.endswith("W_o") or ".down." in name:
                array[...] = 0
    assert_array_equal(encoder(X)[0], X)
    assert_array_equal(decoder(X, MEMORY)[0], X)


# ---- depth ------------------------------------------------------------------------------------------------------


def sizes_of_the_stream(norm, seed, depth=16):
    rng = np.random.default_rng(seed)
    x, sizes = rng.standard_normal((2, 16, 64)), []
    for block in lab.Encoder(depth, 64, 4, 256, norm=norm, rng=rng).blocks:
        x, _ = block(x)
        sizes.append(rms(x))
    return sizes


@pytest.mark.parametrize("seed", range(3))
def test_without_norm_the_stream_grows_faster_with_every_block(seed):
    sizes = sizes_of_the_stream(None, seed)
    growth = np.array(sizes[1:]) / sizes[:-1]
    assert (growth > 1.4).all()  # a factor for every block: exponential
    assert sizes[15] > 10_000


@pytest.mark.parametrize("seed", range(3))
def test_pre_norm_streams_grow_about_as_the_root_of_depth(seed):
    sizes = sizes_of_the_stream("pre", seed)
    assert sizes[15] / sizes[3] == pytest.approx(2, rel=0.2)  # four times as deep
    assert sizes[15] < 7


@pytest.mark.parametrize("seed", range(3))
def test_post_norm_streams_keep_their_size(seed):
    assert_allclose(sizes_of_the_stream("post", seed), 1, rtol=1e-3)


# ---- stacks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
def test_encoder_is_its_blocks_and_a_last_norm_where_they_are_pre_norm(norm):
    encoder = with_random_parameters(
        lab.Encoder(3, D, HEADS, D_FF, norm=norm, rng=np.random.default_rng(0), dtype=np.float64)
    )
    x, all_weights = X, []
    for block in encoder.blocks:
        x, weights = block(x, is_causal=True)
        all_weights.append(weights)
    x = normed(x, encoder.final_norm) if norm == "pre" else x
    got, got_weights = encoder(X, is_causal=True)
    assert_array_equal(got, x)
    assert_array_equal(got_weights, all_weights)
    assert (encoder.final_norm is None) == (norm != "pre")


@pytest.mark.parametrize("norm", NORMS)
def test_decoder_is_its_blocks_and_a_last_norm_where_they_are_pre_norm(norm):
    about = {"norm": norm, "d_memory": D_MEMORY, "rng": np.random.default_rng(0), "dtype": np.float64}
    decoder = with_random_parameters(lab.Decoder(3, D, HEADS, D_FF, **about))
    memory_mask = lab.padding_mask([5, N_K])
    x, own, read = X, [], []
    for block in decoder.blocks:
        x, weights, memory_weights = block(x, MEMORY, memory_mask=memory_mask)
        own.append(weights)
        read.append(memory_weights)
    x = normed(x, decoder.final_norm) if norm == "pre" else x
    got, got_own, got_read = decoder(X, MEMORY, memory_mask=memory_mask)
    assert_array_equal(got, x)
    assert_array_equal(got_own, own)
    assert_array_equal(got_read, read)


def test_every_block_of_a_stack_is_drawn_anew():
    for stack in (lab.Encoder(3, D, HEADS, D_FF), lab.Decoder(3, D, HEADS, D_FF)):
        first, second, _ = (lab.parameters(block) for block in stack.blocks)
        assert all((first[name] != second[name]).any() for name in first if first[name].ndim > 1)


# ---- what may read what -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
def test_a_changed_future_changes_nothing_before_it(norm):
    other = X.copy()
    other[:, 4:] += 2
    encoder = lab.Encoder(2, D, HEADS, D_FF, norm=norm, rng=np.random.default_rng(0))
    assert_array_equal(encoder(other, is_causal=True)[0][:, :4], encoder(X, is_causal=True)[0][:, :4])
    assert (encoder(other)[0] != encoder(X)[0]).any(-1).all()
    decoder = lab.Decoder(2, D, HEADS, D_FF, norm=norm, d_memory=D_MEMORY, rng=np.random.default_rng(0))
    assert_array_equal(decoder(other, MEMORY)[0][:, :4], decoder(X, MEMORY)[0][:, :4])


@pytest.mark.parametrize("norm", NORMS)
def test_a_changed_padded_token_of_the_memory_changes_nothing(norm):
    decoder = lab.Decoder(2, D, HEADS, D_FF, norm=norm, d_memory=D_MEMORY, rng=np.random.default_rng(0))
    mask = lab.padding_mask([5, N_K])
    other = MEMORY.copy()
    other[0, 5:] = 1e6
    ours, theirs = decoder(X, other, memory_mask=mask), decoder(X, MEMORY, memory_mask=mask)
    assert_array_equal(ours[0], theirs[0])
    assert (decoder(X, MEMORY + 1)[0] != theirs[0]).any(-1).all()


def test_a_changed_padded_token_changes_no_other_token():
    encoder = lab.Encoder(2, D, HEADS, D_FF, rng=np.random.default_rng(0))
    mask = lab.padding_mask([4, N])
    other = X.copy()
    other[0, 4:] = 100
    assert_array_equal(encoder(other, mask)[0][0, :4], encoder(X, mask)[0][0, :4])


def test_encoder_blocks_do_not_care_for_order_unless_they_are_given_positions():
    order = np.random.default_rng(3).permutation(N)
    rotary = lab.Encoder(2, 12, 3, D_FF, rng=np.random.default_rng(0))
    x = normal(2, N, 12)
    assert_allclose(rotary(x[:, order])[0], rotary(x)[0][:, order], rtol=1e-10, atol=1e-12)
    positions = np.arange(N)
    turned = rotary(x, positions=positions)[0]
    assert np.abs(rotary(x[:, order], positions=positions)[0] - turned[:, order]).max() > 0.01
    assert_allclose(rotary(x, positions=positions + 5000)[0], turned, rtol=1e-8, atol=1e-9)


def test_positions_turn_the_decoders_self_attention_alone():
    decoder = lab.Decoder(2, 12, 3, D_FF, rng=np.random.default_rng(0))
    x, memory, positions = normal(2, N, 12), normal(2, 5, 12, seed=1), np.arange(N)
    block = decoder.blocks[0]
    got, weights, _ = block(x, memory, positions=positions)
    own = block.norm_1(x)
    assert_array_equal(weights, block.self_attention(own, is_causal=True, positions=positions)[1])
    assert np.abs(got - block(x, memory)[0]).max() > 0.01
    assert np.abs(decoder(x, memory, positions=positions)[0] - decoder(x, memory)[0]).max() > 0.01


# ---- dropout ----------------------------------------------------------------------------------------------------


def models_with_dropout():
    about = {"dropout": 0.4, "rng": np.random.default_rng(0)}
    decoder, memory = lab.Decoder(2, D, HEADS, D_FF, **about), MEMORY[..., :D]
    return lab.Encoder(2, D, HEADS, D_FF, **about), lambda x, **k: decoder(x, memory, **k)


def test_dropout_is_live_with_a_generator_alone():
    for model in models_with_dropout():
        assert_array_equal(model(X)[0], model(X)[0])
        first, again, other = (model(X, rng=np.random.default_rng(seed))[0] for seed in (1, 1, 2))
        assert_array_equal(first, again)
        assert (first != other).any()
        assert (first != model(X)[0]).any()


def test_dropout_meets_the_weights_and_what_each_sublayer_adds():
    block = lab.EncoderBlock(D, HEADS, D_FF, norm=None, dropout=0.4, rng=np.random.default_rng(0))
    shape = (200, N, D)
    x = normal(*shape)
    for name, array in lab.parameters(block).items():
        if name.endswith(("W_q", "W_k", "W_v")):
            array[...] = 0  # attention adds nothing, the feed-forward net alone does
        assert array.dtype == np.float32, name
    out, weights = block(x, rng=np.random.default_rng(0))
    assert (weights == 0).mean() == pytest.approx(0.4, abs=0.02)
    assert (out == x).mean() == pytest.approx(0.4, abs=0.02)
    block.feed_forward.down.weight[...] = 0
    for name in ("W_q", "W_k", "W_v", "W_o"):
        getattr(block.attention, name)[...] = 1
    assert (block(x, rng=np.random.default_rng(0))[0] == x).mean() == pytest.approx(0.4, abs=0.02)


def test_dropout_in_every_sublayer_of_the_decoder_block():
    for kept in ("self_attention.W_o", "cross_attention.W_o", "feed_forward.down.weight"):
        block = lab.DecoderBlock(D, HEADS, D_FF, norm=None, dropout=0.4, rng=np.random.default_rng(0))
        for name, array in lab.parameters(block).items():
            if name.endswith("W_o") or ".down." in name:
                array[...] = name == kept
        x = normal(200, N, D)
        out, weights, memory_weights = block(x, normal(200, 5, D, seed=1), rng=np.random.default_rng(0))
        assert (out == x).mean() == pytest.approx(0.4, abs=0.03), kept
        assert (np.tril(weights)[..., -1, :] == 0).mean() == pytest.approx(0.4, abs=0.05)
        assert (memory_weights == 0).mean() == pytest.approx(0.4, abs=0.05)


@pytest.mark.parametrize("norm", NORMS)
def test_the_steps_of_an_encoder_are_what_its_blocks_make_of_the_stream(norm):
    encoder = lab.Encoder(3, D, 5, D_FF, norm=norm, rng=np.random.default_rng(0))
    about = {"is_causal": True, "positions": np.arange(N)}
    steps = list(encoder.steps(X, **about))
    out, weights = encoder(X, **about)
    x = X
    for block, (streamed, seen), whole in zip(encoder.blocks, steps, weights, strict=True):
        x, own = block(x, **about)
        assert_array_equal(streamed, x)
        assert_array_equal(seen, own)
        assert_array_equal(whole, own)
    assert_array_equal(out, encoder.final_norm(x) if norm == "pre" else x)
