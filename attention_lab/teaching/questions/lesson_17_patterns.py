"""Questions of lesson 17, first half: what a sparse pattern shows, how far it reaches, and what it saves."""

import numpy as np

from attention_lab import causal_mask, dilated_mask, global_mask, sliding_window_mask
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "window-as-a-mask",
    lesson="17",
    source="lesson",
    text="1,000 tokens, and a window of 10 as a boolean `mask` of `scaled_dot_product_attention`. How many of the "
    "million scores does it compute?",
    options={
        "all of them": "A mask hides what was computed: the scores of a whole matrix product, then -inf. To save them, "
        "the keys outside the window must not be multiplied in the first place.",
        "about 10,000": "So many are visible, and so many would be enough. But the function multiplies all queries "
        "with all keys, and only then looks at the mask.",
        "about half": "So many does a causal mask leave visible. Here, too, all are computed: a mask comes after the "
        "product.",
    },
)
def mask_saves_nothing():
    query = np.random.default_rng(0).normal(size=(1000, 4))
    _, weights = attention(query, query, query, sliding_window_mask(1000, window=10))
    share = weights.size / 1000**2  # the scores that a function holds are those it has computed
    return "all of them" if share == 1 else "about half" if share > 0.4 else "about 10,000"


@question(
    "reach-of-windows",
    lesson="17",
    source="Q128",
    text="Each token sees 4 keys under a causal window: itself and 3 before it. Three such layers stand on top of each "
    "other. How many tokens can the last one know of in the end?",
    options={
        "4": "That is one layer. But its neighbours have read their neighbours in the layer below, and hand on what "
        "they found. Nothing is pooled: it is passed on.",
        "10": "Each layer adds 3 new tokens, w − 1: 4, 7, 10. In general L layers reach L(w − 1) + 1.",
        "12": "3 times 4 counts three tokens twice: the oldest key of one layer is where the next one starts. A layer "
        "adds w − 1, not w.",
        "64": "4 times 4 times 4 is the number of paths. Most of them end at the same tokens: reach grows by steps of "
        "w − 1.",
    },
)
def reach_of_windows():
    mask = sliding_window_mask(40, window=4)
    return str(np.count_nonzero(np.linalg.matrix_power(mask.astype(int), 3)[-1]))


@question(
    "causal-global",
    lesson="17",
    source="lesson",
    text="A window of 4 on both sides, 40 tokens, and token 0 is global: it sees all and is seen by all. Two layers. "
    "Then a causal mask is put on top. How many tokens does the last one know of, before and after?",
    options={
        "40 and 8": "Without a causal mask token 0 collects from all, and hands on. Under one, it sees itself alone: "
        "the last token gains token 0, and keeps the 7 of its windows.",
        "40 and 40": "Everyone still sees token 0, that is true. But token 0 sees no one any more: what comes after it "
        "is its future.",
        "8 and 8": "8 is right for the causal mask. Without it, token 0 sees all 40 in the first layer, and the last "
        "token reads it in the second.",
    },
)
def causal_global():
    both_ways = sliding_window_mask(40, window=4, is_causal=False) | global_mask(40, positions=[0])
    masks = both_ways, both_ways & causal_mask(40)
    before, after = (np.count_nonzero((mask.astype(int) @ mask)[-1]) for mask in masks)
    return f"{before} and {after}"


@question(
    "dilated-alone",
    lesson="17",
    source="lesson",
    text="Every layer of a model has the same causal dilated mask: 3 keys, 4 apart, itself included. With as many "
    "layers as you like, how many of the 40 tokens up to number 39 can token 39 know of?",
    options={
        "all 40": "More layers reach further back, but always in steps of 4. The tokens between are never met: layers "
        "with other steps, or a window beside, must fetch them.",
        "10": "39, 35, 31, … 3: steps of 4 stay within their own quarter. So dilated layers are mixed with windows, or "
        "each layer has another dilation.",
        "3": "That is one layer. Its keys have read keys of their own, so each layer reaches 8 further back.",
    },
)
def dilated_alone():
    mask = dilated_mask(40, window=3, dilation=4).astype(int)
    reached = mask
    for _ in range(20):
        reached = ((reached @ mask) > 0).astype(int)
    count = np.count_nonzero(reached[-1])
    return f"all {count}" if count == 40 else f"{count}"


@question(
    "because-longformer_mask",
    lesson="17",
    source="exercise",
    text="`longformer_mask` asks for a global position among the queries and among the keys, because …",
    options={
        "news must come in and go out": "A row lets the global token collect from all, a column lets all read it. With "
        "both, any token reaches any other in two layers.",
        "attention weights are symmetric": "The mask is symmetric here, but weights never are: each row has a softmax "
        "of its own.",
        "a token would not see itself": "The window shows each token itself already. Row and column are there for "
        "everyone else.",
    },
)
def because_longformer_mask():
    near, star = sliding_window_mask(30, window=2, is_causal=False), global_mask(30, positions=[0])
    if not near.diagonal().all():
        return "a token would not see itself"
    row, column = star.copy(), star.copy()
    row[1:], column[0, 1:] = False, False  # only one of the two directions
    reached = [((near | part).astype(int) @ (near | part) > 0).all() for part in (star, row, column)]
    return "news must come in and go out" if reached == [True, False, False] else "attention weights are symmetric"


@question(
    "one-way-or-both",
    lesson="17",
    source="Q129",
    text="64 tokens, a window of 4 on both sides, two layers. Token 0 becomes global: first all may see it, and no "
    "more; then it may see all as well. How many tokens does the last one know of?",
    options={
        "11, then 64": "With the column alone token 0 has news of its own window only, and hands that on: 4 tokens on "
        "top of the last one's 7. Row and column together bring all to all in two layers.",
        "64, then 64": "All can ask token 0 at once, but what does it know? Without its row it has seen its own "
        "window, and no more than that.",
        "7, then 64": "7 is the reach of the two windows. The column adds a little: token 0, and what it found near "
        "itself in the first layer.",
    },
)
def one_way_or_both():
    near, star = sliding_window_mask(64, window=4, is_causal=False), global_mask(64, positions=[0])
    column = star & (np.arange(64) == 0)  # all see token 0
    masks = [(near | part).astype(int) for part in (column, star)]
    one_way, both = (np.count_nonzero((mask @ mask)[-1]) for mask in masks)
    return f"{one_way}, then {both}"
