"""What linear, Performer and Linformer attention refuse, and in which words."""

import numpy as np
import pytest

import attention_lab as lab
from tests.oracle import random_inputs
from tests.test_kernel_attention import performer

Q, K, V = random_inputs()  # (2, 3, 5, 11), (2, 3, 7, 11), (2, 3, 7, 13)
NAN = np.where(np.arange(11) == 3, np.nan, K)
REFUSED = {
    "last axes": (lambda: lab.linear_attention(Q, K[..., :3], V), "key has d_k=3 but query has d_k=11"),
    "lengths": (lambda: performer(Q, K, V[:, :, :3]), "value has 3 rows but key has 7"),
    "a mask of scores": (lambda: lab.linear_attention(Q, K, V, np.ones((5, 7), bool)), "differs from query to query"),
    "a mask that does not fit": (lambda: lab.linear_attention(Q, K, V, np.ones(5, bool)), "mask of shape .5,. does"),
    "a mask with more axes": (lambda: lab.linear_attention(Q[0], K[0], V[0], lab.padding_mask([7, 7])), "write mask"),
    "NaN": (lambda: lab.linear_attention(Q, NAN, V), "key holds NaN or inf"),
    "inf": (lambda: performer(Q, K, V + np.inf), "value holds NaN or inf"),
    "overflow": (lambda: lab.linear_attention(*(x.astype(np.float32) + 3e38 for x in (Q, K, V))), "overflow float32"),
    "no features": (lambda: performer(Q, K, V, 0), "num_features must be at least 1, got 0"),
    "a projection's length": (
        lambda: lab.linformer_attention(Q, K, V, np.eye(5), np.eye(7)),
        "project_k has 5.*n_k=7",
    ),
    "of the values": (lambda: lab.linformer_attention(Q, K, V, np.eye(7), np.eye(5)), "project_v has 5 f.*n_k=7"),
    "other numbers of mixtures": (
        lambda: lab.linformer_attention(Q, K, V, np.ones((3, 7)), np.ones((2, 7))),
        "project_v makes 2 rows but project_k makes 3",
    ),
    "a projection a head": (lambda: lab.linformer_attention(Q, K, V, np.ones((3, 2, 7)), np.eye(7)), r"\(r, n_k\)"),
    "a projection to nothing": (lambda: lab.linformer_attention(Q, K, V, np.ones((0, 7)), np.eye(7)), "at least one"),
    "a key without rows": (
        lambda: lab.linformer_attention(Q, [1.0], V, np.eye(1), np.eye(7)),
        "key must have at least",
    ),
}
MISTAKEN = {
    "a bias": (lambda: lab.linear_attention(Q, K, V, np.zeros(7)), "mask must be boolean or 0/1 integers"),
    "a causal number": (lambda: lab.linear_attention(Q, K, V, is_causal=1), "is_causal must be True or False"),
    "a seed": (lambda: lab.performer_attention(Q, K, V, num_features=3, rng=0), "numpy.random.Generator"),
    "half a feature": (lambda: performer(Q, K, V, 1.5), "num_features must be a whole number"),
    "words": (lambda: lab.linformer_attention(Q, [["a"]], V, np.eye(1), np.eye(7)), "key must hold real numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_values_that_make_no_sense(name):
    call, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("name", MISTAKEN)
def test_kinds_that_make_no_sense(name):
    call, words = MISTAKEN[name]
    with pytest.raises(TypeError, match=words):
        call()
