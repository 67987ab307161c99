"""The course as a whole: its Parts, the lessons in each, and which questions stand for them."""

from difflib import get_close_matches

from attention_lab.data.given import is_iterable
from attention_lab.teaching.questions import BANK
from attention_lab.teaching.questions.question import Question

PARTS = {"I": "The mechanism", "II": "Learning", "III": "Tasks", "IV": "Scale", "V": "Real models"}
LESSONS = {  # by Part: number and title
    "I": {
        "00": "Start here",
        "01": "Scaled dot-product attention",
        "02": "Masks",
        "03": "Reading attention",
        "04": "Multi-head attention",
        "05": "Positions",
        "06": "Transformer block",
    },
    "II": {"07": "Gradients", "08": "First training"},
    "III": {
        "09": "Text classification",
        "10": "Language model",
        "11": "KV cache",
        "12": "Translation",
        "13": "Question answering",
        "14": "Time series",
        "15": "Long documents",
    },
    "IV": {"16": "The quadratic cost", "17": "Sparse and linear", "18": "Hybrids"},
    "V": {"19": "A real encoder", "20": "A real language model"},
}
_DEMAND = "what must be a Part (I to V), a lesson such as '05' or ids of the bank"
_CHOSEN = "Chosen questions"


def questions_of(what):
    """The questions of a Part, of a lesson, or those that are named.

    Parameters
    ----------
    what : str, Question, or iterable of them
        A Part, ``"III"``; a lesson, ``"05"``; or ids of the bank, ``["sine-alone", "pads-vanish"]``. Of a Part or a
        lesson come those that stand alone: neither reasons for a line of an exercise, nor what a recall asks again.
        A question of your own may stand among the ids.

    Returns
    -------
    list of Question

    Raises
    ------
    TypeError, ValueError
        If there is no such Part, lesson or question, or nothing is named.

    Examples
    --------
    >>> [question.id for question in questions_of(["pads-vanish", "sine-alone"])]
    ['pads-vanish', 'sine-alone']
    >>> {question.lesson for question in questions_of("II")} == {"07", "08"}
    True
    """
    if isinstance(what, str) and what not in BANK:
        lessons = LESSONS.get(what, {what})
        found = [item for item in BANK.values() if item.lesson in lessons and _stands_alone(item)]
        if not found:
            raise ValueError(f"{_DEMAND}, got {what!r}")
        return found
    names = [what] if isinstance(what, (str, Question)) else list(what) if is_iterable(what) else [None]
    if not all(isinstance(name, (str, Question)) for name in names):
        raise TypeError(f"{_DEMAND}, got {what!r}")
    if not names:
        raise ValueError("what must name at least one question, got none")
    return [name if isinstance(name, Question) else _named(name) for name in names]


def title_of(what):
    """``Part III: Tasks`` of "III", ``Lesson 05: Positions`` of "05", else what it is: questions that were chosen."""
    if isinstance(what, str) and what in PARTS:
        return f"Part {what}: {PARTS[what]}"
    for lessons in LESSONS.values():
        if isinstance(what, str) and what in lessons:
            return f"Lesson {what}: {lessons[what]}"
    return _CHOSEN


def _stands_alone(item):
    return not item.id.startswith("because-") and not item.source.endswith(" again")


def _named(id):
    if title_of(id) != _CHOSEN:
        raise ValueError(f"{id!r} is {title_of(id)}: give one Part or lesson alone, not in a list")
    if id not in BANK:
        near = get_close_matches(str(id), BANK, n=1, cutoff=0.4)
        raise ValueError(f"what: no question is called {id!r}" + (f": did you mean {near[0]!r}?" if near else ""))
    return BANK[id]
