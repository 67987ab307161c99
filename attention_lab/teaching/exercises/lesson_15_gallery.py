"""Lesson 15: for its gallery, what goes wrong around long documents: faults that no exercise asks for."""

import numpy as np


def faulty_share(model, ids, mask):
    x = model.positions(model.embed(ids))  # (documents, sentences, words, d_model)
    x, _ = model.encoder(x, mask[..., None, None, :])  # mask: nobody reads a pad
    sentences, _ = model.word_pool(x, mask)  # mask: nor is it pooled
    document, share = model.sentence_pool(model.norm(sentences))  # mix: (documents, d_model)
    return model.head(document), share


def faulty_cut(ids, mask, most=512):
    flat = mask.reshape(len(mask), -1)
    fits = (flat.cumsum(axis=-1) <= most).reshape(mask.shape)
    return np.where(fits, ids, 0), mask & fits
