"""Questions of lesson 04, second half: one sequence reads another."""

import numpy as np

from attention_lab import MultiHeadAttention, causal_mask, combine_masks, padding_mask
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "who-gives-keys",
    lesson="04",
    source="Q52",
    text="A translation has 4 words so far. They read the 9 words of the source by cross-attention. Which side gives "
    "what?",
    options={
        "source: Q; target: K, V": "The source comes first and seems to lead. But then each source word would read "
        "the translation, and the output would have a row for each source word.",
        "target: Q; source: K, V": "Who asks gives the queries, who is read gives keys and values. So each target "
        "word gets a row, a mixture of source words.",
        "target: Q, K; source: V": "A key has to stand beside its value, row by row. Four target keys and nine "
        "source values cannot be paired, and raise an error.",
    },
)
def who_gives_keys():
    rng = np.random.default_rng(0)
    target, source = rng.normal(size=(4, 8)), rng.normal(size=(9, 8))
    offers = {
        "source: Q; target: K, V": (source, target, target),
        "target: Q; source: K, V": (target, source, source),
        "target: Q, K; source: V": (target, target, source),
    }
    for name, (query, key, value) in offers.items():
        try:
            output, weights = attention(query, key, value)
        except ValueError:
            continue
        if len(output) == len(target) and weights.shape[-1] == len(source):
            return name
    return "none of them"


@question(
    "output-rows",
    lesson="04",
    source="M16",
    text="Three queries read seven keys, and each key has its value. How many rows has the output?",
    options={
        "3": "One row for each query: its weights turn seven values into one mean. Who asks sets the length, whatever "
        "the length of what is read.",
        "7": "All seven values go in, but they are summed, and no row of the output belongs to a value. The weights "
        "are 3 × 7, the output has a row for each query.",
        "21": "There are 3 · 7 = 21 weights, one for each pair; each query's seven are spent on one mean, which "
        "leaves one row for each query.",
    },
)
def output_rows():
    rng = np.random.default_rng(0)
    query, memory = rng.normal(size=(3, 8)), rng.normal(size=(7, 8))
    output, _ = MultiHeadAttention(8, 2, rng=rng)(query, memory)
    return str(len(output))


@question(
    "memory-of-nine",
    lesson="04",
    source="M16 again",
    text="Two tokens read a memory of nine, whose values have 5 features. What shape has the output of attention?",
    options={
        "2 × 5": "One row for each token that asks, one column for each feature of a value. The nine only appear "
        "inside: the weights are 2 × 9, and each row of them is spent on a mean.",
        "9 × 5": "This is the shape of the values. They are mixed into means, one for each query, and there are two "
        "queries.",
        "2 × 9": "This is the shape of the weights. They are not the output: each row of nine weights turns nine "
        "values into one of 5 features.",
    },
)
def memory_of_nine():
    rng = np.random.default_rng(0)
    output, _ = attention(rng.normal(size=(2, 8)), rng.normal(size=(9, 8)), rng.normal(size=(9, 5)))
    rows, features = output.shape
    return f"{rows} × {features}"


@question(
    "same-source",
    lesson="04",
    source="Q53",
    text="Seven pictures lie beside seven captions. The keys are made from the captions, the values from the "
    "pictures. Is that allowed?",
    options={
        "no, one source for K and V": "In self- and cross-attention both do come from the same tokens, but no step "
        "compares a key with a value: this runs, and is a proper look-up.",
        "yes, if row j goes with row j": "Weight j was found with key j and is spent on value j. Reorder keys and "
        "values together and the output stays; reorder the values alone and it changes.",
        "yes, in whatever order": "A sum has no order, but its terms are pairs, weight j times value j. Reorder the "
        "values alone, and each weight is spent on another picture.",
    },
)
def same_source():
    rng = np.random.default_rng(0)
    query, captions, pictures = rng.normal(size=(3, 8)), rng.normal(size=(7, 8)), rng.normal(size=(7, 5))
    order = rng.permutation(7)
    try:
        output, _ = attention(query, captions, pictures)
    except ValueError:
        return "no, one source for K and V"
    together, _ = attention(query, captions[order], pictures[order])
    alone, _ = attention(query, captions, pictures[order])
    if np.allclose(alone, output):
        return "yes, in whatever order"
    return "yes, if row j goes with row j" if np.allclose(together, output) else "no, one source for K and V"


@question(
    "cross-mask",
    lesson="04",
    source="Q54",
    text="Six target words read a source of five words and two pads by cross-attention. Which mask shows each target "
    "word all of the source and nothing else?",
    options={
        "the causal mask": "A decoder hides the future, but its own, in self-attention. The source is finished: here "
        "the causal mask hides real words from early rows, and shows pads to the last ones.",
        "the padding mask": "The source's own: two pads are hidden from every row. The source is there from the "
        "start, so no word of it is “not yet”.",
        "the two combined": "Twice as careful hides too much: the pads are gone, but the first target word sees 2 "
        "source words of 5.",
    },
)
def cross_mask():
    rng = np.random.default_rng(0)
    target, source = rng.normal(size=(6, 8)), rng.normal(size=(7, 8))
    causal, padding = causal_mask(6, 7), padding_mask([5], 7)[0, 0]
    masks = {
        "the causal mask": causal,
        "the two combined": combine_masks(causal, padding),
        "the padding mask": padding,
    }
    read = {name: attention(target, source, source, mask)[1] > 0 for name, mask in masks.items()}
    return next(name for name, seen in read.items() if seen[:, :5].all() and not seen[:, 5:].any())
