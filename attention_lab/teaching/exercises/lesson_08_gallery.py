"""Lesson 08: for its gallery, weights to start from that no exercise asks for."""


def faulty_init(rng, d_model):
    W_q = rng.normal(size=(d_model, d_model))  # project
    W_k = rng.normal(size=(d_model, d_model))
    W_v = rng.normal(size=(d_model, d_model))
    return W_q, W_k, W_v
