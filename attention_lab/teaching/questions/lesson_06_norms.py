"""Questions of lesson 06, first half: where the norms stand, and over what they go."""

import numpy as np

from attention_lab import Encoder, EncoderBlock, FeedForward, LayerNorm
from attention_lab.functional import layer_norm
from attention_lab.teaching.questions.question import question


@question(
    "before-or-after",
    lesson="06",
    source="Q72",
    text="The last matrix of both sublayers is set to zero, so attention and feed-forward net add nothing. Which "
    "block hands x on as it came?",
    options={
        "the pre-norm block": "x + f(norm(x)) with f = 0 is x, to the last bit: the stream runs past every norm. The "
        "paper of 2017 has the other kind; both exist.",
        "the post-norm block": "The norm comes after the work, but after the sum as well: norm(x + 0) is norm(x), "
        "so x comes out with mean 0 and variance 1.",
        "both blocks": "Adding 0 changes neither, but a post-norm block then norms the sum: whatever came in, "
        "variance 1 goes out.",
    },
)
def before_or_after():
    x, kept = np.random.default_rng(0).normal(3, 2, size=(5, 8)), []
    for norm in ("pre", "post"):
        block = EncoderBlock(8, 2, 16, norm=norm)
        block.attention.W_o[:] = block.feed_forward.down.weight[:] = 0
        kept.append(np.array_equal(block(x)[0], x))
    names = {(True, False): "the pre-norm block", (False, True): "the post-norm block", (True, True): "both blocks"}
    return names[tuple(kept)]


@question(
    "inside-or-outside",
    lesson="06",
    source="Q73",
    text="“Pre-norm”: before the sublayer f, or before the addition? Which line does a pre-norm block compute?",
    options={
        "`x + f(norm(x))`": "“Pre” is before f: the norm is inside, on what f reads, and the sum is not normed. The "
        "block's output agrees with this line to rounding.",
        "`norm(x + f(x))`": "A norm after the sum is post-norm. It would give each token variance 1, and the output of "
        "our pre-norm block has more.",
        "`norm(x) + f(norm(x))`": "Norming once and using it twice looks tidy, but then the stream itself is normed: "
        "with f = 0 the block would not hand on x.",
    },
)
def inside_or_outside():
    x = np.random.default_rng(0).normal(3, 2, size=(5, 8))
    block = EncoderBlock(8, 2, 16, norm="pre", rng=np.random.default_rng(1))
    block.attention.W_o[:] = 0  # one sublayer is left: f
    f, norm = block.feed_forward, LayerNorm(8)
    lines = {
        "`x + f(norm(x))`": x + f(norm(x)),
        "`norm(x + f(x))`": norm(x + f(x)),
        "`norm(x) + f(norm(x))`": norm(x) + f(norm(x)),
    }
    output, _ = block(x)
    return next(line for line, result in lines.items() if np.allclose(result, output))


@question(
    "pre-norm-growth",
    lesson="06",
    source="M21 Q74",
    text="A pre-norm stream starts with standard deviation 1 and passes 64 sublayers; each reads it through a norm "
    "and adds numbers of variance 1. What is its standard deviation at the end?",
    options={
        "about 1": "Norms everywhere seem to stop any growth. But they norm what a sublayer reads, and the stream "
        "runs past them: 64 variances are added to the first.",
        "about 8": "Variances add up: 1 + 64 = 65, and √65 = 8.1. With what is added divided by √64 it ends at about "
        "1.4, and post-norm holds it at 1.",
        "about 65": "65 is the variance: 1 and 64 times 1. The standard deviation is its root, as the added numbers "
        "point in all directions.",
    },
)
def pre_norm_growth():
    rng = np.random.default_rng(0)
    x, norm = rng.normal(size=(20, 64)), LayerNorm(64)
    for _ in range(64):
        x = x + FeedForward(64, 64, rng=rng)(norm(x))
    std = x.std()
    return "about 1" if std < 2 else "about 65" if std > 40 else "about 8" if 6 < std < 10 else "something else"


@question(
    "last-norm",
    lesson="06",
    source="Q75",
    text="A pre-norm encoder has one more norm after its last block. Someone takes it out. What becomes of the "
    "output's standard deviation?",
    options={
        "it stays at 1": "Each block has two norms, so a last one looks superfluous. But they stand before the "
        "sublayers; nothing norms the sum that leaves the last block.",
        "it grows with depth": "The stream is a sum of all that was added: 1.4 after one block, above 4 after 16. The "
        "last norm is there so that what follows always reads 1.",
        "it shrinks with depth": "Attention takes means, and means are smaller than what they are taken of; but they "
        "are added to the stream, so it can only grow.",
    },
)
def last_norm():
    x, stds = np.random.default_rng(0).normal(size=(20, 32)), []
    for depth in (1, 4, 16):
        encoder = Encoder(depth, 32, 4, 64, rng=np.random.default_rng(1))
        encoder.final_norm = None
        stds.append(encoder(x)[0].std())
    if np.allclose(stds, 1, atol=0.1):
        return "it stays at 1"
    return "it grows with depth" if (np.diff(stds) > 0).all() else "it shrinks with depth"


@question(
    "layer-or-batch",
    lesson="06",
    source="Q76",
    text="A batch norm takes each feature's mean and variance over all tokens of a batch of two sentences. Sentence 2 "
    "is replaced by another. What becomes of sentence 1?",
    options={
        "it stays as it was": "It is another sentence, so it seems that nothing of it could be felt. But mean and "
        "variance were taken over both. A layer norm asks one token only.",
        "it changes, pads or not": "Mean and variance are shared by the batch, so each sentence hears of the others; "
        "pads join in as well. With a layer norm the change is exactly 0.",
        "it changes only by its pads": "Pads do enter the mean, which makes things worse. Without a single pad the "
        "tokens of sentence 2 do the same.",
    },
)
def layer_or_batch():
    rng, changed = np.random.default_rng(0), []
    for pads in (0, 2):
        batch = rng.normal(size=(2, 5, 8))
        batch[0, 5 - pads :] = 0
        other = np.stack([batch[0], rng.normal(2, 1, size=(5, 8))])
        # a layer norm over the last axis, which here holds all ten tokens: a batch norm
        before, after = (layer_norm(x.reshape(10, 8).T, np.ones(10), np.zeros(10)).T for x in (batch, other))
        changed.append(not np.allclose(before[: 5 - pads], after[: 5 - pads]))
    names = {(False, False): "it stays as it was", (True, True): "it changes, pads or not"}
    return names.get(tuple(changed), "it changes only by its pads")


@question(
    "norm-over-the-sentence",
    lesson="06",
    source="M20 Q77",
    text="A norm takes one mean and one variance over all tokens and features of a sentence. The last token is "
    "replaced. What changes in the normed vector of the first?",
    options={
        "nothing": "The first token is the same, but mean and variance are not: the last one is in both. Under a "
        "causal mask this is a leak of the future.",
        "its length alone": "The variance does stretch or shrink it, but the mean has moved as well, and subtracting "
        "another mean from each feature turns the vector.",
        "length and direction": "Mean and variance of the sentence carry news of the last token to the first: the "
        "future leaks. Over the last axis alone the change is exactly 0.",
    },
)
def norm_over_the_sentence():
    rng = np.random.default_rng(0)
    sentence = rng.normal(size=(6, 8))
    other = np.concatenate([sentence[:-1], rng.normal(2, 3, size=(1, 8))])
    before, after = (layer_norm(x.ravel(), np.ones(48), np.zeros(48))[:8] for x in (sentence, other))
    if np.allclose(before, after):
        return "nothing"
    cosine = before @ after / np.linalg.norm(before) / np.linalg.norm(after)
    return "its length alone" if np.isclose(cosine, 1) else "length and direction"


@question(
    "because-layer_norm",
    lesson="06",
    source="exercise",
    text="`layer_norm` takes its mean and variance over the last axis, the features of one token, because …",
    options={
        "no token then hears of another": "Each token is normed by its own numbers. Change one, and all others stay as "
        "they were, to the last bit: no leak, and no tie to the batch.",
        "each feature then averages 0": "That is what a mean over the tokens would give. Here each token averages 0, "
        "and a feature averages whatever it does.",
        "sentences differ in length": "A mean over 5 or over 7 tokens can be taken just as well. It runs; what it does "
        "is to mix the tokens.",
    },
)
def because_layer_norm():
    rng = np.random.default_rng(0)
    gain, bias = np.ones(8), np.zeros(8)
    x = rng.normal(1, 2, size=(6, 8))
    if np.allclose(layer_norm(x, gain, bias).mean(0), 0, atol=1e-3):
        return "each feature then averages 0"
    pooled = [layer_norm(rng.normal(size=n * 8), np.ones(n * 8), np.zeros(n * 8)) for n in (5, 7)]
    if not all(np.isfinite(numbers).all() for numbers in pooled):
        return "sentences differ in length"
    other = np.concatenate([x[:-1], rng.normal(size=(1, 8))])
    alone = np.array_equal(layer_norm(x, gain, bias)[:-1], layer_norm(other, gain, bias)[:-1])
    return "no token then hears of another" if alone else "no reason at all"


@question(
    "because-pre_norm",
    lesson="06",
    source="exercise",
    text="In a pre-norm block, `x + f(norm(x))`, it is x that is added and not norm(x), because …",
    options={
        "x then has a way of its own": "With f = 0 the result is x, bit by bit: through any number of blocks a signal "
        "can pass as it is. Adding norm(x) would norm it at each block.",
        "the sum then has variance 1": "The norm stands before f alone. x and f(norm(x)) both have a variance of "
        "about 1, so their sum has about 2: the stream grows.",
        "norm(x) has another shape": "A norm changes numbers and no shape, so norm(x) + f(norm(x)) runs without an "
        "error. This is why the fault is not noticed.",
    },
)
def because_pre_norm():
    rng = np.random.default_rng(0)
    x, norm = rng.normal(size=(20, 64)), LayerNorm(64)
    f = FeedForward(64, 64, rng=rng)
    if norm(x).shape != x.shape:
        return "norm(x) has another shape"
    if np.isclose((x + f(norm(x))).var(), 1, atol=0.3):
        return "the sum then has variance 1"
    f.down.weight[:] = 0
    own, normed = (np.array_equal(stream + f(norm(x)), x) for stream in (x, norm(x)))
    return "x then has a way of its own" if own and not normed else "no reason at all"


@question(
    "order-of-the-block",
    lesson="06",
    source="text C",
    text="How is an encoder block put together? A is attention, F the feed-forward net, N a norm, each with numbers of "
    "its own. Which lines are the pre-norm block of this course?",
    options={
        "`y = x + A(N(x))`, then `y + F(N(y))`": "Two sublayers, one after the other. Each reads a normed copy of the "
        "stream, and adds what it finds to the stream itself.",
        "`x + A(N(x)) + F(N(x))`": "Side by side: F does not see what A has found. Some models are built like this, "
        "and it saves time; ours is not.",
        "`y = N(x + A(x))`, then `N(y + F(y))`": "That is post-norm, the order of the first transformer. There the "
        "stream itself goes through each norm.",
    },
)
def order_of_the_block():
    x = np.random.default_rng(0).normal(3, 2, size=(5, 8))
    block = EncoderBlock(8, 2, 16, norm="pre", rng=np.random.default_rng(1))
    output, _ = block(x)

    def attend(x):
        return block.attention(x)[0]

    forward, norm = block.feed_forward, LayerNorm(8)  # the block's own norms are new too: gain 1, bias 0
    pre, post = x + attend(norm(x)), norm(x + attend(x))
    lines = {
        "`y = x + A(N(x))`, then `y + F(N(y))`": pre + forward(norm(pre)),
        "`x + A(N(x)) + F(N(x))`": pre + forward(norm(x)),
        "`y = N(x + A(x))`, then `N(y + F(y))`": norm(post + forward(post)),
    }
    return next(line for line, result in lines.items() if np.allclose(result, output))
