"""Questions of lesson 10, second half: how the next letter is drawn, and what a perplexity averages."""

import numpy as np

from attention_lab import LanguageModel, generate, next_probabilities
from attention_lab.metrics import perplexity
from attention_lab.teaching.questions.question import question


@question(
    "temperature-and-cuts",
    lesson="10",
    source="Q102",
    text="The logits are [4, 3, 2, 1, 0]. Top-k keeps the 3 likeliest tokens; top-p keeps the fewest that together "
    "reach 0.9. Now the temperature rises from 0.5 to 2. How many tokens do the two keep?",
    options={
        "both as many as before": "The order of the tokens does stay, and the likeliest one with it. But top-p counts "
        "probability, and a flatter distribution needs more tokens to reach 0.9: 4, not 2.",
        "top-k as many, top-p more": "Top-k counts tokens: 3 at any temperature. Top-p counts probability: 2 tokens "
        "reach 0.9 at 0.5, and 4 are needed at 2. The likeliest token is the same.",
        "both more": "Higher temperature does let in more, but only where probability is counted. Top-k counts "
        "tokens, and k is 3 throughout.",
    },
)
def temperature_and_cuts():
    logits, kept = [4.0, 3, 2, 1, 0], []
    for cut in ({"top_k": 3}, {"top_p": 0.9}):
        cold, hot = ((next_probabilities(logits, temperature=t, **cut) > 0).sum() for t in (0.5, 2))
        kept.append(bool(hot > cold))
    if kept == [False, True]:
        return "top-k as many, top-p more"
    return "both more" if all(kept) else "both as many as before"


@question(
    "top-p-crossing",
    lesson="10",
    source="lesson",
    text="Four tokens have the probabilities 0.5, 0.3, 0.15 and 0.05. How many of them can be drawn with top-p at 0.6?",
    options={
        "1": "0.5 is below 0.6, so the set does not reach it yet. Top-p takes tokens until their sum does.",
        "2": "0.5 is not enough, and 0.5 + 0.3 = 0.8 is: the token that crosses stays. After that the two share the "
        "whole, 0.625 and 0.375.",
        "3": "0.8 has reached 0.6 already, and a third token is not needed. It would come in with top-p above 0.8.",
    },
)
def top_p_crossing():
    chances = next_probabilities(np.log([0.5, 0.3, 0.15, 0.05]), top_p=0.6)
    return str((chances > 0).sum())


@question(
    "greedy-circle",
    lesson="10",
    source="Q103",
    text="A model looks at one letter only, and knows for each of 26 letters how likely each one is to follow. There "
    "is no end sign. It writes 100 letters greedily, always the likeliest. What does the text look like?",
    options={
        "it runs in a circle": "After 26 letters at most, one comes a second time, and what followed it follows "
        "again. No fault of the model: drawing breaks the circle, at the price of noise.",
        "as varied as names are": "The table may be as rich as it likes; greedy uses one entry a row. The "
        "likeliest steps do not make a likely text: real names take unlikely turns.",
        "it uses all letters alike": "Each letter has a likeliest one after it, but nothing sends the text through all "
        "of them. It falls into a small circle, often of a few letters.",
    },
)
def greedy_circle():
    table = np.random.default_rng(0).normal(size=(26, 26))

    class OneLetter(LanguageModel):  # what may follow hangs on the last letter alone
        def __call__(self, ids, caches=None):
            return table[ids], []

    model = OneLetter(26, 2, 1, 2, num_layers=1, max_len=101)
    text = list(generate(model, [0], 100, temperature=0, cache=False))
    if any(text[-52:-period] == text[-52 + period :] for period in range(1, 26)):
        return "it runs in a circle"
    return "it uses all letters alike" if np.bincount(text).max() <= 5 else "as varied as names are"


@question(
    "because-perplexity",
    lesson="10",
    source="exercise",
    text="`perplexity` takes one mean over all tokens and then exp, instead of a perplexity for each sentence and a "
    "mean of those, because …",
    options={
        "cutting the text plays no part": "Cut the same tokens into other sentences, and one mean over all stays. A "
        "mean of perplexities changes: a single hard, short sentence can outweigh the rest.",
        "the two are the same anyway": "Only if all sentences are equally hard. Two tokens of ln 50 nats and eight of "
        "ln 2 make 3.8 taken together, and 26 as the mean of 50 and 2.",
        "exp of a sentence overflows": "It is the mean of a sentence's nats that goes through exp, and ln 50 gives 50. "
        "Long sentences do no harm.",
    },
)
def because_perplexity():
    nats = np.log(np.repeat([50.0, 2.0], [2, 8]))
    cuts = [np.split(nats, [2]), np.split(nats, [5])]  # sentences of 2 and 8 tokens, or of 5 and 5
    of_sentences = [np.mean([perplexity(sentence) for sentence in sentences]) for sentences in cuts]
    together = [perplexity(np.concatenate(sentences)) for sentences in cuts]
    if not np.isfinite(of_sentences).all():
        return "exp of a sentence overflows"
    if np.allclose(of_sentences, together):
        return "the two are the same anyway"
    kept = np.isclose(*together) and not np.isclose(*of_sentences)
    return "cutting the text plays no part" if kept else "no reason at all"


@question(
    "because-top_p",
    lesson="10",
    source="exercise",
    text="In `top_p` the token with which the sum passes p is kept, because …",
    options={
        "else there may be nothing left": "With probabilities 0.95 and 0.05 and p = 0.9 the very first token passes p. "
        "Cut it off and nothing can be drawn; kept, it is the only one.",
        "what is kept then sums to p": "It sums to p or more, 0.8 with 0.5, 0.3 and p = 0.6. What is kept is divided "
        "by its sum in any case, and sums to 1.",
        "equal tokens then stay together": "With 0.4, 0.3, 0.3 and p = 0.6 the second token passes p. The third is as "
        "likely, and is cut: of equal tokens the one with the lower id stays.",
    },
)
def because_top_p():
    spread, sharp = np.array([0.5, 0.3, 0.2]), np.array([0.95, 0.05])
    kept = next_probabilities(np.log(spread), top_p=0.6) > 0
    if np.isclose(spread[kept].sum(), 0.6):
        return "what is kept then sums to p"
    if (next_probabilities(np.log([0.4, 0.3, 0.3]), top_p=0.6) > 0).all():
        return "equal tokens then stay together"
    emptied = not (sharp.cumsum() <= 0.9).any()
    saved = (next_probabilities(np.log(sharp), top_p=0.9) > 0).tolist() == [True, False]
    return "else there may be nothing left" if emptied and saved else "no reason at all"
