"""Exact match and F1 of answers: the benchmark's normalisation rule by rule, values by hand, empty answers, errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.metrics import answer_f1, answer_scores, exact_match, normalise_answer


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Garden", "garden"),
        ("the garden", "garden"),
        ("The  old\tgarden\n", "old garden"),
        ("a garden, an attic", "garden attic"),
        ("theatre anthem", "theatre anthem"),  # articles are whole words
        ("the the a", ""),
        ("old-town", "oldtown"),
        ("5 a.m.", "5 am"),  # punctuation goes first: the "a" is no article any more
        ("(the) garden!", "garden"),
        ("a\u00a0garden", "garden"),
        ("\u201cgarden\u201d", "\u201cgarden\u201d"),  # curly quotes are not ASCII, and stay
        ("Caf\u00c9", "caf\u00e9"),
        ("...", ""),
        ("", ""),
    ],
)
def test_normalisation(text, bare):
    assert normalise_answer(text) == bare


def test_each_rule_decides_a_match():
    for prediction in ("The Garden", "garden.", "  garden ", "GARDEN", "a garden"):
        assert exact_match(prediction, ["garden"]) == answer_f1(prediction, ["garden"]) == 1
    assert exact_match("gardens", ["garden"]) == answer_f1("gardens", ["garden"]) == 0


@pytest.mark.parametrize(
    ("prediction", "answers", "exact", "f1"),
    [
        ("front garden", ["garden"], 0, 2 / 3),
        ("garden", ["the old front garden"], 0, 1 / 2),
        ("garden front", ["front garden"], 0, 1),  # F1 sees no order
        ("b b b", ["b"], 0, 1 / 2),  # a word counts as often as it stands in both
        ("b b c", ["b b d d"], 0, 4 / 7),
        ("hall", ["old town hall", "hall"], 1, 1),
        ("old hall", ["town", "old town hall", "hall"], 0, 4 / 5),
        ("", [], 1, 1),
        ("the", [], 1, 1),  # nothing is left of it
        ("hall", [], 0, 0),
        ("", ["hall"], 0, 0),
        ("...", ["hall"], 0, 0),
        ("", ["the", "hall"], 0, 0),  # what normalisation empties is no right answer beside another
        ("", ["the"], 1, 1),
    ],
)
def test_by_hand(prediction, answers, exact, f1):
    assert exact_match(prediction, answers) == exact
    assert answer_f1(prediction, answers) == pytest.approx(f1, rel=1e-15)
    assert type(exact_match(prediction, answers)) is type(answer_f1(prediction, answers)) is float


WORDS = st.lists(st.sampled_from(["the", "hall", "old", "town", "a", "x"]), max_size=5).map(" ".join)


@given(WORDS, st.lists(WORDS, max_size=3), st.randoms())
def test_properties(prediction, answers, rng):
    exact, f1 = exact_match(prediction, answers), answer_f1(prediction, answers)
    assert 0 <= exact <= f1 <= 1
    again = rng.sample(answers, len(answers))
    assert (exact_match(prediction, again), answer_f1(prediction, again)) == (exact, f1)
    words = prediction.split()
    assert answer_f1(" ".join(rng.sample(words, len(words))), answers) == f1
    if len(answers) == 1 and normalise_answer(answers[0]):
        assert answer_f1(answers[0], [prediction]) == f1  # precision and recall change places
    if normalise_answer(prediction):
        assert exact_match(prediction, [*answers, prediction]) == answer_f1(prediction, [*answers, prediction]) == 1


def test_means():
    predictions, answers = ["hall", "old hall", "", "x"], [["hall"], ["hall"], [], []]
    assert answer_scores(predictions, answers) == pytest.approx((2 / 4, (1 + 2 / 3 + 1) / 4))
    assert all(type(score) is float for score in answer_scores(["x"], [["x"]]))


@pytest.mark.filterwarnings("error")
def test_empty_predictions_score_without_a_warning():
    assert answer_scores(["", "", ""], [["hall"], ["old hall"], []]) == pytest.approx((1 / 3, 1 / 3))


def test_refusals():
    with pytest.raises(TypeError, match='an answer must be a string, got None: write "" where there is none'):
        exact_match(None, ["hall"])
    with pytest.raises(TypeError, match=r"a list of all right answers, got 'hall': write \['hall'\]"):
        answer_f1("hall", "hall")
    with pytest.raises(TypeError, match="an answer must be a string, got 3"):
        answer_f1("hall", [3])
    with pytest.raises(TypeError, match="a list of all right answers, got None"):
        exact_match("hall", None)
    with pytest.raises(ValueError, match="as many, got 1 and 2"):
        answer_scores(["hall"], [["hall"], ["x"]])
    with pytest.raises(ValueError, match="got one string"):
        answer_scores("hall", [["hall"]] * 4)
    with pytest.raises(ValueError, match="predictions is empty"):
        answer_scores([], [])
    for odd in (iter(["hall"]), {"hall": 1}):
        with pytest.raises(TypeError, match="a list of all right answers, got .*: give the texts"):
            answer_f1("hall", odd)
    for odd, kind in (({"q1": "hall"}, "dict"), (None, "NoneType"), (iter(["hall"]), "list_iterator")):
        with pytest.raises(TypeError, match=f"predictions must be a list, one entry a question, got a {kind}"):
            answer_scores(odd, [["hall"]])
        with pytest.raises(TypeError, match=f"answers must be a list, one entry a question, got a {kind}"):
            answer_scores(["hall"], odd)
