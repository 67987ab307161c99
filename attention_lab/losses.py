"""How wrong a prediction is, as one number."""

import numpy as np

from attention_lab.attention import log_softmax
from attention_lab.autodiff import differentiable
from attention_lab.checks import check_ids, check_number, check_size, floating, numeric


def _cross_entropy_backward(grad, saved):
    logs, aims, count = saved
    return (grad * (np.exp(logs) * aims.sum(-1, keepdims=True) - aims) / count,)


@differentiable(_cross_entropy_backward)
def cross_entropy(logits, targets, *, ignore_index=None, label_smoothing=0.0):
    """The mean number of nats by which the right answers surprise the model.

    cross_entropy = -mean over positions of log softmax(logits)[target]

    With label smoothing s, an aim is 1 - s on the target and s spread evenly over all classes.

    Parameters
    ----------
    logits : array_like, (..., num_classes)
        Scores of each class, before any softmax.
    targets : array_like of int, (...)
        The right class of each position.
    ignore_index : int, optional
        A target that does not count, as padding. Where none counts, the loss is 0.
    label_smoothing : float
        At least 0 and below 1.

    Returns
    -------
    ndarray, ()
        One number, with the floating dtype of `logits`; inf where a class that is aimed at has a logit of -inf.

    Raises
    ------
    TypeError, ValueError
        If the shapes do not match, or a target is no class.

    Notes
    -----
    Label smoothing: Szegedy et al. 2016, "Rethinking the Inception Architecture for Computer Vision", section 7.

    Examples
    --------
    >>> float(cross_entropy([[0.0, 0.0], [0.0, 0.0]], [0, 1]).round(3))  # log 2: a coin
    0.693
    """
    logits, dtype = floating(logits=logits)
    targets = numeric("targets", targets)
    if logits.ndim < 1 or targets.shape != logits.shape[:-1]:
        expected = f"{logits.shape[:-1]}, one for each row of logits {logits.shape}"
        raise ValueError(f"targets has shape {targets.shape}: expected {expected}")
    counts = np.ones(targets.shape, bool)
    if ignore_index is not None:
        counts = targets != check_size("ignore_index", ignore_index, low=-(2**62), below=2**62)
    targets = check_ids("targets", np.where(counts, targets, 0), logits.shape[-1])
    smooth = check_number("label_smoothing", label_smoothing, low=0, below=1)
    aims = np.full(logits.shape, smooth / logits.shape[-1], logits.dtype)
    np.put_along_axis(aims, targets[..., None], 1 - smooth + smooth / logits.shape[-1], axis=-1)
    aims *= counts[..., None]
    logs, count = log_softmax(logits), max(1, int(counts.sum()))
    nats = np.multiply(aims, -logs, out=np.zeros_like(logs), where=aims > 0)  # a logit of -inf is no class to aim at
    return np.asarray(nats.sum() / count, dtype), (logs, aims, count)
