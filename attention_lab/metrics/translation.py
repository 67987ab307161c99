"""How near a translation comes to those of people: BLEU, by sacrebleu, which is imported where it is needed."""

from collections.abc import Collection, Hashable, Mapping

from attention_lab.checks import check_choice
from attention_lab.data.given import is_iterable

SMOOTHING = ("none", "floor", "add-k", "exp")


def bleu(hypotheses, references, *, smoothing="none"):
    """BLEU of a whole corpus, from 0 to 100: how many runs of 1 to 4 tokens the references have too.

    BLEU = 100 · min(1, e^(1 - r/c)) · (p₁ p₂ p₃ p₄)^(1/4)

    p_n: of all runs of n tokens in all hypotheses, the share that is found in the references. A run counts at most as
    often as it stands in the reference that has most of them (clipping). c is the length of all hypotheses, r that of
    the references, of several the nearest (brevity penalty). Counts are added up over the corpus before anything is
    divided, so it is no mean over sentences. One p_n of 0 makes all of it 0: without smoothing a corpus of sentences
    that are shorter than four tokens has 0, however right they are.

    Parameters
    ----------
    hypotheses : sequence
        One translation each: a string, whose tokens stand between blanks, or a list of tokens.
    references : sequence
        One a hypothesis, written as that is; or for a hypothesis a list of several.
    smoothing : {"none", "floor", "add-k", "exp"}
        What becomes of a count of 0, as sacrebleu has it.

    Returns
    -------
    float
        0.0 where no token is right, and where nothing is translated.

    Raises
    ------
    ImportError
        If sacrebleu is missing: the message says what to type.
    TypeError, ValueError
        If the two differ in length, are empty, hold anything else, or a reference has no token.

    Notes
    -----
    Sources: Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation"; Post 2018, "A Call
    for Clarity in Reporting BLEU Scores".

    Examples
    --------
    >>> bleu(["zwei und vierzig"], ["zwei und vierzig"])  # no run of four tokens
    0.0
    >>> round(bleu(["ein hundert zwei und vierzig"], ["ein hundert drei und vierzig"], smoothing="exp"), 1)
    30.2
    >>> bleu([["vier", "tausend", "zwei", "hundert"]], [["vier", "tausend", "zwei", "hundert"]])
    100.0
    """
    check_choice("smoothing", smoothing, SMOOTHING)
    hypotheses, references = _corpus("hypotheses", hypotheses), _corpus("references", references)
    if len(hypotheses) != len(references):
        raise ValueError(
            f"references has {len(references)} entries but hypotheses {len(hypotheses)}: one for each hypothesis, or a "
            "list of several for each"
        )
    ids, lines, several = {}, [], []
    for i, (hypothesis, reference) in enumerate(zip(hypotheses, references)):
        lines.append(_line(f"hypotheses[{i}]", hypothesis, ids))
        several.append([_line(f"references[{i}]", one, ids) for one in _each(hypothesis, reference)])
        if not all(several[-1]):
            raise ValueError(f"references[{i}] holds no token: a translation is judged by at least one")
    most = max(map(len, several))
    streams = [[row[i] if i < len(row) else None for row in several] for i in range(most)]
    measure = _sacrebleu().BLEU(tokenize="none", smooth_method=smoothing, force=True)
    return min(100.0, measure.corpus_score(lines, streams).score)


def _sacrebleu():
    try:
        from sacrebleu import metrics
    except ImportError as error:
        message = f'BLEU needs {error.name}, which is missing: run  python -m pip install "sacrebleu>=2.3"'
        raise ImportError(message, name=error.name) from None
    return metrics


def _corpus(name, corpus):
    if isinstance(corpus, str):
        raise TypeError(f"{name} must be a list of translations but is a string: write [{corpus[:40]!r}]")
    if isinstance(corpus, Mapping) or not is_iterable(corpus):
        raise TypeError(f"{name} must be a list of translations, got a {type(corpus).__name__}: {corpus!r:.60}")
    corpus = list(corpus)
    if not corpus:
        raise ValueError(f"{name} is empty: give at least one, such as ['zwei und vierzig']")
    return corpus


def _each(hypothesis, reference):
    """The references of one hypothesis: strings for a string, lists of tokens for a list."""
    if isinstance(reference, str | Mapping) or not is_iterable(reference, Collection):
        return [reference]  # what is no text at all is refused by its name later
    is_several = isinstance(hypothesis, str) or any(isinstance(one, list | tuple) for one in reference)
    return reference if is_several and len(reference) else [reference]


def _line(name, tokens, ids):
    """Tokens as numbers between blanks: whatever a token holds, it stays one token."""
    if not isinstance(tokens, str | list | tuple):
        raise TypeError(f"{name} must be a string or a list of tokens, got a {type(tokens).__name__}: {tokens!r:.60}")
    tokens = tokens.split() if isinstance(tokens, str) else tokens
    if not all(isinstance(token, Hashable) for token in tokens):
        raise TypeError(f"{name} must hold tokens, got lists of them: several references of one hypothesis are a list")
    return " ".join(str(ids.setdefault(token, len(ids))) for token in tokens)
