"""Attention against the plain formula written with ``@``, in one process, turn by turn.

Run it on one thread: ``OPENBLAS_NUM_THREADS=1 python tests/benchmarks/attention.py [rounds]``.
A ratio of at most 1 means that the checks, the masks and the empty rows cost nothing.
"""

import os
import statistics
import sys
import time

import numpy as np

from attention_lab import scaled_dot_product_attention

SHAPE = (2, 8, 1024, 64)


def plain(query, key, value, is_causal):
    """The textbook's four lines, with no thought for memory, wrong input or empty rows."""
    scores = query @ key.swapaxes(-1, -2) / np.float32(np.sqrt(query.shape[-1]))
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, np.float32(-np.inf))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    return weights @ value, weights


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare(arrays, is_causal, rounds):
    """Medians of both, measured alternately so that a busy machine slows both alike."""
    ours, theirs = [], []
    for _ in range(rounds + 1):
        ours.append(seconds(lambda: scaled_dot_product_attention(*arrays, is_causal=is_causal)))
        theirs.append(seconds(lambda: plain(*arrays, is_causal)))
    return statistics.median(ours[1:]), statistics.median(theirs[1:])  # the first round warms up


def main(rounds=9):
    arrays = np.random.default_rng(0).standard_normal((3, *SHAPE)).astype(np.float32)
    print(f"float32 {SHAPE}, OPENBLAS_NUM_THREADS={os.environ.get('OPENBLAS_NUM_THREADS')}, {rounds} rounds")
    for is_causal in (False, True):
        ours, theirs = compare(arrays, is_causal, rounds)
        print(f"{'causal' if is_causal else 'full':6}  {ours:.3f} s / plain {theirs:.3f} s = {ours / theirs:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
