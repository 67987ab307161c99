"""Parts of a data set: disjoint, complete, and the same everywhere."""

import numpy as np
import pytest

from attention_lab.data.splits import SPLITS, part, shuffled


@pytest.mark.parametrize("n", [0, 1, 7, 10, 101])
def test_parts_are_disjoint_and_together_everything(n):
    items = [f"item {i}" for i in range(n)]
    parts = [part(items, split, (7, 1, 2), seed=3) for split in SPLITS]
    assert sorted(item for p in parts for item in p) == sorted(items)
    assert np.abs(np.array([len(p) for p in parts]) - np.array([0.7, 0.1, 0.2]) * n).max() < 1


def test_the_order_comes_from_a_hash_of_seed_and_item():
    # SHA-256 of "1 a" begins with 27, of "1 b" with 62, of "1 c" with 15 (computed with sha256sum).
    assert shuffled(["a", "b", "c"], seed=1) == ["c", "a", "b"]
    assert shuffled(["c", "b", "a"], seed=1) == ["c", "a", "b"]  # whatever the order they come in
    assert shuffled([("a", 0), ("b", 1)], seed=1, key=lambda item: item[0]) == [("a", 0), ("b", 1)]
    orders = {tuple(shuffled("abcdefgh", seed)) for seed in range(20)}
    assert len(orders) == 20


def test_an_unknown_split_names_the_three():
    with pytest.raises(ValueError, match="split must be one of 'train', 'validation', 'test' but is 'dev'"):
        part("abc", "dev", (7, 1, 2), seed=0)
