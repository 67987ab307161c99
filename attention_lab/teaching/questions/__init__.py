"""The bank: every question of the course, by id, and which of them open and close a lesson."""

from importlib import import_module

from attention_lab.teaching.questions.question import Question

_ORDER = """
    lesson_00
    lesson_01_scores lesson_01_softmax
    lesson_02_padding lesson_02_causal
    lesson_03_maps lesson_03_numbers
    lesson_04_heads lesson_04_cross lesson_04_again
    lesson_05_order lesson_05_encodings lesson_05_rotary
    lesson_06_norms lesson_06_stream lesson_06_again
    lesson_07
    lesson_08_training lesson_08_dropout
    lesson_09_pooling lesson_09_verdicts
    lesson_10_names lesson_10_drawing
    lesson_11_cache lesson_11_limits
    lesson_12_decoder lesson_12_writing lesson_12_bleu lesson_12_alignment
    lesson_13_again
    lesson_14_windows lesson_14_verdicts
    lesson_03_again
    lesson_12_again
    lesson_13_spans lesson_13_answers
    lesson_14_again
    lesson_15_levels lesson_15_lengths lesson_15_again
    lesson_16_cost lesson_16_tiles lesson_16_again
    lesson_17_patterns lesson_17_kernels lesson_17_again
    lesson_02_again
    lesson_18_graphs lesson_18_others lesson_18_again
    lesson_19_vectors lesson_19_heads
    lesson_05_again
    lesson_19_again
    lesson_20_parts lesson_20_heads
"""
_MODULES = [import_module(f"{__name__}.{module}") for module in _ORDER.split()]

BANK = {item.id: item for module in _MODULES for item in vars(module).values() if isinstance(item, Question)}

# Two questions open a lesson: one of the lesson before, one of an earlier lesson where there is one. From lesson 09 on
# they are asked nowhere else: where they ask again what a lesson has asked, they do so with other numbers.
RECALL = {
    "01": ("own-top-key", "transpose-a-stack"),
    "02": ("divide-by-d", "dot-on-stacks"),
    "03": ("pads-vanish", "longer-vector"),
    "04": ("weight-or-contribution", "it-and-cat"),
    "05": ("more-heads-cost", "shift-or-scale"),
    "06": ("shuffled-words", "mask-at-generation"),
    "07": ("norm-over-the-sentence", "cosine-cannot-focus"),
    "08": ("saturated-softmax", "times-zero"),
    "09": ("loss-of-two-classes", "loud-pads"),
    "10": ("share-of-the-mean", "layers-for-order"),
    "11": ("top-p-crossing", "memory-of-nine"),
    "12": ("ten-more-tokens", "weights-from-output"),
    "13": ("long-right-short-wrong", "bright-first-of-four"),
    "14": ("one-word-of-two", "same-entropy"),
    "15": ("three-on-noise", "liked-words"),
    "16": ("thirty-by-thirty", "positive-queries"),
    "17": ("core-of-a-small-model", "twice-as-deep"),
    "18": ("reach-of-four-layers", "hidden-after-the-softmax"),
    "19": ("kernel-with-signs", "sixty-percent-of-little"),
    "20": ("three-times-as-long-a-query", "sines-with-themselves"),
}

# Three questions close a lesson, and are its gate: who can answer them may skip it.
CLOSING = {
    "00": ("ids-to-vectors", "matmul-on-stacks", "similar-both-ways"),
    "01": ("softmax-axis", "one-matrix-for-both", "four-sizes"),
    "02": ("mask-after-softmax", "one-pass-or-many", "opposite-polarity"),
    "03": ("softmax-of-weights", "first-row", "dense-by-design"),
    "04": ("column-blocks", "what-w-o-does", "split-or-project"),
    "05": ("add-or-concatenate", "double-exponent", "learned-or-sinusoidal"),
    "06": ("last-norm", "inside-or-outside", "feed-forward-for"),
    "07": ("rows-of-jacobian", "used-twice", "backward-twice"),
    "08": ("shift-by-one", "validation-below-training", "drop-scores"),
    "09": ("cls-or-mean", "two-evaluations", "one-point-apart"),
    "10": ("where-the-shift-is", "what-is-read-next", "token-or-letter"),
    "11": ("what-the-cache-holds", "prompt-in-chunks", "double-the-context"),
    "12": ("what-the-decoder-reads", "errors-add-up", "mean-or-corpus"),
    "13": ("count-the-spans", "saying-nothing", "higher-threshold"),
    "14": ("scale-of-the-year", "shuffled-days", "always-inside"),
    "15": ("weight-in-the-document", "sentences-shuffled", "score-for-half"),
    "16": ("shorter-than-wide", "fewer-multiplications", "twice-as-long"),
    "17": ("dilated-alone", "what-a-state-keeps", "rank-of-the-weights"),
    "18": ("without-a-neighbour", "news-of-two-hops", "edge-by-two-heads"),
    "19": ("cls-each-time", "sharp-head-off", "rank-and-recall"),
    "20": ("swiglu-width", "stream-ten-times", "without-the-sink"),
}
