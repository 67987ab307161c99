"""Questions of lesson 16, first half: which part of a block costs what, and what grows."""

import numpy as np

from attention_lab import EncoderBlock, checkpoint, parameters
from attention_lab import Tensor as Recorded
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.exercises.lesson_16_cost import block_cost
from attention_lab.teaching.questions.question import question


@question(
    "larger-part",
    lesson="16",
    source="M24",
    text="An encoder block with d_model = 512 and d_ff = 2,048 reads 512 tokens. Count multiplications. Which part is "
    "larger: its matrices, or scores and mixing?",
    options={
        "scores and mixing, they grow with n²": "They do, and in the end they win. At 512 tokens they take 0.27 of "
        "1.88 thousand millions: a seventh of the block.",
        "the matrices, 6 times": "12 n d² for the four projections and the feed-forward part, 2 n² d for scores and "
        "mixing. At n = d that is 12 against 2.",
        "both are level, as n = d": "n² · d and n · d² are the same number there. But the matrices do the second 12 "
        "times, scores and mixing do the first twice.",
    },
)
def larger_part():
    block = EncoderBlock(512, 8, 2048, rng=np.random.default_rng(0))
    matrices = 512 * sum(array.size for array in parameters(block).values() if array.ndim == 2)
    *_, core = block_cost(512, 512, 2048)
    ratio = matrices / core
    found = "both are level, as n = d" if 0.8 < ratio < 1.25 else "scores and mixing, they grow with n²"
    return f"the matrices, {ratio:.0f} times" if ratio > 1.25 else found


@question(
    "crossing-of-the-block",
    lesson="16",
    source="Q123",
    text="The same block: d_model = 512, d_ff = 2,048. From how many tokens on do scores and mixing take more "
    "multiplications than all its matrices together?",
    options={
        "2,048": "At n = 4 d they pass the feed-forward part alone, 8 n d². The projections, 4 n d², come on top of "
        "that.",
        "1,024": "At n = 2 d they pass the four projections. The feed-forward part takes twice as much as these, and "
        "they have not passed that yet.",
        "3,072": "2 n² d = 12 n d² where n = 6 d. Below that, a block spends most of its time on products with "
        "matrices.",
    },
)
def crossing_of_the_block():
    for n in (1024, 2048, 3072):
        projections, feed_forward, core = block_cost(n, 512, 2048)
        if core >= projections + feed_forward:
            return f"{n:,}"
    return "none of them"


@question(
    "memory-of-scores",
    lesson="16",
    source="lesson",
    text="One head reads 16,384 tokens, in float32. How much memory does the matrix of its weights take?",
    options={
        "1 GiB": "16,384² = 2²⁸ numbers of 4 bytes. Eight heads make 8 GiB, each layer anew; and training keeps them "
        "all for the backward.",
        "4 MiB": "So much do its keys take, 16,384 rows of 64 numbers. The weights have a row of 16,384 numbers for "
        "every query.",
        "64 KiB": "That is one row of them. There is a row for each query.",
    },
)
def memory_of_scores():
    query = np.zeros((64, 64), np.float32)
    _, weights = attention(query, query, query)
    size = weights.nbytes * (16384 // 64) ** (2 if weights.size == 64 * 64 else 1)
    return "1 GiB" if size == 2**30 else "4 MiB" if size == 2**22 else "64 KiB"


@question(
    "shorter-than-wide",
    lesson="16",
    source="C62",
    text="A sentence of 50 tokens, d = 512. A recurrent layer multiplies each token with a (512, 512) matrix: n · d². "
    "Attention's scores and mixing take 2 · n² · d. How do they compare?",
    options={
        "attention takes about a fifth": "2 n / d = 100 / 512. As long as a text is shorter than half its width, all "
        "pairs of tokens are cheaper than one matrix.",
        "attention takes about 5 times as much": "The other way round: n is small here. The square belongs to the "
        "small number, 50, and in the matrix to the large one, 512.",
        "attention takes 50 times as much": "Each token meets 50 others, that is true, but each meeting takes 512 "
        "multiplications, and a matrix 262,144.",
    },
)
def shorter_than_wide():
    *_, core = block_cost(50, 512, 2048)
    ratio = core / (50 * 512**2)
    options = {
        "attention takes about a fifth": 0.2,
        "attention takes about 5 times as much": 5,
        "attention takes 50 times as much": 50,
    }
    return min(options, key=lambda name: abs(np.log(options[name] / ratio)))


@question(
    "because-block_cost",
    lesson="16",
    source="exercise",
    text="`block_cost` is not told the number of heads, because …",
    options={
        "h heads are each h times narrower": "Each head scores n² pairs with d_model / h multiplications: h times "
        "that is n² · d_model, whatever h is. What grows with h are the weights to keep.",
        "heads share their weights": "Each head has a map of its own, n² numbers. Together h maps: memory grows with "
        "the heads, multiplications do not.",
        "heads run side by side": "That may save time. The multiplications are all done, by whichever core.",
    },
)
def because_block_cost():
    x, counts = np.random.default_rng(0).normal(size=(6, 24)).astype(np.float32), set()
    for heads in (1, 3, 8):
        block = EncoderBlock(24, heads, 48, rng=np.random.default_rng(0))
        _, weights = block(x)
        if len(weights) != heads:
            return "heads share their weights"
        counts.add(weights.size * block.attention.d_head)
    return "h heads are each h times narrower" if len(counts) == 1 else "heads run side by side"


@question(
    "work-of-checkpoints",
    lesson="16",
    source="lesson",
    text="A backward takes about two forwards of work. Now each block keeps its input alone, and computes the rest "
    "anew when its backward is due. How much more work is a training step?",
    options={
        "about a third more": "1 + 2 becomes 1 + 1 + 2: every forward is done twice. For that, a block holds one array "
        "instead of all.",
        "twice as much": "Only the forward is done twice. The backward, the larger part, is done once as before.",
        "no more": "What was not kept must come from somewhere: the forward runs a second time.",
    },
)
def a_second_forward():
    calls = []
    x = Recorded(np.ones(3))
    checkpoint(lambda x: calls.append(1) or x * x, x).sum().backward()
    more = (len(calls) + 2) / (1 + 2)
    return {3: "no more", 4: "about a third more"}.get(round(3 * more), "twice as much")


@question(
    "longer-or-wider",
    lesson="16",
    source="text C",
    text="One head reads n tokens, with d numbers in each query, key and value. First n is doubled, then d instead. By "
    "what are the multiplications of scores and mixing multiplied, and by what the number of weights?",
    options={
        "n: by 4 and 4; d: by 2 and 1": "Time grows with n² · d, memory for the weights with n². A wider head makes "
        "each of the n² products longer, and no product more.",
        "n: by 2 and 2; d: by 4 and 4": "That is how the matrices of a layer grow, n · d². Scores are for pairs of "
        "tokens: it is n that counts twice.",
        "n: by 4 and 2; d: by 2 and 2": "The weights are n rows of n numbers, so they grow with n² as well. And d is "
        "summed over: it does not appear in their number.",
    },
)
def longer_or_wider():
    def cost(n, d):
        weights = attention(*np.ones((3, n, d)))[1].size
        return 2 * weights * d, weights

    at_first, more = cost(8, 4), {"n": cost(16, 4), "d": cost(8, 8)}
    by = {name: [now // before for now, before in zip(later, at_first, strict=True)] for name, later in more.items()}
    return "; ".join(f"{name}: by {multiplications} and {weights}" for name, (multiplications, weights) in by.items())
