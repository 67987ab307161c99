"""The answers of lesson 12, and that each turns when what it rests on is broken."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from attention_lab import Seq2Seq
from attention_lab.blocks import DecoderBlock
from attention_lab.generation import beam_search
from attention_lab.hybrids import RecurrentSeq2Seq
from attention_lab.metrics import bleu
from attention_lab.teaching.exercises.lesson_12 import faulty_teacher_forcing_end_last, teacher_forcing
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class RawReader(Seq2Seq):
    """It reads the embedded source, whatever the encoder says."""

    def __call__(self, source, target):
        self.encoder, encoder = None, self.encoder
        found = super().__call__(source, target)
        self.encoder = encoder
        return found


class Joined(Seq2Seq):
    """It has a row for every token of both texts."""

    def __call__(self, source, target):
        return super().__call__(source, np.concatenate([source, target]))


class Abstaining(Seq2Seq):
    """Its second row reads nothing."""

    def __call__(self, source, target):
        logits, (read,) = super().__call__(source, target)
        read[..., 1, :] = 0
        return logits, [read]


class Always(RecurrentSeq2Seq):
    """Luong's way, whichever is asked for."""

    def __init__(self, *sizes, attention, rng):
        super().__init__(*sizes, attention="dot", rng=rng)


def without_encoder(*sizes, **about):
    return Seq2Seq(*sizes, encoder_layers=0, **about)


def unmasked(*sizes, rng):
    block = DecoderBlock(*sizes, rng=rng)
    return lambda target, memory, memory_mask: block(target, memory)


def own_words(ids, mask, start, end):
    """What the decoder reads where its own words are fed back: no true token among them."""
    return np.pad((ids + 1) % 35, ((0, 0), (1, 0)), constant_values=start), None


def sees_all(model, source, source_mask, **about):
    return beam_search(model, source, **about)


def only_greedy(model, source, **about):
    return beam_search(model, source, **about | {"beams": 1})


class Once(Counter):
    """Each kind counts once."""

    def __init__(self, tokens=()):
        super().__init__(set(tokens))


class Unlike(Counter):
    """Of two counts nothing is ever shared."""

    def __and__(self, other):
        return Counter()


def numpy_that_draws(**draws):
    """NumPy, but for what its generators draw."""
    rest = {name: getattr(np, name) for name in ("array", "ones", "isclose")}
    return SimpleNamespace(random=SimpleNamespace(default_rng=lambda seed: SimpleNamespace(**draws)), **rest)


def never_wrong(size):
    return np.zeros(size)


def on_the_second(alpha, size):
    return np.tile([0.0, 1.0, 0.0], (size, 1))


def mean_of_sentences(hypotheses, references):
    return np.mean([bleu([h], [r]) for h, r in zip(hypotheses, references, strict=True)])


# What is asked, the right option, what is broken and how, and the option that is then computed: None if none fits.
ANSWERS = [
    ("weights-from-output", "it cannot be told", "np", numpy_that_draws(dirichlet=on_the_second), "the second"),
    ("rows-of-logits", "7", "Seq2Seq", Joined, "12"),
    ("what-the-decoder-reads", "the rows after encoder block 3", "Seq2Seq", RawReader, "the embedded source"),
    ("causal-by-mistake", "one word", "DecoderBlock", unmasked, "all five words"),
    ("wrong-third-token", "the true token", "teacher_forcing", own_words, "nothing at all"),
    (
        "loss-near-zero",
        "to copy its own input",
        "faulty_unshifted",
        lambda ids, mask: teacher_forcing(ids, mask, 1, 2),
        "to translate, only faster",
    ),
    ("errors-add-up", "about 82 in 100", "np", numpy_that_draws(random=never_wrong), "98 in 100"),
    ("greedy-or-beam", "A C, then B E", "beam_search", only_greedy, "A C, then A C"),
    ("hidden-two", "vierzig", "beam_search", sees_all, "zweiundvierzig"),
    ("weight-of-und", "1, as every row", "Seq2Seq", Abstaining, "0"),
    ("hidden-from-the-decoder", "yes, from another place", "Seq2Seq", without_encoder, "no, it is hidden"),
    ("mixed-before-read", "every row knows all words", "Seq2Seq", without_encoder, "the words change places"),
    ("who-asks", "in Luong's only", "RecurrentSeq2Seq", Always, "in both"),
    (
        "because-teacher_forcing",
        "a decoder then knows when to stop",
        "teacher_forcing",
        faulty_teacher_forcing_end_last,
        "the loss needs equal lengths",
    ),
    ("one-short-sentence", "0", "bleu", lambda *corpora: 75, "75"),
    ("mean-or-corpus", "25", "bleu", mean_of_sentences, "50"),
    ("clipped", "2 of 5", "Counter", Once, "1 of 5"),
    ("half-as-long", "37", "bleu", lambda hypotheses, references: 100, "100"),
    (
        "because-clipped_precision",
        "a repeated word is right only so often",
        "Counter",
        Unlike,
        "the order of the words counts too",
    ),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    earlier = {"weights-from-output"}
    later = {"long-right-short-wrong"}  # a recall of lesson 13
    assert {row[0] for row in ANSWERS} | later == {id for id, item in BANK.items() if item.lesson == "12"} | earlier
