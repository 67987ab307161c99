"""The answers of lesson 13 and of what opens it, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

from attention_lab.attention import scaled_dot_product_attention
from attention_lab.data.story_arrays import as_memory
from attention_lab.metrics import exact_match
from attention_lab.tasks.question_answering import MemoryNetwork, best_span
from tests.teaching.answers import check_answer


class TellsTime(MemoryNetwork):
    """It prefers what was said last, whatever its ages say."""

    def __call__(self, sentences, question):
        logits, (weights,) = super().__call__(sentences, question)
        later = weights * np.arange(1, 1 + weights.shape[-1])
        return logits, [later / later.sum(-1, keepdims=True)]


class NoTime(MemoryNetwork):
    """Its ages are zero from the beginning."""

    def __init__(self, *sizes, **about):
        super().__init__(*sizes, **about)
        for age in self.ages:
            age.table[:] = 0


def two_peaks(start, end, longest=None):
    return int(np.argmax(start)), int(np.argmax(end)), 0


def one_word(start, end, longest=None):
    return best_span(start, end, longest=1)


def mean_of_chances(start, end, longest=None):
    p, q = (np.exp(x) / np.exp(x).sum() for x in (start, end))
    return *np.unravel_index(np.triu(p[:, None] + q).argmax(), (len(p),) * 2), 0


def without_mask(q, k, v, is_causal):
    return scaled_dot_product_attention(q, k, v)


def by_level(x):
    return np.exp(x - 10)


def names_the_thing(squad):
    from attention_lab.data.squad import squad_examples

    return [one._replace(supporting=one.supporting[:1]) for one in squad_examples(squad)]


def precision(said, answers):
    return 2 / 3


def of_words(predictions, answers):
    return 0.4, 0.0


def knows_their_names(examples):
    sentences, question = as_memory(examples)
    sentences[0, 1, 0] = 5
    return sentences, question


def growing(said, answers):
    return 1 - exact_match(said, answers)


# What is asked, the right option, what is broken and how, and the option that is then computed: None if none fits.
ANSWERS = [
    ("long-right-short-wrong", "73", "bleu", lambda hypotheses, references: 50.0, "50"),
    ("bright-first-of-four", "0.52", "attention", without_mask, "0.25"),
    ("without-ages", "both have the same", "MemoryNetwork", TellsTime, "sentence 3 has more"),
    ("two-strangers", "their ages alone", "MemoryNetwork", NoTime, "nothing at all"),
    ("two-strangers", "their ages alone", "as_memory", knows_their_names, "their names"),
    ("end-before-start", "from 1 to 3", "best_span", two_peaks, "from 1 to 0"),
    ("count-the-spans", "about 4,400", "best_span", one_word, "300"),
    ("two-passages", "A and B have equal ones", "softmax", by_level, "one of B"),
    ("one-pass-two-facts", "none", "squad_examples", names_the_thing, None),
    (
        "because-best_span",
        "the product of the chances is then largest",
        "best_span",
        mean_of_chances,
        "the mean of the two chances is then largest",
    ),
    ("half-an-answer", "0 and 0.80", "answer_f1", precision, "0 and 0.67"),
    ("saying-nothing", "0.40 and 0.40", "answer_scores", of_words, "0.40 and 0.00"),
    ("higher-threshold", "it can only fall", "exact_match", growing, "it can only grow"),
    ("threshold-by-test", "above 0.55", "exact_match", lambda said, answers: 0.5, "about 0.50"),
    ("because-word_f1", "repeating the text must not pay", "answer_f1", exact_match, "word order must count"),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS)
def test_answer_is_computed_and_turns_when_its_ground_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)
