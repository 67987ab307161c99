"""The answers of lesson 16, and that each turns when what it rests on is broken."""

import numpy as np
import pytest

import attention_lab
from attention_lab.teaching.questions import BANK
from tests.teaching.answers import check_answer


class OneKey:
    """An encoder in which a word scores itself alone."""

    def __init__(self, *sizes, rng):
        self.encoder = attention_lab.Encoder(*sizes, rng=rng)

    def __call__(self, x):
        x, (weights,) = self.encoder(x)
        return x, (weights[..., :1],)


class OneMap(attention_lab.EncoderBlock):
    """All heads share one map."""

    def __call__(self, x):
        x, weights = super().__call__(x)
        return x, weights[:1]


def no_rescaling(scores, value, state=None):
    maximum, total, mixed = attention_lab.online_softmax(scores, value)
    return (maximum, total, mixed) if state is None else (maximum, total + state[1], mixed + state[2])


def last_tile(scores, value, state=None):
    return attention_lab.online_softmax(scores, value)


def half_a_core(n, d_model, d_ff):
    return 4 * n * d_model**2, 2 * n * d_model * d_ff, 12 * n**2 * d_model


def long_core(n, d_model, d_ff):
    return 4 * n * d_model**2, 2 * n * d_model * d_ff, 100 * n**2 * d_model


def one_row(query, key, value, **about):
    output, weights = attention_lab.scaled_dot_product_attention(query, key, value, **about)
    return output, weights[:1]


def called_once(layer, x):
    layer(x)
    return x


ANSWERS = [
    ("thirty-by-thirty", "about 29 times", "Encoder", OneKey, None),
    ("positive-queries", "one", "attention", lambda q, k, v: (None, np.eye(500)), "up to 500"),
    ("larger-part", "the matrices, 6 times", "block_cost", half_a_core, "both are level, as n = d"),
    ("crossing-of-the-block", "3,072", "block_cost", half_a_core, "1,024"),
    ("memory-of-scores", "1 GiB", "attention", one_row, "64 KiB"),
    ("longer-or-wider", "n: by 4 and 4; d: by 2 and 1", "attention", one_row, None),
    (
        "shorter-than-wide",
        "attention takes about a fifth",
        "block_cost",
        long_core,
        "attention takes about 5 times as much",
    ),
    ("because-block_cost", "h heads are each h times narrower", "EncoderBlock", OneMap, "heads share their weights"),
    ("work-of-checkpoints", "about a third more", "checkpoint", called_once, "no more"),
    ("the-old-sum", "1.5 · exp(−3)", "online_softmax", no_rescaling, "it stays 1.5"),
    ("tiles-backwards", "nothing but rounding", "online_softmax", last_tile, "what is read first counts less"),
    (
        "exact-or-not",
        "as far as rounding goes",
        "blockwise_attention",
        lambda *arrays: attention_lab.scaled_dot_product_attention(*arrays)[0],
        "not at all, bit for bit",
    ),
    ("tiles-of-a-causal-map", "36", "causal_mask", lambda n: np.ones((n, n), bool), "64"),
    (
        "fewer-multiplications",
        "262,144, as many as the whole matrix",
        "attention",
        lambda x, *_: (x, np.zeros((64, 64))),
        "4,096, one tile",
    ),
    ("twice-as-long", "4, 2 and 4 times", "attention", one_row, None),
    (
        "because-online_softmax",
        "they are in units of the old maximum",
        "online_softmax",
        last_tile,
        "older keys should count less",
    ),
]


@pytest.mark.parametrize(("id", "right", "name", "broken", "then"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_the_answer_turns_when_what_it_rests_on_is_broken(monkeypatch, id, right, name, broken, then):
    check_answer(monkeypatch, id, right, name, broken, then)


def test_no_question_is_left_out():
    earlier, later = {"thirty-by-thirty", "positive-queries"}, {"core-of-a-small-model"}  # a recall of lesson 17
    assert {row[0] for row in ANSWERS} | later == {id for id, item in BANK.items() if item.lesson == "16"} | earlier
