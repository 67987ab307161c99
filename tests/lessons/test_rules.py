"""The contract's own test: a good toy lesson passes every rule, and each rule, broken once, is heard."""

import pytest
from nbformat.v4 import new_output

from tests.lessons import rules_code, rules_outputs, rules_structure
from tests.lessons.rules_structure import core_minutes, exercise_rung
from tests.lessons.rules_terms import glossary_terms, unknown_terms
from tests.lessons.toy import GAP, HEADER, WRITE, code, good_cells, lesson, prose

RULES = {rule.__name__: rule for module in (rules_structure, rules_code, rules_outputs) for rule in module.RULES}
WIDGET = new_output("display_data", data={rules_outputs.WIDGET_VIEW: {"model_id": "0" * 32}, "text/plain": "VBox()"})
FIGURE = new_output("display_data", data={"image/png": "aGk=", "text/plain": "<Figure size 640x480 with 1 Axes>"})
ERROR = new_output("error", ename="ValueError", evalue="no", traceback=[])
WARNING = new_output("stream", name="stderr", text="RuntimeWarning: overflow")

# rule, the cell that is replaced (or added), what it becomes (None: left out), a part of the message
BROKEN = [
    ("one_title", "title", prose("Nothing"), "0 H1"),
    ("one_title", "hook", prose("# Two\n## A hook"), "2 H1"),
    ("headings_open_their_cells", "hook", prose("Text\n\n## A hook"), "cell 6"),
    ("headings_open_their_cells", "remember", prose("## Remember\n## Too"), "cell 17"),
    ("required_sections", "remember", None, "'## Remember' exactly once"),
    ("required_sections", "recall heading", prose("## Exercises"), "'## Recall'"),
    ("required_sections", "hook", prose("Just text"), "at least one section of your own"),
    ("required_sections", "glossary", prose("## Glossary"), "only one '## More'"),
    ("header_says_all", "header", prose(HEADER.replace("lesson 2 of 7", "")), "the place in the Part"),
    ("header_says_all", "header", prose(HEADER.replace("(#Closing-questions)", "")), "the gate"),
    ("header_says_all", "header", prose(HEADER.replace("About 21 minutes", "")), "the time"),
    ("header_says_all", "header", prose(HEADER.replace("Learn", "See")), "'Learn'"),
    ("header_says_all", "header", prose(HEADER.replace("need", "use")), "'Need'"),
    ("core_cells_are_short", "hook", prose("## A hook\n" + "word " * 119), "121 words"),
    ("core_cells_are_short", "investigate", code("x = 1\n" * 16), "16 lines"),
    ("minutes_are_honest", "header", prose(HEADER.replace("21", "27")), "state 'About 21 minutes'"),
    ("minutes_are_honest", "hook", prose("## A hook\n" + "word " * 4000), "at most 45"),
    ("rhythm_is_kept", "demo", code("x = 1"), "tag a core cell 'run'"),
    ("rhythm_is_kept", "recall", code('recall("01")', "modify"), "in the order modify, predict"),
    ("links_lead_somewhere", "hook", prose("## A hook\n[there](#Nowhere)"), "#Nowhere leads nowhere"),
    ("links_lead_somewhere", "hook", prose("## A hook\n[there](99_none.ipynb)"), "99_none.ipynb"),
    ("code_is_plain_python", "investigate", code("%timeit 1"), "cell 9"),
    ("code_is_plain_python", "investigate", code("get_ipython().run_line_magic('x', '')"), "get_ipython"),
    ("imports_come_first", "recall", code('recall("01")', "imports"), "only it"),
    ("imports_come_first", "imports", code("import numpy as np"), "tagged now: none"),
    ("names_stay_put", "more code", code("half = 2"), "'half', which 'A hook' binds too"),
    ("names_stay_put", "more code", code("import numpy as check"), "the imports"),
    ("faults_are_marked", "fault", code("show_source(faulty_dot)"), "at least one fault"),
    ("faults_are_marked", "fault", code("show_source(bank.dot)", "fault"), "'dot' as a fault"),
    ("faults_are_marked", "fault", code("def dot(): pass", "fault"), "'dot' as a fault"),
    ("faults_are_marked", "fault", code("show_source(bank.faulty_dot_on_a_stack)", "fault"), "tells what is wrong"),
    ("answers_are_folded", "demo", code("print(1)", "run"), "tag it 'answer'"),
    ("gaps_are_the_banks", "gap", code("x = 1\n" + GAP, "exercise:softmax"), ".gap()"),
    ("predictions_come_before_demos", "more code", code("other = al.explore_attention()"), "cell 21"),
    ("demos_have_names", "demo", code("explore_attention()"), "bind the demo"),
    ("randomness_is_seeded", "investigate", code("np.random.seed(0)"), "np.random.seed"),
    ("randomness_is_seeded", "investigate", code("rng = np.random.default_rng()"), "a seed"),
    ("ids_exist", "predict", code('predict("no-such-question")'), "no-such-question"),
    ("ids_exist", "recall", code('recall("02")'), "recall('02')"),
    ("ids_exist", "closing", code('closing("00")'), "closing('00')"),
    ("ids_exist", "order", code('order("sotfmax")'), "sotfmax"),
    ("ids_exist", "order", code('because("sotfmax")'), "sotfmax"),
    ("ids_exist", "gap", code("al.check.sotfmax(f)"), "check.sotfmax is no exercise"),
    ("ids_exist", "gap", code("x = 1", "exercise:sotfmax"), "exercise:sotfmax"),
    ("every_cell_was_run", "investigate", code("x = 1", outputs=[ERROR]), "ValueError"),
    ("every_cell_was_run", "investigate", code("x = 1", outputs=[WARNING]), "stderr"),
    ("widgets_have_static_forms", "demo", code("x = 1", outputs=[WIDGET]), "LessonWidget"),
    ("pictures_have_words", "picture", code("x = 1", outputs=[FIGURE]), "<Figure"),
    ("nothing_of_this_machine", "hook", prose("## A hook\nSee /home/ada/x"), "/home/ada"),
    ("nothing_of_this_machine", "investigate", code("x", printed="<f at 0x7f00aa>"), "memory address"),
    ("no_bare_arrays", "investigate", code("x", printed="array([1, 2])"), "an array"),
    ("no_bare_arrays", "investigate", code("x", printed="[[0.1 0.2]\n [1. 2.]]"), "an array"),
    ("no_bare_arrays", "investigate", code("x", printed="np.float64(0.5)"), "NumPy scalar"),
    ("no_bare_arrays", "investigate", code("x", printed="np.True_"), "NumPy scalar"),
    ("few_digits", "investigate", code("x", printed="it is 0.1234."), "0.1234"),
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_good_lesson_passes(rule):
    assert rule(lesson(good_cells())) == []


@pytest.mark.parametrize(("rule", "name", "cell", "message"), BROKEN, ids=[f"{b[0]}-{i}" for i, b in enumerate(BROKEN)])
def test_a_broken_rule_is_heard(rule, name, cell, message):
    cells = {**good_cells(), name: cell}
    problems = RULES[rule](lesson({name: cell for name, cell in cells.items() if cell is not None}))
    assert any(message in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("rule", "tag", "message"),
    [("core_is_short", "run", "move 3 below"), ("faults_are_marked", "fault", "shows 25 faults")],
)
def test_too_many_cells_in_the_core(rule, tag, message):
    cells = good_cells()
    extra = {f"extra {i}": code(f"al.show_source(faulty_{i})", tag) for i in range(24)}
    names = list(cells)
    at = names.index("exercises")
    cells = {n: {**cells, **extra}[n] for n in [*names[:at], *extra, *names[at:]]}
    assert any(message in problem for problem in RULES[rule](lesson(cells)))


def test_a_lesson_that_was_not_normalised_or_run_is_heard():
    cells = {**good_cells(), "demo": code("y = 1")}
    cells["demo"].execution_count = None
    assert "cells 8 were not run" in RULES["every_cell_was_run"](lesson(cells))[0]
    assert "make lessons LESSON=01" in RULES["notebook_is_normalised"](lesson(cells, normalised=False))[0]


def test_widget_state_in_the_metadata_is_heard():
    raw = lesson(good_cells())
    raw.notebook.metadata["widgets"] = {}
    assert "metadata.widgets" in RULES["widgets_have_static_forms"](raw)[0]


def test_every_rule_is_broken_somewhere():
    elsewhere = {"core_is_short", "notebook_is_normalised", "every_part_is_asked"}
    assert {rule for rule, *_ in BROKEN} | elsewhere == set(RULES)


def test_lesson_00_has_nothing_to_recall():
    cells = {name: cell for name, cell in good_cells().items() if not name.startswith("recall")}
    assert RULES["required_sections"](lesson(cells, "00_toy.ipynb")) == []


def asking_cells():
    """Those of a lesson that only asks, without what the other lessons have on top."""
    header = prose(HEADER.replace("21 minutes", "30 minutes").replace("[Skip it](#Closing-questions)", "Skip it"))
    tests = {part: code(f'al.self_test("{part}")', "predict") for part in ("I", "II", "III", "IV", "V")}
    cells = {**good_cells(), "header": header, "asked": prose("## Test yourself"), "run": code("x = 1", "run"), **tests}
    order = ("title", "header", "imports", "asked", *tests, "run", "investigate", "picture", "remember")
    return {name: cells[name] for name in order}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_lesson_that_only_asks_passes(rule):
    assert rule(lesson(asking_cells(), "21_toy.ipynb")) == []


def test_a_lesson_that_only_asks_must_ask_about_every_part():
    cells = asking_cells()
    del cells["III"]
    assert "Part III" in RULES["every_part_is_asked"](lesson(cells, "21_toy.ipynb"))[0]
    cells["III"] = code('al.self_test("VI")')
    assert "self_test('VI') is not in the bank" in RULES["ids_exist"](lesson(cells, "21_toy.ipynb"))[0]
    del cells["asked"]
    assert "'## Test yourself'" in RULES["required_sections"](lesson(cells, "21_toy.ipynb"))[0]


def test_numbers_that_hold_anywhere_are_left_alone():
    printed = "1.000 and 0.0523, 1e-16, 2.10.3, 1024 and 12:30.\nnp.sqrt(2), np.float32(x) and [1, 2] or [the cat]\n"
    cells = {**good_cells(), "investigate": code("x", printed=printed)}
    for rule in ("few_digits", "no_bare_arrays", "nothing_of_this_machine"):
        assert RULES[rule](lesson(cells)) == []
    ignored = {**good_cells(), "investigate": code("x", "nbval-ignore-output", printed="0.123456")}
    assert RULES["few_digits"](lesson(ignored)) == []


def test_minutes_follow_the_formula():
    good = lesson(good_cells())
    words = sum(cell.words for cell in good.core)
    questions = 2 + 1 + 3  # recall, predict, closing
    assert core_minutes(good) == pytest.approx(words / 150 + questions + 2 * 1 + 2 * 1 + 4 * 1 + 7 * 1)


MIXED = '''\
def my_softmax(scores):
    """Over the last axis."""
    largest = scores.max(axis=-1, keepdims=True)
    exponentials = ...
    return exponentials[..., :]'''
INDEX, RETURN = "def f(x):\n    return x[..., 0]", "def f(x):\n    return ..."


@pytest.mark.parametrize(
    ("source", "rung"), [(GAP, "gap"), (MIXED, "gap"), (WRITE, "write"), (INDEX, None), (RETURN, "gap")]
)
def test_rungs_are_told_apart(source, rung):
    cells = {**good_cells(), "gap": code(source, "exercise:softmax")}
    [cell] = [cell for cell in lesson(cells).cells if cell.source == source][:1]
    assert exercise_rung(cell) == rung


def test_bold_terms_are_in_the_glossary():
    good = lesson(good_cells())
    glossary = glossary_terms(good)
    assert {"query", "key"} <= glossary
    assert unknown_terms(good, glossary) == []
    other = lesson({**good_cells(), "hook": prose("## A hook\nTwo **Keys** and a **value**")})
    assert [problem.split("'")[1] for problem in unknown_terms(other, glossary)] == ["value"]


def test_words_are_counted_as_a_reader_reads():
    cells = {"title": prose("# One two\n$a + b$ and `three` <b>four</b> [five](http://six.seven)\n```\neight\n```")}
    assert lesson(cells).cells[0].words == 7
