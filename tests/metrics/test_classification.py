"""Metrics: values by hand and by loops, what is not defined, padding, and what is refused."""

import itertools
import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_lab import cross_entropy, log_softmax
from attention_lab.metrics import accuracy, f1_score, matthews_correlation, pearson, perplexity, spearman

CLASSES = [accuracy, f1_score, matthews_correlation]
SERIES = [pearson, spearman]
# 3 true positives, 1 false positive, 2 false negatives, 5 true negatives.
TRUE = [1] * 3 + [0] * 1 + [1] * 2 + [0] * 5
PREDICTED = [1] * 3 + [1] * 1 + [0] * 2 + [0] * 5


# ---- classes --------------------------------------------------------------------------------------------------


def test_classes_by_hand():
    assert accuracy(PREDICTED, TRUE) == 8 / 11
    assert f1_score(PREDICTED, TRUE) == pytest.approx(6 / 9, rel=1e-15)
    by_hand = (3 * 5 - 1 * 2) / math.sqrt((3 + 1) * (3 + 2) * (5 + 1) * (5 + 2))
    assert matthews_correlation(PREDICTED, TRUE) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("metric", CLASSES)
def test_all_right_and_any_form(metric):
    assert metric(TRUE, TRUE) == 1
    expected = metric(PREDICTED, TRUE)
    assert type(expected) is float
    assert metric(np.array(PREDICTED, bool), TRUE) == expected
    assert metric(np.array(PREDICTED, np.uint8)[:, None], np.array(TRUE)[:, None]) == expected
    words = (["a cat" if one else "no" for one in classes] for classes in (PREDICTED, TRUE))
    assert metric(*words, **({"positive": "a cat"} if metric is f1_score else {})) == expected


def test_all_wrong():
    wrong = [1 - one for one in TRUE]
    assert [metric(wrong, TRUE) for metric in CLASSES] == [0, 0, -1]


def test_f1_looks_for_the_named_class():
    assert f1_score(PREDICTED, TRUE, positive=0) == pytest.approx(10 / 13, rel=1e-15)
    assert f1_score([2, 2, 5], [2, 5, 5], positive=2) == pytest.approx(2 / 3, rel=1e-15)
    assert f1_score([0, 0, 0], [1, 1, 0]) == f1_score([1, 1], [0, 0]) == f1_score([0, 0], [0, 0]) == 0


@pytest.mark.parametrize("predicted", [*itertools.product([0, 1], repeat=3)], ids=str)
def test_mcc_is_0_where_a_row_or_a_column_is_empty(predicted):
    for true in itertools.product([0, 1], repeat=3):
        found = matthews_correlation(predicted, true)
        if len({*predicted}) == 1 or len({*true}) == 1:
            assert found == 0
        else:
            assert found == pytest.approx(np.corrcoef(predicted, true)[0, 1], rel=1e-12)


def test_more_than_two_classes():
    predicted, true = [[0, 1], [2, 2], [1, 0]], [[0, 1], [2, 1], [1, 0]]
    assert accuracy(predicted, true) == 5 / 6
    # Gorodkin's formula: c right, s in all, p and t the counts of each class.
    c, s, p, t = 5, 6, np.array([2, 2, 2]), np.array([2, 3, 1])
    by_hand = (c * s - p @ t) / math.sqrt((s * s - p @ p) * (s * s - t @ t))
    assert matthews_correlation(predicted, true) == pytest.approx(by_hand, rel=1e-12)
    with pytest.raises(ValueError, match="two classes, got 3.*predicted == c"):
        f1_score(predicted, true)


@pytest.mark.parametrize("metric", CLASSES)
@pytest.mark.parametrize(
    ("predicted", "true", "error", "words"),
    [
        ([0, 1], [0, 1, 1], ValueError, r"predicted has shape \(2,\) but true \(3,\)"),
        ([[0, 1]], [0, 1], ValueError, r"predicted has shape \(1, 2\) but true \(2,\)"),
        ([], [], ValueError, r"predicted is empty, shape \(0,\)"),
        ([1], [], ValueError, "true is empty"),
        ([0.2, 0.8], [0, 1], TypeError, r"predicted .*float64: write predicted.argmax\(-1\)"),
        ([0, 1], [0, math.nan], TypeError, "true must hold whole numbers, booleans or strings, got dtype float64"),
        ([0, None], [0, 1], TypeError, "predicted must hold .* got dtype object$"),
        ([0, 1], ["no", "yes"], TypeError, "predicted holds numbers but true strings"),
    ],
)
def test_classes_refused(metric, predicted, true, error, words):
    with pytest.raises(error, match=words):
        metric(predicted, true)


@pytest.mark.parametrize(
    ("positive", "error", "words"),
    [
        (1, TypeError, "positive holds numbers but true strings"),
        (None, TypeError, "positive must hold"),
        (["yes", "no"], ValueError, r"positive has shape \(1, 2\)"),
    ],
)
def test_a_positive_class_of_another_kind_is_refused(positive, error, words):
    with pytest.raises(error, match=words):
        f1_score(["yes", "no"], ["no", "no"], positive=positive)


# ---- series ---------------------------------------------------------------------------------------------------


def test_series_by_hand():
    x, y = [1, 2, 3, 4], [2, 1, 4, 5]  # deviations -1.5 -.5 .5 1.5 and -1 -2 1 2
    assert pearson(x, y) == pytest.approx(6 / math.sqrt(5 * 10), rel=1e-12)
    assert spearman(x, y) == pytest.approx(1 - 6 * 2 / (4 * 15), rel=1e-12)  # 1 - 6 Σd² / (n (n² - 1))
    # Ties share their mean rank: 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
    assert spearman([1, 7, 7, 9], x) == pytest.approx(4.5 / math.sqrt(4.5 * 5), rel=1e-12)


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=20, unique=True), st.floats(0.01, 100), st.booleans())
@settings(max_examples=50, deadline=None)
def test_a_line_and_an_order(x, slope, falls):
    sign = -1 if falls else 1
    x = np.array(x, float)
    assert pearson(x, sign * slope * x + 3) == pytest.approx(sign, abs=1e-9)
    assert spearman(x, sign * np.exp(x / 100)) == pytest.approx(sign, abs=1e-9)


@pytest.mark.parametrize("metric", SERIES)
def test_series_of_any_dtype_and_size(metric):
    x, y = np.array([1, 2, 3, 4]), np.array([2, 1, 4, 5])
    expected = metric(x, y)
    assert type(expected) is float
    assert metric(y, x) == pytest.approx(expected, rel=1e-12)
    assert metric(x.astype(np.float16), y.astype(np.int8)) == expected
    for scale in (1e-100, 1e100):
        assert metric(x * scale, y) == pytest.approx(expected, rel=1e-12)
    # Only just not constant, still without a warning.
    assert metric(1e6 + 1e-5 * x, y) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("metric", SERIES)
@pytest.mark.parametrize(
    ("x", "y", "error", "words"),
    [
        ([1, 2, 3], [4, 4, 4], ValueError, r"y is constant \(4\)"),
        ([0, 0], [1, 2], ValueError, r"x is constant \(0\)"),
        ([0.1 + 0.2, 0.3], [1, 2], ValueError, r"x is constant \(0.3\)"),
        ([7], [7], ValueError, "x is constant"),
        ([1, 2], [1, 2, 3], ValueError, r"x has shape \(2,\) but y \(3,\)"),
        ([], [], ValueError, r"x must be numbers in a row, \(n,\), got shape \(0,\)"),
        ([[1, 2]], [[1, 3]], ValueError, r"got shape \(1, 2\)"),
        (1, 2, ValueError, r"got shape \(\)"),
        ([1, math.nan], [1, 2], ValueError, "x holds NaN or inf"),
        ([1, 2], [1, math.inf], ValueError, "y holds NaN or inf"),
        (["a", "b"], [1, 2], TypeError, "x must hold real numbers"),
    ],
)
def test_series_refused(metric, x, y, error, words):
    with pytest.raises(error, match=words):
        metric(x, y)


# ---- perplexity -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3)], ids=str)
def test_a_guess_among_n_is_n(shape):
    assert perplexity(np.full(shape, math.log(27))) == pytest.approx(27, rel=1e-12)
    assert perplexity(np.zeros(shape)) == 1


def test_the_mean_is_over_tokens_not_over_sentences():
    long, short = np.log([2, 2, 2, 2, 2, 2]), np.log([32, 8])
    every = np.concatenate([long, short])
    assert perplexity(every) == pytest.approx(2 ** (14 / 8), rel=1e-12)  # 6 × 1 + 5 + 3 bits, 8 tokens
    assert np.mean([perplexity(long), perplexity(short)]) == pytest.approx((2 + 16) / 2, rel=1e-12)


def test_padding_does_not_count():
    nats = np.log([[2, 8, 1, 1], [4, 4, 4, 1]])
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 0]])
    assert perplexity(nats, mask) == perplexity(nats, mask.astype(bool)) == pytest.approx(4, rel=1e-12)
    assert perplexity(nats) < 3
    assert perplexity(np.where(mask, nats, math.nan), mask) == pytest.approx(4, rel=1e-12)  # whatever stands there


def test_from_logits_and_from_their_cross_entropy():
    rng = np.random.default_rng(0)
    logits, targets = rng.normal(size=(2, 3, 5)), rng.integers(5, size=(2, 3))
    nats = -np.take_along_axis(log_softmax(logits), targets[..., None], -1)[..., 0]
    assert perplexity(nats) == pytest.approx(perplexity(cross_entropy(logits, targets)), rel=1e-12)
    assert type(perplexity(nats)) is float
    certain = np.array([[50, 0], [50, 0]], np.float32)
    assert perplexity(-log_softmax(certain)[:, 0]) == 1
    assert perplexity([-1e-7, 0]) == 1  # rounding


def test_what_was_impossible_or_too_large_is_infinite_without_a_warning():
    assert perplexity([math.inf, 0]) == perplexity([2000, 1000]) == math.inf
    assert perplexity(np.array([60000, 60000, 0, 0, 0, 0], np.float16) / 1000) == pytest.approx(math.exp(20), rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([],), ValueError, "nats holds no token"),
        (([1.0, 2.0], [False, False]), ValueError, "nats holds no token"),
        (([-1.0, 0.5],), ValueError, "got -1: give -ln p of each token, not ln p"),
        (([math.nan, 1],), ValueError, "nats must be at least 0, got nan"),
        ((["a"],), TypeError, "nats must hold real numbers"),
        (([[1.0, 2.0]], [True, False]), ValueError, r"mask has shape \(2,\) but nats \(1, 2\)"),
        (([1.0, 2.0], [0.0, 1.0]), TypeError, "mask must be boolean"),
        (([1.0, 2.0], [3, 2]), ValueError, "mask of integers"),
    ],
)
def test_perplexity_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        perplexity(*arguments)


# ---- without scikit-learn -------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [f1_score, matthews_correlation, pearson, spearman])
def test_an_absent_library_names_what_to_type(metric, monkeypatch):
    for name in ("sklearn", "sklearn.metrics", "scipy", "scipy.stats"):
        monkeypatch.setitem(sys.modules, name, None)
    command = 'run  python -m pip install "scikit-learn>=1.5"'
    with pytest.raises(ImportError, match=f"^this metric needs (sklearn|scipy).*, which is missing: {command}$"):
        metric([0, 1], [1, 0])


def test_some_need_numpy_alone(monkeypatch):
    for name in ("sklearn", "sklearn.metrics", "scipy", "scipy.stats"):
        monkeypatch.setitem(sys.modules, name, None)
    assert accuracy([1], [1]) == perplexity([0]) == 1


def test_the_command_has_the_projects_lower_bound():
    import tomllib
    from pathlib import Path

    from attention_lab.metrics import classification

    text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    (bound,) = [name for name in tomllib.loads(text)["project"]["optional-dependencies"]["lessons"] if "scikit" in name]
    assert f'"{bound}"' in Path(classification.__file__).read_text("utf-8")
