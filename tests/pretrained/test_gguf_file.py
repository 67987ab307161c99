"""A GGUF file of a tiny model: converted once, refused when it is not what it should be."""

import json

import gguf
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attention_lab.pretrained import WeightsMissing, load_smollm2
from attention_lab.pretrained.chat import SMOLLM2
from attention_lab.pretrained.files import check_file
from attention_lab.pretrained.gguf_file import read_gguf
from tests.pretrained.tiny import LAYERS, llama_tensors, write_llama


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENTION_LAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def path(tmp_path, cache):
    return write_llama(tmp_path / "tiny.gguf")


def unpacked(array, kind):
    """What is left of an array in so many bits."""
    kind = gguf.GGMLQuantizationType[kind]
    return gguf.dequantize(gguf.quantize(array, kind), kind)


def test_every_number_is_where_it_belongs(path):
    got, metadata = read_gguf(SMOLLM2, path)
    sizes = json.loads(metadata["sizes"])
    assert sizes.pop("eps") == pytest.approx(1e-5)
    expected = {"d_model": 64, "num_heads": 8, "num_kv_heads": 2, "d_ff": 96, "num_layers": LAYERS, "max_len": 64}
    assert sizes == {**expected, "base": 5000.0, "end": 2, "vocab_size": 263}
    theirs = llama_tensors(263)
    assert_array_equal(got["embed.table"], unpacked(theirs["token_embd"], "Q8_0"))
    assert_array_equal(got["encoder.final_norm.gain"], theirs["output_norm"])
    for i in range(LAYERS):
        ours, in_file = f"encoder.blocks.{i}.", f"blk.{i}."
        for name, other in (("attention.W_k", "attn_k"), ("feed_forward.down.weight", "ffn_down")):
            assert_array_equal(got[ours + name], unpacked(theirs[in_file + other], "Q4_1").T)
        assert_array_equal(got[ours + "norm_2.gain"], theirs[in_file + "ffn_norm"])
    assert len(got) == len(theirs)


def test_the_longer_side_of_a_matrix_runs_along_memory(path):
    matrices = {name: array for name, array in read_gguf(SMOLLM2, path)[0].items() if array.ndim == 2}
    assert {array.shape for array in matrices.values()} == {(64, 64), (64, 16), (64, 96), (96, 64), (263, 64)}
    for array in matrices.values():
        assert array.strides[np.argmax(array.shape) if len(set(array.shape)) > 1 else 1] == 4


def test_it_is_converted_once(path, cache, monkeypatch):
    first, _ = read_gguf(SMOLLM2, path)
    files = list(cache.iterdir())
    monkeypatch.setattr(gguf, "GGUFReader", None)
    again, _ = read_gguf(SMOLLM2, path)
    assert list(cache.iterdir()) == files
    assert len(files) == 1
    assert all(np.array_equal(first[name], again[name]) for name in first)


def test_what_was_converted_is_found_without_the_file(path, cache, monkeypatch):
    digest = check_file(path)
    read_gguf(SMOLLM2, path)
    path.unlink()
    monkeypatch.setenv("ATTENTION_LAB_SMOLLM2", str(path))
    assert read_gguf(SMOLLM2, sha256=digest)[0]
    with pytest.raises(WeightsMissing):
        read_gguf(SMOLLM2, path, digest)


def test_a_damaged_cache_is_made_anew(path, cache):
    expected, _ = read_gguf(SMOLLM2, path)
    expected = {name: array.copy() for name, array in expected.items()}
    (file,) = cache.iterdir()
    content = file.read_bytes()
    for damaged in (content[:-4], content[:-1] + bytes([content[-1] ^ 1]), b""):
        file.unlink()
        file.write_bytes(damaged)
        got, _ = read_gguf(SMOLLM2, path)
        assert all(np.array_equal(got[name], array) for name, array in expected.items())
        assert file.read_bytes() == content


def test_another_file_makes_another_one(path, cache, tmp_path):
    read_gguf(SMOLLM2, path)
    other = tmp_path / "other.gguf"
    other.write_bytes(path.read_bytes()[:-4] + bytes(4))
    read_gguf(SMOLLM2, other)
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"architecture": "gemma"}, "general.architecture is 'gemma', expected 'llama'"),
        ({"pre": "qwen2"}, "tokenizer.ggml.pre is 'qwen2', expected 'smollm'"),
        ({"without": ("blk.1.ffn_up",)}, "it lacks blk.1.ffn_up"),
        ({"without": ("token_embd",)}, "it lacks token_embd"),
    ],
    ids=str,
)
def test_another_architecture_is_refused(tmp_path, cache, options, said):
    with pytest.raises(ValueError, match=f"another.gguf holds another model: {said}"):
        load_smollm2(write_llama(tmp_path / "another.gguf", **options), sha256=None)
    assert not cache.exists()


@pytest.mark.parametrize("kept", [0, 3, 20, 500, -200])
def test_a_truncated_file_is_refused(path, cache, kept):
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ValueError, match="damaged or another file"):
        load_smollm2(path)
    with pytest.raises(ValueError, match="tiny.gguf is no whole GGUF file"):
        load_smollm2(path, sha256=None)
    assert not cache.exists()


def test_a_file_that_is_no_gguf_is_refused(path, cache):
    path.write_bytes(b"PK\x03\x04" + bytes(1000))
    with pytest.raises(ValueError, match="tiny.gguf is no whole GGUF file"):
        load_smollm2(path, sha256=None)
