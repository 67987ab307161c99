"""Read and write question answering in the format of SQuAD 1.1 and 2.0: a text, questions, answers with their place.

The official files are not here: whoever has them gives a path. What is wrong in one is told with where it stands, such
as ``data[3].paragraphs[0].qas[2]``.
"""

import json
import re
from typing import NamedTuple

from attention_lab.checks import check_size
from attention_lab.data.given import check_list, check_text
from attention_lab.runs.files import check_path

VERSIONS = {"1.1": False, "v1.1": False, "2.0": True, "v2.0": True}  # whether a question may have no answer
WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
KINDS = {
    **{"str": "a text", "list": "a list", "dict": "an object", "bool": "true or false"},
    **{"int": "a whole number", "float": "a number", "NoneType": "null"},
}


class Example(NamedTuple):
    """One question about one text.

    `answers` are (text, place of its first character) pairs, none where the text has no answer. `supporting` are the
    numbers of the sentences that decide it: only our own stories tell them.
    """

    id: str
    question: str
    context: str
    answers: tuple = ()
    supporting: tuple = ()

    @property
    def texts(self):
        """The answers without their places."""
        return [text for text, _ in self.answers]


def read_squad(path):
    """Read one file: train-v1.1.json, dev-v2.0.json or one of the same format.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    list of Example
        In the file's order.

    Raises
    ------
    ValueError
        If the file is not what it should be: the message gives the entry, its id, and what is wrong.

    Notes
    -----
    Rajpurkar et al. 2016, "SQuAD: 100,000+ Questions for Machine Comprehension of Text"; Rajpurkar et al. 2018, "Know
    What You Don't Know: Unanswerable Questions for SQuAD".

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "dev.json"
    >>> qa = {"id": "q1", "question": "Where is Ben?", "answers": [{"text": "garden", "answer_start": 12}]}
    >>> paragraph = {"context": "Ben ran the garden.", "qas": [qa]}
    >>> write_squad(path, {"version": "1.1", "data": [{"title": "stories", "paragraphs": [paragraph]}]})
    >>> read_squad(path)[0].answers
    (('garden', 12),)
    """
    try:
        squad = json.loads(check_path(path).read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        byte = f"byte {error.object[error.start]:#04x}, number {error.start + 1} of the file"
        raise ValueError(f"{path}: {byte}, is not UTF-8: save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {error.lineno}, column {error.colno}: this is not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:  # nested without end, or a number of thousands of digits
        raise ValueError(f"{path} cannot be read as JSON: {error}") from None
    return squad_examples(squad, str(path))


def write_squad(path, squad):
    """Write questions in SQuAD's format; what could not be read back is refused.

    Parameters
    ----------
    path : str or Path
    squad : dict
        ``{"version": ..., "data": [...]}``, as `attention_lab.data.stories.stories` gives it.

    Raises
    ------
    ValueError
        As `read_squad`.
    """
    squad_examples(squad)
    try:
        text = (json.dumps(squad, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
    except (TypeError, ValueError) as error:
        raise ValueError(f"squad holds what a file cannot: {error}") from None
    check_path(path).write_bytes(text)


def squad_examples(squad, name="squad"):
    """The questions of what was read from a file, or made in its format, one below the other.

    Parameters
    ----------
    squad : dict
    name : str
        What messages call it.

    Returns
    -------
    list of Example

    Raises
    ------
    ValueError
        As `read_squad`.
    """
    has_unanswerable = _version(squad, name)
    examples, places = [], {}
    for article in _entries(squad, "data", f"{name}: "):
        for paragraph in _entries(article[1], "paragraphs", article[0]):
            context = _get(paragraph[1], "context", str, paragraph[0])
            for where, qa in _entries(paragraph[1], "qas", paragraph[0]):
                example = _example(qa, context, has_unanswerable, where)
                first = places.setdefault(example.id, where)
                if first != where:
                    raise ValueError(f"{where} has the id {example.id!r}, which {_place(first)} has too")
                examples.append(example)
    if not examples:
        raise ValueError(f"{name} holds no question: its data, paragraphs or qas are empty lists")
    return examples


def _version(squad, name):
    """Whether the version is one in which a question may have no answer."""
    if not isinstance(squad, dict):
        raise ValueError(f"{name} is {_kind(squad)}: expected an object with version and data")
    version = _get(squad, "version", str, f"{name}")
    if version not in VERSIONS:
        raise ValueError(f"{name}: version is {version!r}: expected one of {', '.join(map(repr, VERSIONS))}")
    return VERSIONS[version]


def _entries(parent, key, where):
    """(where it stands, entry) of a list of objects."""
    separator = "" if where.endswith(" ") else "."
    for i, entry in enumerate(_get(parent, key, list, where)):
        place = f"{where}{separator}{key}[{i}]"
        if not isinstance(entry, dict):
            raise ValueError(f"{place} is {_kind(entry)}: expected an object")
        yield place, entry


def _get(entry, key, kind, where):
    """A key of an object, which must be there and of its kind."""
    where = where.removesuffix(": ")
    if key not in entry:
        there = f"it has {', '.join(map(repr, entry))}" if entry else "it is empty"
        raise ValueError(f"{where} lacks the key {key!r}: {there}")
    value = entry[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{where}: {key} is {str(value)[:40]!r}, {_kind(value)}: expected {KINDS[kind.__name__]}")
    if kind is str and not value.strip():
        raise ValueError(f"{where}: {key} is empty")
    return value


def _example(qa, context, has_unanswerable, where):
    where = f"{where} (id {_get(qa, 'id', str, where)!r})"
    question, given = _get(qa, "question", str, where), list(_entries(qa, "answers", where))
    impossible = has_unanswerable and _get(qa, "is_impossible", bool, where)
    if impossible and given:
        raise ValueError(f"{where} is_impossible, but has {len(given)} answers: plausible ones go to plausible_answers")
    if not impossible and not given:
        expected = "expected one, or is_impossible true" if has_unanswerable else "only version 2.0 allows that"
        raise ValueError(f"{where} has no answer: {expected}")
    answers = tuple(_answer(answer, context, place) for place, answer in given)
    supporting = _get(qa, "supporting", list, where) if "supporting" in qa else ()
    if not all(type(number) is int and number >= 0 for number in supporting):
        raise ValueError(f"{where}: supporting is {supporting!r:.40}: expected the numbers of sentences, from 0")
    return Example(qa["id"], question, context, answers, tuple(supporting))


def _answer(answer, context, where):
    """The text of an answer, and where it begins: it must stand there, letter by letter."""
    text, start = _get(answer, "text", str, where), _get(answer, "answer_start", int, where)
    if start < 0 or context[start : start + len(text)] != text:
        found = [match.start() for match in re.finditer(re.escape(text), context)]
        hint = f"it stands at {' and '.join(map(str, found[:3]))}" if found else "it stands nowhere in the context"
        there = context[start : start + len(text)] if start >= 0 else ""
        raise ValueError(f"{where}: text is {text!r}, but at answer_start {start} the context has {there!r}: {hint}")
    return text, start


def _kind(value):
    return KINDS.get(type(value).__name__, f"a {type(value).__name__}, which JSON has not")


def _place(where):
    return where.split(": ", 1)[-1]


def word_spans(text):
    """Where the words of a text begin and end.

    A word is a run of letters and digits; an apostrophe inside belongs to it.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of (int, int)
        ``text[start:end]`` is a word.

    Examples
    --------
    >>> word_spans("Ben's in the hall.")
    [(0, 5), (6, 8), (9, 12), (13, 17)]
    """
    return [match.span() for match in WORD.finditer(check_text("text", text))]


def answer_words(spans, start, text):
    """The first and the last word of an answer: the fewest words that cover it.

    An answer may begin or end inside a word, as "1990" in "the 1990s".

    Parameters
    ----------
    spans : list of (int, int)
        The words of the context, as `word_spans` gives them.
    start : int
        Where the answer begins, in characters.
    text : str
        The answer.

    Returns
    -------
    first, last : int

    Raises
    ------
    ValueError
        If no word lies under the answer.

    Examples
    --------
    >>> answer_words(word_spans("Ben is in the front garden."), 14, "front garden")
    (4, 5)
    """
    start, text = check_size("start", start), check_text("text", text)
    for span in (spans := check_list("spans", spans, tuple)):
        if len(span) != 2:
            raise ValueError(f"spans must hold (begin, end) pairs, got {span!r}")
        _ = [check_size("spans", place) for place in span]
    touched = [i for i, (begin, end) in enumerate(spans) if begin < start + len(text) and start < end]
    if not touched:
        raise ValueError(f"text: the answer {text!r} at {start} lies on no word")
    return touched[0], touched[-1]
