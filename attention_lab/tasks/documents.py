"""Reading a long document in two steps: words make a sentence, sentences make a document."""

import numpy as np

from attention_lab.blocks import Encoder
from attention_lab.checks import as_visible, check_choice, check_size, check_text
from attention_lab.functional import dropout as drop
from attention_lab.layers import Embedding, LayerNorm, Linear
from attention_lab.pooling import AttentionPooling, masked_mean, mean_share
from attention_lab.positions import LearnedPositions


class HierarchicalClassifier:
    """Read each sentence by itself, then the sentences' vectors together, and say to which class the document belongs.

    in each sentence: embed -> + positions -> blocks -> pool over the words -> norm
    in the document:  pool over the sentences -> one linear layer

    The words of a sentence read one another, sentences do not, and have no positions: shuffle them, and nothing
    changes.

    Parameters
    ----------
    vocab_size, num_classes : int
    d_model, num_heads, d_ff : int
    max_words : int
        The longest sentence: so many positions are learned. A document may have any number of sentences.
    num_layers : int
    pooling : {"attention", "mean"}
        Of both levels: `AttentionPooling` or `masked_mean`.
    dropout : float
        Share dropped in training, of the words' vectors too.
    rng, dtype : as in `EncoderBlock`

    Raises
    ------
    TypeError, ValueError
        If a size is impossible or a choice is unknown.

    Notes
    -----
    After Yang et al. 2016, "Hierarchical Attention Networks for Document Classification". There a recurrent net encodes
    words, a second one sentences, and each vector passes through one more layer before it is scored.

    Examples
    --------
    >>> model = HierarchicalClassifier(33, 3, 24, 2, 24, max_words=9, rng=np.random.default_rng(0))
    >>> logits, of_words, of_sentences = model(np.ones((2, 15, 7), int))
    >>> logits.shape, of_words.shape, of_sentences.shape
    ((2, 3), (2, 15, 7), (2, 15))
    """

    def __init__(
        self, vocab_size, num_classes, d_model, num_heads, d_ff, *, max_words, num_layers=1, pooling="attention",
        dropout=0.0, rng=None, dtype=np.float32,
    ):  # fmt: skip
        rng, learned = np.random.default_rng() if rng is None else rng, pooling == "attention"
        self.pooling, self.dropout = check_choice("pooling", pooling, ("attention", "mean")), dropout
        self.embed = Embedding(vocab_size, d_model, rng=rng, dtype=dtype)
        self.positions = LearnedPositions(check_size("max_words", max_words, low=1), d_model, rng=rng, dtype=dtype)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout=dropout, rng=rng, dtype=dtype)
        self.word_pool = AttentionPooling(d_model, dtype=dtype) if learned else None
        self.norm = LayerNorm(d_model, dtype=dtype)
        self.sentence_pool = AttentionPooling(d_model, dtype=dtype) if learned else None
        self.head = Linear(d_model, check_size("num_classes", num_classes, low=1), rng=rng, dtype=dtype)

    def __call__(self, ids, mask=None, *, rng=None):
        """Classify.

        Parameters
        ----------
        ids : array_like of int, (..., sentences, words)
        mask : array_like of bool, (..., sentences, words), optional
            True = a real word. A sentence without one is padding: it counts nothing.
        rng : numpy.random.Generator, optional
            Switches dropout on.

        Returns
        -------
        logits : ndarray, (..., num_classes)
        word_weights : ndarray, (..., sentences, words)
            How much each word counts in its sentence; sums to one, or to zero where no word is real.
        sentence_weights : ndarray, (..., sentences)
            How much each sentence counts in the document; sums to one, or to zero where no sentence is real.
        """
        ids = _check_documents(ids, self.embed.vocab_size)
        if ids.shape[-1] > self.positions.max_len:
            raise ValueError(f"ids has {ids.shape[-1]} words a sentence, more than max_words={self.positions.max_len}")
        mask = np.ones(ids.shape, bool) if mask is None else _check_words(mask, ids.shape)
        x = drop(self.positions(self.embed(ids)), self.dropout, rng)  # (..., sentences, words, d_model)
        x, _ = self.encoder(x, mask[..., None, None, :], rng=rng)  # mask: each word sees its own sentence
        sentences, word_weights = _pool(self.word_pool, x, mask)  # (..., sentences, d_model)
        pooled, sentence_weights = _pool(self.sentence_pool, self.norm(sentences), mask.any(axis=-1))
        return self.head(pooled), word_weights, sentence_weights


def _pool(pool, x, mask):
    return (masked_mean(x, mask), mean_share(x.shape[:-1], mask)) if pool is None else pool(x, mask)


def _check_documents(ids, vocab_size):
    ids = check_text("ids", ids, vocab_size)
    if ids.ndim < 2 or ids.shape[-2] == 0:
        raise ValueError(
            f"ids must be (..., sentences, words) with one sentence at least, got shape {ids.shape}: "
            "of a document of one sentence write ids[None]"
        )
    return ids


def _check_words(mask, shape):
    mask = as_visible("mask", mask)
    if mask.shape != shape:
        raise ValueError(f"mask must have the shape of ids, {shape}, True = a real word, got {mask.shape}")
    return mask
