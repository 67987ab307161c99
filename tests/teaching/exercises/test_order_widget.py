"""Lines to put in order: every valid order passes, the odd line is diagnosed, nothing is given away."""

import re
from html import unescape
from itertools import permutations

import pytest
from ipywidgets import HBox

from attention_lab.teaching.exercises import EXERCISES, order

pytestmark = pytest.mark.slow  # a widget for every exercise

NAMES = list(EXERCISES)


@pytest.fixture
def puzzle():
    return order("attention")


def press(puzzle, text):
    """Press a button as a reader does: a line above, or one of the tools."""
    tools = [button for child in puzzle.children if isinstance(child, HBox) for button in child.children]
    (button,) = [button for button in [*puzzle._offers, *tools] if button.description == text]
    button.click()


def shown(puzzle):
    """What the reader sees in the slots of the function, and which slot is chosen."""
    lines = [button.description for button in puzzle._slots if not button.disabled]
    chosen = [at for at, button in enumerate(puzzle._slots) if "al-o-chosen" in button._dom_classes]
    placed = [button.description for button in puzzle._offers if "al-o-placed" in button._dom_classes]
    assert sorted(placed) == sorted(lines)
    assert lines == puzzle.answer
    return lines, *chosen


@pytest.mark.parametrize("name", NAMES)
def test_the_right_order_passes(name):
    said = order(name).arrange(EXERCISES[name].lines)
    assert said.passed, said


@pytest.mark.parametrize("name", NAMES)
def test_the_shuffled_lines_do_not_pass(name):
    puzzle = order(name)
    assert not puzzle.arrange(range(len(puzzle.lines))).passed


@pytest.mark.parametrize("name", NAMES)
def test_the_odd_line_in_place_of_the_right_one_is_diagnosed(name):
    exercise = EXERCISES[name]
    fault = exercise.distractor.diagnosis
    found = []
    puzzle = order(name)
    for at in range(len(exercise.lines)):
        said = puzzle.arrange([*exercise.lines[:at], exercise.odd_line, *exercise.lines[at + 1 :]])
        assert not said.passed
        found.append(said.message)
    text = fault if isinstance(fault, str) else fault.__code__.co_consts[1]
    start = (text if isinstance(text, str) else "").split(":")[0][:20]
    assert any(start in message for message in found), found


def test_every_order_that_runs_right_is_accepted():
    lines, puzzle = EXERCISES["causal_mask"].lines, order("causal_mask")
    passed = [chosen for chosen in permutations(lines) if puzzle.arrange(chosen).passed]
    assert passed == [tuple(lines), (lines[1], lines[0], lines[2])]


@pytest.mark.parametrize("at", range(5))
def test_a_missing_line_gets_a_sentence(puzzle, at):
    lines = EXERCISES["attention"].lines
    said = puzzle.arrange(lines[:at] + lines[at + 1 :])
    assert not said.passed
    assert len(said.message.split()) >= 8
    if at == 4:
        assert "the line with `return` is still to be placed" in said.message
    if at == 2:
        assert "NameError" in said.message or "UnboundLocalError" in said.message
        assert "in the line `output = weights @ value" in said.message


def test_a_line_that_is_overwritten_does_not_belong():
    exercise = EXERCISES["similarity"]
    said = order("similarity").arrange([exercise.odd_line, *exercise.lines])
    assert said.status == "wrong"
    assert "`lengths = (x * x).sum(axis=-1, keepdims=True)` does nothing for it" in said.message


def test_nothing_placed_is_not_attempted(puzzle):
    assert puzzle.check().status == "not attempted"
    assert puzzle.arrange([]).status == "not attempted"


def test_checking_an_order_is_no_attempt_at_writing(puzzle):
    before = EXERCISES["attention"].attempts
    puzzle.arrange([0])
    assert EXERCISES["attention"].attempts == before


def test_lines_that_are_not_the_puzzles(puzzle):
    with pytest.raises(ValueError, match="lines must be among the puzzle's, got 'x = 1'"):
        puzzle.arrange(["x = 1"])


@pytest.mark.parametrize("lines", [[99], [1.5], [None]])
def test_numbers_that_are_not_the_puzzles(puzzle, lines):
    with pytest.raises(ValueError, match="lines must be among the puzzle's"):
        puzzle.arrange(lines)


def test_a_line_is_placed_once(puzzle):
    with pytest.raises(ValueError, match="once each"):
        puzzle.arrange([0, puzzle.lines[0]])


def test_all_lines_are_one_too_many(puzzle):
    lines = EXERCISES["attention"].lines
    said = puzzle.arrange([lines[0], EXERCISES["attention"].odd_line, *lines[1:]])
    assert "one of them does not belong" in said.message


def test_a_puzzle_sees_no_other_function_of_the_bank():
    puzzle = order("effective_keys")
    said = puzzle.arrange([line for line in EXERCISES["effective_keys"].lines if not line.startswith("entropy =")])
    assert "NameError: name 'entropy' is not defined" in said.message


def test_a_late_click_on_an_empty_slot_chooses_nothing(puzzle):
    puzzle.arrange([0])
    puzzle._slots[3].click()
    assert shown(puzzle) == ([puzzle.lines[0]], 0)


def test_the_buttons(puzzle):
    a, b, c, *_ = puzzle.lines
    assert shown(puzzle) == ([],)
    for text in ("Move up", "Move down"):  # nothing is placed: nothing happens
        press(puzzle, text)
    press(puzzle, a)
    press(puzzle, b)
    assert shown(puzzle) == ([a, b], 1)
    press(puzzle, "Move up")
    press(puzzle, "Move up")  # it is the first already
    assert shown(puzzle) == ([b, a], 0)
    press(puzzle, c)  # goes below the chosen line
    assert shown(puzzle) == ([b, c, a], 1)
    press(puzzle, "Move down")
    press(puzzle, "Move down")
    assert shown(puzzle) == ([b, a, c], 2)
    puzzle._slots[0].click()
    assert shown(puzzle) == ([b, a, c], 0)
    press(puzzle, c)  # once more takes it out
    assert shown(puzzle) == ([b, a], 1)
    press(puzzle, b)
    press(puzzle, a)
    assert shown(puzzle) == ([],)
    press(puzzle, a)
    press(puzzle, "Reset")
    assert shown(puzzle) == ([],)


def test_a_whole_solution_by_buttons(puzzle):
    for line in EXERCISES["attention"].lines:
        press(puzzle, line)
    press(puzzle, "Check")
    assert "Correct" in puzzle._said.value


def test_no_button_comes_or_goes(puzzle):
    before = [button.model_id for button in [*puzzle._offers, *puzzle._slots]]
    puzzle.arrange(puzzle.lines)
    press(puzzle, puzzle.lines[0])
    assert [button.model_id for button in [*puzzle._offers, *puzzle._slots]] == before
    assert len(puzzle._slots) == len(puzzle.lines)


def test_moving_a_line_takes_back_an_old_verdict(puzzle):
    puzzle.arrange(EXERCISES["attention"].lines)
    assert "Correct" in puzzle._said.value
    press(puzzle, "Move up")
    assert "Correct" not in puzzle._said.value
    assert "Press a line" in puzzle._said.value


@pytest.mark.parametrize("name", NAMES)
def test_the_static_form_shows_the_shuffled_lines_only(name):
    one, two = order(name), order(name)
    two.arrange(EXERCISES[name].lines)
    assert one.static() == two.static()  # byte-stable, whatever was done
    bundle = one._repr_mimebundle_()
    assert bundle["text/plain"].splitlines()[2:] == EXERCISES[name].shuffled
    pre = re.search("<pre>(.*)</pre>", bundle["text/html"], re.DOTALL)[1]
    assert unescape(pre).splitlines() == EXERCISES[name].shuffled
    assert "application/vnd.jupyter.widget-view+json" in bundle
