"""Lesson 02: masks made from positions and from sentences."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def causal_mask(n_queries, n_keys):
    query = np.arange(n_queries)[:, None] + (n_keys - n_queries)  # (n_q, 1): the last query is the last position
    key = np.arange(n_keys)  # (n_k,)
    return key <= query  # mask


def sliding_window_mask(n_queries, n_keys, window):
    query = np.arange(n_queries)[:, None] + (n_keys - n_queries)  # (n_q, 1): the last query is the last position
    key = np.arange(n_keys)  # (n_k,)
    distance = query - key  # (n_q, n_k): how far back the key lies
    return (distance >= 0) & (distance < window)  # mask


def own_sentence_mask(sentence_ids):
    query = sentence_ids[:, None]  # (n, 1)
    key = sentence_ids[None, :]  # (1, n)
    return query == key  # mask


# causal_mask -----------------------------------------------------------------------------------------------


@diagnosed(
    "Your triangle starts at the first key, so one new query before many cached keys sees only the oldest. "
    "Align it to the end: shift the queries by `n_keys - n_queries`."
)
def faulty_causal_mask_from_start(n_queries, n_keys):
    return np.tri(n_queries, n_keys, dtype=bool)


@diagnosed(
    "A query does not see itself: you compare with `<`. A token may read its own position: use `<=`, "
    "otherwise the first row sees nothing at all."
)
def faulty_causal_mask_without_itself(n_queries, n_keys):
    query = np.arange(n_queries)[:, None] + (n_keys - n_queries)
    key = np.arange(n_keys)
    return key < query


@diagnosed(
    "The mask is turned round: it shows the future and hides the past. Here True = may attend, "
    "so True belongs where the key is not later than the query: `key <= query`."
)
def faulty_causal_mask_shows_the_future(n_queries, n_keys):
    query = np.arange(n_queries)[:, None] + (n_keys - n_queries)
    key = np.arange(n_keys)
    return key >= query  # mask


@diagnosed(
    "Each query sees one key of its future, so it can read the word it should predict. "
    "Compare without the extra step: `key <= query`."
)
def faulty_causal_mask_one_ahead(n_queries, n_keys):
    query = np.arange(n_queries)[:, None] + (n_keys - n_queries)
    key = np.arange(n_keys)
    return key <= query + 1


@diagnosed(
    "Your mask is square, but there may be more keys than queries. "
    "Make as many columns as there are keys: `np.arange(n_keys)`."
)
def faulty_causal_mask_square(n_queries, n_keys):
    return np.tri(n_queries, dtype=bool)


@diagnosed(
    "You code hidden as -1 and visible as 0; read as True and False that is the mask turned round. "
    "Return booleans with True = may attend: `key <= query`."
)
def faulty_causal_mask_zero_and_minus_one(n_queries, n_keys):
    return -np.triu(np.ones((n_queries, n_keys), dtype=int), k=n_keys - n_queries + 1)


@diagnosed(
    "You return 0 and -inf, numbers to be added to the scores. Asked for is a boolean mask: "
    "True where the key may be seen, `key <= query`."
)
def faulty_causal_mask_minus_infinity(n_queries, n_keys):
    future = np.triu(np.ones((n_queries, n_keys), dtype=bool), k=n_keys - n_queries + 1)
    return np.where(future, -np.inf, 0.0)


# sliding_window_mask ---------------------------------------------------------------------------------------


@diagnosed(
    lambda got, args: (
        f"Your window shows {np.asarray(got).sum(axis=-1).max()} keys where window is {args[2]}: "
        "the query itself counts. Distances run from 0 to window − 1: use `distance < window`."
    )
)
def faulty_sliding_window_mask_one_more(n_queries, n_keys, window):
    query = np.arange(n_queries)[:, None] + (n_keys - n_queries)
    key = np.arange(n_keys)
    distance = query - key
    return (distance >= 0) & (distance <= window)  # mask


@diagnosed(
    "Your window reaches into the future as well: you test the absolute distance. "
    "Ask for keys that are not later too: `(distance >= 0) & (distance < window)`."
)
def faulty_sliding_window_mask_both_sides(n_queries, n_keys, window):
    query = np.arange(n_queries)[:, None] + (n_keys - n_queries)
    return np.abs(query - np.arange(n_keys)) < window


@diagnosed(
    "Your window starts at the first key, so with cached keys the last query looks at the oldest ones. "
    "Align it to the end: shift the queries by `n_keys - n_queries`."
)
def faulty_sliding_window_mask_from_start(n_queries, n_keys, window):
    distance = np.arange(n_queries)[:, None] - np.arange(n_keys)
    return (distance >= 0) & (distance < window)


@diagnosed(
    "A query does not see itself: your distances start at 1. "
    "The query's own position has distance 0 and belongs to the window: `distance >= 0`."
)
def faulty_sliding_window_mask_without_itself(n_queries, n_keys, window):
    distance = np.arange(n_queries)[:, None] + (n_keys - n_queries) - np.arange(n_keys)
    return (distance > 0) & (distance <= window)


@diagnosed(
    "Python's chained comparison asks for one truth value of a whole array. "
    "Compare twice and join cell by cell: `(distance >= 0) & (distance < window)`."
)
def faulty_sliding_window_mask_chained(n_queries, n_keys, window):
    distance = np.arange(n_queries)[:, None] + (n_keys - n_queries) - np.arange(n_keys)
    return 0 <= distance < window


@diagnosed(
    "You join the two conditions by or, and each key fulfils one of them, so everything is visible. "
    "Both must hold: join them by `&`."
)
def faulty_sliding_window_mask_or(n_queries, n_keys, window):
    distance = np.arange(n_queries)[:, None] + (n_keys - n_queries) - np.arange(n_keys)
    return (distance >= 0) | (distance < window)


# own_sentence_mask -----------------------------------------------------------------------------------------


@diagnosed(
    "The mask is turned round: it shows the other sentences and hides a token's own. "
    "True = may attend, so ask for equal ids with `==`."
)
def faulty_own_sentence_mask_turned_round(sentence_ids):
    return sentence_ids[:, None] != sentence_ids[None, :]


@diagnosed(
    "You compare each token with itself only, so the result is a row and not a table. "
    "Compare a column with a row: `sentence_ids[:, None]` with `sentence_ids[None, :]`."
)
def faulty_own_sentence_mask_row(sentence_ids):
    return sentence_ids == sentence_ids


@diagnosed(
    "Earlier sentences are visible too: you compare with `<=`. "
    "Only a token's own sentence may be seen, so the ids must be equal: `==`."
)
def faulty_own_sentence_mask_earlier_too(sentence_ids):
    query = sentence_ids[:, None]
    key = sentence_ids[None, :]
    return key <= query  # mask


@diagnosed(
    "Your mask is causal as well: a token does not see the later words of its own sentence. "
    "Leave the triangle out; the ids alone decide."
)
def faulty_own_sentence_mask_causal(sentence_ids):
    same = sentence_ids[:, None] == sentence_ids[None, :]
    return np.tril(same)


@diagnosed(
    "You subtract the ids: the result is 0, which reads as hidden, just where the sentence is the same. "
    "Compare them instead: `==` gives True there."
)
def faulty_own_sentence_mask_difference(sentence_ids):
    return sentence_ids[:, None] - sentence_ids[None, :]


def _own_sentence(mask, sentence_ids):
    """The properties of an own-sentence mask, each with its own sentence."""
    mask = mask.astype(bool)
    same = sentence_ids[:, None] == sentence_ids
    blind = np.flatnonzero(~mask.diagonal())
    if blind.size:
        return f"Token {blind[0]} does not see itself, yet it stands in its own sentence: the diagonal must be True."
    for wrong, seen, rule in (
        (mask & ~same, "sees", "only tokens of the same sentence may be seen"),
        (same & ~mask, "does not see", "every token of the same sentence must be seen, earlier or later"),
    ):
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            return (
                f"Token {i} (sentence {sentence_ids[i]}) {seen} token {j} (sentence {sentence_ids[j]}): {rule}. "
                "Compare the two ids of each pair."
            )
    return None


_SENTENCES = [[0, 0, 1, 1, 1], [4, 4, 4, 2, 2, 9, 9], [0, 1, 0], [700, 700], [0, 0, 0, 0, 1, 2, 2, 2, 2, 3, 3]]

# As the gallery calls them: by the source's row, since the name tells what is wrong.
faulty_d2_mask = faulty_causal_mask_zero_and_minus_one

EXERCISES = [
    Exercise(
        task="Write causal_mask(n_queries, n_keys) -> boolean (n_queries, n_keys): no query sees the future, and "
        "the last query sees every key.",
        reference=causal_mask,
        cases=[(5, 5), (3, 7), (1, 5), (7, 3)],
        faults=[
            faulty_causal_mask_from_start,
            faulty_causal_mask_without_itself,
            faulty_causal_mask_shows_the_future,
            faulty_causal_mask_one_ahead,
            faulty_causal_mask_square,
            faulty_causal_mask_zero_and_minus_one,
            faulty_causal_mask_minus_infinity,
        ],
        hints=(
            "Number the keys 0, 1, 2, ... Which position has the first query, if the last query is the last key?",
            "Query i stands at position i + (n_keys − n_queries). It may see the keys at its own position and before.",
            "Make a column of query positions, `np.arange(n_queries)[:, None] + (n_keys - n_queries)`, a row of key "
            "positions, `np.arange(n_keys)`, and compare them with `<=`.",
        ),
        key="# mask",
        distractor=faulty_causal_mask_shows_the_future,
        learned="no query sees the future, and one new query sees all its cached keys.",
        returns=("mask",),
    ),
    Exercise(
        task="Write sliding_window_mask(n_queries, n_keys, window) -> boolean: each query sees itself and the "
        "window − 1 keys before it.",
        reference=sliding_window_mask,
        cases=[(7, 7, 3), (5, 11, 2), (1, 7, 3), (3, 5, 1), (5, 3, 7)],
        faults=[
            faulty_sliding_window_mask_one_more,
            faulty_sliding_window_mask_both_sides,
            faulty_sliding_window_mask_from_start,
            faulty_sliding_window_mask_without_itself,
            faulty_sliding_window_mask_chained,
            faulty_sliding_window_mask_or,
        ],
        hints=(
            "How far back does a key lie? Make a table of distances, query position minus key position.",
            "Distance 0 is the query itself, negative distances are the future. Which distances may stay, if `window` "
            "keys are to be seen?",
            "`(distance >= 0) & (distance < window)`, with the brackets: `&` joins cell by cell and binds tightly.",
        ),
        key="# mask",
        distractor=faulty_sliding_window_mask_one_more,
        learned="each query sees exactly `window` keys, itself included, or fewer at the start.",
        returns=("mask",),
    ),
    Exercise(
        task="Write own_sentence_mask(sentence_ids) -> boolean (n, n): each token sees the tokens of its own "
        "sentence, and no other.",
        reference=own_sentence_mask,
        cases=[(np.array(ids),) for ids in _SENTENCES],
        faults=[
            faulty_own_sentence_mask_turned_round,
            faulty_own_sentence_mask_row,
            faulty_own_sentence_mask_earlier_too,
            faulty_own_sentence_mask_causal,
            faulty_own_sentence_mask_difference,
        ],
        hints=(
            "One True or False for each pair of tokens: draw the table for the ids [0, 0, 1] on paper.",
            "Two tokens see each other when their ids are equal. Broadcasting compares all pairs at once.",
            "Make the ids a column, `sentence_ids[:, None]`, and a row, `sentence_ids[None, :]`, and compare them.",
        ),
        key="# mask",
        distractor=faulty_own_sentence_mask_earlier_too,
        learned="each token sees all of its own sentence and nothing else: yours fulfils every property.",
        returns=("mask",),
        properties=_own_sentence,
        compares=False,
    ),
]
