"""Lesson 12: what a decoder reads in training, and what it is to say."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed
from attention_lab.teaching.exercises.results import not_whole


def teacher_forcing(ids, mask, start, end):
    n, lengths = len(ids), mask.sum(axis=1)
    inputs = np.concatenate([np.full((n, 1), start), ids], axis=1)  # (batch, n + 1): a start, then the true tokens
    said = np.where(mask, ids, -1)  # mask: a pad is never a target
    targets = np.concatenate([said, np.full((n, 1), -1)], axis=1)  # one place more, for the end
    targets[np.arange(n), lengths] = end  # right behind the last real token
    return inputs, targets


@diagnosed(
    "The end stands in the last column, behind the pads: a short text would have to say nothing for a while, and then "
    "stop. It belongs right behind the last real token: `targets[np.arange(n), mask.sum(axis=1)] = end`."
)
def faulty_teacher_forcing_end_last(ids, mask, start, end):
    inputs, targets = teacher_forcing(ids, mask, start, -1)
    targets[:, -1] = end
    return inputs, targets


@diagnosed(
    "No text has an end to say, so the decoder never learns to stop. Write `end` right behind the last real token of "
    "each: `targets[np.arange(n), mask.sum(axis=1)] = end`."
)
def faulty_teacher_forcing_no_end(ids, mask, start, end):
    return teacher_forcing(ids, mask, start, -1)


@diagnosed(
    "The end takes the place of the last real token, which is then never learned: places count from 0. "
    "A text of 3 tokens has places 0, 1 and 2, and its end place 3: `mask.sum(axis=1)`."
)
def faulty_teacher_forcing_end_early(ids, mask, start, end):
    inputs, targets = teacher_forcing(ids, mask, start, -1)
    targets[np.arange(len(ids)), mask.sum(axis=1) - 1] = end
    return inputs, targets


@diagnosed(
    "Nothing is shifted: each input is the very token that is to be said at its place, so the decoder learns to copy, "
    "and has nothing to copy when it translates. Inputs begin with `start`, one place before the targets."
)
def faulty_teacher_forcing_unshifted(ids, mask, start, end):
    _, targets = teacher_forcing(ids, mask, start, end)
    return np.where(targets < 0, np.pad(ids, ((0, 0), (0, 1))), targets), targets


@diagnosed(
    "Inputs and targets have changed parts: `start` is to be said, and the end is read. The decoder reads `start` "
    "first and says the first token: `start` goes before the inputs, `end` behind the targets."
)
def faulty_teacher_forcing_backwards(ids, mask, start, end):
    inputs, targets = teacher_forcing(ids, mask, start, end)
    return np.where(targets < 0, inputs, targets), np.where(targets < 0, -1, inputs)


@diagnosed(
    "Pads are among your targets: the decoder is praised for saying what nobody needs, and its loss looks better than "
    "it is. Write -1 where `mask` is False: `np.where(mask, ids, -1)`."
)
def faulty_teacher_forcing_counts_pads(ids, mask, start, end):
    n, lengths = len(ids), mask.sum(axis=1)
    inputs = np.concatenate([np.full((n, 1), start), ids], axis=1)
    said = ids  # mask: a pad is never a target
    targets = np.concatenate([said, np.full((n, 1), -1)], axis=1)
    targets[np.arange(n), lengths] = end
    return inputs, targets


@diagnosed(
    "The mask is turned round: pads are targets, and real tokens are left out. True marks a real token: "
    "`np.where(mask, ids, -1)`."
)
def faulty_teacher_forcing_inverted(ids, mask, start, end):
    inputs, targets = teacher_forcing(ids, ~mask, start, -1)
    targets[np.arange(len(ids)), mask.sum(axis=1)] = end
    return inputs, targets


@diagnosed(
    "You write 0 where no target counts, but 0 is a token, and would be learned. "
    "Write -1, which no token has: `np.where(mask, ids, -1)`, and -1 in the new column."
)
def faulty_teacher_forcing_zeros(ids, mask, start, end):
    inputs, targets = teacher_forcing(ids, mask, start, end)
    return inputs, np.where(targets < 0, 0, targets)


@diagnosed(
    "There is -1 among the inputs, where it picks the last row of the embedding table. "
    "Only a target can be left out: the inputs are `start` and then `ids` as they are."
)
def faulty_teacher_forcing_inputs_too(ids, mask, start, end):
    return teacher_forcing(np.where(mask, ids, -1), mask, start, end)


@diagnosed(
    "The start stands in front of the targets too, so nothing is shifted against anything, and the decoder is to say "
    "what it has just read. Targets are the real tokens and the end: `start` is only ever read."
)
def faulty_teacher_forcing_start_said(ids, mask, start, end):
    inputs, _ = teacher_forcing(ids, mask, start, end)
    real = np.concatenate([np.ones((len(ids), 1), bool), mask], axis=1)
    return inputs, np.where(real, inputs, -1)


@diagnosed(
    "Inputs or targets lack a column: (batch, n) tokens, and `start` before them makes (batch, n + 1). The last token "
    "is read as well, since the end is to be said after it."
)
def faulty_teacher_forcing_short(ids, mask, start, end):
    inputs, targets = teacher_forcing(ids, mask, start, end)
    return inputs[:, :-1], targets[:, :-1]


@diagnosed(
    "You put the start above the batch, as a text of its own: axis 0. Each text gets one in front of its tokens: "
    "`axis=1`."
)
def faulty_teacher_forcing_rows(ids, mask, start, end):
    before, behind = np.full((1, ids.shape[1]), start), np.full((1, ids.shape[1]), end)
    return np.concatenate([before, ids]), np.concatenate([np.where(mask, ids, -1), behind])


@diagnosed("Your two results come in the other order: the targets stand first. End with `return inputs, targets`.")
def faulty_teacher_forcing_swapped(ids, mask, start, end):
    return teacher_forcing(ids, mask, start, end)[::-1]


def _whole(inputs, targets, *args):
    return not_whole(inputs, targets)


def _cases():
    rng = np.random.default_rng(24)

    def draw(batch, n, pad, shortest=1):
        """Texts of the tokens 3 to 33; 0, 1 and 2 are a pad, a start and an end."""
        mask = np.arange(n) < rng.integers(shortest, n + 1, size=(batch, 1))
        return np.where(mask, rng.integers(3, 34, size=(batch, n)), pad), mask

    return [
        (*draw(3, 7, 0, shortest=2), 1, 2),
        (*draw(5, 11, 0), 1, 2),
        (*draw(2, 3, 0, shortest=3), 1, 2),  # no padding at all
        (*draw(3, 5, 40), 41, 0),  # 0 is the end
        (*draw(7, 13, 2), 1, 2),  # the end serves as the pad
    ]


EXERCISES = [
    Exercise(
        task="Write teacher_forcing(ids, mask, start, end) -> (inputs, targets), both (batch, n + 1): the decoder "
        "reads `start` and the true tokens; it says the true tokens and, right behind the last, `end`; -1 at pads.",
        reference=teacher_forcing,
        cases=_cases(),
        faults=[
            faulty_teacher_forcing_end_last,
            faulty_teacher_forcing_no_end,
            faulty_teacher_forcing_end_early,
            faulty_teacher_forcing_unshifted,
            faulty_teacher_forcing_backwards,
            faulty_teacher_forcing_counts_pads,
            faulty_teacher_forcing_inverted,
            faulty_teacher_forcing_zeros,
            faulty_teacher_forcing_inputs_too,
            faulty_teacher_forcing_start_said,
            faulty_teacher_forcing_short,
            faulty_teacher_forcing_rows,
            faulty_teacher_forcing_swapped,
        ],
        hints=(
            "Write `start zwei und vierzig` and below it what is to be said after each. What stands below `vierzig`?",
            "Inputs are one column of `start` and then `ids`. Targets are `ids` where they are real, -1 elsewhere, one "
            "column more, and `end` at the place that each text's length tells.",
            "`np.concatenate([np.full((n, 1), start), ids], axis=1)` are the inputs; of the targets "
            "`targets[np.arange(n), mask.sum(axis=1)] = end` sets the ends.",
        ),
        key="# mask",
        distractor=faulty_teacher_forcing_counts_pads,
        learned="every place has read the true tokens before it, and each text's end is learned where it belongs.",
        returns=("inputs", "targets"),
        properties=_whole,
    ),
]
