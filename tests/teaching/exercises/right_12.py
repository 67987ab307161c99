"""Differently written right answers to the exercises of lesson 12."""

from collections import Counter
from fractions import Fraction

import numpy as np

from attention_lab import causal_mask, combine_masks
from attention_lab.masks import over_keys
from tests.teaching.exercises.right import right


@right("teacher_forcing")
def forcing_by_pad(ids, mask, start, end):
    inputs = np.pad(ids, ((0, 0), (1, 0)), constant_values=start)
    targets = np.pad(np.where(mask, ids, -1), ((0, 0), (0, 1)), constant_values=-1)
    np.put_along_axis(targets, mask.sum(axis=1, keepdims=True), end, axis=1)
    return inputs, targets


@right("teacher_forcing")
def forcing_by_loops(ids, mask, start, end):
    inputs, targets = [], []
    for row, real in zip(ids, mask):
        tokens = [token for token, is_real in zip(row.tolist(), real) if is_real]
        inputs.append([start, *row.tolist()])
        targets.append([*tokens, end, *[-1] * (len(row) - len(tokens))])
    return inputs, targets


@right("teacher_forcing")
def forcing_by_slices(ids, mask, start, end):
    inputs = np.empty((ids.shape[0], ids.shape[1] + 1), int)
    targets = np.full_like(inputs, -1)
    inputs[:, 0], inputs[:, 1:] = start, ids
    targets[:, :-1][mask] = ids[mask]
    targets[range(len(ids)), mask.sum(-1)] = end
    return inputs, targets


@right("teacher_forcing")
def forcing_where_the_mask_ends(ids, mask, start, end):
    column = np.zeros((len(ids), 1), int)
    lengths = mask.sum(axis=1)[:, None]
    places = np.arange(ids.shape[1] + 1)
    targets = np.hstack([ids, column])
    targets = np.where(places < lengths, targets, np.where(places == lengths, end, -1))
    return np.hstack([column + start, ids]), targets


@right("decoder_masks")
def masks_of_the_package(source_mask, target_mask):
    own = combine_masks(causal_mask(target_mask.shape[1]), over_keys(target_mask, target_mask.shape))
    return own, over_keys(source_mask, source_mask.shape)


@right("decoder_masks")
def masks_by_tril_and_expand(source_mask, target_mask):
    n = target_mask.shape[1]
    own = np.logical_and(np.tril(np.ones((n, n))), np.expand_dims(target_mask, (1, 2)))
    return own, np.expand_dims(source_mask, (1, 2))


@right("decoder_masks")
def masks_by_places(source_mask, target_mask):
    places = np.arange(target_mask.shape[-1])
    own = (places <= places[:, None]) & target_mask[:, None, None]
    return own, source_mask.reshape(len(source_mask), 1, 1, -1)


@right("decoder_masks")
def masks_by_product(source_mask, target_mask):
    n = target_mask.shape[-1]
    return [np.tri(n, dtype=int) * target_mask[:, None, None], source_mask[:, np.newaxis, np.newaxis, :].astype(int)]


@right("decoder_masks")
def masks_by_loops(source_mask, target_mask):
    batch, n = target_mask.shape
    own = np.zeros((batch, 1, n, n), bool)
    for b in range(batch):
        for query in range(n):
            own[b, 0, query, : query + 1] = target_mask[b, : query + 1]
    return own, source_mask[:, None, None]


def runs(tokens, n):
    return [" ".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


@right("clipped_precision")
def precision_by_crossing_out(hypotheses, references, n):
    found = total = 0
    for hypothesis, reference in zip(hypotheses, references):
        left = runs(reference, n)
        for run in runs(hypothesis, n):
            total += 1
            if run in left:
                left.remove(run)
                found += 1
    return found / max(total, 1)


@right("clipped_precision")
def precision_by_smaller_counts(hypotheses, references, n):
    found, total = 0, 0
    for ours, theirs in zip(hypotheses, references):
        have = Counter(runs(theirs, n))
        for run, count in Counter(runs(ours, n)).items():
            found += min(count, have.get(run, 0))
            total += count
    if total == 0:
        return 0
    return np.float64(found / total)


@right("clipped_precision")
def precision_by_what_is_left_over(hypotheses, references, n):
    ours = [Counter(runs(tokens, n)) for tokens in hypotheses]
    theirs = [Counter(runs(tokens, n)) for tokens in references]
    total = sum(sum(counts.values()) for counts in ours)
    wrong = sum(sum((a - b).values()) for a, b in zip(ours, theirs))
    return (total - wrong) / total if total else 0.0


@right("clipped_precision")
def precision_by_arrays(hypotheses, references, n):
    found = total = 0
    for hypothesis, reference in zip(hypotheses, references):
        kinds, counts = np.unique(np.array(runs(hypothesis, n), dtype=str), return_counts=True)
        found += sum(min(count, runs(reference, n).count(kind)) for kind, count in zip(kinds, counts))
        total += counts.sum()
    return np.array(found / total) if total else np.array(0.0)


@right("clipped_precision")
def precision_as_a_fraction(hypotheses, references, n):
    found = total = 0
    for hypothesis, reference in zip(hypotheses, references):
        ours, theirs = Counter(runs(hypothesis, n)), Counter(runs(reference, n))
        found, total = found + (ours & theirs).total(), total + ours.total()
    return Fraction(found, total or 1)
