"""Questions of lesson 19, first half: what a sentence's vector is made of, and what it is good for."""

import numpy as np

from attention_lab import EncoderBlock, masked_mean
from attention_lab.masks import over_keys
from attention_lab.teaching.exercises.lesson_19_search import top_matches
from attention_lab.teaching.questions.question import question


@question(
    "dot-or-cosine",
    lesson="19",
    source="Q137",
    text="The vectors of a query and of a thousand documents all have length 1. You rank the documents by dot product, "
    "then by cosine, then by distance, the nearest first. What differs?",
    options={
        "nothing": "The cosine divides by two lengths of 1. And the squared distance is 2 − 2 times the dot product: "
        "the larger the one, the smaller the other.",
        "the distance alone": "It looks like another measure. But for vectors of length 1 its square is 2 − 2 q · k: "
        "the same order, read from the other end.",
        "all three": "So it is where lengths differ: a dot product then prefers long vectors. Here there are no "
        "longer ones.",
    },
)
def dot_or_cosine():
    rng = np.random.default_rng(0)
    documents, query = rng.normal(size=(1000, 16)), rng.normal(size=16)
    documents /= np.linalg.norm(documents, axis=-1, keepdims=True)
    query /= np.linalg.norm(query)
    dot = np.argsort(-documents @ query)
    lengths = np.linalg.norm(documents, axis=-1) * np.linalg.norm(query)
    cosine = np.argsort(-(documents @ query) / lengths)
    distance = np.argsort(np.linalg.norm(documents - query, axis=-1))
    if not np.array_equal(dot, cosine):
        return "all three"
    return "nothing" if np.array_equal(dot, distance) else "the distance alone"


@question(
    "cls-each-time",
    lesson="19",
    source="Q135",
    text="Every sentence begins with the token [CLS], at position 0. Two sentences with different words go through one "
    "encoder block. What of [CLS] is the same in both?",
    options={
        "its vector before the block": "It is looked up: the same row of the table, the same position. In the block it "
        "reads its sentence, and from there on it is another vector.",
        "its vector after the block, too": "Its query is the same, but the keys and values are not: what it mixes "
        "comes from another sentence.",
        "not even what is looked up": "A table has one row a token and one a position. What other words stand around "
        "changes neither.",
    },
)
def cls_each_time():
    rng = np.random.default_rng(0)
    table, positions = rng.normal(size=(2, 9, 16))
    block = EncoderBlock(16, 4, 32, norm="post", rng=rng)
    before = [table[ids] + positions[:4] for ids in ([0, 3, 4, 5], [0, 6, 7, 8])]
    after = [block(x)[0] for x in before]
    if not np.array_equal(before[0][0], before[1][0]):
        return "not even what is looked up"
    same = np.allclose(after[0][0], after[1][0])
    return "its vector after the block, too" if same else "its vector before the block"


@question(
    "same-word-two-sentences",
    lesson="19",
    source="Q139",
    text="The word “bank” stands at the same place in two sentences. All other words differ. What of it is the same "
    "in both, in an encoder that reads to both sides?",
    options={
        "what is looked up": "The row of the table and that of the position. Its first query is made of them, but it "
        "meets other keys: weights and vectors differ from the first block on.",
        "that, and its first weights": "The query is the same in the first block. A row of weights needs the keys, "
        "too, and those are made of other words.",
        "its vector all the way up": "That is a word vector, as in lesson 00: one a word. Here each block mixes in "
        "what stands around.",
    },
)
def same_word_two_sentences():
    rng = np.random.default_rng(0)
    table, positions = rng.normal(size=(2, 12, 16))
    block = EncoderBlock(16, 4, 32, norm="post", rng=rng)
    before = [table[ids] + positions[:6] for ids in ([1, 2, 3, 4, 0, 5], [6, 7, 8, 9, 0, 10])]
    (one, its_weights), (other, other_weights) = map(block, before)
    if np.allclose(one[4], other[4]):
        return "its vector all the way up"
    same = np.allclose(its_weights[:, 4], other_weights[:, 4])
    return "that, and its first weights" if same else "what is looked up"


@question(
    "same-weights-other-numbers",
    lesson="19",
    source="Q136",
    text="You have read a published encoder into your own code. One sentence at a time, all vectors are right. In a "
    "batch the longest sentence is right, and the shorter ones are off. Which slip is it?",
    options={
        "the mask of the padding": "Shorter sentences are filled up with pads. Where attention or the mean reads them, "
        "these vectors move; the longest has none.",
        "eps, or the form of GELU": "Both act on each token by itself: they would move the longest sentence as much as "
        "the others, and single ones, too.",
        "the length 1 was forgotten": "That changes every vector, in a batch or alone. And it changes no cosine at "
        "all.",
    },
)
def same_weights_other_numbers():
    rng = np.random.default_rng(0)
    block = EncoderBlock(16, 4, 32, norm="post", activation="gelu", rng=rng)
    rough = EncoderBlock(16, 4, 32, norm="post", activation="gelu_tanh", rng=np.random.default_rng(0))
    for name in ("up", "down"):
        setattr(rough.feed_forward, name, getattr(block.feed_forward, name))
    rough.attention = block.attention
    x, mask = rng.normal(size=(2, 6, 16)), np.arange(6) < [[6], [3]]
    right = masked_mean(block(x, over_keys(mask, (2, 6)))[0], mask)
    slips = {
        "the mask of the padding": block(x)[0].mean(-2),
        "eps, or the form of GELU": masked_mean(rough(x, over_keys(mask, (2, 6)))[0], mask),
        "the length 1 was forgotten": 5 * right,
    }
    moved = {slip: np.abs(found - right).max(-1) > 1e-6 for slip, found in slips.items()}
    return next((slip for slip, (longest, shorter) in moved.items() if shorter and not longest), None)


@question(
    "rank-and-recall",
    lesson="19",
    source="lesson",
    text="Four queries, each with one right page. The search puts the right page at rank 1, 2, 4 and 10. What are the "
    "mean reciprocal rank (MRR) and the recall at 5?",
    options={
        "0.46 and 0.75": "(1 + 1/2 + 1/4 + 1/10) / 4 is 0.46, and three of four stand among the first five.",
        "0.24 and 0.75": "The mean rank is 4.25, and 1 by that is 0.24. The MRR takes the reciprocals first, so one "
        "bad rank cannot spoil it.",
        "0.46 and 0.25": "A quarter is found at once: that is the recall at 1. At 5, rank 2 and rank 4 count, too.",
    },
)
def rank_and_recall():
    ranks = np.array([1, 2, 4, 10])
    return f"{(1 / ranks).mean():.2f} and {(ranks <= 5).mean():.2f}"


@question(
    "no-word-in-common",
    lesson="19",
    source="lesson",
    text="A search compares counts of words, by cosine. The query is “inverse tangent of an angle”; the right page "
    "says “undoes tan”. Another page says “an angle of a roof”. What does the right page get?",
    options={
        "0, below the other page": "No word in common, no product above 0. What two words have to do with each other, "
        "counts do not know; an encoder's vectors may.",
        "more than the other page": "To a reader it is nearer. But “tan” and “tangent” are two columns of the table of "
        "counts, as different as any two words.",
        "a little, for “tan” in “tangent”": "Counting is by whole words. Parts of words count only if the pieces are "
        "made smaller: letters, or an encoder's pieces.",
    },
)
def no_word_in_common():
    texts = ["inverse tangent of an angle", "undoes tan", "an angle of a roof"]
    words = sorted({word for text in texts for word in text.split()})
    query, *pages = np.array([[text.split().count(word) for word in words] for text in texts], float)
    first, scores = top_matches(query, np.array(pages), 2)
    if first[0] == 0:
        return "more than the other page"
    return "0, below the other page" if scores[-1] == 0 else "a little, for “tan” in “tangent”"


@question(
    "because-top_matches",
    lesson="19",
    source="exercise",
    text="`top_matches` divides by the lengths of the documents' vectors, because …",
    options={
        "else long vectors win": "A dot product grows with the length of the document's vector, whatever its "
        "direction. The direction is what tells what it is about.",
        "else the query's length counts": "It would count for every document alike, and one factor for all changes no "
        "order.",
        "scores must be positive": "A cosine may be negative, and often is. Dividing by a length changes no sign.",
    },
)
def because_top_matches():
    rng = np.random.default_rng(0)
    documents, query = rng.normal(size=(50, 8)), rng.normal(size=8)
    documents[7] = 50 * (documents[7] if documents[7] @ query > 0 else -documents[7])  # long, and not the nearest
    best, cosines = top_matches(query, documents, 50)
    if cosines.min() >= 0:
        return "scores must be positive"
    by_dot = np.argsort(-documents @ query)
    doubled, _ = top_matches(2 * query, documents, 50)
    if not np.array_equal(best, doubled):
        return "else the query's length counts"
    return "else long vectors win" if by_dot[0] == 7 != best[0] else "scores must be positive"
