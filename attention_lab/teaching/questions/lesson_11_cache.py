"""Questions of lesson 11, first half: what a step needs again, what a cache holds, and what it costs."""

import numpy as np

from attention_lab import Encoder, EncoderBlock, KVCache, LanguageModel, MultiHeadAttention, parameters
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.functional import linear
from attention_lab.multi_head import split_heads
from attention_lab.teaching.questions.question import question


@question(
    "what-is-not-kept",
    lesson="11",
    source="Q108",
    text="A causal model writes token by token. The step of one token is done. Which of this token's three vectors is "
    "read by no later step?",
    options={
        "its query": "A token asks once, in its own step. Later tokens ask with queries of their own and read its key "
        "and its value: these two are kept.",
        "its key": "Each later query is multiplied by it, to see how well this token matches. Without it the token "
        "could not be found again.",
        "its value": "It is what later tokens take from this one, wherever their queries match its key. Without it "
        "there would be nothing to mix.",
    },
)
def what_is_not_kept():
    rng = np.random.default_rng(0)
    vectors = dict(zip(("its query", "its key", "its value"), rng.normal(size=(3, 6, 8)), strict=True))
    before, _ = attention(*vectors.values(), is_causal=True)
    for name, rows in vectors.items():
        other = np.concatenate([rng.normal(size=(1, 8)), rows[1:]])  # another vector for the first token
        after, _ = attention(*{**vectors, name: other}.values(), is_causal=True)
        if np.array_equal(before[1:], after[1:]):
            return name


@question(
    "old-rows",
    lesson="11",
    source="Q109",
    text="Six tokens have gone through two layers; a seventh joins, and all is computed anew. How many of the six "
    "output rows change: with a causal mask, and without one?",
    options={
        "0 and 6": "Under a causal mask no row reads the new token, in no layer: old keys and values stay right. "
        "Without it all six read the new one, and all that was stored is stale.",
        "0 and 0": "The six tokens are the same, but without a mask each reads the seventh as well. A cache would hand "
        "out rows that are no longer true: it is for causal models.",
        "6 and 6": "Computing anew does not mean another result. With a causal mask each of the six reads what it read "
        "before, and gives the same row.",
    },
)
def old_rows():
    tokens = np.random.default_rng(0).normal(size=(7, 16))
    stack = Encoder(2, 16, 2, 32, rng=np.random.default_rng(1))
    changed = []
    for is_causal in (True, False):
        six, seven = (stack(tokens[:n], is_causal=is_causal)[0][:6] for n in (6, 7))
        changed.append((~np.isclose(six, seven, atol=1e-5)).any(-1).sum())
    return f"{changed[0]} and {changed[1]}"


@question(
    "what-the-cache-holds",
    lesson="11",
    source="Q110",
    text="A layer with a cache has read six tokens. What does the cache hold of them?",
    options={
        "their keys and values": "What attention reads, and nothing it has computed from that. Each step scores the "
        "new query against all keys, and does its softmax afresh.",
        "the outputs of attention": "An output is a mixture made for one query. The next token asks another question, "
        "and needs another mixture of the same values.",
        "the attention weights": "The weights belong to the queries of their time. A new query has a row of its own, "
        "from a softmax over old and new keys.",
    },
)
def what_the_cache_holds():
    rng = np.random.default_rng(0)
    x, attend, cache = rng.normal(size=(6, 16)), MultiHeadAttention(16, 2, rng=rng, dtype=np.float64), KVCache(9)
    output, weights = attend(x, cache=cache)
    key, value = (split_heads(linear(x, matrix), 2) for matrix in (attend.W_k, attend.W_v))
    kept = cache.append(key[:, :1], value[:, :1])  # gives back all that it holds, and the new one
    kept = [array[:, :-1] for array in kept]
    candidates = {
        "their keys and values": [key, value],
        "the outputs of attention": [split_heads(output, 2)] * 2,
        "the attention weights": [weights] * 2,
    }
    for name, arrays in candidates.items():
        if all(a.shape == b.shape and np.allclose(a, b) for a, b in zip(kept, arrays, strict=True)):
            return name


@question(
    "prompt-in-chunks",
    lesson="11",
    source="Q111",
    text="A prompt of eight tokens is read through a cache, first 3, then 1, then 4. How do the eight rows of logits "
    "compare with those of reading all eight at once, without a cache?",
    options={
        "equal but for rounding": "A cache saves work and approximates nothing. Where a cached text differs by more "
        "than rounding, look for wrong positions, or for a mask that starts at the wrong key.",
        "close, but not equal": "Caches in other places, of pictures say, do simplify. Here exactly the same keys and "
        "values are read, and only their projection is not repeated.",
        "equal for the first 3 only": "So it is where a chunk forgets those before it, or takes its first token for "
        "number 0. With positions that go on from what was seen, all eight agree.",
    },
)
def prompt_in_chunks():
    rng, about = np.random.default_rng(0), {"positions": "rotary", "dtype": np.float64}
    model = LanguageModel(20, 16, 2, 32, num_layers=2, max_len=8, rng=rng, **about)
    ids, caches = rng.integers(20, size=8), model.caches()
    chunks = [model(chunk, caches=caches)[0] for chunk in np.split(ids, [3, 4])]
    gap = np.abs(np.concatenate(chunks) - model(ids)[0]).max(-1)
    if gap.max() < 1e-9:
        return "equal but for rounding"
    return "equal for the first 3 only" if gap[:3].max() < 1e-9 else "close, but not equal"


@question(
    "scores-with-cache",
    lesson="11",
    source="M23 Q112",
    text="A model with a cache writes 1,000 tokens, one at a time. In one head of one layer, how many scores, query "
    "times key, are computed in all?",
    options={
        "1,000": "There are 1,000 queries. But each is scored against all keys so far, and they become more: a step "
        "is linear in the context, the whole text is not.",
        "500,500": "1 + 2 + … + 1,000: a step is linear, the whole text quadratic. Without a cache each step computes "
        "all rows anew: 1² + 2² + … + 1,000² = 333,833,500.",
        "333,833,500": "This is what it takes without a cache, where step n computes n × n scores. With one, step n "
        "computes a single row of n.",
    },
)
def scores_with_cache():
    cache, token, scores = KVCache(1000), np.zeros((1, 1)), 0
    for _ in range(1000):
        key, _ = cache.append(token, token)
        scores += len(token) * len(key)  # one query, all keys
    return f"{scores:,}"


@question(
    "double-the-context",
    lesson="11",
    source="Q113",
    text="A block with d_model = 128 and d_ff = 512 reads one new token with a cache. The context grows from 16 to 32 "
    "tokens. How much more does this step have to multiply?",
    options={
        "twice as much": "Scores and mixture do double. But they are 2 · 16 · 128 = 4,096 products, and the matrices "
        "take 196,608, whatever the context.",
        "about 2 in 100 more": "The block's matrices, 12 · 128² products a token, dwarf the scores while the text is "
        "short. And a step of a small model is mostly calls: a cache saves products, and hardly any time.",
        "four times as much": "n² scores are those of a whole text. A single new token has one row, of n scores, and "
        "next to the matrices even that is little.",
    },
)
def double_the_context():
    rng = np.random.default_rng(0)
    block, products = EncoderBlock(128, 8, 512, rng=rng), []
    for n in (16, 32):
        cache = KVCache(n)
        block(rng.normal(size=(n - 1, 128)), cache=cache)
        _, weights = block(rng.normal(size=(1, 128)), cache=cache)
        matrices = sum(array.size for array in parameters(block).values() if array.ndim == 2)
        products.append(matrices + 2 * weights.size * block.attention.d_head)  # scores, and the mixture
    growth = products[1] / products[0]
    return min(
        {"about 2 in 100 more": 1.02, "twice as much": 2, "four times as much": 4}.items(),
        key=lambda offer: abs(offer[1] - growth),
    )[0]


@question(
    "because-cache_append",
    lesson="11",
    source="exercise",
    text="`cache_append` writes the new keys into a buffer that is there from the start, instead of concatenating old "
    "and new ones, because …",
    options={
        "concatenating copies the past": "Each step would copy all keys so far: over 100 tokens 5,050 rows instead of "
        "100. The buffer is written where it stands, and the past stays in place.",
        "a buffer takes less memory": "At first it takes more: room for max_len tokens, with one of them there. It is "
        "time that is saved.",
        "concatenating mixes up the order": "Old ones first, then the new: the rows are the same, to the last bit. "
        "What differs is how often they are moved.",
    },
)
def because_cache_append():
    rng, cache = np.random.default_rng(0), KVCache(100)
    steps, grown, shared = rng.normal(size=(100, 1, 8)), np.empty((0, 8)), []
    kept, _ = cache.append(steps[0], steps[0])
    if cache.nbytes < 2 * steps[0].nbytes:
        return "a buffer takes less memory"
    for step in steps[1:]:
        grown, before = np.concatenate([kept, step]), kept
        kept, _ = cache.append(step, step)
        shared.append((np.shares_memory(kept, before), np.shares_memory(grown, before)))
        if not np.array_equal(kept, grown):
            return "concatenating mixes up the order"
    return "concatenating copies the past" if set(shared) == {(True, False)} else "no reason at all"
