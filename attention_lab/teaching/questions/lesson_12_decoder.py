"""Questions of lesson 12: what a decoder reads, and what a weight on it says."""

import numpy as np

from attention_lab import Seq2Seq, causal_mask
from attention_lab.blocks import DecoderBlock
from attention_lab.data.number_words import ENGLISH, GERMAN, START, encode
from attention_lab.hybrids import RecurrentSeq2Seq
from attention_lab.teaching.questions.question import question


@question(
    "rows-of-logits",
    lesson="12",
    source="M16",
    text="An English sentence of five words is read; of its German translation seven tokens stand before the decoder. "
    "How many rows of logits come out?",
    options={
        "5": "The five words are read, and their rows end in weighted means. Who asks sets the length: the seven "
        "German tokens, one row for each.",
        "7": "One row for each German token: what may follow it. The English words appear inside only, as the "
        "five columns of the cross-attention's weights.",
        "12": "So it would be if both texts were one sequence, as in a language model that translates. Here the "
        "English is read from the side, and has no row of its own.",
    },
)
def rows_of_logits():
    model = Seq2Seq(34, 35, 8, 2, 16, max_len=12, rng=np.random.default_rng(0))
    logits, _ = model(np.ones(5, int), np.ones(7, int))
    return str(len(logits))


@question(
    "what-the-decoder-reads",
    lesson="12",
    source="Q119",
    text="An encoder of three blocks, a decoder of two. From what are the keys and values of the first decoder block's "
    "cross-attention made?",
    options={
        "the embedded source": "These rows know nothing of their neighbours yet. They go into the encoder, and the "
        "decoder reads what comes out of it.",
        "the rows after encoder block 1": "Block by block, side by side, is how drawings look. But all decoder blocks "
        "read the same rows, those that leave the encoder's end.",
        "the rows after encoder block 3": "All decoder blocks read what leaves the encoder's end. Each has a W_K and a "
        "W_V of its own, so they can look for different things in it.",
    },
)
def what_the_decoder_reads():
    rng = np.random.default_rng(0)
    model = Seq2Seq(34, 35, 16, 2, 32, encoder_layers=3, decoder_layers=2, max_len=12, rng=rng)
    source, target = rng.integers(34, size=6), rng.integers(35, size=4)
    rows = {"the embedded source": model.place_source(model.embed_source(source))}
    for i, block in enumerate(model.encoder.blocks, 1):
        rows[f"the rows after encoder block {i}"], _ = block(list(rows.values())[-1])
    _, (read, _) = model(source, target)
    for name, memory in rows.items():
        memory = model.encoder.final_norm(memory) if "block" in name else memory
        _, _, (found, _) = model.decode(target, memory)
        if np.allclose(found, read, atol=1e-6):
            return name


@question(
    "causal-by-mistake",
    lesson="12",
    source="lesson",
    text="Five English words, five German tokens. By mistake the cross-attention gets the causal mask of the German "
    "side as well. How many English words can the first German token read?",
    options={
        "no word": "The triangle holds its diagonal, so row 0 has one visible key. A row without any would read a mean "
        "of nothing, zeros.",
        "one word": "The first one alone, and “forty two” begins with the two. The whole source is there before "
        "writing starts: its pads are hidden from the decoder, and nothing else.",
        "all five words": "So it should be, and so it is for the last German token even now. The first one sees what "
        "stands on the triangle's first row.",
    },
)
def causal_by_mistake():
    rng = np.random.default_rng(0)
    block = DecoderBlock(16, 2, 32, rng=rng)
    target, memory = rng.normal(size=(2, 5, 16))
    _, _, read = block(target, memory, memory_mask=causal_mask(5))
    return {0: "no word", 1: "one word", 5: "all five words"}[int((read[0, 0] > 0).sum())]


@question(
    "weight-of-und",
    lesson="12",
    source="lesson",
    text="“und” in “zwei und vierzig” translates no English word: “forty two” has none for it. When the decoder writes "
    "“und”, how much weight does this row of the cross-attention spend on the English words, in all?",
    options={
        "0": "A row cannot abstain: softmax shares out 1, wherever there is something to read. What it reads may be of "
        "no use, and the decoder learns to make nothing of it.",
        "less than other rows": "Rows differ in where they look, and not in how much: each sums to 1. A head that has "
        "nothing to look for must put its weight somewhere.",
        "1, as every row": "Softmax shares out 1, needed or not. So the row of “und” shows a place that was read, and "
        "no word that was translated: do not take it for a source.",
    },
)
def weight_of_und():
    rng = np.random.default_rng(0)
    model = Seq2Seq(34, 35, 16, 2, 32, max_len=12, rng=rng)
    _, (read,) = model(encode([["forty", "two"]], ENGLISH)[0], encode([["zwei", "und", "vierzig"]], GERMAN)[0])
    sums = read[0].sum(-1)  # (heads, n_t)
    if np.allclose(sums, 1, atol=1e-5):
        return "1, as every row"
    return "0" if np.allclose(sums[:, 1], 0) else "less than other rows"


@question(
    "hidden-from-the-decoder",
    lesson="12",
    source="lesson",
    text="One encoder block, then the decoder. In the cross-attention a mask hides the place of “two” in “forty two”. "
    "Can the decoder still tell “forty two” from “forty three”?",
    options={
        "no, it is hidden": "Its place is, and without an encoder that would be all. But the encoder has let “forty” "
        "read “two” before, and the place of “forty” is not hidden.",
        "yes, from another place": "In the encoder “forty” has read its neighbour, and carries something of it. A mask "
        "on the decoder hides a place, and what other places know of it stays.",
        "only by its own text": "The German that is written so far is the same in both. What differs is what the "
        "decoder reads from the English side.",
    },
)
def hidden_from_the_decoder():
    model = Seq2Seq(34, 35, 16, 2, 32, max_len=12, rng=np.random.default_rng(0))
    target, mask, logits = [START], [True, False], []
    for unit in ("two", "three"):
        source, _ = encode([["forty", unit]], ENGLISH)
        memory, _ = model.encode(source[0])
        logits.append(model.decode(target, memory, mask)[0])
    return "no, it is hidden" if np.allclose(*logits, atol=1e-6) else "yes, from another place"


@question(
    "mixed-before-read",
    lesson="12",
    source="lesson",
    text="An encoder with self-attention is added. Translations stay right, but the cross-attention now often looks at "
    "another word than the one that is translated. How can that be right?",
    options={
        "every row knows all words": "The encoder mixes the words before the decoder reads, so row j of the memory is "
        "no longer word j alone. A weight says which row was read, not which word counted.",
        "the target is enough": "Then another source would change nothing, but it changes the logits. The words are "
        "read: they only no longer sit in rows of their own.",
        "the words change places": "Self-attention leaves each row where it stands. It adds to it what was read of the "
        "others, and so each row holds something of all.",
    },
)
def mixed_before_read():
    rng = np.random.default_rng(0)
    model = Seq2Seq(34, 35, 16, 2, 32, max_len=12, rng=rng)
    source, target = rng.integers(3, 30, size=6), rng.integers(3, 35, size=4)
    other = np.where(np.arange(6) == 4, source + 2, source)  # one word is another one
    if np.allclose(model(source, target)[0], model(other, target)[0], atol=1e-6):
        return "the target is enough"
    before, after = (model.encode(ids)[0] for ids in (source, other))
    moved = np.abs(after - before).max(-1) > 1e-6
    return "every row knows all words" if moved.all() else "the words change places"


@question(
    "who-asks",
    lesson="12",
    source="Q116",
    text="Bahdanau's attention and Luong's do not only score differently. The decoder has just read its newest token. "
    "In which of the two can this token change what is looked at in this step?",
    options={
        "in both": "It changes the new state of both decoders. But Bahdanau's looks before that: it is the state "
        "before that asks, and the token is not in it.",
        "in Bahdanau's only": "There the state before asks, and what it finds goes into the new state, together with "
        "the token. The token comes too late to ask.",
        "in Luong's only": "There the token first makes the new state, and that asks. In Bahdanau's the state before "
        "asks. Additive or dot is a choice beside this one.",
    },
)
def who_asks():
    rng = np.random.default_rng(0)
    source, target = rng.integers(34, size=6), rng.integers(35, size=4)
    other = np.where(np.arange(4) == 3, (target + 1) % 35, target)  # another newest token
    moved = []
    for kind in ("additive", "dot"):
        model = RecurrentSeq2Seq(34, 35, 16, attention=kind, rng=rng)
        rows = [model(source, tokens)[1][0][0, -1] for tokens in (target, other)]
        moved.append(not np.array_equal(*rows))
    names = {(True, True): "in both", (True, False): "in Bahdanau's only", (False, True): "in Luong's only"}
    return names[tuple(moved)]
