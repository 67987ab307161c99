"""Lesson 12: who may read whom in a decoder, in its own text and in the source."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def decoder_masks(source_mask, target_mask):
    past = np.tri(target_mask.shape[-1], dtype=bool)  # (n_t, n_t): itself and what came before it
    own = past & target_mask[:, None, None, :]  # mask: and no pad, (batch, 1, n_t, n_t)
    memory = source_mask[:, None, None, :]  # (batch, 1, 1, n_s): all of the source, but no pad
    return own, memory


@diagnosed(
    "Your mask of the memory is causal as well: the first target token then sees one source word only. "
    "The whole source is there before the first word is written; hide its pads, and nothing else."
)
def faulty_decoder_masks_causal_memory(source_mask, target_mask):
    own, memory = decoder_masks(source_mask, target_mask)
    return own, np.tri(target_mask.shape[-1], source_mask.shape[-1], dtype=bool) & memory


@diagnosed(
    "Your mask of the memory comes from the target's padding. The keys of the cross-attention are source tokens, so "
    "it takes `source_mask[:, None, None, :]`."
)
def faulty_decoder_masks_target_for_memory(source_mask, target_mask):
    return decoder_masks(target_mask, target_mask)


@diagnosed(
    "Your mask of the decoder's own text is not causal: each token sees the one that it is to say. "
    "Join the padding with `np.tri(n_t, dtype=bool)` by `&`."
)
def faulty_decoder_masks_sees_future(source_mask, target_mask):
    n_t = target_mask.shape[-1]
    _, memory = decoder_masks(source_mask, target_mask)
    return np.broadcast_to(target_mask[:, None, None, :], (len(target_mask), 1, n_t, n_t)), memory


@diagnosed(
    "Your mask of the decoder's own text lets pads be read. Join the causal mask with the target's padding by `&`: "
    "`past & target_mask[:, None, None, :]`."
)
def faulty_decoder_masks_reads_pads(source_mask, target_mask):
    own, memory = decoder_masks(source_mask, np.ones_like(target_mask))
    return own, memory


@diagnosed(
    "Your mask of the memory lets everything be read, pads of the source too: how long its neighbours in the batch are "
    "then changes a translation. Hide them: `source_mask[:, None, None, :]`."
)
def faulty_decoder_masks_no_memory_mask(source_mask, target_mask):
    own, memory = decoder_masks(np.ones_like(source_mask), target_mask)
    return own, memory


@diagnosed(
    "Both masks are turned round: they are True at what is to be hidden. True means may attend, so take the masks as "
    "they are, without `~`."
)
def faulty_decoder_masks_inverted(source_mask, target_mask):
    own, memory = decoder_masks(source_mask, target_mask)
    return ~own, ~memory


@diagnosed(
    "You join causal mask and padding by `|`, or: then a pad is seen by all that follow it. Both must allow a key, "
    "so join them by `&`."
)
def faulty_decoder_masks_or(source_mask, target_mask):
    past = np.tri(target_mask.shape[-1], dtype=bool)
    own = past | target_mask[:, None, None, :]  # mask: and no pad, (batch, 1, n_t, n_t)
    memory = source_mask[:, None, None, :]
    return own, memory


@diagnosed(
    "You hide the rows of pads. Whoever asks stands in the rows and may always ask; what must not be read stands in "
    "the columns, the last axis: `target_mask[:, None, None, :]`, and no more."
)
def faulty_decoder_masks_rows(source_mask, target_mask):
    own, memory = decoder_masks(source_mask, np.ones_like(target_mask))
    return own & target_mask[:, None, :, None], memory


@diagnosed(
    "Your triangle is the wrong half: each token sees itself and what follows it. Rows are those who ask, so what "
    "came before stands on the left of the diagonal: `np.tri(n_t, dtype=bool)`."
)
def faulty_decoder_masks_upper(source_mask, target_mask):
    _, memory = decoder_masks(source_mask, target_mask)
    past = np.tri(target_mask.shape[-1], dtype=bool)
    return past.T & target_mask[:, None, None, :], memory


@diagnosed(
    "No token of yours sees itself, and the first one sees nothing. What stands at its own place has been read "
    "already, and may be seen: the triangle includes its diagonal."
)
def faulty_decoder_masks_not_itself(source_mask, target_mask):
    own, memory = decoder_masks(source_mask, target_mask)
    past = np.tri(target_mask.shape[-1], k=-1, dtype=bool)
    return past & own, memory


@diagnosed(
    "The axis of the heads is missing, so that (batch, n_t, n_t) would be taken for (heads, n_t, n_t). Give both "
    "masks an axis of 1 behind the batch: `target_mask[:, None, None, :]`."
)
def faulty_decoder_masks_no_heads(source_mask, target_mask):
    own, memory = decoder_masks(source_mask, target_mask)
    return own[:, 0], memory[:, 0]


@diagnosed(
    "You repeat the memory's mask for every target token, and hide the right columns. One row serves them all, as it "
    "broadcasts: `source_mask[:, None, None, :]`, (batch, 1, 1, n_s)."
)
def faulty_decoder_masks_repeated(source_mask, target_mask):
    own, memory = decoder_masks(source_mask, target_mask)
    return own, np.repeat(memory, target_mask.shape[-1], axis=2)


@diagnosed("Your two results come in the other order: the memory's mask stands first. End with `return own, memory`.")
def faulty_decoder_masks_swapped(source_mask, target_mask):
    return decoder_masks(source_mask, target_mask)[::-1]


def _cases():
    rng = np.random.default_rng(25)

    def real(batch, n, shortest=1):
        return np.arange(n) < rng.integers(shortest, n + 1, size=(batch, 1))

    return [
        (real(3, 7), real(3, 5)),
        (real(5, 3), real(5, 11)),
        (real(2, 13), real(2, 7, shortest=7)),  # only the source is padded
        (real(3, 5, shortest=5), real(3, 7)),  # only the target is
    ]


EXERCISES = [
    Exercise(
        task="Write decoder_masks(source_mask, target_mask) -> (own, memory) from masks (batch, n), True = real: who "
        "may read whom in the decoder's own text, (batch, 1, n_t, n_t), and in the source, (batch, 1, 1, n_s).",
        reference=decoder_masks,
        cases=_cases(),
        faults=[
            faulty_decoder_masks_causal_memory,
            faulty_decoder_masks_target_for_memory,
            faulty_decoder_masks_sees_future,
            faulty_decoder_masks_reads_pads,
            faulty_decoder_masks_no_memory_mask,
            faulty_decoder_masks_inverted,
            faulty_decoder_masks_or,
            faulty_decoder_masks_rows,
            faulty_decoder_masks_upper,
            faulty_decoder_masks_not_itself,
            faulty_decoder_masks_no_heads,
            faulty_decoder_masks_repeated,
            faulty_decoder_masks_swapped,
        ],
        hints=(
            "Two questions for each of the two: what is not there yet, and what is not real?",
            "In its own text a token sees the past, and no pad. Of the source it sees all, and no pad: nothing there "
            "is still to come.",
            "`np.tri(n_t, dtype=bool) & target_mask[:, None, None, :]`, and `source_mask[:, None, None, :]`.",
        ),
        key="# mask",
        distractor=faulty_decoder_masks_or,
        learned="in its own text a token sees the past, in the source everything, and a pad in neither.",
        returns=("own", "memory"),
    ),
]
