"""SmolLM2-135M-Instruct with its own weights: what is known of it without another library."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attention_lab import generate, parameters
from attention_lab.pretrained import load_smollm2
from attention_lab.pretrained.chat import SMOLLM2
from tests.models import skip_without

skip_without(SMOLLM2)

PEAK = """
from pathlib import Path
from attention_lab.pretrained import load_smollm2
model = load_smollm2()
"".join(model.answer("Say it again: " + "the cat sat on the mat. " * 40, 20))
print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 2**10)
"""


@pytest.fixture(scope="module")
def model():
    return load_smollm2()


def test_its_size_is_the_published_one(model):
    assert sum(array.size for array in parameters(model.model).values()) == 134_515_008


def test_it_answers(model):
    assert "".join(model.answer("What is the capital of France?", 12)) == "The capital of France is Paris."


def test_the_cache_changes_no_token(model):
    ids = model.ids(model.prompt("Name three fruits."))
    cached = list(model.write(ids, 8, temperature=0))
    assert cached == list(generate(model.model, ids, 8, temperature=0, cache=False))


def test_digits_stand_alone_and_every_letter_comes_back(model):
    text = "On 2026-11-30 I paid 12.50 €: 你好, wörld 🙂\n\tdef f(x):\0"
    assert model.text(model.ids(text)) == text
    assert model.tokens("1234") == ["1", "2", "3", "4"]
    assert model.tokens("<|im_start|>user") == ["<|im_start|>", "user"]


def test_streams_read_out_at_the_last_layer_are_the_logits(model):
    text = "The capital of France is"
    logits, weights = model.model(model.ids(text))
    streams = model.streams(text)
    assert_allclose(model.read_out(streams[-1]), logits, atol=1e-3)
    assert model.text([logits[-1].argmax()]) == " Paris"
    assert len(streams) == len(weights) == 30
    assert_allclose(np.stack(weights).sum(-1), 1, atol=1e-5)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process without that of its parent is read in /proc")
def test_it_fits_into_800_mebibytes(model):
    run = subprocess.run([sys.executable, "-c", PEAK], check=True, capture_output=True, text=True)
    assert float(run.stdout) <= 800
