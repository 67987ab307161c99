"""Mistakes that learners make in the exercises of lesson 20, beside those of the bank."""

import numpy as np

from attention_lab.functional import rms_norm
from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("induction_score", "You look at the same token, one round before")
def reads_the_match(weights, period):
    maps = np.stack(weights)
    return np.diagonal(maps, -period, axis1=-2, axis2=-1)[..., -period:].mean(-1)


@wrong("induction_score", "changes its input `weights`")
def clears_the_list(weights, period):
    scores = REFERENCE["induction_score"](weights, period)
    for layer in weights:
        layer[:] = 0
    return scores


@wrong("induction_score", "`scores` has shape (3,) and should have (2, 3)", never="A known cause")
def one_layer_alone(weights, period):
    return REFERENCE["induction_score"](weights, period)[0]


@wrong("previous_token_head", "Your head looks at the token itself")
def by_the_diagonal(weights):
    scores = np.trace(np.stack(weights), axis1=-2, axis2=-1)
    return np.unravel_index(scores.argmax(), scores.shape)


@wrong("previous_token_head", "There is no head (40, 7)")
def beyond_the_last(weights):
    return 40, 7


@wrong("previous_token_head", "gives 0.", "to the token before", "There is one that gives")
def the_first_of_all(weights):
    return 0, 0


@wrong("previous_token_head", "gives 0.", "to the token before, on average over the rows")
def by_the_last_row(weights):
    scores = np.stack(weights)[:, :, -1, -2]
    return np.unravel_index(scores.argmax(), scores.shape)


@wrong("logit_lens", "Your eps is another one")
def with_the_default_eps(streams, gain, table):
    return rms_norm(streams, gain) @ table.T


@wrong("logit_lens", "You add no eps")
def without_eps(streams, gain, table):
    return gain * streams / np.sqrt(np.mean(streams**2, axis=-1, keepdims=True)) @ table.T


@wrong("logit_lens", "You leave out the gain")
def with_the_root_alone(streams, gain, table):
    return streams / np.sqrt(np.mean(streams**2, axis=-1, keepdims=True) + 1e-5) @ table.T


@wrong("logit_lens", "`logits`", never="A known cause")
def names_the_rank(streams, gain, table):
    return np.sort(REFERENCE["logit_lens"](streams, gain, table))


@wrong("logit_lens", "stops with ValueError")
def forgets_to_turn_the_table(streams, gain, table):
    return gain * streams @ table
