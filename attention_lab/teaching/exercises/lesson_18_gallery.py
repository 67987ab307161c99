"""Lesson 18: for its gallery, faults that exercises have already, under names that do not tell what is wrong."""

from attention_lab.teaching.exercises.lesson_18 import faulty_graph, faulty_kernel, faulty_reading

__all__ = ["faulty_graph", "faulty_kernel", "faulty_reading"]
