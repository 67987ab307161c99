"""Questions of lesson 18, first half: attention on a graph, and which score it takes."""

import numpy as np

from attention_lab import AdditiveAttention, GraphAttention, scaled_dot_product_attention, softmax
from attention_lab.data.graphs import planted_graph
from attention_lab.teaching.exercises.lesson_18 import neighbour_attention
from attention_lab.teaching.questions.question import question


@question(
    "nodes-renumbered",
    lesson="18",
    source="lesson",
    text="The nodes of a graph get other numbers: features, and rows and columns of the adjacency matrix, are shuffled "
    "alike. What becomes of the output of attention over the graph?",
    options={
        "the same rows, shuffled alike": "A node reads its neighbours, whatever their numbers. A graph has no first "
        "node, and attention without positions knows of none.",
        "other rows": "They would change if there were positions, or if a node read the next number. It reads those it "
        "is joined to, and they are the same as before.",
        "the same rows in the same places": "Each row belongs to its node, and the nodes have moved. Row 3 is now that "
        "of another node.",
    },
)
def nodes_renumbered():
    graph, order = planted_graph(12, rng=np.random.default_rng(0)), np.random.default_rng(1).permutation(12)
    layer = GraphAttention(8, 2, rng=np.random.default_rng(2))
    output, _ = layer(graph.features, graph.adjacency)
    moved, _ = layer(graph.features[order], graph.adjacency[order][:, order])
    if np.allclose(moved, output[order], atol=1e-5):
        return "the same rows, shuffled alike"
    return "the same rows in the same places" if np.allclose(moved, output, atol=1e-5) else "other rows"


@question(
    "even-neighbours",
    lesson="18",
    source="Q131",
    text="On your graph each neighbour's features are the truth plus noise of one and the same size. You train "
    "attention, and all weights come out near 1/degree. What is it?",
    options={
        "the best there is": "Where all neighbours are as good as one another, the even mean has the smallest error. "
        "Attention can only learn to be a mean, and a mean costs nothing: report it.",
        "a bug: nothing was learned": "So it looks, and people search for days. But no other weights do better here: "
        "the net has found them.",
        "too few heads": "Each head would find the same. What is missing is a difference between neighbours, not a "
        "place to store it.",
    },
)
def even_neighbours():
    noise = np.full(6, 0.5) ** 2  # variance of each neighbour's noise
    best = np.linalg.solve(np.diag(noise), np.ones(6))  # smallest variance of all weights that sum to one
    best = best / best.sum()
    if not np.allclose(best, softmax(-np.log(noise))):
        raise ValueError("attention with scores -log(variance) should give the best weights")
    return "the best there is" if np.allclose(best, 1 / 6) else "a bug: nothing was learned"


@question(
    "marks-in-noise",
    lesson="18",
    source="lesson",
    text="3 of a node's 9 neighbours are reliable. A head scores each by 2 times its mark, which is 1 for these and −1 "
    "for others. The three get 0.96 of the weight. Now noise of size 3 is added to all marks. How much do they get on "
    "average?",
    options={
        "about 0.96": "The head still follows the mark, but the mark is now mostly noise: the largest score belongs to "
        "whoever had the luckiest draw.",
        "about 0.5": "The marks say little, but something: the three are drawn from a higher middle. It lies "
        "between what the marks gave and the 3 of 9 that are there.",
        "about 0.33": "That would be chance, with marks that say nothing. The three still begin 4 ahead.",
    },
)
def marks_in_noise():
    marks = np.repeat([1.0, -1.0], (3, 6)) + 3 * np.random.default_rng(0).normal(size=(4000, 9))
    share = softmax(2 * marks)[:, :3].sum(-1).mean()
    return f"about {min((0.96, 0.5, 0.33), key=lambda offer: abs(offer - share))}"


@question(
    "one-favourite",
    lesson="18",
    source="Q132",
    text="A score adds a number of the query and a number of the key: s(i, j) = leaky_relu(a · q_i + b · k_j). 30 "
    "nodes read one another. How many different nodes are somebody's favourite?",
    options={
        "1": "q_i moves all scores of its row alike, and leaky_relu keeps their order: the key with the largest b · "
        "k_j wins in every row. With the bend inside the sum, v · tanh(q_i + k_j), rows differ.",
        "about 6": "So many, or some other number above one, can be expected with the bend inside the sum: v · "
        "tanh(q_i + k_j). Outside it, it changes no order.",
        "about 18": "That is what the dot product gives for random vectors: there, query and key are multiplied. Here "
        "they are only added.",
    },
)
def one_favourite():
    query, key = np.random.default_rng(0).normal(size=(2, 30, 16))
    to_query, to_key = np.random.default_rng(1).normal(size=(2, 16))
    scores = (query @ to_query)[:, None] + key @ to_key
    scores = np.where(scores > 0, scores, 0.2 * scores)
    favourites = len(set(scores.argmax(axis=-1).tolist()))
    inside = AdditiveAttention(16, 16, 16, rng=np.random.default_rng(2))(query, key)[1]
    dot = scaled_dot_product_attention(query, key, key)[1]
    others = [len(set(weights.argmax(axis=-1).tolist())) for weights in (inside, dot)]
    if not 1 < others[0] < others[1]:
        raise ValueError(f"expected more favourites with tanh inside, and more still with products, got {others}")
    return str(favourites) if favourites == 1 else "about 6" if favourites < 12 else "about 18"


@question(
    "news-of-two-hops",
    lesson="18",
    source="lesson",
    text="Seven nodes in a row, each joined to the next. After two layers of attention over this graph, of how many "
    "nodes can the one in the middle know, itself included?",
    options={
        "3": "That is one layer: itself and two neighbours. The second layer reads what these have read.",
        "5": "Each layer goes one edge further, both ways. To hear of all seven it takes three: a net must be as deep "
        "as the graph is wide, or news never comes.",
        "7": "All are connected, but each layer goes along one edge only. Three layers would reach the ends.",
    },
)
def news_of_two_hops():
    row = np.eye(7, k=1) + np.eye(7, k=-1) > 0
    layer, moved = GraphAttention(4, 1, rng=np.random.default_rng(0)), 0
    x = np.random.default_rng(1).normal(size=(7, 4))
    for node in range(7):
        other = x.copy()
        other[node] += 1
        moved += not np.allclose(*(layer(layer(y, row)[0], row)[0][3] for y in (x, other)), rtol=0, atol=1e-12)
    return str(moved)


@question(
    "without-a-neighbour",
    lesson="18",
    source="lesson",
    text="A node has no neighbour. What is its output of attention over the graph, without self loops and with them?",
    options={
        "zeros, and its own value": "A row that sees no key gives zeros. With a self loop it sees one key, so that one "
        "has the whole weight.",
        "NaN, and its own value": "A softmax over nothing is 0/0 if it is written down without care. In this course a "
        "row with no visible key gives zeros.",
        "the mean of all nodes, and its own value": "That happens if a mask adds a large negative number instead of "
        "hiding: all scores are then equally low. A hidden key gets no weight.",
    },
)
def without_a_neighbour():
    x, none = np.random.default_rng(0).normal(size=(3, 4)), np.zeros((3, 3), bool)
    alone, looped = (GraphAttention(4, 1, self_loops=loops, rng=np.random.default_rng(1)) for loops in (False, True))
    own = x @ looped.attention.W_v @ looped.attention.W_o
    if not np.allclose(looped(x, none)[0], own):
        return None
    output, _ = alone(x, none)
    if np.isnan(output).any():
        return "NaN, and its own value"
    return f"{'the mean of all nodes' if output.any() else 'zeros'}, and its own value"


@question(
    "because-neighbour_attention",
    lesson="18",
    source="exercise",
    text="`neighbour_attention` goes node by node with lists of neighbours, not with an (n, n) mask, because …",
    options={
        "hidden scores are never computed": "A graph of 1,000 nodes with 10 neighbours each has 10,000 edges and a "
        "million pairs. A mask computes them all and hides 99 in 100.",
        "the result is more exact": "It is the same, to rounding: hidden keys have weight 0 either way.",
        "a loop is faster": "Row by row in Python it is slow. What it saves are multiplications: libraries for graphs "
        "do all edges at once.",
    },
)
def because_neighbour_attention():
    graph = planted_graph(60, rng=np.random.default_rng(0))
    near = [np.flatnonzero(row) for row in graph.adjacency | np.eye(60, dtype=bool)]
    layer = GraphAttention(8, 1, rng=np.random.default_rng(1))
    output, weights = layer(graph.features, graph.adjacency)
    query, key, value = (graph.features @ getattr(layer.attention, f"W_{role}") for role in "qkv")
    along = neighbour_attention(query, key, value, near) @ layer.attention.W_o
    if not np.allclose(along, output, atol=1e-4):
        return "the result is more exact"
    return "hidden scores are never computed" if sum(map(len, near)) < weights.size else "a loop is faster"
