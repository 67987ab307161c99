"""The reader of SQuAD files: both versions, and for each kind of damage the entry, its id and what is wrong."""

import json
from copy import deepcopy

import pytest

from attention_lab.data.squad import answer_words, read_squad, squad_examples, word_spans, write_squad
from attention_lab.data.stories import stories

CONTEXT = "Caf\u00e9s opened in the 1990s.  \U0001f600 Ben\u2019s too, in the 1990s."
QAS = [
    {"id": "5a", "question": "When?", "answers": [{"text": "1990s", "answer_start": 20}]},
    {"id": "5b", "question": "Whose?", "answers": [{"text": "Ben\u2019s", "answer_start": 30},
                                                  {"text": "Ben", "answer_start": 30}]},
]  # fmt: skip
OLD = {"version": "1.1", "data": [{"title": "T", "paragraphs": [{"context": CONTEXT, "qas": QAS}]}]}
NEW = deepcopy(OLD) | {"version": "v2.0"}
for qa in NEW["data"][0]["paragraphs"][0]["qas"]:
    qa["is_impossible"] = False
NEW["data"][0]["paragraphs"][0]["qas"].append(
    {"id": "5c", "question": "Who?", "answers": [], "is_impossible": True,
     "plausible_answers": [{"text": "Ben", "answer_start": 30}]}
)  # fmt: skip


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "dev.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return write


def test_both_versions(file):
    old, new = read_squad(file(OLD)), read_squad(str(file(NEW)))
    assert [example.id for example in old] == ["5a", "5b"]
    assert [example[:4] for example in new[:2]] == [example[:4] for example in old]
    assert old[1].answers == (("Ben\u2019s", 30), ("Ben", 30)) and old[1].texts == ["Ben\u2019s", "Ben"]
    assert new[2].answers == () and new[2].texts == [] and new[2].question == "Who?"
    assert all(CONTEXT[start : start + len(text)] == text for example in new for text, start in example.answers)
    assert read_squad(file(b"\xef\xbb\xbf" + json.dumps(OLD, ensure_ascii=False).encode())) == old


def changed(squad, path, value):
    """A copy with one entry replaced, or removed where the value is `...`."""
    copy = deepcopy(squad)
    *parents, last = path
    entry = copy
    for key in parents:
        entry = entry[key]
    if value is ...:
        del entry[last]
    else:
        entry[last] = value
    return copy


P = ("data", 0, "paragraphs", 0)
Q = (*P, "qas", 1)
WHERE = r"data\[0\]\.paragraphs\[0\]"


@pytest.mark.parametrize(
    ("squad", "path", "value", "message"),
    [
        (OLD, ("version",), ..., r"dev\.json lacks the key 'version': it has 'data'"),
        (OLD, ("version",), "3.0", r"dev\.json: version is '3\.0': expected one of '1\.1', 'v1\.1', '2\.0', 'v2\.0'"),
        (OLD, ("version",), 1.1, r"version is '1\.1', a number: expected a text"),
        (OLD, ("data",), ..., r"lacks the key 'data': it has 'version'"),
        (OLD, ("data",), {}, r"data is '\{\}', an object: expected a list"),
        (OLD, ("data",), [], r"holds no question"),
        (OLD, ("data", 0), "x", r"data\[0\] is a text: expected an object"),
        (OLD, ("data", 0), {}, r"data\[0\] lacks the key 'paragraphs': it is empty"),
        (OLD, P, None, rf"{WHERE} is null: expected an object"),
        (OLD, (*P, "context"), ..., rf"{WHERE} lacks the key 'context': it has 'qas'"),
        (OLD, (*P, "context"), " ", rf"{WHERE}: context is empty"),
        (OLD, (*P, "qas"), ..., rf"{WHERE} lacks the key 'qas'"),
        (OLD, (*Q, "id"), ..., rf"{WHERE}\.qas\[1\] lacks the key 'id'"),
        (OLD, (*Q, "id"), 7, rf"{WHERE}\.qas\[1\]: id is '7', a whole number: expected a text"),
        (OLD, (*Q, "id"), "5a", rf"{WHERE}\.qas\[1\] has the id '5a', which {WHERE}\.qas\[0\] has too"),
        (OLD, (*Q, "question"), ..., rf"{WHERE}\.qas\[1\] \(id '5b'\) lacks the key 'question'"),
        (OLD, (*Q, "answers"), ..., rf"{WHERE}\.qas\[1\] \(id '5b'\) lacks the key 'answers'"),
        (OLD, (*Q, "answers"), [], r"\(id '5b'\) has no answer: only version 2\.0 allows that"),
        (OLD, (*Q, "answers", 1, "text"), ..., r"\(id '5b'\)\.answers\[1\] lacks the key 'text'"),
        (OLD, (*Q, "answers", 1, "answer_start"), ..., r"\.answers\[1\] lacks the key 'answer_start'"),
        (OLD, (*Q, "answers", 1, "answer_start"), "30", r"answer_start is '30', a text: expected a whole number"),
        (OLD, (*Q, "answers", 1, "answer_start"), 30.0, r"answer_start is '30\.0', a number: expected a whole number"),
        (OLD, (*Q, "answers", 1, "answer_start"), True, r"answer_start is 'True', true or false: expected a whole"),
        (OLD, (*Q, "answers", 1, "answer_start"), 31, r"text is 'Ben', but at answer_start 31 the context has "
                                                      r"'en\u2019': it stands at 30"),
        (OLD, (*Q, "answers", 1, "answer_start"), -4, r"at answer_start -4 the context has '': it stands at 30"),
        (OLD, (*Q, "answers", 1, "answer_start"), 999, r"at answer_start 999 the context has ''"),
        (OLD, (*Q, "answers", 1, "text"), "Zoe", r"text is 'Zoe', .* it stands nowhere in the context"),
        (OLD, (*P, "qas", 0, "answers", 0, "answer_start"), 0, r"it stands at 20 and 48"),
        (OLD, (*Q, "supporting"), 1, r"\(id '5b'\): supporting is '1', a whole number: expected a list"),
        (OLD, (*Q, "supporting"), [0, "1"], r"\(id '5b'\): supporting is \[0, '1'\]: expected the numbers"),
        (NEW, (*Q, "is_impossible"), ..., r"\(id '5b'\) lacks the key 'is_impossible'"),
        (NEW, (*Q, "is_impossible"), "no", r"is_impossible is 'no', a text: expected true or false"),
        (NEW, (*Q, "is_impossible"), True, r"is_impossible, but has 2 answers"),
        (NEW, (*P, "qas", 2, "is_impossible"), False, r"\(id '5c'\) has no answer: expected one, or is_impossible"),
    ],
)  # fmt: skip
def test_a_malformed_entry_is_named(file, squad, path, value, message):
    name = file(changed(squad, path, value))
    with pytest.raises(ValueError, match=message) as error:
        read_squad(name)
    assert str(error.value).startswith(str(name))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"version": "1.1",\n "data": [}', r"line 2, column 11: this is not JSON"),
        (b"", r"line 1, column 1: this is not JSON"),
        (b'{"version": "caf\xe9"}', r"byte 0xe9, number 17 of the file, is not UTF-8"),
        (b"[]", r"is a list: expected an object"),
        (b"null", r"is null: expected an object"),
        pytest.param(b"[" * 100_000, r"dev\.json cannot be read as JSON: .*recursion", id="nested"),
        pytest.param(b"9" * 5_000, r"dev\.json cannot be read as JSON: .*digits", id="digits"),
    ],
)
def test_what_is_no_squad_at_all(file, content, message):
    with pytest.raises(ValueError, match=message):
        read_squad(file(content))


@pytest.mark.parametrize("about", [{}, {"unanswerable": True}, {"facts": 2}])
def test_stories_are_read_back(tmp_path, about):
    squad, path = stories("validation", **about), tmp_path / "dev.json"
    write_squad(path, squad)
    assert read_squad(path) == squad_examples(squad)


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    with pytest.raises(ValueError, match=r"squad: data\[0\]\.paragraphs\[0\]\.qas\[1\] \(id '5b'\)"):
        write_squad(tmp_path / "x.json", changed(OLD, (*Q, "answers"), []))
    for odd in (float("nan"), {1, 2}, "\ud800"):
        with pytest.raises(ValueError, match="squad holds what a file cannot"):
            write_squad(tmp_path / "x.json", changed(OLD, ("note",), odd))
    assert not (tmp_path / "x.json").exists()


def test_what_json_has_not_is_named():
    with pytest.raises(ValueError, match="data is .*, a tuple, which JSON has not: expected a list"):
        squad_examples(changed(OLD, ("data",), ()))


def test_words_under_an_answer():
    spans = word_spans(CONTEXT)
    words = [CONTEXT[begin:end] for begin, end in spans]
    assert words == ["Caf\u00e9s", "opened", "in", "the", "1990s", "Ben\u2019s", "too", "in", "the", "1990s"]
    assert answer_words(spans, 20, "1990") == (4, 4)  # inside a word
    assert answer_words(spans, 16, "the 1990s.") == (3, 4)
    assert answer_words(spans, 48, "1990s") == (9, 9)
    assert word_spans("") == word_spans(" .!") == []
    with pytest.raises(ValueError, match=r"the answer '\.' at 25 lies on no word"):
        answer_words(spans, 25, ".")
