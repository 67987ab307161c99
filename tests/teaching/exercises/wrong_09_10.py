"""Mistakes that learners make in the exercises of lessons 09 and 10, beside those of the bank."""

import math
from itertools import zip_longest

import numpy as np

from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("masked_mean", "changes its input `x`", "`x = x - 1` instead of")
def clears_the_pads(x, mask):
    pooled = REFERENCE["masked_mean"](x, mask)
    x[~mask] = 0
    return pooled


@wrong("masked_mean", "never uses `mask`", never="A known cause")
def knows_what_stands_on_the_pads(x, mask):
    return np.where(x == 9, 0, x).sum(axis=1) / np.maximum((x != 9).any(axis=-1).sum(axis=1, keepdims=True), 1)


@wrong("masked_mean", "`pooled` has shape (3, 1, 7) and should have (3, 7)", never="A known cause")
def keeps_the_axis(x, mask):
    return REFERENCE["masked_mean"](x, mask)[:, None]


@wrong("masked_mean", "`pooled`[", "should be", never="A known cause")
def takes_the_first_token(x, mask):
    return x[:, 0]


@wrong("masked_mean", "`if`, `and`, `or` and `not` ask for one truth value")
def asks_the_whole_mask(x, mask):
    return x.mean(axis=1) if mask else 0 * x.mean(axis=1)


@wrong("masked_mean", "given x (3, 7, 5), mask (3, 7)", never="A known cause")
def refuses_an_empty_sentence(x, mask):
    if not mask.any(axis=1).all():
        return np.ones((len(x), x.shape[-1]))
    return REFERENCE["masked_mean"](x, mask)


@wrong("pad_batch", "changes its input `sequences`", "`row = row + [0]` instead of `row.append(0)`")
def appends_to_what_it_is_handed(sequences, pad):
    lengths = np.array([len(sequence) for sequence in sequences])
    for sequence in sequences:
        sequence += [pad] * (lengths.max() - len(sequence))
    return np.array(sequences), np.arange(lengths.max()) < lengths[:, None]


@wrong("pad_batch", "All of your mask is True", "do not append to the lists that you are handed")
def appends_and_counts_afterwards(sequences, pad):
    longest = max(map(len, sequences))
    for sequence in sequences:
        while len(sequence) < longest:
            sequence.append(pad)
    return np.array(sequences), np.array([[i < len(s) for i in range(longest)] for s in sequences])


@wrong("pad_batch", "`ids` has rows of different lengths")
def forgets_to_pad(sequences, pad):
    return sequences, [[True] * len(sequence) for sequence in sequences]


@wrong("pad_batch", "`mask` holds floats (float64)", "a float mask is added to the scores")
def makes_a_float_mask(sequences, pad):
    ids, mask = REFERENCE["pad_batch"](sequences, pad)
    return ids, mask * 1.0


@wrong("pad_batch", "`ids` holds floats", "no index into a table", never="turned round")
def writes_into_zeros(sequences, pad):
    ids, mask = REFERENCE["pad_batch"](sequences, pad)
    return np.zeros(ids.shape) + ids, mask


@wrong("pad_batch", "The mask is turned round", never="floats")
def writes_into_zeros_and_inverts(sequences, pad):
    ids, mask = REFERENCE["pad_batch"](sequences, pad)
    return np.zeros(ids.shape) + ids, ~mask


@wrong("pad_batch", "`mask` has shape (3,) and should have (3, 5)")
def returns_the_lengths(sequences, pad):
    return REFERENCE["pad_batch"](sequences, pad)[0], np.array([len(sequence) for sequence in sequences])


@wrong("pad_batch", "returns one array of shape (3, 5); 2 results are expected: end it with `return ids, mask`")
def forgets_the_mask(sequences, pad):
    return REFERENCE["pad_batch"](sequences, pad)[0]


@wrong("pad_batch", "Your two results come in the other order", "`return ids, mask`")
def swaps_its_results(sequences, pad):
    ids, mask = REFERENCE["pad_batch"](sequences, pad)
    return mask, ids


@wrong("pad_batch", "Sentences stand in columns", "`.T`")
def turns_both_round(sequences, pad):
    columns = list(zip_longest(*sequences, fillvalue=pad))
    return np.array(columns), np.array(list(zip_longest(*[[True] * len(s) for s in sequences], fillvalue=False)))


@wrong("matthews", "A `math` function takes one number")
def takes_the_root_of_arrays(predicted, true):
    return math.sqrt(predicted * true)


@wrong("matthews", "`correlation` is", "should be", never="A known cause")
def takes_the_mean_of_both_recalls(predicted, true):
    return sum((predicted == true)[true == kind].mean() if (true == kind).any() else 0 for kind in (0, 1)) / 2


@wrong("matthews", "`correlation` has shape (7,) and should have ()")
def never_counts(predicted, true):
    return (predicted == true).astype(float)


@wrong("matthews", "`correlation` is", "given predicted (11,) of int64", never="A known cause")
def calls_a_constant_certain(predicted, true):
    return REFERENCE["matthews"](predicted, true) if predicted.std() and true.std() else 1.0


@wrong("shift_targets", "returns one array of shape (2, 3, 6); 2 results are expected")
def stacks_both(ids, mask):
    return np.stack(REFERENCE["shift_targets"](ids, mask))


@wrong("shift_targets", "`inputs` is right. `targets`[", never="A known cause")
def marks_by_minus_100(ids, mask):
    return ids[:, :-1], np.where(mask[:, 1:], ids[:, 1:], -100)


@wrong("shift_targets", "changes its input `ids`")
def marks_in_place(ids, mask):
    inputs = ids[:, :-1].copy()
    ids[~mask] = -1
    return inputs, ids[:, 1:]


@wrong("shift_targets", "never uses `mask`", never="A known cause")
def looks_for_27(ids, mask):
    return ids[:, :-1], np.where(ids[:, 1:] == 27, -1, ids[:, 1:])


@wrong("perplexity", "never uses `mask`", never="A known cause")
def leaves_out_zeros(nats, mask):
    return np.exp(nats[nats > 0].mean() * 1.01)


@wrong("perplexity", "`perplexity` has shape (3,) and should have ()", never="A known cause")
def gives_one_a_sentence(nats, mask):
    return np.exp(np.where(mask, nats, 0).sum(axis=1) / mask.sum(axis=1))


@wrong("perplexity", "`perplexity` is", "should be", never="A known cause")
def takes_the_median(nats, mask):
    return np.exp(np.median(nats[mask]))


@wrong("perplexity", "Round brackets after a name call it")
def calls_the_mask(nats, mask):
    return np.exp(nats(mask).mean())


@wrong("top_p", "A single matrix comes out right", never="A known cause")
def adds_over_the_second_axis(probabilities, p):
    if probabilities.ndim < 3:
        return REFERENCE["top_p"](probabilities, p)
    order = np.argsort(-probabilities, axis=-1)
    falling = np.take_along_axis(probabilities, order, -1)
    kept = np.where(falling.cumsum(1) - falling < p, falling, 0)
    kept[..., 0] = falling[..., 0]
    kept = np.take_along_axis(kept, np.argsort(order), -1)
    return kept / kept.sum(-1, keepdims=True)


@wrong("top_p", "`kept`[", "should be", never="A known cause")
def evens_out_what_is_left(probabilities, p):
    kept = REFERENCE["top_p"](probabilities, p) > 0
    return kept / kept.sum(-1, keepdims=True)


@wrong("top_p", "`kept` has shape (2,) and should have (5,)", never="A known cause")
def returns_those_that_stay(probabilities, p):
    kept = REFERENCE["top_p"](probabilities, p)
    return kept[kept > 0]


@wrong("top_p", "changes its input `probabilities`")
def cuts_in_place(probabilities, p):
    kept = REFERENCE["top_p"](probabilities, p)
    probabilities[kept == 0] = 0
    return kept
