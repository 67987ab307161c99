"""Questions of lesson 08, first half: the loss, what is to be predicted, the first step, and scores that grow."""

import numpy as np

from attention_lab import Adam, Linear, causal_mask, clip_gradients, cross_entropy
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.attention import scaled_scores
from attention_lab.functional import rms_norm
from attention_lab.teaching.questions.question import question


@question(
    "loss-at-the-start",
    lesson="08",
    source="lesson",
    text="An untrained model gives each of 50 tokens about the same probability. What is its cross-entropy?",
    options={
        "about 0.02": "This is 1/50, the probability it gives the right token. The loss is minus the logarithm of "
        "that: the smaller the probability, the larger the loss.",
        "about 0.98": "This is how often a guess is wrong. The loss does not count hits and misses; it is −log of the "
        "probability of the right token.",
        "about 3.9": "−log(1/50) = log 50 = 3.91. A first loss far above it is a model that is sure of something "
        "wrong: logits that start too large.",
    },
)
def loss_at_the_start():
    rng = np.random.default_rng(0)
    logits = Linear(64, 50, variance=0.01, rng=rng)(rng.normal(size=(500, 64)))
    loss = cross_entropy(logits, rng.integers(50, size=500))
    return min(("about 0.02", "about 0.98", "about 3.9"), key=lambda option: abs(float(option[6:]) - loss))


@question(
    "loss-of-two-classes",
    lesson="08",
    source="lesson again",
    text="An untrained classifier gives each of two classes about the same probability. What is its cross-entropy?",
    options={
        "about 0.50": "This is the probability of the right class, and also how often a guess is wrong. The loss is "
        "−log of that probability.",
        "about 0.69": "−log(1/2) = log 2 = 0.69. With 50 tokens it was log 50 = 3.91: a first loss is judged by the "
        "number of classes.",
        "about 1.00": "This is one bit, log₂ 2. Our loss takes the natural logarithm, and a bit is 0.69 nats.",
    },
)
def loss_of_two_classes():
    rng = np.random.default_rng(0)
    logits = Linear(64, 2, variance=0.01, rng=rng)(rng.normal(size=(500, 64)))
    loss = cross_entropy(logits, rng.integers(2, size=500))
    return min(("about 0.50", "about 0.69", "about 1.00"), key=lambda option: abs(float(option[6:]) - loss))


@question(
    "shift-by-one",
    lesson="08",
    source="lesson",
    text="A causal model should predict the next token. Someone forgets the shift, and gives it the same ids as input "
    "and as target. What does it learn?",
    options={
        "nothing, the mask hides them": "A causal mask hides what comes later. A token is not hidden from itself, and "
        "here that is already the answer.",
        "to copy, with a loss near 0": "Each position reads its own token and says it again: no attention is needed. "
        "The loss is splendid, and on the next token it is worse than chance.",
        "the next token, but slower": "Nothing in the targets speaks of the next token. The loss falls, and faster "
        "than ever: copying is the easiest task there is.",
    },
)
def shift_by_one():
    ids = np.random.default_rng(0).integers(50, size=(20, 30))
    if not causal_mask(30).diagonal().all():
        return "nothing, the mask hides them"
    logits = 10 * np.eye(50)[ids]  # the way from a token past attention to the logits: it says itself
    unshifted, shifted = cross_entropy(logits, ids), cross_entropy(logits[:, :-1], ids[:, 1:])
    copies = unshifted < 0.1 and shifted > np.log(50)
    return "to copy, with a loss near 0" if copies else "the next token, but slower"


@question(
    "reversed-map",
    lesson="08",
    source="lesson",
    text="A model with one attention layer reads eight tokens and must give them back in reverse order, all at once. "
    "Which map of weights, queries down and keys across, does the job?",
    options={
        "the diagonal": "Each position would read itself and give back its own token: the sequence as it came.",
        "the anti-diagonal": "Position i reads position 7 − i: from the upper right to the lower left. With this map "
        "and values that are the tokens, all eight are right.",
        "the last column": "A person would wait for the end and then begin. But all keys are there at once, and the "
        "last position alone knows one token, not eight.",
    },
)
def reversed_map():
    tokens = np.random.default_rng(0).permutation(8)
    to_last = np.zeros((8, 8))
    to_last[:, -1] = 1
    maps = {"the diagonal": np.eye(8), "the anti-diagonal": np.eye(8)[::-1], "the last column": to_last}
    for name, wanted in maps.items():
        read, _ = attention(100 * wanted, np.eye(8), np.eye(8)[tokens])
        if (read.argmax(-1) == tokens[::-1]).all():
            return name


@question(
    "first-adam-step",
    lesson="08",
    source="Q92",
    text="Two parameters have gradients of 100 and 0.01. How far does Adam's first step move them, at a learning "
    "rate of 0.001?",
    options={
        "0.1 and 0.00001": "Learning rate times gradient is plain gradient descent. Adam divides the gradient by a "
        "running mean of its own size, and after one step that mean is the gradient itself.",
        "0.001 and 0.001": "g / √g² is ±1, whatever g: each parameter moves by the whole learning rate, also one that "
        "hardly matters. This is why one warms up.",
        "0.001 and 0": "A small gradient does not count as none. It is divided by its own size, and the ε = 0.00000001 "
        "below is far smaller still.",
    },
)
def first_adam_step():
    layer = Linear(1, 2, bias=False, dtype=np.float64)
    before = layer.weight.copy()
    Adam(layer, lr=0.001).step({"weight": np.array([[100, 0.01]])})
    moved = np.abs(layer.weight - before).ravel()
    return " and ".join(f"{distance:.6f}".rstrip("0").rstrip(".") for distance in moved)


@question(
    "because-warmup",
    lesson="08",
    source="exercise",
    text="With Adam, the learning rate rises from near 0 over the first steps, because …",
    options={
        "first steps are full-sized guesses": "The first step is ±1 learning rate for each parameter, on one noisy "
        "batch. Later, noise averages out in Adam's mean, and steps shrink by themselves.",
        "first gradients are too small": "Then a larger rate would help, not a smaller one. And Adam does not care: "
        "gradients 1,000 times as small give the same step.",
        "first batches are learned by heart": "One step on a batch is soon overlaid by hundreds of others. The harm is "
        "another one: full steps of all parameters, in directions that are nearly chance.",
    },
)
def because_warmup():
    rng, steps = np.random.default_rng(0), {}
    for size in (1, 0.001):
        layer = Linear(1, 500, bias=False, dtype=np.float64)
        optimizer = Adam(layer, lr=0.01)
        for count in range(1, 51):  # a gradient of 0.1 under noise of 1: one batch says little
            before = layer.weight.copy()
            optimizer.step({"weight": size * rng.normal(0.1, 1, size=(1, 500))})
            steps[size, count] = np.abs(layer.weight - before).mean() / 0.01
    if steps[0.001, 1] < 0.5 * steps[1, 1]:
        return "first gradients are too small"
    guess = steps[1, 1] > 0.99 and steps[1, 50] < 0.5
    return "first steps are full-sized guesses" if guess else "first batches are learned by heart"


@question(
    "start-scale",
    lesson="08",
    source="Q93",
    text="An untrained layer reads eight tokens, d = 16. W_q and W_k are drawn four times as large as usual. Before "
    "any training, what is the largest weight of a row, on average?",
    options={
        "about 1/8, all alike": "Random queries should have no favourite, and the scores are divided by √16. But W_q "
        "and W_k bring a factor of 4 each: the scores spread 16 times as far.",
        "about 0.35, as before": "Any random start would do if its scale were washed out. But the scores grow by 16, "
        "and softmax makes of that one weight and seven zeros.",
        "above 0.8, one key has all": "Scores have a deviation near 16 instead of 1. Almost every row is saturated by "
        "chance, and almost no gradient comes back to mend it.",
    },
)
def start_scale():
    rng = np.random.default_rng(0)
    x, (W_q, W_k) = rng.normal(size=(100, 8, 16)), rng.normal(size=(2, 16, 16))  # 4 times N(0, 1/16)
    largest = attention(x @ W_q, x @ W_k, x)[1].max(-1).mean()
    if largest > 0.8:
        return "above 0.8, one key has all"
    return "about 1/8, all alike" if largest < 0.2 else "about 0.35, as before"


@question(
    "bounded-logits",
    lesson="08",
    source="Q94",
    text="Late in a long run the scores of a head, d_k = 64, grow and grow, until softmax is saturated. Which of "
    "these sets a bound that they can never pass?",
    options={
        "clipping the gradients": "A clipped gradient is a shorter step, but there is always a next one. A thousand "
        "steps the same way add up to a thousand times the length.",
        "a smaller learning rate": "It delays, and does not stop: with a tenth of the rate, the scores are there after "
        "ten times as many steps.",
        "norming queries and keys": "With a mean square of 1 each vector has length 8, so no scaled score passes "
        "8 · 8 / 8 = 8, whatever the matrices. A soft cap, c · tanh(s / c), bounds them by c.",
    },
)
def bounded_logits():
    rng = np.random.default_rng(0)
    x, ones, largest = rng.normal(size=(20, 64)), np.ones(64), {}
    for steps in (1_000, 1_000_000):  # all the same way
        (step, _) = clip_gradients({"W_q": rng.normal(size=(64, 64))}, 1.0)
        q = 0.01 * steps * x @ step["W_q"]
        largest["clipping the gradients", steps] = scaled_scores(q, x).max()
        largest["a smaller learning rate", steps] = scaled_scores(0.1 * q, x).max()
        largest["norming queries and keys", steps] = scaled_scores(rms_norm(q, ones), rms_norm(x, ones)).max()
    return next(name for name, steps in largest if steps == 1_000_000 and largest[name, steps] <= 8)
