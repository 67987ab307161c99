"""The executor on small notebooks: a second run changes nothing, a failure leaves the file alone."""

import os

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.lessons.execute import LessonError, find_notebooks, main, refresh
from tests.lessons.normalise import WIDGET_VIEW, normalise, to_text

# A widget that also has a static form, one that has none, output in pieces, and a value that changes.
CODE = """\
import sys, time
import ipywidgets as widgets
class Both(widgets.VBox):
    def _repr_mimebundle_(self, **kwargs):
        return {**super()._repr_mimebundle_(**kwargs), "text/html": "<b>static</b>"}
print("one"); sys.stdout.flush(); print("two")
display(Both())"""


def write(path, *cells):
    path.write_text(nbformat.writes(new_notebook(cells=list(cells))), encoding="utf-8")
    return path


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook after its first run, and its path."""
    path = tmp_path_factory.mktemp("lessons") / "00_small.ipynb"
    write(
        path,
        new_markdown_cell("# Small"),
        new_code_cell(CODE),
        new_code_cell("import time; print(time.time_ns())", metadata={"tags": ["nbval-ignore-output"]}),
        new_code_cell("widgets.IntSlider()"),
        new_code_cell("object()"),
    )
    assert refresh(path)
    return path


def test_nothing_of_a_readers_record_shows_in_an_output(monkeypatch):
    monkeypatch.setenv("ATTENTION_LAB_HOME", "mine")
    with pytest.raises(SystemExit):
        main(["no-such-lesson"])
    assert os.environ["ATTENTION_LAB_HOME"] == ""


def test_a_second_run_changes_no_byte_and_fresh_does(executed):
    before = executed.read_bytes()
    assert not refresh(executed)
    assert executed.read_bytes() == before
    assert refresh(executed, fresh=True)


def test_what_an_executed_notebook_holds(executed):
    notebook = read(executed)
    assert "widgets" not in notebook.metadata
    assert [cell.get("execution_count") for cell in notebook.cells] == [None, 1, 2, 3, 4]
    stream, both = notebook.cells[1].outputs
    assert stream.text == "one\ntwo\n"
    assert both.data["text/html"] == "<b>static</b>"
    assert WIDGET_VIEW not in both.data
    assert notebook.cells[3].outputs[0].data[WIDGET_VIEW]["model_id"] == "0" * 32
    assert notebook.cells[4].outputs[0].data["text/plain"] == "<object at 0x0>"


def test_normalising_twice_is_normalising_once(executed):
    once = to_text(normalise(read(executed)))
    assert once == executed.read_text(encoding="utf-8")
    assert to_text(normalise(nbformat.reads(once, as_version=4))) == once


def test_ids_follow_the_source_and_are_unique():
    same = [new_markdown_cell("same"), new_code_cell("same"), new_code_cell("same")]
    ids = [cell.id for cell in normalise(new_notebook(cells=same)).cells]
    assert len(set(ids)) == 3
    later = normalise(new_notebook(cells=[new_markdown_cell("inserted"), *same])).cells
    assert [cell.id for cell in later[1:]] == ids


def test_streams_merge_only_with_their_own_kind():
    outputs = [new_output("stream", name=name, text=name) for name in ("stdout", "stdout", "stderr", "stdout")]
    [cell] = normalise(new_notebook(cells=[new_code_cell("x", outputs=outputs, execution_count=7)])).cells
    assert [output.text for output in cell.outputs] == ["stdoutstdout", "stderr", "stdout"]
    assert cell.execution_count == 1


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("x = 1\n1 / 0", ["cell 2 (x = 1)", "ZeroDivisionError"]),
        (
            "import ipywidgets as widgets\n_ = widgets.interact(lambda x: 1 / x, x=widgets.IntSlider(0))",
            ["callback", "ZeroDivisionError"],
        ),
    ],
)
def test_a_failing_cell_is_named_and_the_file_left_alone(tmp_path, code, named):
    path = write(tmp_path / "01_bad.ipynb", new_markdown_cell("# Bad"), new_code_cell(code))
    before = path.read_bytes()
    with pytest.raises(LessonError) as caught:
        refresh(path)
    for part in ["01_bad.ipynb", *named]:
        assert part in str(caught.value)
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["01_bad.ipynb"]


def test_lessons_are_selected_by_the_beginning_of_their_names(tmp_path):
    for name in ("01_a.ipynb", "02_b.ipynb", "02_b.md"):
        (tmp_path / name).touch()
    assert [path.name for path in find_notebooks("", tmp_path)] == ["01_a.ipynb", "02_b.ipynb"]
    assert [path.name for path in find_notebooks("02", tmp_path)] == ["02_b.ipynb"]
    with pytest.raises(LessonError, match="begins with '99'"):
        find_notebooks("99", tmp_path)


def test_the_command_goes_on_after_a_failure_and_reports_it(tmp_path, monkeypatch, capsys):
    write(tmp_path / "01_bad.ipynb", new_code_cell("1 / 0"))
    write(tmp_path / "02_good.ipynb", new_code_cell("1 + 1"))
    monkeypatch.setattr("tests.lessons.execute.find_notebooks", lambda selection: sorted(tmp_path.glob("*.ipynb")))
    assert main([]) == 1
    failed, changed = capsys.readouterr().out.splitlines()
    assert failed.startswith("FAILED 01_bad.ipynb, cell 1 (1 / 0): ZeroDivisionError")
    assert changed.startswith("changed 02_good.ipynb")
