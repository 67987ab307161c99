"""Lesson 20: find heads by a score, and read a stream out before its last block."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def induction_score(weights, period):
    weights = np.stack(weights)  # (layers, heads, n, n)
    rows = np.arange(weights.shape[-1])[-period:]  # the last round
    keys = rows - period + 1  # score: what followed the same token, one round before
    return weights[..., rows, keys].mean(axis=-1)  # (layers, heads)


def previous_token_head(weights):
    weights = np.stack(weights)  # (layers, heads, n, n)
    rows = np.arange(1, weights.shape[-1])  # the first token has none before it
    scores = weights[..., rows, rows - 1].mean(axis=-1)  # score: (layers, heads)
    return np.unravel_index(scores.argmax(), scores.shape)


# induction_score -------------------------------------------------------------------------------------------


@diagnosed(
    "You look at the same token, one round before. That is where a search would match, but the head reads one place "
    "further, at what followed: `rows - period + 1`."
)
def faulty_induction_score_same_token(weights, period):
    weights = np.stack(weights)
    rows = np.arange(weights.shape[-1])[-period:]
    keys = rows - period  # score: the same token, one round before
    return weights[..., rows, keys].mean(axis=-1)


@diagnosed(
    "You look two places behind the match. What followed the same token stands one place behind it: "
    "`rows - period + 1`."
)
def faulty_induction_score_one_further(weights, period):
    weights = np.stack(weights)
    rows = np.arange(weights.shape[-1])[-period:]
    return weights[..., rows, rows - period + 2].mean(axis=-1)


@diagnosed(
    "You look at the token right before each row. That finds heads which look back by one, whatever stands there: "
    "go back a whole period, then one place on."
)
def faulty_induction_score_previous(weights, period):
    weights = np.stack(weights)
    rows = np.arange(weights.shape[-1])[-period:]
    return weights[..., rows, rows - 1].mean(axis=-1)


@diagnosed(
    "You take all rows. Those of the first round have seen nothing twice: their `rows - period + 1` is below 0 and "
    "counts from the end, a hidden key. Take the last `period` rows alone."
)
def faulty_induction_score_all_rows(weights, period):
    weights = np.stack(weights)
    rows = np.arange(weights.shape[-1])
    return weights[..., rows, rows - period + 1].mean(axis=-1)


@diagnosed(
    "You index the weights as [key, query]. Under a causal mask those cells are all hidden, and 0. "
    "Rows are queries: `weights[..., rows, keys]`."
)
def faulty_induction_score_turned(weights, period):
    weights = np.stack(weights)
    rows = np.arange(weights.shape[-1])[-period:]
    return weights[..., rows - period + 1, rows].mean(axis=-1)


@diagnosed(
    "You keep each head's best row. One lucky row then makes a copying head of any head: take the mean over the rows."
)
def faulty_induction_score_best_row(weights, period):
    weights = np.stack(weights)
    rows = np.arange(weights.shape[-1])[-period:]
    return weights[..., rows, rows - period + 1].max(axis=-1)


@diagnosed(
    "You average over the heads too, so a layer with one copying head of three seems to have none. "
    "Each head gets a number of its own: `.mean(axis=-1)`, over the rows alone."
)
def faulty_induction_score_all_heads(weights, period):
    weights = np.stack(weights)
    rows = np.arange(weights.shape[-1])[-period:]
    return weights[..., rows, rows - period + 1].mean(axis=(-2, -1))


# previous_token_head ---------------------------------------------------------------------------------------


@diagnosed("Your head looks at the token itself. One place back is the key `rows - 1`, below the diagonal of the map.")
def faulty_previous_token_head_itself(weights):
    weights = np.stack(weights)
    rows = np.arange(weights.shape[-1])
    scores = weights[..., rows, rows].mean(axis=-1)  # score: the diagonal
    return np.unravel_index(scores.argmax(), scores.shape)


@diagnosed(
    "Your head is the one that looks most at the first token: a sink. It gives nearly all rows the same key. "
    "Look for the one whose key moves with the row: `rows - 1`."
)
def faulty_previous_token_head_first(weights):
    scores = np.stack(weights)[..., 0].mean(axis=-1)
    return np.unravel_index(scores.argmax(), scores.shape)


@diagnosed("Your head looks two tokens back. The token before row i is key i − 1.")
def faulty_previous_token_head_two_back(weights):
    weights = np.stack(weights)
    rows = np.arange(2, weights.shape[-1])
    scores = weights[..., rows, rows - 2].mean(axis=-1)
    return np.unravel_index(scores.argmax(), scores.shape)


@diagnosed(
    "You choose by a single row: the one in which a head looks back most. Your head does it now and then. "
    "Choose by the mean over all rows."
)
def faulty_previous_token_head_best_row(weights):
    weights = np.stack(weights)
    rows = np.arange(2, weights.shape[-1])
    scores = weights[..., rows, rows - 1].max(axis=-1)
    return np.unravel_index(scores.argmax(), scores.shape)


@diagnosed(
    "You choose the layer whose heads look back most together, then its best head. A single head of another layer does "
    "it more than any of these: compare all heads at once, `scores.argmax()` over both axes."
)
def faulty_previous_token_head_layer_first(weights):
    weights = np.stack(weights)
    rows = np.arange(1, weights.shape[-1])
    scores = weights[..., rows, rows - 1].mean(axis=-1)
    layer = scores.mean(axis=-1).argmax()
    return layer, scores[layer].argmax()


@diagnosed(
    "You split the place with the number of layers. Counted along all heads, it is layer · heads + head: "
    "`divmod(place, heads)`, or `np.unravel_index(place, scores.shape)`."
)
def faulty_previous_token_head_by_layers(weights):
    weights = np.stack(weights)
    rows = np.arange(1, weights.shape[-1])
    scores = weights[..., rows, rows - 1].mean(axis=-1)
    return divmod(int(scores.argmax()), len(scores))


@diagnosed("You return the head before its layer. Asked is (layer, head), in this order.")
def faulty_previous_token_head_swapped(weights):
    layer, head = previous_token_head(weights)
    return head, layer


def _causal(rng, layers, heads, n, **planted):
    """Causal weights, a list with one array a layer; `planted` are maps (n, n) by their place, as ``L2H1=map``."""
    weights = [rng.dirichlet(np.ones(n), size=(heads, n)) * np.tri(n) for _ in range(layers)]
    for place, map in planted.items():
        layer, head = (int(number) for number in place[1:].split("H"))
        weights[layer][head] = 0.9 * map + 0.1 * weights[layer][head]
    return [layer / layer.sum(axis=-1, keepdims=True) for layer in weights]


def _back(n, steps):
    """A map of which each row reads the token so many places before it, or the first one."""
    return np.eye(n)[np.maximum(np.arange(n) - steps, 0)]


def _now_and_then(n):
    """A map that looks back by one in a single row, and more so than any other; else at the whole past."""
    map = np.tri(n) / np.arange(1, n + 1)[:, None]
    map[n // 2] = 50 * np.eye(n)[n // 2 - 1]
    return map


def _at_last(n):
    """A map that looks back by one in its last row alone; else at the whole past."""
    map = np.tri(n) / np.arange(1, n + 1)[:, None]
    map[-1] = 50 * np.eye(n)[n - 2]
    return map


def _rounds():
    rng = np.random.default_rng(20)
    one = _causal(rng, 2, 3, 13, L1H2=_back(13, 4))  # period 5: one place behind the match
    two = _causal(rng, 5, 2, 11, L3H0=_back(11, 2), L1H1=_back(11, 3))
    return [(one, 5), (two, 3), ([layer.astype(np.float32) for layer in one], 5), (_causal(rng, 3, 5, 7), 2)]


def _heads():
    rng = np.random.default_rng(21)
    first = _causal(
        rng, 5, 3, 11, L0H2=_back(11, 0), L1H0=_back(11, 2), L2H1=_now_and_then(11), L3H2=_back(11, 11),
        L3H0=0.6 * _back(11, 1) + 0.4 * _back(11, 0), L3H1=0.6 * _back(11, 1) + 0.4 * _back(11, 3),
        L4H1=0.9 * _back(11, 1) + 0.1 * _back(11, 0),
    )  # fmt: skip
    second = _causal(rng, 3, 2, 7, L2H0=_back(7, 1), L1H1=_back(7, 7), L0H0=_back(7, 0))
    third = _causal(rng, 2, 5, 13, L1H3=_back(13, 1), L0H4=_back(13, 13), L0H1=_at_last(13))
    return [(first,), (second,), (third,), ([layer.astype(np.float32) for layer in first],)]


def _looks_back(layer, head, weights):
    """A sentence if another head gives more to the token before, or None."""
    scores = np.stack([np.diagonal(maps, -1, axis1=-2, axis2=-1).mean(axis=-1) for maps in weights])
    place = np.asarray(layer), np.asarray(head)
    whole = all(number.ndim == 0 and number == np.floor(number) for number in place)
    if not whole or not all(0 <= number < size for number, size in zip(place, scores.shape, strict=True)):
        return f"There is no head ({layer}, {head}): return a layer below {len(scores)} and a head below its heads."
    own = scores[int(layer), int(head)]
    if own < scores.max() - 1e-6:
        return (
            f"Head ({layer}, {head}) gives {own:.2f} to the token before, on average over the rows. There is one that "
            f"gives {scores.max():.2f}."
        )
    return None


# As the gallery calls them: the name tells what is wrong.
faulty_score = faulty_induction_score_same_token

EXERCISES = [
    Exercise(
        task="Write induction_score(weights, period): the weights of a text that repeats itself, a list with one "
        "(heads, n, n) a layer -> (layers, heads), how much each head reads what followed the same token one round "
        "before, on average over the last `period` rows.",
        reference=induction_score,
        cases=_rounds(),
        faults=[
            faulty_induction_score_same_token,
            faulty_induction_score_one_further,
            faulty_induction_score_previous,
            faulty_induction_score_all_rows,
            faulty_induction_score_turned,
            faulty_induction_score_best_row,
            faulty_induction_score_all_heads,
        ],
        hints=(
            "The text is `a b c a b c`, and the row is the second a. Where does the same token stand, and where what "
            "followed it?",
            "Row i has its match at i − period. One place further stands what followed. Which rows have a match?",
            "`weights[..., rows, keys].mean(axis=-1)` with `rows = np.arange(n)[-period:]` and "
            "`keys = rows - period + 1`.",
        ),
        key="# score",
        distractor=faulty_induction_score_same_token,
        learned="a head that copies reads what followed the same token, and the score needs no words to find it.",
        returns=("scores",),
    ),
    Exercise(
        task="Write previous_token_head(weights): a list with one (heads, n, n) a layer -> (layer, head), the head "
        "that gives most to the token before, on average over the rows.",
        reference=previous_token_head,
        cases=_heads(),
        faults=[
            faulty_previous_token_head_itself,
            faulty_previous_token_head_first,
            faulty_previous_token_head_two_back,
            faulty_previous_token_head_best_row,
            faulty_previous_token_head_layer_first,
            faulty_previous_token_head_by_layers,
            faulty_previous_token_head_swapped,
        ],
        hints=(
            "In the map of such a head, which cells are dark? Write down their rows and columns.",
            "Row i, key i − 1, for every row but the first: one mean a head. `np.stack(weights)` puts the layers in "
            "one array.",
            "`scores = weights[..., rows, rows - 1].mean(axis=-1)` with `rows = np.arange(1, n)`; then "
            "`np.unravel_index(scores.argmax(), scores.shape)`.",
        ),
        key="# score",
        distractor=faulty_previous_token_head_itself,
        learned="a head is found by what it does, measured on a text in which nothing else can explain it.",
        returns=("layer", "head"),
        properties=_looks_back,
        compares=False,
    ),
]
