"""attention_lab: attention and transformers, stated in NumPy and taught in notebooks."""

from importlib import import_module

from attention_lab import operations  # gives a Tensor its operators
from attention_lab.analysis import (
    attention_entropy,
    attention_rollout,
    attention_sparsity,
    effective_keys,
    head_summary,
    query_key_similarity,
)
from attention_lab.attention import log_softmax, scaled_dot_product_attention, softmax
from attention_lab.autodiff import Tensor, differentiable
from attention_lab.blocks import Decoder, DecoderBlock, Encoder, EncoderBlock
from attention_lab.efficient import blockwise_attention
from attention_lab.generation import beam_search, generate, next_probabilities, sample
from attention_lab.gradients import checkpoint, parameters, value_and_grad
from attention_lab.hybrids import GRU, AdditiveAttention, GraphAttention, RecurrentSeq2Seq
from attention_lab.kernel_attention import linear_attention, linformer_attention, performer_attention
from attention_lab.kv_cache import KVCache
from attention_lab.layers import Embedding, FeedForward, LayerNorm, Linear, RMSNorm
from attention_lab.losses import cross_entropy
from attention_lab.masks import causal_mask, combine_masks, padding_mask, prefix_mask, sliding_window_mask
from attention_lab.models import LanguageModel, TextClassifier
from attention_lab.multi_head import MultiHeadAttention
from attention_lab.online import online_softmax
from attention_lab.optimisers import SGD, Adam, clip_gradients, warmup_cosine
from attention_lab.pooling import AttentionPooling, masked_mean
from attention_lab.position_bias import RelativePositionBias, alibi_bias, alibi_slopes, relative_position_bucket
from attention_lab.positions import LearnedPositions, positional_encoding, rotary_embedding
from attention_lab.runs.weights import load_weights, save_weights
from attention_lab.seq2seq import Seq2Seq
from attention_lab.sparse_masks import (
    big_bird_mask,
    block_mask,
    dilated_mask,
    global_mask,
    longformer_mask,
    random_mask,
)
from attention_lab.training import fit

__version__ = "0.1.0"

# What a lesson shows and asks: loaded on first use, so that the mathematics costs no more than NumPy.
_TEACHING = {
    name: module
    for module, names in {
        "plots": ("heatmap", "head_grid", "pipeline"),
        "plot_curves": ("curves",),
        "diagram": ("diagram",),
        "explorer": ("Explorer",),
        "explore": ("explore_attention",),
        "predict": ("predict", "recall", "closing", "because"),
        "self_test": ("self_test",),
        "slides": ("slides",),
        "question_index": ("question_index",),
        "record": ("record",),
        "exercises": ("check", "hint", "solution", "order", "show_source"),
        "stream": ("stream",),
        "environment": ("check_environment",),
    }.items()
    for name in names
}

# Every function and class above, and what is loaded on first use.
_OURS = [name for name, value in vars().items() if getattr(value, "__module__", "").startswith(__name__)]
__all__ = [*_OURS, *_TEACHING]


def __getattr__(name):
    if name not in _TEACHING:
        raise AttributeError(f"module 'attention_lab' has no attribute {name!r}")
    return getattr(import_module(f"attention_lab.teaching.{_TEACHING[name]}"), name)


def __dir__():
    return sorted([*globals(), *_TEACHING])
