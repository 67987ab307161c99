"""Lesson 20: the logit lens, which reads a stream as if it were the last block's."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def logit_lens(streams, gain, table):
    square = (streams * streams).mean(axis=-1, keepdims=True)
    normed = gain * streams / np.sqrt(square + 1e-5)  # normalise: as after the last block, eps 1e-5
    return normed @ table.T  # project: a score for each word of the table


@diagnosed(
    "You leave out the gain. The last norm has learned how much each feature counts: multiply the normed stream by "
    "`gain` before it meets the table."
)
def faulty_logit_lens_no_gain(streams, gain, table):
    square = (streams * streams).mean(axis=-1, keepdims=True)
    normed = streams / np.sqrt(square + 1e-5)  # normalise: to a mean square of 1
    return normed @ table.T


@diagnosed(
    "You read the stream out as it is. After its last block the model norms it, `gain * x / sqrt(mean square + 1e-5)`, "
    "and the table was learned for that: do the same."
)
def faulty_logit_lens_bare(streams, gain, table):
    return streams @ table.T


@diagnosed(
    "You subtract the mean first, as LayerNorm does. This model has RMSNorm: no mean is taken away, it divides by the "
    "root of the mean square alone."
)
def faulty_logit_lens_layer_norm(streams, gain, table):
    centred = streams - streams.mean(axis=-1, keepdims=True)
    square = (centred * centred).mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt(square + 1e-5) @ table.T


@diagnosed(
    "You divide by the length, the root of a sum. RMSNorm takes the root of the mean, so yours is √d too small: "
    "use `.mean(axis=-1, keepdims=True)`."
)
def faulty_logit_lens_length(streams, gain, table):
    square = (streams * streams).sum(axis=-1, keepdims=True)
    return gain * streams / np.sqrt(square + 1e-5) @ table.T


@diagnosed(
    "You divide by the mean square itself. Then a stream twice as long gives half the logits, where it should give the "
    "same: take the root."
)
def faulty_logit_lens_no_root(streams, gain, table):
    square = (streams * streams).mean(axis=-1, keepdims=True)
    return gain * streams / (square + 1e-5) @ table.T


@diagnosed(
    "One mean square serves all layers and tokens, so a long stream drowns the others. Each vector is normed by "
    "itself: `.mean(axis=-1, keepdims=True)`."
)
def faulty_logit_lens_all_at_once(streams, gain, table):
    return gain * streams / np.sqrt((streams * streams).mean() + 1e-5) @ table.T


@diagnosed(
    "You multiply by the gain after the table, or square it on the way: each feature then counts by gain². "
    "It stands in the norm once."
)
def faulty_logit_lens_gain_twice(streams, gain, table):
    square = (streams * streams).mean(axis=-1, keepdims=True)
    return gain * streams / np.sqrt(square + 1e-5) @ (gain * table).T


@diagnosed(
    "Your eps is another one: 1e-6 is what `rms_norm` takes if you give none, and this model has 1e-5. It matters for "
    "short streams."
)
def faulty_logit_lens_other_eps(streams, gain, table):
    square = (streams * streams).mean(axis=-1, keepdims=True)
    return gain * streams / np.sqrt(square + 1e-6) @ table.T


@diagnosed("You add no eps, 1e-5 in this model, to the mean square. It matters for short streams.")
def faulty_logit_lens_no_eps(streams, gain, table):
    square = (streams * streams).mean(axis=-1, keepdims=True)
    return gain * streams / np.sqrt(square) @ table.T


@diagnosed("You return probabilities. Asked are the logits, what the table says before any softmax: leave it out.")
def faulty_logit_lens_softmax(streams, gain, table):
    logits = logit_lens(streams, gain, table)
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _cases():
    rng = np.random.default_rng(22)

    def case(*leading, d, vocab, size=1.0):
        streams = size * rng.normal(0.5, 1, size=(*leading, d))  # a mean that is not 0: LayerNorm would take it away
        return streams, rng.uniform(0.5, 2, size=d), rng.normal(size=(vocab, d))

    plain, layers = case(3, d=5, vocab=7), case(2, 3, d=7, vocab=11)
    layers[0][1] *= 100  # streams grow from layer to layer
    small = case(2, d=3, vocab=5, size=1e-3)
    return [plain, layers, small, tuple(array.astype(np.float32) for array in plain)]


# As the gallery calls them: the name tells what is wrong.
faulty_lens = faulty_logit_lens_bare

EXERCISES = [
    Exercise(
        task="Write logit_lens(streams, gain, table): streams (..., d), the last norm's gain (d,) and the table of "
        "words (vocab, d) -> logits (..., vocab), as the model would compute them after its last block: by RMSNorm "
        "with eps 1e-5, and the table.",
        reference=logit_lens,
        cases=_cases(),
        faults=[
            faulty_logit_lens_no_gain,
            faulty_logit_lens_bare,
            faulty_logit_lens_layer_norm,
            faulty_logit_lens_length,
            faulty_logit_lens_no_root,
            faulty_logit_lens_all_at_once,
            faulty_logit_lens_gain_twice,
            faulty_logit_lens_other_eps,
            faulty_logit_lens_no_eps,
            faulty_logit_lens_softmax,
        ],
        hints=(
            "What does the model do between its last block and the logits? There are two steps, and the first one has "
            "a gain.",
            "RMSNorm: divide each vector by the root of its mean square, with 1e-5 beside the square, and multiply by "
            "the gain. Then one product with the table.",
            "`gain * streams / np.sqrt(square + 1e-5)`, with `square = (streams * streams).mean(axis=-1, "
            "keepdims=True)`; then `@ table.T`.",
        ),
        key="# normalise",
        distractor=faulty_logit_lens_no_gain,
        learned="any block's stream can be read as if it were the last one's: that is the logit lens.",
        returns=("logits",),
    ),
]
