"""A lesson as the browser runs it: all its prose and widgets, and of the rest what its demos need.

The other cells run in a kernel under nbval and section by section in tests/lessons.
"""

import nbformat

from attention_lab.teaching.lesson import Lesson, cells_of_demo, has_demo

WIDGETS = ("predict", "recall", "closing", "order", "because", "self_test", "slides", "question_index", "record")


def write_short(path, target):
    """Write a copy of a lesson without the code cells that only training, figures and checks need."""
    lesson = Lesson.read(path)
    kept = {cell.number for cell in lesson.code if cell is lesson.imports or is_widget(cell)}
    for section in filter(has_demo, lesson.sections):
        kept |= {cell.number for cell in cells_of_demo(lesson, section)}
    cells = [raw for i, raw in enumerate(lesson.notebook.cells, start=1) if raw.cell_type != "code" or i in kept]
    lesson.notebook.cells = cells
    nbformat.write(lesson.notebook, target)


def is_widget(cell):
    """Whether a cell is one line that asks the reader something: it needs nothing but the imports."""
    return len(cell.tree.body) == 1 and bool(cell.calls(*WIDGETS))
