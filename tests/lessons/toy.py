"""A small lesson that keeps the contract, made in code: each test breaks it in one place."""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.lesson import Lesson
from tests.lessons.normalise import normalise, to_text

HEADER = """\
## What you will do
Learn to do a small thing. You need nothing. About 21 minutes, lesson 2 of 7.
[Skip it](#Closing-questions) if you can answer these three."""
CAPTION = "2 × 2 weights: the first query attends most to the first key (0.88)."
GAP = EXERCISES["softmax"].gap() + "\ncheck.softmax(my_softmax)"
WRITE = '''\
def my_attention(query, key, value):
    """Output and weights."""
    ...
check.attention(my_attention)'''


def good_cells():
    """The cells of the toy, by a name each."""
    picture = new_output("display_data", data={"image/png": "aGk=", "text/plain": CAPTION})
    return {
        "title": prose("# A toy"),
        "header": prose(HEADER),
        "imports": code("from attention_lab import check, closing, explore_attention, predict, recall", "imports"),
        "recall heading": prose("## Recall"),
        "recall": code('recall("01")'),
        "hook": prose("## A hook\nA **query** asks. Here is $q \\cdot k$, and a [list](#Exercises)."),
        "predict": code('predict("divide-by-d")', "predict"),
        "demo": code("demo = explore_attention()\ndemo", "run"),
        "investigate": code(
            'half = 1 / 2\nprint(f"half is {half:.3g}")', "investigate", "source:A1", printed="half is 0.5\n"
        ),
        "picture": code("Q = (4, 8), (6, 8), (6, 10)", "modify", "source:A1", outputs=[picture]),
        "faults heading": prose("## Faults to find"),
        "fault": code("from attention_lab.teaching.exercises import show_source\nshow_source(faulty_dot)", "fault"),
        "exercises": prose("## Exercises"),
        "order": code('order("softmax")'),
        "gap": code(GAP, "exercise:softmax"),
        "write": code(WRITE, "exercise:attention", "source:A1"),
        "remember": prose("## Remember\nLittle."),
        "closing heading": prose("## Closing questions"),
        "closing": code('closing("01")'),
        "more": prose("## More\n### First"),
        "more code": code('total = sum(i for i in range(3))\nprint("the sum is", total)', printed="the sum is 3\n"),
        "glossary": prose("### Glossary\n| Term | Meaning |\n|---|---|\n| **query**, key | what asks |"),
    }


def lesson(cells, name="01_toy.ipynb", *, normalised=True):
    """The Lesson of these cells, executed as far as the contract can see."""
    notebook = new_notebook(cells=list(cells.values()))
    return Lesson(name, to_text(normalise(notebook) if normalised else notebook))


def prose(source):
    return new_markdown_cell(source)


def code(source, *tags, outputs=(), printed=""):
    outputs = [*outputs, *([new_output("stream", name="stdout", text=printed)] if printed else [])]
    return new_code_cell(source, outputs=outputs, execution_count=1, metadata={"tags": list(tags)} if tags else {})
