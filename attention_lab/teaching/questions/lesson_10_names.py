"""Questions of lesson 10, first half: what a language model reads and says, how it is scored, and what it holds."""

import numpy as np

from attention_lab import LanguageModel, causal_mask, generate, parameters
from attention_lab import scaled_dot_product_attention as attention
from attention_lab.data.repeats import repeats
from attention_lab.data.surnames import ALPHABET, encode
from attention_lab.metrics import perplexity
from attention_lab.teaching.questions.question import question


@question(
    "target-in-the-input",
    lesson="10",
    source="Q99",
    text="A causal model reads “.ana” and is to say “ana.”, at each place the next letter. So almost every target "
    "stands in the input as well, one place further on. Can the model copy it from there?",
    options={
        "no, not at that place": "The row of a place reads what stands up to there. Change the next letter, and this "
        "row's logits stay, to the last bit: the answer is in the array, but out of sight.",
        "yes, and the loss goes to 0": "This happens when input and target are not shifted, or when the causal mask is "
        "forgotten. With both, the row of a place cannot see the next letter.",
        "only with two layers or more": "Layer 2 reads rows that have read others. But under a causal mask none of "
        "those looked ahead either: with two layers the earlier rows stay as well.",
    },
)
def target_in_the_input():
    (ids,), _ = encode(["anabel"])
    moved = []
    for num_layers in (1, 2):
        model = LanguageModel(27, 16, 2, 32, num_layers=num_layers, max_len=8, rng=np.random.default_rng(0))
        other = np.where(np.arange(len(ids)) == 4, 20, ids)  # another letter at place 4, the target of place 3
        moved.append(not np.array_equal(model(ids)[0][3], model(other)[0][3]))
    if all(moved):
        return "yes, and the loss goes to 0"
    return "only with two layers or more" if moved[1] else "no, not at that place"


@question(
    "where-the-shift-is",
    lesson="10",
    source="Q100",
    text="The logits at place i are to name the letter of place i + 1. Where in the program does this 1 come from?",
    options={
        "from the slices of the data": "`x[:-1]` is read, `x[1:]` is aimed at. The model knows nothing of it: with "
        "other targets it would learn to say something else at each place.",
        "from the causal mask": "The mask hides what comes later. Its diagonal is visible: a place reads its own "
        "letter, so the mask shifts nothing.",
        "from inside the model": "Change the letter at place i, and the first logits that move are those of place i "
        "itself. Nothing in the model moves a row on.",
    },
)
def where_the_shift_is():
    inputs, targets = encode(["anabel"])
    if not causal_mask(7).diagonal().all():
        return "from the causal mask"
    model = LanguageModel(27, 16, 2, 32, num_layers=1, max_len=8, rng=np.random.default_rng(0))
    other = np.where(np.arange(7) == 4, 20, inputs)
    moved = (model(inputs)[0] != model(other)[0]).any((0, 2))
    if moved.argmax() != 4:
        return "from inside the model"
    return "from the slices of the data" if (targets[:, :-1] == inputs[:, 1:]).all() else "from nowhere"


@question(
    "what-is-read-next",
    lesson="10",
    source="Q101",
    text="After “.sm” a model holds “a” for the likeliest letter; the name is “smith”. Which letter does it read next: "
    "first in training, then when it writes by itself, greedily?",
    options={
        "i, then i": "In training it is so: the true name is the input, whatever the model says. But when it writes, "
        "nobody knows a true name, and it reads its own “a”.",
        "a, then a": "When it writes it reads its own letters. Training does not wait for them: all places are "
        "computed at once, and the input is the true name. This is called teacher forcing.",
        "i, then a": "Training feeds the true name, called teacher forcing, and so one wrong guess spoils no other. "
        "When it writes, the model goes on from its own guess, right or wrong.",
    },
)
def what_is_read_next():
    (trained_on,), _ = encode(["smith"])

    class AlwaysA(LanguageModel):  # its likeliest letter is a, and it notes what it reads
        def __call__(self, ids, caches=None):
            self.read = ids[-1]
            return np.tile(np.eye(27)[1], (len(ids), 1)), []

    model = AlwaysA(27, 2, 1, 2, num_layers=1, max_len=8)
    list(generate(model, trained_on[:3], 2, temperature=0, cache=False))
    return f"{ALPHABET[trained_on[3]]}, then {ALPHABET[model.read]}"


@question(
    "pads-in-the-loss",
    lesson="10",
    source="Q105",
    text="A name's four letters surprise a model by ln 8 nats each: its perplexity is 8. Four pads follow, which it "
    "foresees easily, at 0.01 nats each, and they count in the mean. What perplexity comes out?",
    options={
        "8.0": "Pads say nothing about names, so they seem to change nothing. But they bring down the mean that is "
        "raised to exp: easy pads flatter a model.",
        "4.5": "This is the mean of 8 and 1. Perplexity averages nats and takes exp afterwards: e^((ln 8 + 0.01) / 2) "
        "is 2.8.",
        "2.8": "The mean is halved, so the perplexity is about √8. The model has learned nothing; a mask, or an "
        "ignored target, gives the 8 again.",
    },
)
def pads_in_the_loss():
    nats = np.repeat([np.log(8), 0.01], 4)
    return f"{perplexity(nats):.1f}"


@question(
    "token-or-letter",
    lesson="10",
    source="Q104",
    text="Model A reads tokens of four letters on average, and has a perplexity of 9.0 a token. Model B reads letters, "
    "and has 2.0 a letter. Both are tested on one text. Which one predicts it better?",
    options={
        "A, with 1.73 a letter": "A token's surprise, ln 9, is shared by four letters: e^(ln 9 / 4) = 9^(1/4). A "
        "perplexity means little without its unit.",
        "B, 2.0 is less than 9.0": "Lower is better for the same units. Here A is asked once for every four questions "
        "that B is asked.",
        "they cannot be compared": "Not as they stand. But the nats of the whole text can be: divide both by the same "
        "count, here by letters.",
    },
)
def token_or_letter():
    of_a = perplexity(np.repeat(np.log(9.0) / 4, 40))  # ten tokens, forty letters
    of_b = perplexity(np.repeat(np.log(2.0), 40))
    return f"A, with {of_a:.2f} a letter" if of_a < of_b else "B, 2.0 is less than 9.0"


@question(
    "tied-table",
    lesson="10",
    source="Q106",
    text="A model of 1,000 words and d_model = 64 reads with a table of word vectors, and says its logits with the "
    "same table, transposed. How many parameters does that save?",
    options={
        "none": "There must be a way from a vector to 1,000 logits, but it need not be this table: many models learn a "
        "second one. Sharing is a choice.",
        "4,096": "64 · 64 would be a matrix from a vector to a vector. Logits are as many as words: the table that is "
        "saved has 1,000 rows of 64.",
        "64,000": "A second table of 1,000 · 64. In a model of 135 million parameters with 49,152 words and 576 "
        "features it is 28 million, a fifth of all.",
    },
)
def tied_table():
    model = LanguageModel(1000, 64, 4, 128, num_layers=1, max_len=8, rng=np.random.default_rng(0))
    tables = [array.size for array in parameters(model).values() if 1000 in array.shape]
    saved = 2 * 1000 * 64 - sum(tables)  # one to read and one to speak, less what is there
    return f"{saved:,}" if saved else "none"


@question(
    "what-the-keys-carry",
    lesson="10",
    source="Q107",
    text="“7 4 9 7” should go on with 4: last time, 4 came after 7. One attention step asks with the last token, here "
    "7, and copies the token of the place whose key matches. What must the key of a place say?",
    options={
        "its own token": "Then 7 matches the places where a 7 stands, and copies 7. It finds what was there, not what "
        "came next: 0 of 100 right.",
        "the token before it": "The key of the 4 says “after a 7”, so the 4 is copied: every one is right. An earlier "
        "layer has to write this into the place: hence two layers.",
        "the token after it": "Then the place before a 7 matches, and what stands there is copied: the token that "
        "comes before 7. It looks the wrong way round.",
    },
)
def what_the_keys_carry():
    ids, predictable = repeats(20, np.random.default_rng(0), vocab_size=10, period=(4, 8), length=20)
    tokens, before, after = (np.eye(11)[x] for x in (ids, np.roll(ids, 1), np.roll(ids, -1)))
    before[:, 0], after[:, -1] = np.eye(11)[10], np.eye(11)[10]  # nothing stands there
    told = predictable[:, 1:]
    for name, key in {"its own token": tokens, "the token before it": before, "the token after it": after}.items():
        copied, _ = attention(50 * tokens, key, tokens, is_causal=True)
        if (copied.argmax(-1)[:, :-1] == ids[:, 1:])[told].mean() > 0.95:
            return name
