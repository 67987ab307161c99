"""Questions of lesson 12: what BLEU counts, and when it is 0."""

from collections import Counter

from attention_lab.metrics import bleu
from attention_lab.teaching.questions.question import question


@question(
    "one-short-sentence",
    lesson="12",
    source="Q117",
    text="“zwei und vierzig” is translated as “zwei und vierzig”, three tokens, all of them right. What is the BLEU of "
    "this one translation, if a share of nothing counts as 0?",
    options={
        "0": "There is no run of four tokens, so none is right, and one factor of 0 makes the whole product 0. BLEU is "
        "for a corpus, where counts of many sentences are added up.",
        "75": "Runs of one, two and three tokens are all right, three of four kinds. But the four are multiplied, and "
        "the last one is nothing of nothing.",
        "100": "All that is there is right, and a person would say so. But BLEU also asks for runs of four tokens, and "
        "there are none.",
    },
)
def perfect_and_zero():
    return f"{bleu(['zwei und vierzig'], ['zwei und vierzig']):.0f}"


@question(
    "mean-or-corpus",
    lesson="12",
    source="Q118",
    text="A sentence of four tokens is translated without a fault, and of another one, of eight tokens, none is right. "
    "What is the BLEU of the two as a corpus?",
    options={
        "50": "That is the mean of the two sentences, 100 and 0. But counts are added up before anything is divided, "
        "and the longer sentence has more of them.",
        "25": "Of all runs of 1, 2, 3 and 4 tokens 4 of 12, 3 of 10, 2 of 8 and 1 of 6 are right. Counts are pooled, "
        "so long sentences count more, and single ones cannot make it 0.",
        "0": "One sentence of 0 does not spoil the others: its runs are added to the rest. Only if the corpus had no "
        "right run of four tokens at all would it be 0.",
    },
)
def mean_or_corpus():
    hypotheses, references = ["a b c d", "q r s t u v w x"], ["a b c d", "i j k l m n o p"]
    return f"{bleu(hypotheses, references):.0f}"


@question(
    "clipped",
    lesson="12",
    source="lesson",
    text="The reference is “ein und ein und zwanzig”, the translation “ein ein ein ein ein”. Of single tokens, how "
    "many of the five are counted as right?",
    options={
        "5 of 5": "Each is a word of the reference. But then one word, said over and over, would be a good "
        "translation: so counts are clipped.",
        "2 of 5": "The reference has it twice, and no more than these two are counted. This clipping is what keeps a "
        "translator from repeating its surest word.",
        "1 of 5": "Counting each word once would be too strict: the reference does say it twice, and a translation may "
        "do so too.",
    },
)
def clipped():
    reference, translation = ["ein", "und", "ein", "und", "zwanzig"], ["ein"] * 5
    right = Counter(translation) & Counter(reference)
    return f"{sum(right.values())} of {len(translation)}"


@question(
    "half-as-long",
    lesson="12",
    source="lesson",
    text="A careful translator writes down only what it is sure of: the first half of each reference, without a single "
    "fault. What is its BLEU?",
    options={
        "100": "All that it writes is right, so all four precisions are 1. But precision alone would reward whoever "
        "says almost nothing: there is a penalty for being short.",
        "50": "Half is there, but the penalty is no share: it is e^(1 − r/c), with the two lengths r and c, and falls "
        "faster.",
        "37": "The precisions are 1, and the penalty is e^(1 − 2) = 0.37. BLEU looks for what is missing by length "
        "alone, it has no recall.",
    },
)
def half_as_long():
    reference = ["acht", "tausend", "zwei", "hundert", "drei", "und", "vierzig", "<end>"]
    return f"{bleu([reference[:4]], [reference]):.0f}"


@question(
    "because-clipped_precision",
    lesson="12",
    source="exercise",
    text="`clipped_precision` takes the smaller count of each run, `ours & theirs`, instead of asking only whether the "
    "run occurs in the reference, because …",
    options={
        "a repeated word is right only so often": "Of five times “ein” two are right if the reference has two. Asked "
        "whether it occurs, all five would be, and to repeat oneself would pay.",
        "the order of the words counts too": "It does, in runs of two and more. But a count has no order, clipped or "
        "not: shuffle single tokens and it is the same.",
        "long translations would win otherwise": "Length alone wins nothing here: what is not in the reference adds to "
        "the divisor and not to what was found.",
    },
)
def because_clipped_precision():
    reference, other = ["ein", "und", "ein", "und", "zwanzig"], ["und", "zwanzig", "und", "ein", "ein"]
    if (Counter(reference) & Counter(other)).total() < 5:
        return "the order of the words counts too"
    longer = [*reference, "x", "y", "z"]
    if (Counter(longer) & Counter(reference)).total() > 5:
        return "long translations would win otherwise"
    repeated = ["ein"] * 5
    clipped, unclipped = (Counter(repeated) & Counter(reference)).total(), sum(word in reference for word in repeated)
    return "a repeated word is right only so often" if clipped < unclipped else "no reason at all"
