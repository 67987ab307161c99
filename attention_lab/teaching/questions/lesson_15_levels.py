"""Questions of lesson 15, first half: what two levels of attention weigh, and what they do not see."""

from collections import Counter

import numpy as np

from attention_lab import AttentionPooling, masked_mean, softmax
from attention_lab.data.documents import documents
from attention_lab.tasks.documents import HierarchicalClassifier
from attention_lab.teaching.questions.question import question


@question(
    "same-words-three-answers",
    lesson="15",
    source="lesson",
    text="Each document comes in three versions, one a class: the same words, each as often, in other places. A "
    "classifier is trained on the counts of a document's words, on thousands of such documents. How often is it right "
    "on new ones?",
    options={
        "a third of the time": "It sees the same counts three times, says the same three times, and is right once. No "
        "training changes that: what decides is not in the counts.",
        "about two thirds": "That would need one version to be told from the other two. Their counts are equal, all of "
        "them.",
        "nearly always": "Thousands of documents teach it which words are frequent. But it must say the same of three "
        "documents that have three answers.",
    },
)
def same_words_three_answers():
    bags = [frozenset(Counter(" ".join(d.sentences).split()).items()) for d in documents("test")]
    seen = {}
    for bag, document in zip(bags, documents("test"), strict=True):
        seen.setdefault(bag, []).append(document.label)
    best = sum(max(Counter(labels).values()) for labels in seen.values()) / len(bags)  # whatever is said of each bag
    return "a third of the time" if best < 0.34 else "about two thirds" if best < 0.8 else "nearly always"


@question(
    "weight-in-the-document",
    lesson="15",
    source="lesson",
    text="A word has weight 0.6 in its sentence, and the sentence has weight 0.3 in the document. Both levels mix by "
    "weight, and nothing stands between them. With which weight is the word's vector in the document's?",
    options={
        "0.18": "The sentence's vector holds 0.6 of the word, and the document's 0.3 of the sentence: the levels "
        "multiply. Over all words of the document these products sum to one.",
        "0.45": "The mean of the two looks fair. But a word of a sentence with weight 0 would then still count.",
        "0.90": "A sum can pass 1, and weights of a mixture cannot. What is mixed twice is multiplied twice.",
    },
)
def weight_in_the_document():
    word, sentence = AttentionPooling(2, dtype=np.float64), AttentionPooling(1, dtype=np.float64)
    word.query[:], sentence.query[:] = [np.log(1.5) * 2**0.5, 0], [np.log(3 / 7)]
    vector, _ = word([[1.0, 0.0], [0.0, 1.0]])  # 0.6 of the first word
    first, _ = sentence([[1.0], [0.0]])  # 0.3 of the first sentence
    return f"{vector[0] * first[0]:.2f}"


@question(
    "short-beside-long",
    lesson="15",
    source="lesson",
    text="A document has a sentence of 3 words and one of 12. Neither level prefers anything yet: all weights are "
    "equal within a sentence, and both sentences count alike. What does a word of the long one count, beside a word "
    "of the short one?",
    options={
        "as much": "That is the mean over all 15 words, one level. On two levels a sentence has a whole to share out, "
        "however many words it has.",
        "a quarter as much": "1/3 and 1/12 within their sentences, half of each in the document. In a long sentence "
        "each word is diluted; attention has to win back what length takes.",
        "four times as much": "The long sentence has more words, but not more weight: what it has is shared by more of "
        "them.",
    },
)
def short_beside_long():
    words = np.eye(15)
    short, long = masked_mean(words[:3]), masked_mean(words[3:])
    document = masked_mean(np.stack([short, long]))
    names = {1.0: "as much", 0.25: "a quarter as much", 4.0: "four times as much"}
    return names[round(document[-1] / document[0], 6)]


@question(
    "sentences-shuffled",
    lesson="15",
    source="lesson",
    text="The model reads each sentence with positions of its words. The sentences' vectors have no positions, and one "
    "query pools them. You shuffle the sentences of a document. What happens to its logits?",
    options={
        "they stay": "A pool over a set does not see order: the weights go along with their sentences, and the mixture "
        "is the same. If order matters (the last vote counts), sentences need positions too.",
        "they change": "Words do have positions, and inside a sentence order counts. But these positions begin anew in "
        "each sentence.",
        "only the weights stay": "The weights move: each goes along with its sentence. It is the mixture that stays.",
    },
)
def sentences_shuffled():
    ids, order = np.random.default_rng(0).integers(20, size=(5, 7)), [3, 0, 4, 1, 2]
    model = HierarchicalClassifier(20, 3, 8, 2, 8, max_words=7, dtype=np.float64, rng=np.random.default_rng(1))
    model.sentence_pool.query[:] = np.arange(8)
    (logits, _, weights), (other, _, moved) = model(ids), model(ids[order])
    if np.allclose(logits, other):
        return "they stay"
    return "only the weights stay" if np.allclose(weights, moved) else "they change"


@question(
    "empty-sentences",
    lesson="15",
    source="Q130",
    text="A document of 5 sentences stands in a batch with one of 20. Its 15 padded sentences come out as vectors of "
    "zeros, and the pool over sentences has no mask. The real ones score 1 each. Where does the weight go?",
    options={
        "all to the real ones": "Zeros add nothing to the mixture, but their score is 0 and e⁰ is 1. Each of them "
        "takes weight away from the real ones.",
        "about half to the pads": "5 · e = 13.6 against 15 · 1: the attention looks flat, and the model seems to have "
        "learned nothing. A mask on the words does not help: the second level needs its own.",
        "nearly all to the pads": "There are three times as many pads, but each real sentence weighs e = 2.7 as much. "
        "With scores below 0 it would be so.",
    },
)
def empty_sentences():
    pool = AttentionPooling(1, dtype=np.float64)
    pool.query[:] = 1
    _, weights = pool(np.repeat([[1.0], [0.0]], [5, 15], axis=0))
    lost = weights[5:].sum()
    return (
        "all to the real ones" if lost < 0.1 else "about half to the pads" if lost < 0.6 else "nearly all to the pads"
    )


@question(
    "because-pool_twice",
    lesson="15",
    source="exercise",
    text="In `pool_twice` the words' softmax runs within each sentence and not over the whole document, because …",
    options={
        "each sentence is then read in full": "Its weights sum to one, whatever the others score, and its vector is a "
        "full mixture. Which sentence counts is asked afterwards, of the finished vectors.",
        "a whole document overflows softmax": "Softmax subtracts the largest score first and takes any length. More "
        "scores make smaller weights, no overflow.",
        "word and sentence weights would differ": "They differ in any case: one level asks of words, the other of "
        "sentences, each with its own query.",
    },
)
def because_pool_twice():
    scores = np.array([[4.0, 1.0, 0.0], [0.0, 0.0, 2.0]])  # sentence 0 shouts, sentence 1 is quiet
    within, over = softmax(scores), softmax(scores.ravel()).reshape(scores.shape)
    if not np.isfinite(over).all():
        return "a whole document overflows softmax"
    full = np.allclose(within.sum(-1), 1) and not np.allclose(over.sum(-1), 1)
    return "each sentence is then read in full" if full else "word and sentence weights would differ"
