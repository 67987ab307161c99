"""From logits to the next token, and on to a text."""

import numpy as np

from attention_lab.attention import log_softmax, softmax
from attention_lab.blocks import check_caches
from attention_lab.checks import check_flag, check_generator, check_ids, check_number, check_size, check_text, floating


def next_probabilities(logits, *, temperature=1.0, top_k=None, top_p=None):
    """What each token's chance is, once the logits are sharpened and the unlikely tokens are cut off.

    softmax(logits / temperature), of that the `top_k` most probable, of those the fewest that together reach `top_p`.
    What is left sums to one again.

    Parameters
    ----------
    logits : array_like, (..., vocab_size)
    temperature : float
        Below 1 sharper, above 1 flatter; 0 is greedy, all on the largest logit.
    top_k : int, optional
        How many tokens stay. Of equal ones the lower id.
    top_p : float, optional
        From 0 to 1. The token that crosses it stays, so that at least one does: at 0 exactly one, at 1 all.

    Returns
    -------
    ndarray, (..., vocab_size)
        Probabilities: rows sum to one.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it must be, or a row has no token that is possible (every logit is -inf).

    Notes
    -----
    Sources: Fan et al. 2018, "Hierarchical Neural Story Generation", section 5.2 (top-k); Holtzman et al. 2020, "The
    Curious Case of Neural Text Degeneration", section 3.1 (top-p).

    Examples
    --------
    >>> logits = np.log([0.5, 0.3, 0.2])
    >>> next_probabilities(logits, temperature=0).tolist()
    [1.0, 0.0, 0.0]
    >>> next_probabilities(logits, top_p=0.6).round(3).tolist()         # 0.5 is not enough: the second one crosses
    [0.625, 0.375, 0.0]
    """
    logits, dtype = floating(logits=logits)
    if logits.ndim == 0 or logits.shape[-1] == 0:
        raise ValueError(f"logits must be (..., vocab_size) with at least one token, got shape {logits.shape}")
    largest = logits.max(-1, keepdims=True)
    if not np.isfinite(largest).all():
        raise ValueError("each row of logits must have a finite largest number: look for NaN and inf")
    temperature = check_number("temperature", temperature, low=0)
    top_k = None if top_k is None else check_size("top_k", top_k, low=1)
    top_p = 1.0 if top_p is None else check_number("top_p", top_p, low=0, high=1)
    if temperature == 0:  # nothing to sort
        return (np.arange(logits.shape[-1]) == logits.argmax(-1)[..., None]).astype(dtype)
    order = np.argsort(-logits, axis=-1, kind="stable")  # of equal ones the lower id first
    with np.errstate(over="ignore", under="ignore"):  # a tiny temperature: -inf, a chance of 0
        temperature = np.clip(temperature, np.finfo(logits.dtype).tiny, np.finfo(logits.dtype).max)
        chances = softmax((logits - largest) / temperature)
        kept = _cut(np.take_along_axis(chances, order, -1), top_k, top_p)
    result = np.empty_like(kept)
    np.put_along_axis(result, order, kept, -1)
    return result.astype(dtype, copy=False)


def _cut(chances, top_k, top_p):
    """Of chances in falling order the first ones, which then sum to one."""
    if top_k is not None:
        chances = _shares(chances * (np.arange(chances.shape[-1]) < top_k))
    if top_p < 1:
        before = chances.cumsum(-1) - chances  # what stands before a token did not reach top_p yet: it stays
        first = np.arange(chances.shape[-1]) == 0
        chances = _shares(chances * (first | (before < top_p)))
    return chances


def _shares(chances):
    return chances / chances.sum(-1, keepdims=True)


def sample(probabilities, rng):
    """Draw one token from each row, with the chances that stand there.

    Parameters
    ----------
    probabilities : array_like, (..., vocab_size)
        As `next_probabilities` gives them.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, (...)
        A token of chance 0 is never drawn.

    Raises
    ------
    TypeError, ValueError
        If a row does not sum to one, or `rng` is no generator.

    Examples
    --------
    >>> sample([[0.0, 1.0], [1.0, 0.0]], np.random.default_rng(0)).tolist()
    [1, 0]
    """
    probabilities, _ = floating(probabilities=probabilities)
    if probabilities.ndim == 0 or probabilities.shape[-1] == 0:
        raise ValueError(f"probabilities must be (..., vocab_size), got shape {probabilities.shape}")
    reached = probabilities.cumsum(-1, dtype=np.float64)
    if not (probabilities >= 0).all() or not np.allclose(reached[..., -1], 1, atol=1e-2):
        raise ValueError("each row of probabilities must be at least 0 and sum to 1: see next_probabilities")
    check_generator(rng)
    drawn = rng.random(reached.shape[:-1])[..., None] * reached[..., -1:]
    return (reached > drawn).argmax(-1)


def generate(model, prompt, num_tokens, *, temperature=1.0, top_k=None, top_p=None, stop=None, cache=True, rng=None):
    """Write on, one token at a time: each is drawn, handed over, and read again to draw the next.

    Parameters
    ----------
    model : LanguageModel
    prompt : array_like of int, (..., n)
    num_tokens : int
        At most so many.
    temperature, top_k, top_p : as in `next_probabilities`
    stop : int, optional
        The token that ends a text. It is handed over, then the end is reached (of a batch: when all have drawn it).
    cache : bool or list of KVCache
        True keeps keys and values between the steps, False reads the whole text anew for every token: the same text,
        later. A list, of ``model.caches(...)``, is gone on with: `prompt` then holds what they have not seen.
    rng : numpy.random.Generator, optional
        Draws. Not needed where nothing is drawn: ``temperature=0`` or ``top_k=1``.

    Yields
    ------
    int, or ndarray of int (...) for a batch
        The next token.

    Raises
    ------
    TypeError, ValueError
        At the call, if an argument is not what it must be.

    Examples
    --------
    >>> from attention_lab import LanguageModel
    >>> model = LanguageModel(5, 8, 2, 16, num_layers=1, max_len=9, rng=np.random.default_rng(0))
    >>> cached = list(generate(model, [0, 3], 6, temperature=0))
    >>> cached == list(generate(model, [0, 3], 6, temperature=0, cache=False))
    True
    """
    if not (hasattr(model, "embed") and hasattr(model, "caches")):
        raise TypeError(f"model must be a LanguageModel, got {model!r:.80}")
    prompt = check_text("prompt", prompt, model.embed.vocab_size)
    options = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    next_probabilities(np.zeros(model.embed.vocab_size), **options)  # refuses what makes no sense, now
    if rng is not None:
        check_generator(rng)
    elif temperature != 0 and top_k != 1:
        raise ValueError("a text is drawn: give rng=np.random.default_rng(0), or temperature=0 for the greedy one")
    num_tokens = check_size("num_tokens", num_tokens)
    stop = None if stop is None else check_ids("stop", check_size("stop", stop), model.embed.vocab_size)
    if isinstance(cache, list | tuple):
        check_caches(cache, len(model.caches()))
    else:
        room = prompt.shape[-1] + num_tokens
        cache = model.caches(room) if check_flag("cache (or a list of model.caches())", cache) else None
    return _steps(model, prompt, num_tokens, options, stop, cache, rng)


def _steps(model, text, num_tokens, options, stop, caches, rng):
    unread, ended = text, np.zeros(text.shape[:-1], bool)
    for _ in range(num_tokens):
        logits, _ = model(unread, caches=caches)
        chances = next_probabilities(logits[..., -1, :], **options)
        token = chances.argmax(-1) if rng is None else sample(chances, rng)
        yield int(token) if token.ndim == 0 else token
        ended |= False if stop is None else token == stop
        if ended.all():
            return
        text = np.concatenate([text, token[..., None]], -1)
        unread = text if caches is None else token[..., None]


def beam_search(model, source, *, start, end, max_len, beams=4, source_mask=None, length_penalty=0.0):
    """Write the target of a source, keeping at every step the few texts that are most probable so far.

    With ``beams=1`` this is greedy: at every step the most probable token.

    Parameters
    ----------
    model : Seq2Seq or RecurrentSeq2Seq
    source : array_like of int, (..., n_s)
    start, end : int
        The token that every text begins with, and the one that ends it.
    max_len : int
        At most so many tokens are written, the end among them.
    beams : int
        How many texts are kept: fewer where there are no more.
    source_mask : array_like of bool, (..., n_s), optional
        True = a real token.
    length_penalty : float
        At the end texts are ranked by score / length^length_penalty. With 0 short texts have it easier: each token
        costs.

    Returns
    -------
    texts : ndarray of int, (..., beams, n)
        Without the start, the best first. After its end a text is filled up with `end`.
    scores : ndarray, (..., beams)
        The logarithm of each text's probability.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it must be.

    Notes
    -----
    Source: Graves 2012, "Sequence Transduction with Recurrent Neural Networks", section 2.6; length penalty: Wu et al.
    2016, "Google's Neural Machine Translation System", section 7, there with another curve.

    Examples
    --------
    >>> from attention_lab import Seq2Seq
    >>> model = Seq2Seq(9, 7, 8, 2, 16, max_len=6, rng=np.random.default_rng(0))
    >>> texts, scores = beam_search(model, [[3, 4, 5]], start=1, end=2, max_len=5, beams=3)
    >>> texts.shape[:2], scores.shape
    ((1, 3), (1, 3))
    """
    if not all(hasattr(model, name) for name in ("encode", "decode", "embed_target")):
        raise TypeError(f"model must be a Seq2Seq or a RecurrentSeq2Seq, got {model!r:.80}")
    size = model.embed_target.vocab_size
    start, end = (int(check_ids(name, check_size(name, it), size)) for name, it in (("start", start), ("end", end)))
    beams, max_len = check_size("beams", beams, low=1), check_size("max_len", max_len, low=1)
    if max_len > getattr(model, "max_len", max_len):
        raise ValueError(f"max_len={max_len} is more than the {model.max_len} positions that the model has learned")
    length_penalty = check_number("length_penalty", check_number("length_penalty", length_penalty, low=0), high=99)
    memory = model.encode(source, source_mask)[0][..., None, :, :]  # (..., 1, n_s, d_model): one for all beams
    source_mask = None if source_mask is None else np.asarray(source_mask)[..., None, :]
    texts, scores = np.full((*memory.shape[:-2], 1), start), np.zeros(memory.shape[:-2])
    ended = np.zeros(scores.shape, bool)
    at_end = np.where(np.arange(size) == end, 0, -np.inf)  # what has ended goes on with its end, at no cost
    while not ended.all() and texts.shape[-1] <= max_len:
        nats = log_softmax(model.decode(texts, memory, source_mask)[0][..., -1, :])
        reached = scores[..., None] + np.where(ended[..., None], at_end, nats)  # (..., beams, target_size)
        reached = reached.reshape(*reached.shape[:-2], -1)
        width = min(beams, np.isfinite(reached).sum(-1).max())  # at the start there may be fewer texts than beams
        best = np.argsort(-reached, axis=-1, kind="stable")[..., :width]
        scores, (parent, token) = np.take_along_axis(reached, best, -1), np.divmod(best, size)
        texts = np.concatenate([np.take_along_axis(texts, parent[..., None], -2), token[..., None]], -1)
        ended = token == end  # what had ended has gone on with its end
    return _ranked(texts[..., 1:], scores, end, length_penalty)


def _ranked(texts, scores, end, length_penalty):
    length = np.minimum((texts != end).sum(-1) + 1, texts.shape[-1])
    order = np.argsort(-scores / length**length_penalty, axis=-1, kind="stable")
    return np.take_along_axis(texts, order[..., None], -2), np.take_along_axis(scores, order, -1)
