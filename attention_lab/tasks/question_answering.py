"""Models that answer a question about a text: read whole sentences, or point at the first and the last word."""

from itertools import pairwise

import numpy as np

from attention_lab.attention import softmax
from attention_lab.blocks import Encoder
from attention_lab.checks import check_ids, check_leading, check_real, check_size, check_text, floating
from attention_lab.layers import Embedding, Linear
from attention_lab.operations import where
from attention_lab.positions import LearnedPositions

PAD = 0  # the id that fills up a sentence or a question, and stands for no word


class MemoryNetwork:
    """A question reads a memory with one slot a sentence.

    u = Σ B[question],  mᵢ = Σ A[sentenceᵢ] + T_A[ageᵢ],  cᵢ = Σ C[sentenceᵢ] + T_C[ageᵢ]

    weights = softmax(u mᵀ),    logits = (u + weights c) W + b

    The sums are over words. The last sentence has age 0: without T a story would be a heap of sentences.

    Parameters
    ----------
    vocab_size, num_answers, d_model : int
    max_sentences : int
        The longest story.
    hops : int
        How often the memory is read. From the second time on u is the question plus what was read so far, and the
        keys are the values of the time before.
    rng : numpy.random.Generator, optional
        Draws the parameters.
    dtype : dtype

    Raises
    ------
    TypeError, ValueError
        If a size is not a whole number of at least 1.

    Notes
    -----
    Sukhbaatar et al. 2015, "End-To-End Memory Networks", sections 2 and 4.1 (bag of words, adjacent tying).

    Examples
    --------
    >>> model = MemoryNetwork(50, 12, 24, max_sentences=6, rng=np.random.default_rng(0))
    >>> logits, weights = model([[[3, 9, 4], [7, 9, 0]]], [[1, 3]])
    >>> logits.shape, len(weights), weights[0].shape
    ((1, 12), 1, (1, 2))
    """

    def __init__(self, vocab_size, num_answers, d_model, *, max_sentences, hops=1, rng=None, dtype=np.float32):
        rng = np.random.default_rng() if rng is None else rng
        rounds = range(check_size("hops", hops, low=1) + 1)
        self.question = Embedding(vocab_size, d_model, rng=rng, dtype=dtype)
        self.memories = [Embedding(vocab_size, d_model, rng=rng, dtype=dtype) for _ in rounds]
        max_sentences = check_size("max_sentences", max_sentences, low=1)
        self.ages = [LearnedPositions(max_sentences, d_model, rng=rng, dtype=dtype) for _ in rounds]
        self.head = Linear(d_model, check_size("num_answers", num_answers, low=1), rng=rng, dtype=dtype)

    def __call__(self, sentences, question):
        """Answer.

        Parameters
        ----------
        sentences : array_like of int, (..., n, words)
            The words of each sentence, the oldest sentence first, filled up with 0. A sentence of zeros is no sentence.
        question : array_like of int, (..., m)
            Filled up with 0, too.

        Returns
        -------
        logits : ndarray, (..., num_answers)
        weights : list of ndarray, (..., n)
            How much each sentence was read, one a hop. In training they can be part of a loss.
        """
        sentences = check_text("sentences", sentences, self.question.vocab_size)
        question = check_text("question", question, self.question.vocab_size)
        most = self.ages[0].max_len
        if sentences.ndim < 2 or not 0 < sentences.shape[-2] <= most:
            raise ValueError(f"sentences must be (..., n, words), n from 1 to {most}, got shape {sentences.shape}")
        check_leading(sentences=sentences, question=question[..., None])
        real = (sentences != PAD).any(-1)  # (..., n)
        ages = np.maximum(real[..., ::-1].cumsum(-1)[..., ::-1] - 1, 0)  # (..., n): the last real one has age 0
        slots = [age(sum_of_words(memory, sentences), ages) for memory, age in zip(self.memories, self.ages)]
        state, read = sum_of_words(self.question, question), []  # (..., d)
        for key, value in pairwise(slots):
            scores = (key * state[..., None, :]).sum(axis=-1)  # score: (..., n)
            weights = softmax(where(real, scores, -np.inf))  # mask, normalise
            state = state + (weights[..., None] * value).sum(axis=-2)  # mix
            read.append(weights)
        return self.head(state), read


def sum_of_words(embed, ids):
    """The sum of the vectors of real words: (..., words) -> (..., d)."""
    ids = check_text("ids", ids, embed.vocab_size)
    return where((ids != PAD)[..., None], embed(ids), 0).sum(axis=-2)


class SpanPointer:
    """Read a text in the name of a question, then point at the first and the last word of the answer.

    x_i = E[word_i] + sentence of i + place in that sentence + Σ E[question]   -> blocks ->   start, end = x W + b

    The question is added to every word, so each word asks for what the question asks for.

    Parameters
    ----------
    vocab_size, d_model, num_heads, d_ff : int
    num_layers : int
    max_sentences, max_words : int
        So many sentences in a text, and so many words in one of them.
    rng, dtype : as in `Encoder`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible.

    Notes
    -----
    A start vector and an end vector: Devlin et al. 2019, "BERT", section 4.2 (there question and text are one row).

    Examples
    --------
    >>> model = SpanPointer(50, 32, 2, 64, max_sentences=6, max_words=9, rng=np.random.default_rng(0))
    >>> start, end, weights = model([[2, 9]], [[3, 9, 4, 7, 5]], [[0, 0, 0, 1, 1]])
    >>> start.shape, end.shape, weights[0].shape
    ((1, 5), (1, 5), (1, 2, 5, 5))
    """

    def __init__(
        self, vocab_size, d_model, num_heads, d_ff, *, num_layers=2, max_sentences, max_words, rng=None,
        dtype=np.float32,
    ):  # fmt: skip
        rng = np.random.default_rng() if rng is None else rng
        self.embed = Embedding(vocab_size, d_model, rng=rng, dtype=dtype)
        most = (check_size(*given, low=1) for given in (("max_sentences", max_sentences), ("max_words", max_words)))
        self.sentence, self.word = (LearnedPositions(n, d_model, rng=rng, dtype=dtype) for n in most)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, rng=rng, dtype=dtype)
        self.head = Linear(d_model, 2, rng=rng, dtype=dtype)

    def __call__(self, question, ids, sentence, mask=None):
        """Score every word as the first one of the answer, and as the last one.

        Parameters
        ----------
        question : array_like of int, (..., words)
            Filled up with 0.
        ids : array_like of int, (..., n)
            The text.
        sentence : array_like of int, (..., n)
            The number of the sentence that each word stands in.
        mask : array_like of bool, (..., n), optional
            True = a real word. A pad is read by nobody, and its logits are -inf.

        Returns
        -------
        start, end : ndarray, (..., n)
            Logits, -inf at a pad.
        weights : list of ndarray, (..., heads, n, n)
            One a block.
        """
        ids = check_text("ids", ids, self.embed.vocab_size)
        sentence = check_ids("sentence", sentence, self.sentence.max_len)
        if sentence.shape != ids.shape:
            raise ValueError(f"sentence must have the shape of ids, {ids.shape}, got {sentence.shape}: one a word")
        real = np.ones(ids.shape, bool) if mask is None else check_real(mask, ids.shape)
        places = np.where(real, place_in_sentence(sentence), 0)
        if places.max(initial=0) >= self.word.max_len:
            raise ValueError(f"sentence has {places.max() + 1} words in a row, more than max_words={self.word.max_len}")
        check_leading(question=check_text("question", question, self.embed.vocab_size)[..., None], ids=ids[..., None])
        x = self.word(self.sentence(self.embed(ids), sentence), places)
        x = x + sum_of_words(self.embed, question)[..., None, :]
        x, weights = self.encoder(x, real[..., None, None, :])
        logits = where(real[..., None], self.head(x), -np.inf)  # (..., n, 2)
        return logits[..., 0], logits[..., 1], weights


def place_in_sentence(sentence):
    """How many words of the same sentence stand before a word: 0, 1, 2, ..., and 0 again where a sentence begins."""
    n = sentence.shape[-1]
    begins = np.diff(sentence, axis=-1, prepend=-1) != 0
    return np.arange(n) - np.maximum.accumulate(np.where(begins, np.arange(n), 0), axis=-1)


def best_span(start, end, *, longest=None):
    """The span with the largest sum of its two logits, among those that do not end before they begin.

    first, last = argmax over i <= j < i + longest of start_i + end_j

    Parameters
    ----------
    start, end : array_like, (..., n)
        Logits; -inf where a span cannot begin or end.
    longest : int, optional
        The most words of a span; any number if not given.

    Returns
    -------
    first, last : int array, (...)
        Both belong to the span. Of equal sums the first one is taken.
    score : ndarray, (...)
        The sum.

    Raises
    ------
    TypeError, ValueError
        If the shapes differ, the logits hold NaN, or no span is possible.

    Notes
    -----
    Devlin et al. 2019, "BERT", section 4.2.

    Examples
    --------
    >>> first, last, score = best_span([1.0, 4.0, 0.0], [5.0, 2.0, 3.0])
    >>> int(first), int(last), float(score)
    (1, 2, 7.0)
    """
    start, end, _ = floating(start=start, end=end)  # whole numbers of few bits would overflow
    if start.shape != end.shape or start.ndim == 0 or start.shape[-1] == 0:
        raise ValueError(f"start and end must have one shape (..., n), n at least 1, got {start.shape} and {end.shape}")
    for name, logits in (("start", start), ("end", end)):
        if not (logits < np.inf).all():
            raise ValueError(f"{name} holds NaN or inf: only -inf may hide a word")
    n = start.shape[-1]
    longest = n if longest is None else check_size("longest", longest, low=1, below=np.inf)
    length = np.arange(n) - np.arange(n)[:, None] + 1  # row = first word, column = last word
    together = np.where((length >= 1) & (length <= longest), start[..., :, None] + end[..., None, :], -np.inf)
    together = together.reshape(*start.shape[:-1], n * n)
    best = together.argmax(-1)
    score = np.take_along_axis(together, best[..., None], -1)[..., 0]
    if (score == -np.inf).any():
        raise ValueError("no span is possible: each pair of start and end has a logit of -inf, or ends too early")
    return best // n, best % n, score
