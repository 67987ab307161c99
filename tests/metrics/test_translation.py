"""BLEU: by hand, by ten lines of our own, by its rules, and what is refused."""

import math
import sys
from collections import Counter

import numpy as np
import pytest

from attention_lab.metrics import bleu
from attention_lab.metrics.translation import SMOOTHING


def runs(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def ten_lines(hypotheses, references):
    """BLEU of token lists, one reference each, as the lesson has it."""
    precisions = []
    for n in range(1, 5):
        found = total = 0
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            ours, theirs = runs(hypothesis, n), runs(reference, n)
            found += sum(min(count, theirs[run]) for run, count in ours.items())
            total += sum(ours.values())
        precisions.append(found / total if total else 0.0)
    if min(precisions) == 0:
        return 0.0
    c, r = sum(map(len, hypotheses)), sum(map(len, references))
    return 100 * min(1, math.exp(1 - r / c)) * math.exp(sum(map(math.log, precisions)) / 4)


@pytest.mark.parametrize("seed", range(40))
def test_ten_lines_of_our_own_give_the_same(seed):
    rng = np.random.default_rng(seed)

    def sentence():
        return [f"w{i}" for i in rng.integers(3, size=rng.integers(0, 12))]

    references = [[*sentence(), "end"] for _ in range(rng.integers(1, 9))]
    hypotheses = [
        reference[: rng.integers(0, len(reference) + 1)] + sentence()[: rng.integers(3)] for reference in references
    ]
    expected = ten_lines(hypotheses, references)
    assert bleu(hypotheses, references) == pytest.approx(expected, abs=1e-9)
    lines = [[" ".join(tokens) for tokens in corpus] for corpus in (hypotheses, references)]
    assert bleu(*lines) == pytest.approx(expected, abs=1e-9)


def test_by_hand():
    # of "a b c d e" for "a b c d f": 4/5, 3/4, 2/3 and 1/2 are found, together 1/5
    assert bleu(["a b c d e"], ["a b c d f"]) == pytest.approx(100 * (1 / 5) ** 0.25)
    assert bleu(["a b c d"], ["a b c d e f"]) == pytest.approx(100 * math.exp(1 - 6 / 4))  # brevity alone
    assert bleu(["a b c d e f"], ["a b c d"]) == pytest.approx(100 * (4 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)


def test_clipping_counts_a_word_as_often_as_the_reference_has_it():
    # of five "the" two are right, of four "the the" one, and so on
    reference, other = "the the cat sat", "a cat sat there then"
    assert bleu(["the the the the the", other], [reference, other]) == pytest.approx(
        100 * (7 / 10 * 5 / 8 * 3 / 6 * 2 / 4) ** 0.25
    )


def test_counts_are_added_up_before_anything_is_divided():
    hypotheses, references = ["a b c d", "w w w w w"], ["a b c d", "v w x y z"]
    assert [bleu([h], [r]) for h, r in zip(hypotheses, references, strict=True)] == [100, 0]
    assert bleu(hypotheses, references) == pytest.approx(100 * (5 / 9 * 3 / 7 * 2 / 5 * 1 / 3) ** 0.25)


@pytest.mark.parametrize("tokens", ["", "a", "a b c", []])
def test_nothing_and_little_give_zero_without_a_warning(tokens):
    reference = "a b c" if isinstance(tokens, str) else ["a", "b", "c"]
    assert bleu([tokens], [reference]) == 0.0


def test_what_smoothing_does_is_sacrebleus():
    # exp: the first count of 0 is taken for 1/2, the second for 1/4
    assert bleu(["a b c d e"], ["a b x d y"], smoothing="exp") == pytest.approx(
        100 * (3 / 5 * 1 / 4 * (1 / 2 / 3) * (1 / 4 / 2)) ** 0.25
    )
    assert bleu(["a b c d e"], ["a b x d y"]) == 0
    for smoothing in SMOOTHING:
        assert bleu(["a b c d e"], ["a b c d e"], smoothing=smoothing) == pytest.approx(100)


def test_several_references_help_and_the_nearest_length_counts():
    one, other = "a b c d e f g h", "s t u v w"
    hypothesis = "a b c d"
    alone = bleu([hypothesis], [one])
    assert alone == pytest.approx(100 * math.exp(1 - 8 / 4))
    assert bleu([hypothesis], [[one, other]]) == pytest.approx(100 * math.exp(1 - 5 / 4))
    assert bleu([hypothesis, one], [[one, other], one]) == bleu(
        [hypothesis.split(), one], [[one.split(), other.split()], one]
    )
    assert bleu(["a b s t u v"], [["a b", "s t u v", "x x x x x x"]]) == pytest.approx(
        100 * (4 / 5 * 2 / 4 / 3) ** 0.25
    )


def test_tokens_stay_what_they_are():
    odd = ["New York", "", "<end>", "ß", "New York"]
    assert bleu([odd], [odd]) == 100
    assert bleu([odd], [["New", "York", "<end>", "ß", "x"]]) == 0
    assert bleu([[3, 1, 4, 1, 5]], [[3, 1, 4, 1, 5]]) == 100
    assert bleu([["A", "b", "c", "d"]], [["a", "b", "c", "d"]]) == 0  # no lower case, no splitting at a comma
    assert bleu(["a, b c d"], ["a , b c d"]) == 0


def test_it_is_at_most_100_and_a_plain_float():
    for n in range(4, 60):
        found = bleu([["w"] * n], [["w"] * n])
        assert type(found) is float and 0 <= found <= 100


def test_errors_help():
    with pytest.raises(ValueError, match="references has 1 entries but hypotheses 2"):
        bleu(["a", "b"], ["a"])
    with pytest.raises(TypeError, match="hypotheses must be a list of translations but is a string: write .'a b'."):
        bleu("a b", ["a b"])
    with pytest.raises(TypeError, match="references must be a list"):
        bleu(["a b"], "a b")
    with pytest.raises(ValueError, match="hypotheses is empty: give at least one"):
        bleu([], [])
    with pytest.raises(ValueError, match=r"references\[1\] holds no token"):
        bleu(["a", "b"], ["a", ""])
    with pytest.raises(ValueError, match=r"references\[0\] holds no token"):
        bleu([["a"]], [[]])
    with pytest.raises(TypeError, match=r"hypotheses\[1\] must be a string or a list of tokens, got a NoneType"):
        bleu(["a", None], ["a", "b"])
    with pytest.raises(TypeError, match=r"hypotheses\[0\] must hold tokens, got lists of them"):
        bleu([[["a"]]], [["a"]])
    for odd, kind in ((None, "NoneType"), ({"a": "b"}, "dict")):
        with pytest.raises(TypeError, match=f"hypotheses must be a list of translations, got a {kind}"):
            bleu(odd, ["a"])
        with pytest.raises(TypeError, match=rf"references\[0\] must be a string or a list of tokens, got a {kind}"):
            bleu(["a"], [odd])
    with pytest.raises(TypeError, match=r"references\[0\] must be a string or a list of tokens, got a int: 3"):
        bleu([["a"]], [3])
    with pytest.raises(ValueError, match="smoothing must be"):
        bleu(["a"], ["a"], smoothing="some")


def test_a_missing_sacrebleu_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ImportError, match=r'missing: run  python -m pip install "sacrebleu>=2.3"'):
        bleu(["a"], ["a"])
