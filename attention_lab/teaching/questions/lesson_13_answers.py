"""Questions of lesson 13, second half: what an answer is worth, and when there is none."""

import numpy as np

from attention_lab.metrics import answer_f1, answer_scores, exact_match
from attention_lab.teaching.questions.question import question


@question(
    "half-an-answer",
    lesson="13",
    source="lesson",
    text="The right answer is “old town hall”, a model says “The town hall.” Case, punctuation and articles do not "
    "count. What are exact match and F1?",
    options={
        "0 and 0.67": "Two of three words were found: that is recall. But nothing wrong was said, precision 1, and F1 "
        "lies between the two.",
        "0 and 0.80": "A word is missing, so no match. Precision 1 and recall 2/3 have the harmonic mean 0.8: F1 pays "
        "for a part, where exact match pays nothing.",
        "1 and 1.00": "All that was said is right, but “old” is missing. Exact match asks for equality, after “the” "
        "and the point are gone.",
    },
)
def half_an_answer():
    said, right = "The town hall.", ["old town hall"]
    return f"{exact_match(said, right):.0f} and {answer_f1(said, right):.2f}"


@question(
    "saying-nothing",
    lesson="13",
    source="lesson",
    text="Of 10 questions 4 have no answer in the text. A model says nothing to all 10. What are its exact match and "
    "F1?",
    options={
        "0.00 and 0.00": "Nothing is said, so nothing seems right. But to say nothing is the right answer to four of "
        "the questions.",
        "0.40 and 0.40": "Empty and empty match: each of the four scores 1 in both, the others 0. A model that never "
        "answers is the baseline here, as the larger class was in lesson 09.",
        "0.40 and 0.00": "F1 counts common words, and there are none. But without any word on both sides the two "
        "agree, and the benchmark counts that as 1.",
    },
)
def saying_nothing():
    scores = answer_scores([""] * 10, [[]] * 4 + [["garden"]] * 6)
    return " and ".join(f"{score:.2f}" for score in scores)


@question(
    "higher-threshold",
    lesson="13",
    source="lesson",
    text="A pointer answers if its best span scores more than “no answer”, by at least a threshold. The threshold is "
    "raised. What can happen to the number of questions that are answered?",
    options={
        "it can only grow": "A higher threshold is harder to reach: no question that was left out is answered now.",
        "it can only fall": "Each answer has to lead by more. So right answers are lost together with wrong ones, and "
        "which matters more only a validation set tells.",
        "both can happen": "The leads themselves do not change, only the line that they must reach: no new question "
        "can come above a line that rises.",
    },
)
def higher_threshold():
    rng = np.random.default_rng(0)
    leads, truth = rng.normal(size=200), ["garden"]
    answered = []
    for threshold in np.linspace(-2, 2, 9):
        said = ["garden" if lead >= threshold else "" for lead in leads]
        answered.append(sum(exact_match(one, truth) for one in said))
    steps = np.diff(answered)
    if (steps <= 0).all():
        return "it can only fall"
    return "it can only grow" if (steps >= 0).all() else "both can happen"


@question(
    "threshold-by-test",
    lesson="13",
    source="lesson",
    text="A threshold for “no answer” is chosen so that it does best on the 40 test questions, and this best score is "
    "reported. In truth the leads tell nothing, and every threshold is right half of the time. What is reported, on "
    "average?",
    options={
        "about 0.50": "That is what each threshold scores by itself. But the best of 41 was picked, by the very "
        "questions that it is judged by.",
        "above 0.55": "The best of many tries on few questions is partly luck, and luck does not come again. Choose on "
        "validation questions, and report others.",
        "below 0.45": "Choosing can only raise a score on the questions that it is made by. On new ones it falls back, "
        "to a half.",
    },
)
def threshold_by_test():
    rng, best = np.random.default_rng(0), []
    for _ in range(30):
        truth = [
            ["garden"] if has else [] for has in rng.permutation(40) < 20
        ]  # in the order of leads that know nothing
        said, silent = ([0, *np.cumsum([exact_match(word, right) for right in truth])] for word in ("garden", ""))
        best.append(max(said[n] + silent[-1] - silent[n] for n in range(41)) / 40)  # the n largest leads are answered
    found = np.mean(best)
    return "above 0.55" if found > 0.55 else "below 0.45" if found < 0.45 else "about 0.50"


@question(
    "because-word_f1",
    lesson="13",
    source="exercise",
    text="F1 is 2 · common / (words predicted + words right) and not common / words right, because …",
    options={
        "repeating the text must not pay": "Who says every word of the text has found all that was asked for. The "
        "words that are too many stand below the line, and the score falls.",
        "word order must count": "Both formulas count words and see no order: “garden front” and “front garden” have "
        "an F1 of 1.",
        "short answers must count more": "For an answer that is right as a whole both formulas give 1, whether it has "
        "one word or ten.",
    },
)
def because_word_f1():
    right = ["old town hall"]
    if answer_f1("hall town old", right) < 1:
        return "word order must count"
    if answer_f1("hall", ["hall"]) > answer_f1("old town hall", right):
        return "short answers must count more"
    whole = "Then Anna entered the old town hall and Ben remembered the garden"
    return "repeating the text must not pay" if answer_f1(whole, right) < 0.6 else "no reason at all"
