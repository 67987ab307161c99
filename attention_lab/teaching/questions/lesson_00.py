"""Questions of lesson 00: arrays, words as vectors, similarity."""

import numpy as np

from attention_lab import softmax
from attention_lab.data.number_words import english
from attention_lab.teaching.number_translator import load_number_translator, translate_number
from attention_lab.teaching.questions.question import question


@question(
    "own-top-key",
    lesson="00",
    source="M1 C94b",
    text="Fifty word vectors of uneven lengths. Each word is scored against all fifty by the dot product, itself "
    "included. For how many words is the highest score its own?",
    options={
        "all of them": "Nothing is more like a word than itself, but a dot product also counts length: a long vector "
        "that points roughly the same way scores more than the word's own.",
        "some of them": "A word's own score is its length squared. Where another vector is longer and points roughly "
        "the same way, that one wins.",
        "none of them": "This would follow if length alone decided, but direction counts as well: the long vectors do "
        "win their own row.",
    },
)
def own_top_key():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(50, 16))
    vectors *= rng.lognormal(sigma=0.6, size=(50, 1)) / np.linalg.norm(vectors, axis=-1, keepdims=True)
    own = (vectors @ vectors.T).argmax(-1) == np.arange(50)
    return "all of them" if own.all() else "some of them" if own.any() else "none of them"


@question(
    "equal-lengths",
    lesson="00",
    source="C94",
    text="Now the fifty vectors are scaled to length 1, and no two are equal. For how many words is the highest dot "
    "product the one with itself?",
    options={
        "all fifty": "With equal lengths the dot product is the cosine, and only a vector's angle with itself has "
        "cosine 1.",
        "about half": "With uneven lengths it may come out like that, because long vectors win rows that are not "
        "theirs; scaling took this advantage away.",
        "it depends on the vectors": "The directions do decide all other scores, but none can pass 1, which is what "
        "every word has with itself.",
    },
)
def equal_lengths():
    shares = []
    for seed in range(5):
        vectors = np.random.default_rng(seed).normal(size=(50, 16))
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
        shares.append(np.mean((vectors @ vectors.T).argmax(-1) == np.arange(50)))
    if min(shares) == 1:
        return "all fifty"
    return "about half" if 0.4 < min(shares) <= max(shares) < 0.6 else "it depends on the vectors"


@question(
    "word-said-twice",
    lesson="00",
    source="C93",
    text="“the” stands in a sentence twice. Words become vectors by a look-up, then every pair is scored. How do the "
    "two rows of “the” in the score matrix compare?",
    options={
        "they are identical": "Both places look up the same vector, and so far nothing tells the look-up where a word "
        "stands.",
        "they differ, as the neighbours differ": "A reader does use the neighbours, but a row is made of one word's "
        "vector and all the others: the neighbours are the same set for both.",
        "they differ in two places only": "It seems that each should be 1 with itself alone, but the two vectors are "
        "equal, so each also scores the other like itself.",
    },
)
def word_said_twice():
    table = np.random.default_rng(0).normal(size=(10, 4))
    ids = np.array([7, 2, 5, 3, 7, 8])  # the cat sat on the mat
    x = table[ids]
    first, second = (x @ x.T)[[0, 4]]
    if np.allclose(first, second):
        return "they are identical"
    differing = np.sum(~np.isclose(first, second))
    return "they differ in two places only" if differing == 2 else "they differ, as the neighbours differ"


@question(
    "ids-to-vectors",
    lesson="00",
    source="lesson",
    text="The vectors of a vocabulary of 10 words form `table`, of shape (10, 4). A sentence of six words is an array "
    "`ids` of six whole numbers. What is the shape of `table[ids]`?",
    options={
        "(6, 4)": "Indexing with an array picks one row of the table for each id: six words, four numbers each.",
        "(10, 4)": "The table itself has this shape; indexing keeps only the rows that the sentence asks for, once "
        "for each word.",
        "(6, 10, 4)": "This is what a copy of the whole table for each word would look like; an id picks one row, so "
        "the axis of 10 is gone.",
    },
)
def ids_to_vectors():
    table = np.random.default_rng(0).normal(size=(10, 4))
    ids = np.array([7, 2, 5, 3, 7, 8])
    return str(table[ids].shape)


@question(
    "dot-on-stacks",
    lesson="00",
    source="B1",
    text="Two sentences of five words: `a` has shape (2, 5, 8), `b` has shape (2, 8, 5). What is the shape of "
    "`np.dot(a, b)`?",
    options={
        "(2, 5, 5)": "This is what `a @ b` gives: sentence by sentence. `np.dot` does not treat the first axis as a "
        "stack.",
        "(2, 5, 2, 5)": "`np.dot` pairs every row of `a` with every column of `b`, across sentences too: each word is "
        "scored against the other sentence.",
        "(2, 2, 5, 5)": "All pairs of sentences are indeed there, but the axes stay where they were: those of `a` "
        "first, then those of `b`.",
    },
)
def dot_on_stacks():
    a, b = np.ones((2, 5, 8)), np.ones((2, 8, 5))
    return str(np.dot(a, b).shape)


@question(
    "matmul-on-stacks",
    lesson="00",
    source="B1",
    text="`x` has shape (2, 3, 5, 8), `w` has shape (8, 4). What is the shape of `x @ w`?",
    options={
        "(2, 3, 5, 4)": "`@` multiplies the last two axes and repeats that for every leading index; the one matrix "
        "`w` serves all of them.",
        "(2, 3, 8, 4)": "The two axes of 8 meet and are summed away; what remains of the last two axes is 5 from the "
        "left and 4 from the right.",
        "an error": "The numbers of axes differ, but `@` lets the leading axes broadcast: only the two axes of 8 have "
        "to agree.",
    },
)
def matmul_on_stacks():
    try:
        return str((np.ones((2, 3, 5, 8)) @ np.ones((8, 4))).shape)
    except ValueError:
        return "an error"


@question(
    "transpose-a-stack",
    lesson="00",
    source="B6",
    text="`key` has shape (2, 5, 8): two sentences, five words, eight numbers. What is the shape of `key.T`?",
    options={
        "(2, 8, 5)": "This is what attention needs, and what `key.swapaxes(-1, -2)` gives; `.T` does not know that "
        "the first axis is a stack.",
        "(8, 5, 2)": "`.T` reverses all axes, so the sentences end up last. For a matrix that is the transpose, for a "
        "stack of matrices it is not.",
        "(5, 2, 8)": "This swaps the first two axes, which is what `.T` does to a matrix; with three axes it reverses "
        "all of them.",
    },
)
def transpose_a_stack():
    return str(np.ones((2, 5, 8)).T.shape)


@question(
    "longer-vector",
    lesson="00",
    source="lesson",
    text="Two words have cosine similarity 0.6. One of the two vectors is made three times as long. What is their "
    "cosine now?",
    options={
        "1.8": "The dot product triples, and it would be the score without division; the cosine divides by both "
        "lengths, and a cosine never passes 1.",
        "0.6": "The dot product and the length triple together, so the quotient stays: the cosine sees direction "
        "alone.",
        "0.2": "Dividing by a length three times as large does this, but the dot product above it has grown three "
        "times as well.",
    },
)
def longer_vector():
    a, b = np.array([3.0, 0.0]), np.array([0.6, 0.8])
    a *= 3
    return f"{a @ b / (np.linalg.norm(a) * np.linalg.norm(b)):.1f}"


@question(
    "similar-both-ways",
    lesson="00",
    source="C06",
    text="In a matrix of cosine similarities the row of “it” shows 0.7 for “cat”. What does the row of “cat” show for "
    "“it”?",
    options={
        "0.7": "The cosine of two vectors does not depend on which is named first. So similarity cannot express that "
        "“it” needs “cat” more than the reverse.",
        "0.3": "This would be the rest up to 1, but similarities do not share out a total: each pair has its own "
        "number.",
        "not known": "“it” and “cat” do play different parts in a sentence, but the cosine knows nothing of parts: it "
        "treats both words alike.",
    },
)
def similar_both_ways():
    x = np.random.default_rng(0).normal(size=(6, 4))
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    similarity = x @ x.T
    if np.allclose(similarity, similarity.T):
        return "0.7"
    return "0.3" if np.allclose(similarity + similarity.T, 1) else "not known"


@question(
    "because-similarity",
    lesson="00",
    source="exercise",
    text="`similarity(x)` divides each vector by its length before it takes dot products, because …",
    options={
        "otherwise length counts beside direction": "Without the division, doubling a vector doubles its "
        "product with every other; with it, only the direction is compared.",
        "otherwise the rows do not sum to 1": "The rows of a similarity matrix do not sum to 1 in either case; "
        "sharing out a total of 1 is what softmax does later.",
        "otherwise the matrix is not symmetric": "A dot product is symmetric with or without the division, so this is "
        "no reason for it.",
    },
)
def because_similarity():
    x = np.random.default_rng(0).normal(size=(6, 4))
    units = x / np.linalg.norm(x, axis=-1, keepdims=True)
    if np.allclose((units @ units.T).sum(-1), 1):
        return "otherwise the rows do not sum to 1"
    if not np.allclose(x @ x.T, (x @ x.T).T):
        return "otherwise the matrix is not symmetric"
    doubled = x * np.array([2, 1, 1, 1, 1, 1])[:, None]
    length_counts = np.allclose((x @ doubled.T)[:, 0], 2 * (x @ x.T)[:, 0])
    return "otherwise length counts beside direction" if length_counts else "no reason at all"


@question(
    "temperature",
    lesson="00",
    source="lesson",
    text="A row of similarities is divided by a number, the temperature, and then turned into shares that sum to one. "
    "The temperature falls from 1 to 0.1. What happens to the largest share?",
    options={
        "it grows": "Dividing by a small number stretches the differences between the scores, and the one in front "
        "gets more.",
        "it shrinks": "A lower temperature sounds like less of everything, but it divides the scores: they become "
        "larger, and so does the lead of the best.",
        "it stays, as the order stays": "The order does stay; the differences count as well, and these become ten "
        "times as large.",
    },
)
def temperature():
    similarities = np.array([0.9, 0.6, 0.3, 0.1])
    warm, cold = softmax(similarities / 1.0).max(), softmax(similarities / 0.1).max()
    if np.isclose(warm, cold):
        return "it stays, as the order stays"
    return "it grows" if cold > warm else "it shrinks"


@question(
    "first-of-forty-two",
    lesson="00",
    source="lesson",
    text="A small network has learned to write English numbers in German. “forty two” becomes “zwei und vierzig”: two "
    "and forty. When it writes its first word, “zwei”, which English word does it read most?",
    options={
        "forty": "It is the first word, and “zwei” is the first to be written. But nothing ties first to first: the "
        "network learned that German says the units before the tens.",
        "two": "That is the word which “zwei” translates. For “vierzig” it goes back to the first word: in the picture "
        "the two cross. Nobody told it so; it was shown 2,000 numbers in both languages.",
        "both alike": "It could, if it needed both. To write “zwei” it needs “two”; what “forty” is matters two words "
        "later.",
    },
)
def first_of_forty_two():
    tokens, weights = translate_number(load_number_translator(), 42)
    row = weights[tokens.index("zwei")]
    return "both alike" if abs(row[0] - row[1]) < 0.2 else f"{english(42)[row.argmax()]}"
