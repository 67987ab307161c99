"""Stories as arrays: every word and every answer comes back, and padding stands behind."""

import numpy as np
import pytest

from attention_lab.data.squad import Example, squad_examples
from attention_lab.data.stories import stories
from attention_lab.data.story_arrays import NONE, UNKNOWN, WORDS, as_memory, as_rows, span_text, split_words

KINDS = [{}, {"unanswerable": True}, {"facts": 2}]


@pytest.mark.parametrize("about", KINDS)
def test_every_word_is_known_and_every_answer_comes_back(about):
    examples = [one for split in ("train", "test") for one in squad_examples(stories(split, **about))]
    sentences, question = as_memory(examples)
    rows = as_rows(examples)
    assert not any((array == UNKNOWN).any() for array in (sentences, question, rows.ids, rows.question))
    for example, first, last in zip(examples, rows.first, rows.last, strict=True):
        assert span_text(example.context, first, last) == (example.texts[0] if example.answers else "")


def test_a_memory_holds_the_words_sentence_by_sentence():
    examples = squad_examples(stories("test"))[:50]
    sentences, question = as_memory(examples)
    for example, slots, asked in zip(examples, sentences, question, strict=True):
        told = [[WORDS[i] for i in slot if i] for slot in slots if slot.any()]
        assert told == [sentence.lower().split() for sentence in example.context.removesuffix(".").split(". ")]
        assert [WORDS[i] for i in asked if i] == example.question.lower().removesuffix("?").split()
    assert (np.diff((sentences > 0).astype(int), axis=-1) <= 0).all()  # pads stand behind
    assert (np.diff(sentences.any(-1).astype(int), axis=-1) <= 0).all()


def test_a_row_holds_none_and_then_the_text():
    examples = squad_examples(stories("test"))[:50]
    rows = as_rows(examples)
    for example, ids, sentence, mask in zip(examples, rows.ids, rows.sentence, rows.mask, strict=True):
        told = split_words(example.context)
        assert ids[0] == NONE and [WORDS[i] for i in ids[mask][1:]] == told.words
        assert sentence[mask].tolist() == [0, *(1 + s for s in told.sentence)]
        assert not ids[~mask].any() and mask.sum() == 1 + len(told.words)


def test_the_supporting_sentence_holds_the_answer():
    examples = squad_examples(stories("test"))
    rows = as_rows(examples)
    number = np.take_along_axis(rows.sentence, rows.first[:, None], axis=-1)[:, 0]
    np.testing.assert_array_equal(number, [1 + example.supporting[0] for example in examples])


def test_odd_texts():
    assert split_words("Ben. ... Anna ran! 3.5 a.m. \u732b").sentence == [0, 1, 1, 2, 2, 2, 2, 3]
    assert split_words("  ") == ([], [], [])
    rows = as_rows([Example("", "Who?", "zebra ran")])
    assert rows.ids.tolist() == [[NONE, UNKNOWN, UNKNOWN]] and rows.first.tolist() == [0]


def test_texts_and_questions_without_a_word_are_pads():
    examples = [Example("a", "?", "Ben ran. Anna ran."), Example("b", "Who?", "...")]
    sentences, question = as_memory(examples)
    assert sentences.any(-1).tolist() == [[True, True], [False, False]] and question.any(-1).tolist() == [False, True]
    assert [array.tolist() for array in as_memory([Example("", "", "")])] == [[[[0]]], [[0]]]
    rows = as_rows([Example("", "?", "")])
    assert rows.question.tolist() == [[0]] and rows.ids.tolist() == [[NONE]] and rows.mask.all()
    for arrays in (as_memory, as_rows):
        with pytest.raises(ValueError, match="examples is empty: give at least one"):
            arrays([])


@pytest.mark.parametrize(("first", "last"), [(2, 1), (1, 3), (-1, 1), (1, -1)])
def test_places_that_are_no_span_are_refused(first, last):
    with pytest.raises(ValueError, match=f"0 <= first <= last <= 2, got {first} and {last}"):
        span_text("Ben ran.", first, last)
