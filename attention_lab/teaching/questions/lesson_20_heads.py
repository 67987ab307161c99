"""Questions of lesson 20, second half: what heads do, and what a softmax must do with nothing."""

import numpy as np

from attention_lab import LanguageModel, softmax
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.teaching.exercises.lesson_20 import induction_score
from attention_lab.teaching.questions.question import question


@question(
    "it-before-tired",
    lesson="20",
    source="lesson",
    text="'The cat sat on the mat because it was tired', and once more with 'soft' as the last word: now 'it' is the "
    "mat. A causal model of 30 layers reads both. In how many layers do the weights of 'it' differ?",
    options={
        "in none": "Row 'it' is computed before the last word is seen, in each layer. What tells cat from mat comes "
        "too late for it: only later rows can put the two together.",
        "in the later ones": "So it would be in an encoder, where news comes back from the right. Under a causal mask "
        "no layer brings any.",
        "in all": "The last word decides what 'it' means, for us. The row of 'it' never reads that word.",
    },
)
def it_before_tired():
    about = {"num_layers": 30, "max_len": 10, "positions": "rotary", "rng": np.random.default_rng(0)}
    model, text = LanguageModel(20, 8, 2, 16, **about), np.arange(10)
    other = np.where(text == 9, 15, text)  # another last word
    differ = [(a[:, 7] != b[:, 7]).any() for a, b in zip(model(text)[1], model(other)[1], strict=True)]
    return "in all" if all(differ) else "in the later ones" if any(differ) else "in none"


@question(
    "where-copying-looks",
    lesson="20",
    source="lesson",
    text="The text so far is `k m p t k m`. An induction head asks for the places whose token before is the current "
    "one, the second m. Where does it look?",
    options={
        "at the first m": "That is the same token, but the token before it is a k. It asks for what follows an m.",
        "at p": "The token before p is an m: the match. It reads what followed last time, and with p in hand the model "
        "can say what comes now.",
        "at the second k": "It stands right before the second m, and has a t before it. The head goes by what stood "
        "before a key, not by what is near.",
    },
)
def where_copying_looks():
    text = np.eye(4)[[0, 1, 2, 3, 0, 1]]  # k m p t k m
    before = np.concatenate([np.zeros((1, 4)), text[:-1]])  # what each key carries
    _, weights = attention(text, before, text, scale=20.0, is_causal=True)
    return {1: "at the first m", 2: "at p", 4: "at the second k"}.get(int(weights[-1].argmax()))


@question(
    "without-the-one-before",
    lesson="20",
    source="lesson",
    text="Some heads copy: their keys carry the token before, written by a head in a lower layer that looks one token "
    "back. That lower head is switched off. What do the copying heads do?",
    options={
        "they copy as before": "They ask as before. But what they ask for is no longer written in any key, so no key "
        "answers better than another.",
        "they find no match": "They ask for a key with 'after this token' in it, and no key says so any more. Two "
        "heads in two layers make the copy; one alone is no use.",
        "they read the token before": "That was the lower head's part, and it is off. The upper ones search by "
        "content, wherever it stands.",
    },
)
def without_the_one_before():
    text = np.eye(6)[[0, 1, 2, 3, 4, 5] * 2]
    scores = []
    for on in (1, 0):
        before = on * np.concatenate([np.zeros((1, 6)), text[:-1]])
        _, weights = attention(text, before, text, scale=20.0, is_causal=True)
        scores.append(induction_score([weights[None]], 6).item())
    if scores[1] > 0.9 * scores[0]:
        return "they copy as before"
    return "they find no match" if scores[0] > 0.9 and scores[1] < 0.2 else "they read the token before"


@question(
    "nothing-for-me",
    lesson="20",
    source="Q138",
    text="Eight keys, none of which has anything for this query: each has score −6. How much weight do they get in "
    "all, from a softmax, and from one with `+ 1` in its denominator?",
    options={
        "1 and 0.02": "A softmax must spend 1, on something: a head with nothing to do puts it on a sink. With "
        "+ 1 below, a head can keep it.",
        "0.02 and 0.02": "8 · e⁻⁶ = 0.02 is what stands above the line. A softmax divides it by itself, and that is 1.",
        "1 and 1": "The + 1 is like one more key, with score 0 and nothing to read. Beside it the eight are small.",
    },
)
def nothing_for_me():
    scores = np.full(8, -6.0)
    usual, one_more = softmax(scores).sum(), softmax(np.append(scores, 0))[:8].sum()
    return f"{usual:.0f} and {one_more:.1g}"


@question(
    "without-the-sink",
    lesson="20",
    source="lesson",
    text="A head puts 0.8 of a row's weight on a key whose value is 0, and shares the rest among other keys. Now that "
    "one key is hidden, before the softmax. What becomes of the output of this row?",
    options={
        "it stays as it was": "The hidden value added nothing. But the softmax shares out its weight among the others, "
        "so that they sum to 1 again.",
        "5 times as long": "The others had 0.2 together and now have 1, in the same proportions. So a sink keeps a "
        "head quiet: what it holds is not spent on keys that do say something.",
        "a fifth as long": "So it was with the key in sight: only 0.2 of the weight went to values that are not 0.",
    },
)
def without_the_sink():
    scores = np.log([0.8, 0.05, 0.05, 0.1])[:, None]
    values = np.array([[0.0, 0], [1, 2], [3, -1], [2, 2]])
    whole, hidden = (attention([[1.0]], scores, values, mask=[[seen, 1, 1, 1]], scale=1.0)[0] for seen in (1, 0))
    ratio = np.linalg.norm(hidden) / np.linalg.norm(whole)
    offers = {"it stays as it was": 1, "5 times as long": 5, "a fifth as long": 1 / 5}
    return min(offers, key=lambda said: abs(np.log(ratio / offers[said])))


@question(
    "lead-for-half",
    lesson="20",
    source="Q140",
    text="A row has 4,096 keys. All scores are 0, but one. How large must that one be to get half of the weight?",
    options={
        "0.7": "ln 2 = 0.7 makes a key twice as heavy as another one. Against 4,095 others that is nearly nothing.",
        "8.3": "It must outweigh the sum of 4,095 others, so its lead is ln 4,095. The longer the text, the more a key "
        "must lead: what does not, thins out.",
        "64": "√4,096 looks natural, but a score goes into an exponential: the logarithm of a count is enough.",
    },
)
def lead_for_half():
    shares = {said: softmax(np.append(np.zeros(4095), float(said)))[-1] for said in ("0.7", "8.3", "64")}
    return min(shares, key=lambda said: abs(shares[said] - 0.5))


@question(
    "twice-the-text",
    lesson="20",
    source="lesson",
    text="Among 1,000 keys one has half of the weight; the others have all the same score. The text grows to 2,000 "
    "keys, the new ones like the others. By how much must its score grow to keep the half?",
    options={
        "0.69": "The sum of the others doubles, and ln 2 = 0.69. A lead of ln(n − 1) holds the half: it grows with the "
        "text, but slowly.",
        "6.9": "That is the whole lead that was needed before, ln 999. Only what is new must be made up for.",
        "nothing": "Then it would have a third: its own part is as it was, and the others' is twice as large.",
    },
)
def twice_the_text():
    offers = {"0.69": 0.69, "6.9": 6.9, "nothing": 0}
    before = np.log(999)
    shares = {said: softmax(np.append(np.zeros(1999), before + more))[-1] for said, more in offers.items()}
    return min(shares, key=lambda said: abs(shares[said] - 0.5))


@question(
    "because-induction_score",
    lesson="20",
    source="exercise",
    text="`induction_score` uses random tokens that repeat, because …",
    options={
        "nothing else can guess them": "In a sentence the next word can also be guessed from its sense. Of random "
        "tokens nothing is known but what stood there before: who looks there is copying.",
        "real words have no repeats": "They have many. But there a head may look back for other reasons, and a score "
        "could not tell them apart.",
        "weights must sum to one": "They do so in every text, whatever its tokens are.",
    },
)
def because_induction_score():
    rng = np.random.default_rng(0)
    texts = rng.integers(8, size=(40_000, 3))
    guess = np.bincount(texts[texts[:, 1] == 3, 2]).max() / (texts[:, 1] == 3).sum()  # the best, knowing one token
    repeats = (np.diff(np.sort(rng.integers(8, size=9))) == 0).any()
    if not repeats:
        return "real words have no repeats"
    return "nothing else can guess them" if guess < 0.15 else "weights must sum to one"
