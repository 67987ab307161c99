"""The bank: every question settles, has one right option, and says something of its own about each."""

import ast
import time
from functools import cache

import pytest

from attention_lab.teaching import parts, questions
from attention_lab.teaching.lesson import Lesson
from attention_lab.teaching.questions import BANK, CLOSING, RECALL
from attention_lab.teaching.questions.question import Question, question
from tests.lessons.lesson import lesson_paths
from tests.teaching.folders import modules_that_name

ALL = [pytest.param(item, id=item.id) for item in BANK.values()]
LESSONS = sorted(number for lessons in parts.LESSONS.values() for number in lessons)
PLACE = "in attention_lab/teaching/questions/__init__.py"
EXERCISES = {
    "00": ("similarity",),
    "01": ("attention", "softmax", "log_softmax"),
    "02": ("masked_softmax", "causal_mask", "sliding_window_mask", "own_sentence_mask"),
    "03": ("entropy", "effective_keys", "similarity_summary"),
    "04": ("multi_head_attention",),
    "05": ("positional_encoding", "rotary"),
    "06": ("layer_norm", "pre_norm", "feed_forward"),
    "07": ("softmax_backward", "layer_norm_backward"),
    "08": ("dropout", "warmup"),
    "09": ("masked_mean", "matthews"),
    "10": ("perplexity", "top_p"),
    "11": ("cache_append", "left_pad_positions"),
    "13": ("best_span", "word_f1"),
    "12": ("teacher_forcing", "clipped_precision"),
    "14": ("day_windows", "mae_by_horizon"),
    "15": ("pool_twice", "pad_documents"),
    "16": ("online_softmax", "block_cost"),
    "17": ("longformer_mask", "causal_linear_attention", "random_features"),
    "18": ("neighbour_attention", "offset_weights"),
    "19": ("rollout", "top_matches"),
    "20": ("induction_score", "logit_lens"),
}
# Questions that learners ask (Q) and what they often get wrong (M), by lesson.
ROWS = {
    "00": {"M1"},
    "01": {*(f"Q{i}" for i in range(1, 20)), "M2", "M3", "M4", "M5"},
    "02": {*(f"Q{i}" for i in range(20, 35)), "M6", "M7", "M8", "M9"},
    "03": {*(f"Q{i}" for i in range(35, 45)), "M10", "M11", "M12", "M13"},
    "04": {*(f"Q{i}" for i in range(45, 55)), "M14", "M15", "M16"},
    "05": {*(f"Q{i}" for i in range(57, 72)), "M17", "M18", "M19"},
    "06": {*(f"Q{i}" for i in range(72, 84)), "M20", "M21"},
    "07": {*(f"Q{i}" for i in range(84, 88)), "M22"},
    "08": {f"Q{i}" for i in range(88, 95)},
    "09": {f"Q{i}" for i in range(95, 99)},
    "10": {f"Q{i}" for i in range(99, 108)},
    "13": {"Q120", "Q121"},
    "11": {"Q55", "Q56", *(f"Q{i}" for i in range(108, 116)), "M23"},
    "12": {"Q116", "Q117", "Q118", "Q119", "M16"},
    "14": {"Q122"},
    "15": {"Q130"},
    "16": {"Q123", "Q124", "M24"},
    "17": {*(f"Q{i}" for i in range(125, 130)), "M25"},
    "18": {f"Q{i}" for i in range(131, 135)},
    "19": {"Q135", "Q136", "Q137", "Q139"},
    "20": {"Q138", "Q140"},
}
PREDICTED = {
    "00": ("own-top-key",),
    "01": ("divide-by-d", "shift-or-scale", "cosine-cannot-focus", "it-and-cat"),
    "02": ("pads-vanish", "pad-rows", "times-zero", "mask-at-generation"),
    "03": ("first-column", "weight-or-contribution", "unique-weights", "entropy-absolute"),
    "04": ("one-average-or-two", "more-heads-cost", "tiny-heads", "must-divide", "output-rows"),
    "05": (
        *("shuffled-words", "causal-order", "sine-alone", "longer-than-trained", "rotary-values"),
        *("what-base-means", "twins-apart", "what-alibi-does"),
    ),
    "06": ("pre-norm-growth", "norm-over-the-sentence", "without-residuals", "before-or-after"),
    "07": ("saturated-softmax", "whole-jacobian", "masked-row-gradient"),
    "08": ("loss-at-the-start", "reversed-map", "dropout-rows", "first-adam-step", "start-scale"),
    "09": ("pads-in-the-mean", "unmasked-pool", "zero-query", "scores-of-words", "all-one-class"),
    "10": (
        *("target-in-the-input", "pads-in-the-loss", "tied-table", "temperature-and-cuts", "greedy-circle"),
        "what-the-keys-carry",
    ),
    "11": (
        *("what-is-not-kept", "old-rows", "scores-with-cache", "drop-the-oldest", "grouped-compute"),
        *("repeat-or-tile", "left-padded"),
    ),
    "12": (
        *("one-short-sentence", "rows-of-logits", "wrong-third-token", "hidden-two", "hidden-from-the-decoder"),
        *("mixed-before-read", "weight-of-und", "who-asks", "greedy-or-beam", "clipped", "half-as-long"),
        "loss-near-zero",
    ),
    "14": (
        *("missing-hour", "hardest-naive", "beyond-the-past", "saturday-at-eight", "training-errors"),
        "flat-on-noise",
    ),
    "13": (
        *("without-ages", "end-before-start", "half-an-answer", "two-passages", "one-pass-two-facts"),
        *("threshold-by-test", "two-strangers"),
    ),
    "15": (
        "same-words-three-answers",
        "short-beside-long",
        "scores-of-two-levels",
        "empty-sentences",
        "one-of-sixty",
        "beyond-the-cut",
    ),
    "16": (
        *("larger-part", "crossing-of-the-block", "memory-of-scores", "the-old-sum", "exact-or-not"),
        *("tiles-of-a-causal-map", "tiles-backwards", "work-of-checkpoints"),
    ),
    "17": (
        *("window-as-a-mask", "reach-of-windows", "causal-global", "without-positive-features", "break-even"),
        *("four-times-as-sharp", "four-times-the-features"),
    ),
    "18": (
        *("nodes-renumbered", "even-neighbours", "marks-in-noise", "distance-alone", "one-switch-of-a-hundred"),
        *("a-day-of-a-meter", "one-favourite"),
    ),
    "19": (
        *("shuffled-neighbours", "nothing-to-find", "twelve-heads-added", "rollout-of-a-sink", "dot-or-cosine"),
        *("same-weights-other-numbers", "same-word-two-sentences", "no-word-in-common"),
    ),
    "20": (
        *("from-one-hundred-on", "it-before-tired", "where-copying-looks", "nothing-for-me", "before-any-block"),
        *("three-times-as-warm", "who-shares-keys", "moved-by-five", "without-the-one-before", "lead-for-half"),
    ),
}


@cache
def predicted():
    """The ids that some lesson's own cells ask."""
    calls = [call for path in lesson_paths() for cell in Lesson.read(path).code for call in cell.calls("predict")]
    return {ast.literal_eval(call.args[0]) for call in calls}.union(*PREDICTED.values())


def rows_of(item):
    return [row for row in item.source.split() if row[0] in "MQ"]


def is_asked_again(item):
    return item.source.endswith(" again")


@pytest.mark.parametrize("item", ALL)
def test_settles_on_one_option_quickly_and_every_time(item):
    answers, seconds = [], []
    for _ in range(3):
        start = time.process_time()
        answers.append(item.answer())
        seconds.append(time.process_time() - start)
    assert [option for option in item.options if option in answers] == [answers[0]]
    assert min(seconds) < 0.2


@pytest.mark.parametrize("item", ALL)
def test_the_answer_comes_out_of_a_calculation(item):
    tree = ast.parse(item.working)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert calls, "settle() calls nothing"
    made = any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree)) or "return str(" in item.working
    named = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value in item.options}
    assert made or len(named) > 1, "settle() can return only one option"


@pytest.mark.parametrize("item", ALL)
def test_each_option_has_its_own_feedback(item):
    feedback = list(item.options.values())
    assert len(set(feedback)) == len(feedback) >= 3
    assert all(len(text.split()) >= 8 and text.endswith(".") for text in feedback)


@pytest.mark.parametrize("item", ALL)
def test_text_is_plain_and_short(item):
    texts = (item.text, *item.options, *item.options.values())
    assert all(text.count("`") % 2 == 0 and "$" not in text and "<b" not in text for text in texts)
    assert "  " not in " ".join(texts)
    assert len(item.text) < 300
    assert not any(text in item.text for text in item.options.values())


@pytest.mark.parametrize("item", ALL)
def test_working_is_the_function_alone(item):
    assert item.working.startswith("def ")
    assert not any(text in item.working for text in item.options.values())


def test_every_module_is_named_in_the_order():
    missing = modules_that_name(questions, "@question(") - set(questions._ORDER.split())
    assert not missing, f"name {', '.join(sorted(missing))} in _ORDER {PLACE}"


def test_ids_are_unique_and_keep_to_their_lesson():
    found = [item for module in questions._MODULES for item in vars(module).values() if isinstance(item, Question)]
    assert len(found) == len(BANK)
    for module in questions._MODULES:
        lesson = module.__name__.rsplit(".", 1)[1].split("_")[1]
        assert {item.lesson for item in vars(module).values() if isinstance(item, Question)} == {lesson}


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_source_row_is_asked_once(lesson):
    items = [item for item in BANK.values() if item.lesson == lesson and not is_asked_again(item)]
    assert sorted(row for item in items for row in rows_of(item)) == sorted(ROWS.get(lesson, ()))


def test_a_question_that_asks_again_asks_what_its_lesson_asked_and_only_in_a_recall():
    recalled = {id for ids in RECALL.values() for id in ids}
    for item in filter(is_asked_again, BANK.values()):
        assert item.id in recalled
        assert set(rows_of(item)) <= ROWS.get(item.lesson, set())


@pytest.mark.parametrize("lesson", LESSONS)
def test_fixed_ids_exist(lesson):
    reasons = [f"because-{name}" for name in EXERCISES.get(lesson, ())]
    assert {BANK[id].lesson for id in (*PREDICTED.get(lesson, ()), *reasons)} <= {lesson}
    assert all(len(BANK[id].options) == 3 for id in reasons)


def test_lesson_00_has_questions_of_its_own():
    assert sum(item.lesson == "00" for item in BANK.values()) >= 6


@pytest.mark.parametrize("lesson", LESSONS)
def test_closing_asks_three_of_this_lesson_that_no_demo_asks(lesson):
    ids = CLOSING.get(lesson, ())
    assert len(set(ids)) == 3, f"give lesson {lesson} three CLOSING questions {PLACE}"
    assert {BANK[id].lesson for id in ids} == {lesson}, f"close lesson {lesson} with questions of its own: {ids}"
    told = set(ids) & predicted()
    assert not told, f"close lesson {lesson} with others than {told}: a lesson asks them already"


def test_recall_reaches_back_to_the_last_lesson_and_further():
    for at, lesson in enumerate(LESSONS[1:], start=1):
        ids = RECALL.get(lesson, ())
        assert len(set(ids)) == 2, f"give lesson {lesson} two RECALL questions {PLACE}"
        distances = [at - LESSONS.index(BANK[id].lesson) for id in ids]
        assert distances[0] == 1, f"lesson {lesson}: let {ids[0]} be one of lesson {LESSONS[at - 1]}"
        assert distances[1] >= min(at, 3), f"lesson {lesson}: let {ids[1]} be three lessons back, or further"
    assert set(RECALL) <= set(LESSONS), f"a lesson of RECALL {PLACE} is not in parts.py"
    asked = [id for ids in RECALL.values() for id in ids]
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("lesson", [lesson for lesson in LESSONS if lesson >= "09"])
def test_recall_repeats_no_question_word_for_word(lesson):
    told = set(RECALL.get(lesson, ())) & predicted().union(*CLOSING.values())
    again = "write questions that ask again, with other numbers (source '... again')"
    assert not told, f"lesson {lesson}: {told} are asked elsewhere too: {again}"


def test_order_is_stable_and_hides_the_right_option():
    places = [item.choices.index(item.answer()) for item in BANK.values() if len(item.options) == 3]
    assert all(places.count(place) > len(places) / 6 for place in range(3))
    assert BANK["divide-by-d"].choices == ["sharper", "no different", "flatter"]


def test_an_answer_that_is_no_option_is_an_error():
    make = question("x", lesson="00", source="test", text="?", options={"a": "one", "b": "two"})
    with pytest.raises(ValueError, match="x: expected one of .*computed 'c'"):
        make(lambda: "c").answer()


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"id": 5}, "id must be a str, got 5"),
        ({"text": None}, "text must be a str, got None"),
        ({"lesson": 1}, "lesson must be a str, got 1"),
        ({"options": ["a", "b"]}, r"options must be a dict: .*got \['a', 'b'\]"),
        ({"options": {"a": None, "b": "two"}}, "options must be a dict"),
        ({"options": {"a": "one"}}, "options must be 2 to 8, got 1"),
        ({"options": dict.fromkeys("ABCDEFGHI", "?")}, "options must be 2 to 8, got 9"),
        ({"settle": "a"}, "settle must be a function .*got 'a'"),
    ],
)
def test_what_is_no_question_is_refused(about, words):
    whole = {"id": "x", "lesson": "00", "source": "test", "text": "?", "options": {"a": "one", "b": "two"}}
    with pytest.raises((TypeError, ValueError), match=words):
        Question(**(whole | {"settle": lambda: "a"} | about))
