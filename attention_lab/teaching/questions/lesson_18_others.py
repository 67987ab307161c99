"""Questions of lesson 18, second half: convolutions, recurrent nets, and when to use which."""

import numpy as np

from attention_lab import GRU, KVCache, parameters
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.exercises.lesson_18 import offset_weights
from attention_lab.teaching.questions.question import question


@question(
    "distance-alone",
    lesson="18",
    source="Q133",
    text="The scores of a head depend on the distance j − i alone, for three offsets, and on nothing that the tokens "
    "hold. Away from the border, what is its output?",
    options={
        "a convolution whose kernel is positive and sums to 1": "Each row has the same few weights, moved on by one: "
        "that is a convolution. The softmax makes them positive, with sum 1.",
        "a convolution with any kernel": "It is a convolution, but not any: a softmax gives no negative weights. An "
        "edge detector, −1 and 1, takes two heads and a minus in W_o.",
        "no convolution: a softmax is not linear": "The softmax bends the scores, and these are fixed. What it gives "
        "are fixed numbers, and mixing values with them is linear.",
    },
)
def distance_alone():
    rng = np.random.default_rng(0)
    scores, value = 2 * rng.normal(size=3), rng.normal(size=(12, 1))
    bias = np.full((12, 12), -np.inf)
    for at, score in enumerate(scores):
        bias[np.eye(12, k=at - 1) > 0] = score
    output, weights = attention(np.zeros((12, 4)), np.zeros((12, 4)), value, bias)
    kernel = weights[5, 4:7]
    if not np.allclose(output[1:-1, 0], np.convolve(value[:, 0], kernel[::-1], "valid")):
        return "no convolution: a softmax is not linear"
    positive = (kernel > 0).all() and np.isclose(kernel.sum(), 1)
    return f"a convolution {'whose kernel is positive and sums to 1' if positive else 'with any kernel'}"


@question(
    "edge-by-two-heads",
    lesson="18",
    source="lesson",
    text="The kernel [−1, 0, 1] finds edges. How many heads that look at positions alone does it take, with W_o after "
    "them?",
    options={
        "1": "A head's weights are positive and sum to 1: of values that are all equal it gives that value, and an "
        "edge detector gives 0. No factor in W_o turns the one into the other.",
        "2": "One head reads the left neighbour, one the right, and W_o subtracts. With a head for each place, and W_o "
        "free, any kernel can be built.",
        "none can": "A single softmax has no minus. But W_o has, and it comes after the heads.",
    },
)
def edge_by_two_heads():
    value = np.random.default_rng(0).normal(size=12)
    wanted = value[2:] - value[:-2]
    left, right = (offset_weights(np.array(scores), 12) @ value for scores in ([50.0, 0, 0], [0, 0, 50.0]))
    ways = {"1": [left], "2": [left, right]}  # the best W_o for these heads
    for count, heads in ways.items():
        made = np.stack(heads, axis=-1)[1:-1]
        if np.allclose(made @ np.linalg.lstsq(made, wanted, rcond=None)[0], wanted):
            return count
    return "none can"


@question(
    "one-switch-of-a-hundred",
    lesson="18",
    source="lesson",
    text="100 tokens say whether a switch is pressed. Is the light on in the end? One head reads them with even "
    "weights. One token is changed, so the answer turns round. By how much does the head's output change?",
    options={
        "by 1/100 of what the token changed": "The more tokens, the less one of them counts, but the answer hangs on "
        "each. A recurrent net turns its state at each press, however long the text is.",
        "by all of it": "So it is in a recurrent net that has learned to turn its state. A mean over 100 tokens takes "
        "a hundredth from each.",
        "not at all": "It does change, a little. If what follows could see so small a step in any text, one head would "
        "do; that becomes harder with every token.",
    },
)
def one_switch_of_a_hundred():
    pressed = np.random.default_rng(0).integers(0, 2, size=(100, 1)).astype(float)
    other = pressed.copy()
    other[7] = 1 - other[7]
    asked, keys = np.zeros((1, 4)), np.zeros((100, 4))
    change = abs(attention(asked, keys, other)[0] - attention(asked, keys, pressed)[0]).item()
    return {1: "by all of it", 0: "not at all"}.get(
        round(change, 9), f"by 1/{1 / change:.0f} of what the token changed"
    )


@question(
    "a-day-of-a-meter",
    lesson="18",
    source="Q134",
    text="A meter gives a number every millisecond, for days, and after each an answer is due. The chip beside it has "
    "256 KiB of memory. What can run there: a GRU of width 64, or attention of width 64 with a cache of all it has "
    "read?",
    options={
        "the GRU alone": "Its state is 64 numbers after a second and after a day; with its matrices it fits. The cache "
        "takes 512 bytes a token: it is full after half a second.",
        "both": "Both can begin. A cache without an end grows by 512 bytes a millisecond, 44 gigabytes a day. With a "
        "window it would fit, and forget what is older.",
        "attention alone": "Neither its matrices nor a GRU's are the trouble. The past is: attention keeps all of it, "
        "a GRU a summary of one size.",
    },
)
def a_day_of_a_meter():
    layer, room, day = GRU(64, 64, rng=np.random.default_rng(0)), 256 * 1024, 24 * 3600 * 1000
    matrices = sum(array.nbytes for array in parameters(layer).values())
    state = layer(np.zeros((1, 64), np.float32)).nbytes
    cache = KVCache(1)
    cache.append(*np.zeros((2, 1, 64), np.float32))
    fits = matrices + state <= room, day * cache.nbytes <= room
    return {(True, False): "the GRU alone", (True, True): "both", (False, True): "attention alone"}.get(fits)


@question(
    "because-offset_weights",
    lesson="18",
    source="exercise",
    text="In `offset_weights` the rows at the border are divided by less than the others, because …",
    options={
        "there are fewer keys": "The softmax shares the weight among the keys that are there. A convolution with zeros "
        "around it does not: its border is darker.",
        "tokens at the border matter less": "Each row sums to one there too. It is how often a token is read that "
        "differs, not how its own row is made.",
        "else exp would overflow": "Each row's largest score is subtracted before, at the border too. What differs is "
        "over how many keys the sum runs.",
    },
)
def because_offset_weights():
    weights = offset_weights(np.zeros(5), 9)
    if not np.allclose(weights.sum(axis=-1), 1):
        return "tokens at the border matter less"
    fewer = (weights[0] > 0).sum() < (weights[4] > 0).sum()
    return "there are fewer keys" if fewer and weights[0, 0] > weights[4, 4] else "else exp would overflow"
