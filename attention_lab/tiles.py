"""Attention cut into tiles: which keys a block of queries may see, and how the heads share the cores."""

import math
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np

from attention_lab.checks import check_flag, check_size

BLOCKS_WIDE = 4  # a tile of 128 queries and 512 keys, 256 KB in float32, stays in the cache next to the core
SMALL = 2**29  # multiplications: below some 20 ms a second thread costs more than it brings


class Tiles:
    """The scores (n_q, n_k), never whole: tiles of `block_size` queries and four times as many keys.

    A query sees the keys from `before` places behind it to `after` places ahead of it. The last query stands beside
    the last key. Where there are fewer queries than a block has, a tile holds more keys.
    """

    def __init__(self, n_q, n_k, dtype, *, is_causal, window, block_size):
        block_size = check_size("block_size", block_size, low=1)
        self.n_q, self.n_k, self.dtype = n_q, n_k, dtype
        self.size = min(block_size, n_q)
        self.width = min(BLOCKS_WIDE * block_size**2 // self.size, n_k)
        self.before = n_q + n_k if window is None else check_size("window", window, low=1) - 1
        self.after = 0 if check_flag("is_causal", is_causal) else self.before
        self.bands = {}

    def room(self):
        """Memory for the scores of one tile."""
        return np.empty(self.size * self.width, self.dtype)

    def blocks(self, mask=None):
        """Each block of queries, with its tiles: the keys that one of them sees, and a bias that hides some, or None.

        The keys are a slice, or indices where a mask leaves gaps.
        """
        for start in range(0, self.n_q, self.size):
            rows = slice(start, min(start + self.size, self.n_q))
            yield rows, self._tiles(rows, mask)

    def _tiles(self, rows, mask):
        for start, stop, at_edge in self._parts(rows):
            for first in range(start, stop, self.width):
                keys = slice(first, min(first + self.width, stop))
                ahead = rows.start + self.n_k - self.n_q - first
                band = self._band(rows.stop - rows.start, keys.stop - first, ahead) if at_edge else None
                if mask is not None:
                    part = mask[rows if len(mask) > 1 else slice(None), keys if mask.shape[1] > 1 else slice(None)]
                    yield from self._shown(part, keys, band)
                else:
                    yield keys, band

    def _parts(self, rows):
        """The keys that some of the queries see: first those that only some see, then those that all see, then some."""
        first, last = (at + self.n_k - self.n_q for at in (rows.start, rows.stop - 1))
        start, stop = max(0, first - self.before), min(self.n_k, last + 1 + self.after)
        left = min(max(start, last - self.before), max(start, stop))
        right = max(left, min(first + 1 + self.after, stop))
        right = left if right - left < last - first else right  # hardly a tile: it goes with the edge
        return (start, left, True), (left, right, False), (right, stop, True)

    def _band(self, n_q, n_k, ahead):
        """The bias of a tile through which an edge goes; tiles that lie alike have the same."""
        if (n_q, n_k, ahead) not in self.bands:
            distance = ahead + np.arange(n_q)[:, None] - np.arange(n_k)
            visible = (distance <= self.before) & (distance >= -self.after)
            self.bands[n_q, n_k, ahead] = self._bias(visible)
        return self.bands[n_q, n_k, ahead]

    def _shown(self, part, keys, band):
        """Of these keys those that a mask shows to any query, with the bias that hides the others: one tile or none."""
        if part.dtype == bool and part.all():
            return [(keys, band)]
        bias = self._bias(part) if part.dtype == bool else part.astype(self.dtype, copy=False)
        bias = bias if band is None else bias + band
        bias = np.broadcast_to(bias, (len(bias), keys.stop - keys.start))
        seen = np.flatnonzero((bias > -np.inf).any(0))
        if not len(seen):
            return []
        if seen[-1] - seen[0] < len(seen):  # no gap: a slice spares a copy of the keys
            seen = slice(seen[0], seen[-1] + 1)
            return [(slice(keys.start + seen.start, keys.start + seen.stop), bias[:, seen])]
        return [(keys.start + seen, bias[:, seen])]

    def _bias(self, visible):
        return np.where(visible, self.dtype.type(0), self.dtype.type(-np.inf))


def by_head(array, leading, heads_a_group=1):
    """The last two axes of an array, head after head, as views. An axis of 1 serves all, a key head its group."""
    if array is None:
        return [None] * math.prod(leading)
    views = [array[(None,) * (len(leading) + 2 - array.ndim)]]
    for i, n in enumerate(leading, 1):
        n = n // heads_a_group if i == len(leading) else n
        views = [part for view in views for part in (view if len(view) == n else [view[0]] * n)]
    return [view for view in views for _ in range(heads_a_group)]


def share(work, heads, threads, multiplications):
    """Do the work of all heads; in threads where that pays: as many as BLAS was given and as there are cores."""
    blas = _blas() if threads != 1 and (threads or multiplications > SMALL) else None
    if threads is None:
        given = max((pool["num_threads"] for pool in blas.info()), default=1) if blas else 1
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        threads = min(given, cores)
    threads = min(threads, len(heads))
    if threads <= 1:
        return work(heads)
    heads = iter(heads)  # one for all: a thread that is ready takes the next head, one that is slowed down takes fewer
    with blas.limit(limits=1) if blas else nullcontext(), ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, [heads] * threads))  # an error comes back here


def _blas():
    """How many threads BLAS has, where threadpoolctl can tell."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController().select(user_api="blas")
