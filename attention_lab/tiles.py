"""Attention cut into tiles: which keys a block of queries may see, and how the heads share the cores."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import product, repeat

import numpy as np

from attention_lab.checks import check_flag, check_size

BLOCKS_WIDE = 4  # a tile of 128 queries and 512 keys, 256 KB in float32, stays in the cache next to the core
SMALL = 2**29  # multiplications: below some 20 ms a second thread costs more than it brings


class Tiles:
    """The scores (n_q, n_k), never whole: tiles of `block_size` queries and about four times as many keys.

    A query sees the keys from `before` places behind it to `after` places ahead of it. The last query stands beside
    the last key. Where there are fewer queries than a block has, a tile holds more keys;
    of `heads` that are small, several share one.
    """

    def __init__(self, n_q, n_k, dtype, *, is_causal, window, block_size, heads):
        block_size = check_size("block_size", block_size, low=1, below=np.inf)
        self.n_q, self.n_k, self.dtype = n_q, n_k, dtype
        self.size = min(block_size, n_q)
        self.width = BLOCKS_WIDE * block_size**2 // self.size
        self.before = n_q + n_k if window is None else check_size("window", window, low=1, below=np.inf) - 1
        self.after = 0 if check_flag("is_causal", is_causal) else self.before
        self.together = max(1, min(heads, self.size * self.width // (n_q * n_k)))  # heads that share a tile
        self.bands = {}

    def room(self):
        """Memory for the scores of one tile."""
        return np.empty(self.together * self.size * min(3 * self.width // 2 + 1, self.n_k), self.dtype)

    def blocks(self, mask=None):
        """Each block of queries, with its tiles: the keys that one of them sees, and what hides some of these.

        The keys are a slice, or indices where a mask leaves gaps. What hides is a list of columns and their bias.
        """
        for start in range(0, self.n_q, self.size):
            rows = slice(start, min(start + self.size, self.n_q))
            tiles = self._tiles(rows)
            yield rows, tiles if mask is None else self._masked(mask, rows, tiles)

    def _tiles(self, rows):
        """The keys that some of the queries see, in parts of much the same size, and the edges that go through them."""
        first, last = (at + self.n_k - self.n_q for at in (rows.start, rows.stop - 1))
        start, stop = max(0, first - self.before), min(self.n_k, last + 1 + self.after)
        left, right = last - self.before, first + self.after  # all queries see the keys between
        parts = max(1, round((stop - start) / self.width))
        for i in range(parts) if start < stop else ():
            at, end = (start + (stop - start) * j // parts for j in (i, i + 1))
            hidden = []
            for edge in (slice(at, left), slice(max(at, right), end)):
                if edge.start < edge.stop:
                    band = self._band(rows.stop - rows.start, edge.stop - edge.start, first - edge.start)
                    hidden.append((slice(edge.start - at, edge.stop - at), band))
            yield slice(at, end), hidden

    def _band(self, n_q, n_k, ahead):
        """The bias of columns through which an edge goes; those that lie alike have the same."""
        if (n_q, n_k, ahead) not in self.bands:
            distance = ahead + np.arange(n_q)[:, None] - np.arange(n_k)
            visible = (distance <= self.before) & (distance >= -self.after)
            self.bands[n_q, n_k, ahead] = self._bias(visible)
        return self.bands[n_q, n_k, ahead]

    def _masked(self, mask, rows, tiles):
        """Of each tile the keys that a mask shows to any query, with the bias that hides the others, or no tile."""
        for keys, hidden in tiles:
            part = mask[..., *places((rows, keys), mask.shape[-2:])]
            if part.dtype == bool and part.all():
                yield keys, hidden
                continue
            bias = self._bias(part) if part.dtype == bool else part.astype(self.dtype, copy=False)
            n_q = rows.stop - rows.start if hidden else bias.shape[-2]
            bias = np.broadcast_to(bias, (*bias.shape[:-2], n_q, keys.stop - keys.start))
            bias = bias.copy() if hidden else bias
            for columns, band in hidden:
                bias[..., columns] += band
            seen = np.flatnonzero((bias > -np.inf).reshape(-1, bias.shape[-1]).any(0))
            if len(seen) and seen[-1] - seen[0] < len(seen):  # no gap: a slice spares a copy of the keys
                seen = slice(seen[0], seen[-1] + 1)
                yield slice(keys.start + seen.start, keys.start + seen.stop), [(slice(None), bias[..., seen])]
            elif len(seen):
                yield keys.start + seen, [(slice(None), bias[..., seen])]

    def _bias(self, visible):
        return np.where(visible, self.dtype.type(0), self.dtype.type(-np.inf))


def places(parts, sizes):
    """Where parts of some axes lie in an array of these sizes: an axis of 1 serves all."""
    return tuple(slice(None) if n == 1 else part for part, n in zip(parts, sizes))


def by_head(array, leading, together=1, group=1):
    """Views of an array, with so many heads each. A head of the keys serves its group."""
    if array is None:
        return repeat(None)
    array = array[(None,) * (len(leading) + 2 - array.ndim)]
    *others, heads = leading or (1,)
    cuts = [[slice(i, i + 1) for i in range(n)] for n in others]
    cuts.append([slice(i // group, (i + together - 1) // group + 1) for i in range(0, heads, together)])
    return [array[places(parts, array.shape[:-2])] for parts in product(*cuts)]


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
