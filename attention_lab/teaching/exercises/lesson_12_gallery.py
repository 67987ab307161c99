"""Lesson 12: for its gallery, what goes wrong between an encoder and a decoder."""

import numpy as np


def faulty_b12(target, source, W_q, W_k, W_v):
    query = np.dot(target, W_q)  # (batch, n_t, d): the decoder asks
    key, value = np.dot(source, W_k), np.dot(source, W_v)  # (batch, n_s, d): the encoder answers
    scores = np.dot(query, key.swapaxes(-1, -2)) / np.sqrt(key.shape[-1])  # score, scale
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)  # normalise
    return np.dot(weights, value), weights  # mix


def faulty_raw_memory(model, source, target, source_mask):
    memory = model.place_source(model.embed_source(source))  # (batch, n_s, d_model)
    logits, _, read = model.decode(target, memory, source_mask)
    return logits, read[-1]  # (batch, n_t, target_size), (batch, heads, n_t, n_s)


def faulty_causal_memory(model, source, target, source_mask):
    memory, _ = model.encode(source, source_mask)  # (batch, n_s, d_model)
    x = model.place_target(model.embed_target(target))  # (batch, n_t, d_model)
    past = np.tri(target.shape[-1], source.shape[-1], dtype=bool)  # (n_t, n_s)
    x, _, read = model.decoder(x, memory, memory_mask=past & source_mask[:, None, None, :])
    return model.head(x), read[-1]  # (batch, n_t, target_size), (batch, heads, n_t, n_s)


def faulty_unmasked_memory(model, source, target, source_mask):
    memory, _ = model.encode(source, source_mask)  # (batch, n_s, d_model)
    logits, _, read = model.decode(target, memory)
    return logits, read[-1]  # (batch, n_t, target_size), (batch, heads, n_t, n_s)


def faulty_unshifted(ids, mask):
    inputs = ids[:, :-1]  # a start, then the tokens
    targets = np.where(mask[:, :-1], ids[:, :-1], -1)  # -1: nothing is to be said there
    return inputs, targets
