"""Questions of lesson 05, second part: the sinusoidal encoding."""

import math

import numpy as np

from attention_lab import Embedding, positional_encoding, query_key_similarity
from attention_lab.functional import linear
from attention_lab.teaching.questions.question import question


@question(
    "sine-alone",
    lesson="05",
    source="M17 Q58",
    text="Of the sinusoidal encoding only the sines are kept. PE(p) · PE(p + 5) is computed for p = 0, 1, 2, … What "
    "does it do as p moves on?",
    options={
        "it stays the same": "The distance is 5 throughout, and with cosines that alone counts: 11.8 at d_model = 32. "
        "Sines alone give anything from 0.0 to 4.8.",
        "it rises and falls": "sin a sin b also depends on a + b, so on p. The cosines add cos a cos b, and the sum, "
        "cos(a − b), depends on the distance alone.",
        "it only falls": "Similarity does fall with the distance, but the distance is 5 throughout; it is p that "
        "moves, and sines swing back: from 0.0 up to 4.8 and down again.",
    },
)
def sine_alone():
    sines = positional_encoding(105, 32)[:, 0::2]
    steps = np.diff((sines[:-5] * sines[5:]).sum(-1))
    if np.allclose(steps, 0):
        return "it stays the same"
    return "it only falls" if (steps < 0).all() else "it rises and falls"


@question(
    "what-base-means",
    lesson="05",
    source="Q59",
    text="In the sinusoidal encoding with d_model = 32, the base is lowered from 10,000 to 100. What changes?",
    options={
        "100 places are the limit": "10,000 looks like a longest sentence, but the formula has a value at any place. "
        "With base 100 place 999 exists as well.",
        "it repeats after 100 places": "Each hand does come round, the slowest here after 471 places, but not all at "
        "once: no two of the first 1,000 places are alike.",
        "far places look less alike": "The base sets the slowest hand, one turn in 471 places instead of 35,333. At a "
        "distance of 20 the similarity is 0.18 instead of 0.65.",
    },
)
def what_base_means():
    high, low = positional_encoding(1000, 32), positional_encoding(1000, 32, base=100)
    if not np.isfinite(low).all():
        return "100 places are the limit"
    alike = low @ low.T / 16  # the length of each is √16
    if alike[np.triu_indices(1000, 100)].max() > 0.999:
        return "it repeats after 100 places"
    return "far places look less alike" if alike[0, 20] < high[0] @ high[20] / 16 else "no change at all"


@question(
    "double-exponent",
    lesson="05",
    source="Q60",
    text="`for i in range(0, d_model, 2)` writes sin(p / base^(2i / d_model)) to column i and "
    "cos(p / base^(2(i + 1) / d_model)) to column i + 1. It runs. What is lost?",
    options={
        "nothing, it runs": "Numbers between −1 and 1 come out, and they differ from place to place. But i is a "
        "column here, no pair: sine and cosine of a pair no longer share an angle.",
        "numbers leave −1 … 1": "A wrong exponent sounds as if numbers could grow, but it stands inside a sine, and "
        "no sine passes 1.",
        "products depend on the place": "Sine and cosine of a pair turn at different speeds, so PE(p) · PE(p + 5) "
        "moves between 12.5 and 16.0 (d_model = 32). The right one is 11.8 for any p.",
    },
)
def double_exponent():
    place, column = np.arange(50)[:, None], np.arange(0, 32, 2)
    faulty = np.empty((50, 32))
    faulty[:, 0::2] = np.sin(place / 10000 ** (2 * column / 32))
    faulty[:, 1::2] = np.cos(place / 10000 ** (2 * (column + 1) / 32))
    if np.abs(faulty).max() > 1:
        return "numbers leave −1 … 1"
    wrong, right = (np.ptp((code[:-5] * code[5:]).sum(-1)) for code in (faulty, positional_encoding(50, 32)))
    return "products depend on the place" if wrong > 1 and right < 1e-9 else "nothing, it runs"


@question(
    "halves-or-interleaved",
    lesson="05",
    source="Q61",
    text="Some code puts all sines first, then all cosines; other code takes turns. The encoding is added to learned "
    "word vectors, and a learned matrix follows. Can both give the same numbers?",
    options={
        "yes, exactly": "Reorder the columns of the word table and the rows of the matrix in the same way, and the "
        "gap is 0 to rounding. Weights that are already trained belong to one order.",
        "only roughly": "The encodings do differ column by column, but a product sums over columns, and a sum does "
        "not care which comes first.",
        "no, one order is wrong": "The paper has one order, but what is learned takes either: with its columns and "
        "rows reordered the gap is 0. With fixed weights the order does matter.",
    },
)
def halves_or_interleaved():
    rng = np.random.default_rng(0)
    words, W, places = rng.normal(size=(6, 8)), rng.normal(size=(8, 5)), positional_encoding(6, 8)
    halves = [0, 2, 4, 6, 1, 3, 5, 7]  # sines first
    turns = linear(words + places, W)
    gap = np.abs(linear(words[:, halves] + places[:, halves], W[halves]) - turns).max()
    return "yes, exactly" if gap < 1e-12 else "only roughly" if gap < 0.1 else "no, one order is wrong"


@question(
    "position-zero",
    lesson="05",
    source="Q62",
    text="What is the sinusoidal encoding of position 0, with d_model = 6?",
    options={
        "[0, 0, 0, 0, 0, 0]": "Position 0 seems to add nothing, but half of the columns are cosines, and the cosine "
        "of 0 is 1.",
        "[0, 1, 0, 1, 0, 1]": "Each angle is 0: sines 0, cosines 1. Its length is √3 = 1.73, as at every other "
        "position.",
        "[1, 1, 1, 1, 1, 1]": "base^0 = 1 does occur in the formula, but it divides the position, which is 0; only "
        "the cosines make 1 of that.",
    },
)
def position_zero():
    return str(positional_encoding(1, 6)[0].astype(int).tolist())


@question(
    "why-sqrt-d-model",
    lesson="05",
    source="Q63",
    text="Word vectors are drawn from N(0, 1/512), 512 numbers each, and multiplied by √512 before the sinusoidal "
    "encoding is added. What for?",
    options={
        "to undo the ÷ √d_k": "Both are square roots, but this one acts on words and is felt twice in a score: q · k "
        "grows by 512, and the division takes back only √512 = 22.6 of it.",
        "to give words length 1": "N(0, 1/512) does that already: 512 squares of mean 1/512. The factor makes their "
        "length 22.6.",
        "to keep words above places": "A word has length 1, an encoding √(512/2) = 16: the place would drown the "
        "word. Times √512 the word has length 22.6.",
    },
)
def why_sqrt_d_model():
    words = Embedding(100, 512, rng=np.random.default_rng(0)).table
    word, place = (np.linalg.norm(rows, axis=-1).mean() for rows in (words, positional_encoding(100, 512)))
    factor = math.sqrt(512)
    scaled = query_key_similarity(factor * words, factor * words)["max"]
    if math.isclose(scaled, (words @ words.T).max(), rel_tol=0.1):
        return "to undo the ÷ √d_k"
    if math.isclose(factor * word, 1, rel_tol=0.1):
        return "to give words length 1"
    return "to keep words above places" if 5 * word < place < factor * word else "for nothing"


@question(
    "because-positional_encoding",
    lesson="05",
    source="exercise",
    text="Columns 2i and 2i + 1 of the encoding are sine and cosine of one and the same angle, because …",
    options={
        "k steps then are a rotation": "The two are the hand of a clock: k places on, it has turned by the same angle, "
        "wherever it stood. One matrix shifts all positions, with error below 1e-12.",
        "places would be alike otherwise": "Sines and cosines of 32 different angles tell 100 places apart as well. "
        "What they lose is that a step looks the same everywhere.",
        "numbers would pass 1 otherwise": "Sine and cosine stay between −1 and 1 whatever the angle is, so this needs "
        "no shared one.",
    },
)
def because_positional_encoding():
    shared, place = positional_encoding(100, 32), np.arange(100)[:, None]
    angle = place / 10000 ** (np.arange(32) / 32)  # one for each column
    apart = np.where(np.arange(32) % 2, np.cos(angle), np.sin(angle))
    if np.abs(apart).max() > 1:
        return "numbers would pass 1 otherwise"
    if len(np.unique(apart.round(6), axis=0)) < 100:
        return "places would be alike otherwise"
    turn = 5 / 10000 ** (np.arange(0, 32, 2) / 32)  # five places on
    sine, cosine = shared[:-5, 0::2], shared[:-5, 1::2]
    later = np.cos(turn) * sine + np.sin(turn) * cosine, np.cos(turn) * cosine - np.sin(turn) * sine
    rotates = np.allclose(np.stack(later, -1).reshape(95, 32), shared[5:], atol=1e-12)
    return "k steps then are a rotation" if rotates else "no reason at all"


@question(
    "odd-width",
    lesson="05",
    source="text C",
    text="Columns of the sinusoidal encoding come in pairs, first the sine, then the cosine. Now d_model is 7. What "
    "stands in the last column?",
    options={
        "a sine whose cosine is missing": "Six columns make three pairs, and the seventh begins a fourth. Nothing "
        "forbids it; only this last pair cannot be turned from one position to the next.",
        "zeros, to fill up": "No one fills up: the formula of an even column, sin(p / base^(i / d_model)), asks for "
        "no partner.",
        "nothing, an odd width is refused": "Rotary embeddings must refuse it, since they turn pairs. Here each column "
        "has a formula of its own, whether its partner is there or not.",
    },
)
def odd_width():
    try:
        last = positional_encoding(12, 7)[:, 6]
    except ValueError:
        return "nothing, an odd width is refused"
    angle = np.arange(12) / 10000 ** (6 / 7)
    found = {"a sine whose cosine is missing": np.sin(angle), "zeros, to fill up": np.zeros(12)}
    return next(option for option, column in found.items() if np.allclose(last, column))
