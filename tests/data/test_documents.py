"""The minutes: one sentence decides, a reader with a grammar finds it, and counting words finds nothing."""

from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from attention_lab.data import documents as module
from attention_lab.data.documents import CLASSES, ID_OF, PAD, WORDS, documents, encode, make_triplets
from attention_lab.data.splits import SPLITS
from tests.test_checks import refused_with

PARTS = {split: documents(split) for split in SPLITS}
ALL = [document for part in PARTS.values() for document in part]


def votes_on_the_bridge(sentences):
    """(place, verb) of each: by a grammar written independently. The object is the noun that stands right after the
    verb, its article and one adjective at most; what stands "near" is no object."""
    found = []
    for place, sentence in enumerate(sentences):
        words = sentence.split()
        for verb in {"approved", "rejected"} & set(words):
            after = [word for word in words[words.index(verb) + 1 :] if word not in module.ADJECTIVES]
            found += [(place, verb)] if after[:2] == ["the", "bridge"] else []
    return found


def test_one_sentence_decides_or_none_does():
    for document in ALL:
        votes = votes_on_the_bridge(document.sentences)
        wanted = [] if document.label == CLASSES.index("open") else [(document.planted, CLASSES[document.label])]
        assert votes == wanted
        assert {"approved", "rejected"} <= set(" ".join(document.sentences).split())
        assert type(document.label) is type(document.planted) is int


def test_the_three_versions_have_the_same_words_and_differ_in_two_sentences():
    for split in SPLITS:
        for a, b, c in zip(*(PARTS[split][i::3] for i in range(3)), strict=True):
            assert (a.label, b.label, c.label) == (0, 1, 2)
            assert a.planted == b.planted == c.planted
            bags = [Counter(" ".join(document.sentences).split()) for document in (a, b, c)]
            assert bags[0] == bags[1] == bags[2]
            differ = [i for i, lines in enumerate(zip(a.sentences, b.sentences, c.sentences, strict=True))
                      if len(set(lines)) > 1]  # fmt: skip
            assert len(differ) == 2 and a.planted in differ
            open_line = c.sentences[c.planted].split()
            assert sorted(open_line) in [sorted(d.sentences[d.planted].split()) for d in (a, b)]


def test_sizes_lengths_and_splits():
    assert [len(PARTS[split]) for split in SPLITS] == [2400, 300, 600]
    lengths = Counter(len(document.sentences) for document in ALL)
    assert sorted(lengths) == list(range(12, 19))
    assert min(lengths.values()) > 0.8 * len(ALL) / 7
    assert max(len(sentence.split()) for document in ALL for sentence in document.sentences) == 9
    assert len({document.sentences for document in ALL}) == len(ALL) == 3300


def test_the_planted_sentence_may_stand_anywhere():
    share = np.array([document.planted / (len(document.sentences) - 1) for document in ALL])
    assert (np.histogram(share, 4, (0, 1))[0] > 0.2 * len(ALL)).all()
    places = Counter(document.planted for document in ALL)
    assert set(places) == set(range(18)) and max(places.values()) < 0.1 * len(ALL)


def test_each_word_of_a_deciding_sentence_stands_elsewhere_too():
    """The bridge, the verbs, even a vote with the bridge in its sentence: none of them gives the place away."""
    named, voted, both = [], [], []
    for document in PARTS["test"]:
        rest = [s.split() for i, s in enumerate(document.sentences) if i != document.planted]
        named.append(sum("bridge" in words for words in rest))
        voted.append(sum(bool({"approved", "rejected"} & set(words)) for words in rest))
        both.append(sum("bridge" in words and bool({"approved", "rejected"} & set(words)) for words in rest))
    assert np.mean(named) > 4 and np.mean(voted) > 4 and np.mean(both) > 1
    assert min(voted) >= 1


@pytest.mark.parametrize(("longest", "low", "high"), [(1, 0.333, 0.334), (2, 0.4, 0.6), (3, 0.6, 0.8)])
def test_counting_words_is_at_chance_and_neighbours_tell_only_a_part(longest, low, high):
    texts, labels = [" ".join(d.sentences) for d in PARTS["train"]], [d.label for d in PARTS["train"]]
    counts = CountVectorizer(ngram_range=(1, longest), min_df=3)
    model = LogisticRegression(C=0.01, tol=1e-2, max_iter=2000).fit(counts.fit_transform(texts), labels)
    said = model.predict(counts.transform([" ".join(d.sentences) for d in PARTS["test"]]))
    assert low < np.mean(said == [d.label for d in PARTS["test"]]) < high


def test_the_generator_decides():
    first, again, other = (make_triplets(20, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert first == again != other
    assert make_triplets(0, np.random.default_rng(4)) == []
    assert documents("test") == PARTS["test"]


def test_a_document_drawn_twice_counts_once(monkeypatch):
    for name in ("BODIES", "ADJECTIVES"):
        monkeypatch.setattr(module, name, getattr(module, name)[:1])
    monkeypatch.setattr(module, "THINGS", module.THINGS[:2])
    drawn = make_triplets(30, np.random.default_rng(0), sentences=(2, 2))
    assert len({document.sentences for triplet in drawn for document in triplet}) == 90


def test_any_length():
    for fewest, most in ((2, 2), (2, 5), (40, 41)):
        lengths = {len(d.sentences) for t in make_triplets(30, np.random.default_rng(1), sentences=(fewest, most))
                   for d in t}  # fmt: skip
        assert lengths == set(range(fewest, most + 1))


# ---- as arrays --------------------------------------------------------------------------------------------------


def test_every_word_has_one_id_and_is_used():
    assert [WORDS[i] for i in ID_OF.values()] == list(ID_OF)
    assert len(set(WORDS)) == len(WORDS) == 33 and ID_OF["<pad>"] == PAD == 0
    assert {word for d in PARTS["train"] for s in d.sentences for word in s.split()} == set(WORDS) - {"<pad>"}


def test_an_array_reads_back_as_the_document():
    ids, mask = encode(PARTS["test"])
    assert ids.shape == mask.shape == (600, 18, 9) and mask.dtype == bool
    for document, rows, real in zip(PARTS["test"], ids, mask, strict=True):
        back = [" ".join(WORDS[i] for i in row[here]) for row, here in zip(rows, real, strict=True) if here.any()]
        assert tuple(back) == document.sentences
        assert (np.diff(real.astype(int), axis=-1) <= 0).all()  # pads behind the words
        assert (np.diff(real.any(-1).astype(int)) <= 0).all()  # and behind the sentences
        assert (rows[~real] == PAD).all()


def test_plain_texts_and_an_empty_document():
    ids, mask = encode([["the bridge is closed", "again"], [], [""]])
    assert ids.shape == (3, 2, 4) and mask.sum(axis=(1, 2)).tolist() == [5, 0, 0]
    assert encode([[]])[0].tolist() == [[[PAD]]] and not encode([[]])[1].any()


@pytest.mark.parametrize(
    ("error", "call", "words"),
    [
        (ValueError, lambda: documents("dev"), ["split", "'train'", "'dev'"]),
        (TypeError, lambda: make_triplets(2, 0), ["rng must be a numpy.random.Generator"]),
        (ValueError, lambda: make_triplets(-1, np.random.default_rng(0)), ["num must be at least 0"]),
        (ValueError, lambda: make_triplets(1, np.random.default_rng(0), sentences=(1, 3)), ["sentences", "at least 2"]),
        (ValueError, lambda: make_triplets(1, np.random.default_rng(0), sentences=(5, 3)), ["(5, 3)", "most"]),
        (ValueError, lambda: encode([["the bridge burned"]]), ["texts", "burned", "WORDS"]),
        (TypeError, lambda: make_triplets(1, np.random.default_rng(0), sentences=3), ["(fewest, most), got 3"]),
        (TypeError, lambda: make_triplets(1, np.random.default_rng(0), sentences=(2, 3, 4)), ["got (2, 3, 4)"]),
        (ValueError, lambda: encode([]), ["texts is empty"]),
        (ValueError, lambda: encode([["the <pad>"]]), ["texts", "<pad>"]),
        (TypeError, lambda: encode(ALL[0]), ["texts must be a list of documents", "[document]"]),
        (TypeError, lambda: encode(["the bridge is closed"]), ["texts must be a list of documents"]),
    ],
)
def test_wrong_arguments(error, call, words):
    refused_with(error, call, words)
