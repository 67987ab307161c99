"""Two tiny models with made-up weights, in files of the same formats as the real ones."""

import json

import numpy as np

D, HEADS, D_FF, LAYERS = 12, 3, 20, 2
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "##s", "mat", "."]
WIDE, D_KV = 64, 16  # of the second model: 8 query heads on 2 key heads
CONTROLS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def numbers(*shape, seed=0):
    return (0.3 * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


def bert_tensors():
    """Every array of a BERT under the names of its file, matrices (d_out, d_in)."""
    shapes = {"embeddings.word_embeddings.weight": (len(WORDS), D), "embeddings.position_embeddings.weight": (32, D)}
    shapes |= {"embeddings.token_type_embeddings.weight": (2, D), "pooler.dense.weight": (D, D)}
    shapes |= {f"embeddings.LayerNorm.{last}": (D,) for last in ("weight", "bias")}
    widths = {"attention.self.query": (D, D), "attention.self.key": (D, D), "attention.self.value": (D, D)}
    widths |= {"attention.output.dense": (D, D), "intermediate.dense": (D_FF, D), "output.dense": (D, D_FF)}
    for i in range(LAYERS):
        for name, shape in widths.items():
            shapes |= {f"encoder.layer.{i}.{name}.weight": shape, f"encoder.layer.{i}.{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"encoder.layer.{i}.{name}.{last}": (D,) for last in ("weight", "bias")}
    return {name: numbers(*shape, seed=i) for i, (name, shape) in enumerate(shapes.items())}


def write_bert(folder, tensors=None, **changes):
    """model.safetensors, config.json and tokenizer.json."""
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    config = {"model_type": "bert", "hidden_act": "gelu", "vocab_size": len(WORDS), "hidden_size": D}
    config |= {"num_attention_heads": HEADS, "intermediate_size": D_FF, "num_hidden_layers": LAYERS}
    config |= {"max_position_embeddings": 32, "layer_norm_eps": 1e-9} | changes
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    save_file(bert_tensors() if tensors is None else tensors, folder / "model.safetensors")
    ids = {word: i for i, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_padding(length=9)  # as the real file does
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def letters():
    """The letter that stands for each byte, as byte-level tokenizers write it."""
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def llama_tensors(vocab_size):
    """Every array of a Llama under the names of its file, matrices (d_out, d_in). Widths are multiples of 32."""
    shapes = {"token_embd": (vocab_size, WIDE), "output_norm": (WIDE,)}
    widths = {"attn_q": (WIDE, WIDE), "attn_k": (D_KV, WIDE), "attn_v": (D_KV, WIDE), "attn_output": (WIDE, WIDE)}
    widths |= {"ffn_gate": (96, WIDE), "ffn_up": (96, WIDE), "ffn_down": (WIDE, 96)}
    widths |= {"attn_norm": (WIDE,), "ffn_norm": (WIDE,)}
    shapes |= {f"blk.{i}.{name}": shape for i in range(LAYERS) for name, shape in widths.items()}
    return {name: numbers(*shape, seed=i) for i, (name, shape) in enumerate(shapes.items())}


def write_llama(path, architecture="llama", pre="smollm", without=()):
    """A GGUF file: tables in 8 bits, matrices in 4, gains in 32, as in the real one."""
    import gguf

    tokens = [*CONTROLS, *letters(), "th", "the", "Ġthe", "12"]
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(64)
    writer.add_embedding_length(WIDE)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(96)
    writer.add_head_count(8)
    writer.add_head_count_kv(2)
    writer.add_rope_freq_base(5000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types([3] * len(CONTROLS) + [1] * (len(tokens) - len(CONTROLS)))
    writer.add_token_merges(["t h", "th e", "Ġ the", "1 2"])
    writer.add_eos_token_id(2)
    for name, array in llama_tensors(len(tokens)).items():
        kind = {"token_embd": "Q8_0"}.get(name, "Q4_1" if array.ndim == 2 else "F32")
        if name not in without:
            packed = gguf.quantize(array, gguf.GGMLQuantizationType[kind])
            writer.add_tensor(f"{name}.weight", packed, raw_dtype=gguf.GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
