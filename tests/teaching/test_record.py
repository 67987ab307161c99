"""What is shown of the record, and what writes to it."""

import pytest

from attention_lab import check, predict, record, self_test, slides
from attention_lab.runs.record import note, record_file
from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.record import EMPTY, OFF, Record


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENTION_LAB_HOME", str(tmp_path))


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(EXERCISES["similarity"], "attempts", 0)


def test_where_none_is_kept_it_says_so():
    predict("divide-by-d").lock(0, "flatter")
    assert repr(record()) == OFF
    assert OFF in record()._table.value


def test_a_locked_answer_is_kept_and_a_chosen_one_is_not(home):
    assert repr(record()) == EMPTY
    quiz = predict("divide-by-d")
    quiz.cards[0].choose("sharper")
    assert repr(record()) == EMPTY
    quiz.lock(0, "sharper")
    assert record().wrong == ["divide-by-d"]
    quiz.again()
    quiz.lock(0, "flatter")
    assert record().wrong == []
    assert record().questions == {"divide-by-d": {"times": 2, "right": 1, "last": True}}
    slides("01").reveal()
    assert len(record().questions) == 1


def test_a_check_is_kept_where_something_was_attempted(home):
    check.similarity(...)
    assert record().exercises == {}
    check.similarity(lambda x: x)
    assert record().exercises["similarity"] == {"times": 1, "right": 0, "last": False}
    check.similarity(EXERCISES["similarity"].reference)
    assert record().exercises["similarity"] == {"times": 2, "right": 1, "last": True}


def test_it_is_shown_by_lesson_and_cleared(home):
    answers = {"divide-by-d": True, "shift-or-scale": False, "sine-alone": True, "no-longer-there": True}
    for id, right in answers.items():
        note("questions", id, right)
    note("exercises", "rotary", True)
    note("exercises", "no-longer-there", True)
    shown = record()
    first, second, kept = repr(shown).splitlines()
    counted = "2 questions answered, 1 right the last time, 0 exercises tried, 0 solved"
    assert first == f"01 Scaled dot-product attention: {counted}"
    assert second.endswith("1 questions answered, 1 right the last time, 1 exercises tried, 1 solved")
    assert str(record_file()) in kept
    assert shown._table.value.count("<tr>") == 3
    assert shown.static() == record().static() == Record({}, {}).static()
    test = self_test(shown.wrong)
    assert [question.id for question in test.questions] == ["shift-or-scale"]
    shown.clear()
    assert repr(shown) == repr(record()) == EMPTY
    assert EMPTY in shown._table.value
    assert not record_file().exists()
