"""The bank is the checker's own test: every fault fails with its own diagnosis, every reference is right."""

import math
from copy import deepcopy

import numpy as np
import pytest

import attention_lab
from attention_lab import functional, losses, metrics, multi_head, optimisers
from attention_lab.data.bikes import day_windows
from attention_lab.metrics.forecast import mean_absolute_error
from attention_lab.tasks import question_answering
from attention_lab.teaching.exercises import EXERCISES, runner
from attention_lab.teaching.exercises.checker import assess, find_fault
from attention_lab.teaching.exercises.order import assemble

pytestmark = pytest.mark.slow  # the whole bank: `make test` runs it

ALL = EXERCISES.values()
FAULTS = [(exercise, fault) for exercise in ALL for fault in exercise.faults]
by_name = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.name)


def copies(case):
    return tuple(deepcopy(arg) if isinstance(arg, (np.ndarray, list, np.random.Generator)) else arg for arg in case)


def diagnosis_of(exercise, fault):
    """What a learner who writes this fault is told, and on which case."""
    outcomes = runner.run_all(fault, [copies(case) for case in exercise.cases], exercise.limit)
    for first in range(len(outcomes)):
        if find_fault(exercise, outcomes, first) is fault:
            text = fault.diagnosis
            return text(outcomes[first].value, exercise.cases[first]) if callable(text) else text
    raise AssertionError(f"{fault.__name__} is not recognised on any case")


@by_name
def test_the_reference_is_correct_by_its_own_checker(exercise):
    said = assess(exercise, exercise.reference)
    assert said.passed, said
    assert said.message == f"Correct: {exercise.learned}"


@pytest.mark.parametrize(("exercise", "fault"), FAULTS, ids=[fault.__name__ for _, fault in FAULTS])
def test_every_fault_fails_with_its_own_diagnosis(exercise, fault):
    said = assess(exercise, fault)
    assert said.status in ("wrong", "error")
    assert said.message.endswith(diagnosis_of(exercise, fault))
    assert "Traceback" not in said.message


@by_name
def test_diagnoses_say_cause_and_next_step_and_differ(exercise):
    texts = [diagnosis_of(exercise, fault) for fault in exercise.faults]
    assert len(set(texts)) == len(texts), "two faults have the same diagnosis"
    for text in texts:
        assert len(text.split()) >= 8, f"say it in at least 8 words: {text}"
        sentences = [part for part in text.replace("`", "").split(". ") if part]
        assert len(sentences) >= 2 or ":" in text, f"say the cause and the next step, two sentences or a colon: {text}"


def test_attention_cases_tell_all_five_sizes_apart():
    for query, key, value in EXERCISES["attention"].cases:
        sizes = (*query.shape[:-2], query.shape[-2], key.shape[-2], query.shape[-1], value.shape[-1])
        assert len(set(sizes)) == len(sizes)


STACKED = ("similarity", "softmax", "log_softmax", "attention", "masked_softmax", "entropy")
STACKED += ("multi_head_attention", "split_heads", "repeat_heads", "rotary")
STACKED += ("layer_norm", "feed_forward", "pre_norm", "encoder_block")
STACKED += ("softmax_backward", "attention_backward", "layer_norm_backward", "cross_entropy", "adam_step", "dropout")
STACKED += ("masked_mean", "top_p")


@pytest.mark.parametrize("name", STACKED)
def test_array_exercises_have_stacks_and_float32(name):
    cases = EXERCISES[name].cases
    assert any(case[0].ndim > 2 for case in cases)
    assert any(case[0].dtype == np.float32 for case in cases)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "masked_softmax"])
def test_scores_reach_ten_thousand(name):
    assert max(np.abs(case[0]).max() for case in EXERCISES[name].cases) >= 1e4


def by_multi_head(x, W_q, W_k, W_v, W_o, num_heads):
    d_head = W_q.shape[1] // num_heads
    attend = attention_lab.MultiHeadAttention(x.shape[-1], num_heads, d_head=d_head, rng=np.random.default_rng(0))
    attend.W_q, attend.W_k, attend.W_v, attend.W_o = W_q, W_k, W_v, W_o
    return attend(x)


def by_grouped_heads(key, num_heads):
    """What grouped attention reads where every query sees its own position alone."""
    query, alone = np.zeros((*key.shape[:-3], num_heads, *key.shape[-2:])), np.eye(key.shape[-2], dtype=bool)
    return attention_lab.scaled_dot_product_attention(query, key, key, alone, enable_gqa=True)[0]


def by_one_slope(slopes, n):
    return attention_lab.alibi_bias(1, n) / attention_lab.alibi_slopes(1) * slopes[:, None, None]


def by_feed_forward(x, W_1, b_1, W_2, b_2):
    net = attention_lab.FeedForward(*W_1.shape, rng=np.random.default_rng(0))
    net.up.weight, net.up.bias, net.down.weight, net.down.bias = W_1, b_1, W_2, b_2
    return net(x)


def by_block(x, attend, forward, norm_1, norm_2, place):
    """The package's block with these parts in place of its own."""
    block = attention_lab.EncoderBlock(x.shape[-1], 1, 1, norm=place, rng=np.random.default_rng(0))
    block.attention = lambda x, **about: (attend(x), None)
    block.feed_forward, block.norm_1, block.norm_2 = forward, norm_1, norm_2
    return block(x)[0]


def by_tape(forward, seed, *inputs):
    """The gradients that the tape gives for these inputs."""
    tensors = [attention_lab.Tensor(array) for array in inputs]
    forward(*tensors).backward(seed)
    grads = tuple(tensor.grad for tensor in tensors)
    return grads if len(grads) > 1 else grads[0]


def softmax_back(grad, weights):
    with np.errstate(divide="ignore"):
        return by_tape(attention_lab.softmax, grad, np.log(weights))


def attention_back(grad, query, key, value, weights):
    attend = attention_lab.scaled_dot_product_attention
    return by_tape(lambda q, k, v: attend(q, k, v, weights > 0)[0], grad, query, key, value)


def layer_norm_back(grad, normed, root, gain):
    return by_tape(lambda x: functional.layer_norm(x, gain, np.zeros_like(gain)), grad, normed * root)


def by_memory(question, keys, values, real):
    read, weights = attention_lab.scaled_dot_product_attention(question[:, None], keys, values, real[:, None], scale=1)
    return question + read[:, 0], weights[:, 0]


def by_pools(x, mask, word_query, sentence_query):
    words, sentences = (attention_lab.AttentionPooling(x.shape[-1], dtype=np.float64) for _ in range(2))
    words.query[:], sentences.query[:] = (math.sqrt(x.shape[-1]) * query for query in (word_query, sentence_query))
    vectors, of_words = words(x, mask)
    document, of_sentences = sentences(vectors, mask.any(-1))
    return document, of_words, of_sentences


def by_schedule(step, peak, warmup, total):
    return optimisers.warmup_cosine(step, peak=peak, warmup=warmup, total=total)


def by_decoder(source_mask, target_mask):
    """Which weights of a decoder are above 0, with the masks that it makes itself."""
    (batch, n_s), n_t = source_mask.shape, target_mask.shape[-1]
    model = attention_lab.Seq2Seq(2, 2, 2, 1, 2, max_len=max(n_s, n_t), rng=np.random.default_rng(0))
    memory, _ = model.encode(np.zeros((batch, n_s), int), source_mask)
    _, weights, read = model.decode(np.zeros((batch, n_t), int), memory, source_mask, target_mask)
    return weights[0] > 0, read[0][:, :, :1] > 0


def by_linear_attention(phi_q, phi_k, value):
    before = (np.where(x > 1, x - 1, np.log(np.minimum(x, 1))) for x in (phi_q, phi_k))  # elu + 1, undone
    every = np.eye(len(value))
    weights = attention_lab.linear_attention(*before, every, is_causal=True)
    return weights @ value, phi_k.T @ value, phi_k.sum(0)


def by_head_summary(weights):
    """The mean over all rows, of which the first has no token before it: the largest stays the largest."""
    previous = np.stack([attention_lab.head_summary(layer)["previous"] for layer in weights])
    return np.unravel_index(previous.argmax(), previous.shape)


def by_package(name, args):
    """The package's own function for an exercise."""
    lab = attention_lab
    if name == "similarity_summary":
        found = lab.query_key_similarity(*args)
        return found["mean"], found["max"], found["min"]
    if name == "masked_softmax":
        return lab.softmax(np.where(args[1], args[0], -np.inf))
    if name == "feed_forward":
        return by_feed_forward(*args)
    if name == "pre_norm":
        x, norm, sublayer = args
        return by_block(x, sublayer, lambda x: 0 * x, norm, norm, "pre")
    if name == "sliding_window_mask":
        return lab.sliding_window_mask(*args[:2], window=args[2])
    if name == "relative_bucket":
        distance, num_buckets, max_distance = args
        about = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": False}
        return lab.relative_position_bucket(-distance, **about)
    named = {
        "attention": lab.scaled_dot_product_attention,
        "entropy": lab.attention_entropy,
        "multi_head_attention": by_multi_head,
        "split_heads": multi_head.split_heads,
        "repeat_heads": by_grouped_heads,
        "rotary": lab.rotary_embedding,
        "alibi_bias": by_one_slope,
        "layer_norm": functional.layer_norm,
        "encoder_block": by_block,
        "softmax_backward": softmax_back,
        "attention_backward": attention_back,
        "layer_norm_backward": layer_norm_back,
        "numeric_gradient": lambda f, x: by_tape(f, None, x),
        "warmup_cosine": by_schedule,
        "cross_entropy": losses.cross_entropy,
        "matthews": metrics.matthews_correlation,
        "perplexity": metrics.perplexity,
        "day_windows": day_windows,
        "mae_by_horizon": lambda forecast, truth: mean_absolute_error(forecast, truth, axis=0),
        "decoder_masks": by_decoder,
        "best_span": lambda start, end, longest: question_answering.best_span(start, end, longest=longest)[:2],
        "read_memory": by_memory,
        "word_f1": lambda predicted, right: metrics.answer_f1(predicted, [right]),
        "pool_twice": by_pools,
        "top_p": lambda probabilities, p: lab.next_probabilities(np.log(probabilities), top_p=p),
        "longformer_mask": lambda n, window, positions: lab.longformer_mask(
            n, window=window, global_positions=positions
        ),
        "causal_linear_attention": by_linear_attention,
        "rollout": lab.attention_rollout,
        "logit_lens": lambda streams, gain, table: functional.rms_norm(streams, gain, 1e-5) @ table.T,
        "previous_token_head": by_head_summary,
        "online_softmax": lambda scores, value, *state: lab.online_softmax(scores, value, state),
        "cached_mask": lambda n_new, n_kept: lab.causal_mask(n_new, n_kept + n_new),
    }
    function = named.get(name, getattr(lab, name, None))
    assert function, f"say in `named` which function of the package computes {name}, or, if there is none, in ALONE"
    return function(*args)


ALONE = {"similarity", "own_sentence_mask", "shift", "dropout", "adam_step", "train_reverse"}  # no one function does it
ALONE |= {"pad_batch", "shift_targets"}  # see test_gallery_09_10.py
ALONE |= {"cache_append", "bytes_per_token", "left_pad_positions"}  # see test_gallery_11.py
ALONE |= {"teacher_forcing", "clipped_precision"}  # see test_gallery_12.py
ALONE |= {"seasonal_naive"}  # see test_gallery_14.py
ALONE |= {"pad_documents"}  # see test_gallery_15.py
ALONE |= {"block_cost"}  # see test_gallery_16.py
ALONE |= {"random_features", "two_step_mask"}  # see test_gallery_17.py
ALONE |= {"neighbour_attention", "offset_weights"}  # see test_gallery_18.py
ALONE |= {"top_matches"}  # see test_gallery_19.py
ALONE |= {"induction_score"}  # see test_gallery_20.py


@pytest.mark.parametrize("name", sorted(EXERCISES.keys() - ALONE))
def test_the_reference_equals_the_package(name):
    exercise = EXERCISES[name]
    for case in exercise.cases:
        ours, theirs = exercise.reference(*copies(case)), by_package(exercise.name, copies(case))
        many = len(exercise.returns) > 1
        for a, b in zip(ours if many else [ours], theirs if many else [theirs]):
            assert np.shape(a) == np.shape(b)
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)


def test_similarity_and_own_sentences_by_hand():
    found = EXERCISES["similarity"].reference(np.array([[3.0, 0.0], [4.0, 4.0]]))
    np.testing.assert_allclose(found, [[1, math.sqrt(0.5)], [math.sqrt(0.5), 1]])
    mask = EXERCISES["own_sentence_mask"].reference(np.array([0, 0, 1]))
    assert mask.tolist() == [[True, True, False], [True, True, False], [False, False, True]]


@by_name
def test_float32_stays_float32_in_the_reference(exercise):
    for case in exercise.cases:
        if isinstance(case[0], np.ndarray) and case[0].dtype == np.float32:
            result = exercise.reference(*copies(case))
            assert np.asarray(result[0] if len(exercise.returns) > 1 else result).dtype == np.float32


@by_name
def test_the_untouched_gap_is_not_attempted(exercise):
    lines = exercise.gap().splitlines()[1:]
    said = assess(exercise, assemble(exercise, [line.removeprefix("    ") for line in lines]))
    assert said.status == "not attempted"
    marked = f"Not attempted yet: replace the `...` in the line marked `{exercise.key}`."
    assert said.message == f"{marked} {exercise.task}"
