"""Questions of lesson 02, first half: padding, and how to hide a key."""

import numpy as np

from attention_lab import causal_mask, padding_mask, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "pad-rows",
    lesson="02",
    source="M7 Q20",
    text="Four words and two pads read one another; the pads are hidden as keys. Then the pads are filled with noise, "
    "fifty times as large as the words. Which of the four words' outputs change?",
    options={
        "all four": "The noise is in the array that attention reads, but as hidden keys the pads get weight 0, and 0 "
        "times noise adds nothing.",
        "those next to the pads": "Neighbourhood plays no part in attention; a word reads whatever is visible, and "
        "the pads are not.",
        "none": "The pads' own rows are junk, but nobody reads them: the mask on the keys is enough, and the words' "
        "rows agree to the last bit.",
    },
)
def pad_rows():
    rng = np.random.default_rng(0)
    x, visible = rng.normal(size=(1, 6, 8)), padding_mask([4], 6)[:, 0]
    noisy = x.copy()
    noisy[:, 4:] = 50 * rng.normal(size=(1, 2, 8))
    before, after = (attention(tokens, tokens, tokens, visible)[0][0, :4] for tokens in (x, noisy))
    moved = (before != after).any(-1)
    return "all four" if moved.all() else "those next to the pads" if moved.any() else "none"


@question(
    "loud-pads",
    lesson="02",
    source="M7 again",
    text="Three words and five pads read one another in two layers. In both, the pads are hidden as keys; their own "
    "rows are not masked. Then the pads are made a thousand times as large. How many of the three words' outputs move?",
    options={
        "0": "Not by a bit. Hidden keys get weight 0 in layer 1 and again in layer 2, so whatever a pad's own row "
        "becomes, no word reads it.",
        "1": "The last word stands next to the pads, but attention knows no neighbours. A word reads what is visible, "
        "near or far.",
        "3": "In layer 2 the pads' rows are junk, a thousand times as large. But they are hidden there as well: junk "
        "that nobody reads needs no mask of its own.",
    },
)
def loud_pads():
    real = np.arange(8) < 3
    x = np.random.default_rng(0).normal(size=(8, 16))
    outputs = []
    for tokens in (x, np.where(real[:, None], x, 1000 * x)):
        for _ in range(2):  # two layers, each added to what it read
            tokens = tokens + attention(tokens, tokens, tokens, real)[0]
        outputs.append(tokens[:3])
    return str((outputs[0] != outputs[1]).any(-1).sum())


@question(
    "all-keys-hidden",
    lesson="02",
    source="Q21",
    text="One row hides all its four keys, by filling its scores with −1e9. What does a plain softmax make of that "
    "row?",
    options={
        "zeros": "Nothing visible should give nothing, and our function returns zeros; plain softmax sees four equal "
        "scores.",
        "0.25 each": "The four scores are equal, and softmax looks at differences only: the row reads everything it "
        "was told to ignore.",
        "NaN": "This happens with −inf, where −inf − (−inf) or 0/0 is no number; −1e9 is an ordinary number.",
    },
)
def all_keys_hidden():
    scores = np.where(np.zeros(4, bool), [1.0, 2.0, 0.5, 3.0], -1e9)
    shifted = np.exp(scores - scores.max())
    weights = shifted / shifted.sum()
    return "NaN" if np.isnan(weights).any() else "zeros" if not weights.any() else "0.25 each"


@question(
    "pads-vanish",
    lesson="02",
    source="M6 Q22",
    text="A query has the scores [2, 0.5, 0.8, 1]; its largest weight is 0.53. Four pads, vectors of zeros, are "
    "appended as keys, without a mask. What is the largest weight now?",
    options={
        "0.53": "A zero vector seems to be nothing. Its score is 0, though, and softmax gives that e⁰ = 1, more than "
        "it gives a score of −1.",
        "0.41": "Each pad has score 0 and takes a share in proportion to e⁰ = 1. Zero is a score like any other, so "
        "pads need a mask.",
        "0.26": "Twice as many keys do not mean half the weight: the pads' scores are below the others', so they take "
        "less than an even share.",
    },
)
def pads_vanish():
    words = np.array([[2.0], [0.5], [0.8], [1.0]])
    key = np.concatenate([words, np.zeros((4, 1))])
    _, weights = attention([[1.0]], key, key)
    return f"{weights.max():.2f}"


@question(
    "mask-in-an-encoder",
    lesson="02",
    source="Q23",
    text="Sentences of 4 and 6 words go through an encoder as one batch; the short one ends in two pads. Which mask "
    "gives the short sentence the output it has on its own?",
    options={
        "none is needed": "An encoder may read the whole sentence, so there is no future to hide. There are keys that "
        "are no words, though, and those take weight.",
        "the padding mask": "It hides what is not real. The causal mask hides what is not yet, and reading a finished "
        "sentence has no “not yet”.",
        "the causal mask": "It does hide the pads, which come last, but it also hides later words from earlier ones, "
        "which an encoder should read.",
    },
)
def mask_in_an_encoder():
    x = np.random.default_rng(0).normal(size=(2, 6, 8))
    x[0, 4:] = 0
    alone, _ = attention(x[0, :4], x[0, :4], x[0, :4])
    masks = {
        "none is needed": None,
        "the padding mask": padding_mask([4, 6])[:, 0],
        "the causal mask": causal_mask(6),
    }
    return next(name for name, mask in masks.items() if np.allclose(attention(x, x, x, mask)[0][0, :4], alone))


@question(
    "times-zero",
    lesson="02",
    source="M8 Q24",
    text="The scores are [−2, −1, 3]. To hide the third key, its score is multiplied by 0 before the softmax. What is "
    "its weight?",
    options={
        "0.00": "Zero switches off a weight, but this is a score, and e⁰ = 1. Hiding needs a score of minus infinity.",
        "0.33": "An even share would need equal scores; the other two lie below 0 and get less.",
        "0.67": "0 is the largest of [−2, −1, 0], so the “hidden” key gets most of the weight: hiding needs a very "
        "negative score, not 0.",
    },
)
def times_zero():
    scores, visible = np.array([-2.0, -1.0, 3.0]), np.array([1, 1, 0])
    return f"{softmax(scores * visible)[2]:.2f}"


@question(
    "how-negative",
    lesson="02",
    source="Q25",
    text="In float64, hidden scores are filled with −1e9 in one program and with −inf in another. Softmax is exp over "
    "its sum, after subtracting the maximum. When do the two programs differ?",
    options={
        "never": "exp(−1e9) is exactly 0, so rows with a visible key agree; a row without one is the exception.",
        "in every row, a little": "−1e9 is finite, but exp of it is far below the smallest float64 and becomes "
        "exactly 0, as with −inf.",
        "only in rows with no visible key": "There −1e9 gives even weights and −inf gives NaN: the maximum is −inf, "
        "and −inf − (−inf) is no number. Our function defines such rows as zeros, so neither can happen.",
    },
)
def how_negative():
    def weigh(scores, visible, hidden):
        scores = np.where(visible, scores, hidden)
        with np.errstate(invalid="ignore"):
            shifted = np.exp(scores - scores.max())
        return shifted / shifted.sum()

    scores = np.array([1.0, 2.0, 3.0])
    some, nothing = np.array([True, True, False]), np.zeros(3, bool)
    if not np.array_equal(weigh(scores, some, -1e9), weigh(scores, some, -np.inf)):
        return "in every row, a little"
    empty_rows_agree = np.array_equal(weigh(scores, nothing, -1e9), weigh(scores, nothing, -np.inf))
    return "never" if empty_rows_agree else "only in rows with no visible key"


@question(
    "a-lost-sign",
    lesson="02",
    source="Q26",
    text="Instead of −1e9 someone adds −1e-9 to the hidden scores. The model trains. How much is hidden?",
    options={
        "everything that should be": "Both look alike in print, but −1e-9 is almost 0, and adding almost 0 changes no "
        "weight.",
        "about half": "A smaller number does not hide in proportion: the weight falls by the factor exp(−1e-9), which "
        "is 1 to nine digits.",
        "nothing": "exp(−1e-9) is 1 to nine digits, so each weight stays. Training does not notice, which is why a "
        "test has to look for leaks.",
    },
)
def a_lost_sign():
    scores, hidden = np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1])
    kept = softmax(scores - 1e-9 * hidden)[2] / softmax(scores)[2]
    return "nothing" if kept > 0.99 else "everything that should be" if kept < 0.01 else "about half"


@question(
    "mask-after-softmax",
    lesson="02",
    source="Q27",
    text="Scores [1, 2, 3], third key hidden. Softmax runs over all three, and then the third weight is set to 0. "
    "What do the weights sum to?",
    options={
        "1.00": "Softmax does give a total of 1, but two thirds of that total was on the key that was then deleted.",
        "0.33": "The deleted key had taken 0.67. Dividing by the new sum mends it, except where the hidden score is "
        "so large that nothing is left.",
        "0.67": "This is the weight that was deleted; what is left is the rest up to 1.",
    },
)
def mask_after_softmax():
    weights = softmax([1.0, 2.0, 3.0])
    weights[2] = 0
    return f"{weights.sum():.2f}"


@question(
    "right-padding",
    lesson="02",
    source="Q31",
    text="A decoder uses the causal mask, and its sentences have their pads at the end. A padding mask is added. "
    "Which real words' outputs change?",
    options={
        "none": "A word only looks back, and the pads come after it: the causal mask hides them already. With pads at "
        "the start it would not.",
        "all": "Pads do take weight when they are visible, but behind a causal mask no real word ever sees one.",
        "the last one": "It stands next to the pads, but it looks back like all others, and the pads lie ahead.",
    },
)
def right_padding():
    x = np.random.default_rng(0).normal(size=(2, 6, 8))
    causal, _ = attention(x, x, x, is_causal=True)
    both, _ = attention(x, x, x, padding_mask([4, 6])[:, 0], is_causal=True)
    moved = (causal[0, :4] != both[0, :4]).any(-1)
    return "none" if not moved.any() else "all" if moved.all() else "the last one"


@question(
    "because-masked_softmax",
    lesson="02",
    source="exercise",
    text="Keys are hidden before the softmax, in the scores, and not after it, in the weights, because …",
    options={
        "the visible weights then sum to 1": "A hidden key adds exp(−inf) = 0 to the sum, so the visible ones share "
        "the whole; afterwards they would share what the hidden keys left.",
        "a weight of 0 is not allowed": "Zero weights are what a mask should produce, and softmax of −inf gives "
        "exactly that.",
        "the order of visible keys would change": "Setting a hidden weight to 0 leaves the others as they are, order "
        "and all; what suffers is their total.",
    },
)
def because_masked_softmax():
    scores, visible = np.array([1.0, 2.0, 3.0]), np.array([True, True, False])
    before = softmax(np.where(visible, scores, -np.inf))
    after = softmax(scores) * visible
    if (before < 0).any() or before[2] != 0:
        return "a weight of 0 is not allowed"
    if not np.array_equal(before.argsort(), after.argsort()):
        return "the order of visible keys would change"
    whole = np.isclose(before.sum(), 1) and not np.isclose(after.sum(), 1)
    return "the visible weights then sum to 1" if whole else "no reason at all"
