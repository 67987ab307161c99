"""What is shown of the record, and what writes to it."""

import dataclasses

import pytest

from attention_lab import check, predict, record, self_test, slides
from attention_lab.runs.record import note, record_file
from attention_lab.teaching.exercises import EXERCISES
from attention_lab.teaching.predict import Quiz
from attention_lab.teaching.questions import BANK
from attention_lab.teaching.record import EMPTY, OFF, REFUSED, Record


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


def test_where_nothing_can_be_written_it_says_so_and_where(monkeypatch, tmp_path):
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("ATTENTION_LAB_HOME", str(tmp_path / "home"))
    shown = record()
    predict("divide-by-d").lock(0, "flatter")
    shown.clear()
    assert repr(shown) == repr(record()) == REFUSED.format(record_file())
    assert str(record_file()) in shown._table.value


def test_what_was_kept_before_stays_in_sight(home, monkeypatch):
    note("questions", "sine-alone", True)
    with monkeypatch.context() as change:
        change.setattr(type(record_file()), "mkdir", refuse)
        note("questions", "sine-alone", True)
    counted, where = repr(record()).splitlines()
    assert counted.startswith("05 Positions: 1 questions answered")
    assert where == REFUSED.format(record_file())
    assert str(record_file()) in record()._table.value


def refuse(*arguments, **about):
    raise PermissionError(13, "Permission denied")


def test_a_question_of_ones_own_is_not_counted(home):
    for own in (dataclasses.replace(BANK["divide-by-d"], id="mine"), dataclasses.replace(BANK["divide-by-d"])):
        Quiz("Mine", [own]).lock(0, "sharper")
        assert repr(record()) == EMPTY


def test_what_could_not_be_computed_is_not_counted(home, monkeypatch):
    broken = dataclasses.replace(BANK["divide-by-d"], settle=lambda: 1 / 0)
    monkeypatch.setitem(BANK, broken.id, broken)
    quiz = predict("divide-by-d")
    quiz.lock(0, "sharper")
    assert (quiz.right, quiz.locked, repr(record())) == (0, True, EMPTY)
