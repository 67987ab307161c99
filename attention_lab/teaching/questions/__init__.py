"""The bank: every question of the course, by id, and which of them open and close a lesson."""

from attention_lab.teaching.questions import (
    lesson_00,
    lesson_01_scores,
    lesson_01_softmax,
    lesson_02_causal,
    lesson_02_padding,
    lesson_03_maps,
    lesson_03_numbers,
    lesson_04_cross,
    lesson_04_heads,
    lesson_05_encodings,
    lesson_05_order,
    lesson_05_rotary,
    lesson_06_norms,
    lesson_06_stream,
    lesson_07,
    lesson_08_dropout,
    lesson_08_training,
    lesson_09_pooling,
    lesson_09_verdicts,
    lesson_10_drawing,
    lesson_10_names,
    lesson_11_cache,
    lesson_11_limits,
)
from attention_lab.teaching.questions.question import Question

_MODULES = (
    lesson_00,
    lesson_01_scores,
    lesson_01_softmax,
    lesson_02_padding,
    lesson_02_causal,
    lesson_03_maps,
    lesson_03_numbers,
    lesson_04_heads,
    lesson_04_cross,
    lesson_05_order,
    lesson_05_encodings,
    lesson_05_rotary,
    lesson_06_norms,
    lesson_06_stream,
    lesson_07,
    lesson_08_training,
    lesson_08_dropout,
    lesson_09_pooling,
    lesson_09_verdicts,
    lesson_10_names,
    lesson_10_drawing,
    lesson_11_cache,
    lesson_11_limits,
)

BANK = {item.id: item for module in _MODULES for item in vars(module).values() if isinstance(item, Question)}

# Two questions open a lesson: one of the lesson before, one of an earlier lesson where there is one. From lesson 09 on
# they are asked nowhere else: where they ask again what a lesson has asked, they do so with other numbers.
RECALL = {
    "01": ("own-top-key", "transpose-a-stack"),
    "02": ("divide-by-d", "dot-on-stacks"),
    "03": ("pads-vanish", "longer-vector"),
    "04": ("weight-or-contribution", "it-and-cat"),
    "05": ("more-heads-cost", "shift-or-scale"),
    "06": ("shuffled-words", "mask-at-generation"),
    "07": ("norm-over-the-sentence", "cosine-cannot-focus"),
    "08": ("saturated-softmax", "times-zero"),
    "09": ("loss-of-two-classes", "loud-pads"),
    "10": ("share-of-the-mean", "layers-for-order"),
    "11": ("top-p-crossing", "memory-of-nine"),
}

# Three questions close a lesson, and are its gate: who can answer them may skip it.
CLOSING = {
    "00": ("ids-to-vectors", "matmul-on-stacks", "similar-both-ways"),
    "01": ("softmax-axis", "one-matrix-for-both", "four-sizes"),
    "02": ("mask-after-softmax", "one-pass-or-many", "opposite-polarity"),
    "03": ("softmax-of-weights", "first-row", "dense-by-design"),
    "04": ("column-blocks", "what-w-o-does", "split-or-project"),
    "05": ("add-or-concatenate", "double-exponent", "learned-or-sinusoidal"),
    "06": ("last-norm", "inside-or-outside", "feed-forward-for"),
    "07": ("rows-of-jacobian", "used-twice", "backward-twice"),
    "08": ("shift-by-one", "validation-below-training", "drop-scores"),
    "09": ("cls-or-mean", "two-evaluations", "one-point-apart"),
    "10": ("where-the-shift-is", "what-is-read-next", "token-or-letter"),
    "11": ("what-the-cache-holds", "prompt-in-chunks", "double-the-context"),
}
