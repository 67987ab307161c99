"""Switch one head off, and see what the model was using it for."""

from contextlib import contextmanager

import numpy as np

from attention_lab.checks import check_size
from attention_lab.multi_head import MultiHeadAttention


@contextmanager
def without_head(attention, head):
    """Take what one head adds out of the stream, for as long as the ``with`` block lasts.

    output = Σ_i head_i W_o[rows of i]: the head's rows of W_o are zero inside the block. What it attends to is still
    computed and returned; nothing of it arrives.

    Parameters
    ----------
    attention : MultiHeadAttention
        Of one block, such as ``model.encoder.blocks[2].attention``.
    head : int
        From 0; of grouped heads, a query head.

    Yields
    ------
    MultiHeadAttention
        The same layer. Its matrix is put back at the end, also after an error.

    Raises
    ------
    TypeError, ValueError
        If `attention` is something else, or has no such head.

    Notes
    -----
    Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 2.3.

    Examples
    --------
    >>> attend = MultiHeadAttention(64, 4, rng=np.random.default_rng(0))
    >>> x = np.random.default_rng(1).normal(size=(10, 64))
    >>> before, _ = attend(x)
    >>> with without_head(attend, 3):
    ...     after, _ = attend(x)
    >>> bool(np.allclose(before, after)), bool(np.array_equal(before, attend(x)[0]))
    (False, True)
    """
    if not isinstance(attention, MultiHeadAttention):
        raise TypeError(f"attention must be the MultiHeadAttention of a block, got {attention!r:.80}")
    if check_size("head", head) >= attention.num_heads:
        raise ValueError(f"head={head} does not exist: expected 0 to {attention.num_heads - 1}")
    whole = attention.W_o
    of_head = np.arange(len(whole)) // attention.d_head == head
    attention.W_o = np.where(of_head[:, None], 0, whole)
    try:
        yield attention
    finally:
        attention.W_o = whole
