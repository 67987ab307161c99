"""The bank: every question of the course, by id, and which of them open and close a lesson."""

from attention_lab.teaching.questions import (
    lesson_00,
    lesson_01_scores,
    lesson_01_softmax,
    lesson_02_causal,
    lesson_02_padding,
    lesson_03_maps,
    lesson_03_numbers,
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
)

BANK = {item.id: item for module in _MODULES for item in vars(module).values() if isinstance(item, Question)}

# Two questions open a lesson: one of the lesson before, one of an earlier lesson where there is one.
RECALL = {
    "01": ("own-top-key", "transpose-a-stack"),
    "02": ("divide-by-d", "dot-on-stacks"),
    "03": ("pads-vanish", "longer-vector"),
}

# Three questions close a lesson, and are its gate: who can answer them may skip it.
CLOSING = {
    "00": ("ids-to-vectors", "matmul-on-stacks", "similar-both-ways"),
    "01": ("softmax-axis", "one-matrix-for-both", "four-sizes"),
    "02": ("mask-after-softmax", "one-pass-or-many", "opposite-polarity"),
    "03": ("softmax-of-weights", "first-row", "dense-by-design"),
}
