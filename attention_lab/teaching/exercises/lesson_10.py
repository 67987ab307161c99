"""Lesson 10: what a language model learns from, padded names shifted by one."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def shift_targets(ids, mask):
    inputs = ids[:, :-1]  # what the model reads
    following = ids[:, 1:]  # what comes after each of them
    real = mask[:, 1:]  # mask: whether that is a token, (batch, n - 1)
    targets = np.where(real, following, -1)
    return inputs, targets


@diagnosed(
    "Nothing is shifted: each input is its own target, and a model that copies has a loss of 0. "
    "Targets begin one token later: `ids[:, 1:]`, with the mask `mask[:, 1:]`."
)
def faulty_shift_targets_unshifted(ids, mask):
    return ids[:, :-1], np.where(mask[:, :-1], ids[:, :-1], -1)


@diagnosed(
    "You shift the wrong way: each target is the token before its input, which the model has read already. "
    "Inputs are `ids[:, :-1]`, targets come from `ids[:, 1:]`."
)
def faulty_shift_targets_backwards(ids, mask):
    return ids[:, 1:], np.where(mask[:, :-1], ids[:, :-1], -1)


@diagnosed(
    "Pads are among your targets: the model is praised for guessing what nobody needs, and its loss looks better than "
    "it is. Write -1 where the next token is no real one: `np.where(mask[:, 1:], ids[:, 1:], -1)`."
)
def faulty_shift_targets_counts_pads(ids, mask):
    return ids[:, :-1], ids[:, 1:]


@diagnosed(
    "You leave out every target that is 0, and with it the symbol that ends a name: such a model never stops. "
    "The mask knows what is padding, the number does not: `np.where(mask[:, 1:], ids[:, 1:], -1)`."
)
def faulty_shift_targets_drops_end(ids, mask):
    return ids[:, :-1], np.where(ids[:, 1:] != 0, ids[:, 1:], -1)


@diagnosed(
    "The tokens are shifted and the mask is not, so the first pad of each row still counts. "
    "The mask that belongs to `ids[:, 1:]` is `mask[:, 1:]`."
)
def faulty_shift_targets_old_mask(ids, mask):
    inputs = ids[:, :-1]
    following = ids[:, 1:]
    real = mask[:, :-1]  # mask: whether that is a token, (batch, n - 1)
    targets = np.where(real, following, -1)
    return inputs, targets


@diagnosed(
    "The mask is turned round: pads are targets and real tokens are left out. True marks a real token: "
    "`np.where(mask[:, 1:], ids[:, 1:], -1)`."
)
def faulty_shift_targets_inverted(ids, mask):
    return ids[:, :-1], np.where(mask[:, 1:], -1, ids[:, 1:])


@diagnosed(
    "You write 0 where no target counts, but 0 is a token, and would be learned. "
    "Write -1, which no token has: `np.where(mask[:, 1:], ids[:, 1:], -1)`."
)
def faulty_shift_targets_zeros(ids, mask):
    return ids[:, :-1], ids[:, 1:] * mask[:, 1:]


@diagnosed(
    "There is -1 among the inputs, where it picks the last row of the embedding table. "
    "Only a target can be left out: take the inputs as they are, `ids[:, :-1]`."
)
def faulty_shift_targets_inputs_too(ids, mask):
    marked = np.where(mask, ids, -1)
    return marked[:, :-1], marked[:, 1:]


@diagnosed(
    "There is one input more than there are targets: nothing follows the last token. Leave it out of the inputs: "
    "`ids[:, :-1]`."
)
def faulty_shift_targets_one_side(ids, mask):
    return ids, np.where(mask[:, 1:], ids[:, 1:], -1)


@diagnosed(
    "`np.roll` wraps round: a row's last input is to be followed by its first token. "
    "Nothing follows the last token: cut instead, `ids[:, :-1]` and `ids[:, 1:]`."
)
def faulty_shift_targets_rolls(ids, mask):
    return ids, np.where(np.roll(mask, -1, axis=1), np.roll(ids, -1, axis=1), -1)


@diagnosed(
    "You cut the first axis, which holds the names of a batch: each is to be followed by another. "
    "Tokens are the second axis: `ids[:, :-1]`, `ids[:, 1:]`."
)
def faulty_shift_targets_names(ids, mask):
    return ids[:-1], np.where(mask[1:], ids[1:], -1)


@diagnosed(
    "`ids[mask]` puts all names into one row, where the end of one is followed by the start of the next. "
    "Keep the rows: `np.where` writes -1 and leaves the shape as it is."
)
def faulty_shift_targets_one_row(ids, mask):
    return ids[mask][:-1], ids[mask][1:]


def _cases():
    rng = np.random.default_rng(23)

    def draw(batch, n, pad, shortest=3):
        """Names between two dots, whose number is 0; their letters are 1 to 26."""
        lengths = rng.integers(shortest, n + 1, size=(batch, 1))
        mask = np.arange(n) < lengths
        ids = np.where(mask, rng.integers(1, 27, size=(batch, n)), pad)
        ids[:, 0] = 0
        np.put_along_axis(ids, lengths - 1, 0, axis=1)
        return ids, mask

    return [draw(3, 7, 27), draw(2, 5, 27, shortest=5), draw(5, 11, 0), draw(3, 13, -1), draw(1, 7, 0)]


EXERCISES = [
    Exercise(
        task="Write shift_targets(ids, mask) -> (inputs, targets), both (batch, n - 1): each input has as its target "
        "the token after it, or -1 where that is padding (mask False).",
        reference=shift_targets,
        cases=_cases(),
        faults=[
            faulty_shift_targets_unshifted,
            faulty_shift_targets_backwards,
            faulty_shift_targets_counts_pads,
            faulty_shift_targets_drops_end,
            faulty_shift_targets_old_mask,
            faulty_shift_targets_inverted,
            faulty_shift_targets_zeros,
            faulty_shift_targets_inputs_too,
            faulty_shift_targets_one_side,
            faulty_shift_targets_rolls,
            faulty_shift_targets_names,
            faulty_shift_targets_one_row,
        ],
        hints=(
            "Write `. a b e .` and below it what follows each. Which has no partner, and which pair ends the name?",
            "Tokens and mask go the same way: targets come from `ids[:, 1:]`, and `mask[:, 1:]` says which of them are "
            "real. The last dot of a name is real.",
            "`np.where(mask[:, 1:], ids[:, 1:], -1)` are the targets, `ids[:, :-1]` the inputs.",
        ),
        key="# mask",
        distractor=faulty_shift_targets_old_mask,
        learned="every name ends with a dot that is learned, and no pad is a target.",
        returns=("inputs", "targets"),
    ),
]
