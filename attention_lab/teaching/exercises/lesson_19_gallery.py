"""Lesson 19: for its gallery, faults that exercises have already, under names that do not tell what is wrong."""

from attention_lab.teaching.exercises.lesson_19 import faulty_side, faulty_stream
from attention_lab.teaching.exercises.lesson_19_search import faulty_search

__all__ = ["faulty_search", "faulty_side", "faulty_stream"]
