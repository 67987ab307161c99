"""Lesson 12: the heart of BLEU, how many runs of n tokens are right, and none of them twice."""

from collections import Counter

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def clipped_precision(hypotheses, references, n):
    found = total = 0
    for hypothesis, reference in zip(hypotheses, references):
        ours = Counter(zip(*[hypothesis[i:] for i in range(n)]))  # each run of n tokens, and how often
        theirs = Counter(zip(*[reference[i:] for i in range(n)]))
        shared = ours & theirs  # score: each run at most as often as the reference has it
        found, total = found + shared.total(), total + ours.total()
    return found / total if total else 0.0  # no run is that long: 0, and no warning


def _runs(tokens, n):
    return Counter(zip(*[tokens[i:] for i in range(n)]))


def _pairs(hypotheses, references, n):
    return [(_runs(h, n), _runs(r, n)) for h, r in zip(hypotheses, references)]


@diagnosed(
    "Nothing is clipped: whoever says a right word over and over is right each time. A run counts at most as often as "
    "it stands in the reference: `ours & theirs` keeps the smaller count."
)
def faulty_clipped_precision_unclipped(hypotheses, references, n):
    found = total = 0
    for hypothesis, reference in zip(hypotheses, references):
        ours = Counter(zip(*[hypothesis[i:] for i in range(n)]))
        theirs = Counter(zip(*[reference[i:] for i in range(n)]))
        shared = Counter({run: ours[run] for run in ours if run in theirs})  # score: each run that is found
        found, total = found + shared.total(), total + ours.total()
    return found / total if total else 0.0


@diagnosed(
    "You count each kind of run once, as a set does. A run that stands twice in both is right twice: count with "
    "`Counter`, and take the smaller count of each."
)
def faulty_clipped_precision_sets(hypotheses, references, n):
    pairs = [(set(ours), set(theirs)) for ours, theirs in _pairs(hypotheses, references, n)]
    total = sum(len(ours) for ours, _ in pairs)
    return sum(len(ours & theirs) for ours, theirs in pairs) / total if total else 0.0


@diagnosed(
    "You divide in each sentence and then take the mean, so a short sentence weighs as much as a long one. "
    "Add up found runs and all runs over the corpus first, and divide once."
)
def faulty_clipped_precision_mean(hypotheses, references, n):
    pairs = _pairs(hypotheses, references, n)
    return sum((ours & theirs).total() / max(ours.total(), 1) for ours, theirs in pairs) / len(pairs)


@diagnosed(
    "You divide by the runs of the references: that is recall, how much of them was found. Precision asks how many of "
    "the runs in the translation are right: divide by `ours.total()`."
)
def faulty_clipped_precision_recall(hypotheses, references, n):
    pairs = _pairs(hypotheses, references, n)
    total = sum(theirs.total() for _, theirs in pairs)
    return sum((ours & theirs).total() for ours, theirs in pairs) / total if total else 0.0


@diagnosed(
    "You count single tokens, whatever n is. A run is n tokens side by side: "
    "`zip(*[tokens[i:] for i in range(n)])` gives them as tuples."
)
def faulty_clipped_precision_words(hypotheses, references, n):
    return clipped_precision(hypotheses, references, 1)


@diagnosed(
    "Your runs do not overlap: you cut the text into pieces of n tokens. A run begins at every token that has n - 1 "
    "behind it: `tokens[i : i + n]` for each i."
)
def faulty_clipped_precision_pieces(hypotheses, references, n):
    found = total = 0
    for texts in zip(hypotheses, references):
        ours, theirs = (Counter(zip(*[text[i::n] for i in range(n)])) for text in texts)
        found, total = found + (ours & theirs).total(), total + ours.total()
    return found / total if total else 0.0


@diagnosed(
    "Your last runs are shorter than n: at the end of a text there are not n tokens left. Stop n - 1 before the end: "
    "`range(len(tokens) - n + 1)`."
)
def faulty_clipped_precision_tails(hypotheses, references, n):
    found = total = 0
    for texts in zip(hypotheses, references):
        ours, theirs = (Counter(tuple(text[i : i + n]) for i in range(len(text))) for text in texts)
        found, total = found + (ours & theirs).total(), total + ours.total()
    return found / total if total else 0.0


@diagnosed(
    "The last run of each text is missing: of m tokens there are m - n + 1 runs of n. "
    "Go one further: `range(len(tokens) - n + 1)`."
)
def faulty_clipped_precision_one_less(hypotheses, references, n):
    found = total = 0
    for texts in zip(hypotheses, references):
        ours, theirs = (Counter(tuple(text[i : i + n]) for i in range(len(text) - n)) for text in texts)
        found, total = found + (ours & theirs).total(), total + ours.total()
    return found / total if total else 0.0


@diagnosed(
    "You pour all sentences into one pot, so that a run is right if any reference has it. Each translation is held "
    "against its own reference: take the smaller counts sentence by sentence."
)
def faulty_clipped_precision_one_pot(hypotheses, references, n):
    ours, theirs = (sum((_runs(text, n) for text in texts), Counter()) for texts in (hypotheses, references))
    return (ours & theirs).total() / ours.total() if ours else 0.0


@diagnosed(
    "Where no text has n tokens you divide by 0. There is nothing that could be right then, so give 0.0: "
    "`found / total if total else 0.0`."
)
def faulty_clipped_precision_by_zero(hypotheses, references, n):
    pairs = _pairs(hypotheses, references, n)
    return sum((ours & theirs).total() for ours, theirs in pairs) / sum(ours.total() for ours, _ in pairs)


@diagnosed(
    "You compare place by place, so one word too many at the start makes all that follows wrong. A run may stand "
    "anywhere: count the runs of both texts, and take the smaller count of each."
)
def faulty_clipped_precision_places(hypotheses, references, n):
    found = total = 0
    for texts in zip(hypotheses, references):
        ours, theirs = (list(zip(*[text[i:] for i in range(n)])) for text in texts)
        found, total = found + sum(a == b for a, b in zip(ours, theirs)), total + len(ours)
    return found / total if total else 0.0


@diagnosed("You give a percentage. Here a share is asked for, from 0 to 1: take the factor of 100 away.")
def faulty_clipped_precision_percent(hypotheses, references, n):
    return 100 * clipped_precision(hypotheses, references, n)


def _case(n, *pairs):
    texts = [tuple(text.split() for text in pair) for pair in pairs]
    return [ours for ours, _ in texts], [theirs for _, theirs in texts], n


_CASES = [
    _case(1, ("the the the the the cat", "the cat sat on the mat"), ("a dog ran", "a dog is running")),
    _case(2, ("drei tausend zwei und drei und sechzig", "tausend drei und zwei und drei und sechzig drei")),
    _case(3, ("acht hundert ein und zwanzig", "ein hundert ein und zwanzig"), ("ein", "ein hundert"), ("a b c", "b c")),
    _case(2, ("ein und ein und ein und ein", "und ein und ein"), ("zwei und zwei", "ein und zwei und zwei und ein")),
    _case(4, ("zwei und vierzig", "zwei und vierzig"), ("elf", "elf")),  # no run of four tokens
    _case(1, ("", "elf"), ("elf elf", "elf"), ("zehn", "neun")),
]

EXERCISES = [
    Exercise(
        task="Write clipped_precision(hypotheses, references, n), from lists of lists of tokens: of all runs of n "
        "tokens in the hypotheses, the share that its own reference has too, each at most as often; 0.0 without runs.",
        reference=clipped_precision,
        cases=_CASES,
        faults=[
            faulty_clipped_precision_unclipped,
            faulty_clipped_precision_sets,
            faulty_clipped_precision_mean,
            faulty_clipped_precision_recall,
            faulty_clipped_precision_words,
            faulty_clipped_precision_pieces,
            faulty_clipped_precision_tails,
            faulty_clipped_precision_one_less,
            faulty_clipped_precision_one_pot,
            faulty_clipped_precision_by_zero,
            faulty_clipped_precision_places,
            faulty_clipped_precision_percent,
        ],
        hints=(
            "The reference has `the` twice. How many of the five `the` of a translation are right?",
            "Count the runs of both texts with `collections.Counter`. Of two counts of the same run the smaller one is "
            "right; sum these, and all counts of the translations, over the corpus.",
            "`Counter(zip(*[tokens[i:] for i in range(n)]))` counts runs, `ours & theirs` keeps the smaller counts, "
            "`.total()` sums them.",
        ),
        key="# score",
        distractor=faulty_clipped_precision_unclipped,
        learned="a word said five times is right as often as the reference has it, and sentences are added up first.",
        returns=("precision",),
    ),
]
