"""Every demo of every lesson: it starts plain, its goal can be reached, every control matters, and nothing breaks."""

from html import escape

import pytest

from attention_lab.teaching import side_by_side
from attention_lab.teaching.explorer import Explorer
from attention_lab.teaching.lesson import Lesson, cells_of_demo, has_demo
from tests.lessons.lesson import ASKS
from tests.lessons.sections import run_cell, run_cells
from tests.models import lessons_that_run
from tests.sweep import idle_controls, sweep
from tests.teaching.pictures import too_faint
from tests.teaching.sentences import unconfirmed

# What reaches the goal of each demo of a lesson: a new demo needs an entry here.
REACHES = {
    "00_start_here": [{"number": 42}, {"temperature": 2.0}],
    "01_scaled_dot_product_attention": [{"divisor": "1", "d_k": 1024}],
    "02_masks": [{"mask": "window", "size": 3}],
    "03_reading_attention": [{"divisor": "1"}],
    "04_multi_head_attention": [{"heads": 8}],
    "05_positions": [{"base": 4, "d_model": 16}, {"positions": "rotary"}],
    "06_transformer_block": [{"norm": "none", "depth": 32, "factor": 0.1}],
    "07_gradients": [{"n": 8, "scale": 100.0}],
    "08_first_training": [{"step": 200, "rate": 0.1}],
    "09_text_classification": [{"sentence": "the", "pads": 6, "forget": True}],
    "10_language_model": [{"start": "kowalsk"}],
    "11_kv_cache": [{"cache": "on", "d_model": 128, "context": 1024}, {"layers": 32, "kv_heads": 1, "size": 2}],
    "12_translation": [{"rest": 342}],
    "13_question_answering": [{"later": "Anna moves"}],
    "14_time_series": [{"hide": "days of its type"}],
    "15_long_documents": [{"number": 2, "sentence": 9}],
    "16_the_quadratic_cost": [{"d_model": 1024, "tokens": 6144}, {"tile": 2, "read": 2, "query": 3}],
    "17_sparse_and_linear": [
        {"pattern": "Longformer", "extra": 1, "layers": 2, "causal": False},
        {"features": "exp", "factor": 4.0},
        {"norm": 0.1, "num_features": 16},
    ],
    "18_hybrids": [{"noise": 6.0}],
    "19_a_real_encoder": [{"layer": 0, "head": 2}],
    "20_a_real_language_model": [{"layer": 13, "head": 8}, {"temperature": 3.0}],
    "21_question_bank": [],
}


def lesson_demos(path):
    """The explorers that a lesson's sections bind to a name."""
    lesson = Lesson.read(path)
    for section in lesson.sections:
        if has_demo(section):
            space = {"__name__": "__main__"}
            run_cell(lesson.imports, space)
            run_cells(cells_of_demo(lesson, section), lesson, space)
            yield from (value for value in space.values() if isinstance(value, Explorer))


@pytest.fixture(params=lessons_that_run(), ids=lambda path: path.stem, scope="module")
def found(request):
    return request.param.stem, list(lesson_demos(request.param))


@pytest.fixture(autouse=True)
def _strict(monkeypatch):
    monkeypatch.setattr(Explorer, "strict", True)


def test_a_demo_starts_plain(found):
    name, demos = found
    assert bool(demos) == (name[:2] != ASKS), f"{name} binds no demo to a name"
    for demo in demos:
        first = next(child for child in demo.children if "al-controls" in child._dom_classes)
        assert len(first.children) <= 4
        assert demo.errors == []
        assert not demo.reached, "the goal must not be reached before anything was moved"


def test_the_goal_can_be_reached(found):
    name, demos = found
    for demo, values in zip(demos, REACHES[name], strict=True):
        demo.set(**values)
        assert demo.reached
        demo.reset()


def test_the_sentence_says_what_is_drawn(found):
    name, demos = found
    for demo, values in zip(demos, REACHES[name], strict=True):
        for state in ({}, values):
            demo.set(**state)
            for part in side_by_side.parts(demo.view):
                picture = side_by_side.still(part)
                picture.alt = part.alt  # without the note, which says what the lesson computed beside it
                assert unconfirmed(picture) == []
                assert too_faint(picture) == {}
            assert escape(repr(demo)) in demo.picture
        demo.reset()


def test_nothing_breaks_and_every_control_matters(found):
    _, demos = found
    for demo in demos:
        start = demo.picture
        sweep(demo)
        demo.reset()
        assert demo.picture == start
        assert idle_controls(demo) == set()
