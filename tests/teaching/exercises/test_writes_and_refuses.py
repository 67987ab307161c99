"""Exercises that write into an argument, that refuse a case, or that have a block in their body."""

import numpy as np
import pytest

from attention_lab.teaching.exercises import EXERCISES, order
from attention_lab.teaching.exercises.checker import assess
from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def store(buffer, at, number):
    if at >= len(buffer):
        raise ValueError("no place is left")
    buffer[at] = number  # mix
    return number * 2


@diagnosed("You write one place too far. Count from 0.")
def faulty_store_behind(buffer, at, number):
    if at >= len(buffer):
        raise ValueError("no place is left")
    buffer[(at + 1) % len(buffer)] = number  # mix
    return number * 2


@diagnosed("You do not look. Compare with the length.")
def faulty_store_unguarded(buffer, at, number):
    buffer[at] = number
    return number * 2


def bank(**changes):
    cases = [(np.zeros(3), 1, 5.0), (np.zeros(5), 4, 7.0), (np.zeros(5), 5, 7.0)]
    about = {
        "task": "Write store.",
        "reference": store,
        "cases": cases,
        "faults": [faulty_store_behind, faulty_store_unguarded],
        "hints": ("1", "2", "3"),
        "key": "# mix",
        "distractor": faulty_store_behind,
        "learned": "learned.",
        "writes": ("buffer",),
        "refuses": True,
    }
    return Exercise(**{**about, **changes})


def test_writing_where_it_is_asked_for_is_no_fault():
    assert assess(bank(), store).passed
    assert "changes its input `buffer`" in assess(bank(writes=()), store).message


def test_what_was_not_written_is_told_with_the_case():
    said = assess(bank(), lambda buffer, at, number: store(buffer.copy(), at, number))
    assert said.status == "wrong"
    assert said.message == faulty_store_behind.diagnosis  # what it returns is right, as of the known fault
    said = assess(bank(faults=[]), lambda buffer, at, number: store(buffer.copy(), at, number))
    assert "What you return is right, but `buffer` does not hold it after the call, given buffer (3,), at 1" in str(
        said
    )


def test_writing_more_than_was_asked_for_is_told_too():
    def fills(buffer, at, number):
        store(buffer, at, number)
        buffer[:at] = number
        return number * 2

    assert "`buffer` does not hold it" in assess(bank(faults=[]), fills).message


def test_a_case_without_a_right_result_must_be_refused():
    def clips(buffer, at, number):
        return store(buffer, min(at, len(buffer) - 1), number)

    said = assess(bank(), clips)
    assert said.status == "wrong"
    assert said.message == (
        "There is no right result here, and your function returns a result, given buffer (5,), at 5, number 7.0. "
        'Look first, and refuse in words: `raise ValueError("no place is left")`.'
    )


def test_an_error_that_is_no_refusal_has_its_known_cause():
    said = assess(bank(), faulty_store_unguarded)
    assert said.status == "error"
    assert "stops with IndexError: index 5 is out of bounds" in said.message
    assert said.message.endswith("A known cause: You do not look. Compare with the length.")


def test_any_words_of_a_refusal_will_do():
    def refuses(buffer, at, number):
        try:
            return faulty_store_unguarded(buffer, at, number)
        except IndexError:
            raise ValueError from None

    assert assess(bank(), refuses).passed


def test_a_refusal_of_a_legal_case_is_told():
    def refuses_all(buffer, at, number):
        raise ValueError("no")

    said = assess(bank(), refuses_all)
    assert said.status == "error"
    assert "stops with ValueError: no" in said.message
    assert "at 1" in said.message


def test_a_reference_that_fails_unasked_is_not_taken_for_a_refusal():
    with pytest.raises(ValueError, match="no place is left"):
        assess(bank(refuses=False), store)


# Blocks ----------------------------------------------------------------------------------------------------


def test_a_block_keeps_its_indentation_among_the_shuffled_lines():
    lines = EXERCISES["cache_append"].lines
    assert [line.startswith("    raise ValueError(") for line in lines].index(True) == 2
    assert sum(line.startswith(" ") for line in lines) == 1


def at(start):
    """The line of cache_append that begins so."""
    (line,) = [line for line in EXERCISES["cache_append"].lines if line.lstrip().startswith(start)]
    return line


@pytest.mark.parametrize("lines", [["if"], ["end", "if", "new"], ["end", "raise", "if"], ["if", "end"]])
def test_a_line_out_of_its_block_gets_a_sentence(lines):
    said = order("cache_append").arrange([at(f"{start} ") for start in lines])
    assert said.status == "wrong"
    assert said.message.startswith("An indented line belongs below the line that ends in a colon")


def test_an_answer_without_its_block_is_told_what_it_does_not_look_at():
    lines = [line for line in EXERCISES["cache_append"].lines if line not in (at("if "), at("raise "))]
    assert order("cache_append").arrange(lines).message.startswith("Nothing looks whether there is room")


def test_room_may_be_looked_for_late_as_long_as_nothing_is_lost():
    lines = [at(start) for start in ("end =", "new =", "keys[", "values[", "if ", "raise ", "return ")]
    assert order("cache_append").arrange(lines).passed
