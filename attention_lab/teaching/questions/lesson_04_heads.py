"""Questions of lesson 04, first half: why several heads, how a token is split among them, and what they cost."""

import numpy as np

from attention_lab import MultiHeadAttention, parameters
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.functional import linear
from attention_lab.multi_head import merge_heads, split_heads
from attention_lab.teaching.questions.question import question


@question(
    "one-average-or-two",
    lesson="04",
    source="Q45",
    text="A single head reads two words, with values [1, 0] and [0, 1], and gives each the weight 0.5. In another net "
    "two heads share them: one reads the first word only, the other the second. Then the two values change places. "
    "Which output changes?",
    options={
        "the single head's": "One head does hold both words, but as a sum, and half of each is the same sum in either "
        "order: [0.5, 0.5] before and after.",
        "the two heads'": "Each head keeps its own slot: [1, 0, 0, 1] becomes [0, 1, 1, 0]. One head has one row of "
        "weights and one mean, and a mean of two forgets which was which.",
        "the outputs of both": "Both read both words, but the single head reads a mean, and [0.5, 0.5] does not say "
        "which word gave what.",
    },
)
def one_average_or_two():
    value, changed = np.eye(2), []
    for query in (np.zeros((1, 1, 2)), 50 * np.eye(2)[:, None]):  # (heads, one query, d_k)
        before, after = (merge_heads(attention(query, np.eye(2), words)[0]) for words in (value, value[::-1]))
        changed.append(not np.allclose(before, after))
    if all(changed):
        return "the outputs of both"
    return "the single head's" if changed[0] else "the two heads'" if changed[1] else "neither"


@question(
    "more-heads-cost",
    lesson="04",
    source="M14 Q46",
    text="The width d_model = 64 stays, and 1 head becomes 16 heads. What is 16 times as large afterwards?",
    options={
        "the parameters and the weights": "Sixteen heads look like sixteen times the work, but each is a sixteenth as "
        "wide: the four matrices hold 4 · 64² = 16,384 numbers either way.",
        "the attention weights only": "Every head has a map of its own, n × n weights, to be stored and normalised. "
        "The four matrices keep their 4 · 64² = 16,384 numbers.",
        "nothing: heads are free": "The parameters do stay, and so does the arithmetic of the matrix products. But "
        "100 words have 10,000 weights in one head and 160,000 in sixteen.",
    },
)
def more_heads_cost():
    x = np.random.default_rng(0).normal(size=(100, 64))
    sizes = []
    for num_heads in (1, 16):
        attend = MultiHeadAttention(64, num_heads, rng=np.random.default_rng(0))
        _, weights = attend(x)
        sizes.append((sum(array.size for array in parameters(attend).values()), weights.nbytes))
    growth = tuple(after / before for before, after in zip(*sizes, strict=True))
    if growth == (16, 16):
        return "the parameters and the weights"
    return "the attention weights only" if growth == (1, 16) else "nothing: heads are free"


@question(
    "split-or-project",
    lesson="04",
    source="Q47",
    text="Tokens of 12 features, 3 heads of 4. Program A cuts a token into three and gives each part a 4 × 4 matrix. "
    "Program B sends it through one 12 × 12 matrix and cuts the result. On how many features of the token does a "
    "head's query depend?",
    options={
        "4 in A, 12 in B": "After the matrix each number holds something of every feature, so in B a head sees the "
        "whole token. A cuts first, and each head is blind to 8 of 12.",
        "4 in A, 4 in B": "A head's query has 4 numbers in both, so it looks like a slice of the token. In B each of "
        "the 4 is a mixture of all 12 features.",
        "12 in A, 4 in B": "In B the cut comes last and seems to take the whole token away again. But it cuts what "
        "has been mixed; A cuts the token itself.",
    },
)
def split_or_project():
    rng = np.random.default_rng(0)
    token, W_small, W_q = rng.normal(size=(1, 12)), rng.normal(size=(3, 4, 4)), rng.normal(size=(12, 12))
    programs = {
        "A": lambda x: split_heads(x, 3) @ W_small,  # (heads, n, 4)
        "B": lambda x: split_heads(linear(x, W_q), 3),
    }
    counts = []
    for name, query in programs.items():
        moved = ~np.isclose(query(token + np.eye(12)), query(token)).all(-1)  # (heads, 12): a feature changed in each
        counts.append(f"{moved[0].sum()} in {name}")
    return ", ".join(counts)


@question(
    "column-blocks",
    lesson="04",
    source="Q48",
    text="One W_q, 64 × 64, gives the queries of 4 heads, and its result is split. Someone gives each head a matrix "
    "of its own instead, 64 × 16, drawn and learned apart from the others. What is gained?",
    options={
        "heads that are independent": "Sharing a matrix looks like a tie between heads, but no number of W_q serves "
        "two of them: head 1 uses columns 0 to 15, head 2 columns 16 to 31.",
        "a smaller number of parameters": "The matrices are narrower, but there are four: 4 · 64 · 16 = 64 · 64 = "
        "4,096 numbers in either case.",
        "nothing, they are its columns": "Side by side the four are one 64 × 64 matrix, and W_q's blocks of 16 "
        "columns are such four. One product is only faster than four.",
    },
)
def column_blocks():
    rng = np.random.default_rng(0)
    x, own = rng.normal(size=(5, 64)), rng.normal(size=(4, 64, 16))  # a matrix for each head
    W_q = np.concatenate(own, axis=1)  # the four side by side
    if W_q.shape != (64, 64):
        return "a smaller number of parameters"
    same = np.allclose(linear(x, W_q[:, 16:32]), x @ own[1]) and np.allclose(split_heads(linear(x, W_q), 4), x @ own)
    return "nothing, they are its columns" if same else "heads that are independent"


@question(
    "must-divide",
    lesson="04",
    source="Q49",
    text="Tokens have d_model = 9 features. Can multi-head attention have 2 heads with d_k = 77 each?",
    options={
        "no, 2 does not divide 9": "The usual d_k = d_model / h needs that, and keeps the cost the same for every h. "
        "It is a habit: the matrices may have any number of columns.",
        "yes, and it returns 154 features": "The two heads side by side are 154 wide, but W_o, 154 × 9, comes after "
        "them and leads back.",
        "yes, and it returns 9 features": "W_q, W_k and W_v are 9 × 154, W_o is 154 × 9. Any h and any d_k fit; they "
        "cost parameters, and divide nothing.",
    },
)
def must_divide():
    rng = np.random.default_rng(0)
    try:
        attend = MultiHeadAttention(9, 2, d_head=77, rng=rng)
    except ValueError:
        return "no, 2 does not divide 9"
    output, _ = attend(rng.normal(size=(20, 9)))
    return f"yes, and it returns {output.shape[-1]} features"


@question(
    "what-w-o-does",
    lesson="04",
    source="Q50",
    text="Four heads of 16 features stand side by side: as wide as d_model = 64 already. So W_o, 64 × 64, is left out. "
    "What is lost?",
    options={
        "nothing, as the width fits": "W_o does bring other widths back to d_model, and here none has to be. But "
        "without it a head reaches 16 of the 64 features, with it all 64.",
        "each head's way to all features": "The output is a sum, each head's result times its own 16 rows of "
        "W_o: every head writes to all 64 features, as loudly as its rows say.",
        "the mean of the four heads": "W_o does add heads up, but each goes through 16 rows of its own before that; a "
        "mean would send all four through the same rows.",
    },
)
def what_w_o_does():
    rng = np.random.default_rng(0)
    W_o = MultiHeadAttention(64, 4, rng=rng).W_o
    heads = rng.normal(size=(4, 6, 16))  # what four heads have read for six tokens
    silent = np.concatenate([np.zeros((1, 6, 16)), heads[1:]])
    mean = np.broadcast_to(heads.mean(0), heads.shape)
    if np.allclose(linear(merge_heads(heads), W_o), linear(merge_heads(mean), W_o)):
        return "the mean of the four heads"
    reached = []
    for matrix in (np.eye(64), W_o):  # without W_o, and with it
        same = np.isclose(linear(merge_heads(heads), matrix), linear(merge_heads(silent), matrix)).all(0)
        reached.append(np.sum(~same))
    return "each head's way to all features" if reached == [16, 64] else "nothing, as the width fits"


@question(
    "tiny-heads",
    lesson="04",
    source="M15 Q51",
    text="A head has d_k = 1: every query and every key is a single number. 200 tokens read one another. How many of "
    "the 200 keys can be the top key of some query?",
    options={
        "most of them": "200 different queries seem to make 200 choices. But a score is query times key, so the sign "
        "of the query decides alone: the largest key or the smallest.",
        "exactly two": "A positive query scores the largest key highest, a negative one the smallest. With d_k = 1 a "
        "head can ask for more or for less, and nothing else.",
        "only one": "The largest key does win for all positive queries; a negative query turns the order round, and "
        "the smallest key wins.",
    },
)
def tiny_heads():
    query, key = np.random.default_rng(0).normal(size=(2, 200, 1))
    _, weights = attention(query, key, key)
    favourites = len(set(weights.argmax(-1).tolist()))
    return {1: "only one", 2: "exactly two"}.get(favourites, "most of them")


@question(
    "because-multi_head_attention",
    lesson="04",
    source="exercise",
    text="The whole token goes through W_q, W_k and W_v first, and only then is it split into heads, because …",
    options={
        "a head then sees every feature": "Two tokens that differ only outside a head's slice would look the same to "
        "it. After the matrix, every number of a head depends on the whole token.",
        "it then needs fewer parameters": "It needs more: for 12 features and 3 heads 12 · 12 = 144 numbers, where "
        "three 4 × 4 matrices on slices have 48.",
        "its weights then sum to 1": "The softmax sees to that in every head, whatever its queries and keys were made "
        "from.",
    },
)
def because_multi_head_attention():
    rng = np.random.default_rng(0)
    W_q, W_slice = rng.normal(size=(12, 12)), rng.normal(size=(3, 4, 4))
    if W_q.size < W_slice.size:
        return "it then needs fewer parameters"
    twins = np.repeat(rng.normal(size=(1, 12)), 2, axis=0)
    twins[1, 4:] += 1  # outside the first head's slice
    split_first, project_first = split_heads(twins, 3) @ W_slice, split_heads(linear(twins, W_q), 3)
    _, weights = attention(split_first, split_first, split_first)
    if not np.allclose(weights.sum(-1), 1):
        return "its weights then sum to 1"
    told_apart = [not np.allclose(*queries[0]) for queries in (split_first, project_first)]
    return "a head then sees every feature" if told_apart == [False, True] else "no reason at all"
