"""Lesson 10: how much a text surprises a model, as a number of equally likely tokens."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def perplexity(nats, mask):
    real = nats[mask]  # mask: (tokens,), those of all sentences in one row
    mean = real.mean()  # normalise: nats a token
    return np.exp(mean)


@diagnosed(
    "You take the perplexity of each sentence, then their mean: one short bad sentence outweighs a long good one. "
    "Take the mean of nats over all real tokens first, and `exp` once, at the end."
)
def faulty_perplexity_of_sentences(nats, mask):
    return np.mean([np.exp(row[real].mean()) for row, real in zip(nats, mask)])


@diagnosed(
    "You take the mean of each sentence, then the mean of these: a token of a short sentence counts more than one of a "
    "long sentence. Take one mean over all real tokens: `nats[mask].mean()`."
)
def faulty_perplexity_mean_of_means(nats, mask):
    return np.exp(np.mean([row[real].mean() for row, real in zip(nats, mask)]))


@diagnosed("You raise 2, which belongs to bits. These are nats, of the natural logarithm: its inverse is `np.exp`.")
def faulty_perplexity_of_bits(nats, mask):
    return 2 ** nats[mask].mean()


@diagnosed(
    "Pads count in your mean, and what stands there says nothing of the model. "
    "Take the real tokens alone: `nats[mask]`."
)
def faulty_perplexity_counts_pads(nats, mask):
    return np.exp(nats.mean())


@diagnosed(
    "Pads count as tokens that surprise nobody: 0 in the sum, but one more below the line, which flatters the model. "
    "Divide by the number of real tokens, `mask.sum()`."
)
def faulty_perplexity_easy_pads(nats, mask):
    return np.exp(np.where(mask, nats, 0).mean())


@diagnosed(
    "You take `exp` of the sum, which grows with the text. Perplexity is per token: divide the sum by `mask.sum()` "
    "first."
)
def faulty_perplexity_of_sum(nats, mask):
    return np.exp(nats[mask].sum())


@diagnosed(
    "You take `exp` of each token, then the mean: one rare word decides it all. "
    "Take the mean of the nats first, and `exp` of that."
)
def faulty_perplexity_mean_of_exp(nats, mask):
    return np.exp(nats[mask]).mean()


@diagnosed(
    "You divide by the number of sentences, so longer sentences look worse. "
    "Divide by the number of real tokens: `real.size`, or `mask.sum()`."
)
def faulty_perplexity_by_sentence(nats, mask):
    real = nats[mask]
    mean = real.sum() / len(nats)  # normalise: nats a token
    return np.exp(mean)


@diagnosed(
    "The `exp` is missing: you return the mean of the nats, which is the loss. Perplexity is `exp` of it: among how "
    "many equally likely tokens the model was in doubt."
)
def faulty_perplexity_no_exp(nats, mask):
    return nats[mask].mean()


@diagnosed(
    "The sign is turned round: nats are minus the logarithm already, so a perplexity is at least 1. "
    "Take `np.exp(mean)`, without a minus."
)
def faulty_perplexity_sign(nats, mask):
    return np.exp(-nats[mask].mean())


@diagnosed(
    "You multiply the probabilities of all tokens, and the product of a few hundred is too small for any float: 0. "
    "Stay with logarithms: the mean of the nats, then `exp`."
)
def faulty_perplexity_product(nats, mask):
    return np.prod(np.exp(-nats[mask])) ** (-1 / mask.sum())


@diagnosed("The mask is turned round: you measure the padding. True marks a real token: `nats[mask]`.")
def faulty_perplexity_inverted(nats, mask):
    return np.exp(nats[~mask].mean())


def _cases():
    rng = np.random.default_rng(24)

    def draw(batch, n, on_pads, scale=2.0):
        """Nats of sentences from short to long; whatever stands on the pads."""
        mask = np.arange(n) < rng.integers(1, n, size=(batch, 1))
        mask[0] = True
        return np.where(mask, rng.gamma(2, scale / 2, size=(batch, n)), on_pads), mask

    nats, mask = draw(5, 13, 3.3)
    uneven = np.zeros((2, 7), bool)
    uneven[0, :1] = uneven[1] = True  # a short sentence that went badly and a long one that went well
    return [
        draw(3, 5, 7.0),
        (np.where(uneven, [[6.0], [0.5]], 0), uneven),
        (np.full((2, 11), np.log(27)), np.ones((2, 11), bool)),  # a guess among 27 symbols
        (nats.astype(np.float32), mask),
        (rng.gamma(2, 1, size=(3, 7)), rng.random((3, 7)) < 0.6),
        draw(11, 211, 0.0),
    ]


EXERCISES = [
    Exercise(
        task="Write perplexity(nats, mask): of nats (batch, n), the -ln p of each token, `exp` of the mean over all "
        "real tokens of the batch, those with mask True.",
        reference=perplexity,
        cases=_cases(),
        faults=[
            faulty_perplexity_of_sentences,
            faulty_perplexity_mean_of_means,
            faulty_perplexity_of_bits,
            faulty_perplexity_counts_pads,
            faulty_perplexity_easy_pads,
            faulty_perplexity_of_sum,
            faulty_perplexity_mean_of_exp,
            faulty_perplexity_by_sentence,
            faulty_perplexity_no_exp,
            faulty_perplexity_sign,
            faulty_perplexity_product,
            faulty_perplexity_inverted,
        ],
        hints=(
            "A model that guesses among 27 symbols has ln 27 nats at each token. Which number should come out?",
            "Three steps, in this order: the real tokens of all sentences, the mean of their nats, `exp` of that.",
            "`nats[mask]` is one row of the real tokens; `.mean()` of it, then `np.exp`.",
        ),
        key="# normalise",
        distractor=faulty_perplexity_by_sentence,
        learned="a guess among 27 symbols gives 27, and no token counts more for the length of its sentence.",
        returns=("perplexity",),
    ),
]
