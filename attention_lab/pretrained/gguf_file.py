"""SmolLM2's file, a GGUF of numbers in 4 and 8 bits, turned once into a safetensors file of float32.

Reading a GGUF takes seconds. The converted file holds our parameters under our names, each laid out as memory is read
when a token is decoded, with the sizes and the tokenizer in its header.
"""

import json

from attention_lab.pretrained.files import check_file, find, needs
from attention_lab.pretrained.tensors import read_tensors, write_tensors
from attention_lab.runs.files import cache_folder

STEM = "smollm2-v1"  # the form of the converted file: a change of it gets another number
FORM = {"general.architecture": "llama", "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "smollm"}
SIZES = {
    "d_model": "llama.embedding_length",
    "num_heads": "llama.attention.head_count",
    "num_kv_heads": "llama.attention.head_count_kv",
    "d_ff": "llama.feed_forward_length",
    "num_layers": "llama.block_count",
    "max_len": "llama.context_length",
    "base": "llama.rope.freq_base",
    "eps": "llama.attention.layer_norm_rms_epsilon",
    "end": "tokenizer.ggml.eos_token_id",
}
TOKENS, KINDS, MERGES = (f"tokenizer.ggml.{name}" for name in ("tokens", "token_type", "merges"))
TABLE = "embed.table"
CONTROL = 3  # the kind of a token that no text makes, such as <|im_start|>
# Where a parameter of a block stands in the file, behind "blk.{i}.".
IN_FILE = {
    "attention.W_q": "attn_q",
    "attention.W_k": "attn_k",
    "attention.W_v": "attn_v",
    "attention.W_o": "attn_output",
    "feed_forward.gate.weight": "ffn_gate",
    "feed_forward.up.weight": "ffn_up",
    "feed_forward.down.weight": "ffn_down",
    "norm_1.gain": "attn_norm",
    "norm_2.gain": "ffn_norm",
}


def read_gguf(source, path=None, sha256=None):
    """The arrays and the header of a model's GGUF file, from the cache if it was converted before.

    Parameters
    ----------
    source : Source
    path : str or path, optional
    sha256 : str, optional
        Of the GGUF file; None takes it as it is.

    Returns
    -------
    tensors : dict of str to ndarray
    metadata : dict of str to str

    Raises
    ------
    WeightsMissing
        If there is neither the file nor a converted one.
    ValueError
        If the file is not the one expected, is cut off, or holds another architecture.
    """
    found = _cached(sha256) if path is None and sha256 is not None else None
    if found is None:
        path = find(source, path)
        digest = check_file(path, sha256)
        found = _cached(digest)
    if found is None:
        convert(path, digest)
        found = _cached(digest)
    return found


def convert(path, digest):
    """Write the converted file into the cache, under the SHA-256 of what it was made of and its own."""
    try:
        import gguf
    except ImportError:
        raise needs("gguf") from None
    try:
        reader = gguf.GGUFReader(path)
        fields = {name: field.contents() for name, field in reader.fields.items()}
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"{path} is no whole GGUF file ({error}): get it again") from error
    tensors = {tensor.name.removesuffix(".weight"): tensor for tensor in reader.tensors}
    _check_form(path, fields, tensors)
    sizes = {ours: fields[theirs] for ours, theirs in SIZES.items()} | {"vocab_size": len(fields[TOKENS])}
    names = _names(sizes["num_layers"])
    shapes = dict(_laid(ours, tensors[theirs].shape.tolist()) for ours, theirs in names.items())
    full = (gguf.dequantize(tensors[theirs].data, tensors[theirs].tensor_type) for theirs in names.values())
    arrays = (array if _as_theirs(name) else array.T for name, array in zip(shapes, full))
    metadata = {"sizes": json.dumps(sizes), "tokenizer": _tokenizer(fields)}
    return write_tensors(cache_folder(), f"{STEM}.{digest[:16]}", shapes, arrays, metadata)


def _cached(digest):
    """What was converted before; a file that is not what its name says is deleted, to be made anew."""
    for path in sorted(cache_folder().glob(f"{STEM}.{digest[:16]}.*.safetensors")):
        try:
            tensors, metadata = read_tensors(path, path.stem.rpartition(".")[2])
        except ValueError:
            path.unlink()
        else:
            return {name.removesuffix(".T"): a.T if name.endswith(".T") else a for name, a in tensors.items()}, metadata
    return None


def _check_form(path, fields, tensors):
    for name, expected in FORM.items():
        if fields.get(name) != expected:
            raise ValueError(f"{path} holds another model: {name} is {fields.get(name)!r}, expected {expected!r}")
    lacking = [name for name in (*SIZES.values(), TOKENS, KINDS, MERGES) if name not in fields]
    if not lacking:
        lacking = [name for name in _names(fields[SIZES["num_layers"]]).values() if name not in tensors]
    if lacking:
        raise ValueError(f"{path} holds another model: it lacks {lacking[0]}")


def _names(num_layers):
    """Our name and theirs, of every parameter in the order in which it is used."""
    names = {"encoder.final_norm.gain": "output_norm", TABLE: "token_embd"}
    blocks = {
        f"encoder.blocks.{i}.{ours}": f"blk.{i}.{theirs}" for i in range(num_layers) for ours, theirs in IN_FILE.items()
    }
    return blocks | names


def _laid(name, shape):
    """Name and shape under which a parameter is kept: transposed (.T) where its longer side then runs along memory.

    A vector is multiplied by such a matrix in two thirds of the time. A GGUF says (d_in, d_out), or (d_model, tokens).
    """
    rows, columns = (shape[-1], shape[0]) if name == TABLE else (shape[0], shape[-1])
    return (f"{name}.T", [columns, rows]) if rows > columns else (name, shape)


def _as_theirs(name):
    """Whether an array is kept as the file has it, (d_out, d_in): a table read as it is, a matrix transposed."""
    return name == TABLE or (name.endswith(".T") and name != f"{TABLE}.T")


def _tokenizer(fields):
    """Byte-level pairs over the file's tokens and merges; each digit stands alone."""
    try:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    except ImportError:
        raise needs("tokenizers") from None
    ids = {token: i for i, token in enumerate(fields[TOKENS])}
    merges = [tuple(merge.split(" ")) for merge in fields[MERGES]]
    tokenizer = Tokenizer(models.BPE(ids, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([token for token, kind in zip(fields[TOKENS], fields[KINDS]) if kind == CONTROL])
    return tokenizer.to_str()
