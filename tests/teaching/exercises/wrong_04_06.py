"""Mistakes that learners make in the exercises of lessons 04 to 06, beside those of the bank."""

import math

import numpy as np

from attention_lab import positional_encoding
from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("multi_head_attention", "never uses `W_v`", never="A known cause")
def takes_the_keys_for_values(x, W_q, W_k, W_v, W_o, num_heads):
    return REFERENCE["multi_head_attention"](x, W_q, W_k, W_k, W_o, num_heads)


@wrong("multi_head_attention", "A single matrix comes out right")
def unpacks_one_sentence(x, W_q, W_k, W_v, W_o, num_heads):
    n, d_model = x.shape
    return REFERENCE["multi_head_attention"](x.reshape(n, d_model), W_q, W_k, W_v, W_o, num_heads)


@wrong("split_heads", "not enough values to unpack", "`*leading, n, d = x.shape` takes any number")
def unpacks_a_batch(x, num_heads):
    batch, n, d = x.shape
    return x.reshape(batch, n, num_heads, d // num_heads).swapaxes(1, 2)


@wrong("split_heads", "`/` gives a float, `//` a whole number")
def divides_a_size(x, num_heads):
    return x.reshape(*x.shape[:-1], num_heads, x.shape[-1] / num_heads).swapaxes(-2, -3)


@wrong("repeat_heads", "`result` has shape (2, 5, 3) and should have (6, 5, 3)", never="A single matrix")
def counts_from_the_front(key, num_heads):
    return np.repeat(key, num_heads // key.shape[1], axis=1)


@wrong("rotary", "A turn keeps lengths", "with the same angle")
def gives_each_feature_an_angle(x, positions):
    angle = positions[:, None] / 10000 ** (np.arange(x.shape[-1]) / x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return x * np.cos(angle) + np.concatenate([-b, a], axis=-1) * np.sin(angle)


@wrong("rotary", "never uses `positions`", never="You count the rows")
def leaves_rows_alone(x, positions):
    return x.copy()


@wrong("relative_bucket", "falls into bucket 32, and the table ends at 31", never="largest bucket")
def bounds_the_distance(distance, num_buckets, max_distance):
    exact, distance = num_buckets // 2, np.minimum(distance, max_distance)
    share = np.log(np.maximum(distance, exact) / exact) / math.log(max_distance / exact)
    return np.where(distance < exact, distance, (exact + share * (num_buckets - exact)).astype(int))


@wrong("relative_bucket", "`bucket`[3] is 5 and should be 4", never="spread over all")
def rounds_up(distance, num_buckets, max_distance):
    exact = num_buckets // 2
    share = np.log(np.maximum(distance, exact) / exact) / math.log(max_distance / exact)
    far = np.minimum(np.ceil(exact + share * (num_buckets - exact)), num_buckets - 1)
    return np.where(distance < exact, distance, far)


@wrong("alibi_bias", "`bias` has shape (5, 5, 2) and should have (2, 5, 5)")
def puts_heads_last(slopes, n):
    return np.moveaxis(REFERENCE["alibi_bias"](slopes, n), 0, -1)


@wrong("multi_head_attention", "your results come in the other order", "`return output, weights`")
def weights_come_first(x, W_q, W_k, W_v, W_o, num_heads):
    return REFERENCE["multi_head_attention"](x, W_q, W_k, W_v, W_o, num_heads)[::-1]


@wrong("split_heads", "Called again, it gives other numbers")
def draws(x, num_heads):
    return REFERENCE["split_heads"](x, num_heads) + np.random.default_rng().normal()


@wrong("split_heads", "refuses a case that is legal", never="Print the values")
def wants_a_batch(x, num_heads):
    assert x.ndim == 3
    return REFERENCE["split_heads"](x, num_heads)


@wrong("positional_encoding", "A known cause: With an odd d_model", never="Print the shapes")
def wants_as_many_cosines(seq_len, d_model):
    table = np.empty((seq_len, d_model))
    table[:, ::2] = np.sin(np.arange(seq_len)[:, None] * 10000.0 ** -(np.arange(0, d_model, 2) / d_model))
    table[:, 1::2] = np.cos(np.arange(seq_len)[:, None] * 10000.0 ** -(np.arange(0, d_model, 2) / d_model))
    return table


@wrong("positional_encoding", "or the base is 100", never="you number the pairs")
def takes_base_100(seq_len, d_model):
    return positional_encoding(seq_len, d_model, base=100.0)


@wrong("positional_encoding", "`^` is no power in Python", never="Print the values")
def writes_a_caret(seq_len, d_model):
    return np.sin(np.arange(seq_len)[:, None] / 10000 ^ (np.arange(d_model) / d_model))


@wrong("alibi_bias", "lists, ranges and None do no arithmetic", never="Print the values")
def subtracts_ranges(slopes, n):
    return -slopes * abs(range(n) - range(n))


@wrong("alibi_bias", "should be 0, given", never="-0")
def counts_from_the_end(slopes, n):
    return -slopes[:, None, None] * (n - 1 - np.arange(n)) * np.ones((n, 1))


@wrong("alibi_bias", "or a mask of -inf")
def hides_the_future(slopes, n):
    return np.where(np.tri(n, dtype=bool), REFERENCE["alibi_bias"](slopes, n), -np.inf)


@wrong("rotary", "went in 2.807 long and came out 2.81 long", never="2.81 long and came out 2.81 long")
def stretches(x, positions):
    return 1.001 * REFERENCE["rotary"](x, positions)


@wrong("relative_bucket", "Distance 0 falls into bucket -1, and the table begins at 0", never="beyond max_distance")
def begins_below(distance, num_buckets, max_distance):
    return REFERENCE["relative_bucket"](distance, num_buckets, max_distance) - (distance == 0)


@wrong("feed_forward", "or W_2 stands there", never="Leave the `.T` out")
def swaps_the_weights(x, W_1, b_1, W_2, b_2):
    return np.maximum(x @ W_2 + b_2, 0) @ W_1 + b_1


@wrong("feed_forward", "never uses `b_1` and `b_2`: does another name stand in their place?")
def forgets_two_biases(x, W_1, b_1, W_2, b_2):
    return np.maximum(x @ W_1, 0) @ W_2


@wrong("pre_norm", "`result` is of dtype int64, which holds no fractions", never="by hand")
def writes_into_whole_numbers(x, norm, sublayer):
    result = np.zeros_like(x)
    result[...] = x + sublayer(norm(x))
    return result


@wrong("pre_norm", "Round brackets after a name call it", never="Print the values")
def calls_an_array(x, norm, sublayer):
    return x(norm)


@wrong("pre_norm", "Count what stands between the brackets", never="Print the values")
def calls_with_nothing(x, norm, sublayer):
    return x + sublayer()


@wrong("encoder_block", "returns None", "place 'post'")
def answers_one_place(x, attend, forward, norm_1, norm_2, place):
    if place == "pre":
        return REFERENCE["encoder_block"](x, attend, forward, norm_1, norm_2, place)
