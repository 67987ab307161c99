"""Repeated sequences: what can be known from the past, and only that."""

import numpy as np
import pytest

from attention_lab.data.repeats import repeats


def known_from_the_past(ids):
    """True where the token before stood earlier in the row: what followed then follows now."""
    return [t > 0 and ids[t - 1] in ids[: t - 1] for t in range(len(ids))]


def test_shapes_and_types():
    ids, predictable = repeats(7, np.random.default_rng(0), vocab_size=19, period=(3, 5), length=11)
    assert ids.shape == predictable.shape == (7, 11)
    assert ids.dtype.kind == "i" and predictable.dtype == bool
    assert ids.min() >= 0 and ids.max() <= 18
    assert repeats(0, np.random.default_rng(0))[0].shape == (0, 48)


def test_predictable_is_what_the_past_tells_and_it_tells_the_truth():
    ids, predictable = repeats(50, np.random.default_rng(1))
    for row, known in zip(ids.tolist(), predictable.tolist(), strict=True):
        assert known == known_from_the_past(row)
        for t in np.flatnonzero(known):
            assert row[t] == row[row[: t - 1].index(row[t - 1]) + 1]


def test_periods_cover_their_range_and_tokens_within_one_differ():
    ids, predictable = repeats(500, np.random.default_rng(2), vocab_size=20, period=(4, 7), length=15)
    periods = (~predictable).sum(axis=-1) - 1
    assert set(periods) == {4, 5, 6, 7}
    for row, period in zip(ids, periods, strict=True):
        assert len(set(row[:period])) == period
        np.testing.assert_array_equal(row, np.resize(row[:period], 15))


def test_all_tokens_are_equally_likely():
    first = repeats(5000, np.random.default_rng(3), vocab_size=8, period=(2, 3), length=4)[0][:, 0]
    counts = np.bincount(first, minlength=8)
    assert np.abs(counts - 625).max() < 5 * np.sqrt(625)


def test_the_generator_decides():
    a, b, c = (repeats(4, np.random.default_rng(seed))[0] for seed in (5, 5, 6))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"period": (6, 33)}, "a longest of at most 32"),
        ({"period": (7, 6)}, r"period is \(7, 6\)"),
        ({"length": 16}, "below 16, the length"),
        ({"period": (0, 3)}, "period must be at least 1"),
        ({"vocab_size": 0}, "vocab_size must be at least 1"),
    ],
)
def test_impossible_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        repeats(2, np.random.default_rng(0), **arguments)


def test_a_generator_is_needed():
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator"):
        repeats(2, 0)
