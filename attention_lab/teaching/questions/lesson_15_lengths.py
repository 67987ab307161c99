"""Questions of lesson 15, second half: what length costs, and what it dilutes."""

import numpy as np

from attention_lab import AttentionPooling, Encoder, masked_mean
from attention_lab.teaching.exercises.lesson_15_arrays import pad_documents
from attention_lab.teaching.questions.question import question


@question(
    "scores-of-two-levels",
    lesson="15",
    source="lesson",
    text="A document has 40 sentences of 10 words. Read as one text, every word scores every word. Read sentence by "
    "sentence, each word scores the words of its own sentence. How many times fewer scores is that?",
    options={
        "40 times": "400 · 400 against 40 · 10 · 10: as many times fewer as there are sentences. What is given up: no "
        "word sees another sentence.",
        "10 times": "10 is the length of a sentence. Each of the 400 words scores 10 instead of 400: the factor is the "
        "number of sentences.",
        "1,600 times": "The square of 40. Each sentence costs 1,600 times less than the whole text, but there are 40 "
        "of them.",
    },
)
def scores_of_two_levels():
    encoder, x = Encoder(1, 4, 1, 4, rng=np.random.default_rng(0)), np.ones((40, 10, 4))
    _, (apart,) = encoder(x)
    _, (together,) = encoder(x.reshape(400, 4))
    return f"{together.size // apart.size:,} times"


@question(
    "one-of-sixty",
    lesson="15",
    source="lesson",
    text="A mean over sentences has learned from documents of 15 sentences; now it reads one of 60. The sentence that "
    "decides is the same. How much of it is in the document's vector, compared with before?",
    options={
        "a quarter": "1/60 instead of 1/15. What the model has learned to call enough is not reached, although the "
        "sentence is there. A pool that finds the sentence loses less.",
        "as much": "It is the same sentence with the same vector. But the mean divides by the number of sentences, and "
        "that has grown.",
        "half": "A length of independent noise shrinks like that, with the root of the number. One single sentence "
        "shrinks with the number itself.",
    },
)
def one_of_sixty():
    short, long = (masked_mean(np.eye(n))[0] for n in (15, 60))
    return {0.25: "a quarter", 1.0: "as much", 0.5: "half"}[round(long / short, 6)]


@question(
    "score-for-half",
    lesson="15",
    source="lesson",
    text="One sentence of a document scores higher than all others, which score the same, and has just half of the "
    "weight. The document grows from 15 to 113 sentences, 8 times as many others. By how much must its lead grow to "
    "keep half?",
    options={
        "8 times the lead": "It is the weight against all others that must grow 8 times. The score stands in an "
        "exponent, so there it is a sum.",
        "by ln 8, about 2": "14 others need a lead of ln 14 = 2.6, and 112 need ln 112 = 4.7. Softmax attention "
        "dilutes as well, but slowly: the lead needed grows with the logarithm.",
        "not at all": "With the same lead the weight falls to 1/9: eight times as many others take their part.",
    },
)
def score_for_half():
    def half(n, lead):
        pool = AttentionPooling(1, dtype=np.float64)
        pool.query[:] = lead
        _, weights = pool(np.eye(n)[:, :1])
        return np.isclose(weights[0], 0.5)

    before = np.log(14)
    if half(113, before):
        return "not at all"
    return "by ln 8, about 2" if half(15, before) and half(113, before + np.log(8)) else "8 times the lead"


@question(
    "beyond-the-cut",
    lesson="15",
    source="lesson",
    text="Documents of 800 words are cut after 512. The sentence that decides may stand anywhere. In which share of "
    "them is it gone, and what does the model see of that?",
    options={
        "36 %, and nothing": "288 of 800 words are cut off. What is left is a complete text to the model: no score, no "
        "weight and no error tells that the answer stood further on.",
        "36 %, its weights turn flat": "The share is right. But a model that looks for one sentence gives its weight "
        "to what is there: softmax sums to one over anything.",
        "64 %, and nothing": "64 % is what is kept: 512 of 800 words. The rest is lost.",
    },
)
def beyond_the_cut():
    gone = np.mean(np.arange(800) >= 512)
    pool = AttentionPooling(4, dtype=np.float64)
    pool.query[:] = 1
    _, weights = pool(np.random.default_rng(0).normal(size=(512, 4)))
    told = not np.isclose(weights.sum(), 1)  # does less weight say that something is missing?
    return f"{gone:.0%}".replace("%", " %") + (", its weights turn flat" if told else ", and nothing")


@question(
    "because-pad_documents",
    lesson="15",
    source="exercise",
    text="`pad_documents` makes one mask, of the words, and none of the sentences, because …",
    options={
        "it follows from the words": "A sentence is real if one of its words is: `mask.any(axis=-1)`. One array cannot "
        "disagree with itself; two could.",
        "padded sentences need none": "They do: without a mask each of them takes weight on the second level. But this "
        "mask can be had from that of the words.",
        "documents are equally long": "They are not: the shorter ones end with whole sentences of pads. What tells "
        "them is in the mask of the words.",
    },
)
def because_pad_documents():
    texts = [[[1, 2], [3]], [[4]], [[5], [6], [7, 8, 9]]]
    _, mask = pad_documents(texts, 0)
    lengths = [len(text) for text in texts]
    if len(set(lengths)) == 1:
        return "documents are equally long"
    return "it follows from the words" if mask.any(-1).sum(-1).tolist() == lengths else "padded sentences need none"
