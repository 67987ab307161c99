"""attention_lab: attention and transformers, stated in NumPy and taught in notebooks."""

from importlib import import_module

from attention_lab import operations  # noqa: F401  gives a Tensor its operators
from attention_lab.analysis import (
    attention_entropy,
    attention_sparsity,
    effective_keys,
    head_summary,
    query_key_similarity,
)
from attention_lab.attention import log_softmax, scaled_dot_product_attention, softmax
from attention_lab.autodiff import Tensor, differentiable
from attention_lab.blocks import Decoder, DecoderBlock, Encoder, EncoderBlock
from attention_lab.generation import beam_search, generate, next_probabilities, sample
from attention_lab.gradients import parameters, value_and_grad
from attention_lab.hybrids import GRU, AdditiveAttention, RecurrentSeq2Seq
from attention_lab.kv_cache import KVCache
from attention_lab.layers import Embedding, FeedForward, LayerNorm, Linear, RMSNorm
from attention_lab.losses import cross_entropy
from attention_lab.masks import causal_mask, combine_masks, padding_mask, prefix_mask, sliding_window_mask
from attention_lab.models import LanguageModel, TextClassifier
from attention_lab.multi_head import MultiHeadAttention
from attention_lab.optimisers import SGD, Adam, clip_gradients, warmup_cosine
from attention_lab.pooling import AttentionPooling, masked_mean
from attention_lab.position_bias import RelativePositionBias, alibi_bias, alibi_slopes, relative_position_bucket
from attention_lab.positions import LearnedPositions, positional_encoding, rotary_embedding
from attention_lab.seq2seq import Seq2Seq
from attention_lab.training import fit
from attention_lab.weights import load_weights, save_weights

__version__ = "0.1.0"

# What a lesson shows and asks: loaded on first use, so that the mathematics costs no more than NumPy.
_TEACHING = {
    "heatmap": "plots",
    "head_grid": "plots",
    "pipeline": "plots",
    "curves": "plot_curves",
    "diagram": "diagram",
    "Explorer": "explorer",
    "explore_attention": "explore",
    "predict": "predict",
    "recall": "predict",
    "closing": "predict",
    "because": "predict",
    "check": "exercises",
    "hint": "exercises",
    "solution": "exercises",
    "order": "exercises",
    "show_source": "exercises",
    "stream": "stream",
    "check_environment": "environment",
}

__all__ = [
    "Adam",
    "SGD",
    "clip_gradients",
    "fit",
    "load_weights",
    "save_weights",
    "warmup_cosine",
    "KVCache",
    "LanguageModel",
    "TextClassifier",
    "AttentionPooling",
    "masked_mean",
    "AdditiveAttention",
    "GRU",
    "RecurrentSeq2Seq",
    "Seq2Seq",
    "beam_search",
    "generate",
    "next_probabilities",
    "sample",
    "Decoder",
    "DecoderBlock",
    "Embedding",
    "Encoder",
    "EncoderBlock",
    "FeedForward",
    "LayerNorm",
    "LearnedPositions",
    "Linear",
    "MultiHeadAttention",
    "RMSNorm",
    "RelativePositionBias",
    "alibi_bias",
    "alibi_slopes",
    "attention_entropy",
    "attention_sparsity",
    "causal_mask",
    "combine_masks",
    "effective_keys",
    "head_summary",
    "log_softmax",
    "padding_mask",
    "cross_entropy",
    "differentiable",
    "parameters",
    "value_and_grad",
    "Tensor",
    "positional_encoding",
    "prefix_mask",
    "query_key_similarity",
    "relative_position_bucket",
    "rotary_embedding",
    "scaled_dot_product_attention",
    "sliding_window_mask",
    "softmax",
    *_TEACHING,
]


def __getattr__(name):
    if name not in _TEACHING:
        raise AttributeError(f"module 'attention_lab' has no attribute {name!r}")
    return getattr(import_module(f"attention_lab.teaching.{_TEACHING[name]}"), name)


def __dir__():
    return sorted([*globals(), *_TEACHING])
