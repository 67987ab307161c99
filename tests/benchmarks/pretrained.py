"""The real models in our layers beside transformers on PyTorch, in one process, turn by turn.

``python -m tests.benchmarks.pretrained [tokens]`` where torch, transformers, accelerate, gguf and tokenizers are
installed. float32, eager, one thread each. Targets: a token of SmolLM2 takes 1.25 × the time at most (better 1.0), the
model is loaded from its converted file within 1.5 s and stays below 800 MiB; MiniLM takes 1.2 × the time on 32
sentences at most. The clock beside the processor's time: a busy machine gives a process less of its time.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import subprocess
import sys

import numpy as np

from attention_lab.pretrained import load_minilm, load_smollm2
from attention_lab.pretrained.chat import SMOLLM2
from attention_lab.pretrained.files import find
from attention_lab.pretrained.sentences import MINILM
from tests.benchmarks.timing import take_turns

ROUNDS, QUESTION = 5, "Write a haiku about attention."
WORDS = ["the", "cat", "sat", "because", "it", "was", "tired", "each", "head", "of", "attention", "reads", "tokens"]
ALONE = """
import resource, time
from attention_lab.pretrained import {load}
start = time.perf_counter()
model = {load}()
seconds = time.perf_counter() - start
{use}
print(f"{load}: {{seconds:.2f}} s, at most {{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}} MiB")
"""


def beside(what, ours, theirs, per=1):
    """Medians in milliseconds of calls that take turns, and their ratio."""
    medians = take_turns({"ours": ours, "theirs": theirs}, ROUNDS, warm=1, prepared=True)
    for name in ("clock", "processor"):
        mine, other = (medians[who][name] / per for who in ("ours", "theirs"))
        print(
            f"{what}, {name:9} {mine:6.1f} ms, transformers {other:6.1f} ms: {mine / other:.2f} × the time", flush=True
        )


def decoding(torch, transformers, count):
    """A prompt is read, then so many tokens are written with a cache."""
    ours, file = load_smollm2(), find(SMOLLM2)
    theirs = transformers.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    ids = ours.ids(ours.prompt(QUESTION))

    def prepare():
        writing = ours.write(ids, count + 1, temperature=0)
        next(writing)
        return lambda: list(writing)

    @torch.inference_mode()
    def prepare_theirs():
        read = theirs(torch.from_numpy(ids[None]), use_cache=True)
        return lambda: write(read.logits, read.past_key_values)

    @torch.inference_mode()
    def write(logits, past):
        for _ in range(count):
            logits = theirs(logits[:, -1:].argmax(-1), cache=past, use_cache=True).logits

    beside("SmolLM2, a token", prepare, prepare_theirs, per=count)


def encoding(torch, transformers):
    """32 sentences of 5 to 30 words, with their tokens."""
    ours, folder, rng = load_minilm(), find(MINILM).parent, np.random.default_rng(0)
    sentences = [" ".join(rng.choice(WORDS, n)) for n in rng.integers(5, 31, 32)]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    theirs = transformers.BertModel.from_pretrained(folder).eval()

    @torch.inference_mode()
    def encode():
        read = tokenizer(sentences, padding=True, return_tensors="pt")
        real = read.attention_mask[..., None]
        return torch.nn.functional.normalize((theirs(**read).last_hidden_state * real).sum(1) / real.sum(1))

    beside("MiniLM, 32 sentences", lambda: lambda: ours.embed(sentences), lambda: encode)


def main(count=30):
    for load, use in (("load_minilm", "model.embed(['a'] * 32)"), ("load_smollm2", "list(model.answer('Why?', 20))")):
        subprocess.run([sys.executable, "-c", ALONE.format(load=load, use=use)], check=True)
    import torch
    import transformers

    torch.set_num_threads(1)
    encoding(torch, transformers)
    decoding(torch, transformers, count)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
