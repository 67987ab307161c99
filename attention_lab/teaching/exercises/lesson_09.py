"""Lesson 09: one vector for a sentence, the mean of its real tokens."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def masked_mean(x, mask):
    real = np.where(mask[..., None], x, 0)  # mask: a pad adds nothing
    count = mask.sum(axis=-1, keepdims=True)  # normalise: how many tokens count, (batch, 1)
    count = np.maximum(count, 1).astype(x.dtype)  # no real token: 0 / 1
    return real.sum(axis=-2) / count  # (batch, d)


@diagnosed(
    "Padding is in your mean, so a sentence's vector depends on the longest sentence of its batch. "
    "Let pads count neither above the line nor below it: zeros in the sum, and divide by `mask.sum(axis=-1)`."
)
def faulty_masked_mean_plain(x, mask):
    return x.mean(axis=-2)


@diagnosed(
    "The sum is right, and you divide it by the length of the row, pads included: the more padding, the shorter the "
    "vector. Divide by the number of real tokens, `mask.sum(axis=-1, keepdims=True)`."
)
def faulty_masked_mean_by_n(x, mask):
    real = np.where(mask[..., None], x, 0)
    count = np.full((len(x), 1), x.shape[-2])  # normalise: how many tokens count, (batch, 1)
    count = np.maximum(count, 1).astype(x.dtype)
    return real.sum(axis=-2) / count


@diagnosed(
    "The sum is right, and you divide it by the number of sentences. A mean over tokens divides by how many tokens "
    "there are: `mask.sum(axis=-1, keepdims=True)`, one number for each sentence."
)
def faulty_masked_mean_by_batch(x, mask):
    return np.where(mask[..., None], x, 0).sum(axis=-2) / len(x)


@diagnosed(
    "You divide by the real tokens of the whole batch: `mask.sum()` is one number for all. Each sentence has its own "
    "count: `mask.sum(axis=-1, keepdims=True)`."
)
def faulty_masked_mean_by_all(x, mask):
    return np.where(mask[..., None], x, 0).sum(axis=-2) / mask.sum()


@diagnosed(
    "The mask is turned round: you take the mean of the padding. True marks a real token, so keep x where `mask` is "
    "True and 0 elsewhere."
)
def faulty_masked_mean_inverted(x, mask):
    return masked_mean(x, ~mask)


@diagnosed(
    "A sentence of padding alone has 0 real tokens, and 0 / 0 is NaN: from there it reaches every gradient. "
    "Divide by at least one, `np.maximum(count, 1)`, and its vector is zeros."
)
def faulty_masked_mean_nan(x, mask):
    return np.where(mask[..., None], x, 0).sum(axis=-2) / mask.sum(axis=-1, keepdims=True)


@diagnosed(
    "You sum over the sentences of the batch: axis 0. Tokens are the axis before the last: `sum(axis=-2)` leaves one "
    "vector for each sentence."
)
def faulty_masked_mean_over_batch(x, mask):
    return np.where(mask[..., None], x, 0).sum(axis=0) / np.maximum(mask.sum(axis=0), 1)[:, None]


@diagnosed(
    "You sum over the features: one number a token is left. Tokens are the axis before the last: `sum(axis=-2)` "
    "leaves one vector for each sentence."
)
def faulty_masked_mean_over_features(x, mask):
    return np.where(mask[..., None], x, 0).sum(axis=-1) / np.maximum(mask.sum(axis=-1, keepdims=True), 1)


@diagnosed(
    "`x[mask]` puts the tokens of all sentences into one row, and their mean is one vector for the whole batch. "
    "Keep the sentences apart: zeros where `mask` is False, then `sum(axis=-2)`."
)
def faulty_masked_mean_one_row(x, mask):
    return x[mask].mean(axis=0)


@diagnosed(
    "You take the first tokens of a row, as many as are real. Padding may stand elsewhere, on the left too: "
    "take those at which `mask` is True."
)
def faulty_masked_mean_first(x, mask):
    counts = mask.sum(axis=-1)
    return np.stack([row[:count].sum(axis=0) / max(count, 1) for row, count in zip(x, counts)])


@diagnosed(
    "x has an axis of features and the mask has none, so they do not fit: (batch, n, d) against (batch, n). "
    "Give the mask a last axis of 1: `mask[..., None]`."
)
def faulty_masked_mean_no_axis(x, mask):
    return (x * mask).sum(axis=-2) / np.maximum(mask.sum(axis=-1, keepdims=True), 1)


@diagnosed(
    "The sums are (batch, d) and the counts (batch,), so they do not fit. Keep the axis that you sum over: "
    "`mask.sum(axis=-1, keepdims=True)` is (batch, 1)."
)
def faulty_masked_mean_no_keepdims(x, mask):
    return np.where(mask[..., None], x, 0).sum(axis=-2) / np.maximum(mask.sum(axis=-1), 1)


@diagnosed(
    "You add 1 to every count, so that none is 0, and every vector comes out too short. "
    "Raise only a count of 0: `np.maximum(count, 1)`."
)
def faulty_masked_mean_adds_one(x, mask):
    return np.where(mask[..., None], x, 0).sum(axis=-2) / (mask.sum(axis=-1, keepdims=True) + 1)


def _cases():
    rng = np.random.default_rng(21)

    def draw(batch, n, d):
        """Sentences of one token to n; what stands on the pads is large."""
        mask = np.arange(n) < rng.integers(1, n, size=(batch, 1))
        return np.where(mask[..., None], rng.normal(size=(batch, n, d)), 9.0), mask

    x, mask = draw(3, 7, 5)
    single, of_single = draw(5, 11, 2)
    empty = mask.copy()
    empty[1] = False
    return [
        draw(3, 5, 7),
        (x[:, ::-1].copy(), mask[:, ::-1].copy()),  # padding on the left
        (x, np.ones_like(mask)),  # no padding at all
        (single.astype(np.float32), of_single),
        (x, empty),
        (rng.normal(size=(2, 13, 3)), rng.random((2, 13)) < 0.5),
    ]


EXERCISES = [
    Exercise(
        task="Write masked_mean(x, mask) -> (batch, d): of x (batch, n, d) the mean over each sentence's real tokens, "
        "those with mask (batch, n) True; zeros where a sentence has none.",
        reference=masked_mean,
        cases=_cases(),
        faults=[
            faulty_masked_mean_plain,
            faulty_masked_mean_by_n,
            faulty_masked_mean_by_batch,
            faulty_masked_mean_by_all,
            faulty_masked_mean_inverted,
            faulty_masked_mean_nan,
            faulty_masked_mean_over_batch,
            faulty_masked_mean_over_features,
            faulty_masked_mean_one_row,
            faulty_masked_mean_first,
            faulty_masked_mean_no_axis,
            faulty_masked_mean_no_keepdims,
            faulty_masked_mean_adds_one,
        ],
        hints=(
            "Three vectors and a pad: which numbers stand above the line of their mean, and which number below it?",
            "A pad must count in neither: it adds 0 to the sum, and the sum is divided by the number of True in "
            "that sentence's mask.",
            "`np.where(mask[..., None], x, 0).sum(axis=-2)`, divided by `mask.sum(axis=-1, keepdims=True)`, of which 0 "
            "becomes 1 by `np.maximum`.",
        ),
        key="# normalise",
        distractor=faulty_masked_mean_by_n,
        learned="a sentence has the same vector whatever stands on its pads, and however many there are.",
        returns=("pooled",),
    ),
]
