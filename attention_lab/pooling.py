"""One vector for a whole sequence: a mean over its real tokens, or what one learned query reads from them."""

import numpy as np

from attention_lab.attention import scaled_dot_product_attention
from attention_lab.autodiff import differentiable
from attention_lab.checks import check_dtype, check_real, check_rows, check_size, finite, floating
from attention_lab.operations import where


@differentiable(lambda grad, share: (grad[..., None, :] * share[..., None],))
@finite
def masked_mean(x, mask=None):
    """The mean of the real tokens' vectors. Padding counts neither above nor below the line.

    masked_mean(x) = Σ_i mask_i x_i / Σ_i mask_i

    Parameters
    ----------
    x : array_like, (..., n, d)
    mask : array_like of bool, (..., n), optional
        True = a real token. All are real if not given.

    Returns
    -------
    ndarray, (..., d)
        Zeros where no token is real.

    Raises
    ------
    TypeError, ValueError
        If `mask` is not boolean (or 0 and 1), or does not fit.

    Examples
    --------
    >>> masked_mean([[1.0, 0.0], [3.0, 4.0], [9.0, 9.0]], [True, True, False]).tolist()
    [2.0, 2.0]
    """
    x, dtype = floating(x=x)
    share = mean_share(x.shape[:-1], mask).astype(x.dtype)
    real = np.where(share[..., None] > 0, x, 0)  # a pad may hold anything, NaN too
    return (share[..., None, :] @ real)[..., 0, :].astype(dtype, copy=False), share


def mean_share(shape, mask=None):
    """How much each token counts in the mean, `shape` (..., n): 1 / number of real tokens, and 0 for a pad."""
    if not shape or shape[-1] == 0:
        raise ValueError(f"x must be (..., n, d) with n of at least 1, got tokens of shape {shape}")
    real = np.broadcast_to(True if mask is None else check_real(mask, shape), shape)
    return real / np.maximum(1, real.sum(-1, keepdims=True))


class AttentionPooling:
    """One learned query reads the whole sequence.

    pool(x) = softmax(query xᵀ / √d + mask) x

    The query starts at zero, where every score is 0 and the pool is the mean of the real tokens.

    Parameters
    ----------
    d_model : int
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If `d_model` is not a whole number of at least 1.

    Notes
    -----
    Source: Yang et al. 2016, "Hierarchical Attention Networks for Document Classification", section 2.2 (there the
    words pass through one more layer before they are scored).

    Examples
    --------
    >>> pooled, weights = AttentionPooling(2)([[1.0, 0.0], [3.0, 4.0]])
    >>> pooled.tolist(), weights.tolist()
    ([2.0, 2.0], [0.5, 0.5])
    """

    parameters = ("query",)

    def __init__(self, d_model, *, dtype=np.float32):
        self.query = np.zeros(check_size("d_model", d_model, low=1), check_dtype(dtype))

    def __call__(self, x, mask=None):
        """x (..., n, d_model), mask (..., n) True = real -> pooled (..., d_model), weights (..., n)."""
        x = check_rows("x", x, len(self.query), pads=True)
        if mask is not None:
            mask = check_real(mask, x.shape[:-1])
            x, mask = where(mask[..., None], x, 0), mask[..., None, :]  # a pad may hold anything, NaN too
        x = check_rows("x", x, len(self.query))
        dtype = x.dtype if x.dtype.kind == "f" else np.float64
        query = self.query.reshape(1, -1).astype(dtype)
        pooled, weights = scaled_dot_product_attention(query, x, x, mask)
        return pooled[..., 0, :], weights[..., 0, :]
