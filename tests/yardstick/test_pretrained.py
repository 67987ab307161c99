"""The real models in our layers give the numbers of transformers on PyTorch: part of `make test-yardstick`."""

import json
from itertools import pairwise

import numpy as np
import pytest
import regex
import torch
import transformers

from attention_lab.pretrained import load_minilm, load_smollm2
from attention_lab.pretrained.chat import SMOLLM2
from attention_lab.pretrained.files import find
from attention_lab.pretrained.sentences import MINILM
from tests.models import skip_without

skip_without(MINILM)
skip_without(SMOLLM2)

QUESTIONS = (
    "What is the capital of France?",
    "Write a haiku about attention.",
    "def fibonacci(n):",
    "Explain gravity to a child.",
    "List three fruits.",
)
STRINGS = (
    "", " ", "Hello, world!", "  two  spaces  ", "don't we'll I'M", "tab\tand\n\nlines\r\n",
    "def f(x):\n    return x**2", "for (int i = 0; i < 10; ++i) { a[i] += 1; }", "<div class='x'>&amp;</div>",
    "1234567890", "12.50 € on 2026-11-30", "½ ² Ⅷ ٣ 四", "🙂", "👩\u200d👩\u200d👧 family 🇫🇷", "你好，世界",
    "日本語のテキスト", "한국어 문장", "naïve café Straße ŵ", "مرحبا שלום", "a\0b \u200b\u00a0 end",
)  # fmt: skip


@pytest.fixture(scope="module")
def minilm():
    folder = find(MINILM).parent
    return (
        load_minilm(),
        transformers.AutoTokenizer.from_pretrained(folder),
        transformers.BertModel.from_pretrained(folder),
    )


@pytest.fixture(scope="module")
def smollm2():
    file = find(SMOLLM2)
    theirs = transformers.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    return load_smollm2(), theirs.eval()


@torch.inference_mode()
def their_vectors(tokenizer, model, sentences):
    read = tokenizer(sentences, padding=True, truncation=True, max_length=256, return_tensors="pt")
    real = read.attention_mask[..., None]
    mean = (model(**read).last_hidden_state * real).sum(1) / real.sum(1)
    return torch.nn.functional.normalize(mean).numpy()


def test_minilm_gives_the_same_vectors(minilm):
    ours, tokenizer, theirs = minilm
    sentences = [*STRINGS, *QUESTIONS, "word " * 10_000]
    assert np.abs(ours.embed(sentences) - their_vectors(tokenizer, theirs, sentences)).max() < 1e-5


@torch.inference_mode()
def test_minilm_gives_the_same_weights(minilm):
    ours, tokenizer, theirs = minilm
    theirs.set_attn_implementation("eager")
    expected = theirs(**tokenizer(QUESTIONS[0], return_tensors="pt"), output_attentions=True).attentions
    assert np.abs(ours.look(QUESTIONS[0])[1] - torch.cat(expected).numpy()).max() < 1e-5


@pytest.mark.parametrize("text", STRINGS, ids=ascii)
def test_minilm_reads_the_same_tokens(minilm, text):
    ours, tokenizer, _ = minilm
    assert ours.ids(text).tolist() == tokenizer(text).input_ids


@torch.inference_mode()
@pytest.mark.parametrize("question", QUESTIONS)
def test_smollm2_gives_the_same_logits_and_writes_the_same_tokens(smollm2, question):
    ours, theirs = smollm2
    ids = ours.ids(ours.prompt(question))
    given = torch.from_numpy(ids[None])
    assert np.abs(ours.model(ids)[0] - theirs(given).logits[0].numpy()).max() < 1e-3
    options = {"max_new_tokens": 20, "do_sample": False, "eos_token_id": None, "pad_token_id": ours.end}
    written = theirs.generate(given, attention_mask=torch.ones_like(given), **options)[0, len(ids) :]
    assert list(ours.write(ids, 20, temperature=0)) == written.tolist()


# ---- a byte-level tokenizer written out -------------------------------------------------------------------------

WORD = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
SHOWN = [*range(33, 127), *range(161, 173), *range(174, 256)]
LETTER = {byte: chr(byte) for byte in SHOWN}
LETTER |= {byte: chr(256 + i) for i, byte in enumerate(byte for byte in range(256) if byte not in SHOWN)}


def read_by_hand(text, vocabulary, rank):
    """Digits stand alone, words are cut as GPT-2 cuts them, and the pair that merges first is merged first."""
    ids = []
    for part in regex.split(r"(\p{N})", text):
        for word in regex.findall(WORD, part):
            pieces = [LETTER[byte] for byte in word.encode()]
            pieces = [piece for piece in pieces if piece in vocabulary]  # some bytes, which no text has, are missing
            while len(pieces) > 1:
                pairs = list(pairwise(pieces))
                best = min(pairs, key=lambda pair: rank.get(pair, len(rank)))
                if best not in rank:
                    break
                at = pairs.index(best)
                pieces[at : at + 2] = ["".join(best)]
            ids += [vocabulary[piece] for piece in pieces]
    return ids


@pytest.mark.parametrize("text", STRINGS, ids=ascii)
def test_smollm2_reads_the_tokens_that_its_merges_say(smollm2, text):
    ours, _ = smollm2
    spec = json.loads(ours.tokenizer.to_str())["model"]
    rank = {tuple(pair): i for i, pair in enumerate(spec["merges"])}
    assert ours.ids(text).tolist() == read_by_hand(text, spec["vocab"], rank)


def test_smollm2_reads_the_tokens_of_transformers(smollm2):
    file = find(SMOLLM2)
    theirs = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    for text in (text for text in STRINGS if "½" not in text):  # of a GGUF it reads no rule for digits: 0-9 agree
        assert smollm2[0].ids(text).tolist() == theirs(text).input_ids, text
    turns = [{"role": "user", "content": QUESTIONS[0]}]
    expected = theirs.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    assert smollm2[0].prompt(QUESTIONS[0]) == expected
