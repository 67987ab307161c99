"""Lesson 17: for its gallery, faults that exercises have already, under names that do not tell what is wrong."""

from attention_lab.teaching.exercises.lesson_17 import faulty_features, faulty_past, faulty_sums
from attention_lab.teaching.exercises.lesson_17_masks import faulty_window

__all__ = ["faulty_features", "faulty_past", "faulty_sums", "faulty_window"]
