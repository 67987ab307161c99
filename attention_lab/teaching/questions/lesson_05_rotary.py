"""Questions of lesson 05, third part: positions inside the scores, by a turn or by a bias."""

import numpy as np

from attention_lab import alibi_bias, positional_encoding, rotary_embedding
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "rotary-values",
    lesson="05",
    source="Q66",
    text="Queries and keys are turned by their positions, and by mistake the values too. Then all positions grow by "
    "100. What does each output vector do?",
    options={
        "it stays as it was": "The weights do: turned queries and keys know distances only. But each value has turned "
        "by the angle of its own place, and that was moved by 100.",
        "it turns, length kept": "The weights stay, and the mean of turned values turns with them: the output says "
        "where the text stands. So values are left alone.",
        "it grows or shrinks": "Larger positions sound like larger numbers, but a turn keeps every length, of the "
        "values and of their mean: only the direction moves.",
    },
)
def rotary_values():
    query, key, value = np.random.default_rng(0).normal(size=(3, 6, 8))
    outputs = []
    for places in (np.arange(6), np.arange(6) + 100):
        outputs.append(attention(*(rotary_embedding(x, places) for x in (query, key, value)))[0])
    if np.allclose(*outputs):
        return "it stays as it was"
    before, after = np.linalg.norm(outputs, axis=-1)
    return "it turns, length kept" if np.allclose(before, after) else "it grows or shrinks"


@question(
    "two-pairings",
    lesson="05",
    source="Q67",
    text="Queries are turned in pairs (i, i + d/2), keys in pairs (2i, 2i + 1). At position 0 the fault does not "
    "show. Do the scores depend on the distance alone?",
    options={
        "yes, at each distance": "Each pairing alone is a rotation, and position 0 looks right, as nothing turns "
        "there. Mixed, query and key turn in different planes, and nothing cancels.",
        "only at distance 0": "Equal places turn equally far, so it seems that they cancel; but a feature is turned "
        "with another partner in the key. Even there the score moves with the place.",
        "no, at no distance": "Turns cancel to a distance only in the same planes. Here one query on one key scores "
        "differently at each place, by up to 3.6 at distance 0. Keep to one pairing.",
    },
)
def two_pairings():
    query, key = np.random.default_rng(0).normal(size=(2, 1, 8)).repeat(20, axis=1)  # the same vector everywhere
    scores = rotary_embedding(query) @ rotary_embedding(key, interleaved=True).T
    fixed = [np.allclose(diagonal, diagonal[0]) for diagonal in (scores.diagonal(-k) for k in range(10))]
    if all(fixed):
        return "yes, at each distance"
    return "only at distance 0" if fixed[0] else "no, at no distance"


@question(
    "what-alibi-does",
    lesson="05",
    source="Q70",
    text="ALiBi adds −m · distance to the scores. What does that do to the weights of a row, before they are made to "
    "sum to 1?",
    options={
        "takes m · distance off each": "It is the score that loses m · distance. Taken off a weight it would go below "
        "0: 0.1 − 0.5 · 4 is −1.9.",
        "times e^(−m · distance)": "A sum in the exponent is a factor outside. With m = 0.5 a key four places off "
        "keeps e⁻² = 0.14 of its weight, and none ever falls to 0.",
        "cuts all beyond 1/m to 0": "A window would do that. A straight line in the scores fades: at distance 2/m a "
        "key still has e⁻² = 0.14 of its weight.",
    },
)
def what_alibi_does():
    query, key = np.random.default_rng(0).normal(size=(2, 6, 4))
    bias = alibi_bias(8, 6)[0]  # m = 0.5
    _, plain = attention(query, key, key)
    _, biased = attention(query, key, key, bias)
    candidates = {
        "takes m · distance off each": plain + bias,
        "times e^(−m · distance)": plain * np.exp(bias),
        "cuts all beyond 1/m to 0": plain * (bias >= -1),
    }
    shares = {name: weights / weights.sum(-1, keepdims=True) for name, weights in candidates.items()}
    return next(name for name, weights in shares.items() if np.allclose(weights, biased))


@question(
    "because-rotary",
    lesson="05",
    source="exercise",
    text="`rotary_embedding` turns queries and keys, and leaves the values as they are, because …",
    options={
        "place should act on who is read": "q · k makes of two turns their distance. Nothing undoes the turn of a "
        "value: the output would change when all positions move on.",
        "a turn would change their size": "A turn keeps every length, so a value would be as long as before; what "
        "changes is its direction.",
        "values may have an odd width": "They may, but here they are as wide as a key, and the turn runs on them "
        "without an error. It is the result that is not wanted.",
    },
)
def because_rotary():
    query, key, value = np.random.default_rng(0).normal(size=(3, 6, 8))
    far = np.arange(6) + 100
    try:
        near_value, far_value = rotary_embedding(value), rotary_embedding(value, far)
    except ValueError:
        return "values may have an odd width"
    if not np.allclose(np.linalg.norm(value, axis=-1), np.linalg.norm(far_value, axis=-1)):
        return "a turn would change their size"
    moved = []
    for at_near, at_far in ((value, value), (near_value, far_value)):
        near, _ = attention(rotary_embedding(query), rotary_embedding(key), at_near)
        away, _ = attention(rotary_embedding(query, far), rotary_embedding(key, far), at_far)
        moved.append(not np.allclose(near, away))
    return "place should act on who is read" if moved == [False, True] else "no reason at all"


@question(
    "twins-apart",
    lesson="05",
    source="lesson",
    text="The word “dog” stands at both ends of a sentence of eleven words, with one head. Sinusoidal encoding, rotary "
    "embedding or ALiBi: under which does a dog find it hardest to tell itself from its twin?",
    options={
        "sinusoidal": "The encoding is added to both dogs, and the quick hands of the clock have moved far in ten "
        "places: the twins' vectors differ.",
        "rotary": "The turn leaves the words alone, so the twins may seem equal. But the pairs that turn fast have "
        "turned far apart after ten places.",
        "ALiBi": "With a single head the slope is 1/256: ten places take 0.04 off a score, and the twin keeps nearly "
        "the same weight. More heads have steeper slopes.",
    },
)
def twins_apart():
    word = np.random.default_rng(0).normal(size=64)
    twins, places = np.stack([word, word]), np.array([0, 10])
    with_clock = twins * np.sqrt(64 / (word @ word)) + positional_encoding(11, 64)[places]
    turned = rotary_embedding(twins, places)
    bias = alibi_bias(1, 11)[0][np.ix_(places, places)]
    weights = {
        "sinusoidal": attention(with_clock, with_clock, twins)[1][0],
        "rotary": attention(turned, turned, twins)[1][0],
        "ALiBi": attention(twins, twins, twins, bias)[1][0],
    }
    return min(weights, key=lambda method: weights[method][0] - weights[method][1])
