"""The stored translator of numbers: right on nearly all numbers it never saw, and it reads the word that it writes."""

from itertools import islice

import numpy as np
import pytest

from attention_lab.data.number_words import END, GERMAN, PAD, START, alignment, english, german, number_pairs
from attention_lab.gradients import parameters
from attention_lab.teaching import number_translator as module
from attention_lab.teaching.number_translator import (
    TRANSLATOR,
    aligned_tokens,
    exact_numbers,
    load_number_translator,
    new_number_translator,
    number_arrays,
    number_batches,
    number_loss,
    train_number_translator,
    translate_number,
)

TEST = number_pairs("test")
TOKENS = [pair.german for pair in TEST]


def test_the_stored_translator_is_right_on_the_test_numbers():
    model = load_number_translator()
    assert exact_numbers(model, TEST) >= 0.99
    everywhere, crossed = aligned_tokens(model, TEST)
    assert everywhere >= 0.95
    assert crossed >= 0.95


def test_a_translator_that_learned_nothing_is_not():
    model = new_number_translator(0)
    assert exact_numbers(model, TEST) == 0
    assert max(aligned_tokens(model, TEST)) < 0.5


# ---- one number -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [0, 7, 17, 42, 100, 356, 1021, 4242, 6842, 9999])
@pytest.mark.parametrize("beams", [1, 4])
def test_a_number_is_translated_and_its_words_are_read(number, beams):
    tokens, weights = translate_number(load_number_translator(), number, beams)
    assert tokens == german(number)
    assert weights.shape == (len(tokens), len(english(number)))
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-5)
    read = weights.argmax(axis=-1)
    assert [place for place in zip(read, alignment(number)) if place[1] is not None and place[0] != place[1]] == []


def test_one_number_alone_and_among_others_are_the_same():
    """Padding changes neither the text nor the weights."""
    model, pairs = load_number_translator(), TEST[:20]
    source, source_mask, target = number_arrays(pairs)
    together = model(source, target[:, :-1], source_mask)[1][-1][:, 0]
    for pair, weights in zip(pairs, together):
        tokens, alone = translate_number(model, pair.number)
        assert tokens == pair.german
        np.testing.assert_allclose(alone, weights[: len(tokens), : len(pair.english)], atol=1e-5)


@pytest.mark.parametrize(("number", "error"), [(10_000, ValueError), (-1, ValueError), (1.5, TypeError)])
def test_what_is_no_such_number_is_refused(number, error):
    with pytest.raises(error, match="number"):
        translate_number(load_number_translator(), number)


# ---- measures -------------------------------------------------------------------------------------------------------


class Fake:
    """A translator whose weights are as the right alignment says, but for some of the tokens."""

    def __init__(self, wrong):
        self.wrong = wrong

    def __call__(self, source, target, source_mask):
        weights = np.zeros((len(source), 1, target.shape[1], source.shape[1]))
        for row, pair in zip(weights[:, 0], TEST):
            for i, place in enumerate(alignment(pair.number)):
                if place is not None:
                    row[i, (place + 1) % len(pair.english) if pair.german[i] in self.wrong else place] = 1
        return None, [weights]


def test_alignment_is_the_share_of_tokens_whose_word_is_read_most():
    words = [token for tokens in TOKENS for token in tokens if token != "und"]
    assert aligned_tokens(Fake(wrong=()), TEST) == (1, 1)
    everywhere, crossed = aligned_tokens(Fake(wrong=("hundert", "tausend")), TEST)
    np.testing.assert_allclose(everywhere, 1 - np.mean([word in ("hundert", "tausend") for word in words]))
    assert crossed == 1
    _, crossed = aligned_tokens(Fake(wrong=("vierzig",)), TEST)
    around = [tokens[tokens.index("und") + side] for tokens in TOKENS if "und" in tokens for side in (-1, 1)]
    np.testing.assert_allclose(crossed, 1 - np.mean([token == "vierzig" for token in around]))


@pytest.mark.filterwarnings("error")
def test_where_no_words_cross_there_is_no_share_of_them():
    pairs = [pair for pair in TEST if "und" not in pair.german][:3]
    everywhere, crossed = aligned_tokens(load_number_translator(), pairs)
    assert everywhere > 0.5 and np.isnan(crossed)


def test_exact_counts_whole_numbers(monkeypatch):
    def beam_search(model, source, **_):
        texts, _ = module.encode(TOKENS, GERMAN, ends=True)
        texts[:50, 2] = START + 3  # one token of fifty numbers
        return texts[:, None, 1:], None

    monkeypatch.setattr(module, "beam_search", beam_search)
    assert exact_numbers(None, TEST) == pytest.approx(0.9, abs=0.005)


# ---- training -------------------------------------------------------------------------------------------------------


def test_arrays_hold_start_text_end_and_padding():
    source, source_mask, target = number_arrays(TEST)
    assert source.shape == source_mask.shape
    for words, real, tokens, pair in zip(source, source_mask, target, TEST):
        assert real.sum() == len(pair.english)
        assert (words[~real] == PAD).all()
        assert [GERMAN[i] for i in tokens[1 : len(pair.german) + 1]] == pair.german
        assert tokens[0] == START and tokens[len(pair.german) + 1] == END
        assert (tokens[len(pair.german) + 2 :] == PAD).all()


def test_batches_are_drawn_from_all_pairs_by_the_seed():
    pairs = TEST[:10]
    first, again, other = (list(islice(number_batches(pairs, seed, size=4), 20)) for seed in (0, 0, 1))
    same = [[np.array_equal(a, b) for a, b in zip(one, two)] for one, two in zip(first, again)]
    assert np.all(same)
    assert any(not np.array_equal(one[2], two[2]) for one, two in zip(first, other))
    rows = {tuple(row) for _, _, target in first for row in target.tolist()}
    assert rows == {tuple(row) for row in number_arrays(pairs)[2].tolist()}
    assert first[0][0].shape[0] == first[0][1].shape[0] == first[0][2].shape[0] == 4


def test_the_loss_is_the_mean_over_tokens_and_ends():
    model, pairs = load_number_translator(), TEST[:3]
    alone = [(float(number_loss(model, *number_arrays([pair]))), len(pair.german) + 1) for pair in pairs]
    mean = sum(loss * count for loss, count in alone) / sum(count for _, count in alone)
    np.testing.assert_allclose(number_loss(model, *number_arrays(pairs)), mean, rtol=1e-4)


def test_a_short_training_learns_and_depends_on_the_seed_alone(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 20)
    arrays = number_arrays(TEST)
    first, again, other = (train_number_translator(seed) for seed in (0, 0, 1))
    before, after = number_loss(new_number_translator(0), *arrays), number_loss(first, *arrays)
    assert after < before - 0.5
    pairs = zip(parameters(first).values(), parameters(again).values(), parameters(other).values())
    assert all(np.array_equal(one, two) and not np.array_equal(one, three) for one, two, three in pairs)


def test_the_table_names_the_translator_and_its_shares():
    heading, row = TRANSLATOR.report()
    assert heading.split("  ")[-1].strip() == "units and tens"
    assert row.split()[0] == "number_translator_0"
    assert row.split()[3] == f"{exact_numbers(load_number_translator(), TEST):.3f}"
