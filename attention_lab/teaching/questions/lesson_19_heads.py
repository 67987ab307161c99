"""Questions of lesson 19, second half: what heads look at, what they do, and what a rollout makes of it."""

import numpy as np

from attention_lab import MultiHeadAttention, attention_rollout
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.pretrained.heads import without_head
from attention_lab.teaching.exercises.lesson_19 import rollout
from attention_lab.teaching.questions.question import question


@question(
    "shuffled-neighbours",
    lesson="19",
    source="lesson",
    text="In a model with learned positions one head reads, for each word, the word before it, whatever the words are. "
    "The words of the sentence are shuffled. What becomes of its map?",
    options={
        "it stays as it is": "If words do not matter, position makes the scores. Row 5 still reads column 4: another "
        "word stands there.",
        "its columns are shuffled, too": "So it is for a head that looks for certain words. This one looks for a "
        "place, and places were not shuffled.",
        "it fades to even weights": "It would, if it needed words that fit each other. Its queries and keys are made "
        "of the positions, and those are still there.",
    },
)
def shuffled_neighbours():
    rng = np.random.default_rng(0)
    places, words = np.eye(9), rng.normal(size=(9, 4))
    query_of = np.vstack([np.zeros((4, 9)), 20 * np.eye(9, k=-1)])  # asks for the place before its own
    key_of = np.eye(13)[:, 4:]  # tells the place
    maps, order = [], rng.permutation(9)
    for said in (words, words[order]):
        x = np.column_stack([said, places])  # features: the word, then its place
        maps.append(attention(x @ query_of, x @ key_of, said)[1])
    if np.allclose(*maps):
        return "it stays as it is"
    moved = np.allclose(maps[1], maps[0][:, order])
    return "its columns are shuffled, too" if moved else "it fades to even weights"


@question(
    "nothing-to-find",
    lesson="19",
    source="lesson",
    text="A head finds no word that fits: the scores of 10 words are −6, that of [CLS] is 0. The words' values have "
    "length 4, that of [CLS] 0.2. How much weight do the words get together, and how long is what arrives?",
    options={
        "0.02, and about 0.2": "The weight goes to [CLS], whose value is short: the head says next to nothing. A "
        "bright column can be a place where nothing is said.",
        "0.02, and about 4": "The weight is right. But what arrives is 0.98 of a vector of length 0.2, and a little of "
        "the words'.",
        "0.91, and about 4": "10 of 11 keys would get 0.91 if their scores were equal. Six points below the largest, a "
        "score counts a four-hundredth.",
    },
)
def nothing_to_find():
    value = np.random.default_rng(0).normal(size=(11, 16))
    value *= np.array([0.2] + [4] * 10)[:, None] / np.linalg.norm(value, axis=-1, keepdims=True)
    query, key = np.array([[1.0]]), np.array([[0.0]] + [[-6.0]] * 10)
    output, weights = attention(query, key, value, scale=1.0)
    length = np.linalg.norm(output)
    return f"{weights[0, 1:].sum():.2f}, and about {'0.2' if length < 1 else '4'}"


@question(
    "twelve-heads-added",
    lesson="19",
    source="lesson",
    text="A layer has 12 heads and no biases. Each is switched off once, and what the layer's output loses is noted: "
    "12 differences. What is their sum?",
    options={
        "the whole output": "W_o adds up what the heads bring, each by its own rows. After the norm and the next "
        "blocks this is no longer so: there, what a head does hangs on the others.",
        "less: heads stand in for each other": "Others may bring the same, but none brings more because one is "
        "silent: within the layer they do not know of each other.",
        "nothing that can be told before": "So it is for the vector of the sentence, six blocks of norms later. "
        "Within one layer the heads are only added.",
    },
)
def twelve_heads_added():
    attend = MultiHeadAttention(48, 12, rng=np.random.default_rng(0))
    x = np.random.default_rng(1).normal(size=(7, 48))
    whole, _ = attend(x)
    lost = np.zeros_like(whole)
    for head in range(12):
        with without_head(attend, head):
            lost += whole - attend(x)[0]
    if np.allclose(lost, whole, atol=1e-5):
        return "the whole output"
    less = np.linalg.norm(lost) < np.linalg.norm(whole)
    return "less: heads stand in for each other" if less else "nothing that can be told before"


@question(
    "rollout-of-a-sink",
    lesson="19",
    source="lesson",
    text="12 tokens, six layers of one head. Each row gives 0.6 to token 0 and shares the rest evenly over the other "
    "11. What does the rollout of the last token say about the 10 tokens that are neither token 0 nor itself?",
    options={
        "the same of each, about 0.04": "Token 0 has 0.59, whatever it says. What is left is even, as the rest of "
        "each row is: of the words, the rollout tells nothing.",
        "0, since all flows to token 0": "Each layer shares 0.4 of its half over the others, and the rollout keeps "
        "what once arrived.",
        "the near ones more": "A rollout knows of distance only what the weights say. These weights know no distance.",
    },
)
def rollout_of_a_sink():
    row = np.array([0.6] + [0.4 / 11] * 11)
    last = attention_rollout(np.tile(row, (6, 1, 12, 1)))[-1]
    others = last[1:-1]
    if not np.allclose(others, others[0]):
        return "the near ones more"
    return f"the same of each, about {others[0]:.2f}" if others[0] > 0.001 else "0, since all flows to token 0"


@question(
    "sharp-head-off",
    lesson="19",
    source="lesson",
    text="One head's map is a sharp diagonal, another's is blurred. You want to know which one the model needs more "
    "for its sentence vectors. What do you compare?",
    options={
        "the vectors with each switched off": "A map shows where a head reads, not what it brings there nor what the "
        "later blocks make of it. Take it away, and look at what you wanted to know.",
        "their entropies": "They tell sharp from blurred, and you know that already. Either may bring long values or "
        "short ones, needed or not.",
        "their shares in the rollout": "A rollout takes the mean over heads, and sees no value: it cannot tell one "
        "head's work from another's.",
    },
)
def sharp_head_off():
    rng = np.random.default_rng(0)
    needs, x = [], rng.normal(size=(8, 16))
    for loud in (0, 1):  # the same two maps, and another head with the long rows in W_o
        attend = MultiHeadAttention(16, 2, rng=np.random.default_rng(1))
        attend.W_q[:, :8] *= 9  # head 0 is sharp
        attend.W_o[8 * loud : 8 * loud + 8] *= 9
        whole, weights = attend(x)
        lost = []
        for head in (0, 1):
            with without_head(attend, head):
                lost.append(np.linalg.norm(whole - attend(x)[0]))
        needs.append((weights, attention_rollout(weights[None]), int(np.argmax(lost))))
    (maps, shares, first), (other_maps, other_shares, second) = needs
    if first != second and np.allclose(maps, other_maps):
        return "the vectors with each switched off"
    return "their shares in the rollout" if not np.allclose(shares, other_shares) else "their entropies"


@question(
    "because-rollout",
    lesson="19",
    source="exercise",
    text="`rollout` adds the identity to each layer's mean map before it multiplies, because …",
    options={
        "the stream carries a token past the layer": "x + attention(x): half of what stands there is the token itself. "
        "Without the identity six layers of mixing would leave nearly the same row for all.",
        "rows would not sum to one": "They do so without it: each row of a mean of weights sums to one. It is with the "
        "identity that they must be halved.",
        "a product needs an inverse": "Nothing is inverted here. Many maps have none, and rollout does not mind.",
    },
)
def because_rollout():
    weights = np.random.default_rng(0).dirichlet(np.ones(8), (6, 2, 8))
    mean = weights.mean(1)
    if not np.allclose(mean.sum(-1), 1):
        return "rows would not sum to one"
    bare = np.linalg.multi_dot(mean[::-1])
    spread = [np.ptp(rows, axis=0).max() for rows in (bare, rollout(weights))]
    alike = 10 * spread[0] < spread[1]
    return "the stream carries a token past the layer" if alike else "a product needs an inverse"
