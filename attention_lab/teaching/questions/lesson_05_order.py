"""Questions of lesson 05, first part: what order is without positions, and where a table of positions ends."""

import numpy as np

from attention_lab import Encoder, EncoderBlock, LearnedPositions, alibi_bias, positional_encoding
from attention_lab.functional import linear
from attention_lab.teaching.questions.question import question


@question(
    "shuffled-words",
    lesson="05",
    source="M18 Q69",
    text="“dog bites man” and “man bites dog” go through three layers of attention, without a mask and "
    "without positions. The output rows of each are averaged. How do the two averages compare?",
    options={
        "they are equal": "Each row reads the same set of words, so shuffled words give the same rows, shuffled; a "
        "mean does not ask for their order. They agree to rounding.",
        "they differ": "We read the two differently, so it seems that attention must. A score knows two vectors and "
        "not where they stand: the two averages agree to 15 digits.",
        "they differ from layer 2 on": "Depth seems to find the order at last. But layer 2 reads shuffled rows, as "
        "layer 1 did, and shuffles again: three layers leave a gap of 0.",
    },
)
def shuffled_words():
    words, equal = np.random.default_rng(0).normal(size=(3, 16)), []
    for depth in (1, 2, 3):
        stack = Encoder(depth, 16, 2, 32, rng=np.random.default_rng(1))
        rows, turned = stack(words)[0], stack(words[::-1])[0]  # dog bites man, man bites dog
        equal.append(np.allclose(rows.mean(0), turned.mean(0)))
    if all(equal):
        return "they are equal"
    return "they differ from layer 2 on" if equal[0] else "they differ"


@question(
    "causal-order",
    lesson="05",
    source="M19 Q68",
    text="A causal stack without positions reads six words. Then the first five change places, and the sixth stays. "
    "Is the output of the sixth the same as before?",
    options={
        "yes, with one layer and with two": "Without positions nothing seems to tell the order. The mask does: in "
        "layer 1 each earlier word reads only those before it, and layer 2 reads the results.",
        "with one layer yes, with two no": "One layer reads a set, and the set is the same. The second reads rows "
        "that depend on who stood before whom: a mask shows order even without positions.",
        "no, with neither": "The mask does hide other words from the first five rows now, but the last row of layer "
        "1 reads the same six keys: it agrees to rounding.",
    },
)
def causal_order():
    words, same = np.random.default_rng(0).normal(size=(6, 16)), []
    for depth in (1, 2):
        stack = Encoder(depth, 16, 2, 32, rng=np.random.default_rng(1))
        before, after = (stack(words[order], is_causal=True)[0] for order in ([0, 1, 2, 3, 4, 5], [3, 1, 4, 0, 2, 5]))
        same.append(np.allclose(before[-1], after[-1]))
    if all(same):
        return "yes, with one layer and with two"
    return "with one layer yes, with two no" if same[0] else "no, with neither"


@question(
    "layers-for-order",
    lesson="05",
    source="M19 again",
    text="A causal stack without positions reads “dog bites man”, and then “bites dog man”. How many layers must it "
    "have for the output of “man” to tell the two apart?",
    options={
        "1": "In one layer “man” reads the same three words, in either order: a mean does not ask who came first. The "
        "two outputs agree to rounding.",
        "2": "In layer 1 “bites” reads “dog” if that came before, and does not if it did not. So its row is another "
        "one, and layer 2 reads it: the mask alone shows order.",
        "none will do": "True of a stack without a mask, where each word reads all. A causal mask lets each word read "
        "those before it, and that is a matter of order.",
    },
)
def layers_for_order():
    words = np.random.default_rng(0).normal(size=(3, 16))
    for depth in (1, 2, 3):
        stack = Encoder(depth, 16, 2, 32, rng=np.random.default_rng(1))
        one, other = (stack(words[order], is_causal=True)[0][-1] for order in ([0, 1, 2], [1, 0, 2]))
        if not np.allclose(one, other):
            return str(depth)
    return "none will do"


@question(
    "add-or-concatenate",
    lesson="05",
    source="Q57",
    text="A word x and its position p are concatenated and go through a matrix with W₁ above W₂. When does adding "
    "them, `(x + p) @ W`, give the same?",
    options={
        "never: adding loses the word": "Concatenating seems to keep the two apart, but its product is a sum as "
        "well: x W₁ + p W₂. In 512 numbers word and position are nearly at right angles: mean |cos| 0.03.",
        "where W₁ = W₂ = W": "[x, p] times the two matrices is x W₁ + p W₂, so adding is the case of one matrix for "
        "both. It saves the width that p would take.",
        "always, for any W₁ and W₂": "Both are sums, x W₁ + p W₂ and x W + p W, but the second has one matrix where "
        "the first has two: with two different ones the results differ.",
    },
)
def add_or_concatenate():
    rng = np.random.default_rng(0)
    x, p = rng.normal(size=(10, 8)), positional_encoding(10, 8)
    first, second = rng.normal(size=(2, 8, 5))
    both = np.concatenate([x, p], axis=-1)  # (10, 16)
    tied = np.allclose(linear(both, np.concatenate([first, first])), linear(x + p, first))
    apart = np.allclose(linear(both, np.concatenate([first, second])), linear(x + p, first))
    if not tied:
        return "never: adding loses the word"
    return "always, for any W₁ and W₂" if apart else "where W₁ = W₂ = W"


@question(
    "learned-or-sinusoidal",
    lesson="05",
    source="Q64",
    text="A table of learned positions has 64 rows. It and the sinusoidal encoding are asked for a sentence of 65 "
    "words. Which of them has a vector for the last word?",
    options={
        "both": "Learning seems to give a rule for positions, but it fills rows, and row 64 was never made: our layer "
        "raises. Within the 64 places the two do about equally well.",
        "only the learned one": "What is learned fits the data, but only where there were data: 64 places. The "
        "formula knows no last row.",
        "only the sinusoidal one": "A formula has a value at any position, a table has only its rows. Whether the "
        "layers above can use that value is another question.",
    },
)
def learned_or_sinusoidal():
    learned, words = LearnedPositions(64, 8, rng=np.random.default_rng(0)), np.ones((65, 8))
    try:
        by_table = learned(words).shape == words.shape
    except ValueError:
        by_table = False
    by_formula = np.isfinite(positional_encoding(65, 8)[64]).all()
    names = {(True, True): "both", (True, False): "only the learned one", (False, True): "only the sinusoidal one"}
    return names[by_table, bool(by_formula)]


@question(
    "longer-than-trained",
    lesson="05",
    source="Q65",
    text="One matrix is fitted so that the scores of sinusoidal encodings are minus their distance, for positions "
    "0 to 31 only. Then it scores positions 32 to 63. How good are the scores?",
    options={
        "about as good as before": "The formula has a vector for each place, so it seems that all goes on. But the "
        "matrix met only the first 32 angles of each hand: the mean error grows from 0.3 to 16.",
        "more than ten times worse": "The vectors exist, but the matrix never saw them: the mean error grows "
        "from 0.3 to 16. A bias such as ALiBi states the distance itself and stays exact.",
        "there are none: it raises": "A learned table raises where its rows end. The encoding is a formula, so there "
        "are scores, finite and without a warning: just far off.",
    },
)
def longer_than_trained():
    distance = alibi_bias(8, 64)[0] * 2  # minus |i - j|
    p = positional_encoding(64, 16)
    pairs = np.einsum("ia,jb->ijab", p, p).reshape(64, 64, 256)  # the score is linear in the 256 entries of W
    seen, target = pairs[:32, :32].reshape(-1, 256), distance[:32, :32].ravel()
    W = np.linalg.solve(seen.T @ seen + 0.001 * np.eye(256), seen.T @ target)
    error = np.abs(pairs @ W - distance)
    if not np.isfinite(error).all():
        return "there are none: it raises"
    worse = error[32:, 32:].mean() > 10 * error[:32, :32].mean()
    return "more than ten times worse" if worse else "about as good as before"


@question(
    "table-of-zeros",
    lesson="05",
    source="Q71",
    text="A learned table of positions starts with zeros instead of noise, in a model without a mask. What is true of "
    "it before the first step of training?",
    options={
        "it tells places apart": "Each place has a row of its own, but the rows are all equal so far: turning the "
        "sentence round changes the loss by 0.",
        "it is blind, and stays so": "Zero weights on both sides of a product would never move. These zeros are "
        "added to words, so each row has a gradient of its own, and none is 0.",
        "it is blind, but will learn": "Equal rows say nothing, so the loss is the same for reversed words. But each "
        "row's gradient differs from the others', so the first step sets them apart.",
    },
)
def table_of_zeros():
    rng = np.random.default_rng(0)
    positions, words = LearnedPositions(3, 4, dtype=np.float64), rng.normal(size=(3, 4))
    block, W = EncoderBlock(4, 2, 8, rng=rng, dtype=np.float64), rng.normal(size=4)
    positions.table[:] = 0

    def loss(words):
        return (block(positions(words))[0].mean(0) @ W - 1) ** 2

    if not np.isclose(loss(words), loss(words[::-1])):
        return "it tells places apart"
    gradient = np.zeros((3, 4))
    for place in np.ndindex(3, 4):  # central differences
        for step in (1e-5, -1e-5):
            positions.table[place] = step
            gradient[place] += loss(words) / (2 * step)
        positions.table[place] = 0
    learns = np.abs(gradient).max(-1).min() > 1e-3 and np.ptp(gradient, axis=0).max() > 1e-3
    return "it is blind, but will learn" if learns else "it is blind, and stays so"
