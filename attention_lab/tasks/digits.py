"""Reading an image with attention: cut it into patches, let them read one another."""

import numpy as np

from attention_lab.activations import relu
from attention_lab.autodiff import differentiable
from attention_lab.blocks import Encoder
from attention_lab.checks import check_choice, check_finite, check_size, floating
from attention_lab.layers import Linear
from attention_lab.positions import LearnedPositions

STEMS = ("patches", "convolution")


def _patches_backward(grad, saved):
    shape, size, stride, padding = saved
    *leading, height, width, channels = shape
    whole = np.zeros((*leading, height + 2 * padding, width + 2 * padding, channels), grad.dtype)
    rows, columns = grad.shape[-3:-1]
    grad = grad.reshape(*grad.shape[:-1], size, size, channels)
    for i, j in np.ndindex(size, size):  # each pixel gets what every patch that holds it says
        down, across = (slice(at, at + stride * n, stride) for at, n in ((i, rows), (j, columns)))
        whole[..., down, across, :] += grad[..., i, j, :]
    return (whole[..., padding : padding + height, padding : padding + width, :],)


@differentiable(_patches_backward)
def patches(x, size, *, stride=1, padding=0):
    """Cut an image into square patches, each a row of numbers. A linear layer after it is a convolution.

    patch (r, c) = x[r · stride + i, c · stride + j, :]  for i, j below size, one after the other

    Parameters
    ----------
    x : array_like, (..., height, width, channels)
    size : int
        Pixels of a patch, down and across.
    stride : int
        Pixels from one patch to the next.
    padding : int
        Zeros around the image.

    Returns
    -------
    ndarray, (..., rows, columns, size · size · channels)
        NaN, inf and -inf stay where `x` holds them.

    Raises
    ------
    TypeError, ValueError
        If a size is impossible, or a patch does not fit into the image.

    Notes
    -----
    Source: Dumoulin & Visin 2016, "A guide to convolution arithmetic for deep learning", relationship 6.

    Examples
    --------
    >>> patches(np.arange(16.0).reshape(4, 4, 1), 2, stride=2)[0, 1].tolist()
    [2.0, 3.0, 6.0, 7.0]
    """
    x, _ = floating(x=x)
    size, stride = check_size("size", size, low=1), check_size("stride", stride, low=1)
    padding = check_size("padding", padding)
    if x.ndim < 3 or min(x.shape[-3:-1]) + 2 * padding < size:
        raise ValueError(f"x must be (..., height, width, channels), at least {size} by {size}, got shape {x.shape}")
    framed = np.pad(x, [(0, 0)] * (x.ndim - 3) + [(padding, padding)] * 2 + [(0, 0)])
    windows = np.lib.stride_tricks.sliding_window_view(framed, (size, size), axis=(-3, -2))
    windows = np.moveaxis(windows[..., ::stride, ::stride, :, :, :], -3, -1)  # (..., size, size, channels)
    return windows.reshape(*windows.shape[:-3], size * size * x.shape[-1]), (x.shape, size, stride, padding)


class DigitReader:
    """Say which digit an image of 8 by 8 pixels shows, cut into 16 tokens.

    stem "patches":      token = linear(2 × 2 pixels)
    stem "convolution":  token = linear(2 × 2 places of relu(3 × 3 convolution of the pixels, 8 channels))

    tokens + positions -> blocks -> all tokens side by side -> one linear layer

    Parameters
    ----------
    d_model, num_heads : int
    stem : {"patches", "convolution"}
    num_layers : int
        Blocks; 0: the tokens do not read one another.
    rng, dtype : as in `EncoderBlock`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or the stem is unknown.

    Notes
    -----
    After Dosovitskiy et al. 2021, "An Image is Worth 16x16 Words"; the stem of convolutions: Xiao et al. 2021, "Early
    Convolutions Help Transformers See Better". There one token that stands for the whole image is read out.

    Examples
    --------
    >>> model = DigitReader(16, 4, rng=np.random.default_rng(0))
    >>> logits, weights = model(np.ones((2, 8, 8)))
    >>> logits.shape, weights[0].shape
    ((2, 10), (2, 4, 16, 16))
    """

    def __init__(self, d_model, num_heads, *, stem="convolution", num_layers=1, rng=None, dtype=np.float32):
        check_size("d_model", d_model, low=1)
        rng = np.random.default_rng() if rng is None else rng
        about, bends = {"rng": rng, "dtype": dtype}, check_choice("stem", stem, STEMS) == "convolution"
        self.convolve = Linear(9, 8, **about) if bends else None
        self.embed = Linear(4 * 8 if bends else 4, d_model, **about)
        self.positions = LearnedPositions(16, d_model, **about)
        layers = check_size("num_layers", num_layers)
        self.encoder = Encoder(layers, d_model, num_heads, 2 * d_model, **about) if layers else None
        self.head = Linear(16 * d_model, 10, **about)

    def __call__(self, images):
        """images (..., 8, 8) -> logits (..., 10), weights, a list of (..., num_heads, 16, 16)."""
        images, _ = floating(images=images)
        check_finite(images=images)
        if images.shape[-2:] != (8, 8):
            raise ValueError(f"images must be (..., 8, 8), got shape {images.shape}")
        x, weights = images[..., None], []
        if self.convolve is not None:
            x = relu(self.convolve(patches(x, 3, padding=1)))  # (..., 8, 8, 8)
        x = self.embed(patches(x, 2, stride=2))  # (..., 4, 4, d_model)
        x = self.positions(x.reshape(*x.shape[:-3], 16, x.shape[-1]))
        if self.encoder is not None:
            x, weights = self.encoder(x)
        return self.head(x.reshape(*x.shape[:-2], 16 * x.shape[-1])), weights
