"""Lesson 20: for its gallery, faults of exercises under names that do not tell what is wrong, and one of a draw."""

import numpy as np

from attention_lab.teaching.exercises.lesson_20 import faulty_score
from attention_lab.teaching.exercises.lesson_20_lens import faulty_lens

__all__ = ["faulty_lens", "faulty_score", "faulty_warm"]


def faulty_warm(logits, temperature):
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    chances = powers / powers.sum(axis=-1, keepdims=True)
    warmed = chances / temperature
    return warmed / warmed.sum(axis=-1, keepdims=True)
