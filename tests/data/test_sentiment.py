"""The committed sentiment texts: clean, balanced, split without overlap."""

import re
from pathlib import Path

import numpy as np
import pytest

from attention_lab.data import extract_sentiment as extract
from attention_lab.data import sentiment as module
from attention_lab.data.sentiment import sentiment
from attention_lab.data.splits import SPLITS
from attention_lab.data.words import tokenize

ROOT = Path(__file__).parents[2]
DATA = {split: sentiment(split) for split in SPLITS}
TEXTS = [text for texts, _ in DATA.values() for text in texts]


def test_sizes_and_balance():
    assert {split: len(texts) for split, (texts, _) in DATA.items()} == {"train": 732, "validation": 104, "test": 210}
    for texts, labels in DATA.values():
        assert labels.shape == (len(texts),) and labels.dtype.kind == "i"
        assert labels.sum() * 2 == len(texts)


def test_labels_are_mixed_and_belong_to_their_texts():
    for texts, labels in DATA.values():
        assert 0.35 < np.mean(labels[: len(texts) // 2]) < 0.65
    label = {text: y for texts, labels in DATA.values() for text, y in zip(texts, labels, strict=True)}
    assert label["I love this feeling."] == label["Yay. Another good phone interview."] == 1
    assert label["Anger is ugly."] == label["so cold"] == 0


def test_no_text_is_in_two_splits_nor_nearly():
    assert len(set(TEXTS)) == len(TEXTS)
    bags = [frozenset(tokenize(text)) for text in TEXTS]
    alike = [
        (TEXTS[i], TEXTS[j])
        for i in range(len(bags))
        for j in range(i)
        if len(bags[i] & bags[j]) >= extract.ALIKE * len(bags[i] | bags[j])
    ]
    assert alike == []


def test_every_text_has_two_words_and_none_is_long():
    lengths = [len(tokenize(text)) for text in TEXTS]
    assert min(lengths) >= 2 and max(lengths) <= 40
    assert min(len(set(tokenize(text))) for text in TEXTS) >= 2


@pytest.mark.parametrize(
    "pattern", ["@", "http", r"www\.", "#", r"&\w+;", r"\bRT\b", r"\s\s|[^ \S]", r"(^| )[:;]-?[)(D]\b"]
)
def test_no_names_links_tags_entities_or_emoticons(pattern):
    assert [text for text in TEXTS if re.search(pattern, text)] == []


def test_no_coarse_word():
    stems = re.compile("shit|fuck|damn|bitch|bastard|asshole|cunt|nigg|whore|slut|piss|porn|rapist|nazi")
    words = {word for text in TEXTS for word in tokenize(text)}
    assert [word for word in words if stems.match(word)] == []
    assert words.isdisjoint({"ass", "crap", "sex", "rape", "wtf", "lmao"})


def test_a_second_call_is_equal_and_a_reader_changes_only_a_copy():
    texts, labels = sentiment("train")
    texts.clear()
    labels[:] = 7
    again, labels = sentiment("train")
    assert again == DATA["train"][0]
    np.testing.assert_array_equal(labels, DATA["train"][1])


def test_an_unknown_split():
    with pytest.raises(ValueError, match="split must be one of"):
        sentiment("dev")


def test_source_and_licence_are_told():
    folder = Path(module.__file__).parent
    assert (folder / "sentiment.tsv").stat().st_size < 100_000
    readme = (folder / "README.md").read_text("utf-8")
    for fact in ("vaderSentiment", "3.3.2", extract.SHA256[:16], "Hutto", "MIT", "1,046", "523"):
        assert fact in readme
    licence = (folder / "MIT-vaderSentiment.txt").read_text("utf-8")
    assert "Copyright (c) 2016 C.J. Hutto" in licence and "Permission is hereby granted" in licence
    notice = (ROOT / "NOTICE").read_text("utf-8")
    assert "sentiment.tsv" in notice and "Copyright (c) 2016 C.J. Hutto" in notice
    assert "attention_lab/data/MIT-vaderSentiment.txt" in (ROOT / "pyproject.toml").read_text("utf-8")
