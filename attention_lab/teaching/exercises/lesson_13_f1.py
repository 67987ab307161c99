"""Lesson 13: how much of an answer is right, counted in words."""

from collections import Counter

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def word_f1(predicted, right):
    predicted, right = Counter(predicted.split()), Counter(right.split())
    if not predicted or not right:
        return float(predicted == right)  # mask: nothing to say, and nothing said
    common = (predicted & right).total()  # score: each word as often as it stands in both
    total = predicted.total() + right.total()
    return 2 * common / total  # normalise: the harmonic mean of precision and recall


@diagnosed(
    "You ask whether the two are equal: that is exact match. F1 gives a share for each word that both have: "
    "2 · common / (words predicted + words right)."
)
def faulty_word_f1_exact(predicted, right):
    return float(predicted.split() == right.split())


@diagnosed(
    "You count each word once, as a set does. A word that is said three times and asked for once is common once, and "
    "counts three times below: take `collections.Counter`."
)
def faulty_word_f1_sets(predicted, right):
    predicted, right = set(predicted.split()), set(right.split())
    if not predicted or not right:
        return float(predicted == right)
    return 2 * len(predicted & right) / (len(predicted) + len(right))


@diagnosed(
    "You count every predicted word that stands in the right answer, as often as it is said. It is common only as "
    "often as it stands in both: `Counter(a) & Counter(b)`."
)
def faulty_word_f1_each(predicted, right):
    predicted, right = predicted.split(), right.split()
    if not predicted or not right:
        return float(predicted == right)
    return 2 * sum(word in right for word in predicted) / (len(predicted) + len(right))


@diagnosed(
    "You divide by the shorter answer alone: the better of precision and recall, and one safe word gets 1. "
    "F1 = 2 · common / (words predicted + words right)."
)
def faulty_word_f1_shorter(predicted, right):
    return _share(predicted, right, lambda common, said, asked: common / min(said, asked))


@diagnosed(
    "You divide by the longer answer alone: the worse of precision and recall, and the better of them counts for "
    "nothing. F1 = 2 · common / (words predicted + words right)."
)
def faulty_word_f1_longer(predicted, right):
    return _share(predicted, right, lambda common, said, asked: common / max(said, asked))


@diagnosed(
    "That is precision alone: whoever says one safe word gets 1. Recall asks how much of the right answer was found; "
    "F1 = 2 · common / (words predicted + words right)."
)
def faulty_word_f1_precision(predicted, right):
    return _share(predicted, right, lambda common, said, asked: common / said)


@diagnosed(
    "That is recall alone: whoever repeats the whole text gets 1. Precision asks how much of what was said is right; "
    "F1 = 2 · common / (words predicted + words right)."
)
def faulty_word_f1_recall(predicted, right):
    return _share(predicted, right, lambda common, said, asked: common / asked)


@diagnosed(
    "You take the plain mean of precision and recall. F1 is the harmonic one, which stays low while either is low: "
    "2 · common / (words predicted + words right)."
)
def faulty_word_f1_plain_mean(predicted, right):
    return _share(predicted, right, lambda common, said, asked: (common / said + common / asked) / 2)


@diagnosed(
    "You divide by all different words of the two together: that is the Jaccard index. F1 counts common words twice, "
    "above and below the line: 2 · common / (words predicted + words right)."
)
def faulty_word_f1_jaccard(predicted, right):
    return _share(predicted, right, lambda common, said, asked: common / (said + asked - common))


@diagnosed(
    "The 2 is missing: two equal answers get 0.5 in place of 1. Common words stand in both answers, so they count "
    "twice: 2 · common / (words predicted + words right)."
)
def faulty_word_f1_half(predicted, right):
    return _share(predicted, right, lambda common, said, asked: common / (said + asked))


@diagnosed("You count letters: a string is a row of letters. Cut it into words first: `predicted.split()`.")
def faulty_word_f1_letters(predicted, right):
    predicted, right = Counter(predicted), Counter(right)
    if not predicted or not right:
        return float(predicted == right)
    return 2 * (predicted & right).total() / (predicted.total() + right.total())


@diagnosed(
    "Two empty answers divide by 0. Where there is nothing to find, saying nothing is right, and scores 1: look for "
    "an empty answer first."
)
def faulty_word_f1_by_zero(predicted, right):
    predicted, right = Counter(predicted.split()), Counter(right.split())
    return 2 * (predicted & right).total() / (predicted.total() + right.total())


@diagnosed(
    "Where both are empty you give 0. Where there is nothing to find, saying nothing is right: that scores 1. "
    "Return whether both are empty."
)
def faulty_word_f1_empty_zero(predicted, right):
    predicted, right = Counter(predicted.split()), Counter(right.split())
    if not predicted or not right:
        return 0.0  # mask: nothing to say, and nothing said
    return 2 * (predicted & right).total() / (predicted.total() + right.total())


@diagnosed(
    "An empty answer gets 1 whatever was asked for. Saying nothing is right only where there is nothing to find: "
    "1 if both are empty, 0 if one is."
)
def faulty_word_f1_empty_one(predicted, right):
    return word_f1(predicted, right) if predicted.split() and right.split() else 1.0


@diagnosed(
    "You compare word by word at the same place. F1 sees no order: `front garden` and `garden` have one word in "
    "common. Count words, as `collections.Counter` does."
)
def faulty_word_f1_places(predicted, right):
    predicted, right = predicted.split(), right.split()
    if not predicted or not right:
        return float(predicted == right)
    return 2 * sum(a == b for a, b in zip(predicted, right)) / (len(predicted) + len(right))


def _share(predicted, right, formula):
    predicted, right = Counter(predicted.split()), Counter(right.split())
    if not predicted or not right:
        return float(predicted == right)
    return formula((predicted & right).total(), predicted.total(), right.total())


EXERCISES = [
    Exercise(
        task="Write word_f1(predicted, right): of two answers, lower case and without punctuation, 2 · common / (words "
        "predicted + words right), a word as often as it stands in both; if one is empty, 1 if both are, else 0.",
        reference=word_f1,
        cases=[
            ("cold front garden behind our town hall", "old front garden behind our town"),  # no fault gives 1
            ("old front garden", "back garden of town hall"),
            ("front garden", "garden"),
            ("big old town hall", "town hall"),
            ("hall hall hall", "hall"),
            ("garden", "old back garden"),
            ("hall town hall", "old town hall by town hall"),
            ("kitchen", "attic"),
            ("back garden", "back garden"),
            ("", "attic"),
            ("attic", ""),
            ("", ""),
        ],
        faults=[
            faulty_word_f1_exact,
            faulty_word_f1_sets,
            faulty_word_f1_each,
            faulty_word_f1_shorter,
            faulty_word_f1_longer,
            faulty_word_f1_precision,
            faulty_word_f1_recall,
            faulty_word_f1_plain_mean,
            faulty_word_f1_jaccard,
            faulty_word_f1_half,
            faulty_word_f1_letters,
            faulty_word_f1_by_zero,
            faulty_word_f1_empty_zero,
            faulty_word_f1_empty_one,
            faulty_word_f1_places,
        ],
        hints=(
            "“hall hall hall” was said and “hall” was right. How many words are common, and how many stand below the "
            "line?",
            "`collections.Counter(text.split())` counts words, and `&` of two of them keeps the smaller counts. What "
            "if one answer is empty?",
            "`common = (Counter(a) & Counter(b)).total()`, then `2 * common / (len(a) + len(b))` for lists of words a "
            "and b; before that, `float(a == b)` if one of them is empty.",
        ),
        key="# score",
        distractor=faulty_word_f1_empty_zero,
        learned="a part of the answer earns a part of the point, and saying nothing is right where there is nothing.",
        returns=("f1",),
    ),
]
