"""The agreement sentences: right ones agree everywhere, wrong ones fail once, and words alone tell nothing."""

from collections import Counter

import numpy as np
import pytest

from attention_lab.data import agreement as module
from attention_lab.data.agreement import agreement, agreement_pairs, make_twins
from attention_lab.data.splits import SPLITS

PAIRS = {split: agreement_pairs(split) for split in SPLITS}
ALL = [pair for pairs in PAIRS.values() for pair in pairs]
NOUN = {form: number for forms in module.NOUNS for number, form in enumerate(forms)}
VERB = {form: number for forms in module.VERBS for number, form in enumerate(forms)}
DETERMINER = {form: number for forms in module.DETERMINERS for number, form in enumerate(forms)}


def faults(sentence):
    """Places of the words that do not agree: read from left to right, by a grammar written independently."""
    words = sentence.split()
    nouns = [i for i, word in enumerate(words) if word in NOUN]
    subjects = [i for i in nouns if not (words[i - 1] == "the" and words[i - 2] in module.PLACES)]
    (subject,) = subjects if len(subjects) == 1 else (None,)
    (verb,) = [i for i, word in enumerate(words) if word in VERB]
    assert subject is not None and len(nouns) == 2 and max(nouns) < verb, sentence
    found = [verb] if VERB[words[verb]] != NOUN[words[subject]] else []
    for i, word in enumerate(words):
        if word in DETERMINER:
            noun = min(j for j in nouns if j > i)
            found += [i] if DETERMINER[word] != NOUN[words[noun]] else []
    return found, subject, verb


def test_right_sentences_agree_and_wrong_ones_fail_at_the_changed_word_alone():
    for pair in ALL:
        assert faults(pair.right) == ([], pair.subject, pair.verb)
        assert faults(pair.wrong) == ([pair.changed], pair.subject, pair.verb)
        right, wrong = pair.right.split(), pair.wrong.split()
        assert [i for i, (a, b) in enumerate(zip(right, wrong, strict=True)) if a != b] == [pair.changed]
        assert type(pair.changed) is type(pair.subject) is type(pair.verb) is int


def test_sizes_labels_and_pairs_belong_together():
    assert [len(agreement(split)[0]) for split in SPLITS] == [4000, 500, 1000]
    for split in SPLITS:
        sentences, labels = agreement(split)
        assert labels.sum() * 2 == len(labels) == len(sentences)
        right = {sentence for sentence, label in zip(sentences, labels, strict=True) if label == 1}
        assert right == {pair.right for pair in PAIRS[split]}
        assert set(sentences) - right == {pair.wrong for pair in PAIRS[split]}
        assert 0.4 < labels[: len(labels) // 2].mean() < 0.6  # mixed


def test_no_sentence_twice_in_all_splits_together():
    sentences = [sentence for pair in ALL for sentence in (pair.right, pair.wrong)]
    assert len(set(sentences)) == len(sentences) == 5500


def test_twins_stand_side_by_side_in_the_other_number():
    other = {form: forms[1 - i] for forms in module.NOUNS + module.VERBS + module.DETERMINERS
             for i, form in enumerate(forms)}  # fmt: skip
    for pair, twin in zip(PAIRS["test"][::2], PAIRS["test"][1::2], strict=True):
        assert [other.get(word, word) for word in pair.right.split()] == twin.right.split()
        assert pair[2:] == twin[2:]


@pytest.mark.parametrize("split", SPLITS)
def test_every_word_stands_in_as_many_right_sentences_as_wrong_ones(split):
    right = Counter(word for pair in PAIRS[split] for word in pair.right.split())
    wrong = Counter(word for pair in PAIRS[split] for word in pair.wrong.split())
    assert right == wrong
    assert len(right) == 49


def test_rules_of_thumb_fail():
    """The nearest noun, or the first one, decides the verb's number no better than it should."""
    pairs = [pair for pair in ALL if pair.changed == pair.verb]
    for which in (0, -1):
        hits = 0
        for pair in pairs:
            words = pair.right.split()
            noun = [i for i, word in enumerate(words) if word in NOUN][which]
            hits += NOUN[words[noun]] == VERB[words[pair.verb]]
        assert 0.7 < hits / len(pairs) < 0.8
    assert 0.6 < len(pairs) / len(ALL) < 0.9
    places = Counter(pair.subject for pair in ALL)
    assert max(places.values()) < 0.4 * len(ALL)


def test_the_generator_decides():
    assert make_twins(20, np.random.default_rng(4)) == make_twins(20, np.random.default_rng(4))
    assert make_twins(20, np.random.default_rng(4)) != make_twins(20, np.random.default_rng(5))
    assert make_twins(0, np.random.default_rng(4)) == []
    assert agreement("test")[0] == agreement("test")[0]


def test_a_sentence_drawn_twice_counts_once(monkeypatch):
    for name in ("NOUNS", "DETERMINERS", "VERBS", "ADJECTIVES", "PLACES", "TIMES"):
        monkeypatch.setattr(module, name, getattr(module, name)[:1])
    twins = make_twins(15, np.random.default_rng(0))
    right = [pair.right for pairs in twins for pair in pairs]
    assert len(set(right)) == len(right) == 30


def test_wrong_arguments():
    with pytest.raises(ValueError, match="split must be one of"):
        agreement("dev")
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator"):
        make_twins(2, 0)
    with pytest.raises(ValueError, match="num must be at least 0"):
        make_twins(-1, np.random.default_rng(0))
