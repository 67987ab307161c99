"""Mistakes that learners make beside those of the bank: none passes, and none is told a false cause."""

import math
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from attention_lab import softmax
from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.exercises.checker import assess
from tests.teaching.exercises.wrong import REFERENCE, WRONG, wrong

for path in sorted(Path(__file__).parent.glob("wrong_*.py")):
    import_module(f"tests.teaching.exercises.{path.stem}")  # it fills WRONG

pytestmark = pytest.mark.slow  # the whole bank: `make test` runs it

OWN = np.random.default_rng(0).normal(size=(5, 3))


@wrong("similarity", "`result`[1, 4] is 0.411 and should be 0.4114")
def rounds(x):
    return REFERENCE["similarity"](x).round(3)


@wrong("similarity", "never uses `x`: does another name stand in its place?")
def reads_a_global(x):
    return REFERENCE["similarity"](OWN)


@wrong("similarity", "returns 2 things; only `result` is expected", never="different lengths")
def returns_its_input_too(x):
    return REFERENCE["similarity"](x), x


@wrong("similarity", "inside a tuple: take away the comma", never="1 things")
def returns_a_comma(x):
    return (REFERENCE["similarity"](x),)


@wrong("similarity", "holds a `yield`")
def yields(x):
    yield from REFERENCE["similarity"](x)


@wrong("similarity", "begins with `async def`")
async def waits(x):
    return REFERENCE["similarity"](x)


@wrong("similarity", "is a function that was not called")
def returns_a_method(x):
    return x.mean


@wrong("similarity", "An array of whole numbers cannot hold fractions", never="Print the shapes")
def divides_in_place(x):
    x = x.copy()
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return x @ np.swapaxes(x, -1, -2)


@wrong("similarity", "nobody can type while a check runs", "Take `input` out")
def asks(x):
    return x * float(input("factor? "))


@wrong("similarity", "a stack has more axes", never="Print the shapes")
def unpacks_two(x):
    n, d = x.shape
    return REFERENCE["similarity"](x.reshape(n, d))


@wrong("similarity", "Check the spelling of what stands after the dot")
def misspells(x):
    return x.swapaxis(-1, -2)


@wrong("attention", "(size 3 is different from 7)", never="Nothing is transposed")
def mixes_the_query(query, key, value):
    weights = softmax(query @ np.swapaxes(key, -1, -2) / math.sqrt(query.shape[-1]))
    return weights @ query, weights


@wrong("attention", "never uses `key`", never="Nothing is transposed")
def forgets_the_key(query, key, value):
    weights = softmax(query @ np.swapaxes(query, -1, -2) / math.sqrt(query.shape[-1]))
    return weights @ value, weights


@wrong("softmax", "are not finite")
def subtracts_the_mean(scores):
    exponentials = np.exp(scores - scores.mean(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@wrong("softmax", "This was with scores (2, 3, 5)", "A single matrix comes out right")
def sums_axis_1(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


@wrong("softmax", "A `math` function takes one number", never="Print the shapes")
def takes_math(scores):
    return math.exp(scores)


@wrong("entropy", "A single matrix comes out right")
def entropy_over_axis_1(weights):
    return -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=1)


@wrong("entropy", "`result`[1, 2] is 0.117 and should be 0.122", never="A single matrix")
def drops_small_weights(weights):
    return -(weights * np.log(np.where(weights > 1e-3, weights, 1))).sum(axis=-1)


@wrong("entropy", "ask for one truth value of a whole array", never="Print the shapes")
def asks_if(weights):
    return -(weights * np.log(weights)).sum(axis=-1) if weights > 0 else 0


@wrong("masked_softmax", "The largest score of a row is taken over its hidden keys", never="after softmax")
def divides_again(scores, mask):
    weights = softmax(scores) * mask
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total > 0, total, 1)


@wrong("masked_softmax", "In a row without a visible key every score sinks by the same number")
def adds_a_large_number(scores, mask):
    return softmax(scores + (~mask) * -1e9)


@wrong("masked_softmax", "with nothing added to it. This was with scores (5, 7), mask (5, 7).")
def adds_a_small_number(scores, mask):
    scores = np.where(mask, scores, -np.inf)
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    return exponentials / (exponentials.sum(axis=-1, keepdims=True) + 1e-9)


@wrong("masked_softmax", "Some cells of your masked array hold no number", never="Hidden keys take")
def leaves_cells_masked(scores, mask):
    hidden = np.ma.masked_array(scores, ~np.broadcast_to(mask, scores.shape))
    exponentials = np.ma.exp(hidden - hidden.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@wrong("causal_mask", "Every cell of `mask` is turned round")
def marks_what_is_hidden(n_queries, n_keys):
    return np.triu(np.ones((n_queries, n_keys), dtype=bool), k=1 + n_keys - n_queries)


@wrong("sliding_window_mask", "never uses `window`", never="the query itself counts")
def always_three(n_queries, n_keys, window):
    return REFERENCE["sliding_window_mask"](n_queries, n_keys, 3)


@wrong("own_sentence_mask", "sentence 700", "This was with sentence_ids [700, 700]", never="A single matrix")
def compares_by_is(sentence_ids):
    ids = sentence_ids.tolist()
    return np.array([[a is b for b in ids] for a in ids])


@wrong("effective_keys", "`result`[0] is 0 and should be 1", never="the entropy itself")
def empties_single_keys(weights):
    spread = -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=-1)
    return np.where(spread == 0, 0, np.exp(spread))


@pytest.mark.parametrize(("name", "function", "words", "never"), WRONG)
def test_it_is_refused_for_its_own_reason(name, function, words, never):
    said = assess(EXERCISES[name], function)
    assert said.status in ("wrong", "error")
    assert all(word in said.message for word in words), said.message
    assert not never or never not in said.message


def test_masked_arrays_pass_where_their_numbers_are_right():
    def entropy(weights):
        return -(weights * np.ma.log(weights)).sum(axis=-1)

    assert assess(EXERCISES["entropy"], entropy).passed


def test_input_works_again_after_a_check(monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt="": "typed")
    assess(EXERCISES["similarity"], asks)
    assert input("?") == "typed"
