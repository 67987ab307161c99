"""Numbers in two languages: as a dictionary of numbers has them, split for good, and aligned word by word."""

from hashlib import sha256

import numpy as np
import pytest

from attention_lab.data.number_words import (
    DICTIONARY,
    END,
    ENGLISH,
    GERMAN,
    PAD,
    START,
    alignment,
    decode,
    encode,
    english,
    german,
    number_pairs,
    word_for_word,
)
from attention_lab.data.splits import SPLITS

PAIRS = {split: number_pairs(split) for split in SPLITS}
ALL = [pair for pairs in PAIRS.values() for pair in pairs]
# Of num2words 0.5.14: "\n".join(f"{n}\t{num2words(n)}\t{num2words(n, lang='de')}" for n in range(10_000)), the English
# without commas and with a blank for each hyphen.
NUM2WORDS = "aaec4b91443b20951a3dec5e68b2dcfe303e68237fcffca0a8342d69362b5d66"


def test_all_ten_thousand_are_spelled_as_num2words_spells_them():
    lines = (f"{n}\t{' '.join(english(n))}\t{''.join(german(n))}" for n in range(10_000))
    assert sha256("\n".join(lines).encode()).hexdigest() == NUM2WORDS


@pytest.mark.parametrize(
    ("number", "words", "tokens", "sources"),
    [
        (0, "zero", "null", [0]),
        (1, "one", "eins", [0]),
        (12, "twelve", "zwölf", [0]),
        (16, "sixteen", "sechzehn", [0]),
        (21, "twenty one", "ein und zwanzig", [1, None, 0]),
        (30, "thirty", "dreißig", [0]),
        (66, "sixty six", "sechs und sechzig", [1, None, 0]),
        (77, "seventy seven", "sieben und siebzig", [1, None, 0]),
        (100, "one hundred", "ein hundert", [0, 1]),
        (101, "one hundred and one", "ein hundert eins", [0, 1, 3]),
        (1000, "one thousand", "ein tausend", [0, 1]),
        (1017, "one thousand and seventeen", "ein tausend siebzehn", [0, 1, 3]),
        (2100, "two thousand one hundred", "zwei tausend ein hundert", [0, 1, 2, 3]),
        (
            4242,
            "four thousand two hundred and forty two",
            "vier tausend zwei hundert zwei und vierzig",
            [0, 1, 2, 3, 6, None, 5],
        ),
    ],
)
def test_by_hand(number, words, tokens, sources):
    assert english(number) == words.split()
    assert german(number) == tokens.split()
    assert alignment(number) == sources


VALUES = {word: n for n, word in enumerate(["zero", *ENGLISH[4:23]])}
VALUES |= {word: 10 * n for n, word in enumerate(ENGLISH[23:31], 2)}
GERMAN_VALUES = {DICTIONARY[word]: value for word, value in VALUES.items()} | {"ein": 1}


def value_of(words, values, hundred, thousand):
    """A number from its words: what stands before a hundred or a thousand is multiplied, the rest is added up."""
    total = rest = 0
    for word in words:
        if word in (hundred, thousand):
            total, rest = total + rest * (100 if word == hundred else 1000), 0
        else:
            rest += values.get(word, 0)
    return total + rest


def test_both_languages_say_the_number():
    for n in range(10_000):
        assert value_of(english(n), VALUES, "hundred", "thousand") == n
        assert value_of(german(n), GERMAN_VALUES, "hundert", "tausend") == n


def test_the_alignment_leads_from_each_token_to_the_word_it_translates():
    for n in range(10_000):
        words, tokens, sources = english(n), german(n), alignment(n)
        assert len(tokens) == len(sources)
        assert sorted(place for place in sources if place is not None) == [
            i for i, word in enumerate(words) if word != "and"
        ]
        for token, place in zip(tokens, sources, strict=True):
            meant = "und" if place is None else DICTIONARY[words[place]]
            assert token == meant or (token, meant) == ("ein", "eins")
            assert place is None or type(place) is int
        crossing = None in sources  # units and tens change places, and nothing else does
        assert crossing == (n % 100 > 20 and n % 10 > 0)
        places = [place for place in sources if place is not None]
        places[-2:] = places[-2:][::-1] if crossing else places[-2:]
        assert places == sorted(places)


def test_eins_stands_at_the_end_alone_and_ein_never():
    for n in range(10_000):
        tokens = german(n)
        assert "eins" not in tokens[:-1]
        assert tokens[-1] not in ("ein", "und")


def test_splits_are_disjoint_of_a_fixed_size_and_always_the_same():
    assert [len(PAIRS[split]) for split in SPLITS] == [2000, 250, 500]
    assert len({pair.number for pair in ALL}) == 2750
    assert number_pairs("test") == PAIRS["test"]
    assert [PAIRS[split][0].number for split in SPLITS] == [7790, 2615, 7780]
    for number, words, tokens in ALL:
        assert (words, tokens) == (english(number), german(number))


def test_every_word_is_in_the_training_part_and_most_numbers_are_in_none():
    numbers = {pair.number for pair in PAIRS["train"]}
    assert {word for pair in PAIRS["train"] for word in pair.english} == set(ENGLISH[3:])
    assert {token for pair in PAIRS["train"] for token in pair.german} == set(GERMAN[3:])
    assert 0 in numbers
    assert not {42, 4242} & {pair.number for pair in ALL}
    assert abs(np.mean([pair.number for pair in ALL]) - 4999.5) < 200  # drawn from all of them


def test_vocabularies():
    assert (len(ENGLISH), len(set(ENGLISH)), len(GERMAN), len(set(GERMAN))) == (34, 34, 35, 35)
    for vocabulary in (ENGLISH, GERMAN):
        assert [vocabulary[i] for i in (PAD, START, END)] == ["<pad>", "<start>", "<end>"]


@pytest.mark.parametrize("ends", [False, True])
def test_ids_and_mask_hold_the_sentences_and_nothing_else(ends):
    sentences = [pair.german for pair in PAIRS["validation"]]
    ids, mask = encode(sentences, GERMAN, ends=ends)
    assert ids.shape == mask.shape == (250, max(map(len, sentences)) + 2 * ends)
    assert (ids.dtype.kind, mask.dtype) == ("i", bool)
    assert mask.sum(axis=-1).tolist() == [len(sentence) + 2 * ends for sentence in sentences]
    assert (mask[:, :-1] >= mask[:, 1:]).all()
    assert ((ids != PAD) == mask).all()
    assert ((ids == START).sum(), (ids == END).sum()) == (250 * ends, 250 * ends)
    for sentence, row in zip(sentences, ids, strict=True):
        assert decode(row, GERMAN) == sentence


def test_decoding_stops_at_the_first_end_or_pad():
    assert decode([1, 14, 2, 5, 2], GERMAN) == ["elf"]
    assert decode([14, 0, 5], GERMAN) == ["elf"]
    assert decode([14, 5], GERMAN) == ["elf", "zwei"]
    assert decode([14, 1, 5], GERMAN) == ["elf", "<start>", "zwei"]  # a model's mistake is shown
    assert decode([1, 2], GERMAN) == decode([2], GERMAN) == decode([], GERMAN) == []


def test_a_dictionary_gets_words_right_and_their_order_wrong():
    assert word_for_word(english(4242)) == ["vier", "tausend", "zwei", "hundert", "und", "vierzig", "zwei"]
    assert word_for_word(["zero"]) == ["null"]
    right = [pair for pair in ALL if word_for_word(pair.english) == pair.german]
    assert {len(pair.german) for pair in right} <= {1, 2, 4}  # round numbers and the smallest
    assert len(right) < 0.02 * len(ALL)


def test_what_is_no_word_and_no_flag_is_refused():
    for vocabulary, words in ((ENGLISH, 31), (GERMAN, 32)):
        for special in vocabulary[:3]:
            with pytest.raises(ValueError, match=f"'{special}' is not one of the {words} words of this vocabulary"):
                encode([[special]], vocabulary)
    with pytest.raises(TypeError, match="ends must be True or False, got 'no'"):
        encode([["two"]], ENGLISH, ends="no")


def test_errors_help():
    with pytest.raises(ValueError, match="number must be at most 9999, got 10000"):
        english(10_000)
    with pytest.raises(ValueError, match="number must be at least 0, got -1"):
        german(-1)
    with pytest.raises(TypeError, match="number must be a whole number, got 4.0"):
        alignment(4.0)
    with pytest.raises(ValueError, match="split must be one of 'train', 'validation', 'test' but is 'dev'"):
        number_pairs("dev")
    with pytest.raises(ValueError, match="'twoo' is not one of the 31 words of this vocabulary"):
        encode([["twoo"]], ENGLISH)
    with pytest.raises(ValueError, match="'ein' is not one of the 31 words"):
        word_for_word(["ein"])
    with pytest.raises(TypeError, match="must be a list of words, got the string 'two': write .split()"):
        encode(["two"], ENGLISH)
    with pytest.raises(ValueError, match="sentences is empty"):
        encode([], ENGLISH)
    with pytest.raises(ValueError, match="ids must be from 0 to 34, one a word, got .5, 35."):
        decode([5, 35], GERMAN)
    with pytest.raises(TypeError, match="got shape .1, 1. of int64: decode row by row"):
        decode([[5]], GERMAN)
    with pytest.raises(TypeError, match="row of whole numbers, got shape .1,. of float64"):
        decode([5.0], GERMAN)
