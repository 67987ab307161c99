"""The stories: each answer follows from the sentences by a reading written independently, and splits share nothing."""

import re
from collections import Counter

import numpy as np
import pytest

from attention_lab.data import stories as module
from attention_lab.data.splits import SPLITS
from attention_lab.data.squad import squad_examples
from attention_lab.data.stories import make_stories, stories

PLAIN = {split: squad_examples(stories(split)) for split in SPLITS}
WITH_NONE = {split: squad_examples(stories(split, unanswerable=True)) for split in SPLITS}
TWO = {split: squad_examples(stories(split, facts=2)) for split in SPLITS}
MOVE = re.compile(r"(?:\w+ )??(\w+) (?:entered|reached|went to) the ([\w ]+)")
TAKE = re.compile(r"(?:\w+ )??(\w+) took the (\w+)")


def sentences(context):
    return [sentence.removesuffix(".") for sentence in context.split(". ")]


def last_moves(context):
    """{person: (place, sentence)}, read from the text alone."""
    found = {}
    for i, sentence in enumerate(sentences(context)):
        for opening in ("Then ", "Later "):
            sentence = sentence.removeprefix(opening)
        if match := MOVE.fullmatch(sentence):
            found[match[1]] = (match[2], i)
    return found


def subject(example):
    return re.fullmatch(r"Where is (?:the )?(\w+)(?: now)?\?", example.question)[1]


def test_answers_follow_from_the_last_move():
    for examples in PLAIN.values():
        for example in examples:
            place, sentence = last_moves(example.context)[subject(example)]
            assert example.texts == [place]
            assert example.supporting == (sentence,)
            start = example.answers[0][1]
            assert example.context[:start].count(".") == sentence


def test_questions_without_an_answer_ask_for_who_does_not_move():
    kinds = Counter()
    for examples in WITH_NONE.values():
        for example in examples:
            moved = subject(example) in last_moves(example.context)
            assert moved == bool(example.answers) == bool(example.supporting)
            kinds[moved, subject(example) in example.context] += 1
    assert kinds[True, True] == 4000 and kinds[False, True] > 100 and kinds[False, False] > 1000


def test_things_are_where_their_taker_went_last():
    order = Counter()
    for examples in TWO.values():
        for example in examples:
            takes = {}
            for i, sentence in enumerate(sentences(example.context)):
                if " took the " in sentence:
                    person, thing = sentence.split()[-4], sentence.split()[-1]
                    takes[thing] = (person, i)
            person, take = takes[subject(example)]
            place, move = last_moves(example.context)[person]
            assert example.texts == [place]
            assert example.supporting == (take, move)
            order[take < move] += 1
    assert min(order.values()) > 400


def test_sizes_ids_and_splits():
    assert [len(PLAIN[split]) for split in SPLITS] == [2800, 400, 800]
    assert [len(WITH_NONE[split]) for split in SPLITS] == [4200, 600, 1200]
    assert [len(TWO[split]) for split in SPLITS] == [1400, 200, 400]
    for kind in (PLAIN, TWO):
        contexts = [{example.context for example in kind[split]} for split in SPLITS]
        assert sum(map(len, contexts)) == len(set.union(*contexts)) == 2000
    ids = [example.id for kind in (WITH_NONE, TWO) for split in SPLITS for example in kind[split]]
    assert len(set(ids)) == len(ids)


def test_version_1_is_version_2_without_what_has_no_answer():
    for split in SPLITS:
        assert PLAIN[split] == [example for example in WITH_NONE[split] if example.answers]
    assert stories("test")["version"] == "1.1"
    assert "is_impossible" not in stories("test")["data"][0]["paragraphs"][0]["qas"][0]
    assert stories("test", unanswerable=True)["version"] == "v2.0"


def test_rules_of_thumb_fail():
    """The last sentence, the first one that names the person, the last one: none is enough."""
    hits = Counter()
    for example in PLAIN["test"]:
        place_of = [sentence.rsplit(" the ", 1)[1] for sentence in sentences(example.context)]
        named = [place for place, s in zip(place_of, sentences(example.context), strict=True) if subject(example) in s]
        hits.update(name for name, place in (("last", place_of[-1]), ("first", named[0]), ("latest", named[-1]))
                    if [place] == example.texts)  # fmt: skip
    shares = {name: count / 800 for name, count in hits.items()}
    assert 0.2 < shares["last"] < 0.5 and 0.5 < shares["first"] < 0.75 and 0.6 < shares["latest"] < 0.85, shares


def test_the_generator_decides():
    draws = [make_stories(20, np.random.default_rng(seed)) for seed in (4, 4, 5)]
    assert draws[0] == draws[1] != draws[2]
    assert make_stories(0, np.random.default_rng(4)) == []
    assert stories("test") == stories("test")


def test_a_story_drawn_twice_counts_once(monkeypatch):
    for name in ("PLACES", "MOVES", "MENTIONS", "OPENINGS"):
        monkeypatch.setattr(module, name, getattr(module, name)[:1])
    contexts = [story["context"] for story in make_stories(60, np.random.default_rng(0))]
    assert len(set(contexts)) == 60


def test_wrong_arguments():
    with pytest.raises(ValueError, match="split must be one of"):
        stories("dev")
    with pytest.raises(ValueError, match="facts must be 1 or 2, got 3"):
        stories("test", facts=3)
    with pytest.raises(TypeError, match="unanswerable must be True or False"):
        stories("test", unanswerable=1)
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator"):
        make_stories(2, 0)
    with pytest.raises(ValueError, match="num must be at least 0"):
        make_stories(-1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="facts must be 1 or 2"):
        make_stories(2, np.random.default_rng(0), facts=0)
