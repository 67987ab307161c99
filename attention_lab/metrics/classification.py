"""How good predictions are, as one number: classes, scores, and the surprise of a language model.

What scikit-learn and SciPy measure is theirs; they are imported where they are needed. Here is what goes in, and what
comes out where their measure is not defined.
"""

from importlib import import_module

import numpy as np

from attention_lab.checks import as_visible, check_finite, numeric


def accuracy(predicted, true):
    """The share of predictions that are right.

    Parameters
    ----------
    predicted, true : array_like of whole numbers, booleans or strings, (...)
        Classes, of equal shape.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    TypeError, ValueError
        If the two are no classes of one kind, differ in shape, or are empty.

    Examples
    --------
    >>> accuracy([1, 0, 1, 1], [1, 0, 0, 1])
    0.75
    """
    predicted, true = _classes(predicted=predicted, true=true)
    return float((predicted == true).mean())


def f1_score(predicted, true, *, positive=1):
    """The harmonic mean of precision and recall of one class.

    F1 = 2 TP / (2 TP + FP + FN); 0 where the class is neither predicted nor true.

    Parameters
    ----------
    predicted, true : array_like of whole numbers, booleans or strings, (...)
        Of two classes at most.
    positive : int or str
        The class that is looked for.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ImportError
        If scikit-learn is missing: the message says what to type.
    TypeError, ValueError
        As `accuracy`, and if there are more than two classes, or `positive` is of another kind than they are.

    Examples
    --------
    >>> f1_score([1, 1, 1, 0], [1, 0, 1, 1]) == 2 / 3  # 2 hits, 1 false alarm, 1 missed
    True
    """
    predicted, true = _classes(predicted=predicted, true=true)
    classes = np.union1d(predicted, true)
    _classes(positive=[positive], true=classes[:1])
    if len(classes) > 2:
        raise ValueError(
            f"f1_score knows two classes, got {len(classes)}: for class c against all others write "
            "f1_score(predicted == c, true == c)"
        )
    measure = _module("sklearn.metrics").f1_score
    return float(measure(true == positive, predicted == positive, zero_division=0.0))


def matthews_correlation(predicted, true):
    """The correlation of predicted and true classes (MCC): 1 all right, 0 no better than chance, -1 all wrong.

    It is 0 where only one class is predicted, or only one is true: a row or a column of the table of counts is empty.

    Parameters
    ----------
    predicted, true : array_like of whole numbers, booleans or strings, (...)
        Of two classes or more.

    Returns
    -------
    float
        Between -1 and 1.

    Raises
    ------
    ImportError
        If scikit-learn is missing: the message says what to type.
    TypeError, ValueError
        As `accuracy`.

    Notes
    -----
    Source: Matthews 1975, "Comparison of the predicted and observed secondary structure of T4 phage lysozyme"; for
    more than two classes Gorodkin 2004, "Comparing two K-category assignments by a K-category correlation coefficient".

    Examples
    --------
    >>> round(matthews_correlation([1, 1, 1, 0], [1, 0, 1, 0]), 3)
    0.577
    >>> matthews_correlation([1, 1, 1, 1], [1, 1, 1, 0])  # 0.75 are right, by saying the same to all
    0.0
    """
    predicted, true = _classes(predicted=predicted, true=true)
    if min(len(np.unique(predicted)), len(np.unique(true))) < 2:
        return 0.0
    return float(_module("sklearn.metrics").matthews_corrcoef(true, predicted))


def pearson(x, y):
    """How nearly two series of numbers lie on a line: 1 rising, -1 falling, 0 neither.

    r = Σ (x - mean x)(y - mean y) / √(Σ (x - mean x)² · Σ (y - mean y)²)

    Parameters
    ----------
    x, y : array_like of numbers, (n,)
        n is at least 2, and neither holds the same number throughout.

    Returns
    -------
    float
        Between -1 and 1.

    Raises
    ------
    ImportError
        If SciPy is missing: the message says what to type.
    TypeError, ValueError
        If the two differ in shape, are no finite numbers in a row, or one of them is constant.

    Examples
    --------
    >>> round(pearson([1, 2, 3], [1, 4, 9]), 3)
    0.99
    """
    x, y = _series(x, y)
    return float(_module("scipy.stats").pearsonr(x, y)[0])


def spearman(x, y):
    """How nearly two series of numbers are in the same order: `pearson` of their ranks, equal numbers sharing theirs.

    Parameters, result and errors are those of `pearson`.

    Examples
    --------
    >>> round(spearman([1, 2, 3], [1, 4, 9]), 3)
    1.0
    """
    x, y = _series(x, y)
    return float(_module("scipy.stats").spearmanr(x, y)[0])


def perplexity(nats, mask=None):
    """Among how many equally likely tokens a model was in doubt, on average.

    perplexity = exp(mean of -ln p(token)), the mean over all tokens at once

    It is not the mean of the perplexities of sentences, where one bad short sentence outweighs a long good one.
    Two models can be compared where they split the same text into the same tokens.

    Parameters
    ----------
    nats : array_like, (...)
        Of each token -ln p(token). The mean itself, a `cross_entropy`, is one number and gives the same.
    mask : array_like of bool, (...), optional
        True = a token that counts; padding does not.

    Returns
    -------
    float
        At least 1. Infinite where a token was held to be impossible.

    Raises
    ------
    TypeError, ValueError
        If `nats` holds NaN, or numbers below 0 (then it holds ln p), no token counts, or the mask has another shape.

    Examples
    --------
    >>> round(perplexity([np.log(27)] * 4), 3)  # a guess among 27 symbols
    27.0
    >>> round(perplexity([[np.log(8), np.log(2)], [np.log(4), 0]], [[True, True], [True, False]]), 3)  # ∛64
    4.0
    """
    nats = numeric("nats", nats).astype(np.float64)
    if mask is not None:
        mask = as_visible("mask", mask)
        if mask.shape != nats.shape:
            raise ValueError(f"mask has shape {mask.shape} but nats {nats.shape}: one for each token")
        nats = nats[mask]
    if not nats.size:
        raise ValueError("nats holds no token that counts: expected at least one")
    if not (nats > -1e-5).all():  # in float32 a certain token may end up a little below 0
        raise ValueError(f"nats must be at least 0, got {nats.min():.3g}: give -ln p of each token, not ln p")
    with np.errstate(over="ignore"):
        return float(np.exp(max(nats.mean(), 0.0)))


def _module(name):
    """A module of scikit-learn or SciPy, which scikit-learn brings along."""
    try:
        return import_module(name)
    except ImportError as error:
        message = f'this metric needs {error.name}, which is missing: run  python -m pip install "scikit-learn>=1.5"'
        raise ImportError(message, name=error.name) from None


def _array(name, given):
    try:
        return np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{name} must be an array: its rows have different lengths") from error


def _classes(**arrays):
    """Both as flat arrays of classes of one kind: whole numbers (booleans are 0 and 1), or strings."""
    read = {name: _array(name, array) for name, array in arrays.items()}
    for name, array in read.items():
        if not array.size:
            raise ValueError(f"{name} is empty, shape {array.shape}: expected at least one class")
        if array.dtype.kind not in "iubU":
            hint = f": write {name}.argmax(-1) if these are scores of each class" if array.dtype.kind == "f" else ""
            raise TypeError(f"{name} must hold whole numbers, booleans or strings, got dtype {array.dtype}{hint}")
    _same_shape(**read)
    (first, one), (second, other) = ((name, array.dtype.kind == "U") for name, array in read.items())
    if one != other:
        words = ("numbers", "strings")
        raise TypeError(f"{first} holds {words[one]} but {second} {words[other]}: expected classes of one kind")
    return [array.ravel() + 0 if array.dtype == bool else array.ravel() for array in read.values()]


def _series(x, y):
    """Both as float64 (n,): finite, of equal length, and not constant."""
    read = {name: numeric(name, array).astype(np.float64) for name, array in (("x", x), ("y", y))}
    _same_shape(**read)
    for name, array in read.items():
        if array.ndim != 1 or not array.size:
            raise ValueError(f"{name} must be numbers in a row, (n,), got shape {array.shape}")
        check_finite(**{name: array})
        if np.ptp(array) <= 1e-12 * abs(array).max():  # nearer than that, rounding alone would decide
            raise ValueError(f"{name} is constant ({array[0]:g}): a correlation needs at least two different numbers")
    return read.values()


def _same_shape(**arrays):
    (first, one), (second, other) = arrays.items()
    if one.shape != other.shape:
        raise ValueError(f"{first} has shape {one.shape} but {second} {other.shape}: they come in pairs")
