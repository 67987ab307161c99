"""explore_attention: the course's own demo shows what the mathematics says."""

import re

import numpy as np
import pytest

from attention_lab import causal_mask, explore_attention, scaled_dot_product_attention
from attention_lab.data import words
from attention_lab.position_bias import alibi_slopes
from attention_lab.positions import positional_encoding, rotary_embedding
from attention_lab.teaching.explorer import Explorer
from tests.sweep import idle_controls, sweep


@pytest.fixture(autouse=True)
def _strict(monkeypatch):
    monkeypatch.setattr(Explorer, "strict", True)


def test_weights_are_those_of_the_package():
    demo = explore_attention("the cat sat on the mat", mask="causal", norms="as they are")
    x = words.embed(words.tokenize("the cat sat on the mat"))[0]
    _, weights = scaled_dot_product_attention(x, x, x, is_causal=True)
    np.testing.assert_allclose(demo.view.weights[0], weights, atol=1e-6)


def test_equal_lengths_make_every_word_its_own_top_key():
    demo = explore_attention("seven kings saw the old river bank")
    assert (demo.view.weights[0].argmax(-1) == np.arange(7)).all()


@pytest.mark.parametrize(("n_q", "n_k"), [(3, 7), (7, 3), (5, "same"), (1, 64), (64, 1)])
def test_queries_are_the_last_positions(n_q, n_k):
    demo = explore_attention(length=n_q, key_length=n_k, mask="causal")
    n_k = n_q if n_k == "same" else n_k
    assert demo.view.weights.shape == (1, n_q, n_k)
    assert (demo.view.mask == causal_mask(n_q, n_k)).all()
    shared = min(n_q, n_k)
    assert demo.view.query_tokens[-shared:] == demo.view.key_tokens[-shared:]


def test_a_new_sentence_sets_the_length():
    demo = explore_attention()
    demo.controls["sentence"].value = "one two three"
    assert demo.state.length == 3 and demo.renders == 2
    demo.set(length=7)
    assert demo.view.key_tokens == ["0:one", "1:two", "2:three", "3:one", "4:two", "5:three", "6:one"]


def test_padding_is_zero_vectors_hidden_or_not():
    demo = explore_attention("the cat sat on", padding=2)
    assert demo.view.key_tokens == ["the", "cat", "2:[pad]", "3:[pad]"]
    assert (demo.view.weights[..., 2:] == 0).all() and demo.view.padded.tolist() == [False, False, True, True]
    demo.set(hide_padding=False)
    assert (demo.view.weights[..., 2:] > 0).all() and not demo.view.padded.any()


def test_a_row_without_keys_is_said_to_be_so():
    demo = explore_attention("the cat sat on", key_length=2, mask="causal", query=0)
    assert "'the' sees no key" in demo.view.alt
    assert "∅" in demo.picture


def test_heads_slice_the_features_and_fold_together():
    demo = explore_attention(heads=4)
    assert demo.view.weights.shape == (4, 10, 10)
    heads = demo.view.weights
    demo.set(head="mean")
    np.testing.assert_allclose(demo.view.weights[0], heads.mean(0))
    demo.set(head="3")
    np.testing.assert_allclose(demo.view.weights[0], heads[3])
    demo.set(heads=2)
    assert demo.state.head == "all"


def test_starts_may_depend_on_each_other():
    demo = explore_attention(head="3", heads=4)
    assert demo.view.titles == ["head 3"]
    demo.set(heads=1)
    demo.reset()
    assert demo.view.titles == ["head 3"]


def test_only_weights_that_sum_to_one_spread_over_effective_keys():
    demo = explore_attention(heads=4, head="mean")
    assert "effective keys" in demo.picture
    demo.set(head="max")
    assert demo.view.weights[0, demo.state.query].sum() > 1.01 and "effective keys" not in demo.picture


def test_padding_is_shown_as_hidden_only_where_a_mask_acts():
    demo = explore_attention("the cat sat on", padding=2)
    assert "padding, masked" in demo.picture
    demo.set(stage="scores")
    assert "padding, masked" not in demo.picture and demo.view.mask.all()


def test_stages_lead_from_scores_to_weights():
    demo = explore_attention(stage="scores", temperature=2.0)
    scores = demo.view.weights[0]
    demo.set(stage="scaled")
    np.testing.assert_allclose(demo.view.weights[0], scores / 8 / 2, rtol=1e-5)
    assert demo.view.kind == "scores"


def test_a_memory_without_words_is_called_memory():
    demo = explore_attention("the cat sat")
    demo.strict = False
    demo.set(memory="...")
    assert str(demo.errors[-1]).startswith("memory holds no word (got '...')")


def vectors_of(sentence):
    return words.embed(words.tokenize(sentence))[0]


def test_keys_and_values_may_come_from_other_words():
    demo = explore_attention("seven kings", memory="the old river bank", norms="as they are", query=1)
    q, k = vectors_of("seven kings"), vectors_of("the old river bank")
    np.testing.assert_allclose(demo.view.weights[0], scaled_dot_product_attention(q, k, k)[1], atol=1e-6)
    assert demo.view.query_tokens == ["seven", "kings"] and demo.view.key_tokens == ["the", "old", "river", "bank"]
    demo.set(key_length=2, padding=1)
    assert demo.view.key_tokens == ["the", "[pad]"] and demo.view.query_tokens == ["seven", "kings"]
    demo.set(memory="  ", key_length="same", padding=0)
    assert demo.view.key_tokens == demo.view.query_tokens


def test_sinusoids_are_added_to_the_vectors():
    demo = explore_attention("the cat sat the", norms="as they are", positions="sinusoidal", length=3, key_length=4)
    x = vectors_of("the cat sat the") + positional_encoding(4, 64)
    np.testing.assert_allclose(demo.view.weights[0], scaled_dot_product_attention(x[1:], x, x)[1], atol=1e-6)


def test_rotary_turns_queries_and_keys_of_each_head():
    demo = explore_attention(
        "the cat sat the", norms="as they are", positions="rotary", heads=2, length=3, key_length=4
    )
    x = rotary_embedding(vectors_of("the cat sat the").reshape(4, 2, 32).swapaxes(0, 1))
    np.testing.assert_allclose(demo.view.weights, scaled_dot_product_attention(x[:, 1:], x, x)[1], atol=1e-5)
    demo.set(length=4, key_length=2)
    np.testing.assert_allclose(demo.view.weights, scaled_dot_product_attention(x, x[:, 2:], x[:, 2:])[1], atol=1e-5)


def test_alibi_takes_a_slope_a_head_off_the_masked_scores():
    demo = explore_attention("the cat sat", heads=2, stage="scaled")
    scaled = demo.view.weights
    demo.set(positions="ALiBi", stage="masked", mask="causal")
    lost = scaled - demo.view.weights
    np.testing.assert_allclose(lost[:, 2, 0], 2 * alibi_slopes(2), atol=1e-5)
    np.testing.assert_allclose(lost[:, 1, 1], 0, atol=1e-5)
    assert (demo.view.mask == causal_mask(3)).all() and demo.view.kind == "scores"
    masked = np.where(demo.view.mask, demo.view.weights, -np.inf)
    demo.set(stage="weights")
    share = np.exp(masked - masked.max(-1, keepdims=True))
    np.testing.assert_allclose(demo.view.weights, share / share.sum(-1, keepdims=True), atol=1e-5)


def test_without_positions_a_repeated_word_is_the_same_key_and_with_them_it_is_not():
    demo = explore_attention("the cat sat on the mat", query=1)
    for positions in ("none", "sinusoidal", "rotary", "ALiBi"):
        demo.set(positions=positions)
        first, second = demo.view.weights[0, 1, [0, 4]]
        assert np.isclose(first, second) == (positions == "none"), positions


@pytest.mark.parametrize("positions", ["none", "rotary"])
@pytest.mark.parametrize("d_model", [16, 32, 48, 64])
def test_only_heads_that_share_out_d_model_are_offered(d_model, positions):
    demo = explore_attention("the cat sat", d_model=d_model, positions=positions)
    offered, even = demo.controls["heads"].options, 2 if positions == "rotary" else 1
    assert offered == tuple(h for h in (1, 2, 3, 4, 6, 8, 12, 16) if d_model % h == 0 and d_model // h % even == 0)
    for heads in offered:
        demo.set(heads=heads)
        assert len(demo.view.weights) == heads


def test_a_number_of_heads_that_no_longer_fits_gives_way_to_the_next_smaller():
    demo = explore_attention(d_model=48, heads=12, head="11")
    demo.set(d_model=32)
    assert demo.state.heads == 8 and demo.state.head == "all" and len(demo.view.weights) == 8


def test_d_model_takes_the_first_features():
    demo = explore_attention("the cat sat", d_model=16, norms="as they are")
    x = vectors_of("the cat sat")[:, :16]
    np.testing.assert_allclose(demo.view.weights[0], scaled_dot_product_attention(x, x, x)[1], atol=1e-6)


def test_an_unknown_word_gets_a_visible_notice():
    demo = explore_attention("the zzyzx sat")
    assert "zzyzx" in demo.view.note and "made-up vector" in demo.picture


@pytest.mark.parametrize("sentence", ["", "   ", "?!"])
def test_a_sentence_without_words_is_an_error_and_the_demo_goes_on(sentence, monkeypatch):
    monkeypatch.setattr(Explorer, "strict", False)
    demo = explore_attention()
    demo.controls["sentence"].value = sentence
    assert len(demo.errors) == 1 and "sentence" in demo.message
    assert demo.state.length == 10
    demo.reset()
    assert demo.message == ""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"length": 65}, "length must lie between 1 and 64"),
        ({"length": 0}, "length must lie between 1 and 64"),
        ({"query": 10}, "query must lie between 0 and 9"),
        ({"mask": "future"}, "mask cannot be 'future': choose one of 'none', 'causal', 'window', 'prefix'"),
        ({"heads": 3}, "heads cannot be 3: choose one of 1, 2, 4, 8, 16"),
        ({"key_length": None}, "key_length cannot be None: choose one of 'same', 1, 2, ..., 64"),
        ({"head": 0}, "head cannot be 0: choose one of 'all'"),
        ({"size_of_mask": 3}, "no control named size_of_mask"),
        ({"show": ("width",)}, "show names no control: width"),
    ],
)
def test_bad_starts_are_named(values, message):
    with pytest.raises(ValueError, match=message):
        explore_attention(**values)


def test_a_sentence_that_is_no_text_is_refused():
    with pytest.raises(TypeError, match="sentence must be a text"):
        explore_attention(["the", "cat"])


@pytest.mark.slow
def test_every_control_moves_the_picture_and_nothing_breaks():
    demo = explore_attention()
    sweep(demo)
    demo.reset()
    assert idle_controls(demo) == set()


def test_hostile_tokens_stay_text():
    demo = explore_attention("a<b>c</b> <script>alert(1)</script> $x_1$ 猫 the cat")
    assert not re.search(r"<b>c|<script", demo.picture)


def test_big_maps_stay_small_messages():
    demo = explore_attention(length=64, heads=8)
    assert len(demo.picture) < 130_000
