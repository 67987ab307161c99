"""The faults that lessons 04 and 05 show run on plain arrays and have the symptom that is told of them."""

import numpy as np
import pytest

from attention_lab import MultiHeadAttention, positional_encoding
from attention_lab.teaching.exercises import EXERCISES, lesson_04, lesson_05, lesson_05_bias
from attention_lab.teaching.exercises.display import source_of

SHOWN = [
    lesson_04.faulty_multi_head_attention_no_transpose,
    lesson_04.faulty_multi_head_attention_split_first,
    lesson_04.faulty_multi_head_attention_drops_features,
    lesson_04.faulty_multi_head_attention_scale_d_model,
    lesson_05.faulty_positional_encoding_odd,
    lesson_05.faulty_positional_encoding_doubled_exponent,
    lesson_05_bias.faulty_relative_bucket_overflows,
]


def layer(d_model, num_heads):
    attend = MultiHeadAttention(d_model, num_heads, rng=np.random.default_rng(0), dtype=np.float64)
    return attend, (attend.W_q, attend.W_k, attend.W_v, attend.W_o)


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.__name__)
def test_a_shown_fault_is_short_and_needs_no_helper(fault):
    lines = source_of(fault).splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 105
    assert not [name for name in fault.__code__.co_names if name.startswith("_")]


@pytest.mark.parametrize(
    ("fault", "right"),
    [
        (lesson_04.faulty_multi_head_attention_no_transpose, (False, True)),  # the weights are as they should be
        (lesson_04.faulty_multi_head_attention_split_first, (False, False)),
        (lesson_04.faulty_multi_head_attention_drops_features, (True, True)),  # where heads divide
        (lesson_04.faulty_multi_head_attention_scale_d_model, (False, False)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_multi_head_faults_keep_the_shapes(fault, right):
    attend, matrices = layer(64, 4)
    x = np.random.default_rng(1).normal(size=(2, 10, 64))
    pairs = list(zip(fault(x, *matrices, 4), attend(x)))
    assert all(got.shape == wanted.shape for got, wanted in pairs)
    assert tuple(np.allclose(got, wanted) for got, wanted in pairs) == right


def test_split_first_reads_the_blocks_on_the_diagonal_alone():
    _, matrices = layer(8, 2)
    x = np.random.default_rng(1).normal(size=(5, 8))
    before = lesson_04.faulty_multi_head_attention_split_first(x, *matrices, 2)[0]
    for W in matrices[:3]:
        W[:4, 4:] = W[4:, :4] = 9
    np.testing.assert_array_equal(lesson_04.faulty_multi_head_attention_split_first(x, *matrices, 2)[0], before)


def test_features_are_dropped_where_heads_do_not_divide():
    rng = np.random.default_rng(2)
    x, matrices = rng.normal(size=(5, 10)), rng.normal(size=(4, 10, 10))
    before = lesson_04.faulty_multi_head_attention_drops_features(x, *matrices, 3)[0]
    matrices[:3, :, 9], matrices[3, 9] = 9, 9
    np.testing.assert_array_equal(lesson_04.faulty_multi_head_attention_drops_features(x, *matrices, 3)[0], before)


def test_the_encoding_fails_for_an_odd_width_alone():
    np.testing.assert_allclose(lesson_05.faulty_positional_encoding_odd(10, 512), positional_encoding(10, 512))
    with pytest.raises(ValueError, match=r"shape \(10,4\) into shape \(10,3\)"):
        lesson_05.faulty_positional_encoding_odd(10, 7)


def test_the_doubled_exponent_makes_products_depend_on_the_place():
    def spread(encoding):
        return np.ptp((encoding[:-5] * encoding[5:]).sum(axis=1))

    assert spread(positional_encoding(60, 32)) < 1e-12
    assert spread(lesson_05.faulty_positional_encoding_doubled_exponent(60, 32)) > 3


def test_far_distances_leave_the_table():
    buckets = lesson_05_bias.faulty_relative_bucket_overflows(np.array([5, 127, 500, 10_000]), 32, 128)
    assert buckets.tolist() == [5, 31, 42, 65]


def test_multi_head_cases_tell_all_sizes_apart():
    for x, W_q, *_, num_heads in EXERCISES["multi_head_attention"].cases:
        sizes = (*x.shape, W_q.shape[1] // num_heads, num_heads)
        assert len(set(sizes)) == len(sizes)
