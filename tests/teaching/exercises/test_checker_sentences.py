"""Whatever a learner hands over, the check answers with a sentence: no traceback, nothing raised."""

import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.exercises.checker import assess

SOFTMAX, ATTENTION = EXERCISES["softmax"], EXERCISES["attention"]


# Not attempted ---------------------------------------------------------------------------------------------


def gap(scores):
    exponentials = ...  # score: positive
    return exponentials / exponentials.sum(axis=-1, keepdims=True)  # normalise


def gap_that_runs(scores):
    mask = ...
    return np.where(mask, scores, 0)


def stub(scores): ...


def passes(scores):
    """Text."""
    pass


def returns_ellipsis(scores):
    return ...


def later(scores):
    raise NotImplementedError


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (gap, "in the line marked `# score`"),
        (gap_that_runs, "in the line `mask = ...`"),
        (stub, "write the body of `stub`"),
        (passes, "write the body of `passes`"),
        (returns_ellipsis, "in the line `return ...`"),
        (later, "`later` still raises NotImplementedError"),
        (lambda scores: None, "write the body"),
        (lambda scores: ..., "..."),
        (None, "write `my_softmax`, then `check.softmax(my_softmax)`"),
        (..., "write `my_softmax`, then `check.softmax(my_softmax)`"),
    ],
)
def test_not_attempted(function, words):
    said = assess(SOFTMAX, function)
    assert said.status == "not attempted"
    assert said.message.startswith("Not attempted yet: ")
    assert words in said.message
    assert said.message.endswith(SOFTMAX.task)


@pytest.mark.parametrize("body", ["return scores + ...", "return np.exp(...)", "return ..."])
def test_a_gap_without_source_is_not_attempted_either(body):
    namespace = {"np": np}
    exec(f"def f(scores): {body}", namespace)
    assert assess(SOFTMAX, namespace["f"]).status == "not attempted"


def test_a_tuple_of_gaps_is_not_attempted():
    namespace = {}
    exec("def f(query, key, value): return ..., ...", namespace)
    assert assess(ATTENTION, namespace["f"]).status == "not attempted"


def test_an_ellipsis_used_as_an_index_is_code():
    def indexes(scores):
        return scores / scores.sum(axis=-1)[..., None]

    assert assess(SOFTMAX, indexes).status == "wrong"


# Wrong -----------------------------------------------------------------------------------------------------


def forgets_return(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    e / e.sum(axis=-1, keepdims=True)


def mutates(scores):
    scores -= scores.max(axis=-1, keepdims=True) if scores.dtype.kind == "f" else 0
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


class Refuses:
    def __array__(self, *args, **kwargs):
        raise RuntimeError("no numbers here")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (forgets_return, "returns None: end it with `return result`"),
        (mutates, "changes its input `scores`"),
        (lambda scores: scores[0], "has shape (7,) and should have (5, 7), given scores (5, 7). That is 1 axis in"),
        (lambda scores: scores[..., :2], "Print the shape after each line"),
        (lambda scores: scores * np.nan, "[0, 0] is nan, given scores (5, 7); 35 of 35 are not finite"),
        (lambda scores: (SOFTMAX.reference(scores), scores), "returns 2 things; only `result`"),
        (lambda scores: "0.5", "of type str"),
        (lambda scores: {"weights": scores}, "of type dict"),
        (lambda scores: object(), "holds no real numbers (type object)"),
        (lambda scores: scores + 1j, "holds no real numbers (type complex128)"),
        (lambda scores: [[1.0], [0.5, 0.5]], "rows of different lengths"),
        (lambda scores: Refuses(), "cannot be read as numbers (no numbers here)"),
        (lambda scores: (s for s in scores), "holds no real numbers (type generator)"),
        (lambda scores: scores * 0 + 0.5, "yours sum to 3.5"),
        (lambda scores: np.eye(5, 7), "`result`[2, 2] is 1 and should be 0.00712, given scores (5, 7). Print each"),
        (np.exp, "yours sum to"),
        (np.argmax, "has shape () and should have (5, 7)"),
        (lambda: 1, "must take 1 argument, (scores); yours has ()"),
        (lambda a, b: a, "must take 1 argument, (scores); yours has (a, b)"),
        (lambda *, scores: scores, "yours has (*, scores). Mend its first line."),
        (np.ones((2, 3)), "Hand over the function itself, without calling it: `check.softmax(my_softmax)`"),
        ("softmax", "This was of type str"),
    ],
)
def test_wrong(function, words):
    said = assess(SOFTMAX, function)
    assert said.status == "wrong"
    assert words in said.message
    assert len(said.message.split()) >= 8


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda q, k, v: ATTENTION.reference(q, k, v)[0], "returns one array of shape (3, 2); 2 results are expected"),
        (lambda q, k, v: (*ATTENTION.reference(q, k, v), 0), "returns 3 results; 2 are expected"),
        (lambda q, k, v: 3, "returns int; 2 results are expected: end it with `return output, weights`"),
        (lambda q, k, v: (ATTENTION.reference(q, k, v)[0], None), "`weights` is None"),
        (lambda q, k, v: (q[..., :1] + 0 * v[0, 0], ATTENTION.reference(q, k, v)[1]), "`output` has shape"),
        (
            lambda q, k, v: (ATTENTION.reference(q, k, 2 * v)[0], ATTENTION.reference(q, k, v)[1]),
            "`weights` is right. `output`[",
        ),
        (ATTENTION.reference(*ATTENTION.cases[0]), "This was of type tuple"),
    ],
)
def test_wrong_with_two_results(function, words):
    said = assess(ATTENTION, function)
    assert said.status == "wrong"
    assert words in said.message


@pytest.mark.parametrize("kind", ["generator", "map"])
def test_what_is_empty_once_it_is_read_does_not_waver(kind):
    def gives(query, key, value):
        found = ATTENTION.reference(query, key, value)
        return map(np.asarray, found) if kind == "map" else (array for array in found)

    said = assess(ATTENTION, gives)
    assert f"Your function returns {kind}; 2 results are expected" in said.message
    assert "Called again" not in said.message


def test_fractions_are_numbers_and_booleans_among_objects_stay_booleans():
    fractions = np.vectorize(Fraction, otypes=[object])
    assert assess(EXERCISES["entropy"], lambda weights: fractions(EXERCISES["entropy"].reference(weights))).passed
    assert "over queries" in assess(SOFTMAX, lambda scores: fractions(SOFTMAX.faults[2](scores))).message
    mask = EXERCISES["causal_mask"]
    assert assess(mask, lambda n_queries, n_keys: mask.reference(n_queries, n_keys).astype(object)).passed


def test_arguments_in_another_order_are_seen_at_once():
    def swapped(value, key, query):
        return ATTENTION.reference(query, key, value)

    assert "come in the order (query, key, value)" in assess(ATTENTION, swapped).message


@pytest.mark.parametrize(
    ("dtype", "words"),
    [(float, "holds floats (float64)"), (np.int64, "holds -2 to 1: return True")],
)
def test_a_mask_of_other_numbers(dtype, words):
    def other(n_queries, n_keys):
        mask = EXERCISES["causal_mask"].reference(n_queries, n_keys).astype(dtype)
        return mask if dtype is float else np.where(mask, 1, -2)

    assert words in assess(EXERCISES["causal_mask"], other).message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda mask, ids: mask & ~np.eye(len(ids), dtype=bool), "Token 0 does not see itself"),
        (lambda mask, ids: mask | np.eye(len(ids), k=2, dtype=bool), "Token 0 (sentence 0) sees token 2 (sentence 1)"),
        (lambda mask, ids: mask & ~np.eye(len(ids), k=1, dtype=bool), "Token 0 (sentence 0) does not see token 1"),
    ],
)
def test_own_sentences_are_judged_by_properties(change, words):
    exercise = EXERCISES["own_sentence_mask"]
    said = assess(exercise, lambda ids: change(exercise.reference(ids), ids))
    assert said.status == "wrong"
    assert words in said.message


def test_two_faults_are_met_one_after_the_other():
    def both(query, key, value):
        scores = query @ np.swapaxes(key, -2, -1) / query.shape[-1]
        weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
        return weights @ value, weights

    assert "You divide by d_k = 5" in assess(ATTENTION, both).message


def test_a_difference_of_a_hundredth_is_seen():
    assert assess(SOFTMAX, lambda scores: SOFTMAX.reference(1.01 * scores)).status == "wrong"
    assert assess(SOFTMAX, lambda scores: SOFTMAX.reference(scores * (1 + 1e-7))).passed


def test_a_leak_too_small_for_a_comparison_is_seen():
    exercise = EXERCISES["masked_softmax"]

    def leaks(scores, mask):
        return np.where(mask, exercise.reference(scores, mask), 1e-9)

    assert "Hidden keys take" in assess(exercise, leaks).message


def test_a_fault_among_lists_is_recognised():
    said = assess(SOFTMAX, lambda scores: SOFTMAX.faults[2](scores).tolist())
    assert "You normalise over queries: rows should sum to 1, yours sum to 1." in said.message


# Errors ----------------------------------------------------------------------------------------------------


def breaks(scores):
    size = scores.shape[-1]
    return scores.reshape(size + 1, -1)


def exits(scores):
    sys.exit(1)


def interrupts(scores):
    raise KeyboardInterrupt


def recurses(scores):
    return recurses(scores)


def unknown_name(scores):
    return scroes / 2  # noqa: F821


def speaks_badly(scores):
    class Odd(Exception):
        def __str__(self):
            raise ValueError

    raise Odd


def many_lines(scores):
    raise ValueError("first\nsecond\n" + "x" * 5000)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (breaks, "stops with ValueError: cannot reshape array of size 35 into shape (8,newaxis)"),
        (breaks, "in the line `return scores.reshape(size + 1, -1)`, given scores (5, 7). Print the shapes"),
        (exits, "ends the program (SystemExit)"),
        (interrupts, "ends the program (KeyboardInterrupt)"),
        (recurses, "calls itself without end (RecursionError)"),
        (unknown_name, "NameError: name 'scroes' is not defined in the line `return scroes / 2"),
        (unknown_name, "check its spelling and the order of the lines"),
        (speaks_badly, "stops with Odd: without a message"),
        (many_lines, "stops with ValueError: first in the line"),
        (SOFTMAX.faults[4], "A known cause: The sums have lost their axis"),
    ],
)
def test_an_error_becomes_a_sentence(function, words):
    said = assess(SOFTMAX, function)
    assert said.status == "error"
    assert words in said.message
    assert "Traceback" not in said.message
    assert "\n" not in said.message


# Results that are not finite, and rightly so ---------------------------------------------------------------


def test_minus_infinity_is_right_where_the_reference_has_it():
    online = EXERCISES["online_softmax"]

    def off(scores, value, maximum, total, mixed):
        largest, total, mixed = online.reference(scores, value, maximum, total, mixed)
        return np.where(largest == -np.inf, largest, largest + 1), total, mixed

    def hides_a_row(scores, value, maximum, total, mixed):
        largest, total, mixed = online.reference(scores, value, maximum, total, mixed)
        return np.where(np.arange(largest.shape[-2])[:, None] == 1, -np.inf, largest), total, mixed

    assert assess(online, online.reference).passed
    first_masked = [case for case in online.cases if (case[0] == -np.inf).any()]
    assert "`maximum`[0, 0] is" in str(assess(replace(online, cases=first_masked), off))
    assert "`maximum`[1, 0] is -inf" in str(assess(online, hides_a_row))
