"""Differently written right answers to the exercises of lessons 09 and 10."""

import math
from itertools import chain, repeat, zip_longest

import numpy as np

import attention_lab
from attention_lab import metrics
from tests.teaching.exercises.right import right

metrics.matthews_correlation([0, 1], [0, 1])  # scikit-learn is imported now, not in the seconds that a check gives


@right("masked_mean")
def mean_of_the_package(x, mask):
    return attention_lab.masked_mean(x, mask)


@right("masked_mean")
def mean_by_loops(x, mask):
    pooled = np.zeros((len(x), x.shape[-1]), dtype=np.float32)
    for sentence, real, row in zip(x, mask, pooled):
        if real.any():
            row += sentence[real].mean(axis=0)
    return pooled


@right("masked_mean")
def mean_by_einsum(x, mask):
    return np.einsum("bnd,bn->bd", x, mask / np.maximum(1, mask.sum(-1, keepdims=True)))


@right("masked_mean")
def mean_by_product(x, mask):
    weights = mask[:, :, None].astype(x.dtype)
    return (x * weights).sum(1) / np.clip(weights.sum(1), 1e-9, None)


@right("masked_mean")
def mean_by_nan(x, mask):
    return np.nan_to_num(np.nanmean(np.where(mask[..., None], x, np.nan), axis=1))


@right("masked_mean")
def mean_by_attention(x, mask):
    query = np.zeros((len(x), 1, x.shape[-1]))  # a zero query reads the mean
    return attention_lab.scaled_dot_product_attention(query, x, x, mask[:, None])[0][:, 0]


@right("masked_mean")
def mean_of_a_masked_array(x, mask):
    hidden = np.broadcast_to(~mask[..., None], x.shape)
    return np.ma.array(x, mask=hidden).mean(axis=-2).filled(0)


@right("pad_batch")
def batch_by_loop(sequences, pad):
    longest = max(len(sequence) for sequence in sequences)
    ids, mask = np.full((len(sequences), longest), pad), np.zeros((len(sequences), longest), bool)
    for i, sequence in enumerate(sequences):
        ids[i, : len(sequence)] = sequence
        mask[i, : len(sequence)] = True
    return ids, mask


@right("pad_batch")
def batch_through_the_mask(sequences, pad):
    lengths = np.fromiter(map(len, sequences), int)
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, pad)
    ids[mask] = np.concatenate(sequences)
    return ids, mask


@right("pad_batch")
def batch_by_zip_longest(sequences, pad):
    marked = np.array(list(zip_longest(*sequences, fillvalue=None))).T
    mask = marked != np.array(None)
    return np.where(mask, marked, pad).astype(np.int32), mask


@right("pad_batch")
def batch_by_np_pad(sequences, pad):
    n = len(max(sequences, key=len))
    ids = [np.pad(np.array(s, int), (0, n - len(s)), constant_values=pad) for s in sequences]
    return np.stack(ids), np.stack([np.arange(n) < len(s) for s in sequences]).astype(int)


@right("pad_batch")
def batch_on_copies(sequences, pad):
    rows, lengths = [list(s) for s in sequences], [len(s) for s in sequences]
    for row in rows:
        while len(row) < max(lengths):
            row.append(pad)
    return rows, [[i < n for i in range(max(lengths))] for n in lengths]


@right("pad_batch")
def batch_by_chains(sequences, pad):
    longest = max(map(len, sequences))
    ids = [[token for token, _ in zip(chain(s, repeat(pad)), range(longest))] for s in sequences]
    mask = [[True] * len(s) + [False] * (longest - len(s)) for s in sequences]
    return [np.array(ids), np.array(mask)]


@right("matthews")
def correlation_of_the_package(predicted, true):
    return metrics.matthews_correlation(predicted, true)


@right("matthews")
def correlation_by_corrcoef(predicted, true):
    if predicted.std() == 0 or true.std() == 0:
        return 0
    return np.corrcoef(predicted, true)[0, 1]


@right("matthews")
def correlation_by_loops(predicted, true):
    counts = [[0, 0], [0, 0]]
    for said, is_so in zip(predicted.tolist(), true.tolist()):
        counts[said][is_so] += 1
    (tn, fn), (fp, tp) = counts
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return 0.0 if below == 0 else (tp * tn - fp * fn) / math.sqrt(below)


@right("matthews")
def correlation_of_shares(predicted, true):
    tp, p, t = (predicted * true).mean(), predicted.mean(), true.mean()
    root = np.sqrt(p * t * (1 - p) * (1 - t))
    return np.nan_to_num((tp - p * t) / root) if root else 0.0


@right("matthews")
def correlation_with_a_floor(predicted, true):
    yes, so = predicted.astype(bool), true.astype(bool)
    tp, tn, fp, fn = (int(cell.sum()) for cell in (yes & so, ~yes & ~so, yes & ~so, ~yes & so))
    roots = [math.sqrt(pair) for pair in (tp + fp, tp + fn, tn + fp, tn + fn)]
    return np.array((tp * tn - fp * fn) / max(math.prod(roots), 1e-12))


@right("matthews")
def correlation_of_rates(predicted, true):
    """The geometric mean of how far the two pairs of rates are apart, with its sign."""
    table = np.array([[((predicted == i) & (true == j)).sum() for j in (0, 1)] for i in (0, 1)])
    if 0 in table.sum(0) or 0 in table.sum(1):
        return 0.0
    (_, a), (_, b) = table / table.sum(1, keepdims=True)
    (_, c), (_, d) = (table / table.sum(0)).T
    return np.sign(b - a) * math.sqrt((b - a) * (d - c))


@right("shift_targets")
def targets_in_one_line(ids, mask):
    return ids[:, :-1], np.where(mask[:, 1:], ids[:, 1:], -1)


@right("shift_targets")
def targets_on_a_copy(ids, mask):
    targets = ids[..., 1:].copy()
    targets[~mask[..., 1:]] = -1
    return ids[..., :-1].copy(), targets


@right("shift_targets")
def targets_by_loops(ids, mask):
    batch, n = ids.shape
    targets = -np.ones((batch, n - 1), dtype=np.int32)
    for row in range(batch):
        for at in range(1, n):
            if mask[row, at]:
                targets[row, at - 1] = ids[row, at]
    return np.delete(ids, -1, axis=1), targets


@right("shift_targets")
def targets_by_arithmetic(ids, mask):
    return ids[:, :-1], (ids[:, 1:] + 1) * mask[:, 1:] - 1


@right("shift_targets")
def targets_marked_first(ids, mask):
    return [ids[:, :-1].tolist(), np.roll(np.where(mask, ids, -1), -1, axis=1)[:, :-1].tolist()]


@right("perplexity")
def perplexity_of_the_package(nats, mask):
    return metrics.perplexity(nats, mask)


@right("perplexity")
def perplexity_by_loops(nats, mask):
    total = count = 0
    for row, real in zip(nats.tolist(), mask.tolist()):
        total += sum(number for number, counts in zip(row, real) if counts)
        count += sum(real)
    return math.exp(total / count)


@right("perplexity")
def perplexity_by_where(nats, mask):
    return np.exp(np.where(mask, nats, 0).sum() / mask.sum())


@right("perplexity")
def perplexity_by_average(nats, mask):
    return np.e ** np.average(nats, weights=mask)


@right("perplexity")
def perplexity_in_place(nats, mask):
    nats = nats.astype(np.float32)
    nats *= mask
    return np.exp(np.sum(nats) / np.count_nonzero(mask))


@right("perplexity")
def perplexity_by_nan(nats, mask):
    return np.array(2.0 ** (np.nanmean(np.where(mask, nats, np.nan)) / np.log(2)))


@right("perplexity")
def perplexity_as_a_geometric_mean(nats, mask):
    return np.prod(np.exp(nats[mask]) ** (1 / mask.sum()))


@right("top_p")
def nucleus_of_the_package(probabilities, p):
    return attention_lab.next_probabilities(np.log(probabilities), top_p=p)


@right("top_p")
def nucleus_by_loops(probabilities, p):
    result = np.zeros(probabilities.shape, probabilities.dtype)
    for at in np.ndindex(probabilities.shape[:-1]):
        reached = 0
        for token in sorted(range(probabilities.shape[-1]), key=lambda i: -probabilities[(*at, i)]):
            result[(*at, token)] = probabilities[(*at, token)]
            reached += probabilities[(*at, token)]
            if reached >= p:
                break
    return result / result.sum(-1, keepdims=True)


@right("top_p")
def nucleus_by_put(probabilities, p):
    order = np.argsort(probabilities)[..., ::-1]
    chances = np.take_along_axis(probabilities, order, -1)
    stays = np.roll(chances.cumsum(-1), 1, -1) < p
    stays[..., 0] = True
    result = np.zeros_like(probabilities)
    np.put_along_axis(result, order, chances * stays, -1)
    result /= result.sum(-1, keepdims=True)
    return result


@right("top_p")
def nucleus_by_pairs(probabilities, p):
    """A token's sum before it is that of all that are more probable: no sorting at all."""
    larger = probabilities[..., None, :] > probabilities[..., :, None]
    before = (larger * probabilities[..., None, :]).sum(-1)
    kept = probabilities * ((before < p) | ~larger.any(-1))
    return kept / kept.sum(-1)[..., None]


@right("top_p")
def nucleus_by_infinities(probabilities, p):
    order = np.argsort(-probabilities, axis=-1)
    falling = np.take_along_axis(probabilities, order, axis=-1)
    count = np.maximum(1, (falling.cumsum(-1) - falling < p).sum(-1, keepdims=True))
    smallest = np.take_along_axis(falling, count - 1, axis=-1)
    return attention_lab.softmax(np.where(probabilities >= smallest, np.log(probabilities), -np.inf))


@right("top_p")
def nucleus_one_row_at_a_time(probabilities, p):
    def cut(row):
        order = row.argsort()[::-1]
        last = min(np.searchsorted(row[order].cumsum(), p), len(row) - 1)
        row = np.where(np.isin(np.arange(len(row)), order[: last + 1]), row, 0)
        return row / row.sum()

    return np.apply_along_axis(cut, -1, probabilities)
