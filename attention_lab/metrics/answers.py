"""How good answers in words are: exact match and F1, as the question answering benchmark SQuAD counts them."""

import re
import string
from collections import Counter
from collections.abc import Collection, Mapping

from attention_lab.data.given import is_iterable

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise_answer(text):
    """What is compared of an answer: lower case, without punctuation (of ASCII), articles and surplus white space.

    Punctuation goes before the articles do, and without a trace: "a.m." becomes "am", "well-known" "wellknown".

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Raises
    ------
    TypeError
        If `text` is not a string.

    Notes
    -----
    The rules of SQuAD's own evaluation: Rajpurkar et al. 2016, section 6.1.

    Examples
    --------
    >>> normalise_answer("The  Old-Town Hall!")
    'oldtown hall'
    """
    return _normal("text", text)


def _normal(name, text):
    if not isinstance(text, str):
        hint = 'write "" where there is none' if text is None else "the text itself"
        raise TypeError(f"{name}: an answer must be a string, got {text!r:.60}: {hint}")
    bare = text.lower().translate(_WITHOUT_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(prediction, answers):
    """Whether a prediction is one of the right answers, after normalisation.

    Parameters
    ----------
    prediction : str
        "" says that there is no answer.
    answers : sequence of str
        All that are right; none where the text has no answer.

    Returns
    -------
    float
        1 or 0.

    Raises
    ------
    TypeError
        If the prediction is not a string, or the answers are no sequence of strings.

    Examples
    --------
    >>> exact_match("The garden.", ["garden", "front garden"])
    1.0
    >>> exact_match("", []), exact_match("garden", [])
    (1.0, 0.0)
    """
    predicted = _normal("prediction", prediction)
    return float(any(predicted == right for right in _right(answers)))


def answer_f1(prediction, answers):
    """The harmonic mean of precision and recall over words, for the right answer that it is highest for.

    F1 = 2 · common / (words predicted + words right), a word as often as it stands in both; where one of them has no
    word, 1 if the other has none either, else 0.

    Parameters
    ----------
    prediction, answers : as in `exact_match`

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    TypeError
        As `exact_match`.

    Notes
    -----
    Rajpurkar et al. 2016, section 6.1; unanswerable questions: Rajpurkar et al. 2018. A right answer that normalisation
    leaves nothing of, such as "the", does not count where another does.

    Examples
    --------
    >>> answer_f1("the front garden", ["garden"]) == 2 / 3  # 1 of 2 words is right, and 1 of 1 is found
    True
    >>> answer_f1("", ["garden"])
    0.0
    """
    predicted = Counter(_normal("prediction", prediction).split())
    return max(_overlap(predicted, Counter(right.split())) for right in _right(answers))


def answer_scores(predictions, answers):
    """Means of `exact_match` and `answer_f1` over many questions.

    Parameters
    ----------
    predictions : sequence of str
    answers : sequence of sequences of str
        One a prediction.

    Returns
    -------
    exact, f1 : float
        Between 0 and 1; the benchmark gives them in percent.

    Raises
    ------
    TypeError, ValueError
        If there is not one sequence of answers for each prediction, or no prediction at all.

    Examples
    --------
    >>> answer_scores(["garden", "front garden"], [["garden"], ["garden", "back garden"]])
    (0.5, 0.8333333333333333)
    """
    for name, given in (("predictions", predictions), ("answers", answers)):
        if isinstance(given, Mapping) or not is_iterable(given, Collection):
            kind = type(given).__name__
            raise TypeError(f"{name} must be a list, one entry a question, got a {kind}: in the order of the questions")
    if isinstance(predictions, str) or len(predictions) != len(answers):
        got = "one string" if isinstance(predictions, str) else f"{len(predictions)} and {len(answers)}"
        raise ValueError(f"predictions and answers must be as many, got {got}: one list of answers a prediction")
    if not len(predictions):
        raise ValueError("predictions is empty: a mean needs at least one")
    for text in predictions:
        _normal("predictions", text)
    pairs = list(zip(predictions, answers, strict=True))
    return tuple(sum(metric(*pair) for pair in pairs) / len(pairs) for metric in (exact_match, answer_f1))


def _right(answers):
    """The right answers, normalised; "" alone where there is none."""
    is_list = is_iterable(answers, Collection)  # an iterator is read only once
    if isinstance(answers, str | Mapping) or not is_list:
        hint = "write []" if answers is None else "give the texts"
        hint = f"write [{answers!r}]" if isinstance(answers, str) else hint
        raise TypeError(f"answers must be a list of all right answers, got {answers!r}: {hint}")
    return [right for text in answers if (right := _normal("answers", text))] or [""]


def _overlap(predicted, right):
    if not predicted or not right:
        return float(predicted == right)
    common = (predicted & right).total()
    return 2 * common / (predicted.total() + right.total())
