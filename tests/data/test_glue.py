"""Readers of the official GLUE files: made-up lines in the published formats."""

import numpy as np
import pytest

from attention_lab.data.agreement import agreement
from attention_lab.data.glue import TASKS, read_glue, write_cola

STS_B = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2"
FILES = {
    "SST-2": "sentence\tlabel\na fine film \t1\nno \"fun at all\t0\n",
    "CoLA": "gj04\t1\t\tThe cat sat.\ngj04\t0\t*\tThe cat sitted.\n",
    "MRPC": "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\tNot \"so .\tNo .\n0\t7\t9\tA .\tB .\n",
    "RTE": "index\tsentence1\tsentence2\tlabel\n0\tIt rains.\tIt is wet.\tentailment\n1\tA.\tB.\tnot_entailment\n",
    "STS-B": f"{STS_B}\tscore\n0\tg\tf\t2012\t1\tn\tn\tA man.\tA boy.\t2.600\n1\tg\tf\t2012\t2\tn\tn\tA.\tB.\t5\n",
}  # fmt: skip
EXPECTED = {
    "SST-2": (["a fine film ", 'no "fun at all'], [1, 0]),
    "CoLA": (["The cat sat.", "The cat sitted."], [1, 0]),
    "MRPC": ([('Not "so .', "No ."), ("A .", "B .")], [1, 0]),
    "RTE": ([("It rains.", "It is wet."), ("A.", "B.")], [1, 0]),
    "STS-B": ([("A man.", "A boy."), ("A.", "B.")], [2.6, 5.0]),
}
TESTS = {
    "SST-2": ("index\tsentence\n0\tso so\n", ["so so"]),
    "CoLA": ("index\tsentence\n0\tBill slept.\n", ["Bill slept."]),
    "MRPC": ("index\t#1 ID\t#2 ID\t#1 String\t#2 String\n0\t1\t2\tA .\tB .\n", [("A .", "B .")]),
    "RTE": ("index\tsentence1\tsentence2\n0\tA.\tB.\n", [("A.", "B.")]),
    "STS-B": (f"{STS_B}\n0\tg\tf\t2012\t1\tn\tn\tA.\tB.\n", [("A.", "B.")]),
}


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "train.tsv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("task", TASKS)
def test_texts_and_labels(file, task, ending):
    texts, labels = read_glue(file(FILES[task].replace("\n", ending)), task)
    assert texts == EXPECTED[task][0]
    np.testing.assert_array_equal(labels, EXPECTED[task][1])
    assert labels.dtype.kind == ("f" if task == "STS-B" else "i")


@pytest.mark.parametrize("task", TASKS)
def test_a_file_without_labels(file, task):
    assert read_glue(str(file(TESTS[task][0])), task) == (TESTS[task][1], None)


@pytest.mark.parametrize("task", TASKS)
def test_the_last_line_may_lack_its_end_and_the_file_begin_with_a_mark(file, task):
    plain = FILES[task].removeprefix("\ufeff").removesuffix("\n")
    assert read_glue(file(plain), task)[0] == read_glue(file("\ufeff" + plain), task)[0] == EXPECTED[task][0]


def test_only_a_line_feed_ends_a_line(file):
    texts, _ = read_glue(file("sentence\tlabel\none\u2028two\x85three\x0cfour\rfive\t1\n"), "SST-2")
    assert texts == ["one\u2028two\x85three\x0cfour\rfive"]


@pytest.mark.parametrize(
    ("task", "content", "message"),
    [
        ("SST-2", "", r"line 1: the file is empty"),
        ("SST-2", "\ufeff\n\n", r"line 1: the file is empty"),
        ("SST-2", "sentence\tlabel\n", r"line 2: there is no example after the header"),
        ("SST-2", "text\tlabel\na\t1\n", r"line 1: the header is 'text\\tlabel': expected 'sentence\\tlabel', or"),
        ("SST-2", "sentence\tlabel\na\t1\nb\n", r"line 3: the number of columns is 1: expected 2, .*is a tab missing"),
        ("SST-2", "sentence\tlabel\na\tb\t1\n", r"line 2: the number of columns is 3: .*is there a tab in a text"),
        ("SST-2", "sentence\tlabel\na\t1\n\nb\t0\n", r"line 3: the number of columns is 1"),
        ("SST-2", "sentence\tlabel\na\t2\n", r"line 2: label is '2': expected 0 or 1"),
        ("SST-2", "sentence\tlabel\n \t1\n", r"line 2: sentence is empty"),
        ("SST-2", b"sentence\tlabel\na\t1\ncaf\xe9\t0\n", r"line 3: byte 0xe9, number 4 of the line, is not UTF-8"),
        ("CoLA", "gj04\t1\tThe cat sat.\n", r"line 1: the number of columns is 3: expected 4, 'source\\tlabel\\tmark"),
        ("CoLA", "gj04\t1\t\tA.\ngj04\t*\t0\tB.\n", r"line 2: label is '\*': expected 0 or 1"),
        ("MRPC", "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\tA\t\n", r"line 2: #2 String is empty"),
        (
            "RTE",
            FILES["RTE"].replace("not_ent", "Not_ent"),
            r"line 3: label is 'Not_entailment': expected not_ent.* or",
        ),
        ("STS-B", FILES["STS-B"].replace("2.600", "5.2"), r"line 2: score is '5.2': expected a number from 0 to 5"),
        ("STS-B", FILES["STS-B"].replace("2.600", "nan"), r"line 2: score is 'nan': expected a number from 0 to 5"),
        ("STS-B", FILES["STS-B"].replace("2.600", "-0.1"), r"line 2: score is '-0.1'"),
        ("STS-B", FILES["STS-B"].replace("2.600", "high"), r"line 2: score is 'high'"),
    ],
)
def test_a_malformed_file_gives_file_line_and_what_is_wrong(file, task, content, message):
    path = file(content)
    with pytest.raises(ValueError, match=message) as error:
        read_glue(path, task)
    assert str(error.value).startswith(f"{path}, line ")


def test_an_unknown_task_names_the_five(file):
    with pytest.raises(ValueError, match="task must be one of 'SST-2', 'CoLA', 'MRPC', 'RTE', 'STS-B'"):
        read_glue(file(""), "QNLI")


def test_what_write_cola_writes_is_read_back(tmp_path):
    path = tmp_path / "agreement.tsv"
    sentences, labels = agreement("validation")
    write_cola(path, sentences, labels)
    texts, read = read_glue(path, "CoLA")
    assert texts == sentences
    np.testing.assert_array_equal(read, labels)
    write_cola(path, ['Say "no".', "Caf\u00e9s is."], [1, 0], source="x")
    assert path.read_bytes() == 'x\t1\t\tSay "no".\nx\t0\t*\tCaf\u00e9s is.\n'.encode()


@pytest.mark.parametrize(
    ("sentences", "labels", "message"),
    [
        (["a", "b"], [1], "labels has 1 entries but sentences has 2"),
        (["a\tb"], [1], "cannot be a column"),
        (["a\nb"], [1], "cannot be a column"),
        ([" "], [1], "cannot be a column"),
        (["a"], [2], r"labels must be 0 or 1 but holds \[2\]"),
    ],
)
def test_write_cola_refuses_what_it_could_not_read_back(tmp_path, sentences, labels, message):
    with pytest.raises(ValueError, match=message):
        write_cola(tmp_path / "x.tsv", sentences, labels)
    assert not (tmp_path / "x.tsv").exists()
