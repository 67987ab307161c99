"""Questions of lesson 20, first half: the parts of a language model of today, and how its stream is read."""

import numpy as np

from attention_lab import FeedForward, LanguageModel, MultiHeadAttention, next_probabilities, parameters
from attention_lab.functional import UNDRAWN, layer_norm, rms_norm
from attention_lab.teaching.exercises.lesson_20_lens import logit_lens
from attention_lab.teaching.questions.question import question


@question(
    "moved-by-five",
    lesson="20",
    source="lesson",
    text="A vector of 64 numbers passes a norm, and then once more with 5 added to each of its numbers. The gain is 1. "
    "Which norm gives the same twice?",
    options={
        "both of them": "RMSNorm divides by the root of the mean square, and a 5 in every number makes that larger. It "
        "takes no mean away.",
        "LayerNorm alone": "It subtracts the mean first, so what all numbers share is gone. RMSNorm leaves this step "
        "out, and the bias too; what it keeps is that the length of a vector does not matter.",
        "RMSNorm alone": "It is the other way round: RMSNorm is the shorter one, and the step it lacks is the one that "
        "takes away what all numbers share.",
        "neither of them": "LayerNorm subtracts the mean of the vector, and the 5 is in the mean.",
    },
)
def moved_by_five():
    x, gain = np.random.default_rng(0).normal(size=64), np.ones(64)
    layer = np.allclose(layer_norm(x, gain, 0 * gain), layer_norm(x + 5, gain, 0 * gain))
    root = np.allclose(rms_norm(x, gain), rms_norm(x + 5, gain))
    return {(True, True): "both of them", (True, False): "LayerNorm alone", (False, True): "RMSNorm alone"}.get(
        (layer, root), "neither of them"
    )


@question(
    "who-shares-keys",
    lesson="20",
    source="lesson",
    text="Heads are 64 wide. `W_q` has shape (576, 576), `W_k` and `W_v` have shape (576, 192). Which query heads read "
    "the same keys as query head 4?",
    options={
        "3 and 5": "9 query heads, 192 / 64 = 3 key heads, and each serves three query heads that stand side by side: "
        "0 to 2, 3 to 5, 6 to 8.",
        "1 and 7": "That would be right if the key heads took turns: 0 1 2 0 1 2 …. They are repeated instead, 0 0 0 1 "
        "1 1 …: neighbours share.",
        "none": "With 576 columns in `W_k` each would have keys of its own. 192 columns are 3 heads of 64 for 9 query "
        "heads.",
    },
)
def who_shares_keys():
    rng = np.random.default_rng(0)
    attend, x = MultiHeadAttention(576, 9, num_kv_heads=3, rng=rng), rng.normal(size=(3, 576))
    before = attend(x)[1]
    for first in range(0, 192, 64):
        kept = attend.W_k.copy()
        attend.W_k[:, first : first + 64] *= 2
        moved = np.flatnonzero(np.abs(attend(x)[1] - before).max((1, 2)) > 1e-6)
        attend.W_k = kept
        if 4 in moved:
            first, *others = [head for head in moved if head != 4] or [None]
            return f"{first} and {others[0]}" if others else "none"


@question(
    "from-one-hundred-on",
    lesson="20",
    source="lesson",
    text="A model has no table of positions: it turns queries and keys by their positions (rotary). A text is read at "
    "positions 0, 1, 2, …, and once more at 100, 101, 102, …. How do its weights differ?",
    options={
        "not at all": "A score depends on how far apart query and key stand, and that is the same. So whatever a head "
        "does at the start of a text, it does not know it by a number 0.",
        "all move by 100 keys": "The keys are the same ones in the same order; only what they are turned by is another "
        "angle. And queries are turned along with them.",
        "the first token loses most": "It would if position 0 had a mark of its own. But the turn by 0 is one angle "
        "among others, and only differences count.",
    },
)
def from_one_hundred_on():
    about = {"num_layers": 2, "max_len": 16, "positions": "rotary", "rng": np.random.default_rng(0)}
    model, ids = LanguageModel(30, 16, 2, 32, dtype=np.float64, **about), np.arange(9)
    here, there = model(ids)[1], model(ids, positions=np.arange(9) + 100)[1]
    if np.allclose(here, there):
        return "not at all"
    first = [np.stack(weights)[..., 0].mean() for weights in (here, there)]
    return "the first token loses most" if first[1] < first[0] / 2 else "all move by 100 keys"


@question(
    "swiglu-width",
    lesson="20",
    source="lesson",
    text="A feed-forward part of two matrices, without biases, is 4 · 576 wide. SwiGLU has three matrices. How wide is "
    "it, if it shall have as many parameters?",
    options={
        "2,304": "That is 4 · 576. With a third matrix of that size it would have half as many parameters again.",
        "1,536": "Two thirds of 4 · 576: three matrices of 576 · 1,536 are as many numbers as two of 576 · 2,304. It "
        "is the width that you find in this model.",
        "1,152": "That is a half. Three matrices in place of two ask for two thirds.",
    },
)
def swiglu_width():
    def size(width, activation):
        part = FeedForward(576, width, activation, bias=False, rng=UNDRAWN)
        return sum(array.size for array in parameters(part).values())

    goal = size(4 * 576, "relu")
    return min(("2,304", "1,536", "1,152"), key=lambda said: abs(size(int(said.replace(",", "")), "swiglu") - goal))


@question(
    "three-times-as-warm",
    lesson="20",
    source="lesson",
    text="One word's logit is 3 above another's: at temperature 1 it is e³ times as likely. The temperature rises to "
    "3. How many times as likely is it now?",
    options={
        "20 times": "So it was before. The logits are divided by the temperature, and their difference with them.",
        "7 times": "That divides the ratio. Temperature divides the logits: the ratio becomes e to a third of their "
        "difference.",
        "3 times": "The difference is 3 / 3 = 1, and e¹ = 2.7. Temperature takes a root of the ratio: the third root "
        "of 20.",
    },
)
def three_times_as_warm():
    first, second = next_probabilities([3.0, 0.0], temperature=3)
    return min(("20 times", "7 times", "3 times"), key=lambda said: abs(first / second - int(said.split()[0])))


@question(
    "before-any-block",
    lesson="20",
    source="lesson",
    text="One table reads and writes words, and its rows are of similar length. The logit lens reads them as they "
    "enter, before the first block. Which word should it name?",
    options={
        "the token itself": "A row times the table is largest where the table holds this same row, as long as no other "
        "is much longer. In this model some rows are twice as long as most: they win for rare tokens.",
        "the token that comes next": "Nothing has been computed yet. A bigram could be learned into two tables, but "
        "there is one, and each row is most like itself.",
        "the same word everywhere": "That needs a row that is much longer than all others, and here they are of "
        "similar length. Where it exists, it does win often.",
    },
)
def before_any_block():
    table = np.random.default_rng(0).normal(size=(200, 32))
    named = logit_lens(table, np.ones(32), table).argmax(-1)
    if (named == np.arange(200)).mean() > 0.9:
        return "the token itself"
    return "the same word everywhere" if len(set(named)) == 1 else "the token that comes next"


@question(
    "stream-ten-times",
    lesson="20",
    source="lesson",
    text="A block of a trained model with RMSNorm hands on a stream that is 10 times as long, in the same direction. "
    "The logit lens reads it. What becomes of the logits?",
    options={
        "they are 10 times as large": "They would be, without the last norm. RMSNorm divides by the root of the mean "
        "square, and that is 10 times as large as well.",
        "they stay as they are": "Only the direction counts for what is read out. A long stream matters in another "
        "way: what later blocks add to it weighs less.",
        "another word comes first": "Each logit would have to change by another factor. The norm divides all numbers "
        "of a vector by the same one.",
    },
)
def stream_ten_times():
    rng = np.random.default_rng(0)
    stream, table = rng.normal(size=16), rng.normal(size=(50, 16))
    once, tenfold = (logit_lens(times * stream, np.ones(16), table) for times in (1, 10))
    if np.allclose(once, tenfold, rtol=1e-3, atol=1e-3):
        return "they stay as they are"
    same = once.argmax() == tenfold.argmax()
    return "they are 10 times as large" if same else "another word comes first"


@question(
    "because-logit_lens",
    lesson="20",
    source="exercise",
    text="`logit_lens` norms a stream before the table reads it, because …",
    options={
        "the model reads its last stream so": "Read like that, the last block's stream gives the model's own logits, "
        "to rounding. Of the blocks before, it tells what they would say in its place.",
        "a long stream would overflow": "Streams of some thousand are far from any limit. Without the norm there are "
        "numbers, too, only other ones.",
        "probabilities must sum to one": "A softmax sees to that, whatever logits it is given.",
    },
)
def because_logit_lens():
    about = {"num_layers": 2, "max_len": 9, "positions": "rotary", "rng": np.random.default_rng(0)}
    model, ids = LanguageModel(30, 16, 2, 32, dtype=np.float64, **about), np.arange(9)
    *_, (stream, _) = model.encoder.steps(model.embed(ids), is_causal=True, positions=ids)
    normed, bare = model.encoder.final_norm(stream) @ model.embed.table.T, stream @ model.embed.table.T
    if not np.isfinite(bare).all():
        return "a long stream would overflow"
    own = model(ids)[0]
    fits = np.allclose(normed, own) and not np.allclose(bare, own)
    return "the model reads its last stream so" if fits else "probabilities must sum to one"
