"""Questions of lesson 06, second half: the norm's numbers, the feed-forward net, and the stream both add to."""

import numpy as np

from attention_lab import FeedForward, LayerNorm, Linear, MultiHeadAttention
from attention_lab.activations import relu
from attention_lab.functional import layer_norm, linear
from attention_lab.teaching.questions.question import question


@question(
    "gain-per-feature",
    lesson="06",
    source="Q78",
    text="x is (2 sentences, 10 tokens, 64 features). Layer norm takes a mean and a variance of each token. How many "
    "numbers has its gain?",
    options={
        "one for each feature": "64. Mean and variance are taken anew for each token; the gain is learned, and "
        "stretches a feature alike at every token.",
        "one for each token": "Mean and variance do belong to a token, so there are 20 of each. A gain of that shape "
        "would fit sentences of one length only, and could undo the norm.",
        "one for each entry": "That would be 1,280 gains, learned for one length: a sentence of 11 tokens would find "
        "none for its last token.",
    },
)
def gain_per_feature():
    x, norm = np.random.default_rng(0).normal(size=(2, 10, 64)), LayerNorm(64)
    norm(x), norm(x[:, :7])  # one norm for either length
    return {
        x.shape[-1]: "one for each feature",
        x[..., 0].size: "one for each token",
        x.size: "one for each entry",
    }[norm.gain.size]


@question(
    "ddof",
    lesson="06",
    source="Q79",
    text="Tokens have 4 features. A layer norm is written with `x.std(-1, ddof=1)`, which divides by 3 under its root "
    "where `var` divides by 4. By what factor does its output differ from ours?",
    options={
        "0.87": "√(3/4): its deviation is larger, so the quotient is smaller. At 512 features it would be 0.999: such "
        "a fault shows in small tests only.",
        "1.00": "Both are called standard deviation, and at 512 features the factor is 0.999. At 4 it is √(3/4) = "
        "0.87, and weights trained with one norm do not fit the other.",
        "1.15": "√(4/3) is how much larger its deviation is. The output is divided by that, so its factor is the "
        "inverse, 0.87.",
    },
)
def ddof():
    x = np.random.default_rng(0).normal(size=(100, 4))
    ours = layer_norm(x, np.ones(4), np.zeros(4))
    theirs = (x - x.mean(-1, keepdims=True)) / (x.std(-1, ddof=1, keepdims=True) + 1e-5)
    return f"{np.median(theirs / ours):.2f}"


@question(
    "feed-forward-for",
    lesson="06",
    source="Q80",
    text="Attention has 4 d² parameters, the feed-forward net after it 8 d² (with d_ff = 4 d): two thirds of the "
    "block. What does that net do?",
    options={
        "mix the tokens once more": "So many parameters look like room for mixing. But the net has no axis of tokens: "
        "change token 3 of 6, and of its output only row 3 moves.",
        "bend each token by itself": "Only row 3 moves when token 3 changes, and f(x + y) is not f(x) + f(y). With its "
        "weights given, attention is a mean, which cannot bend anything.",
        "map each token linearly": "Two matrices and nothing else would be one linear map. The ReLU between them is "
        "the point: f(x + y) is not f(x) + f(y).",
    },
)
def feed_forward_for():
    rng = np.random.default_rng(0)
    net, (x, y) = FeedForward(8, 32, rng=rng), rng.normal(size=(2, 6, 8))
    changed = x.copy()
    changed[3] += 1
    if np.flatnonzero(~np.isclose(net(x), net(changed)).all(-1)).tolist() != [3]:
        return "mix the tokens once more"
    linearly = np.allclose(net(x + y), net(x) + net(y))
    return "map each token linearly" if linearly else "bend each token by itself"


@question(
    "is-attention-linear",
    lesson="06",
    source="Q81",
    text="Self-attention makes queries, keys and values of the tokens x. First x is doubled. Then, instead, only the "
    "values are. When is the output exactly doubled?",
    options={
        "when x is doubled": "Every projection of x does double. But then each score is 4 times as large, the "
        "weights become sharper, and another mean is taken.",
        "when the values are doubled": "The weights stay, and the output is their mean of the values: linear in V. In "
        "x it is not, because softmax weighs scores that are products of x with x.",
        "in both cases": "Every projection is linear, and for the values that is enough. The scores, though, grow by "
        "2 · 2 = 4, and softmax does not hand a factor on.",
    },
)
def is_attention_linear():
    rng = np.random.default_rng(0)
    x, attend = rng.normal(size=(6, 8)), MultiHeadAttention(8, 2, rng=rng)
    output, _ = attend(x)
    of_x = np.allclose(attend(2 * x)[0], 2 * output)
    of_values = np.allclose(attend(x, x, 2 * x)[0], 2 * output)
    if of_x and of_values:
        return "in both cases"
    return "when x is doubled" if of_x else "when the values are doubled" if of_values else "never"


@question(
    "without-residuals",
    lesson="06",
    source="Q82",
    text="Sixteen random tokens go through three untrained layers of multi-head attention. "
    "Nothing is added back: each layer's output replaces its input. How alike are two tokens at the end?",
    options={
        "cosine near 0, as they began": "Random tokens do begin there. But every layer replaces a token by means over "
        "all tokens, and means over the same things come out alike.",
        "cosine near 0.5, half alike": "Each token seems to keep some share of itself, but nothing hands it on: "
        "after three layers the mean cosine is above 0.9.",
        "cosine near 1, all the same": "Means of means: at 1.00 the tokens cannot be told apart. A residual keeps "
        "each token in the sum, so that it stays itself for longer.",
    },
)
def without_residuals():
    rng = np.random.default_rng(0)
    x, norm = rng.normal(size=(16, 64)), LayerNorm(64)
    for _ in range(3):
        x, _ = MultiHeadAttention(64, 4, rng=rng)(norm(x))
    unit = x / np.linalg.norm(x, axis=-1, keepdims=True)
    cosine = (unit @ unit.T)[~np.eye(16, dtype=bool)].mean()
    if cosine > 0.9:
        return "cosine near 1, all the same"
    return "cosine near 0, as they began" if cosine < 0.2 else "cosine near 0.5, half alike"


@question(
    "add-or-concatenate-stream",
    lesson="06",
    source="Q83",
    text="To lose nothing, each sublayer sets its output beside its input instead of adding it; what it reads and "
    "what it gives are equally wide. The stream begins with 64 features. How wide is it after 4 sublayers?",
    options={
        "128": "Input and output side by side are twice as wide, but once for each sublayer: the second reads 128 "
        "features and leaves 256.",
        "320": "64 more for each sublayer would need outputs that stay 64 wide; here each is as wide as the stream it "
        "reads, and that grows.",
        "1,024": "It doubles each time, and a sublayer's matrix has 4 times the parameters of the one before. A sum "
        "stays 64 wide, and every sublayer reads and writes the same stream.",
    },
)
def add_or_concatenate_stream():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 64))
    for _ in range(4):
        width = x.shape[-1]
        x = np.concatenate([x, Linear(width, width, rng=rng)(x)], axis=-1)
    return f"{x.shape[-1]:,}"


@question(
    "because-feed_forward",
    lesson="06",
    source="exercise",
    text="Between the two linear maps of the feed-forward net stands `relu(x @ W_1 + b_1)`, because …",
    options={
        "without it the two maps are one": "(x W₁ + b₁) W₂ + b₂ is x (W₁ W₂) + (b₁ W₂ + b₂): one matrix of d × d and "
        "one bias, whatever the width between.",
        "the output must not be negative": "It is what goes into the second map that is not negative; that map has "
        "weights of both signs, and so has its output.",
        "it brings the variance to 1": "It takes away half of the mean square of normal numbers; a norm, or larger "
        "weights behind it, makes up for that.",
    },
)
def because_feed_forward():
    rng = np.random.default_rng(0)
    x, W_1, W_2 = rng.normal(size=(500, 8)), rng.normal(size=(8, 32)) / np.sqrt(8), rng.normal(size=(32, 8))
    b_1, b_2 = rng.normal(size=32) / 4, rng.normal(size=8)
    inner = linear(x, W_1, b_1)
    if (linear(relu(inner), W_2, b_2) >= 0).all():
        return "the output must not be negative"
    if abs(relu(inner).var() - 1) < 0.2:
        return "it brings the variance to 1"
    one = linear(x, W_1 @ W_2, b_1 @ W_2 + b_2)
    bare, bent = (np.allclose(linear(z, W_2, b_2), one) for z in (inner, relu(inner)))
    return "without it the two maps are one" if bare and not bent else "no reason at all"
