"""Questions of lesson 02, second half: the future, windows, and masks that meet."""

import numpy as np

from attention_lab import causal_mask, combine_masks, sliding_window_mask
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.questions.question import question


@question(
    "opposite-polarity",
    lesson="02",
    source="Q28",
    text="Our causal mask (True = may attend) is handed to a library where True means hide. Which of six words sees "
    "nothing at all?",
    options={
        "the first": "In our mask the first word sees least, only itself; turned round it sees everything except "
        "itself.",
        "the last": "In our mask the last word sees all keys, so turned round it sees none, while the first sees the "
        "whole future.",
        "no word": "A mask that is merely mirrored would leave each row something, but here visible and hidden are "
        "exchanged, and one row was fully visible.",
    },
)
def opposite_polarity():
    visible = ~causal_mask(6)
    empty = np.flatnonzero(~visible.any(-1)).tolist()
    return {(0,): "the first", (5,): "the last", (): "no word"}[tuple(empty)]


@question(
    "mask-at-generation",
    lesson="02",
    source="M9 Q29",
    text="A causal model writes a text and recomputes the whole prefix at each step, now without the causal mask: "
    "there is no future yet. Is the newest word's output the same as with the mask?",
    options={
        "yes, with any number of layers": "The newest word sees everything in either case. But from layer 2 on it "
        "reads earlier words, and those have now looked ahead.",
        "with one layer yes, with two no": "The newest row loses nothing by the mask, so one layer agrees; earlier "
        "rows change, and the second layer reads them.",
        "no, not even with one layer": "The mask does change the other rows, but the newest word may see every key "
        "with the mask as well.",
    },
)
def mask_at_generation():
    x = np.random.default_rng(0).normal(size=(6, 8)) / 2
    masked, open_ = x, x
    same = []
    for _ in range(2):  # two layers, each added to what it read
        masked = masked + attention(masked, masked, masked, is_causal=True)[0]
        open_ = open_ + attention(open_, open_, open_)[0]
        same.append(np.allclose(masked[-1], open_[-1]))
    if all(same):
        return "yes, with any number of layers"
    return "with one layer yes, with two no" if same[0] else "no, not even with one layer"


@question(
    "one-pass-or-many",
    lesson="02",
    source="Q30",
    text="Six words go through causal attention at once. The output of word i, from 1 to 6, is compared with the last "
    "row of running only the first i words. For which i are they equal?",
    options={
        "for all": "Row i may read exactly the words of that prefix, so one pass does the work of six: this is how a "
        "model trains on all places at once.",
        "for i = 6 only": "The full prefix is the obvious case, but a shorter one is the same calculation: the rest "
        "is hidden from that row.",
        "for none": "It seems that words have to be produced one by one. In a pass over known words they are all "
        "there, and the mask keeps each row honest.",
    },
)
def one_pass_or_many():
    x = np.random.default_rng(0).normal(size=(6, 8))
    at_once, _ = attention(x, x, x, is_causal=True)
    prefixes = (x[:length] for length in range(1, 7))
    one_by_one = [attention(prefix[-1:], prefix, prefix)[0][0] for prefix in prefixes]
    equal = np.isclose(at_once, one_by_one).all(-1)
    return "for all" if equal.all() else "for none" if not equal.any() else "for i = 6 only"


@question(
    "one-query-five-keys",
    lesson="02",
    source="Q32",
    text="One new word reads five cached keys, the newest last. The mask is written as `np.tri(1, 5)`, ones on and "
    "below the diagonal. What does the new word see?",
    options={
        "all five keys": "This is what it should see, and what a mask aligned to the end gives; the diagonal of "
        "`np.tri` starts at the first key.",
        "only the first key": "Row 0 of a triangle has a single one, at column 0: aligned to the start. The newest "
        "word has to be aligned to the newest key.",
        "only its own key": "A triangle's row ends on its own position, but `np.tri` takes the word for number 0, and "
        "its own key is number 4.",
    },
)
def one_query_five_keys():
    seen = np.flatnonzero(np.tri(1, 5)[0]).tolist()
    return {(0, 1, 2, 3, 4): "all five keys", (0,): "only the first key", (4,): "only its own key"}[tuple(seen)]


@question(
    "window-of-three",
    lesson="02",
    source="Q33",
    text="How many keys does the last of eight words see under our causal `sliding_window_mask(8, window=3)`?",
    options={
        "2": "Two earlier words are in reach, and the word itself counts as well.",
        "3": "In this course `window` counts the keys that are seen, itself included. Other libraries count only the "
        "steps back, so look it up.",
        "4": "Three steps back plus the word itself: some libraries count like this, and the difference is one key "
        "everywhere.",
    },
)
def window_of_three():
    return str(sliding_window_mask(8, window=3)[-1].sum())


@question(
    "two-masks",
    lesson="02",
    source="Q34",
    text="A key may be hidden by the causal mask or by the padding mask. `combine_masks(causal, padding)` shows a key "
    "where …",
    options={
        "both masks show it": "Each mask has a veto: boolean AND. Adding two huge negative numbers instead overflows "
        "in float16.",
        "at least one shows it": "This is OR: a pad in the past would be visible, because the causal mask has nothing "
        "against it.",
        "exactly one shows it": "This would hide the ordinary case, a real word in the past, which both masks show.",
    },
)
def two_masks():
    causal, padding = causal_mask(6), np.arange(6)[None, :] < 4
    combined = combine_masks(causal, padding)
    rules = {
        "both masks show it": causal & padding,
        "at least one shows it": causal | padding,
        "exactly one shows it": causal ^ padding,
    }
    return next(name for name, mask in rules.items() if np.array_equal(combined, mask))


@question(
    "because-causal_mask",
    lesson="02",
    source="exercise",
    text="With fewer queries than keys, `causal_mask` is aligned to the end, because …",
    options={
        "the queries are the newest words": "With a cache only the last words still ask. The last query stands at the "
        "last key and may see all of them.",
        "every query then sees the same number of keys": "Even aligned to the end, each query sees one key more than "
        "the one before it.",
        "the first query then sees one key": "This is what alignment to the start gives, and with a cache it would "
        "blind the newest words to most of their past.",
    },
)
def because_causal_mask():
    counts = causal_mask(2, 5).sum(-1)
    if len(set(counts.tolist())) == 1:
        return "every query then sees the same number of keys"
    whole = np.array_equal(causal_mask(2, 5), causal_mask(5)[-2:])  # the rows of the newest words
    return "the queries are the newest words" if whole else "the first query then sees one key"


@question(
    "because-sliding_window_mask",
    lesson="02",
    source="exercise",
    text="With distance = query − key, our causal window is `(0 <= distance) & (distance < window)`. It is `<` and "
    "not `<=` because …",
    options={
        "with `<=` a query would see one key too many": "Distances 0, 1, …, window − 1 are `window` keys, the query's "
        "own included; `<=` adds one more.",
        "with `<=` a query would see the future": "The future has negative distances, and the other half of the "
        "condition hides those.",
        "with `<=` the first row would be empty": "The first query sees itself at distance 0, which either form keeps.",
    },
)
def because_sliding_window_mask():
    window, distance = 3, np.arange(8)[:, None] - np.arange(8)
    looser = (distance >= 0) & (distance <= window)
    if (looser & (distance < 0)).any():
        return "with `<=` a query would see the future"
    if not looser[0].any():
        return "with `<=` the first row would be empty"
    exact = sliding_window_mask(8, window=window)[-1].sum() == window
    one_more = looser[-1].sum() == window + 1
    return "with `<=` a query would see one key too many" if exact and one_more else "no reason at all"


@question(
    "because-own_sentence_mask",
    lesson="02",
    source="exercise",
    text="Several sentences are packed into one row, and each word sees its own sentence only. This mask is "
    "symmetric, unlike the causal one, because …",
    options={
        "two words share a sentence or they do not": "Having the same id holds both ways. “Comes before” does not, so "
        "the causal mask is a triangle.",
        "attention weights are symmetric": "The mask only says who may look; the weights within a sentence still "
        "differ in the two directions.",
        "a mask that is not symmetric leaks": "The causal mask is not symmetric and leaks nothing; a leak is a "
        "visible key that should be hidden.",
    },
)
def because_own_sentence_mask():
    ids = np.array([0, 0, 0, 1, 1, 2])
    own, causal = ids[:, None] == ids, causal_mask(6)
    x = np.random.default_rng(0).normal(size=(6, 4))
    if np.allclose(weights := attention(x, x, x, own)[1], weights.T):
        return "attention weights are symmetric"
    changed = x.copy()
    changed[-1] = 9  # another last word: does an earlier one notice?
    before, after = (attention(words, words, words, causal)[0][:-1] for words in (x, changed))
    if not np.array_equal(before, after):
        return "a mask that is not symmetric leaks"
    mutual = np.array_equal(own, own.T) and not np.array_equal(causal, causal.T)
    return "two words share a sentence or they do not" if mutual else "no reason at all"
