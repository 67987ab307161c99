"""Lessons about real models are left out where the weights are absent, and one line says so."""

import re

import pytest

from attention_lab.pretrained import WeightsMissing
from tests import models
from tests.lessons import execute
from tests.lessons.lesson import lesson_paths

NAMES = ["19_a_real_encoder.ipynb", "20_a_real_language_model.ipynb"]


@pytest.fixture(params=[True, False], ids=["absent", "absent but required"])
def is_left_out(request, monkeypatch):
    """No weights are found; whether that leaves lessons out."""

    def find(source):
        raise WeightsMissing(f"The weights of {source.name} are not on this machine: run `make models` once, then ...")

    monkeypatch.setattr(models, "find", find)
    monkeypatch.setenv("ATTENTION_LAB_REQUIRE", "browser" if request.param else "browser,models")
    return request.param


def test_what_is_left_out(is_left_out):
    assert [path.name for path in models.left_out()] == NAMES * is_left_out
    assert len(models.lessons_that_run()) == len(lesson_paths()) - 2 * is_left_out


def test_what_pytest_and_the_reader_are_told(is_left_out, capsys):
    models.main()
    told = capsys.readouterr()
    assert told.out.split() == [f"--ignore=notebooks/{name}" for name in NAMES] * is_left_out
    assert re.findall("make models", told.err) == ["make models"] * is_left_out


def test_making_all_lessons_says_which_were_not_made(is_left_out, monkeypatch, capsys):
    made = []
    monkeypatch.setattr(execute, "refresh", lambda path, **about: made.append(path))
    assert execute.main([]) == 0
    assert len(made) == len(lesson_paths()) - 2 * is_left_out
    assert capsys.readouterr().out.count("left out") == 2 * is_left_out
    execute.main(["19"])
    assert made[-1].name == NAMES[0]


def test_a_file_of_tests_says_what_is_absent(is_left_out):
    with pytest.raises(pytest.skip.Exception, match="make models"):
        models.skip_without(models.NEEDS["19"])


def test_nothing_is_left_out_where_the_weights_are_here(monkeypatch, capsys):
    monkeypatch.setattr(models, "find", lambda source: "a path")
    assert models.left_out() == []
    models.main()
    assert capsys.readouterr() == ("", "")
