"""Questions of lesson 11, second half: a full cache, padding on the left, and query heads that share keys."""

import numpy as np

from attention_lab import KVCache, LanguageModel, MultiHeadAttention, rotary_embedding
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "drop-the-oldest",
    lesson="11",
    source="Q115",
    text="A query's weights on four kept keys are [0.8, 0.1, 0.06, 0.04], the oldest first. The cache is full, and the "
    "oldest key is dropped. What weight has the second key now?",
    options={
        "0.10": "Its score is the same. But a row of weights sums to 1, and 0.8 of it has become free: the others "
        "share that.",
        "0.37": "A third of 0.8 for each would be fair shares. Softmax shares in proportion: all of them are "
        "multiplied by the same number.",
        "0.50": "0.1 / (0.1 + 0.06 + 0.04): all that stay weigh five times as much. Models often park weight on the "
        "first token, a sink; dropping the oldest drops just that.",
    },
)
def drop_the_oldest():
    cache = KVCache(3, on_full="slide")
    for weight in (0.8, 0.1, 0.06, 0.04):
        key, value = cache.append([[np.log(weight)]], [[0.0]])
    _, weights = attention([[1.0]], key, value)
    return f"{weights[0, -3]:.2f}"


@question(
    "left-padded",
    lesson="11",
    source="Q114",
    text="Prompts of a batch are filled up with pads in front, and a mask hides the pads. The positions are learned, "
    "and count from 0. Does the last token of a short prompt get the output it has alone?",
    options={
        "yes, the pads are hidden": "No word reads a pad. But with three pads in front the first word stands at place "
        "3, and the table gives it another vector than place 0.",
        "only if pads are not counted": "Count real tokens alone, `cumsum(mask) - 1`, and the output is the same. "
        "Rotary needs less care: a shift of all positions leaves its scores.",
        "no, not in any case": "Something of the batch does come in, but it is the positions, and they can be given: "
        "from 0 at the first real token.",
    },
)
def left_padded():
    rng = np.random.default_rng(0)
    model = LanguageModel(20, 16, 2, 32, num_layers=2, max_len=8, rng=rng, dtype=np.float64)
    ids = rng.integers(20, size=(1, 4))
    padded, mask = np.pad(ids, ((0, 0), (3, 0))), np.arange(7)[None] >= 3
    alone, counted = model(ids)[0][0, -1], model(padded, mask)[0][0, -1]
    real = np.maximum(mask.cumsum(-1) - 1, 0)
    uncounted = model(padded, mask, positions=real)[0][0, -1]
    if np.allclose(counted, alone):
        return "yes, the pads are hidden"
    return "only if pads are not counted" if np.allclose(uncounted, alone) else "no, not in any case"


@question(
    "repeat-or-tile",
    lesson="11",
    source="Q55",
    text="Query heads 0 to 5 share two key heads. Which query heads read with key head 0?",
    options={
        "0, 1, 2": "Neighbours share: the key heads are repeated, [0, 0, 0, 1, 1, 1]. Trained weights expect this "
        "pairing; the copies are only a way to write it down.",
        "0, 2, 4": "This is tiling, [0, 1, 0, 1, 0, 1]. It runs, and all shapes are right, but query heads 1 and "
        "4 read with keys they were not trained for.",
        "0, 1": "Two key heads suggest two query heads each, but 2 is how many groups there are; a group has 6 / 2 = 3 "
        "heads.",
    },
)
def repeat_or_tile():
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(6, 4, 8)), rng.normal(size=(2, 4, 8))
    changed = key * [[[2]], [[1]]]  # another key head 0
    _, before = attention(query, key, key, enable_gqa=True)
    _, after = attention(query, changed, key, enable_gqa=True)
    moved = ~np.isclose(before, after).all((-2, -1))
    return ", ".join(f"{head}" for head in np.flatnonzero(moved))


@question(
    "grouped-compute",
    lesson="11",
    source="Q56",
    text="Nine query heads share three key heads, where before each had its own. What shrinks to a third?",
    options={
        "the products for the scores": "A key head is used by three query heads, and each still multiplies its own "
        "queries with those keys: nine maps, as before.",
        "the stored keys and values": "W_k and W_v are a third as wide, and so is what is stored of each token. 30 "
        "layers with heads of 64: 46,080 bytes a token in float32, not 138,240.",
        "those products and the store": "What is stored of each token does shrink. But nine query heads still have "
        "nine maps of scores, n × n × d_k products each: sharing saves storage and the projections of keys and "
        "values, but no scores.",
    },
)
def grouped_compute():
    rng = np.random.default_rng(0)
    x, costs = rng.normal(size=(10, 16)), []
    for num_kv_heads in (9, 3):
        attend, cache = MultiHeadAttention(16, 9, num_kv_heads=num_kv_heads, d_head=64, rng=rng), KVCache(10)
        _, weights = attend(x, cache=cache)
        costs.append((weights.size * attend.d_head, cache.nbytes))
    products, kept = (3 * grouped == full for full, grouped in zip(*costs, strict=True))
    if products and kept:
        return "those products and the store"
    return "the products for the scores" if products else "the stored keys and values" if kept else "nothing"


@question(
    "because-left_pad_positions",
    lesson="11",
    source="exercise",
    text="`left_pad_positions` counts with `cumsum(mask) - 1`, True for a real token. The 1 is taken off because …",
    options={
        "the first real token is number 0": "cumsum counts it as 1. Less 1, the tokens have the places 0, 1, 2, … that "
        "they have alone, however many pads stand in front.",
        "a place of −1 hides the pads": "The pads do end up at −1, but a place hides nothing: without the mask their "
        "keys are read like any other. A learned table has no row −1, so set them to 0.",
        "the last token is number n − 1": "Only without pads, where n counts real tokens alone. With three pads and "
        "four tokens it has place 3, and n − 1 is 6.",
    },
)
def because_left_pad_positions():
    mask = np.arange(7) >= 3
    places = np.cumsum(mask) - 1
    x = np.random.default_rng(0).normal(size=(7, 8))
    turned = rotary_embedding(x, places)
    _, weights = attention(turned, turned, x)  # no mask
    if (weights[-1, :3] == 0).all():
        return "a place of −1 hides the pads"
    if places[-1] == len(mask) - 1:
        return "the last token is number n − 1"
    alone = rotary_embedding(x[3:])
    return "the first real token is number 0" if np.array_equal(turned[3:], alone) else "no reason at all"


@question(
    "ten-more-tokens",
    lesson="11",
    source="M23 Q112 again",
    text="A prompt of a hundred tokens has gone through a cache. Ten more are written, one at a time. In one head of "
    "one layer, how many scores do these ten steps take?",
    options={
        "10": "There are ten new queries. But each is scored against every key so far, the prompt's and its own too: "
        "101 keys at first, 110 at last.",
        "55": "1 + 2 + … + 10 counts the new keys alone. The hundred of the prompt are kept to be read: each step has "
        "one score for each of them as well.",
        "1,055": "101 + 102 + … + 110. A cache spares the keys of the past from being made again, not from being "
        "scored: the longer the prompt, the more a token costs.",
    },
)
def ten_more_tokens():
    cache, scores = KVCache(110), 0
    cache.append(np.zeros((100, 1)), np.zeros((100, 1)))
    for _ in range(10):
        key, _ = cache.append(np.zeros((1, 1)), np.zeros((1, 1)))
        scores += len(key)  # one query, all keys
    return f"{scores:,}"
