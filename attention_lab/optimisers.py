"""What is done with the gradients: clipped, then turned into a step of the parameters, at a rate that may change."""

import math

import numpy as np

from attention_lab.checks import check_number, check_size, numeric
from attention_lab.gradients import parameters


class Adam:
    """Each parameter moves by about the learning rate: its mean gradient over the root of its mean squared gradient.

    m = β₁ m + (1 - β₁) g,    v = β₂ v + (1 - β₂) g²
    θ = θ - lr · weight_decay · θ - lr · m / (1 - β₁ᵗ) / (√(v / (1 - β₂ᵗ)) + eps)

    The divisions by 1 - βᵗ make up for the start at 0: the first step is lr, whatever the gradient's size.

    Parameters
    ----------
    model : object
        Its `parameters` are written in place.
    lr : float
        Learning rate.
    betas : tuple of float
        How much of the two running means is kept at each step.
    eps : float
        Keeps the quotient finite. A gradient that is not much larger moves its parameter less than lr.
    weight_decay : float
        Share of lr by which every parameter shrinks, apart from the gradient: with it this is AdamW.

    Raises
    ------
    TypeError, ValueError
        If a number is out of its range, or the model has nothing to learn.

    Notes
    -----
    ``.step(gradients, lr=None)`` makes one step; a `lr` stands in for the own one that once. ``.steps`` counts them.
    Sources: Kingma & Ba 2015, "Adam", algorithm 1; Loshchilov & Hutter 2019, "Decoupled Weight Decay Regularization",
    algorithm 2.

    Examples
    --------
    >>> from attention_lab import Linear
    >>> layer = Linear(2, 1, bias=False)
    >>> layer.weight[:] = 1
    >>> Adam(layer, lr=0.1).step({"weight": np.array([[100.0], [-0.01]])})
    >>> layer.weight.round(3).tolist()
    [[0.8999999761581421], [1.100000023841858]]
    """

    def __init__(self, model, lr=1e-3, *, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        self.model, self.lr, self.steps = model, check_number("lr", lr, low=0), 0
        if not (isinstance(betas, list | tuple) and len(betas) == 2):
            raise ValueError(f"betas must be two numbers, got {betas!r}")
        self.betas = tuple(check_number("betas", beta, low=0, below=1) for beta in betas)
        self.eps = check_number("eps", eps, low=0)
        self.weight_decay = check_number("weight_decay", weight_decay, low=0)
        self._mean, self._square = _zeros(model), _zeros(model)

    def step(self, gradients, lr=None):
        lr = self.lr if lr is None else check_number("lr", lr, low=0)
        arrays = parameters(self.model)
        gradient = _flat(gradients, arrays, self._mean)
        self.steps += 1
        for running, beta, new in zip((self._mean, self._square), self.betas, (gradient, gradient * gradient)):
            running *= beta
            running += (1 - beta) * new
        mean_bias, square_bias = (1 - beta**self.steps for beta in self.betas)
        root = np.sqrt(self._square / square_bias) + self.eps
        _shrink(arrays, lr * self.weight_decay)
        _subtract(arrays, self._mean / root * (lr / mean_bias))


class SGD:
    """Stochastic gradient descent: each parameter moves against its gradient, with momentum if wanted.

    b = momentum · b + g + weight_decay · θ,    θ = θ - lr · b

    Parameters
    ----------
    model : object
        Its `parameters` are written in place.
    lr : float
        Learning rate.
    momentum : float
        How much of the last step's direction is kept.
    weight_decay : float
        What is added to the gradient, as a share of the parameter.

    Raises
    ------
    TypeError, ValueError
        If a number is out of its range, or the model has nothing to learn.

    Notes
    -----
    ``.step(gradients, lr=None)`` makes one step; a `lr` stands in for the own one that once. ``.steps`` counts them.

    Examples
    --------
    >>> from attention_lab import Linear
    >>> layer = Linear(2, 1, bias=False)
    >>> layer.weight[:] = 1
    >>> SGD(layer, lr=0.5).step({"weight": np.array([[1.0], [-2.0]])})
    >>> layer.weight.tolist()
    [[0.5], [2.0]]
    """

    def __init__(self, model, lr=1e-2, *, momentum=0.0, weight_decay=0.0):
        self.model, self.lr, self.steps = model, check_number("lr", lr, low=0), 0
        self.momentum = check_number("momentum", momentum, low=0, below=1)
        self.weight_decay = check_number("weight_decay", weight_decay, low=0)
        self._direction = _zeros(model)

    def step(self, gradients, lr=None):
        lr = self.lr if lr is None else check_number("lr", lr, low=0)
        arrays = parameters(self.model)
        gradient = _flat(gradients, arrays, self._direction)
        if self.weight_decay:
            gradient += self.weight_decay * _flat(arrays, arrays, self._direction)
        self.steps += 1
        self._direction *= self.momentum
        self._direction += gradient
        _subtract(arrays, self._direction * lr)


def warmup_cosine(step, *, peak, warmup, total, floor=0.0):
    """A learning rate that rises in a straight line, then falls along half a cosine.

    lr = peak · (step + 1) / (warmup + 1)                                            for step < warmup
    lr = floor + (peak - floor) · (1 + cos(π (step - warmup) / (total - warmup))) / 2    for warmup <= step < total

    Steps count from 0. The rise starts above 0, so that the first step is not lost; the peak stands at step `warmup`,
    and from step `total` on it is the floor.

    Parameters
    ----------
    step : int
    peak : float
        The largest rate.
    warmup, total : int
        Steps of the rise, and of the whole; warmup <= total.
    floor : float
        What the rate falls to, at most `peak`.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a number is out of its range.

    Notes
    -----
    Source of the cosine: Loshchilov & Hutter 2017, "SGDR: Stochastic Gradient Descent with Warm Restarts", equation 5.

    Examples
    --------
    >>> [round(warmup_cosine(step, peak=1.0, warmup=3, total=7), 3) for step in range(9)]
    [0.25, 0.5, 0.75, 1.0, 0.854, 0.5, 0.146, 0.0, 0.0]
    """
    step, warmup = check_size("step", step), check_size("warmup", warmup)
    total = check_size("total", total, low=warmup)
    floor = check_number("floor", floor, low=0)
    peak = check_number("peak", peak, low=floor)
    if step >= total:
        return floor
    if step < warmup:
        return peak * (step + 1) / (warmup + 1)
    return floor + (peak - floor) * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) / 2


def clip_gradients(gradients, max_norm):
    """Shorten the gradients, all by one factor, until their common length is at most `max_norm`.

    norm = √(Σ g²) over every number of every gradient,    g = g · min(1, max_norm / norm)

    Parameters
    ----------
    gradients : dict of str to ndarray
        As `value_and_grad` gives them; they are not changed.
    max_norm : float
        Above 0.

    Returns
    -------
    gradients : dict of str to ndarray
        With the same names, shapes and dtypes.
    norm : float
        Their length before.

    Raises
    ------
    TypeError, ValueError
        If `max_norm` is not above 0.
    FloatingPointError
        If a gradient holds NaN or inf: no factor would mend it.

    Notes
    -----
    Source: Pascanu et al. 2013, "On the difficulty of training recurrent neural networks", algorithm 1.

    Examples
    --------
    >>> clipped, norm = clip_gradients({"a": np.array([3.0]), "b": np.array([4.0])}, 1.0)
    >>> norm, round(float(clipped["a"][0]), 3), round(float(clipped["b"][0]), 3)
    (5.0, 0.6, 0.8)
    """
    max_norm = check_number("max_norm", max_norm, above=0)
    if not isinstance(gradients, dict):
        raise TypeError(f"gradients must be a dict of arrays by name, got {gradients!r:.80}")
    gradients = {name: numeric(f"gradients[{name!r}]", grad) for name, grad in gradients.items()}
    norm = gradient_norm(gradients)
    if not math.isfinite(norm):
        name = first_not_finite(gradients)
        raise FloatingPointError(f"the gradient of {name} holds NaN or inf: it cannot be clipped")
    if norm <= max_norm:
        return gradients, norm
    return {name: grad * np.result_type(grad, np.half).type(max_norm / norm) for name, grad in gradients.items()}, norm


def gradient_norm(gradients):
    """The length of all gradients as one vector; NaN or inf if one of them holds such a number, else finite."""
    working = [grad.astype(np.promote_types(grad.dtype, np.float32), copy=False) for grad in gradients.values()]
    with np.errstate(all="ignore"):
        norm = math.sqrt(sum(float(np.vdot(grad, grad)) for grad in working))
        if math.isinf(norm):  # squares that float32 cannot hold
            largest = max(float(np.abs(grad).max(initial=0)) for grad in working)
            shares = (grad.astype(np.float64) / largest for grad in working)
            norm = largest * math.sqrt(sum(float(np.vdot(share, share)) for share in shares))
    return norm


def first_not_finite(arrays, beyond=math.inf):
    """The first name whose array holds NaN, inf or a number at or beyond a limit; None if there is none."""
    return next((name for name, array in arrays.items() if not (np.abs(array) < beyond).all()), None)


def _zeros(model):
    """One zero for every number that the model learns, in one flat array of at least float32."""
    arrays = parameters(model)
    if not arrays:
        raise ValueError(f"model has no parameters to train: {type(model).__name__} and its parts name none")
    for name, array in arrays.items():
        if not array.flags.writeable:
            raise ValueError(f"parameter {name} is read-only, but training writes in place: give the model a copy")
    return np.zeros(sum(array.size for array in arrays.values()), np.result_type(np.float32, *arrays.values()))


def _flat(gradients, arrays, like):
    """All gradients in one new row, in the order of the parameters."""
    for name in [*arrays, *gradients]:
        if name not in gradients or name not in arrays:
            lack = "has no gradient" if name in arrays else "is no parameter of the model"
            raise ValueError(f"gradients must name the model's parameters: {name} {lack}")
        if np.shape(gradients[name]) != arrays[name].shape:
            got = np.shape(gradients[name])
            raise ValueError(f"the gradient of {name} has shape {got}, but the parameter has {arrays[name].shape}")
    return np.concatenate([np.ravel(gradients[name]) for name in arrays], dtype=like.dtype, casting="same_kind")


def _shrink(arrays, share):
    if share:
        for array in arrays.values():
            array *= 1 - share


def _subtract(arrays, changes):
    """Each parameter minus its part of one flat array, in place."""
    start = 0
    for array in arrays.values():
        array -= changes[start : start + array.size].reshape(array.shape)
        start += array.size
