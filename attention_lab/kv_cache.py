"""The keys and values of the tokens so far, kept while a text grows."""

import numpy as np

from attention_lab.autodiff import Tensor
from attention_lab.checks import check_choice, check_finite, check_sequences, check_size, numeric


class KVCache:
    """Keys and values of one attention layer, so that a step projects its new tokens only.

    Under a causal mask a new token changes no earlier row: old keys and values stay right, and every later query reads
    them. An old query is never needed again, and is not kept.

    Parameters
    ----------
    max_len : int
        Number of tokens kept. The first `append` allocates for all of them.
    on_full : {"raise", "slide"}
        "raise": a token too many is an error. "slide": the oldest one makes room, and attention is that of
        `sliding_window_mask` with ``window=max_len``.

    Attributes
    ----------
    seen : int
        Tokens appended since the last reset, which is the next token's position.
    nbytes : int
        Memory of the keys and values.

    Raises
    ------
    TypeError, ValueError
        If `max_len` is not a whole number of at least 1, or `on_full` is unknown.

    Notes
    -----
    Source: Shazeer 2019, "Fast Transformer Decoding: One Write-Head is All You Need", section 2.3.

    Examples
    --------
    >>> cache = KVCache(max_len=3)
    >>> key, value = cache.append(np.zeros((2, 8)), np.zeros((2, 5)))   # a prompt of 2 tokens
    >>> key, value = cache.append(np.ones((1, 8)), np.ones((1, 5)))     # and one more
    >>> key.shape, value.shape, len(cache)
    ((3, 8), (3, 5), 3)
    """

    def __init__(self, max_len, *, on_full="raise"):
        self.max_len = check_size("max_len", max_len, low=1)
        self.on_full = check_choice("on_full", on_full, ("raise", "slide"))
        self.reset()

    def reset(self):
        """Forget everything, for the next text: its batch may have another size."""
        self.seen, self._end, self._buffers = 0, 0, None

    def __len__(self):
        return min(self.seen, self.max_len)

    @property
    def nbytes(self):
        return sum(buffer.nbytes for buffer in self._buffers or ())

    def num_keys(self, n):
        """How many keys the queries of `n` new tokens may read: those kept for the first of them, and their own."""
        return min(self.seen, self.max_len - 1) + n

    def append(self, key, value):
        """Keep the new tokens and give all that their queries may read.

        Parameters
        ----------
        key : array_like, (..., n, d_k)
            Of n new tokens, in the shape that the first call set, but for n.
        value : array_like, (..., n, d_v)

        Returns
        -------
        key : ndarray, (..., n_k, d_k)
            What was kept and the new ones, read-only. n_k is more than `max_len` where several tokens slide in at once:
            the first of them still reads ``max_len - 1`` tokens before itself.
        value : ndarray, (..., n_k, d_v)

        Raises
        ------
        TypeError, ValueError
            If the shapes do not fit those kept, or the cache is full. It is unchanged then.
        """
        new = _pair(key, value)
        n = new[0].shape[-2]
        if self.on_full == "raise" and self.seen + n > self.max_len:
            raise ValueError(
                f"the cache is full: it holds {len(self)} of max_len={self.max_len} tokens and {n} more came. "
                'Reset it, make it longer, or let it slide (on_full="slide")'
            )
        self._check_fit(new)
        kept = self.num_keys(n) - n
        self._make_room(new, kept, n)
        for buffer, array in zip(self._buffers, new):
            buffer[..., self._end : self._end + n] = array.swapaxes(-1, -2)
        self._end, self.seen = self._end + n, self.seen + n
        return tuple(_read_only(buffer[..., self._end - kept - n : self._end]) for buffer in self._buffers)

    def _check_fit(self, new):
        for name, array, buffer in zip(("key", "value"), new, self._buffers or ()):
            expected = (*buffer.shape[:-2], array.shape[-2], buffer.shape[-2])
            if array.shape != expected or array.dtype != buffer.dtype:
                raise ValueError(
                    f"{name} is {array.dtype} {array.shape} but the cache holds {buffer.dtype} {expected}: "
                    "a cache serves one layer and one batch, reset it for the next"
                )

    def _make_room(self, new, kept, n):
        """Buffers with n free places behind what is kept. A sliding one moves back once in max_len tokens.

        They are (..., d, room): a feature's numbers of all tokens stand side by side. One query against many keys then
        runs along memory, in half the time.
        """
        if self._buffers is not None and self._end + n <= self._buffers[0].shape[-1]:
            return
        room = self.max_len if self.on_full == "raise" else kept + max(n, self.max_len)
        old, self._buffers = self._buffers, [np.empty((*a.shape[:-2], a.shape[-1], room), a.dtype) for a in new]
        for now, before in zip(self._buffers, old or ()):
            now[..., :kept] = before[..., self._end - kept : self._end]
        self._end = kept if old else 0


def _pair(key, value):
    if isinstance(key, Tensor) or isinstance(value, Tensor):
        raise TypeError("a cache keeps plain arrays: it serves generation, not training")
    key, value = (numeric(*given) for given in (("key", key), ("value", value)))
    check_sequences(key=key, value=value)
    if key.shape[:-1] != value.shape[:-1]:
        raise ValueError(f"key and value must be (..., n, d), alike but for d, got {key.shape} and {value.shape}")
    check_finite(key=key, value=value)  # what was kept would be in the way of every later step
    return [array if array.dtype.kind == "f" else array.astype(np.float64) for array in (key, value)]


def _read_only(buffer):
    view = buffer.swapaxes(-1, -2)
    view.flags.writeable = False
    return view
