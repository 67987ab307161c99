"""Questions of lesson 12: how a decoder is taught, and how it writes."""

import numpy as np

from attention_lab import Seq2Seq
from attention_lab.generation import beam_search
from attention_lab.teaching.exercises.lesson_12 import teacher_forcing
from attention_lab.teaching.exercises.lesson_12_gallery import faulty_unshifted
from attention_lab.teaching.questions.question import question


@question(
    "wrong-third-token",
    lesson="12",
    source="lesson",
    text="In training, the decoder says a wrong third token. What does it read in that token's place when it is to say "
    "the fourth?",
    options={
        "the wrong token": "So it is when it translates by itself. In training its inputs are fixed before it says "
        "anything: the true tokens, one place later.",
        "the true token": "Teacher forcing: inputs come from the data, whatever is said. So all places are learned in "
        "one pass, and the decoder never practises going on after a mistake.",
        "nothing at all": "A mistake stops nothing. The place has its loss, and the next one reads the true token, as "
        "if nothing had happened.",
    },
)
def wrong_third_token():
    rng = np.random.default_rng(0)
    source, true = rng.integers(3, 34, size=6), rng.integers(3, 35, size=(1, 5))
    inputs, _ = teacher_forcing(true, np.ones_like(true, dtype=bool), 1, 2)
    for _ in range(100):  # an untrained model is nearly always wrong
        said = Seq2Seq(34, 35, 16, 2, 32, max_len=12, rng=rng)(source, inputs[0])[0].argmax(-1)
        if said[2] != true[0, 2]:
            break
    names = {int(said[2]): "the wrong token", int(true[0, 2]): "the true token"}
    return names.get(int(inputs[0, 3]), "nothing at all")


@question(
    "loss-near-zero",
    lesson="12",
    source="lesson",
    text="In training, the decoder's inputs and its targets are the same tokens at the same places: somebody forgot to "
    "shift. The loss falls to 0. What has been learned?",
    options={
        "to copy its own input": "Each place sees its own token, and that is the answer. When it translates there is "
        "nothing to copy: after the start it says the start.",
        "to translate, but late": "It has no need to: whatever the source, the answer stands in the input. Only a "
        "shifted target must be found by reading the source.",
        "to translate, only faster": "A loss that falls so fast is a warning. The answer is in the input, so the "
        "source need not be read at all.",
    },
)
def no_shift():
    texts = np.random.default_rng(0).integers(3, 35, size=(200, 5))
    inputs, targets = faulty_unshifted(texts, np.ones_like(texts, dtype=bool))
    told = {
        "to copy its own input": np.array_equal(inputs, targets),  # the answer stands at the place itself,
        "to translate, but late": np.array_equal(inputs[:, :-1], targets[:, 1:]),  # or at the place before
    }
    return next((name for name, is_told in told.items() if is_told), "to translate, only faster")


@question(
    "errors-add-up",
    lesson="12",
    source="lesson",
    text="With true tokens before it, a decoder is right at 98 of 100 places. Now it writes ten tokens by itself, and "
    "what follows a mistake is lost. How many of its texts are right from start to end?",
    options={
        "98 in 100": "That is one place, with true tokens before it. A whole text needs ten right ones in a row, and "
        "0.98 is paid at each.",
        "about 82 in 100": "0.98 ten times over. What a decoder scores under teacher forcing is not what it writes: "
        "measure it on texts that it has written itself.",
        "about 20 in 100": "That is the share that fails: about ten times 2 in 100. The others, four in five, are "
        "right throughout.",
    },
)
def errors_add_up():
    right = np.random.default_rng(0).random(size=(20_000, 10)) < 0.98
    share = right.all(axis=1).mean()
    guesses = {"98 in 100": 0.98, "about 82 in 100": 0.82, "about 20 in 100": 0.2}
    return min(guesses, key=lambda name: abs(guesses[name] - share))


class Chances:
    """A model that knows what follows each token, whatever the source: its rows are chances."""

    def __init__(self, rows):
        self.rows, self.vocab_size, self.embed_target = np.log(rows), len(rows), self

    def encode(self, source, mask=None):
        return np.zeros((1, 1)), []

    def decode(self, texts, memory, source_mask=None):
        return self.rows[texts], [], []


@question(
    "greedy-or-beam",
    lesson="12",
    source="lesson",
    text="The first token is A with 0.6 or B with 0.4. After A the likeliest is C with 0.5, after B it is E with 0.9. "
    "What is written by a beam of 1, and what by a beam of 2?",
    options={
        "A C, then A C": "A beam of 2 keeps B as well after the first step, and then B E has 0.4 · 0.9 = 0.36, more "
        "than the 0.30 of A C.",
        "A C, then B E": "A beam of 1 is greedy: it takes A, and has 0.30 in the end. A beam of 2 keeps B too, and "
        "finds 0.36. A larger beam finds likelier texts, which need not be better ones.",
        "B E, then B E": "A beam of 1 keeps one text a step, and after the first step that is A: what B leads to "
        "is never seen.",
    },
)
def greedy_or_beam():
    names = ["start", "end", "A", "B", "C", "D", "E"]
    rows = np.full((7, 7), 1e-9)
    rows[0, [2, 3]], rows[2, [4, 5]], rows[3, [6, 4]] = [0.6, 0.4], [0.5, 0.4], [0.9, 0.1]
    rows[4:, 1] = 1  # then the end
    written = []
    for beams in (1, 2):
        texts, _ = beam_search(Chances(rows), [3], start=0, end=1, max_len=3, beams=beams)
        written.append(" ".join(names[i] for i in texts[0, :2]))
    return f"{written[0]}, then {written[1]}"


@question(
    "because-teacher_forcing",
    lesson="12",
    source="exercise",
    text="`teacher_forcing` writes `end` behind each text's last real token, and not into the last column, because …",
    options={
        "a decoder then knows when to stop": "It is to say the end where the text ends. In the last column most ends "
        "would follow pads, which it never reads when it translates.",
        "the loss needs equal lengths": "It does not: each place with a target counts, however many a text has. What "
        "has none holds −1, and is left out.",
        "the end must be hidden": "It is nobody's input, so there is nothing to hide. But it is a target like any "
        "other, and learned at its place.",
    },
)
def because_teacher_forcing():
    rng = np.random.default_rng(0)
    mask = np.arange(7) < rng.integers(1, 7, size=(50, 1))
    ids = np.where(mask, rng.integers(3, 35, size=(50, 7)), 0)
    inputs, targets = teacher_forcing(ids, mask, 1, 2)
    read = inputs[targets == 2]  # what stands before the decoder when it is to say the end
    if len(read) < 50:
        return "the end must be hidden"
    return "a decoder then knows when to stop" if (read != 0).all() else "the loss needs equal lengths"
